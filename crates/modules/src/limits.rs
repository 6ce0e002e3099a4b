//! Every limit of modules, with its name and its value. Nothing here is decided anywhere else.

use std::time::Duration;

/// Most bytes of one message in either direction, without its line end: code at its largest, escaped as badly as can be.
pub const MESSAGE_BYTES_MAX: usize = 8 << 20;
/// Most bytes of the code of one module.
pub const CODE_BYTES_MAX: usize = abide_domain::limits::EVOLUTION_CODE_BYTES_MAX;
/// How deep brackets and quotes may nest in code; the engine's parser and passes are recursive.
pub const NESTING_MAX: usize = 500;
/// Most passages of one request to the memory module.
pub const PASSAGES_MAX: usize = 100;
/// Most tools, or commands, that one module declares.
pub const DECLARATIONS_MAX: usize = 64;
/// Most tools of the keeper that one call of a module's tool may ask for.
pub const TOOL_CALLS_MAX: usize = abide_domain::limits::INNER_CALLS_MAX as usize;
/// Most bytes of the description of a tool, or of the help of a command.
pub const DESCRIPTION_BYTES_MAX: usize = 2000;
/// Most bytes of a tool's schema.
pub const SCHEMA_BYTES_MAX: usize = 16 << 10;
/// Most bytes of a command's name.
pub const COMMAND_NAME_BYTES_MAX: usize = 64;
/// Most bytes of text in one result.
pub const RESULT_BYTES_MAX: usize = 1 << 20;
/// Most values (each element of a list and each entry of a map is one) in one result.
pub const RESULT_VALUES_MAX: usize = 50_000;
/// How deep lists and maps of a result may nest; below what the reader of JSON takes.
pub const RESULT_NESTING_MAX: usize = 64;
/// Most bytes of the message of a failure; the rest is cut off.
pub const FAILURE_BYTES_MAX: usize = 1000;
/// Longest time that a request may ask for, whatever it says.
pub const DEADLINE_MAX: Duration = Duration::from_mins(1);
/// How long after its deadline a call that does not heed the interrupt (a native loop) lets its process be.
pub const NATIVE_GRACE: Duration = Duration::from_millis(200);
/// How long a module may take to come back after its engine had to be made anew.
pub const RENEWAL_TIME_MAX: Duration = Duration::from_secs(2);
/// The exit code of a process that ended itself because a call did not come back.
pub const STUCK_EXIT_CODE: i32 = 86;
/// The stack of the thread that the engine runs on: its passes are recursive, and pages that nobody touches cost nothing.
pub const ENGINE_STACK_BYTES: usize = 256 << 20;
/// The part of a caller's deadline, one in so many, that is kept back for the answer's way: the process hears a shorter one.
pub const ANSWER_SHARE: u32 = 5;
/// The most that is kept back: twice what a call in native code is left to.
pub const ANSWER_TIME_MAX: Duration = Duration::from_millis(400);
