//! Which tools may run: `[tools] allow`, `ask` and `deny`.
//!
//! Deny wins over ask, ask over allow, and what stands in no list is denied: a tool that appears in a later version can
//! never run by itself. Of a tool of another program whose name stands in no list a person is asked: whoever configured the program
//! wanted it, and did not know its tools; nor did whoever wrote `*`. Asked before each `tool.requested`, and for the list of tools that a mind is shown.

use abide_domain::limits::TOOL_NAME_BYTES_MAX;

/// The names of tools of other programs begin with it.
pub const FOREIGN_PREFIX: &str = "mcp.";

/// What a policy says about a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Permission {
    /// It runs.
    Allow,
    /// It runs when a person approves.
    Ask,
    /// It does not run.
    Deny {
        /// Why, with the configuration key that would change it.
        reason: String,
    },
}

/// Says why a pattern cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` in `tools.{list}` is not a tool pattern: use a name, `namespace.*` or `*`")]
pub struct ToolPolicyError {
    /// The pattern.
    pub pattern: String,
    /// `allow`, `ask` or `deny`.
    pub list: &'static str,
}

/// The three lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolPolicy {
    allow: Vec<Pattern>,
    ask: Vec<Pattern>,
    deny: Vec<Pattern>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Pattern {
    All,
    /// A namespace with its dot.
    Within(String),
    Exact(String),
}

impl ToolPolicy {
    /// Reads the three lists of `[tools]`.
    pub fn new<S: AsRef<str>>(allow: &[S], ask: &[S], deny: &[S]) -> Result<Self, ToolPolicyError> {
        Ok(Self {
            allow: parse("allow", allow)?,
            ask: parse("ask", ask)?,
            deny: parse("deny", deny)?,
        })
    }

    /// Decides about a tool by its name.
    pub fn decide(&self, name: &str) -> Permission {
        if let Some(pattern) = self.deny.iter().find(|pattern| pattern.matches(name)) {
            let reason = format!("`{name}` is denied by `{pattern}` in `tools.deny`");
            return Permission::Deny { reason };
        }
        if self.ask.iter().any(|pattern| pattern.matches(name)) {
            return Permission::Ask;
        }
        let is_foreign = is_foreign(name);
        let names = |pattern: &Pattern| !is_foreign || *pattern != Pattern::All;
        if self.allow.iter().any(|pattern| names(pattern) && pattern.matches(name)) {
            return Permission::Allow;
        }
        if is_foreign {
            return Permission::Ask;
        }
        let reason = format!("`{name}` is neither in `tools.allow` nor in `tools.ask`");
        Permission::Deny { reason }
    }

    /// What the lists say about a part of a tool by its own name, such as `stdout.grant`; none where they do not name it. `*`
    /// in `allow` names no part: it allows tools, and a part is what a person is asked about in spite of that.
    pub fn decide_part(&self, name: &str) -> Option<Permission> {
        if let denied @ Permission::Deny { .. } = self.decide(name)
            && self.deny.iter().any(|pattern| pattern.matches(name))
        {
            return Some(denied);
        }
        let names = |list: &[Pattern]| {
            list.iter().any(|pattern| *pattern != Pattern::All && pattern.matches(name))
        };
        if names(&self.ask) {
            return Some(Permission::Ask);
        }
        names(&self.allow).then_some(Permission::Allow)
    }

    /// Whether `ask` names a tool of another program: then whoever wrote that is asked, whatever the program's own lists say.
    pub(crate) fn asks_about_foreign(&self, name: &str) -> bool {
        is_foreign(name) && self.ask.iter().any(|pattern| pattern.matches(name))
    }

    /// Says whether a mind is shown the tool: it may run, if need be after a person's approval.
    pub fn offers(&self, name: &str) -> bool {
        !matches!(self.decide(name), Permission::Deny { .. })
    }
}

/// Whether a tool is of another program, by its name.
fn is_foreign(name: &str) -> bool {
    name.starts_with(FOREIGN_PREFIX)
}

/// Whether a pattern of a policy means a tool, or a part of one, of that name; never where it is no pattern.
pub fn pattern_means(pattern: &str, name: &str) -> bool {
    Pattern::parse(pattern).is_some_and(|pattern| pattern.matches(name))
}

