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
    """The first way that leads to a working hook; what was made before is tried first."""
    reason = None
    with _cache_folder() as folder, _lock(folder):
        for build in sorted(builds, key=lambda build: not os.path.exists(build.path(folder))):
            try:
                problem = _compile_into(build, folder) or _load(torch, build.path(folder))
            except OSError as error:
                # Damaged, or made for a PyTorch that was built anew since.
                with contextlib.suppress(OSError):
                    os.unlink(build.path(folder))
                problem = _short(error)
            if problem is None:
                return None
            reason = reason or problem
    return reason


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

    def path(self, folder):
        return os.path.join(folder, self.name)


def _header_files():
    return sorted(os.path.join(folder, name)
                  for folder, _, names in os.walk(_HEADERS) for name in names)


def _builds(torch):
    """The ways to try, the best first. Newer PyTorch needs C++20; its allocator on the GPU, which is
    asked about memory, needs CUDA's headers."""
    compiler = _compiler()
    if compiler is None:
        return []
    torch_folder = os.path.dirname(os.path.abspath(torch.__file__))
    include = os.path.join(torch_folder, "include")
    common = ["-O2", "-fPIC", "-shared", "-D_GLIBCXX_USE_CXX11_ABI=%d" % _abi(torch),
              "-I" + _HEADERS, "-isystem", include,
              "-isystem", os.path.join(include, "torch", "csrc", "api", "include")]
    cuda = _cuda_headers(torch_folder) if "memory" in _agent.options() else None
    with_cuda = [["-isystem", cuda, "-DWARPSIGHT_WITH_CUDA_HEADERS", "-DWARPSIGHT_MEMORY"]]
    return [_Build(torch, compiler, ["-std=" + standard] + common + extra)
            for standard in ("c++17", "c++20") for extra in (with_cuda if cuda else []) + [[]]]


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


def _compile_into(build, folder):
    """None where the library is there, now or before; else what the compiler said."""
    if _is_library(build.path(folder)):
        return None
    descriptor, temporary = tempfile.mkstemp(prefix=build.name + ".", dir=folder)
    os.close(descriptor)
    try:
        problem = _compile(build, temporary)
        if problem is None:
            os.chmod(temporary, 0o700)
            os.replace(temporary, build.path(folder))
        return problem
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


def _is_library(path):
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


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
