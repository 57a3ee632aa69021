"""Modules with attributes."""


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
        return self.forward(*args)

    def forward(self, *args):
        for module in list(self._modules.values()):
            module(*args)
