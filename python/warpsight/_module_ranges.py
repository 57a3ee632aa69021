"""A range for every call of a module, named as its parent calls it: Model > layer1 > 0 > conv1."""

import functools
import sys
import weakref

from warpsight import _agent

# By id(): a dictionary with weak keys would take longer than the range itself. An entry goes with
# its module, before another object can have its id.
_names = {}
_references = {}
# Modules that were called without being part of another one, and the names of their calls, by id().
_roots = []
_call_names = {}
# How often to look through all roots for a module that was added to one after its first call.
_searches_left = 100
# The class whose calls are recorded, and how it was called before.
_replaced = []

_MOST_ROOTS = 32


def install(torch):
    """Takes the place of Module.__call__.

    PyTorch's own hooks for all modules would do as well, but with any of them every call of a module
    takes a slower way, several times as long as the range itself.
    """
    _replaced.append((torch.nn.Module, torch.nn.Module.__call__))
    torch.nn.Module.__call__ = _recorded(torch, torch.nn.Module.__call__)


def remove():
    while _replaced:
        kind, call = _replaced.pop()
        kind.__call__ = call


def _recorded(torch, call):
    """It runs for every call of every module: everything is looked up before."""
    push, pop, kind = _agent.push, _agent.pop, _agent.MODULE
    boundary, begins, recording = _agent.boundary, _agent.MODULE_CALL, _agent.recording
    name_of, call_names = _names.get, _call_names
    is_compiling = _is_compiling(torch)
    is_tracing = getattr(torch._C, "_is_tracing", None) or torch.jit.is_tracing

    @functools.wraps(call)
    def recorded(self, *args, **kwargs):
        # First, and alone: torch.compile reads this as `if True: return`.
        if is_compiling():
            return call(self, *args, **kwargs)
        key = id(self)
        if key in call_names:
            boundary(begins, call_names[key])
        # Asked in this order, since clean stretches should cost little.
        if not recording.value or is_tracing():
            return call(self, *args, **kwargs)
        push(kind, name_of(key) or _learn(self))
        try:
            return call(self, *args, **kwargs)
        finally:
            pop(kind)

    return recorded


def _is_compiling(torch):
    known = getattr(getattr(torch, "compiler", None), "is_compiling", None)
    if known is not None:
        return known

    def is_compiling():
        dynamo = sys.modules.get("torch._dynamo")
        return dynamo is not None and dynamo.is_compiling()

    return is_compiling


def _learn(module):
    """The name of a module that was not seen before; never empty."""
    global _searches_left
    name = None
    try:
        if _searches_left > 0 and _roots:
            _searches_left -= 1
            for reference in _roots:
                root = reference()
                if root is not None and any(part is module for part in root.modules()):
                    _name_parts(root)
                    break
        name = _names.get(id(module))
        if name is None:
            _add_root(module)
            name = _names.get(id(module))
    except Exception:
        pass
    return name or type(module).__name__.encode("utf-8", "replace")


def _add_root(module):
    # torch.compile's wrapper has the name of the wrapped module.
    original = getattr(module, "_orig_mod", None)
    _remember(module, type(module if original is None else original).__name__)
    _name_parts(module)
    _name_calls(module)
    _roots[:] = [reference for reference in _roots if reference() is not None]
    if len(_roots) < _MOST_ROOTS:
        _roots.append(weakref.ref(module))


def _name_parts(root):
    """Names the parts again: a module that was a root before is now known as a part."""
    parts = dict(root.named_modules())
    for path, part in parts.items():
        if part is root:
            continue
        _call_names.pop(id(part), None)
        above, _, name = path.rpartition(".")
        # Lists of modules are never called themselves: their names would be lost.
        while above and _is_list(parts.get(above)):
            above, _, list_name = above.rpartition(".")
            name = list_name + "." + name
        _remember(part, name)


def _name_calls(module):
    name = b"calls of " + _names[id(module)]
    same = sum(1 for known in _call_names.values() if known.split(b" #")[0] == name)
    _call_names[id(module)] = name + (b" #%d" % (same + 1) if same else b"")


def _is_list(module):
    return any(kind.__name__ in ("ModuleList", "ModuleDict") for kind in type(module).__mro__)


def _remember(module, name):
    key = id(module)
    if key not in _references:

        def forget(_, key=key):
            _names.pop(key, None)
            _call_names.pop(key, None)
            _references.pop(key, None)

        _references[key] = weakref.ref(module, forget)
    _names[key] = name.encode("utf-8", "replace")
