"""Runs inside a container: one bad habit per function, each bounded by itself."""

# mypy: ignore-errors

import ctypes
import errno
import fcntl
import json
import os
import signal
import socket
import sys
import threading
import time

MB = 1 << 20
MOST = int(os.environ.get("MOST", "0"))


def say(**facts):
    print(json.dumps(facts), flush=True)


def fork_bomb(most=MOST or 150):
    """Forks until it may not; the children sleep."""
    made, stopped = 0, "nothing"
    for _ in range(most):
        try:
            if os.fork() == 0:
                time.sleep(60)
                os._exit(0)
            made += 1
        except OSError as error:
            stopped = errno.errorcode[error.errno]
            break
    say(made=made, stopped=stopped)
    linger()


def thread_bomb(most=MOST or 150):
    made, stopped = 0, "nothing"
    for _ in range(most):
        try:
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
            made += 1
        except RuntimeError:
            stopped = "RuntimeError"
            break
    say(made=made, stopped=stopped)
    linger()


def linger():
    time.sleep(float(os.environ.get("LINGER", "0")))
    os._exit(0)


def hog(megabytes):
    return [b"x" * MB for _ in range(megabytes)]


def memory_hog():
    held = hog(300)
    say(held=len(held))


def child_hog():
    child = os.fork()
    if child == 0:
        hog(300)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    say(child_signal=os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0)


def fill(folder, megabytes=64):
    written, stopped = 0, "nothing"
    try:
        for number in range(megabytes):
            with open(f"{folder}/{number}", "wb") as file:
                file.write(b"x" * MB)
            written += 1
    except OSError as error:
        stopped = errno.errorcode[error.errno]
    say(megabytes=written, stopped=stopped)


def fill_tmp():
    fill("/tmp")


def fill_shm():
    fill("/dev/shm")


def inode_bomb():
    made, stopped = 0, "nothing"
    try:
        for number in range(MOST or 5000):
            open(f"/tmp/{number}", "w").close()
            made += 1
    except OSError as error:
        stopped = errno.errorcode[error.errno]
    say(made=made, stopped=stopped)


def open_files():
    held, stopped = [], "nothing"
    try:
        for _ in range(2000):
            descriptor = os.open("/dev/null", os.O_RDONLY)
            held.append(descriptor)
    except OSError as error:
        stopped = errno.errorcode[error.errno]
    say(made=len(held), stopped=stopped)


def fill_pipes():
    """Holds memory in pipe buffers, where no process owns it."""
    total = 0
    try:
        for _ in range(60):
            _, writer = os.pipe()
            os.set_blocking(writer, False)
            try:
                fcntl.fcntl(writer, 1031, MB)
            except OSError:
                pass
            try:
                while True:
                    total += os.write(writer, b"x" * 65536)
            except BlockingIOError:
                pass
    except OSError as error:
        say(stopped=errno.errorcode[error.errno])
    say(held=total)
    linger()


def zombies():
    made, stopped = 0, "nothing"
    try:
        for _ in range(MOST or 150):
            if os.fork() == 0:
                os._exit(0)
            made += 1
    except OSError as error:
        stopped = errno.errorcode[error.errno]
    say(made=made, stopped=stopped)


def ignore_signals():
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            continue
    say(ready=True)
    time.sleep(60)


def stop_itself():
    if os.fork() == 0:
        time.sleep(0.2)
        os._exit(0)
    say(ready=True)
    for child in [os.getpid()]:
        os.kill(child, signal.SIGSTOP)
    time.sleep(60)


def daemon():
    """Leaves a child of its own session behind and ends."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(60)
        os._exit(0)
    say(ready=True)


def spin():
    say(ready=True)
    end = time.monotonic() + 30
    while time.monotonic() < end:
        pass


def flood():
    block = b"x" * 65536
    for _ in range(16 * 1024):
        os.write(1, block)


def quick_flood():
    """A lot of output, yet within the budget."""
    for number in range(4000):
        print(f"{number:08d} " + "y" * 90)


def segv():
    say(ready=True)
    ctypes.string_at(0)


def crash():
    raise RuntimeError("a bot's own mistake")


def leave():
    sys.exit(3)


def inject():
    os.write(
        1, b"\x1b[2J\x1b]0;owned\x07<script>alert(1)</script>\r\n\x00\xff\xfe \xe2\x80\xae gnp\n"
    )
    os.write(2, b"stderr too\n")


def hold_lock():
    """Takes a lock on a file of the image and one in the shared directory, if there is one."""
    files = [open("/etc/debian_version")]
    if os.path.exists("/run/bullring/common"):
        files.append(open("/run/bullring/common"))
    for file in files:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    say(ready=True)
    time.sleep(30)


def try_lock():
    answers = {}
    for path in ("/etc/debian_version", "/run/bullring/common"):
        try:
            with open(path) as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            answers[path] = "OK"
        except OSError as error:
            answers[path] = errno.errorcode[error.errno]
    say(**answers)


def honest():
    """An honest bot: answers every line of the referee until it hangs up."""
    with socket.socket(socket.AF_UNIX) as s:
        s.connect("/run/bullring/referee.sock")
        with s.makefile("rw") as stream:
            for line in stream:
                stream.write(line)
                stream.flush()
    say(done=True)


def connections():
    """Opens as many connections to the referee as it can, and says nothing."""
    held, stopped = [], "nothing"
    try:
        for _ in range(1000):
            s = socket.socket(socket.AF_UNIX)
            s.setblocking(False)
            s.connect("/run/bullring/referee.sock")
            held.append(s)
    except OSError as error:
        stopped = errno.errorcode[error.errno]
    say(made=len(held), stopped=stopped)


def secrets_in_tmp():
    with open("/tmp/secret", "w") as file:
        file.write("my next move")
    say(ready=True)
    time.sleep(30)


def look_around():
    say(
        tmp=os.listdir("/tmp"),
        shm=os.listdir("/dev/shm"),
        processes=[p for p in os.listdir("/proc") if p.isdigit()],
        root=os.path.samefile("/proc/1/root", "/"),
        uid=os.getuid(),
        euid=os.geteuid(),
        preload=os.environ.get("LD_PRELOAD"),
        nice=os.nice(0),
    )


globals()[sys.argv[1]]()
