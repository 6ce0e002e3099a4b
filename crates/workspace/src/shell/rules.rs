//! Which commands run unasked and which never: `[tools.shell] allow` and `deny`.
//!
//! A rule is a command as it is typed: `cargo test` means these words and no others; `git log *` means these words and more
//! after them that are plain: no option, no absolute path, none that leads upwards. A line runs unasked where each of its
//! programs has a rule; one that is denied is enough to refuse it. What it runs is decided on what a shell would run
//! ([`super::parse_command`]), never on how the line begins.
//!
//! The order of questions: a line that is not certain is asked about; one of its programs that is denied refuses it; then
//! each of its programs needs a rule, and where one has none and something is denied, whatever could run that in another
//! spelling is asked about too.

use super::{
    command::{PlainCommand, parse_command},
    programs::{command_runs_its_arguments, has_commands, is_option_that_runs, runs_its_arguments},
};

/// What makes a word a command for another shell; a program with commands of its own may give it to one.
const QUOTES: [char; 5] = ['$', '`', '\\', '\'', '"'];

/// Says why a rule cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{rule}` in `tools.shell.{list}` is no rule: {why}")]
pub struct CommandRulesError {
    /// The rule.
    pub rule: String,
    /// `allow` or `deny`.
    pub list: &'static str,
    /// Why.
    pub why: String,
}

impl CommandRulesError {
    /// The same for somebody who is told the list in other words.
    pub fn describe(&self) -> String {
        format!("has \"{}\", which is no rule: {}", self.rule, self.why)
    }
}

/// What the rules say about a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandRuling {
    /// It runs, and nobody is asked.
    Unasked,
    /// A person is asked where the policy asks, for this reason.
    Ask(String),
    /// It is not certain what it runs, for this reason: a person is asked, or whatever is denied would run in another spelling.
    Uncertain(String),
    /// It does not run, for this reason.
    Refused(String),
}

/// The rules of `[tools.shell]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandRules {
    allow: Vec<Rule>,
    deny: Vec<Rule>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    words: Vec<String>,
    /// Whether plain words may follow.
    more: bool,
}

impl CommandRules {
    /// Reads both lists.
    pub fn new<S: AsRef<str>>(allow: &[S], deny: &[S]) -> Result<Self, CommandRulesError> {
        let read = |list: &'static str, rules: &[S]| {
            let rule = |text: &S| {
                let rule = text.as_ref();
                Rule::parse(rule, list == "allow").map_err(|why| CommandRulesError {
                    rule: rule.to_owned(),
                    list,
                    why,
                })
            };
            rules.iter().map(rule).collect::<Result<Vec<_>, _>>()
        };
        Ok(Self { allow: read("allow", allow)?, deny: read("deny", deny)? })
    }

    /// Decides about a command line.
    pub fn decide(&self, text: &str) -> CommandRuling {
        let line = match parse_command(text) {
            Ok(line) => line,
            Err(why) => {
                let why = format!("it is not certain what this runs: {why}");
                let asks = self.deny.is_empty();
                return if asks { CommandRuling::Ask(why) } else { CommandRuling::Uncertain(why) };
            }
        };
        if let Some(part) = line.parts.iter().find(|part| self.denies(part)) {
            return CommandRuling::Refused(format!("`{part}` is denied by `tools.shell.deny`"));
        }
        let has_rule = |part: &&PlainCommand| self.allow.iter().any(|rule| rule.allows(part));
        let without_rule = || line.parts.iter().filter(|part| !has_rule(part));
        if let Some(why) = without_rule().find_map(|part| self.doubt(part)) {
            return CommandRuling::Uncertain(why);
        }
        match without_rule().next() {
            Some(part) => {
                CommandRuling::Ask(format!("no rule of `tools.shell.allow` is for `{part}`"))
            }
            None => CommandRuling::Unasked,
        }
    }

    fn denies(&self, part: &PlainCommand) -> bool {
        self.deny.iter().any(|rule| rule.denies(part))
    }

    /// Why a program that is not denied could run what is, in another spelling.
    fn doubt(&self, part: &PlainCommand) -> Option<String> {
        let [program, arguments @ ..] = part.words.as_slice() else { return None };
        if self.deny.is_empty() {
            return None;
        }
        if let Some(rule) = self.deny.iter().find(|rule| rule.may_mean(part)) {
            let denied = rule.words.join(" ");
            return Some(format!("`{part}` may run `{denied}`, which is denied"));
        }
        let command = arguments.first().map(String::as_str).unwrap_or_default();
        let runs_others = runs_its_arguments(program)
            || command_runs_its_arguments(program, command)
            || arguments.iter().any(|word| is_option_that_runs(program, word))
            || (has_commands(program)
                && ((command.starts_with('-') && arguments.len() > 1)
                    || arguments.iter().any(|word| word.contains(QUOTES))));
        runs_others.then(|| format!("`{part}` may run other programs, and some are denied"))
    }
}

