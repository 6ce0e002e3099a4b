//! Which commands run unasked and which never: `[tools.shell] allow` and `deny`.
//!
//! A rule is a command as it is typed: `cargo test` means these words and no others; `git log *` means these words and more
//! after them that are plain: no option, no absolute path, none that leads upwards. A line runs unasked where each of its
//! programs has a rule; one that is denied is enough to refuse it. What it runs is decided on what a shell would run
//! ([`super::parse_command`]), never on how the line begins.

use super::command::{PlainCommand, parse_command};

/// Programs whose arguments are programs, or files that are: no rule for them ends in `*`.
const RUNS_ITS_ARGUMENTS: &[&str] = &[
    "ash",
    "awk",
    "bash",
    "busybox",
    "bun",
    "chroot",
    "curl",
    "dash",
    "deno",
    "docker",
    "doas",
    "ed",
    "emacs",
    "env",
    "ex",
    "find",
    "fish",
    "flock",
    "gawk",
    "gdb",
    "ionice",
    "ksh",
    "less",
    "lua",
    "make",
    "man",
    "mawk",
    "more",
    "nice",
    "node",
    "nohup",
    "npx",
    "nsenter",
    "parallel",
    "perl",
    "php",
    "pipx",
    "podman",
    "prlimit",
    "python",
    "python3",
    "rg",
    "rsync",
    "ruby",
    "run-parts",
    "scp",
    "screen",
    "script",
    "sed",
    "setarch",
    "setpriv",
    "setsid",
    "sftp",
    "sh",
    "sort",
    "ssh",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "tar",
    "taskset",
    "tclsh",
    "tee",
    "time",
    "timeout",
    "tmux",
    "uniq",
    "unshare",
    "uv",
    "uvx",
    "vi",
    "vim",
    "watch",
    "wget",
    "xargs",
    "zip",
    "zsh",
];
/// Programs with commands of their own: a rule that ends in `*` names one.
const HAS_COMMANDS: &[&str] =
    &["apt", "apt-get", "cargo", "gh", "git", "go", "npm", "pip", "pnpm", "systemctl", "yarn"];

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
    /// A person is asked, for this reason.
    Ask(String),
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
                return CommandRuling::Ask(format!("it is not certain what this runs: {why}"));
            }
        };
        if let Some(part) = line.parts.iter().find(|part| self.denies(part)) {
            return CommandRuling::Refused(format!("`{part}` is denied by `tools.shell.deny`"));
        }
        match line.parts.iter().find(|part| !self.allow.iter().any(|rule| rule.allows(part))) {
            Some(part) => {
                CommandRuling::Ask(format!("no rule of `tools.shell.allow` is for `{part}`"))
            }
            None => CommandRuling::Unasked,
        }
    }

    fn denies(&self, part: &PlainCommand) -> bool {
        self.deny.iter().any(|rule| part.words.starts_with(&rule.words))
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
        // `python3.11`, `gcc-12`: what is listed is the name without its version.
        let bare = program.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
        let is_listed = |list: &[&str]| list.contains(&program) || list.contains(&bare);
        if more && is_allowed && is_listed(RUNS_ITS_ARGUMENTS) {
            return Err(format!(
                "`{program}` runs or writes what its arguments name; write the whole command, without `*`"
            ));
        }
        if more && is_allowed && words.len() == 1 && is_listed(HAS_COMMANDS) {
            return Err(format!(
                "`{program}` has commands of its own; name one, such as `{program} … *`"
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
    fn a_grant_is_for_what_runs_and_not_for_how_the_line_begins() {
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
            assert!(matches!(rules().decide(line), CommandRuling::Ask(_)), "{line}");
        }
        for line in
            ["git push", "git push origin main", "git status && git push", "git log --exec x"]
        {
            assert!(matches!(rules().decide(line), CommandRuling::Refused(_)), "{line}");
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
