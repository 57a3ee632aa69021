#!/usr/bin/env python3
"""The check that the prebuilt hook makes before it is used, with a real PyTorch: it passes with the
layout of this version, and with any one fact of it changed it neither passes nor crashes."""

import ctypes
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.environ["WARPSIGHT_PYTHON"])
sys.dont_write_bytecode = True

# In the order of changed_layout.cc: offsets of fields, then tags.
OFFSETS = ("scope", "sequence_nr", "inputs", "fwd_thread_id", "sizes_and_strides", "data_type",
           "list", "sizes_strides_policy")
TAGS = ("bool_tag", "list_tag")


def python_with_torch():
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import torch"], capture_output=True,
                          check=False).returncode == 0:
            return python
    return None


class ProbeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import torch
        from warpsight import _prebuilt_hook

        cls.torch, cls.module = torch, _prebuilt_hook
        cls.hook = ctypes.CDLL(os.environ["TORCH_CHANGED"])

    def check(self, fact=0, by=0):
        self.module._open(self.torch, self.hook)
        self.hook.warpsight_torch_change(fact, by)
        self.module._compare(self.module._probe(self.torch, self.hook))

    def test_the_layout_of_this_version(self):
        for _ in range(3):
            self.check()

    def test_a_wrong_offset_is_noticed(self):
        for fact, name in enumerate(OFFSETS):
            # Larger changes may leave the object, and what lies behind it may by chance be right.
            for by in (-16, -8, -4, -2, -1, 1, 2, 4, 8, 16):
                with self.subTest(name=name, by=by), self.assertRaises(self.module.Unusable):
                    self.check(fact, by)

    def test_a_wrong_tag_is_noticed(self):
        for fact, name in enumerate(TAGS, len(OFFSETS)):
            for by in (-4, -2, -1, 1, 2, 4):
                with self.subTest(name=name, by=by), self.assertRaises(self.module.Unusable):
                    self.check(fact, by)

    def test_layouts_of_other_versions_are_noticed(self):
        version = self.torch.__version__
        same = version.split(".")[:2]
        for other in ("1.13.0", "2.4.0", "2.9.0", "2.14.0"):
            if other.split(".")[:2] == same:
                continue
            try:
                self.torch.__version__ = other
                with self.subTest(other=other), self.assertRaises(self.module.Unusable):
                    self.check()
            finally:
                self.torch.__version__ = version

    def test_unknown_versions(self):
        version = self.torch.__version__
        for other in ("2.3.1", "2.99.0", "3.0.0", "2.6.0a0+gitabc", "2.6.0.dev20240901", "2.6",
                      "2.6.0rc1", "", "-2.6.0", "2.6.0 "):
            try:
                self.torch.__version__ = other
                with self.subTest(other=other), self.assertRaisesRegex(self.module.Unusable,
                                                                       "does not know"):
                    self.check()
            finally:
                self.torch.__version__ = version


if __name__ == "__main__":
    if sys.argv[-1] != "--here":
        found = python_with_torch()
        if found is None:
            print("no Python with PyTorch")
            sys.exit(77)
        sys.exit(subprocess.run([found, os.path.abspath(__file__), "--here"], check=False).returncode)
    unittest.main(argv=sys.argv[:1])
