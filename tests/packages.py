#!/usr/bin/env python3
"""Installs packages on bare systems, uses them as a new user does, and removes them again.

Usage: packages.py [--keep] [--packages FOLDER] [bookworm|trixie|noble]... The packages are those that
`./dev package` wrote; without a name, the systems are Debian 12 and Debian 13. Needs root, debootstrap and
about 2 GB under /var/tmp (WARPSIGHT_FRESH_DIR names another folder).

On each system, in this order:
- the tarball, where nothing else is installed; once more after it was moved to another folder;
- with Python installed, the wheel in an environment of its own;
- the .deb with apt-get.
Each must report on a recording, show it in the viewer, say why `true` cannot be recorded without a GPU, record a
Python program's marks where there is Python, leave the environment of programs as it is, and leave nothing behind.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

import bare_system

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY / "packaging"))

import elf  # noqa: E402

DISK_NEEDED = 2 << 30
TRACE = REPOSITORY / "tests/data/h200/gpt2_bf16.pt.trace.json.gz"
SECONDS_TO_SERVE = 60
# What changes by itself, and what apt-get and dpkg know of packages.
VOLATILE = re.compile(r"^/(proc|sys|dev|run|tmp|root/\.cache|var/(cache|log|tmp)|var/lib/(apt|dpkg)|etc/ld\.so\.cache)(/|$)")
# A program whose marks the agent records without a GPU.
MARKS = """
import warpsight
for i in range(3):
    warpsight.step(i)
    with warpsight.annotate("a mark"):
        pass
"""
READ = """
import sys, warpsight
with warpsight.open(sys.argv[1]) as profile:
    print(profile.summary()["kernels"], len(profile.table("kernels")), profile.advice()[0]["rule"])
