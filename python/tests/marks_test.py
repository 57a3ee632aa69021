"""import warpsight: annotate, step, start, stop."""

import unittest

from recorded import RecordedTest


class MarksTest(RecordedTest):
    def test_annotate_is_a_range(self):
        self.run_python("""
            import warpsight
            with warpsight.annotate("outer"):
                with warpsight.annotate("Größe"):
                    pass
            """)
        self.assertEqual(["push 3 outer", "push 3 Größe", "pop 3", "pop 3"], self.told("push", "pop"))

    def test_annotate_ends_with_an_exception_and_lets_it_pass(self):
        self.run_python("""
            import warpsight
            try:
                with warpsight.annotate("fails"):
                    raise KeyError(1)
            except KeyError:
                pass
            """)
        self.assertEqual(["push 3 fails", "pop 3"], self.told("push", "pop"))

    def test_annotate_decorates_functions(self):
        output = self.run_python("""
            import warpsight
            @warpsight.annotate("double")
            def double(x):
                "Twice."
                return double(x - 1) + 2 if x > 1 else 2
            print(double(2), double.__name__, double.__doc__)
            """)
        self.assertEqual("4 double Twice.\n", output)
        self.assertEqual(["push 3 double"] * 2 + ["pop 3"] * 2, self.told("push", "pop"))

    def test_of_a_generator_each_part_is_a_range(self):
        output = self.run_python("""
            import warpsight
            @warpsight.annotate("load")
            def load():
                got = yield 1
                try:
                    yield got
                except ValueError:
                    yield "caught"
                return "end"
            def through():
                return (yield from load())
            running = through()
            print(next(running), running.send("sent"), running.throw(ValueError()))
            try:
                next(running)
            except StopIteration as end:
                print(end.value)
            closed = load()
            next(closed)
            closed.close()
            """)
        self.assertEqual("1 sent caught\nend\n", output)
        self.assertEqual(["push 3 load", "pop 3"] * 5, self.told("push", "pop"))

    def test_of_a_coroutine_each_part_is_a_range(self):
        output = self.run_python("""
            import asyncio, inspect, warpsight
            @warpsight.annotate("fetch")
            async def fetch(x):
                await asyncio.sleep(0.01)
                return x
            assert inspect.iscoroutinefunction(fetch)
            async def main():
                return await asyncio.gather(fetch(1), fetch(2))
            print(asyncio.run(main()))
            """)
        self.assertEqual("[1, 2]\n", output)
        self.assertEqual(["push 3 fetch", "pop 3"] * 4, self.told("push", "pop"))

    def test_steps_count_by_themselves(self):
        self.run_python("""
            import warpsight
            class Tensor:
                def __index__(self): raise AssertionError("waits for the GPU")
                __int__ = __index__
            warpsight.step(); warpsight.step(); warpsight.step(10); warpsight.step()
            warpsight.step(2 ** 40); warpsight.step(Tensor())
            """)
        numbers = [0, 1, 10, 11, 2 ** 40, 2 ** 40 + 1, -1]  # the last one ends with the program
        self.assertEqual(["step %d" % number for number in numbers], self.told("step"))

    def test_start_and_stop(self):
        self.run_python("import warpsight; warpsight.stop(); warpsight.start()")
        self.assertEqual(["attach", "stop", "start", "flush 1"], self.told())

    def test_nothing_happens_without_a_recording(self):
        code = """
            import warpsight
            def plain(): pass
            assert warpsight.annotate("x")(plain) is plain
            with warpsight.annotate("x"): warpsight.step(); warpsight.start(); warpsight.stop()
            """
        self.run_python(code, WARPSIGHT_CAPTURE=None)
        self.run_python(code, WARPSIGHT_AGENT=None)
        self.assertEqual([], self.told())

    def test_a_refusing_or_missing_agent_is_left_alone(self):
        code = """
            import warpsight
            with warpsight.annotate("x"): warpsight.step()
            """
        self.run_python(code, FAKE_AGENT_ATTACH="0")
        self.assertEqual([], self.told("push", "pop", "step"))
        self.run_python(code, WARPSIGHT_AGENT="/nonexistent/agent.so")


if __name__ == "__main__":
    unittest.main()
