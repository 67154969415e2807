"""Runs inside a container: tries one thing after another and prints what the kernel answered.

One JSON line per attempt: its name and "OK", an errno name, or the signal that ended it. Each is
tried in a child process of its own, so that one that kills does not end the others.
"""

# mypy: ignore-errors

import ctypes
import errno
import json
import mmap
import os
import resource
import signal
import socket
import struct
import sys
import threading
import time

CONFIG = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
libc = ctypes.CDLL(None, use_errno=True)
BUFFER = ctypes.create_string_buffer(4096)


def call(number, *args):
    """One raw system call; fails like Python does."""
    if libc.syscall(number, *args) == -1:
        raise OSError(ctypes.get_errno(), "")


def bad_pointer(number, *args):
    """A call that cannot work: any errno but EPERM or ENOSYS means that it got in."""
    try:
        call(number, *args)
    except OSError as error:
        if error.errno in (errno.EPERM, errno.EACCES, errno.ENOSYS):
            raise


def write(path, data="x"):
    with open(path, "w") as file:
        file.write(data)


def read(path):
    with open(path, "rb") as file:
        if not file.read(4096):
            raise OSError(errno.ENODATA, "empty")


def listing(path):
    if not os.listdir(path):
        raise OSError(errno.ENODATA, "empty")


def see(path):
    """Read a file or list a folder, whichever it is."""
    (listing if os.path.isdir(path) else read)(path)


def sock(family, kind=socket.SOCK_STREAM, protocol=0):
    socket.socket(family, kind, protocol).close()


def connect(family, address, kind=socket.SOCK_STREAM):
    with socket.socket(family, kind) as s:
        s.settimeout(2)
        s.connect(address)
        s.send(b"canary")
        if kind == socket.SOCK_DGRAM:
            # Nobody there is known only after the first datagram has come back as an error.
            time.sleep(0.1)
            s.send(b"canary")


def loopback():
    with socket.create_server(("127.0.0.1", 0)) as server:
        connect(socket.AF_INET, server.getsockname())


def unix_pair():
    a, b = socket.socketpair()
    a.send(b"x")
    b.recv(1)


def execute(code):
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    result = ctypes.CFUNCTYPE(ctypes.c_long)(address)()
    if result < 0:
        raise OSError(-result, "")


def run_file(path, content=b"#!/bin/sh\nexit 0\n"):
    with open(path, "wb") as file:
        file.write(content)
    os.chmod(path, 0o755)
    if os.spawnv(os.P_WAIT, path, [path]) == 127:
        raise OSError(errno.EACCES, "")


def memfd_exec():
    descriptor = os.memfd_create("x", 0)
    with open("/bin/true", "rb") as file:
        os.write(descriptor, file.read())
    path = f"/proc/self/fd/{descriptor}"
    if os.spawnv(os.P_WAIT, path, ["true"]) != 0:
        raise OSError(errno.EACCES, "")


def suid(path):
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.dup2(writer, 1)
        os.execv(path, [path, "-u"])
    os.close(writer)
    os.wait()
    if os.read(reader, 100).strip() != b"0":
        raise OSError(errno.EPERM, "")


def thread():
    t = threading.Thread(target=lambda: None)
    t.start()
    t.join()


def see_others():
    own = {p for p in os.listdir("/proc") if p.isdigit()}
    mine = {str(os.getpid()), str(os.getppid()), "1"}
    if own <= mine:
        raise OSError(errno.ESRCH, "")


def kill_all():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for pid in range(2, 5000):
        if pid in (os.getpid(), os.getppid()):
            continue
        try:
            os.kill(pid, 0)
            return
        except ProcessLookupError:
            continue
    raise OSError(errno.ESRCH, "")


def raise_limit(which):
    _, hard = resource.getrlimit(which)
    resource.setrlimit(which, (hard + 1, hard + 1))


def lower_oom():
    write("/proc/self/oom_score_adj", "-1000")


def negative_nice():
    os.nice(-5)


def other_core():
    os.sched_setaffinity(0, {1})


