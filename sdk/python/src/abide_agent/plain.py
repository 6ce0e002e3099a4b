"""The plain front: an agent whose handler is an ordinary, blocking function.

Each turn runs on a thread of its own, one at a time; its calls wait for the event loop of `aio`, which stays on the
main thread with all callbacks. A handler may block as long as its turn may take: the I/O threads go on breathing.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from typing import Any, Callable, Coroutine, Mapping, Optional, Sequence, TypeVar

from .aio import AsyncAgent
from .callbacks import Registrar
from .errors import NotConnected, TurnCancelled
from .turn import Answer, Request
from .turns import Answerer, Say

T = TypeVar("T")


class Turn(Request):
    """A turn in a plain handler."""

    def __init__(self, request: Request, say: Callable[[str, bool], None], withdrawn: threading.Event) -> None:
        super().__init__(request.raw)
        self._say = say
        self._withdrawn = withdrawn

    @property
    def cancelled(self) -> bool:
        """Tells that the keeper withdrew the turn. A long computation looks now and then and returns."""
        return self._withdrawn.is_set()

    def say(self, text: str, *, thought: bool = False) -> None:
        """Streams a piece of the answer. Not durable. Raises TurnCancelled once the turn is withdrawn."""
        self._say(text, thought)


Handler = Callable[[Turn], Answer]


class Agent(Registrar):
    """An agent. Its methods may be called by the handler, and by threads that the handler started."""

    def __init__(self, name: Optional[str] = None, *, address: Optional[str] = None, token: Optional[str] = None) -> None:
        """`address` is `unix:/path` or `tcp:host:port`; without one the agent talks over stdin and stdout."""
        super().__init__()
        self._agent = AsyncAgent(name, address=address, token=token)
        self._callbacks = self._agent._callbacks
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._loop_thread: Optional[threading.Thread] = None
        self._withdrawn = threading.Event()

    def run(self, handler: Handler) -> None:
        """Serves until the keeper says `shutdown` or closes the pipe. Raises KeeperRefused, and what a callback raised."""
        if inspect.iscoroutinefunction(handler):
            raise TypeError("the handler is async: use abide_agent.AsyncAgent")
        asyncio.run(self.serve_with(handler, self._agent.serve_answerer))

    async def serve_with(self, handler: Handler, serve: Callable[[Answerer], Coroutine[Any, Any, None]]) -> None:
        """Serves by a way of the asyncio front. For tests and other fronts."""
        self._loop = asyncio.get_running_loop()
        self._loop_thread = threading.current_thread()
        await serve(_ThreadAnswerer(handler, self))

    def wal(self, operation: str, params: Mapping[str, Any]) -> int:
        """Logs an operation and waits until it is durable (and, with `on_entry`, applied). Act only after it.

        Gives the entry's sequence. Raises TooLarge over 10 KB, WalRefused, LinkLost: then it must not be acted on.
        """
        return self._wait(self._agent.wal(operation, params))

    def once(self, key: str, operation: str, params: Mapping[str, Any]) -> bool:
        """Logs an operation unless one with this key is in the log already, and waits until it is durable.

        A turn may be asked again after a crash: with `turn.key` it is logged once all the same. Gives whether it was
        logged by this call. Raises as `wal` does.
        """
        return self._wait(self._agent.once(key, operation, params))

    def wal_later(self, operation: str, params: Mapping[str, Any]) -> None:
        """Logs an operation that nobody waits for: it goes out with others, after a second at the latest."""

        async def later() -> None:
            self._agent.wal_later(operation, params)

        self._wait(later())

    def checkpoint(self) -> str:
        """Has the state written down now, before something risky; gives the checkpoint's id. Raises CheckpointFailed."""
        return self._wait(self._agent.checkpoint())

    def progress(self) -> None:
        """Says that the work goes on. Call it in a long loop; nothing else moves the counter while a handler computes."""
        self._agent.progress()

    def evidence(self, body: Mapping[str, Any], claim_type: str = "observation", tags: Sequence[str] = ()) -> None:
        """Tells the agent's peers what it did or saw."""
        self._wait(self._agent.evidence(body, claim_type, tags))

    def report_error(self, code: str, message: str, context: Optional[Mapping[str, Any]] = None) -> None:
        """Reports a failure that ends no turn. A handler raises TurnFailed instead."""
        self._wait(self._agent.report_error(code, message, context))

    def propose(
        self, target: str, new_code: str, reason: str, expected_improvement: Optional[Mapping[str, float]] = None
    ) -> None:
        """Sends an evolution intent; `on_evolution_result` hears how it ended."""
        self._wait(self._agent.propose(target, new_code, reason, expected_improvement))

    def _wait(self, call: Coroutine[Any, Any, T]) -> T:
        try:
            if self._loop is None or self._loop.is_closed():
                raise NotConnected("the agent is not connected to a keeper")
            if threading.current_thread() is self._loop_thread:
                raise RuntimeError("a callback must not call the agent: it would wait for itself")
            if self._withdrawn.is_set():
                raise TurnCancelled("the keeper withdrew the turn")
        except Exception:
            call.close()
            raise
        return asyncio.run_coroutine_threadsafe(call, self._loop).result()


class _ThreadAnswerer(Answerer):
    """Runs each turn on a thread, and waits for the thread's end even when the turn is withdrawn."""

    def __init__(self, handler: Handler, agent: Agent) -> None:
        self._handler = handler
        self._agent = agent

    async def answer(self, request: Request, say: Say) -> Answer:
        loop = asyncio.get_running_loop()
        done: "asyncio.Future[Answer]" = loop.create_future()
        self._agent._withdrawn.clear()

        def say_and_wait(text: str, thought: bool) -> None:
            async def said() -> None:
                await say(text, thought)

            self._agent._wait(said())

        def work() -> None:
            try:
                answer = self._handler(Turn(request, say_and_wait, self._agent._withdrawn))
            except Exception as error:
                _post(loop, done.set_exception, error)
            except BaseException as error:  # an exit of the thread is no exit of the agent
                _post(loop, done.set_exception, RuntimeError(f"the handler raised {error!r}"))
            else:
                _post(loop, done.set_result, answer)

        # A daemon: a handler that never ends must not keep the process from ending.
        threading.Thread(target=work, name="abide-turn", daemon=True).start()
        try:
            return await done
        finally:
            self._agent._withdrawn.clear()

    def withdraw(self) -> None:
        self._agent._withdrawn.set()


def _post(loop: asyncio.AbstractEventLoop, act: Callable[[Any], None], value: Any) -> None:
    try:
        loop.call_soon_threadsafe(act, value)
    except RuntimeError:
        pass  # the loop is closed: nobody waits any more
