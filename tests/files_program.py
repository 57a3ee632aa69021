"""A program that closes and replaces descriptors while it is recorded: files_program.py MODE

The files that it writes into the current folder depend only on the mode, so runs with and without a
recording can be compared byte by byte. It also writes down the numbers of its descriptors.
"""

import ctypes
import os
import random
import sys
import threading
import time

import warpsight

NOBODY = 65534
FILES = 12
noise = random.Random(7)


def wait_for_the_recording():
    """Waits until the agent has written something, and so has its file open."""
    mark(500)
    time.sleep(0.3)


def mark(count, size=40):
    """Records names that do not compress, so that much is written."""
    for _ in range(count):
        with warpsight.annotate("%0*x" % (size, noise.getrandbits(4 * size))):
            pass


def write_files(name, rounds=8):
    """Opens files one after the other, while ranges are recorded."""
    numbers = []
    files = []
    for i in range(FILES):
        files.append(os.open("%s-%d.txt" % (name, i), os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644))
        numbers.append(files[-1])
    for line in range(rounds):
        mark(300)
        time.sleep(0.03)
        for i, file in enumerate(files):
            os.write(file, b"%s file %d line %d\n" % (name.encode(), i, line))
    for file in files:
        os.close(file)
    with open(name + "-numbers.txt", "w") as file:
        file.write("%s\n" % numbers)


def after(name):
    with warpsight.annotate("after " + name):
        write_files(name)


def close_range(first):
    """Closes descriptors with the system call, or one by one if the kernel lacks it."""
    if ctypes.CDLL(None).syscall(436, first, ctypes.c_uint(0xFFFFFFFF), 0) != 0:
        os.closerange(first, 65536)


def closerange():
    wait_for_the_recording()
    os.closerange(3, 65536)
    after("closerange")


def close_range_system_call():
    wait_for_the_recording()
    close_range(3)
    after("close_range")


def close_everything():
    wait_for_the_recording()
    os.closerange(0, 65536)
    after("everything")


def dup2_over_all():
    wait_for_the_recording()
    own = os.open("own.txt", os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
    for number in range(3, 512):
        if number != own:
            os.dup2(own, number)
    for line in range(10):
        mark(300)
        time.sleep(0.03)
        os.write(100 + line, b"line %d\n" % line)
    os.closerange(3, 512)
    after("dup2")


def close_while_others_write():
    """One thread closes and opens files all the time while another is recorded."""
    stop = threading.Event()

    def marks():
        while not stop.is_set():
            mark(200, 400)

    recorded = threading.Thread(target=marks)
    recorded.start()
    for turn in range(150):
        for i in range(FILES):
            os.write(os.open("race-%d.txt" % i, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644),
                     b"turn %d file %d\n" % (turn, i))
        time.sleep(0.002)
        os.closerange(3, 256)
    stop.set()
    recorded.join()


def fork_close_exec():
    wait_for_the_recording()
    child = os.fork()
    if child == 0:
        os.closerange(3, 65536)
        os.execv(sys.executable, [sys.executable, os.path.abspath(__file__), "closerange"])
    after("parent")
    assert os.waitpid(child, 0)[1] == 0


def daemonize(wait, become):
    """Becomes a daemon: forks twice, leaves session and folder, closes and reopens everything."""
    wait_for_the_recording()
    folder = os.getcwd()
    child = os.fork()
    if child == 0:
        os.setsid()
        if os.fork() != 0:
            os._exit(0)
        os.chdir("/")
        os.umask(0o022)
        os.closerange(0, 65536)
        for number in range(3):
            assert os.open(os.devnull, os.O_RDWR) == number
            os.set_inheritable(number, True)
        os.chdir(folder)
        become()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    while wait and not os.path.exists("done"):
        time.sleep(0.01)


def become_another_program():
    """Executes another program, which is recorded like any process."""
    os.execv(sys.executable, [sys.executable, os.path.abspath(__file__), "in_daemon"])


def record_again():
    """Starts the recording of a forked child, as the start of CUDA does."""
    if "WARPSIGHT_AGENT" in os.environ:
        assert ctypes.PyDLL(os.environ["WARPSIGHT_AGENT"]).warpsight_attach() == 1
    in_daemon()


def in_daemon():
    write_files("daemon", 30)
    open("done", "w").close()


def drop_rights():
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def setuid_after():
    wait_for_the_recording()
    drop_rights()
    after("setuid")


def setuid_before():
    drop_rights()
    after("setuid")


def much():
    """Records far more than fits on a small disk, then writes a file that must still fit."""
    for i in range(20):
        mark(3000, 400)
        with open("much-%d.bin" % i, "wb") as file:
            file.write(b"%d " % i * 20000)


def remove_everything():
    """Deletes the folder of the recording, as a program that cleans up too much does."""
    wait_for_the_recording()
    capture = os.environ.get("WARPSIGHT_CAPTURE")
    if capture is not None:
        for name in os.listdir(capture):
            os.unlink(os.path.join(capture, name))
        os.rmdir(capture)
    after("removed")


MODES = {
    "closerange": closerange,
    "close_range": close_range_system_call,
    "everything": close_everything,
    "dup2": dup2_over_all,
    "race": close_while_others_write,
    "fork_exec": fork_close_exec,
    "daemon": lambda: daemonize(False, become_another_program),
    "daemon_waited": lambda: daemonize(True, become_another_program),
    "daemon_forked": lambda: daemonize(True, in_daemon),
    "daemon_cuda": lambda: daemonize(True, record_again),
    "in_daemon": in_daemon,
    "setuid_after": setuid_after,
    "setuid_before": setuid_before,
    "much": much,
    "remove": remove_everything,
}

if __name__ == "__main__":
    MODES[sys.argv[1]]()
