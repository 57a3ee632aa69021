"""Marks for programs recorded by `warpsight profile`, and profiles to read.

Marks do nothing in programs that are not recorded:

    import warpsight

    for i, batch in enumerate(loader):
        warpsight.step(i)
        with warpsight.annotate("forward"):
            loss = model(batch)

    @warpsight.annotate("evaluate")
    def evaluate(): ...

    warpsight.stop()     # nothing is recorded
    warpsight.start()    # until here

Profiles and traces (docs/python.md):

    profile = warpsight.open("run.warpsight")
    profile.sql("SELECT short_name, duration_ns FROM kernels ORDER BY 2 DESC LIMIT 5")
"""

import functools
import numbers
import types

from warpsight import _agent

# Without open, which would hide Python's own.
__all__ = ["Error", "annotate", "start", "step", "stop"]

_ANNOTATED = 3  # wire::RangeKind


class annotate:
    """A named range: `with annotate("name"):`, or `@annotate("name")` on a function.

    Of a generator or a coroutine the range covers the times when it runs, not those when it waits.
    """

    __slots__ = ("_name",)

    def __init__(self, name):
        self._name = str(name).encode("utf-8", "replace") if _agent.wanted else b""

    def __enter__(self):
        _agent.push(_ANNOTATED, self._name)
        return self

    def __exit__(self, *_):
        _agent.pop(_ANNOTATED)
        return False

    def __call__(self, function):
        if not _agent.wanted:
            return function
        import inspect  # slow to import, and needed here only

        if inspect.isasyncgenfunction(function):
            return function
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def annotated(*args, **kwargs):
                return await _coroutine_in_ranges(function(*args, **kwargs), self)

        elif inspect.isgeneratorfunction(function):

            @functools.wraps(function)
            def annotated(*args, **kwargs):
                return (yield from _in_ranges(function(*args, **kwargs), self))

        else:

            @functools.wraps(function)
            def annotated(*args, **kwargs):
                with self:
                    return function(*args, **kwargs)

        return annotated


def _in_ranges(generator, ranges):
    """Runs the generator, with a separate range each time it resumes."""
    resume, value = generator.send, None
    while True:
        try:
            with ranges:
                result = resume(value)
        except StopIteration as end:
            return end.value
        try:
            resume, value = generator.send, (yield result)
        except GeneratorExit:
            generator.close()
            raise
        except BaseException as error:
            resume, value = generator.throw, error


_coroutine_in_ranges = types.coroutine(_in_ranges)

_next_step = 0


def step(number=None):
    """The next iteration begins, with this number, or the one after the last."""
    global _next_step
    # Do not read a tensor's value: that would wait for the GPU.
    number = int(number) if isinstance(number, numbers.Integral) else _next_step
    _next_step = number + 1
    _agent.stepping = True
    _agent.step(number)


def start():
    """Recording goes on, after stop()."""
    _agent.start()


def stop():
    """Recording pauses."""
    _agent.stop()


class Error(Exception):
    """The program warpsight could not do what was asked; the message says why."""


def open(*paths):
    """A saved profile, or a trace, a folder or several files of one run: tables, SQL, reports, advice."""
    from warpsight import _profile

    return _profile.Profile(*paths)
