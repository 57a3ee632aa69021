"""Writes a wheel of a complete tree (stage.py) with Python's standard library alone.

The wheel holds the Python package, the program and its libraries in the package's folder _bundle, laid out as
in every other installation, and a script that starts the program.
Format: https://packaging.python.org/en/latest/specifications/binary-distribution-format/
"""

import base64
import hashlib
import time
import zipfile

# What belongs into share/ of the environment; the rest of the tree's share/ is for desktops.
SHARED = ("man", "bash-completion", "zsh", "fish")
BUNDLE = "warpsight/_bundle"
METADATA = """\
Metadata-Version: 2.1
Name: warpsight
Version: {version}
Summary: Profiler for deep-learning programs on GPUs
License: Apache-2.0
License-File: LICENSE
License-File: NOTICE
Keywords: gpu,cuda,pytorch,profiler
Classifier: Environment :: Console
Classifier: Environment :: GPU :: NVIDIA CUDA
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Requires-Python: >=3.8
Description-Content-Type: text/markdown

Warpsight shows where a deep-learning program spends its time on a GPU. This package brings the program
`warpsight` and the module `warpsight`:

    warpsight profile -o run.warpsight -- python train.py

    import warpsight
    profile = warpsight.open("run.warpsight")
    profile.sql("SELECT short_name, sum(duration_ns) AS ns FROM kernels GROUP BY 1 ORDER BY 2 DESC").df()
"""
WHEEL = """\
Wheel-Version: 1.0
Generator: warpsight packaging
Root-Is-Purelib: false
Tag: {tag}
"""
ENTRY_POINTS = """\
[console_scripts]
warpsight = warpsight._program:run
"""


def wheel_tag(glibc, machine):
    """The tag of a wheel whose files need this version of the C library, as PEP 600 defines it."""
    return f"py3-none-manylinux_{glibc.replace('.', '_')}_{machine}"


def digest_of(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _files(tree, info, version, tag):
    """Yields (name in the wheel, content, whether it is executable), without RECORD."""
    def below(folder, name):
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                yield (f"{name}/{path.relative_to(folder).as_posix()}", path.read_bytes(),
                       bool(path.stat().st_mode & 0o100))

    yield from below(tree / "lib/warpsight/python/warpsight", "warpsight")
    yield from below(tree / "bin", f"{BUNDLE}/bin")
    yield from below(tree / "lib/warpsight", f"{BUNDLE}/lib/warpsight")
    for name in SHARED:
        yield from below(tree / "share" / name, f"warpsight-{version}.data/data/share/{name}")
    yield from below(tree / "share/doc/warpsight", f"{info}/licenses")
    yield f"{info}/METADATA", METADATA.format(version=version).encode(), False
    yield f"{info}/WHEEL", WHEEL.format(tag=tag).encode(), False
    yield f"{info}/entry_points.txt", ENTRY_POINTS.encode(), False


def write_wheel(tree, folder, version, tag, epoch):
    """Writes warpsight-VERSION-TAG.whl into the folder; returns its path."""
    path = folder / f"warpsight-{version}-{tag}.whl"
    info = f"warpsight-{version}.dist-info"
    moment = time.gmtime(max(epoch, 315532800))[:6]  # zip files begin in 1980
    record = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        def add(name, content, executable=False):
            entry = zipfile.ZipInfo(name, moment)
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)

        for name, content, executable in _files(tree, info, version, tag):
            add(name, content, executable)
            record.append(f"{name},{digest_of(content)},{len(content)}\n")
        add(f"{info}/RECORD", ("".join(record) + f"{info}/RECORD,,\n").encode())
    return path
