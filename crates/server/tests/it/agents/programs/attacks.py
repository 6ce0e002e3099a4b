"""A hostile agent of the tests: attacks its keeper, a sibling and a bystander, and answers with what came of each attack.

Its message is an object with the targets; its answer is an object from the number of an attack to `done` or to the error
that held it. Nothing that it does harms more than the targets that the message names.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import signal
import socket
import stat
import struct
from typing import Any, Callable, Dict

from abide_agent import Agent, Turn

libc = ctypes.CDLL(None, use_errno=True)
# Numbers of system calls that the library does not wrap, on x86-64 and elsewhere.
IS_X86 = os.uname().machine == "x86_64"
PTRACE, PROCESS_VM_READV = (101, 310) if IS_X86 else (117, 270)
CHANGE_MODE_AT = 268 if IS_X86 else 53
OPEN_AT_2, CHANGE_MODE_AT_2 = 437, 452
OPEN = 2
AT_FDCWD, AT_SYMLINK_FOLLOW = -100, 0x400
ADD_KEY, PRLIMIT, UNSHARE = (248, 302, 272) if IS_X86 else (217, 261, 97)
IO_URING_SETUP, PIDFD_GETFD = 425, 438
PTRACE_SEIZE, PTRACE_DETACH = 0x4206, 17
CLONE_NEWUSER = 0x10000000
USER_KEYRING = -4
RLIMIT_FSIZE = 1
MPTCP = 262
MSG_FASTOPEN = 0x20000000
VSOCK = 40


def call(number: int, *args: Any) -> int:
    result = libc.syscall(number, *args)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result


def read(path: str, size: int = 4096) -> bytes:
    with open(path, "rb", buffering=0) as file:
        found = file.read(size)
    if not found:
        raise OSError(0, "nothing there")
    return found


def linked(token: str) -> None:
    if os.path.exists("stolen"):
        os.unlink("stolen")
    os.link(token, "stolen")
    read("stolen")


def in_child(attack: Callable[[], Any]) -> None:
    """What would stay with this process is done in another."""
    child = os.fork()
    if child == 0:
        code = 0
        try:
            attack()
        except OSError as error:
            code = error.errno or 255
        except MemoryError:
            code = 12
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if status:
        code = os.waitstatus_to_exitcode(status)
        raise OSError(abs(code), os.strerror(code) if code > 0 else f"signal {-code}")


def memory_of(pid: int) -> None:
    start = int(read(f"/proc/{pid}/maps").split(b"-")[0], 16)
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        memory.seek(start)
        memory.read(8)


def trace(pid: int) -> None:
    call(PTRACE, PTRACE_SEIZE, pid, 0, 0)
    os.kill(pid, 0)
    libc.syscall(PTRACE, PTRACE_DETACH, pid, 0, 0)


def peek(pid: int) -> None:
    buffer = ctypes.create_string_buffer(8)
    local = struct.pack("PN", ctypes.addressof(buffer), 8)
    # Where nothing is mapped the error is another than that of a process which may not be read.
    remote = struct.pack("PN", 0x1000, 8)
    try:
        call(PROCESS_VM_READV, pid, local, 1, remote, 1, 0)
    except OSError as error:
        if error.errno != 14:
            raise


def descriptor_of(pid: int) -> None:
    process = os.pidfd_open(pid)
    os.close(call(PIDFD_GETFD, process, 0, 0))


def own(pid: int) -> None:
    left, right = socket.socketpair()
    fcntl.fcntl(left, fcntl.F_SETOWN, pid)
    fcntl.fcntl(left, fcntl.F_SETSIG, signal.SIGUSR1)
    fcntl.fcntl(left, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    right.send(b"x")


def connect(family: int, kind: int, address: Any, protocol: int = 0) -> None:
    with socket.socket(family, kind, protocol) as stream:
        stream.settimeout(5)
        stream.connect(address)


def datagram(port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"out", ("127.0.0.1", port))


def fast_open(port: int) -> None:
    connect(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", port), MPTCP)
    with socket.socket() as stream:
        stream.sendto(b"out", MSG_FASTOPEN, ("127.0.0.1", port))


def ring() -> None:
    os.close(call(IO_URING_SETUP, 1, ctypes.create_string_buffer(120)))


def key() -> None:
    call(ADD_KEY, b"user", b"abide-test", b"x", ctypes.c_size_t(1), USER_KEYRING)


def heap() -> None:
    held = bytearray(1 << 30)
    held[-1] = 1


def left_running_as_its_user(make: Callable[[str], Any]) -> None:
    """Leaves a file that runs as its user or group, whoever runs it."""
    if os.path.exists("left"):
        os.unlink("left")
    with open("left", "wb"):
        make("left")
    found = os.stat("left").st_mode
    os.unlink("left")
    if not found & (stat.S_ISUID | stat.S_ISGID):
        raise OSError(0, f"mode {found:o}")


def made(path: str) -> None:
    os.unlink(path)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o6755))


def made_by_an_old_call(path: str) -> None:
    if not IS_X86:
        raise OSError(0, "there is no such call")
    os.unlink(path)
    os.close(call(OPEN, path.encode(), os.O_WRONLY | os.O_CREAT, 0o4755))


def made_without_a_name(path: str) -> None:
    nameless = os.open(".", os.O_WRONLY | os.O_TMPFILE, 0o4755)
    os.unlink(path)
    link = f"/proc/self/fd/{nameless}".encode()
    if libc.linkat(AT_FDCWD, link, AT_FDCWD, path.encode(), AT_SYMLINK_FOLLOW) < 0:
        raise OSError(ctypes.get_errno(), "it gets no name")
    os.close(nameless)


def made_as_a_node(path: str) -> None:
    os.unlink(path)
    os.mknod(path, stat.S_IFREG | 0o4755)


def made_by_the_second_open(path: str) -> None:
    os.unlink(path)
    how = struct.pack("QQQ", os.O_WRONLY | os.O_CREAT, 0o4755, 0)
    os.close(call(OPEN_AT_2, AT_FDCWD, path.encode(), how, ctypes.c_size_t(len(how))))


def changed_through_a_descriptor(path: str) -> None:
    with open(path, "rb") as file:
        os.fchmod(file.fileno(), 0o4755)


def rights_of_its_user() -> Dict[str, Callable[[], Any]]:
    def attack(make: Callable[[str], Any]) -> Callable[[], Any]:
        return lambda: left_running_as_its_user(make)

    return {
        "25 user": attack(lambda path: os.chmod(path, 0o4755)),
        "25 group": attack(lambda path: os.chmod(path, 0o2755)),
        "25 descriptor": attack(changed_through_a_descriptor),
        "25 at": attack(lambda path: call(CHANGE_MODE_AT, AT_FDCWD, path.encode(), 0o4755)),
        "25 at 2": attack(
            lambda path: call(CHANGE_MODE_AT_2, AT_FDCWD, path.encode(), 0o4755, 0)
        ),
        "25 made": attack(made),
        "25 made before": attack(made_by_an_old_call),
        "25 made 2": attack(made_by_the_second_open),
        "25 no name": attack(made_without_a_name),
        "25 node": attack(made_as_a_node),
    }


def attacks(at: Dict[str, Any]) -> Dict[str, Callable[[], Any]]:
    home, keeper, sibling, bystander = at["home"], at["keeper"], at["sibling"], at["bystander"]
    token, database = f"{home}/token", f"{home}/agents/{at['other']}/knowledge.db"
    return {
        "1": lambda: read(token),
        "2": lambda: linked(token),
        "3": lambda: read(f"/proc/{keeper}/environ"),
        "4": lambda: memory_of(keeper),
        "5": lambda: read(f"/proc/{keeper}/root{token}"),
        "6 ptrace": lambda: trace(bystander),
        "6 peek": lambda: peek(keeper),
        "7": lambda: descriptor_of(keeper),
        "8": lambda: read(f"/proc/{keeper}/cmdline"),
        "9": lambda: os.kill(keeper, signal.SIGCONT),
        "9 pidfd": lambda: signal.pidfd_send_signal(os.pidfd_open(keeper), signal.SIGCONT),
        "10": lambda: own(bystander),
        "11": lambda: call(PRLIMIT, bystander, RLIMIT_FSIZE, struct.pack("NN", 1000, 1000), 0),
        "12": lambda: read(f"/proc/{sibling}/environ"),
        "12 kill": lambda: os.kill(sibling, signal.SIGCONT),
        "13": lambda: os.setpriority(os.PRIO_PROCESS, bystander, 5),
        "14": lambda: os.chmod(home, 0o755),
        "15": lambda: os.close(os.open(database, os.O_WRONLY | os.O_APPEND)),
        "15 mv": lambda: os.rename(database, f"{database}.moved"),
        "16": lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, f"{home}/keeper.sock"),
        "17": lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, "\0" + at["abstract"]),
        "18": lambda: connect(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", at["tcp"])),
        "19": lambda: fast_open(at["tcp"]),
        "20": lambda: datagram(at["udp"]),
        "21 vsock": lambda: socket.socket(VSOCK, socket.SOCK_STREAM).close(),
        "21 ring": ring,
        "22": lambda: in_child(lambda: call(UNSHARE, CLONE_NEWUSER)),
        "23": key,
        "24": lambda: in_child(heap),
        **rights_of_its_user(),
    }


def answer(turn: Turn) -> str:
    if turn.message == "environment":
        return json.dumps(dict(os.environ))
    outcomes = {}
    for name, attack in attacks(json.loads(turn.message)).items():
        try:
            attack()
            outcomes[name] = "done"
        except (OSError, ValueError) as error:
            outcomes[name] = f"held: {error}"
    return json.dumps(outcomes)


Agent("attacks").run(answer)
