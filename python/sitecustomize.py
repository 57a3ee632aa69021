"""Python imports this at its start in every process of a program that Warpsight records.

It prepares the recording (warpsight/_startup.py) and hands over to the sitecustomize that Python
would have found without it.
"""

import os
import sys


def _record():
    """Whatever goes wrong here stays here: the program runs as it would without us."""
    try:
        from warpsight import _startup

        _startup.install()
    except Exception:
        pass


def _next_sitecustomize():
    """The user's own sitecustomize, as a module that has not run yet; None if there is none."""
    try:
        from importlib.machinery import PathFinder
        from importlib.util import module_from_spec

        own = os.path.realpath(os.path.dirname(os.path.abspath(__file__)))
        path = [entry for entry in sys.path if os.path.realpath(entry or os.curdir) != own]
        spec = PathFinder.find_spec("sitecustomize", path)
        if spec is None or spec.loader is None:
            return None
        return module_from_spec(spec)
    except Exception:
        return None


if os.environ.get("WARPSIGHT_CAPTURE"):
    _record()

_user = _next_sitecustomize()
if _user is not None:
    # It takes our place, and an error in it is shown by Python as ever.
    sys.modules["sitecustomize"] = _user
    _user.__spec__.loader.exec_module(_user)
