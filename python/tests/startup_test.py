"""sitecustomize: what happens at the start and at the end of a process."""

import os
import sys
import unittest

from recorded import HERE, RecordedTest


class StartupTest(RecordedTest):
    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def test_the_users_sitecustomize_runs_as_itself(self):
        self.write("sitecustomize.py", "import sys\nhere = __file__\nname = __name__\n"
                   "known = sys.modules['sitecustomize'].__dict__ is globals()\n")
        code = """
            import sitecustomize as s
            print(s.here, s.name, s.known)
            """
        path = os.pathsep.join([self.python, self.folder])
        for capture in (self.folder, None):
            output = self.run_python(code, PYTHONPATH=path, WARPSIGHT_CAPTURE=capture)
            self.assertEqual("%s sitecustomize True\n" % self.path("sitecustomize.py"), output)

    def test_an_error_in_it_is_reported_as_ever(self):
        self.write("sitecustomize.py", "raise ValueError('mine')\n")
        path = os.pathsep.join([self.python, self.folder])
        process = self.start("print('runs')", PYTHONPATH=path)
        output, errors = process.communicate(timeout=60)
        self.assertEqual("runs\n", output)
        self.assertIn("Error in sitecustomize", errors)
        self.assertIn("ValueError: mine", errors)

    def test_no_other_sitecustomize_is_fine(self):
        self.assertEqual("runs\n", self.run_python("print('runs')"))

    def test_python_options_that_keep_it_out(self):
        """What docs/profile.md says about -E, -I and -S."""
        code = """
            import sys
            print("warpsight._startup" in sys.modules, %r in sys.path)
            """ % self.python
        self.assertEqual("True True\n", self.run_python(code))
        # The folder is not on the path at all.
        self.assertEqual("False False\n", self.run_python(code, options=["-E"]))
        self.assertEqual("False False\n", self.run_python(code, options=["-I"]))
        # The folder is there, but nothing loads sitecustomize; marks of the program's own work.
        self.assertEqual("False True\n", self.run_python(code, options=["-S"]))
        self.run_python("import warpsight; warpsight.step()", options=["-S"])
        self.assertEqual(["attach", "step 0"], self.told())

    def test_plain_programs_do_not_load_the_agent(self):
        self.run_python("import json")
        self.assertEqual([], self.told())

    def test_what_is_imported_at_the_start_is_little(self):
        code = "import sys; print(*sys.modules)"
        added = (set(self.run_python(code).split()) -
                 set(self.run_python(code, PYTHONPATH=None, WARPSIGHT_CAPTURE=None).split()))
        for slow in ("ctypes", "inspect", "subprocess", "hashlib", "tempfile"):
            self.assertNotIn(slow, added)

    def test_the_end_is_told_where_cuda_loaded_the_agent(self):
        self.run_python("import ctypes, os; ctypes.CDLL(os.environ['WARPSIGHT_AGENT'])")
        self.assertEqual(["flush 1"], self.told())

    def test_the_end_is_told_before_os_exit(self):
        self.run_python("import os, warpsight; warpsight.step(); os._exit(7)", exit_code=7)
        self.assertEqual(["attach", "step 0", "step -1", "flush 1"], self.told())

    def test_a_forked_child_says_nothing(self):
        self.run_python("""
            import os, torch, warpsight
            from torch.nn import Module
            model = Module()
            model()
            child = os.fork()
            if child == 0:
                model()
                with warpsight.annotate("child"):
                    warpsight.step()
                os._exit(0)
            os.waitpid(child, 0)
            model()
            """)
        with open(self.log, encoding="utf-8") as file:
            processes = {line.split()[0] for line in file} - {"0"}
        self.assertEqual(1, len(processes))
        self.assertEqual(["push 2 Module", "pop 2"] * 2, self.told("push", "pop"))
        self.assertEqual(["flush 1"], self.told("flush"))

    def test_children_inherit_the_recording(self):
        self.run_python("""
            import multiprocessing, os, subprocess, sys
            before = dict(os.environ)
            import torch
            assert dict(os.environ) == before
            subprocess.run([sys.executable, "-c", "import torch"], check=True)
            """)
        self.assertEqual(2, len(self.told("attach")))
        self.assertEqual(2, len(self.told("flush")))

    def test_importing_torch_leaves_no_trace_in_the_import_system(self):
        self.run_python("""
            import sys
            before = len(sys.meta_path)
            import torch, importlib
            assert len(sys.meta_path) == before - 1
            assert type(torch.__loader__).__name__ == "SourceFileLoader"
            assert "exec_module" not in vars(torch.__loader__)
            importlib.reload(torch)
            """)

    def test_a_torch_that_cannot_be_imported_fails_as_ever(self):
        self.write("torch.py", "raise ImportError('broken torch')\n")
        path = os.pathsep.join([self.python, self.folder])
        self.run_python("""
            for _ in range(2):
                try:
                    import torch
                except ImportError as error:
                    assert str(error) == "broken torch", error
            """, PYTHONPATH=path)
        self.run_python("""
            try:
                import torch
            except ModuleNotFoundError as error:
                assert error.name == "torch"
            """, PYTHONPATH=self.python)

    def test_torch_is_not_imported_by_us(self):
        output = self.run_python("import sys, warpsight; warpsight.step(); print('torch' in sys.modules)")
        self.assertEqual("False\n", output)

    def test_the_fake_torch_is_used(self):
        output = self.run_python("import torch; print(torch.__file__)")
        self.assertTrue(output.startswith(os.path.join(HERE, "fake")), output)
        self.assertTrue(sys.version_info >= (3, 8))


if __name__ == "__main__":
    unittest.main()
