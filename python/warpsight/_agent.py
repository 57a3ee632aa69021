"""The agent's functions (agent/interface.h), or functions that do nothing if it is not loaded.

Functions never raise. Callers use them as attributes
of this module: the first use of a mark loads the agent. After a fork the agent ignores them, until
CUDA starts in the child and with it a recording.
"""

import os

MODULE = 2  # wire::RangeKind

# agent::StepSource
OPTIMIZER_STEP, MODULE_CALL, LOADER_NEXT = 1, 2, 4

# Whether this process is part of a recording: false once that turned out to be impossible.
wanted = bool(os.environ.get("WARPSIGHT_CAPTURE") and os.environ.get("WARPSIGHT_AGENT"))
# Whether it records.
active = False

library = None

# Whether an iteration has begun that is to end with the program.
stepping = False

# Facts reported about the process; in a forked child they are reported again, once it is known
# whether the child records: at its end.
_facts = {}
_forked = False


def _nothing(*_):
    return None


push = pop = step = start = stop = fact = conflict = flush = boundary = record_all = _nothing


class _Always:
    value = 1


# Its value is 0 in a clean stretch, in which nothing but boundaries needs to be told.
recording = _Always()


def _loading(name):
    """Stands for a function until it is first called."""

    def load_and_call(*args):
        attach()
        return globals()[name](*args)

    return load_and_call


if wanted:
    push, pop, step, start, stop = map(_loading, ("push", "pop", "step", "start", "stop"))


def path():
    return os.environ.get("WARPSIGHT_AGENT", "")


def options():
    """WARPSIGHT_OPTIONS as {"shapes": "", "delay": "1000", ...}."""
    words = os.environ.get("WARPSIGHT_OPTIONS", "").split(",")
    return dict(word.partition("=")[::2] for word in words if word)


def attach():
    """Loads the agent; whether this process records. Asking again costs nothing."""
    global active
    if active or not wanted:
        return active
    try:
        _bind()
        active = library.warpsight_attach() == 1
    except Exception:
        active = False
    if not active:
        forget()
    return active


def _bind():
    global library, push, pop, step, start, stop, fact, conflict, flush, boundary, record_all
    global recording
    import ctypes

    # PyDLL keeps the interpreter's lock, which is faster than giving it up and taking it again; so
    # do calls without argtypes (123 ns against 306 ns for a push): an int and bytes are passed as
    # they are.
    library = ctypes.PyDLL(path())
    functions = {}
    for name in ("range_push", "range_pop", "step", "start", "stop", "boundary", "record_all"):
        functions[name] = getattr(library, "warpsight_" + name)
        functions[name].restype = None
    functions["step"].argtypes = [ctypes.c_int64]
    library.warpsight_fact.restype = None
    library.warpsight_conflict.restype = None
    # This one may wait for the GPU, and other threads should not wait with it.
    waiting = ctypes.CDLL(path()).warpsight_flush
    waiting.restype = None

    push, pop = functions["range_push"], functions["range_pop"]
    step, start, stop = functions["step"], functions["start"], functions["stop"]
    boundary, record_all = functions["boundary"], functions["record_all"]
    library.warpsight_active.restype = ctypes.POINTER(ctypes.c_int)
    recording = library.warpsight_active().contents
    flush = waiting
    raw_fact, raw_conflict = library.warpsight_fact, library.warpsight_conflict

    def fact(key, value):
        _facts[key] = value
        raw_fact(_encoded(key), _encoded(value))

    def conflict(who, begins):
        raw_conflict(_encoded(who), 1 if begins else 0)


def short(problem):
    """An error as the text of a fact."""
    text = " ".join(str(problem).split()) or type(problem).__name__
    return text if len(text) <= 300 else text[:297] + "..."


def _encoded(text):
    return str(text).encode("utf-8", "replace")


def after_fork():
    """In the child. The agent is not loaded there by us: a loader's worker has nothing to record."""
    global stepping, _forked
    stepping, _forked = False, True
    if not active:
        forget()


def forget():
    """From here on nothing is recorded."""
    global wanted, active, library, push, pop, step, start, stop, fact, conflict, flush, boundary
    global record_all, recording
    wanted = active = False
    library = None
    push = pop = step = start = stop = fact = conflict = flush = boundary = record_all = _nothing
    recording = _Always()


def flush_if_loaded(last):
    """Also where it was CUDA, or NVTX, that loaded the agent, and not we."""
    if library is not None:
        if last and stepping:
            step(-1)
        if last and _forked:
            for key, value in list(_facts.items()):
                fact(key, value)
        flush(last)
        return
    if not path():
        return
    import ctypes

    try:
        loaded = ctypes.CDLL(path(), mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    except OSError:
        return
    loaded.warpsight_flush(last)
