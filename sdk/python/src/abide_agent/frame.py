"""Bytes to messages and back: four bytes of length (big-endian), then one MessagePack map.

Pure: reads no socket, knows no clock. Never allocates by a promised length; a body over the cap of its type is
passed over, not stored. What the reader gives is whole and checked; first station on the way in, last on the way out.
"""

from __future__ import annotations

import struct
from typing import Any, Dict, Iterator, Mapping, Optional, Union

from . import limits
from .check import FROM_AGENT, Direction, check
from .errors import BoundaryLost, InvalidMessage, TooLarge
from .packing import pack, unpack

Message = Dict[str, Any]
Item = Union[Message, InvalidMessage]

HEADER = struct.Struct(">I")


def encode(message: Mapping[str, Any], direction: Direction = FROM_AGENT) -> bytes:
    """Packs a message with its length before it, `type` first.

    Raises TooLarge over the cap of its type, InvalidMessage for what the other side would refuse.
    """
    check(message, direction)
    kind = message["type"]
    body = pack({"type": kind, **{key: value for key, value in message.items() if key != "type"}})
    cap = direction.bytes_max(kind)
    if len(body) > cap:
        raise TooLarge(kind, len(body), cap)
    return HEADER.pack(len(body)) + body


def decode(body: bytes, direction: Direction) -> Message:
    """Unpacks a body that is one message of this direction. Raises InvalidMessage."""
    message = unpack(body)
    if not isinstance(message, dict):
        raise InvalidMessage("", "type", "must be a map")
    kind = message.get("type")
    cap = direction.bytes_max(kind) if isinstance(kind, str) else limits.FRAME_BYTES_MAX
    if len(body) > cap:
        raise TooLarge(str(kind)[:64], len(body), cap)
    check(message, direction)
    return message


def skim_type(start: bytes) -> Optional[str]:
    """Reads `type` off the first bytes of a body, when it is the first key, as encoders write it.

    Gives "" when it is not; None when more bytes must come first.
    """
    key = b"\xa4type"
    if not start:
        return None
    at = 3 if start[0] == 0xDE else 1
    if not (0x81 <= start[0] <= 0x8F or start[0] == 0xDE) or not key.startswith(start[at : at + len(key)]):
        return ""
    at += len(key)
    if at >= len(start):
        return None
    if not 0xA0 <= start[at] <= 0xBF:
        return ""
    end = at + 1 + (start[at] & 0x1F)
    return start[at + 1 : end].decode("utf-8", "replace") if end <= len(start) else None


class FrameReader:
    """Cuts a stream into the messages of one direction. Feed it whatever arrives."""

    def __init__(self, direction: Direction) -> None:
        self._direction = direction
        self._buffer = bytearray()
        self._length: Optional[int] = None
        self._kind: Optional[str] = None
        self._passing_over = 0

    def feed(self, data: bytes) -> Iterator[Item]:
        """Takes bytes; gives the messages they complete, and an InvalidMessage for each frame that is none.

        Raises BoundaryLost for a length over `FRAME_BYTES_MAX`, after what came before it: what follows cannot be
        trusted to be a frame.
        """
        self._buffer += data
        return self._items()

    def mid_frame(self) -> bool:
        """Tells whether an end of the stream now would cut a frame in two."""
        return bool(self._buffer) or self._length is not None or self._passing_over > 0

    def _items(self) -> Iterator[Item]:
        item = self._next()
        while item is not None:
            yield item
            item = self._next()

    def _next(self) -> Optional[Item]:
        if self._passing_over:
            gone = min(self._passing_over, len(self._buffer))
            del self._buffer[:gone]
            self._passing_over -= gone
            if self._passing_over:
                return None
        if self._length is None and not self._read_length():
            return None
        length = self._length or 0
        refused = self._check_cap(length)
        if refused is not None:
            return refused
        if len(self._buffer) < length:
            return None
        body = bytes(memoryview(self._buffer)[:length])
        del self._buffer[:length]
        self._length = self._kind = None
        try:
            return decode(body, self._direction)
        except InvalidMessage as error:
            return error

    def _read_length(self) -> bool:
        if len(self._buffer) < HEADER.size:
            return False
        (length,) = HEADER.unpack_from(self._buffer)
        if length > limits.FRAME_BYTES_MAX:
            raise BoundaryLost(f"a frame of {length} bytes is over the limit of {limits.FRAME_BYTES_MAX}")
        del self._buffer[: HEADER.size]
        self._length = length
        return True

    def _check_cap(self, length: int) -> Optional[InvalidMessage]:
        """Refuses a body over its type's cap as soon as the type is there."""
        if self._kind is not None:
            return None
        self._kind = skim_type(bytes(self._buffer[: min(length, limits.SKIM_BYTES)]))
        if self._kind is None and len(self._buffer) >= min(length, limits.SKIM_BYTES):
            self._kind = ""
        cap = self._direction.bytes_max(self._kind) if self._kind else limits.FRAME_BYTES_MAX
        if length <= cap:
            return None
        refused = TooLarge(self._kind or "", length, cap)
        self._passing_over, self._length, self._kind = length, None, None
        return refused
