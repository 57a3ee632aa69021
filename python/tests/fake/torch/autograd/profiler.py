"""The three functions, and one profiler at a time, as in the real one."""

calls = []
enabled = None


class ProfilerState:
    NVTX = "nvtx"
    KINETO = "kineto"


class _ExperimentalConfig:
    pass


class ProfilerConfig:
    def __init__(self, state, shapes, memory, stack, flops, modules, experimental):
        self.state = state
        self.shapes = shapes


def _prepare_profiler(config, activities):
    calls.append("prepare " + config.state)


def _enable_profiler(config, activities):
    global enabled
    if enabled is not None:
        raise RuntimeError("Profiler is already enabled on this thread")
    enabled = config.state
    calls.append("enable %s %s" % (config.state, config.shapes))


def _disable_profiler():
    global enabled
    if enabled is None:
        raise RuntimeError("Can't disable Kineto profiler when it's not running")
    calls.append("disable " + enabled)
    enabled = None
    return "result"


class profile:
    def __init__(self):
        self.config = ProfilerConfig(ProfilerState.KINETO, True, 0, 0, 0, 0, _ExperimentalConfig())

    def __enter__(self):
        _prepare_profiler(self.config, {"CPU"})
        _enable_profiler(self.config, {"CPU"})
        return self

    def __exit__(self, *_):
        self.result = _disable_profiler()
