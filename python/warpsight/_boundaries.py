"""Boundaries between steps that need no op: optimizers and data loaders.

They are told in clean stretches, too, so they do as little as possible. Calls of modules are in
_module_ranges.
"""

import functools
import sys

from warpsight import _agent

# By id(): that of an optimizer that is gone may return for another one, which then has its name.
_names = {}
_MOST_NAMES = 100


def install(torch):
    optim = getattr(torch, "optim", None)
    if optim is not None:
        _watch_optimizers(optim)
    data = getattr(getattr(torch, "utils", None), "data", None)
    if data is not None:
        _watch_loaders(data)


def _watch_optimizers(optim):
    # The package deletes its attribute of that name.
    module = sys.modules.get(optim.__name__ + ".optimizer")
    register = getattr(module, "register_optimizer_step_post_hook", None)
    if register is not None:
        register(_optimizer_stepped)
    else:
        _watch_hooked(optim.Optimizer)


def _optimizer_stepped(optimizer, *_):
    _agent.boundary(_agent.OPTIMIZER_STEP, _names.get(id(optimizer)) or _name(optimizer))


def _name(optimizer):
    if len(_names) >= _MOST_NAMES:
        _names.clear()
    name = "Optimizer.step#" + type(optimizer).__name__
    same = sum(1 for known in _names.values() if known.split(b" ")[0] == name.encode())
    if same:
        name += " %d" % (same + 1)
    _names[id(optimizer)] = name.encode("utf-8", "replace")
    return _names[id(optimizer)]


def _watch_hooked(Optimizer):
    """PyTorch 1 has no such hooks; it replaces the step of each class once, as we do after it."""
    original = getattr(Optimizer, "_hook_for_profile", None)
    if original is None:
        return

    @functools.wraps(original)
    def hook(self):
        original(self)
        kind = type(self)
        if not getattr(kind.step, "_tells_boundaries", False):
            kind.step = _telling(kind.step)

    Optimizer._hook_for_profile = hook


def _telling(step):
    @functools.wraps(step)
    def told(self, *args, **kwargs):
        result = step(self, *args, **kwargs)
        _optimizer_stepped(self)
        return result

    told._tells_boundaries = True
    return told


def _watch_loaders(data):
    iterator = getattr(data.dataloader, "_BaseDataLoaderIter", None)
    if iterator is None:
        return
    original = iterator.__next__

    @functools.wraps(original)
    def following(self):
        _agent.boundary(_agent.LOADER_NEXT, b"the data loader's next")
        return original(self)

    iterator.__next__ = following
