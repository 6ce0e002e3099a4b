"""zstd, where this Python has it: for states over 1 MB.

Python 3.14 brings it; before that `zstandard` or `backports.zstd` serve when installed. Without any, states are
sent as they are, and `hello` does not list the capability `zstd`, so that the keeper sends none compressed.
"""

from __future__ import annotations

import base64
import binascii
import importlib
from typing import Any, Optional, Tuple

from . import limits
from .errors import InvalidMessage
from .frame import unpack


def _find() -> Tuple[str, Optional[Any]]:
    for name in ("compression.zstd", "backports.zstd", "zstandard"):
        try:
            return name, importlib.import_module(name)
        except ImportError:
            continue
    return "", None


_NAME, _ZSTD = _find()


def available() -> bool:
    """Tells whether states can be compressed and unfolded here."""
    return _ZSTD is not None


def compress(data: bytes) -> bytes:
    """Compresses; only to be called where `available`."""
    if _ZSTD is None:
        raise InvalidMessage("compression", NEEDS_ZSTD)
    if _NAME == "zstandard":
        packed: bytes = _ZSTD.ZstdCompressor(level=3).compress(data)
    else:
        packed = _ZSTD.compress(data, 3)
    return packed


def unfold(value: Any, compression: Any, path: str) -> Any:
    """Gives the value inside a compressed field (bytes, or base64 text). Raises InvalidMessage with `path`."""
    if compression != "zstd":
        raise InvalidMessage("compression", "must be 'zstd'")
    if _ZSTD is None:
        raise InvalidMessage(path, NEEDS_ZSTD)
    if isinstance(value, str):
        try:
            value = base64.b64decode(value, validate=True)
        except binascii.Error as error:
            raise InvalidMessage(path, "is not base64") from error
    if not isinstance(value, bytes):
        raise InvalidMessage(path, "must be bytes or base64 text")
    return unpack(_decompress(value, path))


NEEDS_ZSTD = "is compressed, and this Python has no zstd: pip install zstandard"


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
        raise InvalidMessage(path, f"is not zstd: {error}") from error
    if len(whole) > cap:
        raise InvalidMessage(path, f"unfolds to more than {cap} bytes", "TOO_LARGE")
    return whole
