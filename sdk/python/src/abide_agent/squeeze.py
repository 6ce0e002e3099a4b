"""zstd, where this Python has it: for states over 1 MB.

Python 3.14 brings it; before that `zstandard` or `backports.zstd` serve when installed. Without any, states are
sent as they are, and `hello` does not list the capability `zstd`, so that the keeper sends none compressed. What a
compressed state declares is read everywhere: nothing is unfolded that says it would grow beyond its cap.
"""

from __future__ import annotations

import base64
import binascii
import importlib
from typing import Any, Optional, Tuple

from . import limits
from .errors import InvalidMessage
from .packing import unpack


def _find() -> Tuple[str, Optional[Any]]:
    for name in ("compression.zstd", "backports.zstd", "zstandard"):
        try:
            return name, importlib.import_module(name)
        except ImportError:
            continue
    return "", None


_NAME, _ZSTD = _find()
_MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPABLE = b"\x2a\x4d\x18"


def available() -> bool:
    """Tells whether states can be compressed and unfolded here."""
    return _ZSTD is not None


def compress(data: bytes) -> bytes:
    """Compresses; only to be called where `available`."""
    if _ZSTD is None:
        raise InvalidMessage("compression", "zstd", NEEDS_ZSTD)
    if _NAME == "zstandard":
        packed: bytes = _ZSTD.ZstdCompressor(level=3).compress(data)
    else:
        packed = _ZSTD.compress(data, 3)
    return packed


def check_packed(value: Any, compression: Any, path: str) -> bytes:
    """Gives the bytes of a compressed field (bytes, or base64 text) after a look at what they declare.

    Raises InvalidMessage with `path`. Needs no zstd.
    """
    if compression != "zstd":
        raise InvalidMessage("compression", "required" if compression is None else "value", "must be 'zstd'")
    if isinstance(value, str):
        try:
            value = base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError) as error:
            raise InvalidMessage(path, "base64", "is not base64") from error
    if not isinstance(value, bytes):
        raise InvalidMessage(path, "type", "must be bytes or base64 text")
    declared = _declared_bytes(value, path)
    if declared > limits.STATE_BYTES_MAX:
        raise _unfolds_too_far(path)
    return value


def unfold(value: Any, compression: Any, path: str) -> Any:
    """Gives the value inside a compressed field. Raises InvalidMessage with `path`."""
    packed = check_packed(value, compression, path)
    if _ZSTD is None:
        raise InvalidMessage(path, "zstd", NEEDS_ZSTD)
    return unpack(_decompress(packed, path))


NEEDS_ZSTD = "is compressed, and this Python has no zstd: pip install zstandard"


def _declared_bytes(data: bytes, path: str) -> int:
    """Reads the size that a zstd frame declares; 0 where it declares none."""
    if data[1:4] == _SKIPPABLE and data[0] & 0xF0 == 0x50:
        return 0
    if len(data) < 6 or not data.startswith(_MAGIC):
        raise InvalidMessage(path, "zstd", "is not zstd")
    descriptor = data[4]
    has_window = not descriptor & 0x20
    begin = 5 + has_window + (0, 1, 2, 4)[descriptor & 0x03]
    width = (0 if has_window else 1, 2, 4, 8)[descriptor >> 6]
    if len(data) < begin + width:
        raise InvalidMessage(path, "zstd", "is not zstd")
    return int.from_bytes(data[begin : begin + width], "little") + (256 if width == 2 else 0)


def _decompress(data: bytes, path: str) -> bytes:
    cap = limits.STATE_BYTES_MAX
    assert _ZSTD is not None
    try:
        if _NAME == "zstandard":
            with _ZSTD.ZstdDecompressor().stream_reader(data) as reader:
                whole: bytes = reader.read(cap + 1)
        else:
            whole = _ZSTD.ZstdDecompressor().decompress(data, cap + 1)
    except (_ZSTD.ZstdError, EOFError) as error:
        raise InvalidMessage(path, "zstd", f"is not zstd: {error}") from error
    if len(whole) > cap:
        raise _unfolds_too_far(path)
    return whole


def _unfolds_too_far(path: str) -> InvalidMessage:
    return InvalidMessage(path, "too_large", f"unfolds to more than {limits.STATE_BYTES_MAX} bytes")