def fifo():
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))


def user_namespace():
    call(272, 0x10000000)


def shared_dir(change):
    target = CONFIG.get("shared", "/run/bullring")
    path = f"{target}/canary"
    if change == "create":
        write(path)
    elif change == "symlink":
        os.symlink("/etc/passwd", f"{target}/link")
    elif change == "unlink":
        os.unlink(f"{target}/referee.sock")
    elif change == "rename":
        os.rename(f"{target}/referee.sock", f"{target}/moved")
    elif change == "chmod":
        os.chmod(f"{target}/referee.sock", 0o777)


def lock_file(path):
    import fcntl

    with open(path) as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


AF = {
    "vsock": 40,
    "alg": 38,
    "packet": 17,
    "xdp": 44,
    "bluetooth": 31,
    "can": 29,
    "tipc": 30,
    "x25": 9,
    "rds": 21,
    "kcm": 41,
    "qipcrtr": 42,
    "nfc": 39,
    "smc": 43,
    "llc": 26,
    "key": 15,
}

CALLS = {
    "ptrace": (101, 0, 0, 0, 0),
    "process_vm_readv": (310, 1, 0, 0, 0, 0, 0),
    "process_vm_writev": (311, 1, 0, 0, 0, 0, 0),
    "kcmp": (312, 1, 1, 0, 0, 0),
    "add_key": (248, b"user", b"x", b"y", 1, -3),
    "request_key": (249, b"user", b"x", 0, 0),
    "keyctl": (250, 0, -3, 0),
    "bpf": (321, 0, 0, 0),
    "userfaultfd": (323, 0),
    "perf_event_open": (298, 0, 0, -1, -1, 0),
    "unshare_mount": (272, 0x20000),
    "unshare_net": (272, 0x40000000),
    "setns": (308, 0, 0),
    "mount": (165, 0, b"/tmp", b"tmpfs", 0, 0),
    "umount": (166, b"/tmp", 0),
    "pivot_root": (155, b"/tmp", b"/tmp"),
    "chroot": (161, b"/tmp"),
    "init_module": (175, 0, 0, 0),
    "finit_module": (313, -1, 0, 0),
    "delete_module": (176, 0, 0),
    "kexec_load": (246, 0, 0, 0, 0),
    "kexec_file_load": (320, -1, -1, 0, 0, 0),
    "reboot": (169, 0, 0, 0, 0),
    "syslog": (103, 3, BUFFER, 100),
    "mknod_device": (133, b"/tmp/d", 0o20666, 0x103),
    "settimeofday": (164, 0, BUFFER),
    "clock_settime": (227, 0, BUFFER),
    "adjtimex": (159, 0),
    "clock_adjtime": (305, 0, 0),
    "swapon": (167, b"/tmp/x", 0),
    "swapoff": (168, b"/tmp/x"),
    "acct": (163, 0),
    "quotactl": (179, 0, 0, 0, 0),
    "io_uring_setup": (425, 1, BUFFER),
    "io_uring_enter": (426, -1, 0, 0, 0, 0),
    "io_setup": (206, 1, BUFFER),
    "open_by_handle_at": (304, -1, 0, 0),
    "name_to_handle_at": (303, -100, b"/", 0, 0, 0),
    "fanotify_init": (300, 0, 0),
    "iopl": (172, 3),
    "ioperm": (173, 0, 1, 1),
    "modify_ldt": (154, 0, 0, 0),
    "personality_no_aslr": (135, 0x40000),
    "shmget": (29, 1, 4096, 0o1666),
    "msgget": (68, 1, 0o1666),
    "semget": (64, 1, 1, 0o1666),
    "mq_open": (240, b"q", 0o102, 0o666, 0),
    "mbind": (237, 0, 0, 0, 0, 0, 0),
    "set_mempolicy": (238, 0, 0, 0),
    "move_pages": (279, 0, 0, 0, 0, 0, 0),
    "migrate_pages": (256, 0, 0, 0, 0),
    "sethostname": (170, b"x", 1),
    "setdomainname": (171, b"x", 1),
    "vhangup": (153,),
    "memfd_secret": (447, 0),
    "pidfd_getfd": (438, -1, 0, 0),
    "process_madvise": (440, -1, 0, 0, 0, 0),
    "splice": (275, -1, 0, -1, 0, 0, 0),
    "tee": (276, -1, -1, 0, 0),
    "vmsplice": (278, -1, 0, 0, 0),
    "fsopen": (430, b"tmpfs", 0),
    "fsmount": (432, -1, 0, 0),
    "move_mount": (429, -1, b"", -1, b"", 0),
    "open_tree": (428, -100, b"/", 1),
    "mount_setattr": (442, -100, b"/", 0, 0, 0),
    "ioprio_set": (251, 1, 0, 0),
    "setuid_root": (105, 0),
    "setgid_root": (106, 0),
    "chown": (92, b"/tmp", 0, 0),
    "capset": (126, 0, 0),
    "sync": (162,),
    "syncfs": (306, -1),
    "landlock": (444, 0, 0, 1),
    "seccomp": (317, 2, 0, 0),
    "inotify_init": (253,),
    "inotify_init1": (294, 0),
    "lookup_dcookie": (212, 0, 0, 0),
    "clone3": (435, 0, 0),
    "cachestat": (451, -1, 0, 0, 0),
    "rtas_uselib": (134, b"/tmp/x"),
    "sysfs": (139, 3),
    "ustat": (136, 0, BUFFER),
    "remap_file_pages": (216, 0, 0, 0, 0, 0),
    "mlockall": (151, 1),
    "setxattr": (188, b"/tmp", b"user.x", b"y", 1, 0),
    "set_thread_area": (205, 0),
    "nfsservctl": (180, 0, 0, 0),
    # Whether and how a file's pages are in memory, and moving them.
    "mincore": (27, 0, 0, 0),
    "preadv2_nowait": (327, -1, 0, 0, 0, 0, 8),
    "madvise_cold": (28, 0, 0, 20),
    "madvise_pageout": (28, 0, 0, 21),
    "madvise_mergeable": (28, 0, 0, 12),
    "madvise_collapse": (28, 0, 0, 25),
    "merge_memory": (157, 68, 0, 0, 0, 0),
    # Reading the disk past the memory.
    "open_direct": (2, b"/nowhere", 0o40000),
    "openat_direct": (257, -100, b"/nowhere", 0o40000),
    "openat2": (437, -100, b"/nowhere", 0, 0),
    "fcntl_direct": (72, -1, 4, 0o40000),
    "sysinfo": (99, BUFFER),
}

