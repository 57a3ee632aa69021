"""Modules with attributes, and hooks on all of them."""

_before = {}
_after = {}
_always = set()


class _Handle:
    def __init__(self, hooks, hook):
        self.hooks, self.key = hooks, id(hook)
        hooks[self.key] = hook

    def remove(self):
        self.hooks.pop(self.key, None)


def register_module_forward_pre_hook(hook):
    return _Handle(_before, hook)


def register_module_forward_hook(hook, *, always_call=False):
    if always_call:
        _always.add(id(hook))
    return _Handle(_after, hook)


class Module:
    def __init__(self):
        self._modules = {}

    def __setattr__(self, name, value):
        if isinstance(value, Module):
            self._modules[name] = value
        object.__setattr__(self, name, value)

    def named_modules(self, prefix=""):
        yield prefix, self
        for name, module in self._modules.items():
            yield from module.named_modules(prefix + "." + name if prefix else name)

    def modules(self):
        return (module for _, module in self.named_modules())

    def __call__(self, *args):
        for hook in list(_before.values()):
            assert hook(self, args) is None
        try:
            result = self.forward(*args)
        except Exception:
            for key, hook in list(_after.items()):
                if key in _always:
                    hook(self, args, None)
            raise
        for hook in list(_after.values()):
            assert hook(self, args, result) is None
        return result

    def forward(self, *args):
        for module in list(self._modules.values()):
            module(*args)
