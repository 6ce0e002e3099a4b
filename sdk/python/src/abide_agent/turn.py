"""One turn as a handler sees it, and the forms of its answer.

A turn is one call of the mind: the engine owns the loop of turns and tools, the handler keeps nothing between two
of them but its own state. Holds no connection; `session` and `plain` give it its voice.
"""

from __future__ import annotations

import uuid
from dataclasses import asdict, dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from .errors import TurnFailed


@dataclass(frozen=True)
class ToolCall:
    """A tool the mind wants run. The engine runs it and asks the next turn with the result in `steps`."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    id: str = field(default_factory=lambda: f"call_{uuid.uuid4().hex[:12]}")


@dataclass(frozen=True)
class Usage:
    """What the turn cost, where the handler knows."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    model: Optional[str] = None
    cost_microusd: Optional[int] = None


@dataclass(frozen=True)
class Voice:
    """The full answer of a turn: calls to make, or a final response."""

    final_response: Optional[str] = None
    tool_calls: Sequence[ToolCall] = ()
    thought: str = ""
    emotive_state: str = "neutral"
    usage: Optional[Usage] = None


Answer = Union[str, Voice, Mapping[str, Any]]
"""What a handler may return: the final response as text, a `Voice`, or a voice as a map in the wire's form."""


class Request:
    """What the keeper asks: the fields of `process_request`, by name. `raw` has all of it."""

    def __init__(self, message: Mapping[str, Any]) -> None:
        self.raw = message
        self.request_id: str = message["request_id"]
        data: Mapping[str, Any] = message["data"]
        self.message: str = data["message"]
        self.user_id: Optional[str] = data.get("user_id")
        self.context: Mapping[str, Any] = data.get("context") or {}

    @property
    def epoch_id(self) -> Optional[str]:
        return self.context.get("epoch_id")

    @property
    def number(self) -> int:
        """The turn's number in its epoch, from 1."""
        value = self.context.get("turn", 1)
        return value if isinstance(value, int) else 1

    @property
    def key(self) -> str:
        """The same for every asking of this turn, and for no other turn: the key for `once`."""
        return f"{self.epoch_id or self.request_id}/{self.number}"

    @property
    def attempt(self) -> int:
        """1, or more when this turn was asked before without an answer."""
        value = self.context.get("attempt", 1)
        return value if isinstance(value, int) else 1

    @property
    def repair(self) -> Optional[Mapping[str, Any]]:
        """`{path, message}` when the answer before did not fit."""
        return self.context.get("repair")

    @property
    def system(self) -> str:
        """What the agent is to know, as text: what stays from message to message, then what holds at this moment."""
        return self.context.get("system") or ""

    @property
    def stable_chars(self) -> Optional[int]:
        """How many characters of `system` stay from message to message; the rest belongs behind the history."""
        return self.context.get("stable_chars")

    @property
    def time_zone(self) -> Optional[str]:
        """The zone in which times are shown: `Europe/Berlin`, `UTC` or `+02:00`."""
        return self.context.get("time_zone")

    @property
    def history(self) -> List[Mapping[str, Any]]:
        return self.context.get("history") or []

    @property
    def tools(self) -> List[Mapping[str, Any]]:
        """The tools that may be called: `{name, description, parameters}`."""
        return self.context.get("tools") or []

    @property
    def steps(self) -> List[Mapping[str, Any]]:
        """Earlier turns of this epoch: `{turn, voice, tool_results}`."""
        return self.context.get("steps") or []

    @property
    def deadline_ms(self) -> Optional[int]:
        """How long the turn may take before its answer begins to come, and between two pieces of it."""
        return self.context.get("deadline_ms")

    @property
    def deadline_streaming_ms(self) -> Optional[int]:
        """How long the turn may take in all while pieces of its answer come."""
        return self.context.get("deadline_streaming_ms")


def response_fields(answer: Answer) -> Dict[str, Any]:
    """Turns what a handler returned into `voice` and `usage` of a `process_response`."""
    if isinstance(answer, str):
        answer = Voice(final_response=answer)
    if isinstance(answer, Voice):
        voice: Dict[str, Any] = {
            "thought": answer.thought,
            "emotive_state": answer.emotive_state,
            "tool_calls": [
                {"id": call.id, "name": call.name, "arguments": dict(call.arguments)} for call in answer.tool_calls
            ],
            "final_response": answer.final_response,
        }
        return {"voice": voice, "usage": asdict(answer.usage) if answer.usage else None}
    if isinstance(answer, Mapping):
        defaults: Dict[str, Any] = {"thought": "", "emotive_state": "neutral", "tool_calls": [], "final_response": None}
        return {"voice": {**defaults, **answer}, "usage": None}
    raise TurnFailed("EVAL_ERROR", f"a handler must return text, a Voice or a map, not {type(answer).__name__}")
