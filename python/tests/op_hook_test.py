"""torch_ops.cpp is compiled once, and where that fails PyTorch's NVTX ranges take its place."""

import os
import unittest

from recorded import RecordedTest


class OpHookTest(RecordedTest):
    def how(self):
        """The last fact on how ops are recorded."""
        return [line for line in self.told("fact") if "torch_ops" in line][-1]

    def cached(self):
        folder = self.path("cache/warpsight")
        return sorted(name for name in os.listdir(folder) if name != "lock")

    def test_compiled_once(self):
        for _ in range(2):
            self.run_python("import torch", WARPSIGHT_OPTIONS="shapes,memory")
        self.assertEqual(1, len(self.compiled()))
        self.assertEqual(["hook %s 101" % self.agent] * 2, self.told("hook"))
        self.assertEqual("fact torch_ops=compiled", self.how())
        name, = self.cached()
        self.assertRegex(name, r"^torch-2\.99\.0\+fake-1-[0-9a-f]{20}\.so$")
        arguments = self.compiled()[0]
        for part in ("-std=c++17", "-O2", "-fPIC", "-shared", "-D_GLIBCXX_USE_CXX11_ABI=1",
                     "fake/torch/include", "torch/csrc/api/include", "warpsight/torch_ops.cpp"):
            self.assertIn(part, arguments)

    def test_several_processes_at_once_compile_once(self):
        processes = [self.start("import torch", FAKE_COMPILER_SLOW="0.5") for _ in range(4)]
        for process in processes:
            self.assertEqual(("", ""), process.communicate(timeout=60))
        self.assertEqual(1, len(self.compiled()))
        self.assertEqual(4, len(self.told("hook")))

    def test_another_source_is_compiled_again(self):
        self.run_python("import torch")
        source = os.path.join(self.python, "warpsight", "torch_ops.cpp")
        with open(source, "a") as file:
            file.write("// changed\n")
        self.run_python("import torch")
        self.assertEqual(2, len(self.compiled()))
        self.assertEqual(2, len(self.cached()))

    def test_a_damaged_library_is_compiled_again(self):
        self.run_python("import torch")
        with open(self.path("cache/warpsight/" + self.cached()[0]), "w") as file:
            file.write("not a library")
        self.run_python("import torch")
        self.assertEqual(2, len(self.compiled()))
        self.assertEqual("fact torch_ops=compiled", self.how())

    def test_without_cuda_headers_where_those_do_not_work(self):
        headers = self.path("cuda/include")
        os.makedirs(headers)
        open(os.path.join(headers, "cuda_runtime_api.h"), "w").close()
        for _ in range(2):
            self.run_python("import torch", CUDA_HOME=self.path("cuda"),
                            WARPSIGHT_OPTIONS="memory",
                            FAKE_COMPILER_FAILS_ON="WITH_CUDA_HEADERS")
        self.assertEqual(2, len(self.compiled()), "the second run takes what the first one made")
        self.assertIn("-DWARPSIGHT_WITH_CUDA_HEADERS -DWARPSIGHT_MEMORY", self.compiled()[0])
        self.assertIn(headers, self.compiled()[0])
        self.assertNotIn("CUDA", self.compiled()[1])
        self.assertEqual("fact torch_ops=compiled", self.how())

    def test_cuda_headers_only_for_memory(self):
        headers = self.path("cuda/include")
        os.makedirs(headers)
        open(os.path.join(headers, "cuda_runtime_api.h"), "w").close()
        self.run_python("import torch", CUDA_HOME=self.path("cuda"))
        self.assertNotIn("CUDA", self.compiled()[0])

    def test_one_that_cannot_be_loaded_leads_to_the_next(self):
        self.run_python("import torch", FAKE_COMPILER_UNLOADABLE_ON="c++17")
        self.assertEqual(2, len(self.compiled()))
        self.assertEqual("fact torch_ops=compiled", self.how())
        self.assertEqual(1, len(self.cached()))

    def test_newer_pytorch_is_compiled_as_newer_cpp(self):
        self.run_python("import torch", FAKE_COMPILER_FAILS_ON="c++17")
        self.assertIn("-std=c++20", self.compiled()[-1])
        self.assertEqual("fact torch_ops=compiled", self.how())

    def test_a_failing_compiler_leads_to_nvtx(self):
        self.run_python("""
            import torch
            profiler = torch.autograd.profiler
            assert profiler.calls == ["enable nvtx True"]
            with profiler.profile():
                assert profiler.enabled == "kineto"
            assert profiler.enabled == "nvtx"
            torch.nn.Module()()
            """, FAKE_COMPILER_FAILS_ON="-std")
        self.assertRegex(self.how(), r"^fact torch_ops=nvtx: .*error: this PyTorch is not like that$")
        self.assertEqual(["push 2 Module", "pop 2"], self.told("push", "pop"))
        self.assertEqual([], self.cached(), "nothing half-made is left")

    def test_shapes_only_where_asked_for(self):
        self.run_python("""
            import torch
            assert torch.autograd.profiler.calls == ["enable nvtx False"]
            """, FAKE_COMPILER_FAILS_ON="-std", WARPSIGHT_OPTIONS="")

    def test_no_compiler(self):
        self.run_python("import torch", CXX=None, PATH="/nonexistent")
        self.assertEqual("fact torch_ops=nvtx: no C++ compiler", self.how())

    def test_a_refusing_hook(self):
        self.run_python("import torch", FAKE_HOOK_RESULT="5")
        self.assertEqual("fact torch_ops=nvtx: the hook was refused (5)", self.how())

    def test_an_unwritable_cache(self):
        open(self.path("file"), "w").close()
        os.makedirs(self.path("tmp"))
        self.run_python("import torch", XDG_CACHE_HOME=self.path("file"), TMPDIR=self.path("tmp"))
        self.assertEqual("fact torch_ops=compiled", self.how())
        self.assertEqual([], os.listdir(self.path("tmp")))


if __name__ == "__main__":
    unittest.main()
