"""As much of PyTorch as the recording touches, without any tensors."""

import types

__version__ = "2.99.0+fake"


float16, float32, float64, int32, sparse_coo = "float16", "float32", "float64", "int32", "sparse"


class _Tensor:
    def as_strided(self, *_, **__):
        return self

    transpose = to = view = as_strided


def empty(*_, **__):
    return _Tensor()


empty_strided = empty


def is_grad_enabled():
    return True


class _C:
    _GLIBCXX_USE_CXX11_ABI = True
    _VariableFunctions = types.SimpleNamespace(dropout=empty, broadcast_tensors=empty)
    tracing = False

    @staticmethod
    def _set_grad_enabled(_):
        pass

    @staticmethod
    def _is_tracing():
        return _C.tracing


version = types.SimpleNamespace(git_version="0123456")

from torch import autograd, compiler, distributed, nn, optim, utils  # noqa: E402
