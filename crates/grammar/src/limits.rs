//! Every limit of the command language, by name. No input makes the crate exceed them.

/// Longest input, in Unicode scalar values (the specification's number).
pub const INPUT_CHARS_MAX: usize = 10_000;
/// Deepest nesting of queries, and within a condition of `?(`, parentheses, `not` and queries together (likewise).
pub const DEPTH_MAX: usize = 10;
/// Longest name after `@` or `#`, in bytes: as long as an agent's id may be.
pub const NAME_BYTES_MAX: usize = 64;
/// Longest pattern after `matches`, in characters.
pub const PATTERN_CHARS_MAX: usize = 256;
/// Deepest nesting of groups and repetitions in a pattern.
pub const PATTERN_DEPTH_MAX: u32 = 32;
/// Largest weight of a pattern: about as many places as it can be at once, which is what a character of the text may
/// cost. `a{1,20}` weighs 40, and a repetition of nothing as much as one of a character.
pub const PATTERN_WEIGHT_MAX: u64 = 1_000;
/// Largest compiled pattern, and largest cache of its automaton, in bytes: a few classes of Unicode letters fit.
pub const PATTERN_BYTES_MAX: usize = 256 * 1024;
/// Most patterns in the content of one command: each costs a compilation.
pub const PATTERNS_MAX: usize = 8;
/// Longest part of a line that an error shows, in characters.
pub const SNIPPET_CHARS_MAX: usize = 60;
