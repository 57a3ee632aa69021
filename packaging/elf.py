"""What programs and shared libraries need from a system: read with objdump, which binutils has."""

import re
import subprocess
from pathlib import Path

# The C library's own files. They belong to the system: another C library cannot be brought along.
C_LIBRARY = re.compile(r"^(lib(c|m|dl|pthread|rt|util|resolv)\.so\.\d+|ld-linux[\w-]*\.so\.\d+)$")
_DYNAMIC = re.compile(r"^  (NEEDED|RPATH|RUNPATH|SONAME) +(.*)$", re.MULTILINE)
_VERSION = re.compile(r"0x[0-9a-f]+ 0x[0-9a-f]+ \d+ (GLIBC|GLIBCXX|CXXABI|GCC)_([0-9][0-9.]*)$", re.MULTILINE)


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def elf_files(folder):
    """Programs and libraries below a folder, sorted."""
    return sorted(path for path in Path(folder).rglob("*")
                  if path.is_file() and not path.is_symlink() and is_elf(path))


def _objdump(option, path):
    return subprocess.run(["objdump", option, str(path)], check=True, stdout=subprocess.PIPE, text=True).stdout


def version_key(text):
    return tuple(int(part) for part in text.split("."))


class Elf:
    """One file's dynamic section."""

    def __init__(self, path):
        self.path = Path(path)
        headers = _objdump("-p", path)
        entries = _DYNAMIC.findall(headers)
        self.needed = [value for tag, value in entries if tag == "NEEDED"]
        self.soname = next((value for tag, value in entries if tag == "SONAME"), None)
        # Folders in which its libraries are searched, as written; "" is the current folder.
        self.search_path = [folder for tag, value in entries if tag in ("RPATH", "RUNPATH")
                            for folder in value.split(":")]
        self.has_runpath = any(tag == "RUNPATH" for tag, _ in entries)
        references = headers.partition("Version References:")[2]
        self._versions = _VERSION.findall(references)

    def newest(self, name):
        """The newest version of GLIBC, GLIBCXX, … that it refers to, or None."""
        versions = [version for found, version in self._versions if found == name]
        return max(versions, key=version_key, default=None)

    def exported(self):
        """The symbols that other files can see."""
        symbols = (line for line in _objdump("-T", self.path).splitlines()
                   if "\t" in line and "*UND*" not in line and "*ABS*" not in line)
        return sorted({symbol.split()[-1] for symbol in symbols})


def newest_glibc(elves):
    """The C library that a system must have at least to load all of these."""
    return max((elf.newest("GLIBC") or "0" for elf in elves), key=version_key, default="0")


def table(elves, root):
    """Lines of a table: what each file needs of the system and of the files beside it."""
    rows = [("file", "size", "GLIBC", "GLIBCXX", "needs besides the C library")]
    for elf in elves:
        others = [name for name in elf.needed if not C_LIBRARY.match(name)]
        rows.append((str(elf.path.relative_to(root)), f"{elf.path.stat().st_size / 1e6:.2f} MB",
                     elf.newest("GLIBC") or "-", elf.newest("GLIBCXX") or "-", " ".join(others) or "-"))
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    return ["  ".join([row[0].ljust(widths[0]), row[1].rjust(widths[1]), row[2].ljust(widths[2]),
                       row[3].ljust(widths[3]), row[4]]) for row in rows]
