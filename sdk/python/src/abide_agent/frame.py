"""Bytes to messages and back: four bytes of length (big-endian), then one MessagePack map.

Pure: reads no socket, knows no clock. Never allocates by a promised length; a body over the cap of its type is
passed over, not stored. First station on the way in, last on the way out.
"""

from __future__ import annotations

import struct
from typing import Any, Dict, List, Mapping, Optional, Union

import msgpack

from . import limits
from .errors import BoundaryLost, InvalidMessage, TooLarge

Message = Dict[str, Any]
Item = Union[Message, InvalidMessage]

HEADER = struct.Struct(">I")


def encode(message: Mapping[str, Any]) -> bytes:
    """Packs a message with its length before it, `type` first.

    Raises TooLarge over the cap of its type, InvalidMessage for what MessagePack or the depth limit forbids.
    """
    kind = message.get("type")
    if not isinstance(kind, str):
        raise InvalidMessage("type", "must be text")
    ordered = {"type": kind, **{key: value for key, value in message.items() if key != "type"}}
    body = pack(ordered)
    cap = limits.bytes_max(kind)
    if len(body) > cap:
        raise TooLarge(kind, len(body), cap)
    return HEADER.pack(len(body)) + body


def pack(value: Any) -> bytes:
    """Packs one value, within the depth limit."""
    check_depth(value)
    try:
        packed: bytes = msgpack.packb(value, use_bin_type=True)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidMessage("", f"cannot be packed: {error}") from error
    return packed


def unpack(body: bytes) -> Any:
    """Unpacks one value, within the depth limit. Raises InvalidMessage."""
    try:
        value = msgpack.unpackb(body, raw=False, strict_map_key=False)
    except (ValueError, TypeError, RecursionError, msgpack.exceptions.UnpackException) as error:
        problem = str(error) or type(error).__name__
        raise InvalidMessage("", f"is not MessagePack: {problem}") from error
    check_depth(value)
    return value


def decode(body: bytes) -> Message:
    """Unpacks a body that is one map with a `type`. Raises InvalidMessage; caps are the reader's business."""
    value = unpack(body)
    if not isinstance(value, dict):
        raise InvalidMessage("", "must be a map")
    if not isinstance(value.get("type"), str):
        raise InvalidMessage("type", "must be text")
    return value


def check_depth(value: Any) -> None:
    """Refuses a value whose maps and lists lie more than `DEPTH_MAX` deep."""
    level: List[Any] = [value]
    for _ in range(limits.DEPTH_MAX):
        deeper: List[Any] = []
        for item in level:
            if isinstance(item, dict):
                deeper.extend(child for child in item.values() if isinstance(child, (dict, list, tuple)))
            elif isinstance(item, (list, tuple)):
                deeper.extend(child for child in item if isinstance(child, (dict, list, tuple)))
        if not deeper:
            return
        level = deeper
    raise InvalidMessage("", f"is more than {limits.DEPTH_MAX} levels deep")


def skim_type(start: bytes) -> Optional[str]:
    """Reads `type` off the first bytes of a body, when it is the first key, as encoders write it."""
    key = b"\xa4type"
    if not start or not (0x81 <= start[0] <= 0x8F):
        return None
    if start[1 : 1 + len(key)] != key:
        return None
    at = 1 + len(key)
    if at >= len(start) or not (0xA0 <= start[at] <= 0xBF):
        return None
    end = at + 1 + (start[at] & 0x1F)
    if end > len(start):
        return None
    return start[at + 1 : end].decode("utf-8", "replace")


class FrameReader:
    """Cuts a stream into messages. Feed it whatever arrives."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._length: Optional[int] = None
        self._kind: Optional[str] = None
        self._passing_over = 0

    def feed(self, data: bytes) -> List[Item]:
        """Takes bytes; gives the messages they complete, and an InvalidMessage for each frame that is none.

        Raises BoundaryLost for a length over `FRAME_BYTES_MAX`: what follows cannot be trusted to be a frame.
        """
        self._buffer += data
        items: List[Item] = []
        while True:
            item = self._next()
            if item is None:
                return items
            items.append(item)

    def mid_frame(self) -> bool:
        """Tells whether an end of the stream now would cut a frame in two."""
        return bool(self._buffer) or self._length is not None or self._passing_over > 0

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
        return _message(body)

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
        if self._kind is not None or len(self._buffer) < min(length, limits.SKIM_BYTES):
            return None
        self._kind = skim_type(bytes(self._buffer[: min(length, limits.SKIM_BYTES)])) or ""
        cap = limits.bytes_max(self._kind) if self._kind else limits.FRAME_BYTES_MAX
        if length <= cap:
            return None
        refused = TooLarge(self._kind, length, cap)
        self._passing_over, self._length, self._kind = length, None, None
        return refused


def _message(body: bytes) -> Item:
    try:
        message = decode(body)
    except InvalidMessage as error:
        return error
    cap = limits.bytes_max(message["type"])
    if len(body) > cap:
        return TooLarge(message["type"], len(body), cap)
    return message
