"""An agent of the tests: writes every job down before it asks for the job's tool, and keeps a witness of what was acknowledged.

The witness is a file that the keeper knows nothing of: a line stands there only if its entry was said to be durable.
Takes the path of the witness; an address and a token where it connects by itself, as `pia`. Messages: `job:…` (a note, a call of probe.append, an answer), `list` (all notes),
`die:…` (ends itself by a signal), `hang:…` (never answers, the first time), `grow:<megabytes>`, `size`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import uuid
from typing import Any, Dict, List, Optional, Sequence

from abide_agent import Agent, Entry, State, ToolCall, Turn, Voice

WITNESS = sys.argv[1]
agent = Agent("pia", address=sys.argv[2], token=sys.argv[3]) if sys.argv[2:] else Agent("remember")
notes: List[str] = []
kept: Dict[str, Any] = {"filler": b""}


@agent.on_entry
def apply(entry: Entry) -> None:
    notes.append(str(entry.params["note"]))


@agent.on_checkpoint
def checkpoint() -> State:
    return {"notes": list(notes), "filler": kept["filler"]}


@agent.on_restore
def restore(snapshot: Optional[State], entries: Sequence[Entry]) -> None:
    state = snapshot if isinstance(snapshot, dict) else {}
    notes[:] = state.get("notes", [])
    kept["filler"] = state.get("filler", b"")


def witness(line: str) -> None:
    file = os.open(WITNESS, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(file, f"{line}\n".encode())
    os.close(file)


def job(turn: Turn) -> Voice | str:
    if turn.steps:
        results = turn.steps[-1]["tool_results"]
        return f"{turn.message} is done: {results[0]['outcome']}"
    note = f"{turn.message}#{uuid.uuid4().hex[:12]}"
    agent.wal("note", {"note": note})
    witness(note)
    arguments: Dict[str, Any] = {"line": turn.message}
    if ":slow" in turn.message:
        arguments["sleep_ms"] = 500
    return Voice(tool_calls=[ToolCall("probe.append", arguments)])


def answer(turn: Turn) -> Voice | str:
    word, _, rest = turn.message.partition(":")
    if word == "job":
        return job(turn)
    if word == "list":
        return json.dumps(notes)
    if word == "die":
        witness(turn.message)
        os.kill(os.getpid(), signal.SIGSEGV)
    if word == "hang" and not os.path.exists(f"{WITNESS}.hung"):
        open(f"{WITNESS}.hung", "w").close()
        threading.Event().wait()
    if word == "grow":
        kept["filler"] = os.urandom(int(rest) << 20)
    return f"{len(kept['filler']) >> 20} MB"


agent.run(answer)