"""


class Failure(Exception):
    pass


def say(text):
    print(f"[package test] {text}", flush=True)


def need(condition, text):
    if not condition:
        raise Failure(text)


class System:
    """A bare system, and what its user types."""

    def __init__(self, root, release, proxies):
        self.root, self.release = root, release
        self.environment = {**bare_system.plain_environment(proxies), "DEBIAN_FRONTEND": "noninteractive",
                            "PYTHONDONTWRITEBYTECODE": ""}

    def command(self, command):
        return bare_system.command_inside(self.root, self.environment, command)

    def run(self, command, status=0):
        """What a command prints; a Failure where it ends with another status."""
        done = subprocess.run(self.command(command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        need(done.returncode == status, f"{command}: exit status {done.returncode}\n{done.stdout[-2000:]}")
        return done.stdout

    def files(self):
        """All paths that do not change by themselves."""
        found = set()
        for folder, folders, names in os.walk(self.root):
            inside = "/" + os.path.relpath(folder, self.root).lstrip(".")
            inside = inside.replace("//", "/").rstrip("/")
            folders[:] = [name for name in folders if not VOLATILE.match(f"{inside}/{name}")]
            found.update(f"{inside}/{name}" for name in folders + names)
        return found

    def viewer_problem(self, program, trace):
        """Serves the trace and opens its page; what is wrong, or None."""
        process = subprocess.Popen(self.command(f"{program} view {trace}"), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        # Ends the reading below, if the viewer prints nothing.
        signal.signal(signal.SIGALRM, lambda *_: process.kill())
        signal.alarm(SECONDS_TO_SERVE)
        seen = b""
        try:
            for line in process.stdout:
                seen += line
                address = bare_system.VIEWER_URL.search(line)
                if address:
                    return bare_system.page_problem(address.group().decode())
            return f"the viewer printed no address: {seen.decode(errors='replace')[-500:]}"
        finally:
            signal.alarm(0)
            process.kill()  # takes the namespace's processes along
            process.wait()


def use(system, program, version, python=None):
    """What every installed package must do. Returns the seconds until the first report was there."""
    started = time.monotonic()
    report = system.run(f"{program} report /root/trace.json.gz")
    seconds = time.monotonic() - started
    need("Most time" in report, f"an unexpected report: {report[:500]}")
    printed = system.run(f"{program} --version")
    need(printed.startswith(f"warpsight {version}"), f"--version printed {printed!r}")
    problem = system.viewer_problem(program, "/root/trace.json.gz")
    need(problem is None, problem)
    printed = system.run(f"{program} profile -o /tmp/true.warpsight -- true")
    need("no NVIDIA driver was found" in printed, f"recording `true` printed {printed!r}")
    variables = system.run(f"{program} profile -o /tmp/env.warpsight -- env")
    need(not re.search("^LD_", variables, re.MULTILINE), f"programs get variables of the loader: {variables}")
    if python:
        (system.root / "tmp/marks.py").write_text(MARKS, encoding="utf-8")
        system.run(f"{program} profile -q -o /tmp/marks.warpsight -- {python} /tmp/marks.py")
        query = "SELECT count(*) AS n FROM annotations WHERE name = 'a mark'"
        counted = system.run(f"{program} query --format csv /tmp/marks.warpsight \"{query}\"")
        need(counted.split() == ["n", "3"], f"3 marks were recorded as {counted!r}")
    return seconds


def read_in_python(system, python):
    """The module reads the recording as the program does."""
    (system.root / "tmp/read.py").write_text(READ, encoding="utf-8")
    # Not from the folder of the script, and not with what a user's variables name.
    printed = system.run(f"{python} /tmp/read.py /root/trace.json.gz")
    need(printed.split() == ["2928", "2928", "cuda-graphs"], f"import warpsight read {printed!r}")


def left_behind(system, before):
    """Ends the test with a Failure if there are files that were not there before."""
    left = sorted(system.files() - before)
    need(not left, "left behind: " + " ".join(left[:20]))


def check_tarball(system, package, version):
    before = system.files()
    name = package.name.removesuffix(".tar.xz")
    started = time.monotonic()
    with tarfile.open(package) as archive:  # here, since a bare system has no xz
        archive.extractall(system.root / "opt")
    installing = time.monotonic() - started
    first = use(system, f"/opt/{name}/bin/warpsight", version)
    (system.root / "srv/another place").mkdir()
    (system.root / "opt" / name).rename(system.root / "srv/another place/w")
    use(system, "'/srv/another place/w/bin/warpsight'", version)
    system.run("ln -s '/srv/another place/w/bin/warpsight' /usr/local/bin/warpsight")
    use(system, "warpsight", version)
    glibc = elf.newest_glibc([elf.Elf(path) for path in elf.elf_files(system.root / "srv")])
    system.run("rm -r '/srv/another place' /usr/local/bin/warpsight")
    left_behind(system, before)
    return installing, first, glibc


def check_wheel(system, package, version):
    system.run("python3 -m venv /opt/environment")
    shutil.copyfile(package, system.root / "root" / package.name)
    before = system.files()
    pip = "/opt/environment/bin/pip --disable-pip-version-check"
    started = time.monotonic()
    system.run(f"{pip} install --no-index /root/{package.name}")
    installing = time.monotonic() - started
    first = use(system, "/opt/environment/bin/warpsight", version, "/opt/environment/bin/python")
    read_in_python(system, "/opt/environment/bin/python")
    glibc = elf.newest_glibc([elf.Elf(path) for path in elf.elf_files(system.root / "opt")])
    system.run(f"{pip} uninstall -y warpsight")
    left_behind(system, before)
    system.run(f"rm -r /opt/environment /root/{package.name}")
    return installing, first, glibc


def check_deb(system, package, version):
    shutil.copyfile(package, system.root / "root" / package.name)
    before = system.files()
    started = time.monotonic()
    system.run(f"apt-get -qq install -y --no-install-recommends /root/{package.name}")
    installing = time.monotonic() - started
    first = use(system, "warpsight", version, "python3")
    read_in_python(system, "python3")
    glibc = elf.newest_glibc([elf.Elf(path) for path in elf.elf_files(system.root / "usr/lib/warpsight")])
    need("/usr/share/applications/warpsight.desktop" in system.run("dpkg -L warpsight").split(),
         "the package has no desktop entry")
    system.run("apt-get -qq purge -y --autoremove warpsight")
    left_behind(system, before)
    return installing, first, glibc


# In this order: each needs more of the system than the one before.
CHECKS = (("tarball", "warpsight-*.tar.xz", check_tarball), ("wheel", "warpsight-*.whl", check_wheel),
          ("deb", "warpsight_*.deb", check_deb))


def find_packages(folder):
    """Kind -> path of the packages to test."""
    found = {}
    for kind, pattern, _ in CHECKS:
        paths = sorted(folder.glob(pattern))
        if len(paths) > 1:
            sys.exit(f"[package test] {folder} has several packages of one kind: {paths[0].name}, {paths[1].name}")
        found.update({kind: path for path in paths})
    if not found:
        sys.exit(f"[package test] {folder} has no packages: run ./dev package")
    return found


def version_of(packages):
    return re.search(r"[-_](\d+\.\d+\.\d+)[-_]", next(iter(packages.values())).name).group(1)


def check_on(release, packages, folder, proxies, rows):
    """Tests all packages on one release; returns whether all went well."""
    root = folder / release
    say(f"making a bare {bare_system.system_name(release)} in {root}")
    bare_system.make_system(root, release, proxies)
    shutil.copyfile(TRACE, root / "root/trace.json.gz")
    system = System(root, release, proxies)
    well, has_python = True, False
    for kind, _, check in CHECKS:
        if kind not in packages:
            continue
        package = packages[kind]
        if kind != "tarball" and not has_python:
            say("installing Python")
            system.run("apt-get -qq update")
            system.run("apt-get -qq install -y --no-install-recommends python3-venv")
            has_python = True
        say(f"{package.name} on {bare_system.system_name(release)}")
        row = f"{bare_system.system_name(release):16} {kind:8} {package.stat().st_size / 1e6:6.1f} MB"
        try:
            installing, first, glibc = check(system, package, version_of(packages))
            rows.append(f"{row}  {installing:5.1f} s   {first:5.1f} s        {glibc:5}  passed")
        except Failure as failure:
            well = False
            say(f"{kind}: {failure}")
            rows.append(f"{row}  FAILED ({str(failure).splitlines()[0][:60]})")
    return well


def main():
    parser = argparse.ArgumentParser(prog="./dev package test", description=__doc__.split("\n\n")[0])
    parser.add_argument("releases", nargs="*", metavar="bookworm|trixie|noble")
    parser.add_argument("--keep", action="store_true", help="keep the systems' folder")
    parser.add_argument("--packages", type=Path, metavar="FOLDER",
                        default=REPOSITORY / os.environ.get("WARPSIGHT_BUILD_DIR", "build") / "packages")
    options = parser.parse_args()
    releases = options.releases or ["bookworm", "trixie"]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    packages = find_packages(options.packages)
    for release in releases:
        if not re.fullmatch("[a-z]+", release):
            parser.error("systems are named by their code names")
        bare_system.check_machine(bare_system.parent_folder(), release, DISK_NEEDED)
    proxies = bare_system.host_proxies()
    folder = Path(tempfile.mkdtemp(prefix="warpsight-packages-", dir=bare_system.parent_folder()))
    rows = [f"{'system':16} {'package':8} {'size':>9}  install   first report  GLIBC  result"]
    well = True
    try:
        for release in releases:
            well = check_on(release, packages, folder, proxies, rows) and well
            if not options.keep:
                bare_system.remove(folder / release)
        print("\n" + "\n".join(rows), flush=True)
        return 0 if well else 1
    except KeyboardInterrupt:
        return 130
    finally:
        if options.keep:
            say(f"the systems are kept in {folder}; remove them with: rm -rf --one-file-system {folder}")
        else:
            bare_system.remove(folder)


if __name__ == "__main__":
    sys.exit(main())
