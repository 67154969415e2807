"""Runs inside a container: one end of a secret channel between two bots.

`send CHANNEL BITS START` or `receive CHANNEL COUNT START`; a receiver prints the bits that it
believes to have seen, or null. START is when the first bit begins, for channels that need a time.
"""

# mypy: ignore-errors

import contextlib
import ctypes
import errno
import json
import mmap
import os
import resource
import sys
import time

SLOT_S = 0.2
DONTNEED = 4
SYSINFO = 99
HELD_FILES = 6
HELD_BYTES = 15 << 20
libc = ctypes.CDLL(None, use_errno=True)


def call(number, *args):
    """One raw system call; fails like Python does."""
    if libc.syscall(number, *args) == -1:
        raise OSError(ctypes.get_errno(), "")


def say(**facts):
    print(json.dumps(facts), flush=True)


def files(count):
    """Files of the base image that no program needs, the same ones for sender and receiver."""
    found = []
    for folder, _, names in os.walk("/usr/share"):
        found += [f"{folder}/{name}" for name in names]
    plain = sorted(p for p in found if os.path.isfile(p) and not os.path.islink(p))
    filled = [p for p in plain if os.stat(p).st_size]
    step = len(filled) // count
    assert step, f"{len(filled)} files are too few for {count} bits"
    return [filled[number * step] for number in range(count)]


def pages_send(bits):
    """Have the files of ones in memory, and those of zeros not."""
    for path, bit in zip(files(len(bits)), bits, strict=True):
        file = os.open(path, os.O_RDONLY)
        try:
            os.posix_fadvise(file, 0, 0, DONTNEED)
            if bit == "1":
                os.pread(file, 4096, 0)
        finally:
            os.close(file)


def by_not_waiting(file):
    """A read that fails where it would have to wait for the disk."""
    try:
        os.preadv(file, [bytearray(1)], 0, os.RWF_NOWAIT)
    except BlockingIOError:
        return 0
    return 1


def by_time(file):
    """A read from the disk takes longer than one from memory."""
    before = time.perf_counter()
    os.pread(file, 1, 0)
    return int(time.perf_counter() - before < 20e-6)


def by_faults(file):
    """The kernel counts for each process how often a page that it touched had to come from disk."""
    with mmap.mmap(file, 1, prot=mmap.PROT_READ) as page:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_majflt
        page[0]
        return int(resource.getrusage(resource.RUSAGE_SELF).ru_majflt == before)


def is_in_memory(path, *ways):
    for way in ways:
        file = os.open(path, os.O_RDONLY)
        try:
            return way(file)
        except OSError:
            # Denied, or not for files of this kind: the next way.
            continue
        finally:
            os.close(file)
    return 0


def pages_receive(count):
    return [is_in_memory(path, by_not_waiting, by_time) for path in files(count)]


faults_send = pages_send


def faults_receive(count):
    return [is_in_memory(path, by_faults) for path in files(count)]


def names(count):
    """Names that do not exist, in a folder of the image."""
    return [f"/usr/share/doc/bullring-{number}" for number in range(count)]


def names_send(bits):
    """Look for the names of ones, so that the kernel remembers that there is no such file."""
    for name, bit in zip(names(len(bits)), bits, strict=True):
        if bit == "1":
            os.path.exists(name)


