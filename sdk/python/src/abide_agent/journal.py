"""The agent's half of the write-ahead log: numbers entries, sends them in groups, and says when one is durable.

Only the work loop's thread may call it. At most one group is on its way, so a refused group leaves no gap in the
numbers and no doubt about what is stored. An entry counts as applied once `apply` ran for it, before whoever waits
is woken: a checkpoint can name exactly what its state holds.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Callable, Deque, Dict, List, Mapping, Optional

from . import limits
from .errors import AbideError, TooLarge, WalRefused
from .frame import Message, encode
from .link import stamped


@dataclass(frozen=True)
class Entry:
    """One operation in the log. `sequence` is 0 until it is sent, `once` is the key of one that is logged once."""

    operation: str
    params: Mapping[str, Any]
    sequence: int = 0
    once: Optional[str] = None


@dataclass
class _Pending:
    operation: str
    params: Mapping[str, Any]
    stored: "asyncio.Future[int]"
    once: Optional[str] = None
    fields: Dict[str, Any] = field(default_factory=dict)


class Journal:
    """The entries between `wal` and `wal_ack`."""

    def __init__(
        self,
        next_sequence: int,
        send: Callable[[Message], None],
        apply: Callable[[Entry], None],
        failed: Callable[[Exception], None],
    ) -> None:
        self._next = next_sequence
        self._applied = next_sequence - 1
        self._send = send
        self._apply = apply
        self._failed = failed
        self._waiting: Deque[_Pending] = deque()
        self._sent: Deque[_Pending] = deque()
        self._durable = next_sequence - 1
        self._holds = 0
        self._flush_soon: Optional[asyncio.Handle] = None
        self._flush_later: Optional[asyncio.TimerHandle] = None
        self._closed: Optional[AbideError] = None

    @property
    def applied(self) -> int:
        """The last sequence whose entry is durable and applied."""
        return self._applied

    @property
    def busy(self) -> bool:
        """Tells that a group is on its way."""
        return bool(self._sent)

    def continue_from(self, next_sequence: int) -> None:
        """Takes the numbers that `restore` gives. Only before the first entry."""
        self._next = next_sequence
        self._applied = self._durable = next_sequence - 1

    def append(
        self, operation: str, params: Mapping[str, Any], soon: bool, once: Optional[str] = None
    ) -> "asyncio.Future[int]":
        """Adds an entry; the future gives its sequence once it is durable.

        `soon` sends it in this round of the loop (somebody waits), else at 100 entries or after a second.
        Raises TooLarge over 10 KB, WalRefused when 10,000 entries wait already.
        """
        if self._closed is not None:
            raise self._closed
        check_entry(operation, params, once)
        if len(self._waiting) >= limits.WAL_WAITING_ENTRIES_MAX:
            raise WalRefused("WAL_BACKLOG", f"{len(self._waiting)} entries wait for the keeper")
        loop = asyncio.get_running_loop()
        pending = _Pending(operation, params, loop.create_future(), once)
        pending.stored.add_done_callback(_seen)
        self._waiting.append(pending)
        if soon or len(self._waiting) >= limits.WAL_BATCH_ENTRIES:
            if self._flush_soon is None:
                self._flush_soon = loop.call_soon(self.flush)
        elif self._flush_later is None:
            self._flush_later = loop.call_later(limits.WAL_FLUSH_S, self.flush)
        return pending.stored

    def flush(self) -> None:
        """Sends the next group, unless one is still on its way."""
        for handle in (self._flush_soon, self._flush_later):
            if handle is not None:
                handle.cancel()
        self._flush_soon = self._flush_later = None
        if self._sent or not self._waiting or self._closed is not None:
            return
        while self._waiting and len(self._sent) < limits.WAL_BATCH_ENTRIES:
            pending = self._waiting.popleft()
            pending.fields = {
                "operation": pending.operation,
                "params": pending.params,
                "sequence": self._next + len(self._sent),
                **({} if pending.once is None else {"once": pending.once}),
            }
            self._sent.append(pending)
        group = [pending.fields for pending in self._sent]
        try:
            self._send(stamped("wal_entry", data=group[0]) if len(group) == 1 else stamped("wal_batch", data=group))
        except AbideError as error:
            self._settle(list(self._sent), error)
            self._sent.clear()

    def on_ack(self, sequence: int) -> None:
        """Takes a cumulative `wal_ack`."""
        self._durable = max(self._durable, sequence)
        if not self._holds:
            self._apply_durable()

    def hold(self) -> None:
        """Lets no entry be applied until `release`: a state is being written down."""
        self._holds += 1

    def release(self) -> None:
        """Applies what became durable meanwhile."""
        self._holds -= 1
        if not self._holds:
            self._apply_durable()

    def refuse(self, code: str, message: str) -> bool:
        """Takes the keeper's refusal of the group on its way; its numbers are free again. False when none is."""
        if not self._sent:
            return False
        self._settle(list(self._sent), WalRefused(code, message))
        self._sent.clear()
        self.flush()
        return True

    async def drain(self) -> None:
        """Waits until nothing is on its way or waiting, however it ended."""
        while self._sent or self._waiting:
            self.flush()
            if self._sent:
                await asyncio.wait([self._sent[-1].stored])

    def close(self, error: AbideError) -> None:
        """Ends everything that waits with `error`."""
        self._closed = error
        self.flush()
        self._settle([*self._sent, *self._waiting], error)
        self._sent.clear()
        self._waiting.clear()

    def _apply_durable(self) -> None:
        while self._sent and self._sent[0].fields["sequence"] <= self._durable:
            pending = self._sent.popleft()
            sequence: int = pending.fields["sequence"]
            try:
                self._apply(Entry(pending.operation, pending.params, sequence, pending.once))
            except Exception as error:  # the state no longer follows the log: only a restart mends that
                self._settle([pending], AbideError(f"on_entry failed at sequence {sequence}: {error!r}"))
                self._failed(error)
                return
            self._next = sequence + 1
            self._applied = sequence
            if not pending.stored.done():
                pending.stored.set_result(sequence)
        if not self._sent:
            self.flush()

    def _settle(self, pendings: List[_Pending], error: AbideError) -> None:
        for pending in pendings:
            if not pending.stored.done():
                pending.stored.set_exception(error)


def check_entry(operation: str, params: Mapping[str, Any], once: Optional[str] = None) -> None:
    """Refuses an entry that the keeper would."""
    cap = limits.TYPE_BYTES_MAX["wal_entry"]
    data = {"operation": operation, "params": dict(params), "sequence": 2**63 - 1}
    if once is not None:
        data["once"] = once
    try:
        encode(stamped("wal_entry", data=data))
    except TooLarge as error:
        hint = "large state belongs into the checkpoint"
        raise TooLarge("wal_entry", cap + 1, cap, hint) from error


def _seen(future: "asyncio.Future[int]") -> None:
    """Marks a refusal as seen, for an entry nobody waits for must not end as a warning about a lost exception."""
    if not future.cancelled():
        future.exception()
