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
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import bare_system

REPOSITORY = Path(__file__).resolve().parent.parent
INSIDE = "/root/warpsight"
DISK_NEEDED = 12 << 30
SUMMARY = re.compile(r"^\d+ passed, \d+ failed.*$", re.MULTILINE)


def say(text):
    print(f"[fresh] {text}", flush=True)


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
        address = bare_system.VIEWER_URL.search(self.seen)
        if not address or not self.seen[address.end():address.end() + 1].isspace():
            return
        self.done = True
        self.problem = bare_system.page_problem(address.group().decode())
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
        status = run_command(bare_system.command_inside(root, environment, f"./dev {name}", INSIDE), log, watcher)
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
    place = bare_system.parent_folder()
    bare_system.check_machine(place, release, DISK_NEEDED)
    proxies = bare_system.host_proxies()
    logs = REPOSITORY / os.environ.get("WARPSIGHT_BUILD_DIR", "build") / "fresh"
    logs.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="warpsight-fresh-", dir=place))
    root = folder / release
    keep = options.keep
    try:
        say(f"making a bare {bare_system.system_name(release)} in {root}")
        bare_system.make_system(root, release, proxies)
        commit = clone(root)
        environment = {**bare_system.plain_environment(proxies), "CCACHE_DISABLE": "1", **bare_system.host_npm()}
        if (root / bare_system.CERTIFICATES[1:]).exists():
            environment |= {"NODE_EXTRA_CA_CERTS": bare_system.CERTIFICATES,
                            "npm_config_cafile": bare_system.CERTIFICATES}
        rows = [f"{bare_system.system_name(release)}, {commit[:12]}, {os.cpu_count()} cores, no compiler cache",
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
            bare_system.remove(folder)


if __name__ == "__main__":
    sys.exit(main())
