"""The agent's private state on its way to the keeper and back: checkpoints, restore, and new code.

A checkpoint names the last entry it holds, so no entry is applied while it is written down. A restore that cannot
be taken is refused aloud; it never becomes a silent empty start.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Callable, Dict, Mapping, Optional, Set

from . import limits, squeeze
from .callbacks import Callbacks, settled, unwrapped, wrapped
from .errors import AbideError, CheckpointFailed, InvalidMessage
from .frame import Message
from .journal import Entry, Journal
from .link import stamped
from .once import OnceKeys
from .packing import pack

log = logging.getLogger("abide_agent")


class Keeping:
    """Checkpoints out, restore and hot reload in."""

    def __init__(
        self, callbacks: Callbacks, journal: Journal, once: OnceKeys, send: Callable[[Message], None]
    ) -> None:
        self._callbacks = callbacks
        self._journal = journal
        self._once = once
        self._send = send
        self._one_at_a_time = asyncio.Lock()
        self._stored: Optional["asyncio.Future[str]"] = None
        self._aside: Set["asyncio.Future[None]"] = set()

    async def checkpoint(self) -> str:
        """Writes the state down and waits until the keeper holds it; gives the checkpoint's id.

        Raises CheckpointFailed; the keeper then still has the one before.
        """
        if self._callbacks.checkpoint is None:
            raise CheckpointFailed("the agent has no on_checkpoint")
        async with self._one_at_a_time:
            if self._callbacks.entry is None:
                await self._journal.drain()
            self._journal.hold()
            try:
                sequence = self._journal.applied
                data = self._once.beside(wrapped(await settled(self._callbacks.checkpoint())))
            finally:
                self._journal.release()
            self._stored = asyncio.get_running_loop().create_future()
            try:
                self._send(stamped("checkpoint", **_packed(data), wal_sequence=sequence))
                # Not wait_for: before Python 3.12 it swallows a cancellation that meets the result.
                await asyncio.wait([self._stored], timeout=limits.CHECKPOINT_ACK_S)
                if not self._stored.done():
                    raise CheckpointFailed(f"the keeper did not acknowledge it within {limits.CHECKPOINT_ACK_S:.0f} s")
                return self._stored.result()
            finally:
                self._stored = None

    async def checkpoint_on_request(self) -> None:
        """Writes the state down for a keeper that asked; a failure goes to it as an error frame."""
        try:
            await self.checkpoint()
        except AbideError as error:
            log.error("checkpoint failed: %s", error)
            self._send_error("CHECKPOINT_FAILED", str(error))

    def checkpoint_aside(self) -> None:
        """Does the same beside the turn in hand."""
        task = asyncio.ensure_future(self.checkpoint_on_request())
        self._aside.add(task)
        task.add_done_callback(self._aside.discard)

    def on_ack(self, message: Message) -> None:
        """Takes `checkpoint_ack`."""
        if self._stored is not None and not self._stored.done():
            self._stored.set_result(message["checkpoint_id"])

    def refuse(self, text: str) -> None:
        """Takes the keeper's word that it could not store a checkpoint."""
        self._settle(CheckpointFailed(text))

    def close(self, error: AbideError) -> None:
        """Ends what waits."""
        self._settle(error)

    async def restore(self, message: Message) -> None:
        """Hands the state back to the callbacks and answers with `restore_ack`.

        Raises what the callback raised, after a refusal was sent: an agent without its state must not go on.
        """
        try:
            sequence = await self._take_back(message)
        except Exception as error:
            body = {"code": "RESTORE_FAILED", "message": f"{type(error).__name__}: {error}"}
            self._send(stamped("restore_ack", ok=False, sequence=0, error=body))
            raise
        self._send(stamped("restore_ack", ok=True, sequence=sequence))

    async def hot_reload(self, message: Message) -> None:
        """Loads new code and answers with `hot_reload_ack`."""
        module = message["module"]
        problem: Optional[Dict[str, Any]] = None
        if self._callbacks.hot_reload is None:
            problem = {"code": "UNSUPPORTED", "message": "the agent has no on_hot_reload"}
        else:
            try:
                await settled(self._callbacks.hot_reload(module, message["code"]))
            except Exception as error:  # whatever the new code did, the old is to go on
                problem = {"code": "RELOAD_FAILED", "message": f"{type(error).__name__}: {error}"}
        self._send(stamped("hot_reload_ack", module=module, ok=problem is None, error=problem))

    async def evolution_result(self, message: Message) -> None:
        """Passes the outcome of an intent on."""
        if self._callbacks.evolution_result is not None:
            await settled(self._callbacks.evolution_result(message))

    async def _take_back(self, message: Message) -> int:
        snapshot = self._once.take_back(_snapshot(message))
        entries = [
            Entry(entry["operation"], entry["params"], entry["sequence"], _key(entry))
            for entry in message.get("wal_entries") or ()
        ]
        if not self._callbacks.restores and (snapshot is not None or entries):
            raise AbideError("there is state to restore, and the agent has neither on_restore nor on_entry")
        next_sequence = message.get("next_sequence")
        last = next_sequence - 1 if next_sequence else (entries[-1].sequence if entries else self._journal.applied)
        own = self._callbacks.entry
        if self._callbacks.restore is not None:
            await settled(self._callbacks.restore(unwrapped(snapshot), [] if own else entries))
        elif snapshot is not None:
            raise AbideError("there is a checkpoint to restore, and the agent has no on_restore")
        if own is not None:
            for entry in entries:
                own(entry)
        for entry in entries:
            self._once.add(entry.once)
        self._journal.continue_from(last + 1)
        return last

    def _settle(self, error: AbideError) -> None:
        if self._stored is not None and not self._stored.done():
            self._stored.set_exception(error)

    def _send_error(self, code: str, text: str) -> None:
        self._send(stamped("error", error={"code": code, "message": text}, fatal=False))


def _snapshot(message: Message) -> Optional[Mapping[str, Any]]:
    """Gives the state of a restore; None where there is no checkpoint yet, only operations."""
    snapshot = message["snapshot"]
    if message.get("compressed"):
        snapshot = squeeze.unfold(snapshot, message["compression"], "snapshot")
    if not isinstance(snapshot, dict):
        raise InvalidMessage("snapshot", "type", "must be a map")
    return snapshot if message["checkpoint_id"] or snapshot else None


def _key(entry: Mapping[str, Any]) -> Optional[str]:
    key = entry.get("once")
    return key if isinstance(key, str) else None


def _packed(data: Mapping[str, Any]) -> Dict[str, Any]:
    """Gives the fields a state travels in: compressed above 1 MB, where that can be done and helps."""
    if squeeze.available():
        body = pack(data)
        if len(body) > limits.COMPRESS_ABOVE_BYTES:
            compressed = squeeze.compress(body)
            if len(compressed) < len(body):
                return {"compressed": True, "compression": "zstd", "data": compressed}
    return {"data": data}
