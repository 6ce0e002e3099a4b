//! What runs as an agent: the SDKs' examples, the programs of these tests, the built-in agent.
//!
//! The Python of all of them is the one that `scripts/sdk` prepares. Where it is missing a test has nothing to run: it
//! says so, and fails where all must run.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

/// An agent that takes jobs, in the language that it is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    /// With the SDK for Python.
    Python,
    /// With the SDK for TypeScript.
    TypeScript,
    /// `mind = "agent"` without a command.
    BuiltIn,
}

impl Program {
    /// Its command; empty for the built-in agent, none where it cannot run here.
    pub(crate) fn command(self, witness: &Path) -> Option<Vec<String>> {
        let witness = text(witness);
        Some(match self {
            Self::Python => vec![text(&python()?), text(&own("remember.py")), witness],
            Self::TypeScript => {
                vec![text(&node()?), text(&own("remember.mjs")), text(&sdk()?), witness]
            }
            Self::BuiltIn => Vec::new(),
        })
    }

    /// The message that makes it call the probe once with this line.
    pub(crate) fn message(self, job: &str) -> String {
        match self {
            Self::Python | Self::TypeScript => job.to_owned(),
            Self::BuiltIn => {
                format!("\\tool probe.append {}", serde_json::json!({"line": job}))
            }
        }
    }

    /// Whether it can say what it remembers.
    pub(crate) fn lists(self) -> bool {
        self != Self::BuiltIn
    }
}

/// `[[agent]]` of a process with this command.
pub(crate) fn table(id: &str, command: &[String]) -> String {
    // What a test looks at lies beside the home, where nothing is granted unless it is named.
    let beside =
        command.iter().map(Path::new).filter(|word| word.starts_with(std::env::temp_dir()));
    let mut write: Vec<_> = beside.filter_map(Path::parent).map(text).collect();
    write.dedup();
    format!(
        "[[agent]]\nid = \"{id}\"\nmind = \"agent\"\ncommand = {command:?}\nwrite = {write:?}\n\
         environment = [\"HOUSE_MARK\", \"PYTHONPATH\"]\n"
    )
}

/// The command of the agent that makes its frames by hand.
pub(crate) fn frames(manner: &[&str]) -> Option<Vec<String>> {
    let program = text(&own("frames.py"));
    let start = [text(&python()?), "-I".into(), "-S".into(), program];
    Some(start.into_iter().chain(manner.iter().map(|&word| word.to_owned())).collect())
}

/// The command of the agent that attacks.
pub(crate) fn hostile() -> Option<Vec<String>> {
    Some(vec![text(&python()?), text(&own("attacks.py"))])
}

/// The command of the agent that changes itself.
pub(crate) fn evolving() -> Option<Vec<String>> {
    Some(vec![text(&python()?), text(&own("evolving.py"))])
}

/// The command of an SDK's example.
pub(crate) fn example(program: Program) -> Option<Vec<String>> {
    match program {
        Program::Python => {
            Some(vec![text(&python()?), text(&root().join("sdk/python/examples/echo.py"))])
        }
        Program::TypeScript => {
            sdk()?;
            Some(vec![text(&node()?), text(&root().join("sdk/typescript/examples/echo.mjs"))])
        }
        Program::BuiltIn => None,
    }
}

/// Where Python finds its SDK.
pub(crate) fn python_path() -> PathBuf {
    root().join("sdk/python/src")
}

/// The repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn own(name: &str) -> PathBuf {
    root().join("crates/server/tests/it/agents/programs").join(name)
}

fn python() -> Option<PathBuf> {
    there(root().join("target/sdk-python/bin/python"), "the Python of scripts/sdk")
}

/// The TypeScript SDK, built.
fn sdk() -> Option<PathBuf> {
    let folder = root().join("sdk/typescript");
    there(folder.join("node_modules/@msgpack"), "the packages of the TypeScript SDK")?;
    there(folder.join("dist/src/index.js"), "the TypeScript SDK, built by scripts/sdk")
}

fn node() -> Option<PathBuf> {
    let path = variable("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("node"));
    there(found.into_iter().find(|node| node.exists()).unwrap_or_default(), "Node")
}

fn there(path: PathBuf, what: &str) -> Option<PathBuf> {
    if path.exists() {
        return Some(path);
    }
    assert_ne!(variable("CI"), Some("true".into()), "{what} is not there");
    say(&format!("skipped: {what} is not there"));
    None
}

#[expect(
    clippy::print_stderr,
    reason = "a test that did nothing must not look like one that passed"
)]
fn say(line: &str) {
    eprintln!("{line}");
}

fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}
