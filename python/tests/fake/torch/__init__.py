"""As much of PyTorch as the recording touches, without any tensors."""

import types

__version__ = "2.99.0+fake"


class _C:
    _GLIBCXX_USE_CXX11_ABI = True
    tracing = False

    @staticmethod
    def _is_tracing():
        return _C.tracing


version = types.SimpleNamespace(git_version="0123456")

from torch import autograd, compiler, distributed, nn  # noqa: E402
