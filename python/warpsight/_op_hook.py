"""The hook on PyTorch's ops: torch_ops.cpp, compiled against the PyTorch that is there.

PyTorch's C++ interface differs between its versions and builds, so the hook is compiled on the
user's machine, once for each PyTorch, and kept in the user's cache.
"""

import contextlib
import ctypes
import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
import time

from warpsight import _agent

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_SOURCE = os.path.join(_FOLDER, "torch_ops.cpp")
_HEADERS = os.path.join(_FOLDER, "include")

# It takes 6 s on a quiet machine; ranks of one job wait for the one that compiles.
_COMPILE_SECONDS = 300
_WAIT_SECONDS = 120


def install(torch):
    """None where ops are recorded, else why not."""
    try:
        if not os.path.exists(_SOURCE):
            return "torch_ops.cpp is missing"
        builds = _builds(torch)
        if not builds:
            return "no C++ compiler"
        return _install_from(torch, builds)
    except Exception as error:
        return _short(error)


def _install_from(torch, builds):
    with _cache_folder() as folder:
        with _lock(folder):
            library = _cached(folder, builds)
            if library is not None:
                try:
                    return _load(torch, library)
                except OSError:  # damaged, or of a PyTorch that was rebuilt
                    os.unlink(library)
            library, reason = _build(folder, builds)
        return reason if library is None else _load(torch, library)


class _Build:
    """One way to compile the hook. Its name says all that its result depends on."""

    def __init__(self, torch, compiler, flags):
        self.command = compiler + flags
        key = hashlib.sha256("\0".join(self.command).encode())
        key.update(str(getattr(torch.version, "git_version", "")).encode())
        for path in [_SOURCE] + _header_files():
            with open(path, "rb") as file:
                key.update(file.read())
        version = "".join(c if c.isalnum() or c in "+." else "_" for c in str(torch.__version__))
        self.name = "torch-%s-%d-%s.so" % (version, _abi(torch), key.hexdigest()[:20])


def _header_files():
    return sorted(os.path.join(folder, name)
                  for folder, _, names in os.walk(_HEADERS) for name in names)


def _builds(torch):
    """The ways to try, the best first: with CUDA's headers where there are any; newer PyTorch needs
    C++20."""
    compiler = _compiler()
    if compiler is None:
        return []
    torch_folder = os.path.dirname(os.path.abspath(torch.__file__))
    include = os.path.join(torch_folder, "include")
    common = ["-O2", "-fPIC", "-shared", "-D_GLIBCXX_USE_CXX11_ABI=%d" % _abi(torch),
              "-I" + _HEADERS, "-isystem", include,
              "-isystem", os.path.join(include, "torch", "csrc", "api", "include")]
    cuda = _cuda_headers(torch_folder)
    with_cuda = [["-isystem", cuda, "-DWARPSIGHT_WITH_CUDA_HEADERS"]] if cuda else []
    return [_Build(torch, compiler, ["-std=" + standard] + common + extra)
            for standard in ("c++17", "c++20") for extra in with_cuda + [[]]]


def _compiler():
    named = shlex.split(os.environ.get("CXX", ""))
    for words in [named] + [["c++"], ["g++"], ["clang++"]]:
        if words and shutil.which(words[0]):
            return words
    return None


def _abi(torch):
    return int(getattr(torch._C, "_GLIBCXX_USE_CXX11_ABI", True))


def _cuda_headers(torch_folder):
    """A folder with cuda_runtime_api.h, of PyTorch's own CUDA first."""
    packages = os.path.join(os.path.dirname(torch_folder), "nvidia")
    folders = [os.path.join(packages, "cu13", "include"),
               os.path.join(packages, "cuda_runtime", "include")]
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(variable):
            folders.append(os.path.join(os.environ[variable], "include"))
    folders.append("/usr/local/cuda/include")
    for folder in folders:
        if os.path.exists(os.path.join(folder, "cuda_runtime_api.h")):
            return folder
    return None


@contextlib.contextmanager
def _cache_folder():
    """The user's cache; a folder for this process alone where that cannot be written."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = os.path.join(base, "warpsight")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        usable = os.access(folder, os.W_OK)
    except OSError:
        usable = False
    if usable:
        yield folder
        return
    own = tempfile.mkdtemp(prefix="warpsight-")
    try:
        yield own
    finally:
        # A library that is loaded does not need its file any more.
        shutil.rmtree(own, ignore_errors=True)


@contextlib.contextmanager
def _lock(folder):
    """One process compiles; the others wait for it, but not for ever. Results are renamed into
    their place, so that all is well without a lock, only slower."""
    file = None
    try:
        import fcntl

        file = open(os.path.join(folder, "lock"), "a")
        end = time.monotonic() + _WAIT_SECONDS
        while time.monotonic() < end:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(0.05)
    except (ImportError, OSError):
        pass
    try:
        yield
    finally:
        if file is not None:
            file.close()


def _cached(folder, builds):
    for build in builds:
        path = os.path.join(folder, build.name)
        if os.path.exists(path):
            return path
    return None


def _build(folder, builds):
    """(library, None), or (None, why the first way failed)."""
    reason = None
    for build in builds:
        descriptor, temporary = tempfile.mkstemp(prefix=build.name + ".", dir=folder)
        os.close(descriptor)
        try:
            problem = _compile(build, temporary)
            if problem is None:
                path = os.path.join(folder, build.name)
                os.chmod(temporary, 0o700)
                os.replace(temporary, path)
                return path, None
            reason = reason or problem
        finally:
            if os.path.exists(temporary):
                os.unlink(temporary)
    return None, reason


def _compile(build, output):
    """None, or what the compiler said."""
    # The compiler is no part of the recording.
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("WARPSIGHT_")}
    run = subprocess.run(build.command + [_SOURCE, "-o", output], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment,
                         timeout=_COMPILE_SECONDS, check=False)
    if run.returncode == 0 and os.path.getsize(output) > 0:
        return None
    lines = run.stdout.decode("utf-8", "replace").splitlines()
    errors = [line for line in lines if "error" in line] or lines or ["it ended with %d and said "
                                                                      "nothing" % run.returncode]
    return _short("%s: %s" % (build.command[0], errors[0]))


def _load(torch, library):
    """None, or why the hook does not work; OSError where it is no library for this PyTorch."""
    folder = os.path.join(os.path.dirname(os.path.abspath(torch.__file__)), "lib")
    # Python loads PyTorch's libraries for itself alone; the hook needs to see their symbols.
    for name in ("libc10.so", "libtorch_cpu.so", "libc10_cuda.so"):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            with contextlib.suppress(OSError):
                ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL | getattr(os, "RTLD_NOLOAD", 0))
    hook = ctypes.CDLL(library)
    options = _agent.options()
    code = hook.warpsight_torch_install(_agent.path().encode(), int("shapes" in options),
                                        int("stacks" in options), int("memory" in options))
    return None if code == 0 else "the hook was refused (%d)" % code


def _short(problem):
    text = " ".join(str(problem).split())
    return text if len(text) <= 300 else text[:297] + "..."
