"""Files that only this user can have written.

What is loaded into the program runs with the program's rights, so a file counts only where it is
known to be the user's own: owned by the user, writable by nobody else, in a folder of which that
holds on the whole way up, and opened without following links. What was checked is what is used:
everything goes through descriptors.
"""

import contextlib
import os
import stat

_OPEN = os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
_OPEN_FOLDER = os.O_DIRECTORY | getattr(os, "O_PATH", os.O_RDONLY) | _OPEN
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class Untrusted(Exception):
    """Somebody else could have put something there."""


class Folder:
    """A folder that only this user, or root, can change. Close it after use."""

    def __init__(self, path):
        """Makes what is missing of it, private to the user. OSError or Untrusted where it cannot
        be used; nothing is made below a folder of somebody else."""
        if not os.path.isabs(path):
            raise Untrusted("%s does not begin at the root" % path)
        # Links on the way are allowed, as long as their targets can be trusted.
        self.path = os.path.realpath(path)
        self._descriptor = _walk(self.path)
        status = os.fstat(self._descriptor)
        if status.st_uid != os.geteuid() or status.st_mode & _OTHERS_WRITE:
            self.close()
            raise Untrusted("%s can be modified by other users" % self.path)

    def close(self):
        os.close(self._descriptor)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def join(self, name):
        return os.path.join(self.path, name)

    def open(self, name):
        """A descriptor of a file that is the user's alone; None where there is none. Never waits,
        as opening a pipe would."""
        try:
            descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | _OPEN, dir_fd=self._descriptor)
        except (OSError, ValueError):
            return None
        status = os.fstat(descriptor)
        if (stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()
                and not status.st_mode & _OTHERS_WRITE):
            return descriptor
        os.close(descriptor)
        return None

    def open_lock(self, name):
        """A descriptor of a file that is made where it is missing."""
        return os.open(name, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | _OPEN, 0o600,
                       dir_fd=self._descriptor)

    def make_private(self, name):
        """A file that was just made here, by a program that knows nothing of rights."""
        descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | _OPEN, dir_fd=self._descriptor)
        try:
            os.fchmod(descriptor, 0o700)
        finally:
            os.close(descriptor)

    def move(self, name, to, new_name):
        """A file into another such folder, in place of one that is there."""
        os.rename(name, new_name, src_dir_fd=self._descriptor, dst_dir_fd=to._descriptor)

    def remove(self, name):
        with contextlib.suppress(OSError):
            os.unlink(name, dir_fd=self._descriptor)


def loadable(descriptor):
    """A name under which exactly this file can be loaded, whatever happens to its path."""
    return "/proc/self/fd/%d" % descriptor


def _walk(path):
    """A descriptor of the folder, every folder on the way to which was checked."""
    current = os.open("/", _OPEN_FOLDER)
    try:
        _check(current, "/")
        for part in [part for part in path.split("/") if part]:
            try:
                below = os.open(part, _OPEN_FOLDER, dir_fd=current)
            except FileNotFoundError:
                with contextlib.suppress(FileExistsError):  # another process was faster
                    os.mkdir(part, 0o700, dir_fd=current)
                below = os.open(part, _OPEN_FOLDER, dir_fd=current)
            os.close(current)
            current = below
            _check(current, path)
        return current
    except BaseException:
        os.close(current)
        raise


def _check(descriptor, path):
    """What is in the folder can be changed by this user and root only. In a sticky one (/tmp) others
    can add to it, but what is there already is its owner's."""
    status = os.fstat(descriptor)
    if status.st_uid not in (0, os.geteuid()):
        raise Untrusted("a folder on the way to %s belongs to another user" % path)
    if not status.st_mode & _OTHERS_WRITE or status.st_mode & stat.S_ISVTX:
        return
    if status.st_mode & stat.S_IWOTH or not _is_own_group(status.st_gid):
        raise Untrusted("others can write to a folder on the way to %s" % path)


def _is_own_group(group):
    """Whether it is the group that many systems make for each user, with no other member."""
    try:
        import grp
        import pwd

        user = pwd.getpwuid(os.geteuid())
        entry = grp.getgrgid(group)
        return (user.pw_gid == group and entry.gr_name == user.pw_name
                and set(entry.gr_mem) <= {user.pw_name})
    except (ImportError, KeyError):
        return False
