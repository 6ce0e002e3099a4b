"""What the author of an agent gives beside the handler: how state is written down and taken back.

All of them run on the work loop's thread, one at a time, in both fronts. Shared by `aio` and `plain`.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any, Awaitable, Callable, Mapping, Optional, Sequence, TypeVar, Union

from .journal import Entry

State = Union[bytes, Mapping[str, Any]]
"""A state of the agent's own making. Bytes travel as `{"bytes": …}` and come back as bytes."""

OnCheckpoint = Callable[[], Union[State, Awaitable[State]]]
OnRestore = Callable[[Optional[State], Sequence[Entry]], Optional[Awaitable[None]]]
OnEntry = Callable[[Entry], None]
OnHotReload = Callable[[str, str], Optional[Awaitable[None]]]
OnMetrics = Callable[[], Mapping[str, float]]
OnEvolutionResult = Callable[[Mapping[str, Any]], Optional[Awaitable[None]]]

T = TypeVar("T")


@dataclass
class Callbacks:
    """The callbacks that are set."""

    checkpoint: Optional[OnCheckpoint] = None
    restore: Optional[OnRestore] = None
    entry: Optional[OnEntry] = None
    hot_reload: Optional[OnHotReload] = None
    metrics: Optional[OnMetrics] = None
    evolution_result: Optional[OnEvolutionResult] = None

    @property
    def restores(self) -> bool:
        return self.restore is not None or self.entry is not None


class Registrar:
    """The decorators by which both fronts take callbacks."""

    def __init__(self) -> None:
        self._callbacks = Callbacks()

    def on_checkpoint(self, callback: OnCheckpoint) -> OnCheckpoint:
        """Sets what gives the whole state, as a map or bytes. Must not call back into the agent."""
        self._callbacks.checkpoint = callback
        return callback

    def on_restore(self, callback: OnRestore) -> OnRestore:
        """Sets what takes a state back: the snapshot (None without a checkpoint) and the entries after it.

        With `on_entry` set, the entries go there and the list is empty.
        """
        self._callbacks.restore = callback
        return callback

    def on_entry(self, callback: OnEntry) -> OnEntry:
        """Sets what applies one durable entry to the state: live and after a restart, always in order, never twice.

        Must not be async. With it a checkpoint may be taken at any time; without it, between turns.
        """
        if inspect.iscoroutinefunction(callback):
            raise TypeError("on_entry must be a plain function: entries are applied in order, without a pause")
        self._callbacks.entry = callback
        return callback

    def on_hot_reload(self, callback: OnHotReload) -> OnHotReload:
        """Sets what loads new code `(module, code)` between turns. An exception refuses it."""
        self._callbacks.hot_reload = callback
        return callback

    def on_metrics(self, callback: OnMetrics) -> OnMetrics:
        """Sets what adds numbers to each metrics report."""
        self._callbacks.metrics = callback
        return callback

    def on_evolution_result(self, callback: OnEvolutionResult) -> OnEvolutionResult:
        """Sets what hears how an evolution intent ended."""
        self._callbacks.evolution_result = callback
        return callback


async def settled(result: Union[T, Awaitable[T]]) -> T:
    """Waits for what a callback returned, when it is async."""
    if inspect.isawaitable(result):
        waited: T = await result
        return waited
    return result


def wrapped(state: State) -> Mapping[str, Any]:
    """Gives the map that a state travels as."""
    return {"bytes": bytes(state)} if isinstance(state, (bytes, bytearray, memoryview)) else state


def unwrapped(snapshot: Optional[Mapping[str, Any]]) -> Optional[State]:
    """Undoes `wrapped`."""
    if snapshot is not None and set(snapshot) == {"bytes"} and isinstance(snapshot["bytes"], bytes):
        own: bytes = snapshot["bytes"]
        return own
    return snapshot