impl Rule {
    fn parse(text: &str, is_allowed: bool) -> Result<Self, String> {
        let (text, more) = match text.trim_end().strip_suffix(" *") {
            Some(before) => (before, true),
            None => (text, false),
        };
        let line = parse_command(text).map_err(|why| why.to_string())?;
        let Ok([PlainCommand { words }]) = <[PlainCommand; 1]>::try_from(line.parts) else {
            return Err("a rule is for one program".to_owned());
        };
        let program = words.first().map(String::as_str).unwrap_or_default();
        let command = words.get(1).map(String::as_str).unwrap_or_default();
        if !more || !is_allowed {
            return Ok(Self { words, more });
        }
        if runs_its_arguments(program) {
            return Err(format!(
                "`{program}` runs or writes what its arguments name; write the whole command, without `*`"
            ));
        }
        if has_commands(program) && (command.is_empty() || command.starts_with('-')) {
            return Err(format!(
                "`{program}` has commands of its own; name one, such as `{program} … *`"
            ));
        }
        if command_runs_its_arguments(program, command) {
            return Err(format!(
                "`{program} {command}` runs what its arguments name, or decides what runs later; write the whole \
                 command, without `*`"
            ));
        }
        Ok(Self { words, more })
    }

    fn allows(&self, part: &PlainCommand) -> bool {
        match part.words.strip_prefix(self.words.as_slice()) {
            Some([]) => true,
            Some(rest) => self.more && rest.iter().all(|word| is_harmless(word)),
            None => false,
        }
    }

    /// Whether a program begins as this rule does. Some file systems know a program in any case.
    fn denies(&self, part: &PlainCommand) -> bool {
        let (Some((denied, rule)), Some((program, arguments))) =
            (self.words.split_first(), part.words.split_first())
        else {
            return false;
        };
        program.eq_ignore_ascii_case(denied) && arguments.starts_with(rule)
    }

    /// Whether a program could be what this rule is for, said in another order, with other options or shortened.
    fn may_mean(&self, part: &PlainCommand) -> bool {
        let has_option = part.words.iter().any(|word| word.starts_with('-'));
        let is_there = |denied: &String| {
            (denied.starts_with('-') && has_option)
                || part.words.iter().any(|word| holds(word, denied))
        };
        let is_shortened = match (self.words.as_slice(), part.words.as_slice()) {
            ([denied, command, ..], [program, short, ..]) => {
                let is_part = short.len() < command.len() && command.starts_with(short.as_str());
                denied == program && !short.is_empty() && is_part
            }
            _ => false,
        };
        is_shortened || self.words.iter().all(is_there)
    }
}

/// Whether a word has another one in it that is not only a part of a name: `alias.x=!rm a` and `-xrm a` have `rm`, `farm` has
/// not.
fn holds(word: &str, wanted: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_apart = |(start, found): (usize, &str)| {
        let (before, after) = (word.get(..start), word.get(start + found.len()..));
        !before.is_some_and(|text| text.ends_with(is_name))
            && !after.is_some_and(|text| text.starts_with(is_name))
    };
    // What follows the letter of a short option is its value.
    let is_value = word.strip_prefix('-').and_then(|rest| rest.get(1..)).is_some_and(|value| {
        value.strip_prefix(wanted).is_some_and(|after| !after.starts_with(is_name))
    });
    is_value || word.match_indices(wanted).any(is_apart)
}

