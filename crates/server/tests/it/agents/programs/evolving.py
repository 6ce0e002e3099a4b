"""An agent of the tests that changes itself: its replies come from code that `hot_reload` puts in place of its own.

Messages: `propose:{"target": …, "code": …}`, `which` (the name of the code that runs and how many notes there are), `job:…` (a note and a
call of probe.append), and any other, which is noted and answered by the code. A shadow says in evidence, a proposal and a file that it
is one: none of that may be seen anywhere.
"""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Optional, Sequence

from abide_agent import Agent, Entry, State, ToolCall, Turn, Voice

OWN = """
import time
NAME = "own"
def reply(message):
    time.sleep(0.03)
    return "you said " + message
"""
IS_SHADOW = "ABIDE_SHADOW" in os.environ

agent = Agent("evolving")
notes: List[str] = []
running: Dict[str, Any] = {}


def load(code: str) -> None:
    module: Dict[str, Any] = {}
    exec(compile(code, "<module>", "exec"), module)
    if "reply" not in module:
        raise ValueError("the code has no reply")
    running.clear()
    running.update(module)


load(OWN)


@agent.on_entry
def apply(entry: Entry) -> None:
    notes.append(str(entry.params["note"]))


@agent.on_checkpoint
def checkpoint() -> State:
    return {"notes": list(notes)}


@agent.on_restore
def restore(snapshot: Optional[State], entries: Sequence[Entry]) -> None:
    notes[:] = snapshot["notes"] if isinstance(snapshot, dict) else []


@agent.on_hot_reload
def hot_reload(module: str, code: str) -> None:
    load(code)


def answer(turn: Turn) -> Voice | str:
    word, _, rest = turn.message.partition(":")
    if IS_SHADOW:
        agent.evidence({"words": "of a shadow"})
        try:
            open("words-of-a-shadow", "w").close()
        except OSError:
            pass
    if word == "propose":
        change = json.loads(rest)
        agent.propose(change["target"], change["code"], "it is quicker", {"latency": -0.2})
        return "proposed"
    if word == "which":
        return f"{running.get('NAME')} {len(notes)}"
    if word == "job":
        if turn.steps:
            return "done: " + turn.steps[-1]["tool_results"][0]["outcome"]
        agent.wal("note", {"note": turn.message})
        return Voice(tool_calls=[ToolCall("probe.append", {"line": turn.message})])
    agent.wal("note", {"note": turn.message})
    return running["reply"](turn.message)


agent.run(answer)
