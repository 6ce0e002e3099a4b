//! The reading of command lines against a real shell: what is called certain is what `sh` runs, word for word.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Command, Stdio},
};

use abide_workspace::{CommandRules, CommandRuling, parse_command};
use proptest::prelude::*;

/// Programs that write down what they are called with.
const PROGRAMS: [&str; 4] = ["a", "git", "rm", "sh"];

fn make_programs(folder: &Path) {
    let script =
        "#!/bin/sh\n{ printf '%s\\037' \"${0##*/}\" \"$@\"; printf '\\036'; } >> \"$RECORD\"\n";
    for program in PROGRAMS {
        let path = folder.join(program);
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// What `sh` runs of a line: each program with its words. Nothing that is not one of ours can be found.
fn ran(folder: &Path, line: &str) -> BTreeSet<Vec<String>> {
    let record = folder.join("record");
    fs::write(&record, "").unwrap();
    let mut shell = Command::new("/bin/sh");
    shell.env_clear().env("PATH", folder).env("RECORD", &record).current_dir(folder.join("empty"));
    let streams = [Stdio::null(), Stdio::null(), Stdio::null()];
    let [stdin, stdout, stderr] = streams;
    shell.arg("-c").arg(line).stdin(stdin).stdout(stdout).stderr(stderr).status().unwrap();
    let record = fs::read_to_string(&record).unwrap();
    let runs = record.split_terminator('\u{1e}');
    runs.map(|run| run.split_terminator('\u{1f}').map(str::to_owned).collect()).collect()
}

/// Lines of what matters to a shell, with programs of ours in them.
fn lines() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        4 => prop::sample::select(PROGRAMS.as_slice()).prop_map(str::to_owned),
        4 => prop::sample::select(vec![" ", "  ", "\t"]).prop_map(str::to_owned),
        3 => "[abx1=./:@%+,-]{1,3}",
        2 => prop::sample::select(vec![";", "&&", "||", "|", "\n", "&", "\r"]).prop_map(str::to_owned),
        2 => prop::sample::select(vec!["'", "\"", "\\", "$", "`", "(", ")", "{", "}", "<", ">", "*", "?", "[", "]", "~", "#", "!", "^"])
            .prop_map(str::to_owned),
        1 => prop::sample::select(vec!["eval ", "exec ", "if ", "then ", "fi", "command ", ". ", "A=b ", "\u{a0}", "é", "'a b'", "\"a b\""])
            .prop_map(str::to_owned),
    ];
    prop::collection::vec(pieces, 1..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn hb_35_a_line_that_is_certain_runs_nothing_but_what_was_read(line in lines()) {
        let Ok(read) = parse_command(&line) else { return Ok(()) };
        let folder = tempfile::tempdir().unwrap();
        make_programs(folder.path());
        fs::create_dir(folder.path().join("empty")).unwrap();
        let parts: BTreeSet<_> = read.parts.into_iter().map(|part| part.words).collect();
        let ran = ran(folder.path(), &line);
        prop_assert!(ran.is_subset(&parts), "{line:?}: {ran:?} of {parts:?}");
    }

    #[test]
    fn hb_35_what_is_denied_runs_in_no_line_that_may_run(line in lines()) {
        let rules = CommandRules::new(&["a *", "git a"], &["rm", "git x"]).unwrap();
        let ruling = rules.decide(&line);
        if !matches!(ruling, CommandRuling::Unasked | CommandRuling::Ask(_)) {
            return Ok(());
        }
        let folder = tempfile::tempdir().unwrap();
        make_programs(folder.path());
        fs::create_dir(folder.path().join("empty")).unwrap();
        let ran = ran(folder.path(), &line);
        let is_denied = |words: &Vec<String>| {
            words.first().is_some_and(|program| program == "rm")
                || words.starts_with(&["git".to_owned(), "x".to_owned()])
        };
        prop_assert!(!ran.iter().any(is_denied), "{line:?} is {ruling:?} and ran {ran:?}");
        let has_rule = |words: &Vec<String>| match words.split_first() {
            Some((program, rest)) if program == "git" => rest == ["a"],
            Some((program, _)) => program == "a",
            None => false,
        };
        if ruling == CommandRuling::Unasked {
            prop_assert!(ran.iter().all(has_rule), "{line:?} ran {ran:?} unasked");
        }
    }
}

#[test]
fn the_record_of_a_shell_shows_what_it_runs() {
    let folder = tempfile::tempdir().unwrap();
    make_programs(folder.path());
    fs::create_dir(folder.path().join("empty")).unwrap();
    let ran = ran(folder.path(), "a 'x y' && git log; false || rm z | sh");
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let all = [words(&["a", "x y"]), words(&["git", "log"]), words(&["rm", "z"]), words(&["sh"])];
    assert_eq!(ran, BTreeSet::from(all));
}
