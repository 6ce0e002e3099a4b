//! What the rules of `[tools.shell]` say about command lines that try to get past them.

mod table;

use std::{collections::BTreeSet, path::PathBuf, sync::Arc, time::Duration};

use abide_domain::AgentId;
use abide_tools::{CallProgress, Permission, Tool as _};
use abide_workspace::{
    CommandOrder, CommandRules, CommandRuling, CommandRunError, CommandRunner, FinishedCommand,
    FolderResolver, NamedFolder, RunCommand, ShellSettings,
};
use futures_util::future::{BoxFuture, ready};
use serde_json::json;

use table::{Expected, SECTIONS, Section};

/// The least number of ways around the rules that the table has.
const EVASIONS_MIN: usize = 200;

#[derive(Debug)]
struct NoFolders;

impl FolderResolver for NoFolders {
    fn folders(&self, _: &AgentId) -> Arc<[NamedFolder]> {
        [].into()
    }

    fn undo_folder(&self, _: &AgentId) -> PathBuf {
        PathBuf::new()
    }
}

#[derive(Debug)]
struct NoRunner;

impl CommandRunner for NoRunner {
    fn run<'a>(
        &'a self,
        _: CommandOrder,
        _: &'a CallProgress,
    ) -> BoxFuture<'a, Result<FinishedCommand, CommandRunError>> {
        Box::pin(ready(Err(CommandRunError::NoSandbox("this is a test".to_owned()))))
    }
}

fn rules(section: &Section) -> CommandRules {
    CommandRules::new(section.allow, section.deny).unwrap()
}

fn tool(rules: CommandRules) -> RunCommand {
    let settings = ShellSettings { rules, ..ShellSettings::default() };
    RunCommand::new(settings, Arc::new(NoFolders), Arc::new(NoRunner))
}

const fn kind(ruling: &CommandRuling) -> Expected {
    match ruling {
        CommandRuling::Unasked => Expected::Unasked,
        CommandRuling::Ask(_) => Expected::Asks,
        CommandRuling::Uncertain(_) => Expected::Uncertain,
        CommandRuling::Refused(_) => Expected::Refused,
    }
}

