"""What is done to PyTorch: facts, modules, its own profiler."""

import unittest

from recorded import RecordedTest

_MODEL = """
    import torch
    from torch.nn import Module
    def module(**parts):
        result = Module()
        for name, part in parts.items():
            setattr(result, name, part)
        return result
    class Net(Module): pass
    class Block(Module): pass
    """


class TorchTest(RecordedTest):
    def run_model(self, code, **changes):
        import textwrap

        return self.run_python(textwrap.dedent(_MODEL) + textwrap.dedent(code), **changes)

    def ranges(self):
        return [line.replace("push 2 ", "").replace("pop 2", "pop")
                for line in self.told("push", "pop")]

    def test_facts(self):
        self.run_python("import torch", RANK="3", WORLD_SIZE="8")
        facts = dict(line[len("fact "):].split("=", 1) for line in self.told("fact"))
        self.assertEqual("2.99.0+fake", facts["torch"])
        self.assertRegex(facts["python"], r"^3\.\d+\.\d+")
        self.assertIn(" -c", facts["command"])
        self.assertEqual(("3", "8", "compiled"),
                         (facts["rank"], facts["world_size"], facts["torch_ops"]))
        self.assertNotIn("problem", facts)

    def test_the_process_group_says_more(self):
        self.run_python("""
            import torch.distributed as dist
            from torch.distributed.distributed_c10d import init_process_group
            assert init_process_group is dist.init_process_group
            dist.init_process_group("gloo", rank=1, world_size=2)
            """)
        self.assertEqual(["fact rank=1", "fact world_size=2", "fact backend=gloo"],
                         self.told("fact")[-3:])

    def test_nothing_is_installed_where_nothing_is_recorded(self):
        self.run_python("""
            import torch
            from torch.nn.modules import module
            assert module.Module.__call__.__qualname__ == "Module.__call__"
            assert torch.autograd.profiler._enable_profiler.__module__ == "torch.autograd.profiler"
            assert not hasattr(torch.autograd.profiler._enable_profiler, "__wrapped__")
            """, FAKE_AGENT_ATTACH="0")
        self.assertEqual(["attach", "flush 1"], self.told())

    def test_modules_are_named_by_their_parents(self):
        self.run_model("""
            net = Net()
            net.layer1 = Block()
            setattr(net.layer1, "0", Module())
            net.head = Module()
            net(); net()
            """)
        self.assertEqual(["Net", "layer1", "0", "pop", "pop", "head", "pop", "pop"] * 2,
                         self.ranges())

    def test_steps_of_optimizers_and_batches_are_boundaries(self):
        self.run_python("""
            import torch
            first, second = torch.optim.SGD(), torch.optim.SGD()
            for batch in iter(torch.utils.data.dataloader._BaseDataLoaderIter().__next__, None):
                first.step(); second.step()
                if batch == 0: break
            """)
        step = ["boundary 4 the data loader's next", "boundary 1 Optimizer.step#SGD",
                "boundary 1 Optimizer.step#SGD 2"]
        self.assertEqual(step * 2, self.told("boundary"))

    def test_optimizers_without_hooks(self):
        self.run_python("""
            import torch, functools
            from warpsight import _boundaries
            class Old:
                def __init__(self): self._hook_for_profile()
                def _hook_for_profile(self):  # as PyTorch 1 does it
                    kind = type(self)
                    if not getattr(kind.step, "hooked", False):
                        original = kind.step
                        kind.step = functools.wraps(original)(lambda *a, **k: original(*a, **k))
                        kind.step.hooked = True
            class Adam(Old):
                def step(self, closure=None): return closure
            _boundaries._watch_hooked(Old)
            one = Adam(); two = Adam()
            assert one.step(3) == 3 and one.step(closure=4) == 4
            """)
        self.assertEqual(["boundary 1 Optimizer.step#Adam"] * 2, self.told("boundary"))

    def test_only_outermost_modules_are_told_of_in_a_clean_stretch(self):
        code = """
            import ctypes
            from warpsight import _agent
            net = Net(); net.part = Block()
            net(); Block()()
            _agent.recording.value = 0
            net(); net()
            _agent.recording.value = 1
            net()
            """
        self.run_model(code)
        told = self.told("boundary", "push", "pop")
        net = ["push 2 Net", "push 2 part", "pop 2", "pop 2"]
        calls = "boundary 2 calls of Net"
        self.assertEqual(net + ["push 2 Block", "pop 2", calls, calls, calls] + net, told)

    def test_lists_of_modules_are_part_of_the_name(self):
        self.run_model("""
            class ModuleList(Module):
                def forward(self): raise NotImplementedError
            net = Net()
            net.blocks = ModuleList()
            setattr(net.blocks, "0", Block())
            getattr(net.blocks, "0").fc = Module()
            Net.forward = lambda self: getattr(self.blocks, "0")()
            net()
            """)
        self.assertEqual(["Net", "blocks.0", "fc", "pop", "pop", "pop"], self.ranges())

    def test_modules_that_come_later(self):
        self.run_model("""
            part = Block()
            part()                       # by itself
            net = Net(); net.part = part
            net()                        # now a part
            net.added = Module()
            net()                        # one more
            Block()()                    # one that is gone at once
            """)
        self.assertEqual(["Block", "pop", "Net", "part", "pop", "pop", "Net", "part", "pop", "added",
                          "pop", "pop", "Block", "pop"], self.ranges())

    def test_ids_of_modules_that_are_gone_are_forgotten(self):
        self.run_model("""
            from warpsight import _module_ranges
            for _ in range(200):
                net = Net(); net.part = Block(); net()
            del net
            assert not _module_ranges._names and not _module_ranges._references
            """)

    def test_a_compiled_module_is_called_what_it_wraps(self):
        self.run_model("""
            class OptimizedModule(Module):
                def forward(self): pass
            wrapper = OptimizedModule(); wrapper._orig_mod = Net()
            wrapper()
            """)
        self.assertEqual(["Net", "pop"], self.ranges())

    def test_exceptions_leave_ranges_balanced(self):
        self.run_model("""
            class Fails(Module):
                def forward(self): raise RuntimeError("mine")
            net = Net(); net.fails = Fails()
            try:
                net()
            except RuntimeError as error:
                assert str(error) == "mine"
            """)
        self.assertEqual(["Net", "fails", "pop", "pop"], self.ranges())

    def test_ctrl_c_leaves_ranges_balanced(self):
        self.run_model("""
            class Interrupted(Module):
                def forward(self): raise KeyboardInterrupt
            try:
                Interrupted()()
            except KeyboardInterrupt:
                pass
            """)
        self.assertEqual(["Interrupted", "pop"], self.ranges())

    def test_a_forked_child_says_nothing_until_cuda_starts_there(self):
        self.run_model("""
            import ctypes, os
            net = Net()
            child = os.fork()
            net()
            if child == 0:
                ctypes.CDLL(os.environ["WARPSIGHT_AGENT"]).fake_cuda_starts()
                Block()()
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
            """)
        self.assertEqual(["Block", "Net", "pop", "pop"], sorted(self.ranges()))
        facts = self.told("fact")
        self.assertEqual(2, facts.count("fact torch=2.99.0+fake"))
        self.assertEqual(2, facts.count("fact torch_ops=compiled"))
        self.assertEqual(["flush 1"] * 2, self.told("flush"))

    def test_nothing_while_compiling_or_tracing(self):
        self.run_model("""
            net = Net()
            torch.compiler.compiling = True
            net()
            torch.compiler.compiling = False
            torch._C.tracing = True
            net()
            """)
        self.assertEqual([], self.ranges())

    def test_modules_that_misbehave_are_called_all_the_same(self):
        self.run_model("""
            class Odd(Module):
                def named_modules(self, prefix=""): raise RuntimeError("no")
                def modules(self): raise RuntimeError("no")
                def forward(self): print("called")
            Odd()()
            """)
        self.assertEqual(["Odd", "pop"], self.ranges())

    def test_the_profiler_of_pytorch_is_announced(self):
        self.run_python("""
            import torch
            profiler = torch.autograd.profiler
            with profiler.profile() as p:
                assert profiler.enabled == "kineto"
            assert p.result == "result"
            assert profiler.calls == ["prepare kineto", "enable kineto True", "disable kineto"]
            """)
        self.assertEqual(["conflict torch.profiler 1", "conflict torch.profiler 0"],
                         self.told("conflict"))

    def test_its_nvtx_mode_is_not(self):
        self.run_python("""
            import torch
            profiler = torch.autograd.profiler
            config = profiler.ProfilerConfig("nvtx", False, 0, 0, 0, 0, None)
            profiler._enable_profiler(config, set())
            profiler._disable_profiler()
            """)
        self.assertEqual([], self.told("conflict"))

    def test_one_that_fails_to_start_is_over(self):
        self.run_python("""
            import torch
            profiler = torch.autograd.profiler
            profiler.enabled = "other"
            try:
                with profiler.profile(): pass
            except RuntimeError as error:
                assert "already enabled" in str(error)
            profiler.enabled = None
            with profiler.profile(): pass
            """)
        self.assertEqual(["1", "0", "1", "0"], [line[-1] for line in self.told("conflict")])

    def test_one_that_is_refused_beside_another_changes_nothing(self):
        self.run_python("""
            import torch
            profiler = torch.autograd.profiler
            with profiler.profile():
                try:
                    with profiler.profile(): pass
                except RuntimeError:
                    pass
            """)
        self.assertEqual(["1", "0"], [line[-1] for line in self.told("conflict")])


if __name__ == "__main__":
    unittest.main()
