//! A codec of another language in a child process: told what to read and write and how often, it answers with seconds.
//!
//! It is found where `scripts/sdk` installs it for the tests of the SDKs. One that is not there is no error: the report
//! says so. Must never be waited for while it has nothing to answer.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use crate::error::BenchError;

/// Bytes of a failed child's words that are looked at.
const WORDS_BYTES_MAX: u64 = 64 * 1024;

/// Which codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Codec {
    Python,
    JavaScript,
}

impl Codec {
    pub(super) const ALL: [Self; 2] = [Self::Python, Self::JavaScript];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Python => "msgpack for Python",
            Self::JavaScript => "@msgpack/msgpack",
        }
    }

    /// The program that runs it, or why there is none.
    fn command(self, tree: &Path) -> Result<Command, String> {
        match self {
            Self::Python => {
                let python = tree.join("target/sdk-python/bin/python");
                if !python.is_file() {
                    return Err(
                        "target/sdk-python is not there; `scripts/sdk python` makes it".into()
                    );
                }
                let mut command = Command::new(python);
                command.args(["-c", include_str!("rival.py")]);
                Ok(command)
            }
            Self::JavaScript => {
                let folder = tree.join("sdk/typescript");
                if !folder.join("node_modules/@msgpack/msgpack").is_dir() {
                    let why = "sdk/typescript/node_modules is not there; `scripts/sdk typescript` makes it";
                    return Err(why.into());
                }
                let mut command = Command::new("node");
                command.current_dir(folder);
                command.args(["--input-type=module", "--eval", include_str!("rival.mjs"), "--"]);
                Ok(command)
            }
        }
    }
}

/// A running codec.
#[derive(Debug)]
pub(super) struct RivalCodec {
    pub(super) codec: Codec,
    /// Name and version, as it says itself.
    pub(super) title: String,
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl RivalCodec {
    /// Starts one that reads the messages of a folder, or says why it cannot be started.
    pub(super) fn start(codec: Codec, tree: Option<&Path>, bodies: &Path) -> Result<Self, String> {
        let tree = tree.ok_or("no source tree with the SDKs was found; name it by --tree")?;
        let mut command = codec.command(tree)?;
        let piped = command.arg(bodies).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = piped.stderr(Stdio::piped()).spawn().map_err(|error| {
            format!("{} cannot be started: {error}", command.get_program().display())
        })?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (orders, answers) = pipes.ok_or("it has no pipes")?;
        let (answers, title) = (BufReader::new(answers), String::new());
        let mut rival = Self { codec, title, child, orders, answers };
        rival.title = rival.answer().map_err(|error| error.to_string())?;
        if rival.title.is_empty() { Err(rival.last_words()) } else { Ok(rival) }
    }

    /// Has a message read and written so many times; gives the seconds that it took.
    pub(super) fn seconds(&mut self, message: &str, count: u32) -> Result<f64, BenchError> {
        let ordered = writeln!(self.orders, "{message} {count}").and_then(|()| self.orders.flush());
        ordered.map_err(BenchError::io("ask a rival"))?;
        let answer = self.answer()?;
        answer.parse().map_err(|_| {
            let name = self.codec.name();
            BenchError::Wrong(format!(
                "{name} gave a {message} back as other bytes, or ended: `{answer}`"
            ))
        })
    }

    /// Its next line; empty at its end.
    fn answer(&mut self) -> Result<String, BenchError> {
        let mut line = String::new();
        self.answers.read_line(&mut line).map_err(BenchError::io("hear a rival"))?;
        Ok(line.trim_end().to_owned())
    }

    /// What a child that ended at once said.
    fn last_words(&mut self) -> String {
        let mut words = String::new();
        if let Some(stderr) = self.child.stderr.take() {
            // Words that cannot be read are no words.
            drop(stderr.take(WORDS_BYTES_MAX).read_to_string(&mut words));
        }
        let last = words.lines().rev().find(|line| !line.trim().is_empty());
        last.unwrap_or("it ended without a word").trim().to_owned()
    }
}

impl Drop for RivalCodec {
    fn drop(&mut self) {
        // One that has ended by itself cannot be killed, and needs not to be.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
