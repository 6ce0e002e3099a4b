"""One MessagePack value to bytes and back, within the depth that every message keeps to.

The C decoder of `msgpack` does the work; only a body that it refuses is walked over here, byte by byte, to say where it
is wrong and why. Nothing is allocated because a body promised it. Knows no messages and no fields.
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import msgpack

from . import limits
from .errors import InvalidMessage


def pack(value: Any) -> bytes:
    """Packs one value, within the depth limit. Raises InvalidMessage."""
    if depth(value) > limits.DEPTH_MAX:
        raise too_deep()
    try:
        packed: bytes = msgpack.packb(value, use_bin_type=True)
    except UnicodeError as error:
        raise InvalidMessage("", "utf8", f"cannot be packed: {error}") from error
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidMessage("", "value", f"cannot be packed: {error}") from error
    return packed


def unpack(body: bytes) -> Any:
    """Unpacks one value, within the depth limit. Raises InvalidMessage."""
    try:
        value = msgpack.unpackb(body, raw=False, strict_map_key=False, object_pairs_hook=_map)
    except (ValueError, TypeError, RecursionError, msgpack.exceptions.UnpackException) as error:
        raise _diagnosed(body, error) from error
    if depth(value) > limits.DEPTH_MAX:
        raise too_deep()
    return value


def depth(value: Any) -> int:
    """Tells how deep maps and lists lie inside each other; stops counting one beyond the limit."""
    level: List[Any] = [value] if isinstance(value, (dict, list, tuple)) else []
    levels = 0
    while level and levels <= limits.DEPTH_MAX:
        deeper: List[Any] = []
        for item in level:
            children = item.values() if isinstance(item, dict) else item
            deeper.extend(child for child in children if isinstance(child, (dict, list, tuple)))
        level = deeper
        levels += 1
    return levels


def too_deep() -> InvalidMessage:
    """Names the problem of a value that is nested too deeply."""
    return InvalidMessage("", "depth", f"is more than {limits.DEPTH_MAX} levels deep")


def _map(pairs: List[Tuple[Any, Any]]) -> Dict[Any, Any]:
    whole = dict(pairs)
    if len(whole) != len(pairs):
        raise ValueError("a key is given twice")
    return whole


def _diagnosed(body: bytes, error: Exception) -> InvalidMessage:
    try:
        _walk(body)
    except InvalidMessage as found:
        return found
    return InvalidMessage("", "malformed", f"is not MessagePack: {error or type(error).__name__}")


class _Head(NamedTuple):
    """The beginning of a value: where its contents begin, their bytes, and the values inside (of a map, both halves)."""

    start: int
    bytes: int = 0
    items: int = 0
    kind: str = ""


class _Open:
    """A map or list that is being walked over."""

    def __init__(self, head: _Head) -> None:
        self.left = head.items
        self.is_map = head.kind == "map"
        self.keys: Dict[bytes, None] = {}
        self.at = -1
        self.key: Optional[bytes] = None

    def next_is_key(self) -> bool:
        return self.is_map and self.left % 2 == 0

    def name(self) -> str:
        if not self.is_map:
            return f"[{self.at}]"
        return "" if self.key is None else "." + self.key.decode("utf-8", "replace")


def _walk(body: bytes) -> None:
    """Looks for what is wrong. Raises InvalidMessage at the first; gives up behind `DIAGNOSED_VALUES_MAX` values."""
    stack: List[_Open] = []
    at = 0
    for _ in range(limits.DIAGNOSED_VALUES_MAX):
        head = _head(body, at)
        end = head.start + head.bytes
        if end > len(body) or head.items > len(body) - end:
            raise _truncated()
        text = body[head.start : end] if head.kind == "text" else None
        _enter(stack, head, text)
        at = end
        if head.kind in ("map", "list"):
            stack.append(_Open(head))
            if len(stack) > limits.DEPTH_MAX:
                raise too_deep()
        while stack and stack[-1].left == 0:
            stack.pop()
        if not stack:
            break
    if not stack and at < len(body):
        raise InvalidMessage("", "trailing", f"has {len(body) - at} bytes after the message")


def _enter(stack: List[_Open], head: _Head, text: Optional[bytes]) -> None:
    """Counts a value in what holds it, and looks at keys and texts."""
    path = "".join(opened.name() for opened in stack[:-1]).lstrip(".")
    is_key = False
    if stack:
        parent = stack[-1]
        is_key = parent.next_is_key()
        parent.left -= 1
        if is_key:
            _check_key(parent, text, path, len(stack) == 1 or head.kind in ("map", "list"))
        else:
            parent.at += 1
            path = (path + parent.name()).lstrip(".")
    if text is not None:
        try:
            text.decode("utf-8")
        except UnicodeDecodeError:
            raise InvalidMessage(path, "utf8", "has text that is not valid UTF-8") from None


def _check_key(parent: _Open, text: Optional[bytes], path: str, must_be_text: bool) -> None:
    if text is None and must_be_text:
        raise InvalidMessage(path, "key", "has a key that is not text")
    parent.key = text
    if text is not None:
        if text in parent.keys:
            raise InvalidMessage((path + parent.name()).lstrip("."), "duplicate", "is given twice")
        parent.keys[text] = None


_SIZED = {
    **{first: ("", 1 << (first - 0xC4), 0) for first in (0xC4, 0xC5, 0xC6)},
    **{first: ("", 1 << (first - 0xC7), 1) for first in (0xC7, 0xC8, 0xC9)},
    **{first: ("text", 1 << (first - 0xD9), 0) for first in (0xD9, 0xDA, 0xDB)},
    **{first: ("list", 2 << (first - 0xDC), 0) for first in (0xDC, 0xDD)},
    **{first: ("map", 2 << (first - 0xDE), 0) for first in (0xDE, 0xDF)},
}
"""First bytes that a length follows: what they begin, the length's own bytes, the bytes between it and the contents."""

_FIXED = {
    **{first: 0 for first in (0xC0, 0xC2, 0xC3)},
    **{0xCA: 4, 0xCB: 8},
    **{first: 1 << (first - 0xCC) for first in range(0xCC, 0xD0)},
    **{first: 1 << (first - 0xD0) for first in range(0xD0, 0xD4)},
    **{first: (1 << (first - 0xD4)) + 1 for first in range(0xD4, 0xD9)},
}
"""First bytes whose contents have one length."""


def _head(body: bytes, at: int) -> _Head:
    if at >= len(body):
        raise _truncated()
    first = body[at]
    if first <= 0x7F or first >= 0xE0:
        return _Head(at + 1)
    if first <= 0x8F:
        return _Head(at + 1, items=2 * (first & 0x0F), kind="map")
    if first <= 0x9F:
        return _Head(at + 1, items=first & 0x0F, kind="list")
    if first <= 0xBF:
        return _Head(at + 1, first & 0x1F, kind="text")
    if first in _FIXED:
        return _Head(at + 1, _FIXED[first])
    if first not in _SIZED:
        raise InvalidMessage("", "malformed", "has a byte that MessagePack never uses")
    kind, width, between = _SIZED[first]
    start = at + 1 + width
    if start > len(body):
        raise _truncated()
    length = int.from_bytes(body[at + 1 : start], "big")
    if kind in ("map", "list"):
        return _Head(start, items=2 * length if kind == "map" else length, kind=kind)
    return _Head(start + between, length, kind=kind)


def _truncated() -> InvalidMessage:
    return InvalidMessage("", "truncated", "ends inside a value")
