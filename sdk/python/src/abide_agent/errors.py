"""Everything that can go wrong and reach the author of an agent, one class a kind.

No class here carries the content of a frame: messages of errors end in logs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Mapping, Optional

if TYPE_CHECKING:
    from .turn import Usage


class AbideError(Exception):
    """Stands above every error of this package."""


class InvalidMessage(AbideError):
    """A frame that is no valid message.

    `path` names the field (empty for the whole frame), `problem` the rule in the protocol's word (`required`, `type`,
    `value`, …), `code` the error that goes back. `request_id` is there when the frame said one.
    """

    def __init__(self, path: str, problem: str, words: str, kind: str = "", request_id: Optional[str] = None) -> None:
        super().__init__(f"{path or 'frame'}: {words}")
        self.path = path
        self.problem = problem
        self.words = words
        self.kind = kind
        self.request_id = request_id

    @property
    def code(self) -> str:
        if self.problem == "too_large":
            return "TOO_LARGE"
        return "UNSUPPORTED_VERSION" if (self.path, self.problem) == ("version", "version") else "INVALID_MESSAGE"

    def details(self) -> Dict[str, Any]:
        """Gives what an error frame says beside its words."""
        return {"path": self.path, "problems": [{"path": self.path, "code": self.problem, "message": self.words}]}


class TooLarge(InvalidMessage):
    """A message over the cap of its type."""

    def __init__(self, kind: str, size: int, cap: int, hint: str = "") -> None:
        words = f"{kind or 'frame'} of {size} bytes is over its limit of {cap}"
        super().__init__("", "too_large", words + (f"; {hint}" if hint else ""), kind)


class BoundaryLost(AbideError):
    """The stream can no longer be cut into frames. The link has to close."""


class LinkLost(AbideError):
    """The keeper is gone: what was not acknowledged is as if it had never been sent."""


class KeeperRefused(AbideError):
    """The keeper does not take this agent: wrong token, version or run. Trying again does not help."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class NotConnected(AbideError):
    """A call that needs the keeper, before `run` or after its end."""


class WalRefused(AbideError):
    """The keeper did not store an entry (`WAL_FULL`, `SEQUENCE_GAP`, …). Do not act on it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


class CheckpointFailed(AbideError):
    """The keeper could not store a checkpoint; the one before it stays."""


class TurnCancelled(AbideError):
    """The keeper withdrew the turn. Raised in a plain handler by its next call; async ones see `CancelledError`."""


class TurnFailed(AbideError):
    """Raised *by* a handler to end its turn with a code of its own.

    The codes of `abide_agent.codes` have a meaning for the keeper; any other is shown as it is. `retry_after_ms` goes
    with `MODEL_RATE_LIMITED`, `usage` with `MODEL_REFUSED` and `BAD_VOICE`: what the failed attempt cost.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        retry_after_ms: Optional[int] = None,
        context: Optional[Mapping[str, Any]] = None,
        usage: Optional["Usage"] = None,
        fatal: bool = False,
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.retry_after_ms = retry_after_ms
        self.context = context
        self.usage = usage
        self.fatal = fatal