READS = {
    "loadavg": "/proc/loadavg",
    "interrupts": "/proc/interrupts",
    "kcore": "/proc/kcore",
    "kallsyms": "/proc/kallsyms",
    "locks": "/proc/locks",
    "diskstats": "/proc/diskstats",
    "vmstat": "/proc/vmstat",
    "cmdline": "/proc/cmdline",
    "timer_list": "/proc/timer_list",
    "sched_debug": "/proc/sched_debug",
    "keys": "/proc/keys",
    "kmsg": "/dev/kmsg",
    "mem": "/dev/mem",
    "pressure": "/proc/pressure/cpu",
    "slabinfo": "/proc/slabinfo",
    "modules": "/proc/modules",
    "swaps": "/proc/swaps",
    "partitions": "/proc/partitions",
    "meminfo": "/proc/meminfo",
    "cpuinfo": "/proc/cpuinfo",
    "uptime": "/proc/uptime",
    "stat": "/proc/stat",
    "mountinfo": "/proc/self/mountinfo",
    "shadow": "/etc/shadow",
    "docker_socket": "/var/run/docker.sock",
    "version": "/proc/version",
    "cgroups": "/proc/cgroups",
    "file_nr": "/proc/sys/fs/file-nr",
    "dentry_state": "/proc/sys/fs/dentry-state",
    "pty_nr": "/proc/sys/kernel/pty/nr",
    "boot_id": "/proc/sys/kernel/random/boot_id",
    "entropy": "/proc/sys/kernel/random/entropy_avail",
    "node_vmstat": "/sys/devices/system/node/node0/vmstat",
    "sockstat": "/proc/net/sockstat",
    "softnet_stat": "/proc/net/softnet_stat",
    # Of its own memory alone, but with counts of who else has a page.
    "pagemap": "/proc/self/pagemap",
    "smaps": "/proc/self/smaps",
    "idle_states": "/sys/devices/system/cpu/cpu0/cpuidle/state0/usage",
}
WRITES = {
    "root": "/canary",
    "etc_hosts": "/etc/hosts",
    "resolv_conf": "/etc/resolv.conf",
    "usr": "/usr/canary",
    "bot": "/bot/canary",
    "var_tmp": "/var/tmp/canary",
    "run": "/run/canary",
    "dev": "/dev/canary",
    "mqueue": "/dev/mqueue/canary",
    "sysrq": "/proc/sysrq-trigger",
    "core_pattern": "/proc/sys/kernel/core_pattern",
    "hostname": "/proc/sys/kernel/hostname",
    "cgroup": "/sys/fs/cgroup/pids/pids.max",
    "release_agent": "/sys/fs/cgroup/memory/release_agent",
    "uevent_helper": "/sys/kernel/uevent_helper",
    "tmp": "/tmp/canary",
    "shm": "/dev/shm/canary",
    "opt": "/opt/canary",
    "proc_self_mem": "/proc/1/mem",
}
LISTS = {
    "sys_firmware": "/sys/firmware",
    "sys_kernel": "/sys/kernel",
    "sys_class": "/sys/class",
    "sys_module": "/sys/module",
    "sys_block": "/sys/block",
    "sys_devices": "/sys/devices",
    "sys_ext4": "/sys/fs/ext4",
    "proc_fs": "/proc/fs",
    "proc_irq": "/proc/irq",
    "proc_bus": "/proc/bus",
    "acpi": "/proc/acpi",
    "scsi": "/proc/scsi",
}

