"""Holds a message against the rules of its direction and names the first field that is wrong.

The same for what comes in and for what goes out: nothing leaves that the other side would refuse. Stands between the
frame and whoever acts on it; changes nothing.
"""

from __future__ import annotations

import math
import re
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional

from . import limits, rules
from .errors import InvalidMessage
from .packing import depth
from .squeeze import check_packed

Check = Callable[[Any, str], None]

_U64_MAX = 2**64 - 1
_AGENT = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}\Z", re.IGNORECASE | re.ASCII)


class _Field(NamedTuple):
    name: str
    required: bool
    since_3: bool
    rule: Any


class Direction:
    """One way: its types, each with its fields."""

    def __init__(self, types: Mapping[str, rules.Structure]) -> None:
        self._types = {kind: _compiled(structure) for kind, structure in types.items()}

    def fields(self, kind: str) -> Optional[List[_Field]]:
        """Gives a type's fields; None for one that does not go this way."""
        return self._types.get(kind)

    def bytes_max(self, kind: str) -> int:
        """Tells the cap of a type."""
        cap = limits.TYPE_BYTES_MAX.get(kind, limits.OTHER_BYTES_MAX)
        return cap if kind in self._types else limits.OTHER_BYTES_MAX


def _compiled(rule: Any) -> Any:
    if isinstance(rule, list):
        return [_compiled(rule[0])]
    if not isinstance(rule, dict):
        return rule
    fields = []
    for written, inner in rule.items():
        name, mark, version = re.fullmatch(r"(\w+)([?!]?)(3?)", written).groups()  # type: ignore[union-attr]
        fields.append(_Field(name, mark != "?", version == "3", _compiled(inner)))
    # A structure is told from a list by its type alone.
    return tuple(fields)


TO_AGENT = Direction(rules.TO_AGENT)
FROM_AGENT = Direction(rules.FROM_AGENT)


def check(message: Mapping[str, Any], direction: Direction) -> None:
    """Raises InvalidMessage with the path and the kind of what is wrong, and the request it belongs to."""
    try:
        _check(message, direction)
    except InvalidMessage as error:
        kind, request_id = message.get("type"), message.get("request_id")
        error.kind = kind if isinstance(kind, str) else ""
        error.request_id = request_id if isinstance(request_id, str) else None
        raise


def _check(message: Mapping[str, Any], direction: Direction) -> None:
    _own_map(message, "")
    version = _version(message.get("version"))
    kind = _required(message, "type")
    _text(kind, "type")
    fields = direction.fields(kind)
    if fields is None:
        known = kind in rules.TO_AGENT or kind in rules.FROM_AGENT
        raise InvalidMessage("type", "direction" if known else "unknown_type", f"{kind[:64]!r} is not a message of this direction")
    if version < 3 and kind in rules.SINCE_3:
        raise InvalidMessage("type", "version", f"{kind} needs version 3: send `version: 3` in each frame")
    _whole(_required(message, "timestamp"), "timestamp", -(2**63), 2**63 - 1)
    if message.get("metadata") is not None:
        _any_map(message["metadata"], "metadata")
    _structure(message, fields, "", version)
    if kind == "wal_entry" and depth(message) >= limits.DEPTH_MAX:
        raise InvalidMessage("data", "depth", f"is {limits.DEPTH_MAX} levels deep; one less is allowed")


def _version(value: Any) -> int:
    if value is None:
        return 1
    _count(value, "version")
    if value not in limits.VERSIONS_READ:
        raise InvalidMessage("version", "version", "must be 1, 2 or 3")
    version: int = value
    return version


def _required(parent: Mapping[str, Any], name: str) -> Any:
    value = parent.get(name)
    if value is None:
        raise InvalidMessage(name, "required", "is missing")
    return value


def _structure(value: Mapping[str, Any], fields: Any, path: str, version: int) -> None:
    for field in fields:
        if field.since_3 and version < 3:
            continue
        where = f"{path}.{field.name}" if path else field.name
        inner = value.get(field.name)
        if field.rule == "payload":
            _payload(value, field.name)
        elif inner is not None:
            _hold(inner, field.rule, where, version)
        elif field.required:
            raise InvalidMessage(where, "required", "is missing")


