//! What a choice of tools is made by, how much of them a prompt holds, and what comes of it. The limits stand here and nowhere else;
//! whether a prompt holds all tools is one question with one answer ([`ToolLimits::hold_all`]).

use abide_domain::tool::ToolSpec;

/// The name of the tool that finds others.
pub const FIND_TOOL_NAME: &str = "tools.find";
/// Up to so many tools a prompt shows all schemas: models choose worse beyond 30 to 50.
pub const ALL_SHOWN_MAX: usize = 30;
/// Schemas of likely tools in the first prompt of an epoch, beside those that are always there, however large they are.
pub const LIKELY_MIN: usize = 20;
/// Likely tools in it at most, where their schemas are small: models choose worse beyond 30 to 50.
pub const LIKELY_MAX: usize = 40;
/// Bytes of names, descriptions and schemas up to which there are more than [`LIKELY_MIN`]: so many tools of public servers take about
/// as much, with 825 bytes each.
pub const LIKELY_BYTES_MAX: usize = 16 * 1024;
/// Schemas in one prompt, whatever was found.
pub const SHOWN_MAX: usize = 64;
/// Bytes of the names, descriptions and schemas that are shown; what does not fit stays a name.
pub const SHOWN_BYTES_MAX: usize = 96 * 1024;
/// Bytes of the lines of names: 2,000 tools fit.
pub const LINES_BYTES_MAX: usize = 48 * 1024;
/// Bytes of a text that are looked at: half of them from its beginning, half from its end.
pub const QUERY_BYTES_MAX: usize = 4 * 1024;
/// Tools used before that are looked at, the first of the list.
pub const USED_TOOLS_MAX: usize = 64;

/// A tool that the agent has used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsedTool {
    /// Its name.
    pub name: String,
    /// How often.
    pub times: u32,
    /// How many epochs ago it was used last, from 1.
    pub epochs_ago: u32,
}

/// What the choice is made by.
#[derive(Clone, Copy, Debug, Default)]
pub struct ToolQuery<'a> {
    /// The stimulus.
    pub text: &'a str,
    /// What was said just before it; counts less. May be empty.
    pub recent: &'a str,
    /// What the agent used before.
    pub used: &'a [UsedTool],
    /// How like each tool of the list is to the stimulus by meaning, in the order of the list; empty where that is not known.
    pub likeness: &'a [f64],
    /// The tools that `tools.find` returned in this epoch or that were called by their name, the oldest first.
    pub found: &'a [String],
    /// The tools that were shown to the previous turn of this epoch, in their order; empty for the first. They stay, and
    /// no other likely ones join them: a prompt's beginning that changes is paid for again.
    pub shown: &'a [String],
}

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolLimits<'a> {
    /// Beginnings of the names that are always shown, such as `memory.`.
    pub always: &'a [&'a str],
    /// Up to so many tools everything is shown.
    pub all_shown_max: usize,
    /// Likely ones, however large they are.
    pub likely_min: usize,
    /// Likely ones, where they are small.
    pub likely_max: usize,
    /// Bytes of likely ones up to which there are more of them than `likely_min`.
    pub likely_bytes_max: usize,
    /// All that are shown.
    pub shown_max: usize,
    /// Bytes of all that are shown.
    pub shown_bytes_max: usize,
    /// Bytes of the lines of names.
    pub lines_bytes_max: usize,
}

impl ToolLimits<'_> {
    /// Whether a prompt holds all of these tools; the one that finds others does not count.
    pub fn hold_all(&self, specs: &[ToolSpec]) -> bool {
        let others = || specs.iter().filter(|spec| spec.name != FIND_TOOL_NAME);
        others().count() <= self.all_shown_max
            && others().map(bytes_of).sum::<usize>() <= self.shown_bytes_max
    }
}

/// The bytes of a tool in a prompt.
pub(super) fn bytes_of(spec: &ToolSpec) -> usize {
    spec.name.len() + spec.description.len() + spec.parameters.to_string().len()
}

impl Default for ToolLimits<'_> {
    fn default() -> Self {
        Self {
            always: &["memory.", "clock.", "stdout", FIND_TOOL_NAME],
            all_shown_max: ALL_SHOWN_MAX,
            likely_min: LIKELY_MIN,
            likely_max: LIKELY_MAX,
            likely_bytes_max: LIKELY_BYTES_MAX,
            shown_max: SHOWN_MAX,
            shown_bytes_max: SHOWN_BYTES_MAX,
            lines_bytes_max: LINES_BYTES_MAX,
        }
    }
}

/// What a prompt shows of the tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolChoice {
    /// Those that stand there with their schemas, as places in the list that was handed in: first what the previous turn was
    /// shown, in its order, then the others in the order of their names.
    pub full: Vec<usize>,
    /// The names of all tools, a line for each server; empty where all have their schemas. Those with a schema are among
    /// them, so that these lines stay the same from epoch to epoch.
    pub names: String,
    /// Tools whose names did not fit; their servers stand in the lines with their counts.
    pub unlisted: usize,
}
