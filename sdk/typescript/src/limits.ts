/**
 * Every number of the protocol that this side keeps, and the versions it speaks. Nothing else in the package writes
 * such a number down. Sizes are those of the MessagePack body, without the four bytes of its length.
 */

export const SDK_VERSION = "0.1.0";
export const SDK_NAME = "typescript/0.1";

export const PROTOCOL_VERSION = 3;
export const VERSIONS_READ: readonly number[] = [1, 2, 3];

const KIB = 1024;
const MIB = 1024 * 1024;

/** The largest body of any type: nothing longer is read, and the link closes. */
export const FRAME_BYTES_MAX = 104 * MIB;

export const TYPE_BYTES_MAX: ReadonlyMap<string, number> = new Map([
  ["heartbeat", 100],
  ["wal_entry", 10 * KIB],
  ["metrics", 10 * KIB],
  ["wal_batch", 2 * MIB],
  ["hot_reload", MIB + 64 * KIB],
  ["checkpoint", 100 * MIB],
  ["restore", 104 * MIB],
  ["process_request", 16 * MIB],
  ["process_response", 16 * MIB],
]);
/** The cap of every other type, and of one that goes the other way. */
export const OTHER_BYTES_MAX = MIB;

/** Maps and lists within each other, the frame's own map being the first. */
export const DEPTH_MAX = 64;
/** Fields of a message and of each structure in it. */
export const FIELDS_MAX = 64;
export const FIELD_NAME_BYTES_MAX = 128;
/** The longest id, code, operation or module name. */
export const LABEL_BYTES_MAX = 128;
/** Maps and lists around the deepest integer of a message: below it no float is looked at. */
export const INTEGER_DEPTH_MAX = 6;
/** As much of a body as is looked at to find its `type` before the rest is read. */
export const SKIM_BYTES = 64;

export const HEARTBEAT_MS = 1_000;
export const WAL_BATCH_ENTRIES = 100;
export const WAL_FLUSH_MS = 1_000;
export const WAL_WAITING_ENTRIES_MAX = 10_000;
/** Keys that are known; the oldest are forgotten first. A turn is asked again within minutes. */
export const ONCE_KEYS_MAX = 1_024;
export const COMPRESS_ABOVE_BYTES = MIB;
/** What a compressed state may unfold to. */
export const STATE_BYTES_MAX = 100 * MIB;

/** Messages that the I/O thread hands over ahead of the work; beyond it reading pauses. */
export const INBOX_FRAMES_MAX = 64;
/** Beyond it, whoever sends waits for the link. */
export const OUTBOX_BYTES_CROWDED = MIB;
export const JOBS_MAX = 64;

export const CONNECT_MS = 10_000;
export const WELCOME_MS = 30_000;
export const RESTORE_MS = 120_000;
export const CHECKPOINT_ACK_MS = 120_000;
/** How long a turn may take to end at a shutdown. The keeper ends the process soon after. */
export const SHUTDOWN_TURN_MS = 4_000;
export const CLOSE_FLUSH_MS = 2_000;

export const RECONNECT_FIRST_MS = 100;
export const RECONNECT_MAX_MS = 30_000;
/** A link that held so long starts the waits anew. */
export const RECONNECT_CALM_MS = 60_000;

export const METRICS_MS = 10_000;
export const METRICS_TURNS_MAX = 1_000;
export const STACK_TRACE_CHARS_MAX = 16_000;
