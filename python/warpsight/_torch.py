"""Prepares a process that imported PyTorch: ops, modules, facts, and other profilers.

Each part is prepared by itself: one that fails leaves the others and the program alone.
"""

import os
import sys

from warpsight import _agent, _boundaries, _module_ranges, _op_hook, _profiler_watch


def install():
    if not _agent.attach():
        return
    torch = sys.modules["torch"]
    for part in (_note_facts, _watch_process_group, _profiler_watch.install, _install_ops,
                 _boundaries.install, _module_ranges.install):
        try:
            part(torch)
        except Exception as error:
            _agent.fact("problem", "%s: %s" % (part.__name__, error))


def _note_facts(torch):
    _agent.fact("torch", torch.__version__)
    _agent.fact("python", sys.version.split()[0])
    _agent.fact("command", _command())
    # What torchrun and most launchers tell their workers.
    for key, variable in (("rank", "RANK"), ("world_size", "WORLD_SIZE")):
        if os.environ.get(variable, "").isdigit():
            _agent.fact(key, os.environ[variable])


def _command():
    import shlex

    words = getattr(sys, "orig_argv", None) or [sys.executable or "python"] + list(sys.argv)
    return " ".join(shlex.quote(word) for word in words)


def _watch_process_group(torch):
    """The rank as PyTorch itself knows it, once it does."""
    distributed = getattr(torch, "distributed", None)
    if distributed is None or not hasattr(distributed, "init_process_group"):
        return
    import functools

    original = distributed.init_process_group

    @functools.wraps(original)
    def init_process_group(*args, **kwargs):
        result = original(*args, **kwargs)
        try:
            _agent.fact("rank", distributed.get_rank())
            _agent.fact("world_size", distributed.get_world_size())
            _agent.fact("backend", distributed.get_backend())
        except Exception:
            pass
        return result

    implementation = sys.modules.get("torch.distributed.distributed_c10d")
    for module in (distributed, implementation):
        if getattr(module, "init_process_group", None) is original:
            module.init_process_group = init_process_group


def _install_ops(torch):
    hook, rejected, problem = _op_hook.install(torch)
    if rejected is not None:
        _agent.fact("prebuilt_hook", rejected)
    _agent.fact("torch_ops", hook or "nvtx: " + problem)
    if hook is None:
        _agent.record_all(b"ops are recorded by PyTorch's NVTX ranges, which cannot pause")
        _profiler_watch.emit_nvtx(torch)
