"""Which fields each message must have, in both directions, and the path of the first that is wrong.

One table a direction; a rule is a path and a word. `?` after a name: may be absent or null. `[]`: every member
of a list. Fields that no table names are kept and passed on. Stands between the frame and whoever acts on it.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator, Mapping, Tuple

from . import limits
from .errors import InvalidMessage

Rules = Mapping[str, str]


def _integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


WORDS: Mapping[str, Callable[[Any], bool]] = {
    "text": lambda value: isinstance(value, str),
    "name": lambda value: isinstance(value, str) and value != "",
    "integer": _integer,
    "count": lambda value: _integer(value) and value >= 0,
    "sequence": lambda value: _integer(value) and value >= 1,
    "number": _number,
    "flag": lambda value: isinstance(value, bool),
    "map": lambda value: isinstance(value, dict),
    "list": lambda value: isinstance(value, list),
    "packed": lambda value: isinstance(value, (dict, bytes, str)),
    "any": lambda value: True,
}

MEANINGS: Mapping[str, str] = {
    "text": "must be text",
    "name": "must be text, not empty",
    "integer": "must be an integer",
    "count": "must be an integer from 0",
    "sequence": "must be an integer from 1",
    "number": "must be a number",
    "flag": "must be true or false",
    "map": "must be a map",
    "list": "must be a list",
    "packed": "must be a map, or bytes or base64 when compressed",
    "any": "is missing",
}

_ERROR: Rules = {"error": "map", "error.code": "name", "error.message": "text"}

FROM_KEEPER: Mapping[str, Rules] = {
    "welcome": {"keeper?": "text", "run?": "text", "limits?": "map", "next_sequence": "sequence"},
    "restore": {
        "checkpoint_id?": "text",
        "snapshot?": "packed",
        "wal_entries": "list",
        "wal_entries[].operation": "name",
        "wal_entries[].params?": "map",
        "wal_entries[].sequence": "count",
        "next_sequence?": "sequence",
    },
    "process_request": {
        "request_id": "name",
        "data": "map",
        "data.message": "text",
        "data.context?": "map",
        "data.user_id?": "text",
    },
    "process_cancel": {"request_id": "name", "reason?": "text"},
    "wal_ack": {"sequence": "count"},
    "ping": {"nonce": "integer"},
    "checkpoint_request": {"reason?": "text"},
    "metrics_request": {},
    "checkpoint_ack": {"checkpoint_id": "name", "size": "count"},
    "hot_reload": {"code": "text", "module": "name", "backup_checkpoint_id?": "text"},
    "evolution_result": {"success": "flag", "decision": "name", "metrics?": "map", "reason?": "text"},
    "shutdown": {"reason?": "text", "create_checkpoint?": "flag"},
    "error": {**_ERROR, "error.details?": "map"},
}

_WAL_ENTRY: Rules = {"operation": "name", "params": "map", "sequence": "count"}

FROM_AGENT: Mapping[str, Rules] = {
    "hello": {"agent": "name", "run?": "text", "capabilities": "list", "capabilities[]": "text", "sdk?": "text", "token?": "text"},
    "restore_ack": {"ok": "flag", "sequence": "count"},
    "ready": {},
    "process_delta": {"request_id": "name", "text": "text", "thought?": "flag"},
    "process_response": {
        "request_id": "name",
        "voice": "map",
        "voice.tool_calls?": "list",
        "voice.tool_calls[].id": "name",
        "voice.tool_calls[].name": "name",
        "voice.tool_calls[].arguments": "map",
        "usage?": "map",
    },
    "heartbeat": {"p?": "count"},
    "pong": {"nonce": "integer"},
    "checkpoint": {"data": "packed", "wal_sequence?": "count", "compressed?": "flag", "compression?": "text"},
    "wal_entry": {"data": "map", **{f"data.{path}": word for path, word in _WAL_ENTRY.items()}},
    "wal_batch": {"data": "list", **{f"data[].{path}": word for path, word in _WAL_ENTRY.items()}},
    "evolution_intent": {
        "hypothesis": "map",
        "hypothesis.reason": "text",
        "hypothesis.target": "name",
        "hypothesis.new_code": "text",
        "hypothesis.expected_improvement?": "map",
    },
    "metrics": {"data": "map"},
    "hot_reload_ack": {"module": "name", "ok": "flag"},
    "evidence": {"body": "map", "claim_type": "name", "tags": "list", "tags[]": "text"},
    "error": {**_ERROR, "error.stack_trace?": "text", "error.context?": "map", "request_id?": "text", "fatal?": "flag"},
}


def check(message: Mapping[str, Any], directions: Mapping[str, Rules]) -> None:
    """Holds a message against the table of its direction. Raises InvalidMessage with the path of what is wrong."""
    kind = message.get("type")
    if not isinstance(kind, str):
        raise InvalidMessage("type", MEANINGS["text"])
    if not _integer(message.get("timestamp")):
        raise InvalidMessage("timestamp", MEANINGS["integer"], kind=kind)
    version = message.get("version", 1)
    if version not in limits.VERSIONS_READ or not _integer(version):
        raise InvalidMessage("version", "must be 1, 2 or 3", "UNSUPPORTED_VERSION", kind)
    rules = directions.get(kind)
    if rules is None:
        raise InvalidMessage("type", f"{kind[:40]!r} is no message of this direction", kind=kind)
    for path, word in rules.items():
        for where, value, present in _found(message, path):
            if not present:
                raise InvalidMessage(where, "is missing", kind=kind)
            if not WORDS[word](value):
                raise InvalidMessage(where, MEANINGS[word], kind=kind)


def _found(root: Any, path: str) -> Iterator[Tuple[str, Any, bool]]:
    """Walks a path; gives each place it leads to with its value, or that nothing is there."""
    places = [("", root)]
    *way, last = path.split(".")
    for name in way:
        places = [
            (f"{place}{inner}.", value)
            for place, parent in places
            for inner, value in _step(parent, name)
        ]
    for place, parent in places:
        if not isinstance(parent, dict):
            continue
        optional = last.endswith("?")
        name = last.rstrip("?")
        if name.endswith("[]"):
            for inner, value in _step(parent, name):
                yield place + inner, value, True
        elif name in parent and not (optional and parent[name] is None):
            yield place + name, parent[name], True
        elif not optional:
            yield place + name, None, False


def _step(parent: Any, name: str) -> Iterator[Tuple[str, Any]]:
    if not isinstance(parent, dict):
        return
    value = parent.get(name.rstrip("[]"))
    if not name.endswith("[]"):
        yield name, value
    elif isinstance(value, list):
        for at, member in enumerate(value):
            yield f"{name[:-2]}[{at}]", member