def names_receive(count):
    """A name that was looked for before is found missing sooner."""
    os.path.exists("/usr/share/doc/nothing-like-it")
    times = []
    for name in names(count):
        before = time.perf_counter()
        os.path.exists(name)
        times.append(time.perf_counter() - before)
    middle = sorted(times)[count // 2]
    return [int(each < middle) for each in times]


def until(moment):
    while (left := moment - time.time()) > 0:
        time.sleep(left)


def slots(count, start):
    """The beginning and the end of each slot, as they come."""
    for number in range(count):
        begin = start + number * SLOT_S
        until(begin + 0.1 * SLOT_S)
        yield begin, begin + SLOT_S


def hold_files(children, end):
    """Many open files, each process as many as it may have, until the end of the slot."""
    for _ in range(children):
        if os.fork() == 0:
            held = [os.open("/dev/null", os.O_RDONLY) for _ in range(100)]
            until(end - 0.1 * SLOT_S)
            os._exit(len(held) % 1)
    for _ in range(children):
        os.wait()


def open_files_send(bits, start):
    for bit, (_, end) in zip(bits, slots(len(bits), start), strict=False):
        hold_files(20 if bit == "1" else 0, end)


def ids_send(bits, start):
    for bit, (begin, _) in zip(bits, slots(len(bits), start), strict=False):
        until(begin + 0.3 * SLOT_S)
        for _ in range(400 if bit == "1" else 0):
            for file in os.pipe():
                os.close(file)


def load_send(bits, start):
    for bit, (_, end) in zip(bits, slots(len(bits), start), strict=False):
        while bit == "1" and time.time() < end - 0.1 * SLOT_S:
            pass


def memory_send(bits, start):
    """Hold memory of a kind that few programs use, and give it back at the end of the slot."""
    for bit, (_, end) in zip(bits, slots(len(bits), start), strict=False):
        if bit == "1":
            held = [os.memfd_create("held") for _ in range(HELD_FILES)]
            for file in held:
                os.posix_fallocate(file, 0, HELD_BYTES)
            until(end - 0.1 * SLOT_S)
            for file in held:
                os.close(file)


def uncached(path):
    """A file whose reads reach the disk, where that is allowed."""
    try:
        return os.open(path, os.O_RDONLY | os.O_DIRECT)
    except OSError:
        return os.open(path, os.O_RDONLY)


def large_files():
    """The larger files of the base image, the same ones for sender and receiver."""
    sizes = {}
    for folder, _, names in os.walk("/usr/lib"):
        for name in names:
            path = f"{folder}/{name}"
            if not os.path.islink(path):
                sizes[path] = os.stat(path).st_size
    return sorted((path for path in sizes if sizes[path] >= 1 << 20), key=lambda p: -sizes[p])


def read_block(file, buffer, place):
    """Read from the disk; where O_DIRECT is denied, ask the kernel to forget the pages first."""
    os.posix_fadvise(file, place, len(buffer), DONTNEED)
    os.preadv(file, [buffer], place)


def disk_send(bits, start):
    """Read much from the disk for ones."""
    files = [uncached(path) for path in large_files()[:4]]
    buffer = mmap.mmap(-1, 1 << 20)
    for bit, (_, end) in zip(bits, slots(len(bits), start), strict=False):
        number = 0
        while bit == "1" and time.time() < end - 0.5 * SLOT_S:
            read_block(files[number % len(files)], buffer, 0)
            number += 1


def first_number(path, field=0):
    with open(path) as file:
        return int(file.read().split()[field])


def sampled(count, start, read):
    """A number in the middle of each slot."""
    found = []
    for begin, _ in slots(count, start):
        until(begin + 0.6 * SLOT_S)
        found.append(read())
    return found


def above_middle(values):
    """Half of the bits are ones; a value that stands out alone must not move the border."""
    ordered = sorted(values)
    middle = (ordered[len(ordered) // 2 - 1] + ordered[len(ordered) // 2]) / 2
    return [int(value > middle) for value in values]


def open_files_receive(count, start):
    return above_middle(sampled(count, start, lambda: first_number("/proc/sys/fs/file-nr")))


def held_by_sysinfo():
    """`sharedram` of sysinfo(2): the third number after the load averages, in its own units."""
    facts = (ctypes.c_ulong * 64)()
    call(SYSINFO, facts)
    return facts[6]


def held_by_file(path):
    with open(path) as file:
        return next(int(line.split()[-2]) for line in file if "Shmem:" in line)


def memory_receive(count, start):
    """By whichever counter of the host can be read."""
    ways = [
        held_by_sysinfo,
        lambda: held_by_file("/proc/meminfo"),
        lambda: held_by_file("/sys/devices/system/node/node0/meminfo"),
    ]
    for way in ways:
        try:
            way()
        except (OSError, StopIteration):
            continue
        return above_middle(sampled(count, start, way))
    raise OSError(errno.EPERM, "no counter of memory can be read")


def sectors_read():
    """What all disks have read, by whichever counter can be read."""
    with contextlib.suppress(OSError, IndexError, ValueError), open("/proc/diskstats") as file:
        if lines := file.read().splitlines():
            return sum(int(line.split()[5]) for line in lines)
    folder = "/sys/block"
    return sum(first_number(f"{folder}/{disk}/stat", 2) for disk in must(os.listdir(folder)))


def must(found):
    if not found:
        raise OSError(errno.ENOENT, "nothing can be seen")
    return found


def disk_receive(count, start):
    """How much all disks read in each slot."""
    sectors_read()
    seen = []
    for _, end in slots(count, start):
        first = sectors_read()
        until(end - 0.2 * SLOT_S)
        seen.append(sectors_read() - first)
    return above_middle(seen)


def new_id():
    reader, writer = os.pipe()
    number = os.fstat(reader).st_ino
    os.close(reader)
    os.close(writer)
    return number


def ids_receive(count, start):
    seen = []
    for _, end in slots(count, start):
        first = new_id()
        until(end - 0.1 * SLOT_S)
        seen.append(new_id() - first)
    return [int(each > 300) for each in seen]


def load_receive(count, start):
    turns = []
    for begin, _ in slots(count, start):
        done = 0
        while time.time() < begin + 0.8 * SLOT_S:
            done += 1
        turns.append(-done)
    return above_middle(turns)


def main():
    role, channel, what, start = sys.argv[1:5]
    work = globals()[f"{channel}_{role}"]
    moment = [float(start)] if float(start) else []
    if role == "send":
        work(what, *moment)
        say(sent=True)
        time.sleep(float(os.environ.get("LINGER", "0")))
        return
    try:
        say(bits=work(int(what), *moment))
    except (OSError, IndexError, ValueError) as error:
        say(bits=None, error=errno.errorcode.get(getattr(error, "errno", 0), repr(error)))


main()
