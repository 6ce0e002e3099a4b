//! Which tools may run: `[tools] allow`, `ask` and `deny`, an agent's own lists in place of these, and what people set for single tools
//! while the keeper runs.
//!
//! Deny wins over ask, ask over allow, and what stands in no list is denied: a tool that appears in a later version can
//! never run by itself. A setting takes the place of what the lists say of a tool's name, but for what `deny` names: only whoever edits
//! the configuration undoes that. Of a tool of another program whose name stands in no list a person is asked: whoever configured the program
//! wanted it, and did not know its tools; nor did whoever wrote `*`. The same holds of `evolve.propose`: whoever lets agents change lets them
//! ask. A tool that the agent made and that was put in force may run unless a list or a person says otherwise: what its body asks for is
//! decided on by itself. Asked before each `tool.requested`, and for the list of tools that a mind is shown.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use abide_domain::{event::PolicySetting, limits::TOOL_NAME_BYTES_MAX};

/// The tool by which an agent proposes a change of itself. A person is asked about it unless a list of the configuration, or what people
/// set for tools, names it.
pub const PROPOSE_TOOL_NAME: &str = "evolve.propose";
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
#[error("`{pattern}` in `{list}` is not a tool pattern: use a name, `namespace.*` or `*`")]
pub struct ToolPolicyError {
    /// The pattern.
    pub pattern: String,
    /// The key of the list, such as `tools.allow`.
    pub list: &'static str,
}

/// The lists of an agent's own; each that is given takes the place of the one of `[tools]`.
#[derive(Clone, Copy, Debug, Default)]
pub struct OwnToolLists<'a> {
    /// In place of `tools.allow`.
    pub allow: Option<&'a [String]>,
    /// In place of `tools.ask`.
    pub ask: Option<&'a [String]>,
    /// In place of `tools.deny`.
    pub deny: Option<&'a [String]>,
}

/// The three lists, and what people set beside them. A cheap clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolPolicy {
    allow: Arc<List>,
    ask: Arc<List>,
    deny: Arc<List>,
    /// By the names of tools.
    settings: Arc<BTreeMap<String, PolicySetting>>,
    /// Tools that the agent made and that are in force.
    made: Arc<BTreeSet<String>>,
}

