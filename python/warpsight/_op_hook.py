"""The hook on PyTorch's ops: the one that comes with Warpsight, or one compiled here.

PyTorch's C++ interface differs between its versions and builds. The prebuilt hook knows the
released ones; for others, and for memory, torch_ops.cpp is compiled on the user's machine, once for
each PyTorch, and kept in the user's cache.
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

from warpsight import _agent, _prebuilt_hook
from warpsight._private_files import Folder, Untrusted, loadable

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_SOURCE = os.path.join(_FOLDER, "torch_ops.cpp")
_INPUTS = os.path.join(_FOLDER, "torch_inputs.h")
_HEADERS = os.path.join(_FOLDER, "include")

# It takes 6 s on a quiet machine; ranks of one job wait for the one that compiles.
_COMPILE_SECONDS = 300
_WAIT_SECONDS = 120

# What the compiler calls its result.
_RESULT = "hook.so"
_WORKPLACE = "build-"
_LOCK = "lock"
_LEFT_SECONDS = 3600


def install(torch):
    """Which hook records the ops, "prebuilt" or "compiled", and why the prebuilt one does not; and
    if none does, why the one to be compiled does not. Each None where there is nothing to say."""
    wanted = os.environ.get("WARPSIGHT_TORCH_HOOK", "")
    if wanted == "compiled":
        rejected = "WARPSIGHT_TORCH_HOOK is 'compiled'"
    elif "memory" in _agent.options() and wanted != "prebuilt":
        rejected = "it does not record memory"
    else:
        rejected = _prebuilt_hook.install(torch)
        if rejected is None:
            return "prebuilt", None, None
    if wanted == "prebuilt":
        return None, rejected, "WARPSIGHT_TORCH_HOOK is 'prebuilt'"
    problem = _install_compiled(torch)
    if problem is None:
        return "compiled", rejected, None
    if "memory" in _agent.options() and wanted != "compiled":
        rejected = _prebuilt_hook.install(torch)
        if rejected is None:
            return "prebuilt", None, None
    return None, rejected, problem


def _install_compiled(torch):
    """None where ops are recorded, else why not."""
    try:
        if not os.path.exists(_SOURCE):
            return "torch_ops.cpp is missing"
        builds = _builds(torch)
        if not builds:
            return "no C++ compiler"
        return _install_from(torch, builds)
    except Exception as error:
        return _agent.short(error)


def _install_from(torch, builds):
    """The first method that yields a working hook; cached results are tried first."""
    reason = None
    # Files that were loaded stay open until the end: the names by which they are loaded are told
    # apart by their numbers.
    with _cache_folder() as folder, _lock(folder), contextlib.ExitStack() as loaded:
        for build in sorted(builds, key=lambda build: not _is_there(folder, build.name)):
            try:
                problem = _compile_into(build, folder) or _load(torch, folder, build.name, loaded)
            except OSError as error:
                # Damaged, or built for a PyTorch that was rebuilt since.
                folder.remove(build.name)
                problem = _agent.short(error)
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
        for path in [_SOURCE, _INPUTS] + _header_files():
            with open(path, "rb") as file:
                key.update(file.read())
        version = "".join(c if c.isalnum() or c in "+." else "_" for c in str(torch.__version__))
        self.name = "torch-%s-%d-%s.so" % (version, _abi(torch), key.hexdigest()[:20])


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
    """Not from the current folder, even where PATH names it: anyone may have written there."""
    try:
        named = shlex.split(os.environ.get("CXX", ""))
    except ValueError:
        named = []
    for words in [named] + [["c++"], ["g++"], ["clang++"]]:
        found = shutil.which(words[0]) if words else None
        if found and (os.path.isabs(found) or os.path.dirname(words[0])):
            return [os.path.abspath(found)] + words[1:]
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
    """The user's cache; a folder for this process alone if that cannot be trusted or written."""
    with contextlib.ExitStack() as stack:
        for base in _cache_bases():
            try:
                folder = stack.enter_context(Folder(os.path.join(base, "warpsight")))
                # Rights alone do not tell whether files can be made: root's on NFS, a full disk.
                os.close(folder.open_lock(_LOCK))
            except (OSError, ValueError, Untrusted):
                continue
            yield folder
            return
        own = _new_folder()
        # A library that is loaded does not need its file any more.
        stack.callback(shutil.rmtree, own, ignore_errors=True)
        yield stack.enter_context(Folder(own))


