"""Runs an agent beside the test: in a thread over a socket pair, or as a real process over its pipes."""

from __future__ import annotations

import asyncio
import os
import pathlib
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from typing import Any, Callable, Iterator, List, Optional, Tuple, Union

from abide_agent import Agent, AsyncAgent
from abide_agent.aio import _TaskAnswerer
from abide_agent.session import Identity
from abide_agent.transport import PipeTransport, SocketTransport
from abide_agent.turns import Answerer

from keeper import Keeper, Store, with_timeout

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Running:
    """An agent's thread and how it ended."""

    def __init__(self) -> None:
        self.error: Optional[BaseException] = None
        self.thread: Optional[threading.Thread] = None

    def join(self) -> None:
        assert self.thread is not None
        self.thread.join(20)
        assert not self.thread.is_alive(), "the agent did not end"


@contextmanager
def agent_in_thread(
    agent: Union[Agent, AsyncAgent], handler: Callable[..., Any], store: Optional[Store] = None
) -> Iterator[Tuple[Keeper, Running]]:
    """Gives the keeper's side of the link and the running agent; cuts the link at the end."""
    ours, theirs = socket.socketpair()
    keeper = Keeper(SocketTransport(with_timeout(ours)), store)
    running = Running()

    async def serve() -> None:
        async def on(answerer: Answerer) -> None:
            inner = agent._agent if isinstance(agent, Agent) else agent
            await inner.serve_on(SocketTransport(theirs), Identity("test", "r1"), answerer)

        if isinstance(agent, Agent):
            await agent.serve_with(handler, on)
        else:
            await on(_TaskAnswerer(handler))

    def work() -> None:
        try:
            asyncio.run(serve())
        except BaseException as error:
            running.error = error

    running.thread = threading.Thread(target=work, daemon=True)
    running.thread.start()
    try:
        yield keeper, running
    finally:
        keeper.transport.close()
        running.thread.join(20)


@contextmanager
def agent_process(
    script: Union[str, pathlib.Path, List[str]], store: Optional[Store] = None
) -> Iterator[Tuple[Keeper, "subprocess.Popen[bytes]"]]:
    """Starts a script (a path, or source text) or a whole command as a keeper would, in the SDK's folder."""
    environ = {"ABIDE_RUN": "r1", "ABIDE_AGENT": "echo", "PATH": os.environ.get("PATH", "")}
    if isinstance(script, list):
        command = script
        environ["PATH"] = os.pathsep.join([str(pathlib.Path(sys.executable).parent), environ["PATH"]])
    else:
        command = [sys.executable, str(script)] if isinstance(script, pathlib.Path) else [sys.executable, "-c", script]
        environ["PYTHONPATH"] = str(ROOT / "src")
    pipe = subprocess.PIPE
    child = subprocess.Popen(command, cwd=ROOT, env=environ, stdin=pipe, stdout=pipe, stderr=pipe)
    assert child.stdin is not None and child.stdout is not None and child.stderr is not None
    keeper = Keeper(PipeTransport(child.stdout.fileno(), os.dup(child.stdin.fileno())), store)
    child.stdin.close()
    try:
        yield keeper, child
    finally:
        keeper.transport.close()
        child.kill()
        child.wait()
        child.stdout.close()
        child.stderr.close()
