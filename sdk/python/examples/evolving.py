"""An agent that picks a word of what it hears, by code that it can change: it proposes other code, and loads it when the keeper says so.

In abide's configuration:  [[agent]]  id = "evolving"  mind = "agent"  command = ["python3", "/path/of/evolving.py"]
With `[evolution] enabled = true`, say `improve: ` and the text of a Python module with another `pick`.
"""

from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Sequence

from abide_agent import Agent, Entry, State, Turn

OWN = """
def pick(words):
    return sorted(words, key=len)[-1]
"""
# Set in a process that only tries a change: what others would see is not done there.
IS_SHADOW = "ABIDE_SHADOW" in os.environ

agent = Agent("evolving")
picked: List[str] = []
running: Dict[str, Any] = {}


def load(code: str) -> None:
    """Takes a module's text as the code that runs; an exception leaves what ran."""
    module: Dict[str, Any] = {}
    exec(compile(code, "<memory>", "exec"), module)
    if not isinstance(module["pick"](["a", "word"]), str):
        raise TypeError("pick must give one of the words")
    running.update(pick=module["pick"])


load(OWN)


@agent.on_entry
def apply(entry: Entry) -> None:
    picked.append(str(entry.params["word"]))


@agent.on_checkpoint
def checkpoint() -> State:
    return {"picked": list(picked)}


@agent.on_restore
def restore(snapshot: Optional[State], entries: Sequence[Entry]) -> None:
    picked[:] = snapshot["picked"] if isinstance(snapshot, dict) else []


@agent.on_hot_reload  # between two turns, and again after every restart: what runs is the keeper's word
def hot_reload(module: str, code: str) -> None:
    if module != "memory":
        raise ValueError(f"there is no module {module}")
    load(code)


def answer(turn: Turn) -> str:
    if turn.message.startswith("improve: "):
        agent.propose("memory_system", turn.message[len("improve: ") :], "it was asked for")
        return "It is proposed."
    word = running["pick"](turn.message.split() or ["nothing"])
    agent.once(turn.key, "picked", {"word": word})
    if not IS_SHADOW:
        agent.evidence({"picked": word})
    return f"{word} (word {len(picked)})"


agent.run(answer)