def _hold(value: Any, rule: Any, path: str, version: int) -> None:
    if isinstance(rule, list):
        if not isinstance(value, (list, tuple)):
            raise InvalidMessage(path, "type", "must be a list")
        for at, member in enumerate(value):
            _hold(member, rule[0], f"{path}[{at}]", version)
    elif isinstance(rule, str):
        if rule == "sequence":
            _sequence(value, path, version)
        else:
            _WORDS[rule](value, path)
    elif rule and isinstance(rule[0], str):
        _text(value, path)
        if value not in rule:
            raise InvalidMessage(path, "value", f"must be one of {', '.join(rule)}")
    else:
        _own_map(value, path)
        _structure(value, rule, path, version)


def _own_map(value: Any, path: str) -> None:
    """A map whose keys are the protocol's."""
    _any_map(value, path)
    if len(value) > limits.FIELDS_MAX:
        raise InvalidMessage(path, "too_many", f"has {len(value)} fields; at most {limits.FIELDS_MAX}")
    for key in value:
        if not isinstance(key, str):
            raise InvalidMessage(path, "key", "has a key that is not text")
        if len(key.encode("utf-8", "replace")) > limits.FIELD_NAME_BYTES_MAX and not path:
            raise InvalidMessage(path, "key", f"has a key of more than {limits.FIELD_NAME_BYTES_MAX} bytes")


def _any_map(value: Any, path: str) -> None:
    if not isinstance(value, dict):
        raise InvalidMessage(path, "type", "must be a map")


def _text(value: Any, path: str) -> None:
    if not isinstance(value, str):
        raise InvalidMessage(path, "type", "must be text")


def _short(value: Any, path: str) -> None:
    _text(value, path)
    if len(value.encode("utf-8", "replace")) > limits.LABEL_BYTES_MAX:
        raise InvalidMessage(path, "value", f"is longer than {limits.LABEL_BYTES_MAX} bytes")


def _label(value: Any, path: str) -> None:
    _short(value, path)
    if value == "":
        raise InvalidMessage(path, "value", "is empty")


def _agent(value: Any, path: str) -> None:
    _text(value, path)
    if not _AGENT.match(value):
        raise InvalidMessage(path, "value", "must be an agent's id: a-z, 0-9, '.', '_', '-', at most 64")


def _flag(value: Any, path: str) -> None:
    if not isinstance(value, bool):
        raise InvalidMessage(path, "type", "must be true or false")


def _whole(value: Any, path: str, least: int, most: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise InvalidMessage(path, "type", "must be an integer")
    if not least <= value <= most:
        raise InvalidMessage(path, "value", f"must be an integer from {least} to {most}")


def _count(value: Any, path: str) -> None:
    _whole(value, path, 0, _U64_MAX)


def _sequence(value: Any, path: str, version: int) -> None:
    _whole(value, path, 1 if version >= 3 else 0, _U64_MAX)


def _number(value: Any, path: str) -> None:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise InvalidMessage(path, "type", "must be a number")
    if not math.isfinite(value):
        raise InvalidMessage(path, "value", "is not a finite number")


def _json(value: Any, path: str) -> None:
    """A value that becomes JSON: keys are text, numbers are finite."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise InvalidMessage(path, "key", "has a key that is not text")
            _json(inner, f"{path}.{key}")
    elif isinstance(value, (list, tuple)):
        for at, inner in enumerate(value):
            _json(inner, f"{path}[{at}]")
    elif isinstance(value, float):
        _number(value, path)


def _json_map(value: Any, path: str) -> None:
    _any_map(value, path)
    _json(value, path)


def _payload(message: Mapping[str, Any], name: str) -> None:
    """A state: a map, or that map's MessagePack compressed."""
    compressed, compression = message.get("compressed"), message.get("compression")
    if compressed is not None:
        _flag(compressed, "compressed")
    if compression is not None:
        _text(compression, "compression")
    state = _required(message, name)
    if compressed:
        check_packed(state, compression, name)
    elif not isinstance(state, dict):
        raise InvalidMessage(name, "type", "must be a map (is `compressed` missing?)")


_WORDS: Dict[str, Check] = {
    "text": _text,
    "short": _short,
    "label": _label,
    "agent": _agent,
    "flag": _flag,
    "count": _count,
    "number": _number,
    "any_map": _any_map,
    "json": _json,
    "json_map": _json_map,
}
