"""Write an agent for Abide: a process that may die at any time and loses nothing.

Reading order, from the bytes up: `limits`, `errors`, `packing` (one value), `squeeze`, `rules` (the fields of each
message), `check`, `frame`, `codes`, `transport`, `link` (the I/O threads),
`journal` (the log), `once` (what is logged once), `callbacks`, `keeping` (checkpoints, restore), `turn`, `turns`, `session`, and the two fronts
`aio` (asyncio) and `plain` (blocking).
"""

from . import codes
from .aio import AsyncAgent
from .aio import Turn as AsyncTurn
from .callbacks import State
from .errors import (
    AbideError,
    CheckpointFailed,
    InvalidMessage,
    KeeperRefused,
    LinkLost,
    NotConnected,
    TooLarge,
    TurnCancelled,
    TurnFailed,
    WalRefused,
)
from .journal import Entry
from .limits import PROTOCOL_VERSION
from .limits import SDK_VERSION as __version__
from .plain import Agent, Turn
from .turn import Answer, ToolCall, Usage, Voice

__all__ = [
    "AbideError",
    "Agent",
    "Answer",
    "AsyncAgent",
    "AsyncTurn",
    "CheckpointFailed",
    "Entry",
    "InvalidMessage",
    "KeeperRefused",
    "LinkLost",
    "NotConnected",
    "PROTOCOL_VERSION",
    "State",
    "TooLarge",
    "ToolCall",
    "Turn",
    "TurnCancelled",
    "TurnFailed",
    "Usage",
    "Voice",
    "WalRefused",
    "__version__",
    "codes",
]
