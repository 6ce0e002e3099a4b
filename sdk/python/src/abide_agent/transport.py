"""The three ways to a keeper: its pipe (stdin and stdout), a Unix socket, TCP on this machine.

Knows bytes only. `claim_stdio` takes stdin and stdout away from the rest of the process, so that neither `print`
nor a child that writes to stdout can break a frame: both land on stderr.
"""

from __future__ import annotations

import os
import socket
import sys
from typing import Optional, Protocol

from . import limits


class Transport(Protocol):
    """A stream of bytes in both directions, for one reader and one writer thread."""

    def read(self) -> bytes:
        """Waits for bytes; `b""` at the end. Raises OSError."""

    def write(self, data: bytes) -> None:
        """Writes everything. Raises OSError."""

    def close(self) -> None:
        """Ends both directions and wakes a waiting reader, where the system can."""


class PipeTransport:
    """Two file descriptors."""

    def __init__(self, fd_in: int, fd_out: int) -> None:
        self._in = fd_in
        self._out = fd_out

    def read(self) -> bytes:
        return os.read(self._in, limits.READ_BYTES)

    def write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._out, rest) :]

    def close(self) -> None:
        if self._out >= 0:
            os.close(self._out)
            self._out = -1


class SocketTransport:
    """A connected stream socket."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock

    def read(self) -> bytes:
        return self._sock.recv(limits.READ_BYTES)

    def write(self, data: bytes) -> None:
        self._sock.sendall(data)

    def close(self) -> None:
        try:
            self._sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the other side was first
        self._sock.close()


def claim_stdio() -> PipeTransport:
    """Takes the frames' descriptors for this package alone; from here on descriptor 1 is stderr and 0 is empty."""
    fd_in, fd_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout.flush()  # only now: what was printed before and still waits goes to stderr too
    sys.stdout = sys.stderr
    return PipeTransport(fd_in, fd_out)


def connect(address: str) -> SocketTransport:
    """Connects to `unix:/path` or `tcp:host:port`. Raises OSError, and ValueError for any other form."""
    scheme, _, rest = address.partition(":")
    if scheme == "unix" and rest:
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            sock.settimeout(limits.CONNECT_S)
            sock.connect(rest)
        except OSError:
            sock.close()
            raise
    elif scheme == "tcp" and ":" in rest:
        host, _, port = rest.rpartition(":")
        sock = socket.create_connection((host.strip("[]"), int(port)), timeout=limits.CONNECT_S)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    else:
        raise ValueError(f"cannot connect to {address!r}: it must be unix:/path or tcp:host:port")
    sock.settimeout(None)
    return SocketTransport(sock)


def started_by_keeper(environ_run: Optional[str]) -> bool:
    """Tells whether stdin and stdout are a keeper's: it names the run, and nobody types at them."""
    return environ_run is not None and not os.isatty(0)
