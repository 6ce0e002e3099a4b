"""Every number of the protocol that this side keeps, and the versions it speaks.

Nothing else in the package writes such a number down. Sizes are those of the MessagePack body, without the
four bytes of its length.
"""

from __future__ import annotations

from typing import Mapping

SDK_VERSION = "0.1.0"
SDK_NAME = "python/0.1"

PROTOCOL_VERSION = 3
VERSIONS_READ = (1, 2, 3)

KIB = 1024
MIB = 1024 * 1024

FRAME_BYTES_MAX = 104 * MIB
"""The largest body of any type: nothing longer is read, and the link closes."""

TYPE_BYTES_MAX: Mapping[str, int] = {
    "heartbeat": 100,
    "wal_entry": 10 * KIB,
    "metrics": 10 * KIB,
    "wal_batch": 2 * MIB,
    "hot_reload": 1 * MIB + 64 * KIB,
    "checkpoint": 100 * MIB,
    "restore": 104 * MIB,
    "process_request": 16 * MIB,
    "process_response": 16 * MIB,
}
OTHER_BYTES_MAX = 1 * MIB
"""The cap of every other type, and of one that goes the other way."""

DEPTH_MAX = 64
"""Maps and lists within each other, the frame's own map being the first."""

FIELDS_MAX = 64
"""Fields of a message and of each structure in it."""

FIELD_NAME_BYTES_MAX = 128
LABEL_BYTES_MAX = 128
"""The longest id, code, operation or module name."""

DIAGNOSED_VALUES_MAX = 100_000
"""As many values of a refused body are looked at to say what is wrong with it."""

SKIM_BYTES = 64
"""As much of a body as is looked at to find its `type` before the rest is read."""

READ_BYTES = 64 * KIB
"""What one read asks for, so that a promised length alone takes no memory."""

HEARTBEAT_S = 1.0
WAL_BATCH_ENTRIES = 100
WAL_FLUSH_S = 1.0
WAL_WAITING_ENTRIES_MAX = 10_000
ONCE_KEYS_MAX = 1_024
"""Keys that are known; the oldest are forgotten first. A turn is asked again within minutes."""
COMPRESS_ABOVE_BYTES = 1 * MIB
STATE_BYTES_MAX = 100 * MIB
"""What a compressed state may unfold to."""

INBOX_FRAMES_MAX = 64
OUTBOX_FRAMES_CROWDED = 256
OUTBOX_BYTES_CROWDED = 1 * MIB
"""Beyond either, whoever sends waits for the link."""
JOBS_MAX = 64

CONNECT_S = 10.0
WELCOME_S = 30.0
RESTORE_S = 120.0
CHECKPOINT_ACK_S = 120.0
SHUTDOWN_TURN_S = 4.0
"""How long a turn may take to end at a shutdown. The keeper ends the process soon after."""

RECONNECT_FIRST_S = 0.1
RECONNECT_MAX_S = 30.0
RECONNECT_CALM_S = 60.0
"""A link that held so long starts the waits anew."""

METRICS_S = 10.0
METRICS_TURNS_MAX = 1000
STACK_TRACE_CHARS_MAX = 16_000
