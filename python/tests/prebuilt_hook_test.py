"""The prebuilt hook is used where its check reads what was called, and otherwise one is compiled."""

import os
import shutil
import subprocess
import sys
import unittest

from recorded import HERE, PYTHON, RecordedTest

# What the hook reads with PyTorch 1.13: name, scope, sequence number, the next one, forward thread,
# handle, inputs, with tabs between them. After the ops that were called are those that they call.
READ = """\
aten::as_strided|0|-1|0|0|1|0107020203030106020404060204020302
aten::as_strided|0|-1|0|0|2|0107020203030106010606010200
aten::transpose|0|-1|0|0|3|0107020203030103010303
aten::as_strided|0|-1|0|0|4|01070202030301060206040602020600
aten::to|0|-1|0|0|5|01070202030301030e0501050000
aten::dropout|0|-1|0|0|6|01050702010301020104474317130b090504000000000000d03f0500
aten::dropout|0|-1|0|0|7|0106020607000004000000000000c03f0500
aten::broadcast_tensors|0|-1|0|0|8|020207020203030103010301
aten::expand|0|-1|0|0|9|0103010301060204060500
aten::as_strided|0|-1|0|0|10|0103010301060204060602000200
warpsight probe|7|-1|0|0|11|
aten::view|0|0|0|0|12|0107020203030106010c
aten::view|0|0|0|0|13|0107020203030106020604
""".replace("|", "\t")


class PrebuiltHookTest(RecordedTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = os.path.join(cls.shared, "installed")
        os.mkdir(folder)
        cls.agent = shutil.copy(cls.agent, folder)
        subprocess.run([os.environ.get("CC") or "cc", "-shared", "-fPIC", "-o",
                        os.path.join(folder, "libwarpsight_torch.so"),
                        os.path.join(HERE, "fake_prebuilt_hook.c")], check=True)

    def record(self, **changes):
        """The facts that were noted about the hook."""
        changes.setdefault("FAKE_PROBE", READ)
        self.run_python("import torch", **changes)
        lines = [line[len("fact "):].split("=", 1) for line in self.told("fact")]
        return {key: value for key, value in lines if key in ("torch_ops", "prebuilt_hook")}

    def test_used_where_its_check_passes(self):
        self.assertEqual({"torch_ops": "prebuilt"}, self.record(WARPSIGHT_OPTIONS="shapes,stacks"))
        self.assertEqual(["open 2.99.0+fake 1"], self.told("open"))
        self.assertEqual(["prebuilt %s 110" % self.agent], self.told("prebuilt"))
        self.assertEqual([], self.compiled())
        self.assertFalse(os.path.exists(self.path("cache")), "no compiler and no cache is needed")

    def test_needs_no_compiler(self):
        self.assertEqual({"torch_ops": "prebuilt"}, self.record(CXX=None, PATH="/nonexistent"))

    def test_an_unknown_version_is_compiled_for(self):
        self.assertEqual({"torch_ops": "compiled", "prebuilt_hook": "it does not know PyTorch 9"},
                         self.record(FAKE_OPEN_PROBLEM="it does not know PyTorch 9"))
        self.assertEqual([], self.told("prebuilt"))
        self.assertEqual(1, len(self.compiled()))

    def test_a_refusing_hook(self):
        self.assertEqual({"torch_ops": "compiled", "prebuilt_hook": "it was rejected (2)"},
                         self.record(FAKE_PREBUILT_RESULT="2"))

    def test_without_its_library(self):
        agent = shutil.copy(self.agent, self.folder)
        self.assertEqual(
            {"torch_ops": "compiled", "prebuilt_hook": "libwarpsight_torch.so is missing"},
            self.record(WARPSIGHT_AGENT=agent))

    def test_a_library_that_cannot_be_loaded(self):
        agent = shutil.copy(self.agent, self.folder)
        with open(self.path("libwarpsight_torch.so"), "w") as file:
            file.write("not a library")
        facts = self.record(WARPSIGHT_AGENT=agent)
        self.assertEqual("compiled", facts["torch_ops"])
        self.assertRegex(facts["prebuilt_hook"], "libwarpsight_torch.so: ")

    def test_neither(self):
        facts = self.record(FAKE_OPEN_PROBLEM="it does not know PyTorch 9", CXX=None,
                            PATH="/nonexistent")
        self.assertEqual({"torch_ops": "nvtx: no C++ compiler",
                          "prebuilt_hook": "it does not know PyTorch 9"}, facts)

    def test_memory_is_for_the_compiled_one(self):
        facts = self.record(WARPSIGHT_OPTIONS="shapes,memory")
        self.assertEqual({"torch_ops": "compiled", "prebuilt_hook": "it does not record memory"},
                         facts)
        self.assertEqual([], self.told("open"))

    def test_ops_without_memory_where_nothing_can_be_compiled(self):
        facts = self.record(WARPSIGHT_OPTIONS="shapes,memory", CXX=None, PATH="/nonexistent")
        self.assertEqual("prebuilt", facts["torch_ops"])
        self.assertEqual(["prebuilt %s 100" % self.agent], self.told("prebuilt"))

    def test_one_can_be_chosen(self):
        self.assertEqual("compiled", self.record(WARPSIGHT_TORCH_HOOK="compiled")["torch_ops"])
        self.assertEqual([], self.told("open"))
        facts = self.record(WARPSIGHT_TORCH_HOOK="prebuilt", WARPSIGHT_OPTIONS="memory")
        self.assertEqual("prebuilt", facts["torch_ops"])
        facts = self.record(WARPSIGHT_TORCH_HOOK="prebuilt", FAKE_OPEN_PROBLEM="no")
        self.assertEqual({"torch_ops": "nvtx: WARPSIGHT_TORCH_HOOK is 'prebuilt'",
                          "prebuilt_hook": "no"}, facts)

    def test_a_check_that_ends_in_an_error(self):
        facts = self.record(FAKE_PROBE=None)
        self.assertEqual({"torch_ops": "compiled", "prebuilt_hook": "its check failed"}, facts)


class CompareTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        sys.path.insert(0, PYTHON)
        from warpsight import _prebuilt_hook

        cls.hook = _prebuilt_hook

    def compare(self, text):
        self.hook._compare([line.split("\t") for line in text.splitlines()])

    def test_what_was_called(self):
        self.compare(READ)
        self.compare("aten::other\tnot readable\n" + READ + "aten::other\t0\n")

    def test_every_number_and_every_input_counts(self):
        lines = READ.splitlines()
        inside = [3, 8, 9]  # of transpose and of broadcast_tensors
        for i in set(range(len(lines))) - set(inside):
            columns = lines[i].split("\t")
            for column, value in ((1, "1"), (2, "77"), (4, "1"), (5, "0"), (6, "00" + columns[6]),
                                  (6, columns[6][2:] or "01"), (6, "not readable")):
                changed = columns[:column] + [value] + columns[column + 1:]
                text = "\n".join(lines[:i] + ["\t".join(changed)] + lines[i + 1:])
                with self.subTest(line=i, column=column, value=value):
                    self.assertRaises(self.hook.Unusable, self.compare, text)
            with self.subTest(without=i):
                self.assertRaises(self.hook.Unusable, self.compare,
                                  "\n".join(lines[:i] + lines[i + 1:]))
        self.assertRaises(self.hook.Unusable, self.compare, "")

    def test_handles_that_are_multiples(self):
        lines = [line.split("\t") for line in READ.splitlines()]
        for line in lines:
            line[5] = str(int(line[5]) << 8)
        self.assertRaises(self.hook.Unusable, self.hook._compare, lines)


if __name__ == "__main__":
    unittest.main()
