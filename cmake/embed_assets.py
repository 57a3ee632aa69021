#!/usr/bin/env python3
"""Embeds the viewer's files in the program.

Usage: embed_assets.py SITE OFFLINE_PAGE FOLDER: compresses every file below SITE and the offline page
into FOLDER and writes FOLDER/embedded_assets.cc, which refers to them.
"""

import gzip
import sys
from pathlib import Path

HEAD = """// Written by cmake/embed_assets.py.
#include "server/embedded_assets.h"

#include <array>

"""

# The assembler includes the bytes: a compiler takes minutes for arrays of this size.
ONE = """__asm__(
    ".section .rodata\\n"
    ".balign 16\\n"
    ".global warpsight_asset_{number}\\n"
    "warpsight_asset_{number}:\\n"
    ".incbin \\"{file}\\"\\n"
    ".byte 0\\n"
    ".previous\\n");
extern "C" const char warpsight_asset_{number}[];

"""


def main():
    site, offline, folder = (Path(argument) for argument in sys.argv[1:4])
    files = sorted(path for path in site.rglob("*") if path.is_file())
    assets = [(path.relative_to(site).as_posix(), path) for path in files]
    assets.append(("offline.html", offline))
    packed = folder / "packed"
    packed.mkdir(parents=True, exist_ok=True)
    for old in packed.iterdir():
        old.unlink()
    text = HEAD
    table = ""
    for number, (name, path) in enumerate(assets):
        data = gzip.compress(path.read_bytes(), 9, mtime=0)
        file = packed / f"{number}.gz"
        file.write_bytes(data)
        text += ONE.format(number=number, file=file.resolve().as_posix())
        table += f'    {{"{name}", {{warpsight_asset_{number}, {len(data)}}}}},\n'
    text += (
        "namespace warpsight::server {\n\n"
        "std::span<const Asset> EmbeddedAssets() {\n"
        f"  static constinit const std::array<Asset, {len(assets)}> kAssets = {{{{\n{table}  }}}};\n"
        "  return kAssets;\n}\n\n"
        "}  // namespace warpsight::server\n")
    (folder / "embedded_assets.cc").write_text(text)


if __name__ == "__main__":
    main()
