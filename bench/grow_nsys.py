"""Grows an SQLite export of Nsight Systems by repeating its events at later times."""

import gzip
import shutil
import sqlite3
from pathlib import Path

# The columns that identify events, and the columns with times.
IDS = ("correlationId", "rangeId")
TIMES = ("start", "end", "rawTimestamp")
STRETCH = 64  # copies written by one statement


def columns_of(database, table):
    return [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]


def event_tables(database):
    """Tables whose rows have a time, with their columns."""
    names = [row[0] for row in database.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    tables = {name: columns_of(database, name) for name in names}
    return {name: columns for name, columns in tables.items() if "start" in columns}


def largest(database, tables, candidates, smallest=0):
    values = [smallest]
    for table, columns in tables.items():
        for column in candidates:
            if column in columns:
                found = database.execute(f'SELECT max("{column}") FROM "{table}"').fetchone()[0]
                values.append(found or 0)
    return max(values)


def grow(source, target, megabytes):
    """Returns the number of copies."""
    target = Path(target)
    opener = gzip.open if str(source).endswith(".gz") else open
    with opener(source, "rb") as packed, open(target, "wb") as plain:
        shutil.copyfileobj(packed, plain)
    database = sqlite3.connect(target)
    database.execute("PRAGMA journal_mode = OFF")
    database.execute("PRAGMA synchronous = OFF")
    tables = event_tables(database)
    begin = min(database.execute(f'SELECT min(start) FROM "{table}"').fetchone()[0] or 1 << 62
                for table in tables)
    length = largest(database, tables, TIMES) - begin + 1_000_000
    ids = largest(database, tables, IDS) + 1
    copies = max(1, round(megabytes * 1e6 / target.stat().st_size))
    rows = {table: database.execute(f'SELECT max(rowid) FROM "{table}"').fetchone()[0] or 0
            for table in tables}
    for first in range(1, copies, STRETCH):
        numbers = ", ".join(f"({k})" for k in range(first, min(first + STRETCH, copies)))
        for table, columns in tables.items():
            moved = []
            for column in columns:
                step = length if column in TIMES else ids if column in IDS else 0
                moved.append(f'"{column}" + {step} * k' if step else f'"{column}"')
            database.execute(
                f'INSERT INTO "{table}" SELECT {", ".join(moved)} FROM "{table}", '
                f'(SELECT column1 AS k FROM (VALUES {numbers})) '
                f'WHERE "{table}".rowid <= {rows[table]} ORDER BY k, "{table}".rowid')
    database.commit()
    database.close()
    return copies