/// A list of the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
struct List {
    /// The key that changes it.
    key: &'static str,
    patterns: Vec<Pattern>,
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
            allow: List::parse("tools.allow", allow)?,
            ask: List::parse("tools.ask", ask)?,
            deny: List::parse("tools.deny", deny)?,
            settings: Arc::default(),
            made: Arc::default(),
        })
    }

    /// The same for an agent that has lists of its own.
    pub fn with_own_lists(&self, own: OwnToolLists<'_>) -> Result<Self, ToolPolicyError> {
        let list = |key, own: Option<&[String]>, shared: &Arc<List>| match own {
            Some(own) => List::parse(key, own),
            None => Ok(Arc::clone(shared)),
        };
        Ok(Self {
            allow: list("agent.tools.allow", own.allow, &self.allow)?,
            ask: list("agent.tools.ask", own.ask, &self.ask)?,
            deny: list("agent.tools.deny", own.deny, &self.deny)?,
            settings: Arc::clone(&self.settings),
            made: Arc::clone(&self.made),
        })
    }

    /// The same with what people set, and nothing of what they set before.
    #[must_use]
    pub fn with_settings(&self, settings: BTreeMap<String, PolicySetting>) -> Self {
        Self { settings: Arc::new(settings), ..self.clone() }
    }

    /// The same with the names of the tools that the agent made.
    #[must_use]
    pub fn with_made(&self, made: BTreeSet<String>) -> Self {
        Self { made: Arc::new(made), ..self.clone() }
    }

    /// Why the configuration denies a tool whatever people set; none where it does not, or only in that no list names the tool.
    pub fn denied_by_list(&self, name: &str) -> Option<String> {
        let pattern = self.deny.find(name)?;
        Some(format!("`{name}` is denied by `{pattern}` in `{}`", self.deny.key))
    }

    /// Whether a list means a tool of that name, or a person set something for it.
    pub fn is_named(&self, name: &str) -> bool {
        let is_listed =
            [&self.deny, &self.ask, &self.allow].iter().any(|list| list.find(name).is_some());
        is_listed || self.settings.contains_key(name)
    }

    /// Decides about a tool by its name.
    pub fn decide(&self, name: &str) -> Permission {
        if let Some(reason) = self.denied_by_list(name) {
            return Permission::Deny { reason };
        }
        match self.settings.get(name) {
            Some(PolicySetting::Allow) => Permission::Allow,
            Some(PolicySetting::Ask) => Permission::Ask,
            Some(PolicySetting::Deny) => {
                let reason = format!(
                    "a person denied `{name}`; `abide tools show {name}` says who and when"
                );
                Permission::Deny { reason }
            }
            None => self.decide_by_lists(name),
        }
    }

    fn decide_by_lists(&self, name: &str) -> Permission {
        if self.ask.find(name).is_some() {
            return Permission::Ask;
        }
        if self.made.contains(name) {
            return Permission::Allow;
        }
        let is_asked = is_foreign(name) || name == PROPOSE_TOOL_NAME;
        let names = |pattern: &Pattern| !is_asked || *pattern != Pattern::All;
        if self.allow.patterns.iter().any(|pattern| names(pattern) && pattern.matches(name)) {
            return Permission::Allow;
        }
        if is_asked {
            return Permission::Ask;
        }
        let (allow, ask) = (self.allow.key, self.ask.key);
        let reason = format!("`{name}` is neither in `{allow}` nor in `{ask}`");
        Permission::Deny { reason }
    }

    /// What the lists say about a part of a tool by its own name, such as `stdout.grant`; none where they do not name it. `*`
    /// in `allow` names no part: it allows tools, and a part is what a person is asked about in spite of that. Nor does anything that
    /// people set for the tool.
    pub fn decide_part(&self, name: &str) -> Option<Permission> {
        if let Some(reason) = self.denied_by_list(name) {
            return Some(Permission::Deny { reason });
        }
        let names = |list: &List| {
            list.patterns.iter().any(|pattern| *pattern != Pattern::All && pattern.matches(name))
        };
        if names(&self.ask) {
            return Some(Permission::Ask);
        }
        names(&self.allow).then_some(Permission::Allow)
    }

    /// Whether `ask` names a tool of another program, or a person set it so: then a person is asked, whatever the program's own lists
    /// say.
    pub(crate) fn asks_about_foreign(&self, name: &str) -> bool {
        is_foreign(name)
            && match self.settings.get(name) {
                Some(setting) => *setting == PolicySetting::Ask,
                None => self.ask.find(name).is_some(),
            }
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

impl List {
    fn parse<S: AsRef<str>>(
        key: &'static str,
        patterns: &[S],
    ) -> Result<Arc<Self>, ToolPolicyError> {
        let patterns = patterns.iter().map(|text| {
            let text = text.as_ref();
            Pattern::parse(text).ok_or_else(|| ToolPolicyError { pattern: text.into(), list: key })
        });
        let patterns = patterns.collect::<Result<_, _>>()?;
        Ok(Arc::new(Self { key, patterns }))
    }

    /// The first pattern that means a tool of that name.
    fn find(&self, name: &str) -> Option<&Pattern> {
        self.patterns.iter().find(|pattern| pattern.matches(name))
    }
}

impl Default for ToolPolicy {
    /// Nothing is allowed.
    fn default() -> Self {
        let list = |key| Arc::new(List { key, patterns: Vec::new() });
        Self {
            allow: list("tools.allow"),
            ask: list("tools.ask"),
            deny: list("tools.deny"),
            settings: Arc::default(),
            made: Arc::default(),
        }
    }
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
    use std::collections::BTreeMap;

    use abide_domain::event::PolicySetting;

    use super::{OwnToolLists, PROPOSE_TOOL_NAME, Permission, ToolPolicy};

    fn denied(reason: &str) -> Permission {
        Permission::Deny { reason: reason.into() }
    }

    #[test]
    fn a_setting_takes_the_place_of_what_the_lists_say_but_for_what_deny_names() {
        let lists = ToolPolicy::new(
            &["memory.*", "stdout"],
            &["memory.forget_fact", "mcp.files.*"],
            &["files.write"],
        )
        .unwrap();
        let set = |name: &str, setting| {
            let settings = [(name.to_owned(), setting)].into_iter().collect();
            lists.with_settings(settings).decide(name)
        };
        for (name, setting, decision) in [
            ("memory.forget_fact", PolicySetting::Allow, Permission::Allow),
            ("memory.recall", PolicySetting::Ask, Permission::Ask),
            ("clock.now", PolicySetting::Allow, Permission::Allow),
            ("mcp.files.read", PolicySetting::Allow, Permission::Allow),
            (
                "stdout",
                PolicySetting::Deny,
                denied("a person denied `stdout`; `abide tools show stdout` says who and when"),
            ),
            (
                "files.write",
                PolicySetting::Allow,
                denied("`files.write` is denied by `files.write` in `tools.deny`"),
            ),
        ] {
            assert_eq!(set(name, setting), decision, "{name}");
        }
        let settings = [("memory.recall".to_owned(), PolicySetting::Deny)].into_iter().collect();
        let policy = lists.with_settings(settings);
        assert_eq!(policy.decide("memory.search_facts"), Permission::Allow, "others stay");
        assert_eq!(policy.with_settings(BTreeMap::new()), lists, "and none is left behind");
    }

    #[test]
    fn whether_a_person_is_asked_about_a_program_s_tool_is_for_its_setting_to_say() {
        let lists = ToolPolicy::new(&["*"], &["mcp.files.*"], &[]).unwrap();
        let asks = |name: &str, setting| {
            let settings = [(name.to_owned(), setting)].into_iter().collect();
            lists.with_settings(settings).asks_about_foreign(name)
        };
        assert!(lists.asks_about_foreign("mcp.files.read"));
        assert!(!asks("mcp.files.read", PolicySetting::Allow));
        assert!(asks("mcp.other.read", PolicySetting::Ask));
        assert!(!asks("clock.now", PolicySetting::Ask), "it is none of another program's");
    }

    #[test]
    fn a_person_is_asked_about_a_change_of_the_agent_unless_a_list_names_it() {
        let decide = |allow: &[&str], deny: &[&str]| {
            ToolPolicy::new(allow, &[], deny).unwrap().decide(PROPOSE_TOOL_NAME)
        };
        assert_eq!(decide(&[], &[]), Permission::Ask);
        assert_eq!(decide(&["*"], &[]), Permission::Ask);
        assert_eq!(decide(&["evolve.propose"], &[]), Permission::Allow);
        assert!(matches!(decide(&[], &["evolve.*"]), Permission::Deny { .. }));
    }

    #[test]
    fn a_setting_for_a_tool_says_nothing_of_its_parts() {
        let lists = ToolPolicy::new(&["stdout"], &[], &[]).unwrap();
        for setting in [PolicySetting::Allow, PolicySetting::Deny] {
            let settings = ["stdout", "stdout.grant"].map(|name| (name.to_owned(), setting)).into();
            assert_eq!(lists.with_settings(settings).decide_part("stdout.grant"), None);
        }
    }

    #[test]
    fn an_agent_s_own_lists_take_the_place_of_those_that_they_are_given_for() {
        let shared = ToolPolicy::new(&["memory.*"], &["clock.*"], &["stdout"]).unwrap();
        let allow = ["files.read".to_owned(), "stdout".to_owned()];
        let own = OwnToolLists { allow: Some(&allow), ..OwnToolLists::default() };
        let policy = shared.with_own_lists(own).unwrap();
        assert_eq!(policy.decide("files.read"), Permission::Allow);
        assert_eq!(policy.decide("clock.now"), Permission::Ask);
        assert_eq!(
            policy.decide("memory.recall"),
            denied("`memory.recall` is neither in `agent.tools.allow` nor in `tools.ask`")
        );
        assert_eq!(
            policy.decide("stdout"),
            denied("`stdout` is denied by `stdout` in `tools.deny`")
        );
        let own = OwnToolLists { deny: Some(&[]), ..own };
        assert_eq!(shared.with_own_lists(own).unwrap().decide("stdout"), Permission::Allow);
        let wrong = ["a b".to_owned()];
        let own = OwnToolLists { ask: Some(&wrong), ..OwnToolLists::default() };
        assert_eq!(shared.with_own_lists(own).unwrap_err().list, "agent.tools.ask");
    }

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
            assert_eq!(policy.decide(name), denied(reason));
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
            assert_eq!((error.pattern.as_str(), error.list), (pattern, "tools.deny"));
        }
    }
}
