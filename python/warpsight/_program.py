"""The program `warpsight` to which this package belongs."""

import os
import shutil
import sys

_HERE = os.path.dirname(os.path.realpath(__file__))

# How this package's folder ends -> where the program is from there: installed, also inside a wheel, and in
# a build.
_LAYOUTS = (
    (os.path.join("lib", "warpsight", "python", "warpsight"), "../../../../bin/warpsight"),
    (os.path.join("lib", "python", "warpsight"), "../../../warpsight"),
)
# In a wheel's package.
_BUNDLED = "_bundle/bin/warpsight"


def _places():
    yield os.path.join(_HERE, _BUNDLED)
    for end, program in _LAYOUTS:
        if _HERE.endswith(os.sep + end):
            yield os.path.normpath(os.path.join(_HERE, program))


def path():
    """The program beside this package, otherwise the one on PATH."""
    for place in _places():
        if os.path.isfile(place) and os.access(place, os.X_OK):
            return place
    found = shutil.which("warpsight")
    if found is None:
        raise FileNotFoundError("the program warpsight is neither beside %s nor on PATH" % _HERE)
    return found


def run():
    """The command `warpsight` of a wheel: becomes the program."""
    import signal

    program = path()
    # Python ignores these, and programs keep what was ignored when they were started.
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    os.execv(program, [program] + sys.argv[1:])
