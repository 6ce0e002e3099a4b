"""Everything that can go wrong and reach the author of an agent, one class a kind.

No class here carries the content of a frame: messages of errors end in logs.
"""

from __future__ import annotations

from typing import Any, Mapping, Optional


class AbideError(Exception):
    """Stands above every error of this package."""


class InvalidMessage(AbideError):
    """A frame that is no valid message; `path` names the field."""

    def __init__(self, path: str, problem: str, code: str = "INVALID_MESSAGE", kind: str = "") -> None:
        super().__init__(f"{path or 'frame'}: {problem}")
        self.path = path
        self.problem = problem
        self.code = code
        self.kind = kind


class TooLarge(InvalidMessage):
    """A message over the cap of its type."""

    def __init__(self, kind: str, size: int, cap: int, hint: str = "") -> None:
        problem = f"{kind or 'frame'} of {size} bytes is over its limit of {cap}"
        super().__init__("", problem + (f"; {hint}" if hint else ""), "TOO_LARGE", kind)


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

    `MODEL_OVERLOADED`, `MODEL_RATE_LIMITED` (with `retry_after_ms`), `MODEL_MONEY_OUT`, `MODEL_REFUSED` and
    `CONTEXT_TOO_LONG` have a meaning for the keeper; any other code is shown as it is.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        retry_after_ms: Optional[int] = None,
        context: Optional[Mapping[str, Any]] = None,
        fatal: bool = False,
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.retry_after_ms = retry_after_ms
        self.context = context
        self.fatal = fatal
