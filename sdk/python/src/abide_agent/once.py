"""The keys of operations that are logged once, however often a turn is asked.

A key travels in its entry (`once`) and in each checkpoint, beside the author's state: whoever restores knows it again.
Nothing here decides what a key means; the newest `ONCE_KEYS_MAX` are known.
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, List, Mapping, Optional

from . import limits

FIELD = "abide_once"
"""The key of a checkpoint's map under which the keys stand. No state may use it."""


def check_key(key: str) -> None:
    """Refuses what is no key."""
    if not isinstance(key, str) or not 0 < len(key.encode()) <= limits.LABEL_BYTES_MAX:
        raise ValueError(f"a key is text of 1 to {limits.LABEL_BYTES_MAX} bytes, such as turn.key")


class OnceKeys:
    """The newest keys, oldest first."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self._keys: Dict[str, None] = {}
        for key in keys:
            self.add(key)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def add(self, key: Optional[str]) -> None:
        """Takes the key of an entry that is durable."""
        if key is None:
            return
        self._keys.pop(key, None)
        self._keys[key] = None
        while len(self._keys) > limits.ONCE_KEYS_MAX:
            del self._keys[next(iter(self._keys))]

    def beside(self, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """Gives the state as it is stored, with the keys."""
        if FIELD in state:
            raise ValueError(f"a state must not use the key {FIELD!r}")
        return {**state, FIELD: list(self._keys)} if self._keys else state

    def take_back(self, snapshot: Optional[Mapping[str, Any]]) -> Optional[Mapping[str, Any]]:
        """Takes the keys out of a stored state and gives what is the author's own."""
        self._keys.clear()
        if snapshot is None or FIELD not in snapshot:
            return snapshot
        keys: List[Any] = snapshot[FIELD] if isinstance(snapshot[FIELD], list) else []
        for key in keys:
            if isinstance(key, str):
                self.add(key)
        return {name: value for name, value in snapshot.items() if name != FIELD}
