"""torch_ops.cpp is compiled once, and where that fails PyTorch's NVTX ranges take its place."""

import os
import subprocess
import unittest

from recorded import RecordedTest

NOBODY = 65534


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
        self.assertEqual("fact torch_ops=nvtx: the hook was rejected (5)", self.how())

    def test_an_unwritable_cache(self):
        open(self.path("file"), "w").close()
        os.makedirs(self.path("tmp"))
        self.run_python("import torch", XDG_CACHE_HOME=self.path("file"), TMPDIR=self.path("tmp"))
        self.assertEqual("fact torch_ops=compiled", self.how())
        self.assertEqual([], os.listdir(self.path("tmp")))

    def foreign_library(self):
        """One that says so when it is loaded, under the name that the hook has in the cache."""
        self.run_python("import torch")
        name, = self.cached()
        source = self.path("foreign.c")
        with open(source, "w") as file:
            file.write("""
                #include <stdio.h>
                #include <stdlib.h>
                __attribute__((constructor)) static void run(void) {
                  fclose(fopen("%s", "w"));
                }
                int warpsight_torch_install(const char* agent, int a, int b, int c) { return 0; }
                """ % self.path("foreign code ran"))
        library = self.path("foreign.so")
        subprocess.run([os.environ.get("CC") or "cc", "-shared", "-fPIC", "-o", library, source],
                       check=True)
        os.chmod(library, 0o755)
        return library, self.path("cache/warpsight/" + name)

    def assert_not_loaded(self, compiled):
        self.run_python("import torch")
        self.assertFalse(os.path.exists(self.path("foreign code ran")))
        self.assertEqual(compiled, len(self.compiled()))
        self.assertEqual("fact torch_ops=compiled", self.how())

    def test_one_that_others_can_write_is_not_loaded(self):
        for mode in (0o777, 0o775, 0o702):
            library, place = self.foreign_library()
            os.replace(library, place)
            os.chmod(place, mode)
            before = len(self.compiled())
            self.assert_not_loaded(before + 1)
            self.assertEqual(0o700, os.stat(place).st_mode & 0o777, "ours is in its place")

    def test_links_are_not_followed(self):
        library, place = self.foreign_library()
        os.unlink(place)
        os.symlink(library, place)
        self.assert_not_loaded(2)
        self.assertFalse(os.path.islink(place))

    def test_a_pipe_in_its_place_is_not_waited_for(self):
        _, place = self.foreign_library()
        os.unlink(place)
        os.mkfifo(place)
        self.assert_not_loaded(2)

    @unittest.skipIf(os.geteuid() != 0, "needs root")
    def test_a_library_of_another_user_is_not_loaded(self):
        library, place = self.foreign_library()
        os.replace(library, place)
        os.chown(place, NOBODY, NOBODY)
        self.assert_not_loaded(2)
        self.assertEqual(0, os.stat(place).st_uid)

    @unittest.skipIf(os.geteuid() != 0, "needs root")
    def test_a_cache_of_another_user_is_left_alone(self):
        library, place = self.foreign_library()
        os.replace(library, place)
        for folder in ("cache/warpsight", "cache"):
            os.chown(self.path(folder), NOBODY, NOBODY)
            self.assert_not_loaded(len(self.compiled()) + 1)
            self.assertEqual([os.path.basename(place)], self.cached())
            os.chown(self.path(folder), 0, 0)

    @unittest.skipIf(os.geteuid() != 0, "needs root")
    def test_nothing_is_made_in_the_home_of_another_user(self):
        """As with sudo, where it keeps HOME."""
        os.makedirs(self.path("home"))
        os.chown(self.path("home"), NOBODY, NOBODY)
        self.run_python("import torch", XDG_CACHE_HOME=None, HOME=self.path("home"))
        self.assertEqual([], os.listdir(self.path("home")))
        self.assertEqual("fact torch_ops=compiled", self.how())

    def test_folders_that_others_can_write(self):
        library, place = self.foreign_library()
        os.replace(library, place)
        os.chmod(self.path("cache"), 0o777)
        self.assert_not_loaded(2)
        # What is in /tmp can be added to by others, but not changed.
        os.chmod(self.path("cache"), 0o1777)
        os.unlink(place)
        self.assert_not_loaded(3)
        self.assert_not_loaded(3)

    def test_no_folder_that_can_be_trusted(self):
        os.chmod(self.folder, 0o777)
        os.makedirs(self.path("tmp"))
        self.run_python("import torch", TMPDIR=self.path("tmp"))
        self.assertEqual("fact torch_ops=nvtx: no folder that only this user can write to",
                         self.how())
        self.assertEqual([], os.listdir(self.path("tmp")))
        self.assertEqual([], self.compiled())

    def test_a_relative_cache_is_ignored(self):
        os.makedirs(self.path("home"))
        self.run_python("import os, torch; assert not os.path.exists('relative')",
                        XDG_CACHE_HOME="relative", HOME=self.path("home"))
        self.assertEqual(["warpsight"], os.listdir(self.path("home/.cache")))

    def test_a_cache_behind_a_link(self):
        os.makedirs(self.path("data"), mode=0o755)
        os.symlink(self.path("data"), self.path("link"))
        for _ in range(2):
            self.run_python("import torch", XDG_CACHE_HOME=self.path("link/cache"))
        self.assertEqual(1, len(self.compiled()))

    def test_the_compilers_own_files_are_private(self):
        self.run_python("import torch", TMPDIR="/nonexistent", FAKE_COMPILER_TELLS_TMPDIR="1")
        self.assertRegex(self.compiled()[0], "^" + self.path("cache/warpsight/build-"))
        self.assertEqual(1, len(self.cached()))

    def test_what_killed_processes_left_is_removed(self):
        left = self.path("cache/warpsight/build-left")
        os.makedirs(left, mode=0o700)
        os.chmod(self.path("cache/warpsight"), 0o700)
        os.utime(left, (1, 1))
        self.run_python("import torch")
        self.assertFalse(os.path.exists(left))

    def test_a_compiler_in_the_current_folder_is_not_run(self):
        os.makedirs(self.path("here"))
        for name in ("c++", "g++", "clang++"):
            with open(self.path("here/" + name), "w") as file:
                file.write("#!/bin/sh\n: >'%s'\n" % self.path("foreign code ran"))
            os.chmod(self.path("here/" + name), 0o755)
        self.run_python("import os; os.chdir(%r); import torch" % self.path("here"), CXX=None,
                        PATH=".")
        self.assertFalse(os.path.exists(self.path("foreign code ran")))
        self.assertEqual("fact torch_ops=nvtx: no C++ compiler", self.how())


if __name__ == "__main__":
    unittest.main()
