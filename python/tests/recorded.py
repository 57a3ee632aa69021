"""Runs pieces of Python as a recorded program does, with stand-ins for the agent and PyTorch."""

import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = os.environ.get("WARPSIGHT_PYTHON") or os.path.dirname(HERE)


class RecordedTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.mkdtemp(prefix="warpsight-test-")
        cls.addClassCleanup(shutil.rmtree, cls.shared)
        cls.agent = os.path.join(cls.shared, "libfake_agent.so")
        subprocess.run([os.environ.get("CC") or "cc", "-shared", "-fPIC", "-o", cls.agent,
                        os.path.join(HERE, "fake_agent.c")], check=True)
        # A copy, so that the source of the hook is there and can be changed.
        cls.python = os.path.join(cls.shared, "python")
        shutil.copytree(PYTHON, cls.python, ignore=shutil.ignore_patterns("tests", "__pycache__"))
        with open(os.path.join(cls.python, "warpsight", "torch_ops.cpp"), "w") as file:
            file.write("// compiled by a stand-in\n")

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="warpsight-test-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.log = self.path("agent.log")
        self.compiler_log = self.path("compiler.log")

    def path(self, name):
        return os.path.join(self.folder, name)

    def environment(self, **changes):
        path = os.pathsep.join([self.python, os.path.join(HERE, "fake")])
        environment = dict(
            os.environ, PYTHONPATH=path, PYTHONDONTWRITEBYTECODE="1", WARPSIGHT_AGENT=self.agent,
            WARPSIGHT_CAPTURE=self.folder, WARPSIGHT_OPTIONS="shapes", FAKE_AGENT_LOG=self.log,
            FAKE_COMPILER_LOG=self.compiler_log, CXX=os.path.join(HERE, "fake_compiler.sh"),
            XDG_CACHE_HOME=self.path("cache"))
        environment.pop("CUDA_HOME", None)
        for name in ("RANK", "WORLD_SIZE"):
            environment.pop(name, None)
        for name, value in changes.items():
            if value is None:
                environment.pop(name, None)
            else:
                environment[name] = value
        return environment

    def start(self, code, options=(), **changes):
        return subprocess.Popen([sys.executable, *options, "-c", textwrap.dedent(code)],
                                env=self.environment(**changes), stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def run_python(self, code, exit_code=0, options=(), **changes):
        """Standard output. Nothing may be said on standard error."""
        process = self.start(code, options, **changes)
        output, errors = process.communicate(timeout=60)
        self.assertEqual("", errors)
        self.assertEqual(exit_code, process.returncode)
        return output

    def told(self, *kinds):
        """What the agent was told, of these kinds or all."""
        if not os.path.exists(self.log):
            return []
        with open(self.log, encoding="utf-8") as file:
            lines = [line.rstrip("\n").partition(" ")[2] for line in file]
        return [line for line in lines if not kinds or line.split()[0] in kinds]

    def compiled(self):
        if not os.path.exists(self.compiler_log):
            return []
        with open(self.compiler_log, encoding="utf-8") as file:
            return file.read().splitlines()