/// Whether a word names something below the folder, or is a plain name: no option, no address, no way out.
fn is_harmless(word: &str) -> bool {
    let is_plain =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | '@' | ',' | '-' | ' ');
    let leads_up = word.split('/').any(|part| part == "..");
    !word.is_empty()
        && !word.starts_with(['-', '/', '@', ' '])
        && !leads_up
        && word.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::{CommandRules, CommandRuling};

    fn rules() -> CommandRules {
        let allow =
            ["git status", "git log *", "cat *", "ls *", "cargo test", "wc -l", "python3 check.py"];
        CommandRules::new(&allow, &["git push", "git log --exec"]).unwrap()
    }

    #[test]
    fn a_line_runs_unasked_where_each_of_its_programs_has_a_rule() {
        for line in [
            "git status",
            "git log",
            "git log src/main.rs",
            "cat notes.txt | wc -l",
            "ls sub && git status; cargo test",
            "cat 'a b.txt'",
            "python3 check.py",
        ] {
            assert_eq!(rules().decide(line), CommandRuling::Unasked, "{line}");
        }
    }

    #[test]
    fn hb_34_a_grant_is_for_what_runs_and_not_for_how_the_line_begins() {
        for line in [
            "git status --porcelain",
            "git log;rm x",
            "A=1 git status",
            "./git status",
            "git log --output=x",
            "git -c a=b log",
            "git log -p",
            "cat /etc/passwd",
            "cat ../x",
            "cat sub/../../x",
            "cat -",
            "cat a > b",
            "cat a & rm b",
            "cargo test --lib",
            "wc",
            "wc -l x",
            "python3",
            "python3 -c x",
            "python3 check.py more",
            "ls $(rm x)",
            "ls ext::sh",
            "ls a=b",
            "cat ~/x",
            "git log\nrm x",
            "cat a | sh",
            "env git status",
            "timeout 5 git status",
            "git  log  --all",
            "cat @x",
            "GIT log",
        ] {
            let ruling = rules().decide(line);
            let asks = matches!(ruling, CommandRuling::Ask(_) | CommandRuling::Uncertain(_));
            assert!(asks, "{line}: {ruling:?}");
        }
        for line in
            ["git push", "git push origin main", "git status && git push", "git log --exec x"]
        {
            assert!(matches!(rules().decide(line), CommandRuling::Refused(_)), "{line}");
        }
    }

    #[test]
    fn where_something_is_denied_a_line_of_which_nothing_is_certain_asks_whatever_the_policy_says()
    {
        let denies = CommandRules::new(&[], &["git push"]).unwrap();
        for line in ["git push 2>&1", "(git push)", "/usr/bin/git push", "eval git push"] {
            assert!(matches!(denies.decide(line), CommandRuling::Uncertain(_)), "{line}");
            assert!(
                matches!(CommandRules::default().decide(line), CommandRuling::Ask(_)),
                "{line}"
            );
        }
    }

    #[test]
    fn rules_that_would_let_anything_run_are_none() {
        for rule in [
            "sh *",
            "bash *",
            "env *",
            "python3 *",
            "python3.11 *",
            "find *",
            "xargs *",
            "git *",
            "cargo *",
            "sed *",
            "make *",
            "*",
            "",
            "a; b",
            "a | b",
            "a *b",
            "$(a)",
            "./x",
            "/bin/ls *",
            "A=b c",
            "ssh *",
            "docker *",
            "tar *",
            "curl *",
        ] {
            assert!(CommandRules::new(&[rule], &[]).is_err(), "{rule}");
        }
        for rule in ["sh check.sh", "python3 -m pytest", "git diff *", "npm test", "make"] {
            CommandRules::new(&[rule], &[]).unwrap();
        }
        assert!(CommandRules::new(&[], &["git *"]).is_ok(), "more may be denied than named");
    }
}
