#!/usr/bin/env python3
"""Checks that recording does not affect a program's files: recording.py PROGRAM

Runs tests/files_program.py with and without a recording: it closes all descriptors in every usual
way and opens its own, forks and executes, becomes a daemon, gives up root's rights, and runs on a
disk that is almost full, with a limit on the size of files and with folders that it cannot write.
What it wrote is compared byte by byte, with names, owners and rights, and so is its output. Then a
profile must be there, or one sentence that says why not.
"""

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FILES_PROGRAM = os.path.join(os.path.dirname(HERE), "files_program.py")
SECONDS = 120
SMALL_DISK_BYTES = 16 << 20
SMALL_FILE_BYTES = 2 << 20


class Case:
    """A run of the program: its conditions, and the expected messages."""

    def __init__(self, mode, name=None, profile=True, says=None, root=False, disk=False,
                 no_room=False, file_limit=None, environment=None, output_folder=None,
                 refused=False):
        self.mode = mode
        self.name = name or mode
        self.profile = profile  # whether a profile must exist; None: either
        self.says = says        # a pattern on standard error
        self.root = root
        self.disk = disk        # it runs, and is recorded, on a small disk
        self.no_room = no_room  # it is recorded on a full disk
        self.file_limit = file_limit
        self.environment = environment or {}
        self.output_folder = output_folder
        self.refused = refused  # the program is not even started


NOTHING = "no profile was written, because nothing was recorded: "

CASES = [
    Case("closerange"),
    Case("close_range"),
    Case("everything"),
    Case("dup2"),
    Case("race"),
    Case("fork_exec"),
    Case("daemon_waited"),
    Case("daemon_forked"),
    Case("daemon_cuda"),
    Case("daemon", says=r"process \d+ of the program still runs: what it does after this "
                        "point is not recorded"),
    Case("setuid_after", root=True),
    Case("setuid_before", root=True, profile=False,
         says=NOTHING + r"the program dropped privileges .*65534"),
    Case("remove", profile=False, says=NOTHING + "the folder of the recording, .* was removed"),
    Case("much"),
    Case("much", "full_disk", root=True, disk=True, profile=None,
         says="could not be written any further|the disk is almost full|No space left"),
    Case("closerange", "no_room", root=True, no_room=True, profile=False,
         says=NOTHING + "nothing could be written to .*; is the disk full"),
    Case("much", "file_limit", file_limit=SMALL_FILE_BYTES, profile=None, says="File too large"),
    Case("closerange", "no_home", environment={"HOME": "/proc/none", "XDG_CACHE_HOME": "",
                                               "TMPDIR": "/proc/none"}),
    Case("closerange", "unwritable_output", output_folder="/proc", profile=False,
         says="cannot create the folder", refused=True),
]


def content(folder):
    """The properties of a folder's files that the program determined."""
    found = {}
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        status = os.lstat(path)
        with open(path, "rb") as file:
            found[name] = (status.st_mode, status.st_uid, status.st_gid, file.read())
    return found


def differences(plain, recorded):
    return ["%s: %s" % (name, "missing" if name not in recorded else
                        "new" if name not in plain else "different")
            for name in sorted(set(plain) | set(recorded))
            if plain.get(name) != recorded.get(name)]


