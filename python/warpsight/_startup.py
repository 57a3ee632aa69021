"""What is prepared at the start of every Python process of a recorded program."""

import os
import sys

_forked = False


def install():
    """Once, by sitecustomize."""
    import atexit

    sys.meta_path.insert(0, _TorchFinder())
    atexit.register(_flush)
    _flush_before_exit()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_after_fork)


def _flush():
    try:
        from warpsight import _agent

        _agent.flush_if_loaded(1)
    except Exception:
        pass


def _flush_before_exit():
    """Processes of multiprocessing leave by os._exit, past everything else."""
    original = os._exit

    def _exit(status):
        try:
            _flush()
        finally:
            original(status)

    _exit.__doc__ = original.__doc__
    os._exit = _exit


def _after_fork():
    """What the child says is ignored by the agent, unless CUDA starts in it."""
    global _forked
    _forked = True
    agent = sys.modules.get("warpsight._agent")
    if agent is not None:
        agent.after_fork()


class _TorchFinder:
    """Finds torch as Python does, and acts once it was imported."""

    def __init__(self):
        self._asking = False

    def find_spec(self, name, path=None, target=None):
        if name != "torch" or self._asking or _forked:
            return None
        self._asking = True
        try:
            import importlib.util

            spec = importlib.util.find_spec(name)
            if spec is not None and spec.loader is not None:
                self._act_after(spec.loader)
            return spec
        except Exception:
            return None
        finally:
            self._asking = False

    def _act_after(self, loader):
        original = loader.exec_module

        def exec_module(module):
            original(module)
            # Restores the loader, in case it is used again (importlib.reload).
            try:
                del loader.exec_module
                sys.meta_path.remove(self)
            except Exception:
                pass
            try:
                from warpsight import _torch

                _torch.install()
            except Exception:
                pass

        loader.exec_module = exec_module