ATTEMPTS = {f"call {name}": (lambda a=args: bad_pointer(*a)) for name, args in CALLS.items()}
ATTEMPTS |= {f"read {name}": (lambda p=path: read(p)) for name, path in READS.items()}
ATTEMPTS |= {f"write {name}": (lambda p=path: write(p)) for name, path in WRITES.items()}
ATTEMPTS |= {f"list {name}": (lambda p=path: listing(p)) for name, path in LISTS.items()}
ATTEMPTS |= {
    f"socket {name}": (lambda f=family: sock(f, socket.SOCK_DGRAM)) for name, family in AF.items()
}
ATTEMPTS |= {
    f"shared dir {c}": (lambda c=c: shared_dir(c))
    for c in ("create", "symlink", "unlink", "rename", "chmod")
}
ATTEMPTS |= {
    "socket vsock stream": lambda: sock(40),
    "socket inet": lambda: sock(socket.AF_INET),
    "socket inet6": lambda: sock(socket.AF_INET6),
    "socket raw icmp": lambda: sock(socket.AF_INET, socket.SOCK_RAW, 1),
    "socket mptcp": lambda: sock(socket.AF_INET, socket.SOCK_STREAM, 262),
    "socket sctp": lambda: sock(socket.AF_INET, socket.SOCK_STREAM, 132),
    "socket netlink route": lambda: sock(16, socket.SOCK_RAW, 0),
    "socket netlink netfilter": lambda: sock(16, socket.SOCK_RAW, 12),
    "socket netlink audit": lambda: sock(16, socket.SOCK_RAW, 9),
    "socket netlink generic": lambda: sock(16, socket.SOCK_RAW, 16),
    "socket unix": unix_pair,
    "loopback inside": loopback,
    "make thread": thread,
    "make process": lambda: os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0),
    "32-bit call": lambda: execute(bytes.fromhex("b814000000cd80c3")),
    "x32 call": lambda: execute(bytes.fromhex("b8270000400f05c3")),
    "execute from tmp": lambda: run_file("/tmp/run.sh"),
    "execute from shm": lambda: run_file("/dev/shm/run.sh"),
    "execute from memfd": memfd_exec,
    "become root by setuid file": lambda: suid("/setuid-id"),
    "open baked device": lambda: os.close(os.open("/baked-device", os.O_RDONLY)),
    "open baked disk": lambda: os.close(os.open("/baked-disk", os.O_RDONLY)),
    "make user namespace": user_namespace,
    "see other processes": see_others,
    "signal other processes": kill_all,
    "raise open files": lambda: raise_limit(resource.RLIMIT_NOFILE),
    "raise file size": lambda: raise_limit(resource.RLIMIT_FSIZE),
    "raise core size": lambda: raise_limit(resource.RLIMIT_CORE),
    "protect itself from oom": lower_oom,
    "raise its priority": negative_nice,
    "real-time priority": fifo,
    "leave its cores": other_core,
    "create in mqueue": lambda: os.close(os.open("/dev/mqueue/canary", os.O_CREAT | os.O_RDWR)),
    "make cgroup": lambda: os.mkdir("/sys/fs/cgroup/pids/canary"),
    "huge sparse file": lambda: os.truncate(
        os.open("/tmp/sparse", os.O_CREAT | os.O_RDWR), 1 << 40
    ),
    "lock an image file": lambda: lock_file("/etc/hostname"),
}
for key, address in CONFIG.get("tcp", {}).items():
    ATTEMPTS[f"connect {key}"] = lambda a=address: connect(socket.AF_INET, tuple(a))
