"""What `warpsight.open` returns: a profile or a trace to read from Python.

Everything is computed by the program `warpsight`. pandas, pyarrow and duckdb are imported by the methods that
return their objects, and needed by nothing else.
"""

import errno
import html
import json
import os
import shutil
import subprocess
import tempfile
import weakref

from warpsight import Error, _program

_SHOWN_ROWS = 20


def _output(arguments):
    """What the program prints."""
    done = subprocess.run([_program.path()] + arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        message = done.stderr.decode("utf-8", "replace").strip()
        prefix = "warpsight: "
        message = message[len(prefix):] if message.startswith(prefix) else message
        raise Error(message or "warpsight ended with %d" % done.returncode)
    return done.stdout.decode("utf-8")


def _is_saved_profile(path):
    """Whether it is a DuckDB file, as saved profiles are."""
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(12)[8:] == b"DUCK"


class Rows(list):
    """A table: a list with a dict per row, None for missing values."""

    def __init__(self, rows, columns=None):
        super().__init__(rows)
        # The names of the columns. Those of an SQL result without rows are not known.
        self.columns = list(columns if columns is not None else self[0] if self else [])

    def df(self):
        """As a pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(list(self), columns=self.columns)

    def arrow(self):
        """As a pyarrow.Table."""
        import pyarrow

        return pyarrow.table({name: [row[name] for row in self] for name in self.columns})

    def _repr_html_(self):
        head = "".join("<th>%s</th>" % html.escape(name) for name in self.columns)
        body = "".join(
            "<tr>%s</tr>" % "".join(
                "<td>%s</td>" % ("" if row[name] is None else html.escape(str(row[name])))
                for name in self.columns)
            for row in self[:_SHOWN_ROWS])
        more = len(self) - _SHOWN_ROWS
        note = "<p>… and %d more rows</p>" % more if more > 0 else ""
        return "<table><thead><tr>%s</tr></thead><tbody>%s</tbody></table>%s" % (head, body, note)


class Profile:
    """A saved profile, or a trace, which is imported when it is first asked for anything."""

    def __init__(self, *paths):
        if not paths:
            raise TypeError("open() needs the path of a profile or of traces")
        self._paths = [os.path.abspath(os.fspath(path)) for path in paths]
        for given, path in zip(paths, self._paths):
            if not os.path.exists(path):
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), os.fspath(given))
        self._file = None
        self._remove = None

    def __repr__(self):
        return "warpsight.open(%s)" % ", ".join(map(repr, self._paths))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Removes the temporary profile of a trace; otherwise Python does so at its end."""
        if self._remove is not None:
            self._remove()
        self._file = self._remove = None

    @property
    def file(self):
        """The path of the profile file: the opened one, or a temporary one for traces."""
        if self._file is None:
            if len(self._paths) == 1 and _is_saved_profile(self._paths[0]):
                self._file = self._paths[0]
            else:
                self._import()
        return self._file

    def _import(self):
        folder = tempfile.mkdtemp(prefix="warpsight-")
        self._remove = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        file = os.path.join(folder, "profile.warpsight")
        try:
            _output(["import"] + self._paths + ["-o", file])
        except Exception:
            self.close()
            raise
        self._file = file

    def tables(self):
        """The names of all tables and views; docs/schema.md describes them."""
        return [row["name"] for row in self.sql("SHOW TABLES")]

    def table(self, name):
        """All rows of a table or view."""
        if name not in self.tables():
            raise KeyError(name)
        columns = [row["column_name"] for row in self.sql('DESCRIBE "%s"' % name)]
        return Rows(self.sql('FROM "%s"' % name), columns)

    def sql(self, query):
        """The rows of an SQL query."""
        return Rows(json.loads(_output(["query", "--format", "json", "--", self.file, query])))

    def duckdb(self):
        """A read-only connection of the package duckdb; its sql() returns relations."""
        import duckdb

        return duckdb.connect(self.file, read_only=True)

    def summary(self):
        """The key figures as a dict, times in nanoseconds."""
        return json.loads(_output(["info", self.file, "--format", "json"]))

    def advice(self, all=False):
        """What to change, best first: a list of findings as docs/advice.md describes them."""
        flags = ["--all"] if all else []
        return json.loads(_output(["advise", self.file, "--format", "json"] + flags))["findings"]

    def report(self, name=None):
        """The rows of a report; without a name the one-screen report as a text."""
        if name is None:
            return _output(["report", self.file])
        report = json.loads(_output(["report", self.file, "--report", name, "--format", "json"]))
        return Rows(report["rows"], [column["name"] for column in report["columns"]])

    def _repr_html_(self):
        summary = self.summary()
        gpus = ", ".join(sorted({device["name"] for device in summary["devices"]})) or "no GPU"
        facts = [("Verdict", "%s: %s" % (summary["verdict"], summary["verdict_reason"]))]
        if summary["average_iteration_ns"]:
            facts.insert(0, ("Step", "%.4g ms, %d iterations" % (summary["average_iteration_ns"] / 1e6,
                                                                 summary["iterations"])))
        facts += [(finding["rule"], finding["problem"]) for finding in self.advice()[:3]]
        rows = "".join("<tr><th>%s</th><td style='text-align: left'>%s</td></tr>" % (
            html.escape(name), html.escape(text)) for name, text in facts)
        return "<b>%s</b> · %s<table><tbody>%s</tbody></table>" % (
            html.escape(summary["profile_name"]), html.escape(gpus), rows)
