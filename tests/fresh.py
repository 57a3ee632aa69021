#!/usr/bin/env python3
"""Runs the README's commands as a new user does: on a bare system, from a clone of the current commit.

Usage: fresh.py [--keep] [bookworm|trixie|noble] [run|test]. The systems are Debian 12, Debian 13 and
Ubuntu 24.04. Without `run` or `test` both are run, in the README's order. Needs root, debootstrap, the package ubuntu-keyring for Ubuntu, and about 12 GB under
/var/tmp (WARPSIGHT_FRESH_DIR names another folder). The mirror, proxies and certificates are those of this machine's own configuration.

The system lives in a folder. Its mounts and processes are in namespaces that end with this program,
so nothing is left behind; the folder is removed unless a command failed or --keep is given.
"""

import argparse
import os
import pty
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
INSIDE = "/root/warpsight"
CERTIFICATES = "/etc/ssl/host-certificates.crt"
DISK_NEEDED = 12 << 30
# What debootstrap needs to know beyond Debian: it does not know every release of Ubuntu by name, but makes
# them all in one way.
UBUNTU = ("noble",)
UBUNTU_MIRROR = "http://archive.ubuntu.com/ubuntu"
UBUNTU_SCRIPT = "gutsy"
UBUNTU_KEYRING = Path("/usr/share/keyrings/ubuntu-archive-keyring.gpg")
VIEWER_URL = re.compile(rb"http://localhost:\d+/\?token=[0-9a-f]+")
SUMMARY = re.compile(r"^\d+ passed, \d+ failed.*$", re.MULTILINE)


def say(text):
    print(f"[fresh] {text}", flush=True)


def output_of(*command):
    """What a command of this machine prints; nothing where it cannot be run."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def host_mirror(distribution):
    """The mirror of Debian or Ubuntu that this machine uses, or None."""
    lines = output_of("apt-get", "indextargets", "--format",
                      "$(ORIGIN)|$(LABEL)|$(COMPONENT)|$(REPO_URI)", "Created-By: Packages")
    for line in lines.splitlines():
        origin, label, component, uri = line.split("|")
        if (origin, label, component) == (distribution, distribution, "main"):
            return uri
    return None


def host_proxies():
    """Environment variables of proxies, from the environment and from apt's configuration."""
    found = {name: value for name, value in os.environ.items()
             if name.lower() in ("http_proxy", "https_proxy", "no_proxy", "ftp_proxy")}
    for scheme in ("http", "https"):
        setting = output_of("apt-config", "shell", "proxy", f"Acquire::{scheme}::Proxy")
        value = "".join(shlex.split(setting.partition("=")[2]))
        if value and value != "DIRECT":
            found.setdefault(f"{scheme}_proxy", value)
    return found


def host_npm():
    """Environment variables that give npm inside the settings it has outside."""
    found = {}
    for name in ("registry", "proxy", "https-proxy"):
        value = output_of("npm", "config", "get", name)
        if value not in ("", "null", "undefined"):
            found[f"npm_config_{name.replace('-', '_')}"] = value
    return found


def host_certificates():
    """The file of certificates that this machine trusts, or None."""
    for path in (os.environ.get("SSL_CERT_FILE"), "/etc/ssl/certs/ca-certificates.crt",
                 "/etc/pki/tls/certs/ca-bundle.crt"):
        if path and Path(path).is_file():
            return Path(path)
    return None


def check_machine(folder, release):
    if os.geteuid() != 0:
        sys.exit("[fresh] this needs root: sudo ./dev fresh")
    if not shutil.which("debootstrap"):
        sys.exit("[fresh] debootstrap was not found: apt-get install debootstrap")
    folder.mkdir(parents=True, exist_ok=True)
    if release in UBUNTU and not UBUNTU_KEYRING.is_file():
        sys.exit(f"[fresh] {UBUNTU_KEYRING} was not found: it is in the package ubuntu-keyring")
    free = shutil.disk_usage(folder).free
    if free < DISK_NEEDED:
        sys.exit(f"[fresh] {folder} has {free >> 30} GB free, {DISK_NEEDED >> 30} GB are needed: "
                 "WARPSIGHT_FRESH_DIR names another folder")


