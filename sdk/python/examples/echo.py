"""An agent that repeats what it hears and remembers all of it once, also over `kill -9`.

In abide's configuration:  [[agent]]  id = "echo"  mind = "agent"  command = ["python3", "/path/of/echo.py"]
"""

from __future__ import annotations

from typing import List, Optional, Sequence

from abide_agent import Agent, Entry, State, Turn

agent = Agent("echo")
heard: List[str] = []


@agent.on_entry  # the one place where state changes: live, and again after a restart
def apply(entry: Entry) -> None:
    heard.append(str(entry.params["text"]))


@agent.on_checkpoint
def checkpoint() -> State:
    return {"heard": list(heard)}


@agent.on_restore
def restore(snapshot: Optional[State], entries: Sequence[Entry]) -> None:
    heard[:] = snapshot["heard"] if isinstance(snapshot, dict) else []


def answer(turn: Turn) -> str:
    # Durable before it counts, and counted once: after a crash the same turn is asked again.
    agent.once(turn.key, "heard", {"text": turn.message})
    turn.say("I heard: ")
    return f"I heard: {turn.message} (message {len(heard)})"


agent.run(answer)