def _cache_bases():
    # A relative one is to be ignored, says the specification.
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):
        return [base]
    home = os.path.expanduser("~")
    return [os.path.join(home, ".cache")] if os.path.isabs(home) else []


def _new_folder():
    """In the run's own folder, which goes with the run, or where temporary files are."""
    for base in (os.environ.get("WARPSIGHT_CAPTURE"), None):
        try:
            path = tempfile.mkdtemp(prefix="warpsight-", dir=base)
        except (OSError, ValueError):
            continue
        try:
            Folder(path).close()
            return path
        except (OSError, Untrusted):
            os.rmdir(path)
    raise Untrusted("no folder that only this user can write to")


@contextlib.contextmanager
def _lock(folder):
    """One process compiles; the others wait for it, but not forever. Results are renamed into
    their place, so that all is well without a lock, only slower."""
    descriptor = None
    try:
        import fcntl

        descriptor = folder.open_lock(_LOCK)
        end = time.monotonic() + _WAIT_SECONDS
        while time.monotonic() < end:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                time.sleep(0.05)
    except (ImportError, OSError):
        pass
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def _compile_into(build, folder):
    """None if the library exists; otherwise the compiler's error."""
    if _is_there(folder, build.name):
        return None
    _remove_leftovers(folder)
    # For the result, and for the compiler's own files.
    workplace = tempfile.mkdtemp(prefix=_WORKPLACE, dir=folder.path)
    try:
        with Folder(workplace) as private:
            problem = _compile(build, private)
            if problem is None:
                private.make_private(_RESULT)
                private.move(_RESULT, folder, build.name)
            return problem
    finally:
        shutil.rmtree(workplace, ignore_errors=True)


def _remove_leftovers(folder):
    """Of processes that were killed while they compiled."""
    for name in os.listdir(folder.path):
        path = folder.join(name)
        with contextlib.suppress(OSError):
            if name.startswith(_WORKPLACE) and time.time() - os.lstat(path).st_mtime > _LEFT_SECONDS:
                shutil.rmtree(path, ignore_errors=True)


def _is_there(folder, name):
    """Whether it is a library, and the user's own."""
    descriptor = folder.open(name)
    if descriptor is None:
        return False
    try:
        return os.read(descriptor, 4) == b"\x7fELF"
    except OSError:
        return False
    finally:
        os.close(descriptor)


def _compile(build, folder):
    """None, or the compiler's error."""
    # The compiler is not part of the recording.
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("WARPSIGHT_")}
    environment["TMPDIR"] = folder.path
    output = folder.join(_RESULT)
    run = subprocess.run(build.command + [_SOURCE, "-o", output], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment,
                         timeout=_COMPILE_SECONDS, check=False)
    if run.returncode == 0 and os.path.exists(output) and os.path.getsize(output) > 0:
        return None
    lines = run.stdout.decode("utf-8", "replace").splitlines()
    errors = [line for line in lines if "error" in line] or lines or ["it ended with %d and said "
                                                                      "nothing" % run.returncode]
    return _agent.short("%s: %s" % (build.command[0], errors[0]))


def _load(torch, folder, name, loaded):
    """None, or why the hook does not work; OSError if it is not a library for this PyTorch."""
    libraries = os.path.join(os.path.dirname(os.path.abspath(torch.__file__)), "lib")
    # Python loads PyTorch's libraries for itself alone; the hook needs to see their symbols.
    for library in ("libc10.so", "libtorch_cpu.so", "libc10_cuda.so"):
        path = os.path.join(libraries, library)
        if os.path.exists(path):
            with contextlib.suppress(OSError):
                ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL | getattr(os, "RTLD_NOLOAD", 0))
    descriptor = folder.open(name)
    if descriptor is None:
        return "other users can modify the compiled hook"
    loaded.callback(os.close, descriptor)
    hook = ctypes.CDLL(loadable(descriptor))
    options = _agent.options()
    code = hook.warpsight_torch_install(_agent.path().encode(), int("shapes" in options),
                                        int("stacks" in options), int("memory" in options))
    return None if code == 0 else "the hook was rejected (%d)" % code
