"""The asyncio front: an agent whose handler is a coroutine.

Owns what outlives a link: who the agent is, its callbacks, the way to the keeper and the waits between two
connections. Must be served once, on one event loop.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
import random
import sys
import time
from typing import Any, Awaitable, Callable, Mapping, Optional, Sequence

from . import limits
from .callbacks import Registrar
from .errors import LinkLost, NotConnected
from .link import Progress, stamped
from .session import Identity, Session
from .transport import Transport, claim_stdio, connect, started_by_keeper
from .turn import Answer, Request
from .turns import Answerer, Say

log = logging.getLogger("abide_agent")


class Turn(Request):
    """A turn in an async handler. A withdrawn turn sees `asyncio.CancelledError`."""

    def __init__(self, request: Request, say: Say) -> None:
        super().__init__(request.raw)
        self._say = say

    async def say(self, text: str, *, thought: bool = False) -> None:
        """Streams a piece of the answer. Not durable: what counts is what the handler returns."""
        await self._say(text, thought)


Handler = Callable[[Turn], Awaitable[Answer]]


class AsyncAgent(Registrar):
    """An agent. `name` is the keeper's word (`ABIDE_AGENT`) where a keeper started the process."""

    def __init__(self, name: Optional[str] = None, *, address: Optional[str] = None, token: Optional[str] = None) -> None:
        """`address` is `unix:/path` or `tcp:host:port`; without one the agent talks over stdin and stdout."""
        super().__init__()
        self._name = name
        self._address = address
        self._token = token
        self._progress = Progress()
        self._session: Optional[Session] = None
        # As early as can be: from here on not even a `print` before `run` lands among the frames.
        self._pipe = claim_stdio() if address is None and started_by_keeper(os.environ.get("ABIDE_RUN")) else None

    def run(self, handler: Handler) -> None:
        """Serves until the keeper says `shutdown` or closes the pipe."""
        asyncio.run(self.serve(handler))

    async def serve(self, handler: Handler) -> None:
        """Does the same on the running loop. Raises KeeperRefused, and what a callback raised."""
        if not inspect.iscoroutinefunction(handler) and not inspect.iscoroutinefunction(getattr(handler, "__call__", None)):
            raise TypeError("the handler must be `async def`; abide_agent.Agent takes plain functions")
        await self.serve_answerer(_TaskAnswerer(handler))

    async def serve_answerer(self, answerer: Answerer) -> None:
        """Serves with a handler in any form. For fronts."""
        if self._callbacks.checkpoint is not None and self._callbacks.restore is None:
            raise ValueError("on_checkpoint without on_restore: the state could be stored and never be taken back")
        identity = Identity(self._who(), os.environ.get("ABIDE_RUN", ""), self._token)
        if self._address is None:
            await self._serve_pipe(identity, answerer)
        else:
            await self._serve_address(self._address, identity, answerer)

    async def serve_on(self, transport: Transport, identity: Identity, answerer: Answerer) -> None:
        """Serves one link to its end. Raises LinkLost at an end that no shutdown announced."""
        self._session = Session(identity, self._callbacks, answerer, transport, self._progress)
        try:
            await self._session.run()
        finally:
            self._session = None

    async def wal(self, operation: str, params: Mapping[str, Any]) -> int:
        """Logs an operation and waits until it is durable (and, with `on_entry`, applied). Act only after it.

        Gives the entry's sequence. Raises TooLarge over 10 KB, WalRefused, LinkLost: then it must not be acted on.
        """
        session = self._connected()
        sequence = await session.journal.append(operation, params, soon=True)
        self.progress()
        return sequence

    async def once(self, key: str, operation: str, params: Mapping[str, Any]) -> bool:
        """Logs an operation unless one with this key is in the log already, and waits until it is durable.

        A turn may be asked again after a crash: with `turn.key` it is logged once all the same. Gives whether it was
        logged by this call. Raises as `wal` does.
        """
        is_new = await self._connected().once(key, operation, params)
        self.progress()
        return is_new

    def wal_later(self, operation: str, params: Mapping[str, Any]) -> "asyncio.Future[int]":
        """Logs an operation that nobody waits for: it goes out with others, after a second at the latest."""
        return self._connected().journal.append(operation, params, soon=False)

    async def checkpoint(self) -> str:
        """Has the state written down now, before something risky; gives the checkpoint's id. Raises CheckpointFailed."""
        return await self._connected().keeping.checkpoint()

    def progress(self) -> None:
        """Says that the work goes on. Call it in a long loop; nothing else moves the counter while a handler computes."""
        self._progress.step()

    async def evidence(self, body: Mapping[str, Any], claim_type: str = "observation", tags: Sequence[str] = ()) -> None:
        """Tells the agent's peers what it did or saw."""
        await self._send("evidence", body=dict(body), claim_type=claim_type, tags=list(tags))

    async def report_error(self, code: str, message: str, context: Optional[Mapping[str, Any]] = None) -> None:
        """Reports a failure that ends no turn. A handler raises TurnFailed instead."""
        error = {"code": code, "message": message, **({"context": dict(context)} if context else {})}
        await self._send("error", error=error, fatal=False)

    async def propose(
        self, target: str, new_code: str, reason: str, expected_improvement: Optional[Mapping[str, float]] = None
    ) -> None:
        """Sends an evolution intent; `on_evolution_result` hears how it ended."""
        hypothesis = {
            "reason": reason,
            "target": target,
            "new_code": new_code,
            "expected_improvement": dict(expected_improvement or {}),
        }
        await self._send("evolution_intent", hypothesis=hypothesis)

    async def _send(self, kind: str, **fields: Any) -> None:
        self.progress()
        await self._connected().send(stamped(kind, **fields))

    def _connected(self) -> Session:
        if self._session is None:
            raise NotConnected("the agent is not connected to a keeper")
        return self._session

    def _who(self) -> str:
        given = os.environ.get("ABIDE_AGENT") if self._address is None else None
        name = given or self._name
        if not name:
            raise ValueError("the agent has no name: give one, or have a keeper start it")
        return name

    async def _serve_pipe(self, identity: Identity, answerer: Answerer) -> None:
        if self._pipe is None and os.isatty(0):
            sys.stderr.write("this is an agent: name it in abide.toml and run `abide up`, which starts it\n")
            raise SystemExit(2)
        try:
            await self.serve_on(self._pipe or claim_stdio(), identity, answerer)
        except LinkLost as error:
            log.info("%s", error)

    async def _serve_address(self, address: str, identity: Identity, answerer: Answerer) -> None:
        wait_s = limits.RECONNECT_FIRST_S
        while True:
            began = time.monotonic()
            try:
                transport = await asyncio.get_running_loop().run_in_executor(None, connect, address)
                return await self.serve_on(transport, identity, answerer)
            except (OSError, LinkLost) as error:
                if time.monotonic() - began >= limits.RECONNECT_CALM_S:
                    wait_s = limits.RECONNECT_FIRST_S
                log.warning("%s; again in %.1f s", error, wait_s)
            await asyncio.sleep(wait_s * random.uniform(0.5, 1.0))
            wait_s = min(wait_s * 2, limits.RECONNECT_MAX_S)


class _TaskAnswerer(Answerer):
    """Runs each turn as a task of the loop."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._task: Optional["asyncio.Future[Answer]"] = None

    async def answer(self, request: Request, say: Say) -> Answer:
        self._task = asyncio.ensure_future(self._handler(Turn(request, say)))
        try:
            return await self._task
        finally:
            self._task = None

    def withdraw(self) -> None:
        if self._task is not None:
            self._task.cancel()
