//! Every bound of what the built-in agent keeps, by name.

/// Memories. Beyond them the oldest goes.
pub const MEMORY_BLOCKS_MAX: usize = 1000;
/// Tools.
pub const TOOLS_MAX: usize = 1000;
/// Parameters of a tool that are named.
pub const TOOL_PARAMS_MAX: usize = 64;
/// Bytes of a tool's description.
pub const TOOL_DOC_BYTES_MAX: usize = 1024;
/// Things said. Beyond them the oldest goes.
pub const CONVERSATION_ENTRIES_MAX: usize = 400;
/// Bytes of all that was said. Beyond them the oldest goes.
pub const CONVERSATION_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Bytes of text in one operation: with its other fields it stays below the wire's 10 KB.
pub const PART_BYTES_MAX: usize = 8 * 1024;
