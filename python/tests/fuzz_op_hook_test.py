"""Whatever the environment, the cache and the compiler say: nothing is raised, nothing waits, and no
file is loaded that this user did not make.

Runs for a second or so with the same seed; WARPSIGHT_FUZZ_SECONDS: so long, with a new one.
"""

import importlib
import os
import random
import shutil
import stat
import sys
import tempfile
import time
import types
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = os.environ.get("WARPSIGHT_PYTHON") or os.path.dirname(HERE)
SECONDS = float(os.environ.get("WARPSIGHT_FUZZ_SECONDS", "0"))
ROUNDS = 250
NOBODY = 65534
ROOT = os.geteuid() == 0
OURS = b"\x7fELF made by our compiler "


class LoadedForeignFile(BaseException):
    """Not an Exception: the hook must not be able to hide it."""


class Fuzz:
    """One random world: a torch, an environment, a cache that others filled, a compiler."""

    def __init__(self, seed, folder):
        self.random = random.Random(seed)
        self.folder = folder
        self.hook = importlib.import_module("warpsight._op_hook")
        self.loaded = 0
        self.names = []

    def text(self):
        kinds = ("", "2.1.0+cu121", "../../../etc", "a/b", "\0", "\n", "é", "\udcff", "x" * 5000,
                 "%s%d{}", "-o", "~", "/", ".", "$(touch x)", "'", '"')
        return "".join(self.random.choice(kinds) for _ in range(self.random.randrange(4)))

    def torch(self):
        version = types.SimpleNamespace(git_version=self.text())
        interface = types.SimpleNamespace()
        if self.random.random() < 0.8:
            interface._GLIBCXX_USE_CXX11_ABI = self.random.choice([True, False, 0, 1])
        return types.SimpleNamespace(__version__=self.text(), version=version, _C=interface,
                                     __file__=os.path.join(self.folder, "torch", "__init__.py"))

    def environment(self):
        plain = lambda: self.text().replace("\0", "").replace("\udcff", "")
        missing = os.path.join(self.folder, "missing")
        environment = {
            "PATH": self.random.choice([os.environ.get("PATH", ""), ".", "", plain()]),
            "HOME": self.random.choice([os.path.join(self.folder, "home"), missing, plain()]),
            "CXX": self.random.choice(["", "cc -O0", plain(), "'", "c++ " + plain()]),
            "WARPSIGHT_OPTIONS": self.random.choice(["shapes,memory", "=,=,,", plain()]),
            "WARPSIGHT_CAPTURE": self.random.choice([self.folder, missing, plain()]),
            "TMPDIR": self.random.choice([self.folder, missing, plain()]),
        }
        if self.random.random() < 0.7:
            environment["XDG_CACHE_HOME"] = self.random.choice(
                [os.path.join(self.folder, "cache")] * 4 + [plain(), os.path.join(missing, "x")])
        return environment

    def fill_cache(self, names):
        """With what others may have put there, also under the names that are looked for."""
        cache = os.path.join(self.folder, "cache", "warpsight")
        os.makedirs(cache, exist_ok=True)
        for name in names + ["lock", "build-1", self.text().replace("\0", "").replace("/", "")]:
            path = os.path.join(cache, name)
            if name in ("", ".", "..") or len(name.encode("utf-8", "replace")) > 200:
                continue
            try:
                self.put(path)
            except (OSError, UnicodeError):
                pass
        for path in (cache, os.path.dirname(cache)):
            os.chmod(path, self.random.choice([0o700] * 6 + [0o755, 0o775, 0o777, 0o1777]))
            if ROOT and self.random.random() < 0.15:
                os.chown(path, NOBODY, NOBODY)

    def put(self, path):
        kind = self.random.randrange(9)
        if os.path.lexists(path) and not os.path.isdir(path):
            os.unlink(path)
        if kind == 0:
            os.mkfifo(path)
        elif kind == 1:
            os.symlink(self.random.choice(["/etc/passwd", path, self.foreign()]), path)
        elif kind == 2:
            os.mkdir(path)
        elif kind == 3:
            os.link(self.foreign(), path)
        elif kind < 8:
            with open(path, "wb") as file:
                file.write(self.random.choice([b"", b"\x7fEL", b"\x7fELF", os.urandom(64)]))
            os.chmod(path, self.random.choice([0o777, 0o666, 0o720, 0o602, 0o000]))
            if ROOT:
                os.chown(path, NOBODY, NOBODY)
                os.chmod(path, self.random.choice([0o700, 0o755, 0o644]))

    def foreign(self):
        """A library that others can write to."""
        path = os.path.join(self.folder, "foreign.so")
        if not os.path.exists(path):
            with open(path, "wb") as file:
                file.write(b"\x7fELF foreign")
            os.chmod(path, 0o666)
        return path

    def compile(self, command, **_):
        """In place of subprocess.run."""
        output = command[command.index("-o") + 1] if "-o" in command else None
        what = self.random.randrange(8)
        if what == 0:
            raise OSError("no such compiler")
        if what == 1:
            raise self.hook.subprocess.TimeoutExpired(command, 1)
        if what >= 3 and output is not None:
            with open(output, "wb") as file:
                file.write(OURS)
            os.chmod(output, self.random.choice([0o755, 0o777, 0o600]))
        said = self.random.choice([b"", b"\xff\xfe error \0", b"x" * 100000, b"error\n" * 50])
        return types.SimpleNamespace(returncode=self.random.choice([0, 0, 0, 1, -11]), stdout=said)

    def load(self, name, mode=None):
        """In place of ctypes.CDLL."""
        status = os.stat(name)
        with open(name, "rb") as file:
            content = file.read()
        if (content != OURS or status.st_uid != os.geteuid()
                or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
            raise LoadedForeignFile(name, status, content[:40])
        self.loaded += 1
        if self.random.random() < 0.2:
            raise OSError("undefined symbol")
        code = self.random.choice([0, 0, 0, 5])
        return types.SimpleNamespace(warpsight_torch_install=lambda *_: code)

    def run(self):
        torch = self.torch()
        # Waiting for a lock that others hold is tested elsewhere.
        with mock.patch.dict(os.environ, self.environment(), clear=True), \
                mock.patch.object(self.hook.subprocess, "run", self.compile), \
                mock.patch.object(self.hook.ctypes, "CDLL", self.load), \
                mock.patch.object(self.hook, "_WAIT_SECONDS", 0.01), \
                mock.patch.object(self.hook.tempfile, "tempdir", None):
            for _ in range(2):  # the second time there is what the first one left
                names = []
                try:
                    names = [build.name for build in self.hook._builds(torch)]
                except Exception:  # install() deals with it
                    pass
                self.fill_cache(names if self.random.random() < 0.5 else [])
                hook, *reasons = self.hook.install(torch)
                assert hook == (None if reasons[1] else "compiled"), (hook, reasons)
                assert reasons[0] == "libwarpsight_torch.so is missing" or (
                    reasons[0] == "it does not record memory"), reasons
                assert reasons[1] is None or len(reasons[1]) <= 300, len(reasons[1])


class FuzzOpHook(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        sys.path.insert(0, PYTHON)
        cls.addClassCleanup(sys.path.remove, PYTHON)

    def rounds(self):
        seed = int(time.time()) if SECONDS else 1
        end = time.monotonic() + SECONDS
        count = 0
        while count < ROUNDS or time.monotonic() < end:
            yield seed + count
            count += 1

    def test_no_foreign_file_is_loaded(self):
        loaded = 0
        before = os.listdir("/proc/self/fd")
        for seed in self.rounds():
            folder = tempfile.mkdtemp(prefix="warpsight-fuzz-")
            here = os.getcwd()
            try:
                os.chdir(folder)
                with self.subTest(seed=seed):
                    fuzz = Fuzz(seed, folder)
                    fuzz.run()
                    loaded += fuzz.loaded
            finally:
                os.chdir(here)
                shutil.rmtree(folder, ignore_errors=True)
        self.assertGreater(loaded, ROUNDS / 20, "hardly anything got as far as loading")
        self.assertEqual(len(before), len(os.listdir("/proc/self/fd")), "descriptors are left open")

    def test_options_of_any_kind(self):
        agent = importlib.import_module("warpsight._agent")
        noise = random.Random(3)
        for _ in range(2000):
            text = "".join(noise.choice("a=,:\t é\udc80\\%") for _ in range(noise.randrange(20)))
            with mock.patch.dict(os.environ, {"WARPSIGHT_OPTIONS": text}):
                for name, value in agent.options().items():
                    self.assertIn(name, text)
                    self.assertIn(value, text)


if __name__ == "__main__":
    unittest.main()