def system_name(release):
    return f"{'Ubuntu' if release in UBUNTU else 'Debian'} {release}"


def debootstrap_command(root, release):
    if release in UBUNTU:
        mirror = host_mirror("Ubuntu") or UBUNTU_MIRROR
        return ["debootstrap", "--variant=minbase", "--components=main,universe",
                f"--keyring={UBUNTU_KEYRING}", release, str(root), mirror, UBUNTU_SCRIPT]
    # Without a mirror, debootstrap takes its own default.
    return ["debootstrap", "--variant=minbase", release, str(root), *filter(None, [host_mirror("Debian")])]


def make_system(root, release, proxies):
    with open(root.parent / "debootstrap.log", "wb") as log:
        done = subprocess.run(debootstrap_command(root, release), stdout=log, stderr=log,
                              env={**os.environ, **proxies}, check=False)
    if done.returncode != 0:
        sys.stdout.write((root.parent / "debootstrap.log").read_text(errors="replace")[-3000:])
        sys.exit(f"[fresh] debootstrap could not make {system_name(release)}")
    for name in ("resolv.conf", "hosts"):
        if Path("/etc", name).is_file():
            shutil.copyfile(Path("/etc", name), root / "etc" / name)
    own = Path("/usr/local/share/ca-certificates")
    if own.is_dir():  # taken in when the package ca-certificates is installed
        shutil.copytree(own, root / "usr/local/share/ca-certificates", dirs_exist_ok=True)
    certificates = host_certificates()
    if certificates:
        (root / CERTIFICATES[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(certificates, root / CERTIFICATES[1:])


def clone(root):
    """Clones the current commit into the system; returns its name."""
    git = ["git", "-c", "safe.directory=*"]
    environment = {**os.environ, "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory",
                   "GIT_CONFIG_VALUE_0": "*"}
    run = lambda *command: subprocess.run([*git, *command], cwd=REPOSITORY, env=environment, check=True,
                                          stdout=subprocess.PIPE, text=True).stdout.strip()
    commit = run("rev-parse", "HEAD")
    if run("status", "--porcelain"):
        say("changes that are not committed are left out")
    place = str(root) + INSIDE
    run("clone", "--quiet", "--no-local", "--no-checkout", str(REPOSITORY), place)
    run("-C", place, "checkout", "--quiet", "--detach", commit)
    return commit


def command_inside(root, environment, command):
    """A command line that runs `command` in the clone, with mounts and processes of its own."""
    mounts = " && ".join((
        f"mount -t proc proc {root}/proc",
        f"mount --rbind /sys {root}/sys",
        f"mount --rbind /dev {root}/dev"))
    variables = " ".join(shlex.quote(f"{name}={value}") for name, value in environment.items())
    inside = shlex.quote(f"cd {INSIDE} && exec {command}")
    return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c",
            f"{mounts} && exec chroot {root} env -i {variables} bash -c {inside}"]


def page_problem(address):
    """Opens the viewer's page as a browser does; what is wrong with it, or None."""
    # The first answer takes the token out of the address and sets a cookie.
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    try:
        with browser.open(address, timeout=20) as page:
            return None if b"<title>" in page.read() else "the viewer's page has no title"
    except OSError as error:
        return f"the viewer's page could not be opened: {error}"


class ViewerCheck:
    """Waits for the viewer's address in what `./dev run` prints, opens it, and ends the viewer."""

    def __init__(self):
        self.problem = "the viewer's address was not printed"
        self.seen = b""
        self.done = False

    def look_at(self, data, terminal):
        if self.done:
            return
        self.seen = (self.seen + data)[-4096:]
        address = VIEWER_URL.search(self.seen)
        if not address or not self.seen[address.end():address.end() + 1].isspace():
            return
        self.done = True
        self.problem = page_problem(address.group().decode())
        os.write(terminal, b"\x03")  # Ctrl-C


def run_command(arguments, log, watcher=None):
    """Runs on a terminal of its own, so that `./dev run` behaves as it does for a person. Prints and logs
    what the command prints. Returns its exit status."""
    child, terminal = pty.fork()
    if child == 0:
        # Shells start background jobs with Ctrl-C ignored, and the viewer would inherit that.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.execvp(arguments[0], arguments)
    try:
        while True:
            try:
                data = os.read(terminal, 1 << 16)
            except OSError:  # the terminal's other end was closed
                break
            if not data:
                break
            log.write(data)
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
            if watcher:
                watcher.look_at(data, terminal)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    except BaseException:
        os.kill(child, signal.SIGKILL)  # takes the namespace's processes along
        os.waitpid(child, 0)
        raise


def minutes(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_step(name, root, environment, log_path):
    """Runs `./dev NAME`; returns the summary's row and whether it went well."""
    say(f"./dev {name}")
    watcher = ViewerCheck() if name == "run" else None
    started, cpu = time.monotonic(), cpu_seconds()
    with open(log_path, "wb") as log:
        status = run_command(command_inside(root, environment, f"./dev {name}"), log, watcher)
    wall, cpu = time.monotonic() - started, cpu_seconds() - cpu
    problem = f"exit status {status}" if status else watcher and watcher.problem
    result = "report and viewer shown" if watcher else "no summary"
    if not watcher:
        summaries = SUMMARY.findall(log_path.read_text(errors="replace").replace("\r", ""))
        result = summaries[-1] if summaries else result
    return (f"./dev {name:5} {minutes(wall):>7} {minutes(cpu):>7}  "
            + (f"FAILED ({problem}); {result}" if problem else result)), not problem


def main():
    parser = argparse.ArgumentParser(prog="./dev fresh", description=__doc__.split("\n\n")[0])
    parser.add_argument("words", nargs="*", metavar="bookworm|trixie|noble|run|test")
    parser.add_argument("--keep", action="store_true", help="keep the system's folder")
    options = parser.parse_args()
    commands = [word for word in options.words if word in ("run", "test")]
    releases = [word for word in options.words if word not in ("run", "test")] or ["bookworm"]
    if len(releases) > 1 or not re.fullmatch("[a-z]+", releases[0]):
        parser.error("one release at a time, by its code name")
    release = releases[0]

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    place = Path(os.environ.get("WARPSIGHT_FRESH_DIR", "/var/tmp"))
    check_machine(place, release)
    proxies = host_proxies()
    logs = REPOSITORY / os.environ.get("WARPSIGHT_BUILD_DIR", "build") / "fresh"
    logs.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="warpsight-fresh-", dir=place))
    root = folder / release
    keep = options.keep
    try:
        say(f"making a bare {system_name(release)} in {root}")
        make_system(root, release, proxies)
        commit = clone(root)
        environment = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root",
            "TERM": os.environ.get("TERM", "dumb"), "LANG": "C.UTF-8", "CCACHE_DISABLE": "1",
            **proxies, **host_npm()}
        if (root / CERTIFICATES[1:]).exists():
            environment |= {"NODE_EXTRA_CA_CERTS": CERTIFICATES, "npm_config_cafile": CERTIFICATES}
        rows = [f"{system_name(release)}, {commit[:12]}, {os.cpu_count()} cores, no compiler cache",
                f"{'command':11} {'wall':>7} {'CPU':>7}  result"]
        well = True
        for name in commands or ["run", "test"]:
            row, ok = run_step(name, root, environment, logs / f"{release}-{name}.log")
            rows.append(row)
            well = well and ok
        print("\n" + "\n".join(rows) + f"\nlogs: {logs}/{release}-*.log", flush=True)
        keep = keep or not well
        return 0 if well else 1
    except KeyboardInterrupt:
        say("interrupted")
        return 130
    finally:
        if keep:
            say(f"the system is kept: chroot {root}; remove it with: rm -rf --one-file-system {folder}")
        else:
            subprocess.run(["rm", "-rf", "--one-file-system", str(folder)], check=False)


if __name__ == "__main__":
    sys.exit(main())