class Runner:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.python = os.path.join(os.path.dirname(program), "lib", "python")

    def run(self, case, recorded, work, output):
        environment = dict(os.environ, PYTHONPATH=self.python, PYTHONDONTWRITEBYTECODE="1",
                           **case.environment)
        for name in ("CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "WARPSIGHT_AGENT"):
            environment.pop(name, None)
        command = [sys.executable, FILES_PROGRAM, case.mode]
        if recorded:
            command = [self.program, "profile", "-o", output, "--"] + command

        def prepare():
            if case.file_limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (case.file_limit, case.file_limit))

        return subprocess.run(command, cwd=work, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS,
                              check=False, preexec_fn=prepare)

    def work_folder(self, case, recorded):
        path = os.path.join(self.folder, case.name, "recorded" if recorded else "plain")
        os.makedirs(path)
        os.chmod(path, 0o777)  # for programs that change their user
        return path

    def check(self, case):
        """Runs a case; returns a list of problems."""
        plain = self.work_folder(case, False)
        recorded = self.work_folder(case, True)
        if case.disk or case.no_room:
            first, second, made = self.run_on_small_disk(case, plain, recorded)
        else:
            output = os.path.join(case.output_folder or os.path.join(self.folder, case.name),
                                  "run.warpsight")
            first = self.run(case, False, plain, None)
            second = self.run(case, True, recorded, output)
            made = os.path.exists(output)
        errors = second.stderr.decode("utf-8", "replace")
        problems = []
        if case.refused:
            if second.returncode != 2:
                problems.append("exit code %d" % second.returncode)
        else:
            self.wait_for_daemon(case, plain, recorded)
            problems = self.compare(first, second, made, content(plain), content(recorded))
        if case.profile is not None and made != case.profile:
            problems.append("a profile is %s" % ("there" if made else "missing"))
        if case.says and not re.search(case.says, errors):
            problems.append("it is not said: " + case.says)
        if problems:
            problems.append("\n".join(line for line in errors.splitlines()
                                      if not line.startswith(" "))[:3000])
        said = [line for line in errors.splitlines() if case.says and re.search(case.says, line)]
        print("  %-18s %s%s" % (case.name, "FAILED" if problems else "same files",
                                "; " + said[0].strip() if said else ""), flush=True)
        return problems

    def wait_for_daemon(self, case, *folders):
        import time

        end = time.monotonic() + 30
        while case.mode == "daemon" and time.monotonic() < end and not all(
                os.path.exists(os.path.join(folder, "done")) for folder in folders):
            time.sleep(0.05)

    def compare(self, first, second, made, plain, recorded):
        problems = ["the program's output differs"] if first.stdout != second.stdout else []
        # 1: the program succeeded, but no profile could be saved.
        allowed = [first.returncode] + ([] if made else [1])
        if second.returncode not in allowed:
            problems.append("exit code %d instead of %d" % (second.returncode, first.returncode))
        if not plain:
            problems.append("the program wrote nothing")
        own = {name: value for name, value in recorded.items() if not name.startswith("run")}
        return problems + differences(plain, own)

    def run_on_small_disk(self, case, plain, recorded):
        """Runs both on the small disk and copies the files out; returns both runs and whether a profile exists."""
        disk = os.path.join(self.folder, case.name, "disk")
        os.makedirs(disk)
        results = []
        for work, record in ((plain, False), (recorded, True)):
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%d" % SMALL_DISK_BYTES, "tmpfs",
                            disk], check=True)
            try:
                if case.no_room:
                    with open(os.path.join(disk, "filler"), "wb") as file:
                        file.write(bytes(SMALL_DISK_BYTES))
                results.append(self.run(case, record, disk if case.disk else work,
                                        os.path.join(disk, "run.warpsight")))
                made = os.path.exists(os.path.join(disk, "run.warpsight"))
                for name in os.listdir(disk) if case.disk else []:
                    path = os.path.join(disk, name)
                    if os.path.isfile(path):
                        shutil.copy2(path, work)
            finally:
                subprocess.run(["umount", disk], check=True)
        return results[0], results[1], made


def can_mount(folder):
    disk = os.path.join(folder, "probe")
    os.makedirs(disk, exist_ok=True)
    if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", disk], capture_output=True,
                      check=False).returncode != 0:
        return False
    subprocess.run(["umount", disk], check=True)
    return True


def main():
    program = os.path.abspath(sys.argv[1])
    if not os.path.exists(os.path.join(os.path.dirname(program), "lib", "libwarpsight_agent.so")):
        print("skipped: this warpsight was built without the agent")
        return 77
    root = os.geteuid() == 0
    failed = 0
    with tempfile.TemporaryDirectory(prefix="warpsight-torture-") as folder:
        os.chmod(folder, 0o755)
        runner = Runner(program, folder)
        for case in CASES:
            if case.root and not root:
                print("  %-18s skipped: needs root" % case.name)
            elif (case.disk or case.no_room) and not can_mount(folder):
                print("  %-18s skipped: cannot mount a small disk" % case.name)
            else:
                problems = runner.check(case)
                failed += bool(problems)
                for problem in problems:
                    print("    " + problem.replace("\n", "\n    "))
    print("%d of %d cases failed" % (failed, len(CASES)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
