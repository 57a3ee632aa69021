"""PyTorch's own profiler beside ours.

It takes CUPTI's records for itself while it runs; the agent is told when, so that it can say so
and take over again. Where ops could not be hooked, its NVTX mode tells us about them.
"""

import functools

from warpsight import _agent

_WHO = "torch.profiler"

# Whether the agent knows about it, from its preparation on, and whether it is running.
_running = False
_enabled = False
# (start, stop) of the NVTX mode, where we need it, and whether it is on: there can be one profiler
# on a thread.
_nvtx = None
_nvtx_on = False


def install(torch):
    # torch.profiler and torch.autograd.profiler call them by these names.
    profiler = torch.autograd.profiler
    for name in ("_prepare_profiler", "_enable_profiler"):
        original = getattr(profiler, name, None)
        if original is not None:
            setattr(profiler, name, _beginning(original, name == "_enable_profiler"))
    if hasattr(profiler, "_disable_profiler"):
        profiler._disable_profiler = _ending(profiler._disable_profiler)


def _beginning(original, enables):
    @functools.wraps(original)
    def begin(*args, **kwargs):
        global _enabled
        if enables:
            _switch_nvtx(False)
        # Without activities it is the NVTX or ITT mode, which leaves CUPTI alone.
        if len(args) < 2 or args[1]:
            _set_running(True)
        try:
            result = original(*args, **kwargs)
        except BaseException:
            # One may be refused because another is running.
            if not _enabled:
                _set_running(False)
                _switch_nvtx(True)
            raise
        _enabled = _enabled or enables
        return result

    return begin


def _ending(original):
    @functools.wraps(original)
    def end(*args, **kwargs):
        global _enabled
        try:
            return original(*args, **kwargs)
        finally:
            _enabled = False
            _set_running(False)
            _switch_nvtx(True)

    return end


def _set_running(running):
    global _running
    if running == _running:
        return
    _running = running
    try:
        _agent.conflict(_WHO, running)
    except Exception:
        pass


def _switch_nvtx(on):
    global _nvtx_on
    if _nvtx is None or on == _nvtx_on:
        return
    try:
        _nvtx[0 if on else 1]()
        _nvtx_on = on
    except Exception:
        pass


def emit_nvtx(torch):
    """What emit_nvtx() does at its start, less its wait for the GPU, which would initialize CUDA."""
    global _nvtx
    profiler = torch.autograd.profiler
    shapes = "shapes" in _agent.options()
    enable = _unwrapped(profiler._enable_profiler)
    disable = _unwrapped(profiler._disable_profiler)

    def start():
        enable(_nvtx_config(profiler, shapes), set())

    _nvtx = (start, disable)
    _switch_nvtx(True)


def _unwrapped(function):
    return getattr(function, "__wrapped__", function)


def _nvtx_config(profiler, shapes):
    """The arguments grew with PyTorch's versions."""
    state = profiler.ProfilerState.NVTX
    fixed = [state, shapes, False, False]
    experimental = getattr(profiler, "_ExperimentalConfig", None)
    attempts = [fixed + [False, False], fixed + [False], fixed]
    if experimental is not None:
        attempts.insert(0, fixed + [False, False, experimental()])
    for arguments in attempts:
        try:
            return profiler.ProfilerConfig(*arguments)
        except TypeError:
            continue
    raise TypeError("ProfilerConfig is unknown")