#[test]
fn hb_35_no_evasion_runs_unasked_and_what_has_a_rule_does() {
    let mut wrong = Vec::new();
    for section in SECTIONS {
        let rules = rules(section);
        for (line, expected) in section.rows {
            let ruling = rules.decide(line);
            if kind(&ruling) != *expected {
                wrong.push(format!("{line:?}: {ruling:?} instead of {expected:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} lines are judged wrongly:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn hb_35_the_table_has_evasions_enough_and_each_once() {
    let mut evasions = BTreeSet::new();
    let mut allowed = 0;
    for section in SECTIONS {
        let mut lines = BTreeSet::new();
        for (line, expected) in section.rows {
            assert!(lines.insert(line), "{line:?} is there twice");
            match expected {
                Expected::Unasked => allowed += 1,
                _ => {
                    evasions.insert(*line);
                }
            }
        }
    }
    println!("{} evasions, {allowed} lines that run", evasions.len());
    assert!(evasions.len() >= EVASIONS_MIN && allowed >= 40, "{} {allowed}", evasions.len());
}

/// What is asked about whatever the policy says, and what the policy decides, as the engine is answered.
#[test]
fn hb_35_the_tool_judges_a_call_as_the_rules_do() {
    let agent: AgentId = "felix".parse().unwrap();
    for section in SECTIONS {
        let tool = tool(rules(section));
        for (line, expected) in section.rows {
            let judged = tool.judge(&agent, &json!({"command": line}));
            let is_right = match expected {
                Expected::Unasked => matches!(judged, Some(Permission::Allow)),
                Expected::Asks => judged.is_none(),
                Expected::Uncertain => matches!(judged, Some(Permission::Ask)),
                Expected::Refused => matches!(judged, Some(Permission::Deny { .. })),
            };
            assert!(is_right, "{line:?}: {judged:?} instead of {expected:?}");
            // A command that would run unasked asks for the network all the same.
            let online = tool.judge(&agent, &json!({"command": line, "network": true}));
            assert!(!matches!(online, Some(Permission::Allow)), "{line:?} with network");
        }
    }
}

/// Whatever stands around what is denied: it never runs unasked, and no policy lets it run.
#[test]
fn hb_35_no_frame_around_a_denied_command_lets_it_run() {
    let rules = CommandRules::new(&["git status", "cat *", "echo *"], &["git push"]).unwrap();
    let frames = [
        "{}",
        "{};",
        "{}\n",
        "true; {}",
        "git status && {}",
        "cat a | {}",
        "{} | cat",
        "{} &",
        "({})",
        "{ {}; }",
        "! {}",
        "A=1 {}",
        "exec {}",
        "eval {}",
        "eval '{}'",
        "command {}",
        "env {}",
        "env -i {}",
        "nice -n 5 {}",
        "nohup {}",
        "timeout 5 {}",
        "setsid {}",
        "sudo {}",
        "xargs {}",
        "sh -c '{}'",
        "sh -c \"{}\"",
        "bash -lc '{}'",
        "echo $({})",
        "echo `{}`",
        "echo \"$({})\"",
        "cat <({})",
        "if {}; then true; fi",
        "while {}; do true; done",
        "f() { {}; }; f",
        "trap '{}' EXIT",
        "{} > a",
        "{} 2>&1",
        "> a {}",
        "find . -exec {} +",
        "ssh host {}",
        "watch {}",
        "strace -f {}",
        "busybox sh -c '{}'",
        "python3 -c '{}'",
        "awk '{}'",
        "vim -c '!{}'",
        "git -c 'alias.x=!{}' x",
        "git rebase -x '{}'",
        "git bisect run {}",
        "make SHELL='{}'",
        "unknown {}",
        "unknown --run='{}'",
        "cat a\n{}",
    ];
    for frame in frames {
        let line = frame.replace("{}", "git push");
        let ruling = rules.decide(&line);
        let is_held = matches!(ruling, CommandRuling::Uncertain(_) | CommandRuling::Refused(_));
        assert!(is_held, "{line:?}: {ruling:?}");
    }
}

#[test]
fn hb_34_a_grant_is_for_the_words_that_were_granted() {
    let rules = CommandRules::new(&["git log *", "git status"], &[]).unwrap();
    for line in ["git log", "git log main", "git status"] {
        assert_eq!(rules.decide(line), CommandRuling::Unasked, "{line}");
    }
    for line in [
        "A=1 git push",
        "git log;rm",
        "./git",
        "./git log",
        "git",
        "git push",
        "git status main",
        "git logs",
        "gitlog",
        "git log\nrm x",
    ] {
        assert!(matches!(rules.decide(line), CommandRuling::Ask(_)), "{line}");
    }
}

#[test]
fn hb_34_no_grant_is_for_a_program_by_its_name_alone_where_that_runs_others() {
    for rule in [
        "*",
        "git *",
        "git -c *",
        "git -C *",
        "git --git-dir *",
        "git config *",
        "git bisect *",
        "git submodule *",
        "git filter-branch *",
        "npm *",
        "npm exec *",
        "npm x *",
        "pip install *",
        "pip3 install *",
        "go run *",
        "yarn dlx *",
        "cargo *",
        "cargo --config *",
        "cargo install *",
        "gh alias *",
        "rustup run *",
        "mise exec *",
        "sh *",
        "bash *",
        "bash-static *",
        "vim.basic *",
        "Rscript *",
        "sqlite3 *",
        "nodejs *",
        "ruby3.2 *",
        "env *",
        "find *",
        "xargs *",
        "python3.11 *",
        "m4 *",
        "openssl *",
        "runuser *",
        "su -c *",
        "tar cf *",
        "just *",
        "ninja *",
        "toybox *",
        "nix-shell *",
        "docker-compose *",
    ] {
        assert!(CommandRules::new(&[rule], &[]).is_err(), "{rule}");
    }
    for rule in [
        "git log *",
        "git -C sub log",
        "npm run *",
        "npm exec a",
        "cargo run *",
        "pip list *",
        "go test *",
        "sh check.sh",
        "cat *",
        "shasum *",
        "kubectx",
        "grep -n *",
    ] {
        let read = CommandRules::new(&[rule], &[]);
        assert!(read.is_ok(), "{rule}: {read:?}");
    }
}

#[test]
fn hb_31_a_call_lasts_longer_than_its_command_may() {
    let tool = tool(CommandRules::default());
    for (seconds, expected) in [(json!(null), 60), (json!(5), 5), (json!(100_000), 600)] {
        let limit = tool.time_limit(&json!({"command": "a", "seconds": seconds})).unwrap();
        assert!(limit > Duration::from_secs(expected), "{seconds}: {limit:?}");
        assert!(limit < Duration::from_secs(expected + 60), "{seconds}: {limit:?}");
    }
}