fn parse<S: AsRef<str>>(
    list: &'static str,
    patterns: &[S],
) -> Result<Vec<Pattern>, ToolPolicyError> {
    patterns
        .iter()
        .map(|text| {
            let text = text.as_ref();
            Pattern::parse(text).ok_or_else(|| ToolPolicyError { pattern: text.into(), list })
        })
        .collect()
}

impl Pattern {
    fn parse(text: &str) -> Option<Self> {
        if text == "*" {
            return Some(Self::All);
        }
        match text.strip_suffix(".*") {
            Some(space) if is_tool_name(space) => Some(Self::Within(format!("{space}."))),
            None if is_tool_name(text) => Some(Self::Exact(text.to_owned())),
            _ => None,
        }
    }

    fn matches(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Within(space) => name.starts_with(space.as_str()),
            Self::Exact(exact) => name == exact,
        }
    }
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::All => f.write_str("*"),
            Self::Within(space) => write!(f, "{space}*"),
            Self::Exact(exact) => f.write_str(exact),
        }
    }
}

/// Says whether a text can be the name of a tool: `[a-z0-9_.]`, dots inside only.
pub(crate) fn is_tool_name(text: &str) -> bool {
    let parts_fit = text.split('.').all(|part| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    });
    parts_fit && text.len() <= TOOL_NAME_BYTES_MAX
}

#[cfg(test)]
mod tests {
    use super::{Permission, ToolPolicy};

    #[test]
    fn deny_wins_over_ask_over_allow_and_absence_denies() {
        let policy = ToolPolicy::new(
            &["memory.*", "clock.now", "probe.*"],
            &["memory.forget_fact", "probe.*"],
            &["probe.blob"],
        )
        .unwrap();
        assert_eq!(policy.decide("memory.search_facts"), Permission::Allow);
        assert_eq!(policy.decide("memory.forget_fact"), Permission::Ask);
        assert_eq!(policy.decide("probe.append"), Permission::Ask);
        let reasons = [
            ("probe.blob", "`probe.blob` is denied by `probe.blob` in `tools.deny`"),
            ("clock.later", "`clock.later` is neither in `tools.allow` nor in `tools.ask`"),
            ("memory", "`memory` is neither in `tools.allow` nor in `tools.ask`"),
            ("memoryx.y", "`memoryx.y` is neither in `tools.allow` nor in `tools.ask`"),
        ];
        for (name, reason) in reasons {
            assert_eq!(policy.decide(name), Permission::Deny { reason: reason.into() });
            assert!(!policy.offers(name));
        }
    }

    #[test]
    fn a_part_of_a_tool_is_decided_by_its_own_name_alone() {
        let part = |allow: &[&str], ask: &[&str], deny: &[&str]| {
            ToolPolicy::new(allow, ask, deny).unwrap().decide_part("stdout.grant")
        };
        assert_eq!(part(&["*"], &[], &[]), None);
        assert_eq!(part(&["stdout"], &["*"], &[]), None);
        assert_eq!(part(&["stdout", "stdout.grant"], &[], &[]), Some(Permission::Allow));
        assert_eq!(part(&["stdout.*"], &["stdout.grant"], &[]), Some(Permission::Ask));
        let denied = part(&["stdout.*"], &["stdout.grant"], &["stdout.grant"]);
        assert!(matches!(denied, Some(Permission::Deny { .. })), "{denied:?}");
    }

    #[test]
    fn one_star_means_all_and_no_list_means_none() {
        let all = ToolPolicy::new(&["*"], &[], &["deck.*"]).unwrap();
        assert_eq!(all.decide("anything.at_all"), Permission::Allow);
        assert!(!all.offers("deck.edit"));
        assert!(!ToolPolicy::default().offers("clock.now"));
    }

    #[test]
    fn patterns_that_look_right_and_are_not_are_refused() {
        for pattern in
            ["", "memory*", "*.now", "mem*ry.x", ".*", "memory.", "Memory.x", "a b", "**"]
        {
            let error = ToolPolicy::new(&[], &[], &[pattern]).unwrap_err();
            assert_eq!((error.pattern.as_str(), error.list), (pattern, "deny"));
        }
    }
}