for key, address in CONFIG.get("udp", {}).items():
    ATTEMPTS[f"datagram {key}"] = lambda a=address: connect(
        socket.AF_INET, tuple(a), socket.SOCK_DGRAM
    )
for key, path in CONFIG.get("unix", {}).items():
    ATTEMPTS[f"unix {key}"] = lambda p=path: connect(socket.AF_UNIX, p.replace("@", "\0", 1))
for key, path in CONFIG.get("files", {}).items():
    ATTEMPTS[f"file {key}"] = lambda p=path: read(p)
for path in CONFIG.get("masked", []):
    ATTEMPTS[f"see {path}"] = lambda p=path: see(p)
if "name" in CONFIG:
    ATTEMPTS["resolve a name"] = lambda: socket.getaddrinfo(CONFIG["name"], 80)


def one(attempt):
    """What came of one attempt, tried in a child."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(10)
        try:
            attempt()
            answer = "OK"
        except socket.gaierror:
            answer = "NO_NAME"
        except OSError as error:
            answer = errno.errorcode.get(error.errno, str(error))
        except Exception as error:
            # A child that raised would answer nothing, and its parent would wait.
            answer = type(error).__name__
        os.write(writer, answer.encode())
        os._exit(0)
    os.close(writer)
    answer = os.read(reader, 200).decode()
    os.close(reader)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return answer or "DIED"


def main():
    """Try everything, or what was asked for."""
    wanted = CONFIG.get("only") or list(ATTEMPTS)
    for name in wanted:
        print(json.dumps({"name": name, "answer": one(ATTEMPTS[name])}), flush=True)
    with open("/proc/self/status") as file:
        status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    facts = {
        key: status.get(key)
        for key in ("NoNewPrivs", "Seccomp", "CapEff", "CapBnd", "CapPrm", "Uid", "Groups")
    }
    facts |= {
        "pids": [p for p in os.listdir("/proc") if p.isdigit()],
        "interfaces": os.listdir("/sys/class/net")
        if os.path.isdir("/sys/class/net")
        else socket.if_nameindex(),
        "hostname": socket.gethostname(),
        "environ": dict(os.environ),
        "cwd": os.getcwd(),
        "cores": sorted(os.sched_getaffinity(0)),
        "root": sorted(os.listdir("/")),
        "pointer": struct.calcsize("P"),
    }
    print(json.dumps({"facts": facts}), flush=True)


main()
