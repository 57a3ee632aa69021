"""The hook on PyTorch's ops that comes with Warpsight: nothing is compiled on the user's machine.

libwarpsight_torch.so, beside the agent, is torch_ops.cpp compiled against declarations of our own,
with the memory layout of each released PyTorch that it knows. Before it sees any op of the program,
it reads a few ops that are called here; everything that it read must be what was called. They only
make views: they compute nothing, start no thread or device, and make no node of autograd. Only this
thread's ops are read, while it imports PyTorch: in another thread, whatever imports PyTorch waits
until that is over.
"""

import ctypes
import os
import struct

from warpsight import _agent

_LIBRARY = "libwarpsight_torch.so"

_MOST_TEXT = 128 * 1024

# c10::ScalarType, at::RecordScope.
_INTEGER, _HALF, _FLOAT, _DOUBLE = 3, 5, 6, 7
_FUNCTION, _USER_SCOPE = 0, 7


class Unusable(Exception):
    """Why another hook must be used."""


def install(torch):
    """None where ops are recorded, else why not."""
    try:
        hook = _load()
        _open(torch, hook)
        _compare(_probe(torch, hook))
        options = _agent.options()
        code = hook.warpsight_torch_install(_agent.path().encode(), int("shapes" in options),
                                            int("stacks" in options), 0)
        return None if code == 0 else "it was rejected (%d)" % code
    except Exception as error:
        return _agent.short(error)


def _load():
    path = os.path.join(os.path.dirname(os.path.abspath(_agent.path())), _LIBRARY)
    if not _agent.path() or not os.path.exists(path):
        raise Unusable("%s is missing" % _LIBRARY)
    return ctypes.CDLL(path)


def _open(torch, hook):
    hook.warpsight_torch_open.restype = ctypes.c_char_p
    problem = hook.warpsight_torch_open(str(torch.__version__).encode(),
                                        int(getattr(torch._C, "_GLIBCXX_USE_CXX11_ABI", True)))
    if problem is not None:
        raise Unusable(problem.decode("utf-8", "replace"))


def _probe(torch, hook):
    """What the hook read of the ops in _call, as lists of columns."""
    tensors = _make_tensors(torch)
    text = ctypes.create_string_buffer(_MOST_TEXT)
    with_gradients = torch.is_grad_enabled()
    hook.warpsight_torch_probe_begin()
    try:
        _call(torch, *tensors)
    finally:
        size = hook.warpsight_torch_probe_end(text, _MOST_TEXT)
        torch._C._set_grad_enabled(with_gradients)
    if size < 0:
        raise Unusable("its check failed")
    lines = text.raw[:size].decode("utf-8", "replace").splitlines()
    return [line.split("\t") for line in lines]


def _make_tensors(torch):
    # Seven dimensions are stored elsewhere than two; every stride differs from every size. A sparse
    # tensor has no strides.
    return (torch.empty((2, 3), dtype=torch.float64),
            torch.empty_strided((2, 1, 3, 1, 2, 1, 4), (71, 67, 23, 19, 11, 9, 5),
                                dtype=torch.float16),
            torch.empty((3,), dtype=torch.int32),
            torch.empty((6, 7), dtype=torch.float32, layout=torch.sparse_coo))


def _call(torch, plain, wide, row, sparse):
    """What _expected describes. No gradients: no sequence number."""
    functions = torch._C._VariableFunctions
    torch._C._set_grad_enabled(False)
    plain.as_strided((2, 2), (2, 1), 1)
    plain.as_strided((3,), (1,))
    plain.transpose(-1, -2)
    plain.to(torch.float64, non_blocking=True)
    functions.dropout(wide, 0.25, False)
    functions.dropout(sparse, 0.125, False)
    functions.broadcast_tensors([plain, row])
    scope = torch.autograd._record_function_with_args_enter("warpsight probe")
    torch.autograd._record_function_with_args_exit(scope)
    torch._C._set_grad_enabled(True)
    plain.view(6)
    plain.view(3, 2)


def _expected():
    """Name, scope, whether it has a sequence number, and the inputs of the ops to be found, in this
    order; what they call inside may be between them."""
    plain = _tensor(_DOUBLE, (2, 3), (3, 1))
    wide = _tensor(_HALF, (2, 1, 3, 1, 2, 1, 4), (71, 67, 23, 19, 11, 9, 5))
    sparse = _tensor(_FLOAT, (6, 7), (0, 0))
    both = plain[1:] + _tensor(_INTEGER, (3,), (1,))[1:]
    none, true, false = b"\0", b"\5\1", b"\5\0"
    return [
        ("aten::as_strided", _FUNCTION, False,
         plain + _integers(2, 2) + _integers(2, 1) + _integer(1)),
        ("aten::as_strided", _FUNCTION, False, plain + _integers(3) + _integers(1) + none),
        ("aten::transpose", _FUNCTION, False, plain + _integer(-1) + _integer(-2)),
        ("aten::to", _FUNCTION, False, plain + _integer(_DOUBLE) + true + false + none),
        ("aten::dropout", _FUNCTION, False, wide + _real(0.25) + false),
        ("aten::dropout", _FUNCTION, False, sparse + _real(0.125) + false),
        ("aten::broadcast_tensors", _FUNCTION, False, b"\2\2" + both),
        ("warpsight probe", _USER_SCOPE, False, b""),
        ("aten::view", _FUNCTION, True, plain + _integers(6)),
        ("aten::view", _FUNCTION, True, plain + _integers(3, 2)),
    ]


def _compare(found):
    """Raises Unusable where the hook read something else than was called."""
    last_handle = odd = 0
    remaining = iter(found)
    for name, scope, counted, inputs in _expected():
        for line in remaining:
            if line[0] == name:
                break
        else:
            raise Unusable("its check did not find %s" % name)
        if len(line) != 7 or "not readable" in line[1:]:
            raise Unusable("its check cannot read %s" % name)
        read_scope, sequence, next_sequence, forward_thread, handle = map(int, line[1:6])
        good_sequence = sequence == (next_sequence if counted else -1)
        if (read_scope != scope or not good_sequence or forward_thread != 0
                or handle <= last_handle or bytes.fromhex(line[6]) != inputs):
            raise Unusable("its check read %s as %s" % (name, " ".join(line[1:])))
        last_handle = handle
        odd |= handle & 1
    # They are counted by one; what is read beside them is a multiple.
    if not odd:
        raise Unusable("its check found no handles")


# The form of wire/op_inputs.h.


def _varint(value):
    result = bytearray()
    while value >= 0x80:
        result.append(value & 0x7F | 0x80)
        value >>= 7
    result.append(value)
    return bytes(result)


def _zigzag(value):
    return _varint(value * 2 if value >= 0 else -value * 2 - 1)


def _tensor(dtype, sizes, strides):
    return b"\1" + bytes([dtype]) + b"".join(map(_varint, (len(sizes), *sizes, *strides)))


def _integer(value):
    return b"\3" + _zigzag(value)


def _real(value):
    return b"\4" + struct.pack("<d", value)


def _integers(*values):
    return b"\6" + _varint(len(values)) + b"".join(map(_zigzag, values))
