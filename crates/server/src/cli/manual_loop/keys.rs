//! The keys of a play that stops at each step: a letter and Enter.

use std::io::BufRead as _;

use super::super::{failure::Failure, terminal::Terminal};

/// What a person wants next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// Goes on.
    Next,
    /// Ends the play.
    Quit,
    /// Shows what there is so far.
    Inspect,
    /// Asks the same again.
    Retry,
    /// Leaves the step out.
    Skip,
    /// Shows all findings as JSON.
    Dump,
}

/// What the keys do, in one line.
const HELP: &str = "Enter next · q quit · i inspect · r retry · s skip · d dump findings · h help · ctrl-d ends after this step";

/// Reads keys, or goes on by itself.
#[derive(Debug)]
pub(super) struct Keys {
    terminal: Terminal,
    is_auto: bool,
    is_over: bool,
}

impl Keys {
    /// `is_auto` never stops.
    pub(super) fn new(terminal: Terminal, is_auto: bool) -> Self {
        Self { terminal, is_auto, is_over: false }
    }

    /// Says what the keys do, where somebody will press them.
    pub(super) fn help(&self) {
        if !self.is_auto {
            self.terminal.aside(HELP);
        }
    }

    /// Says what comes and waits for a key. After ctrl-d the play ends with the step that it was pressed in.
    pub(super) async fn wait(&mut self, step: &str) -> Result<Key, Failure> {
        if self.is_auto {
            return Ok(Key::Next);
        }
        loop {
            if self.is_over {
                return Ok(Key::Quit);
            }
            self.terminal.say_part(&format!("[{step}] > "));
            let (read, line) = line().await?;
            self.is_over = read == 0;
            match line.trim() {
                "" => return Ok(Key::Next),
                "q" => return Ok(Key::Quit),
                "i" => return Ok(Key::Inspect),
                "r" => return Ok(Key::Retry),
                "s" => return Ok(Key::Skip),
                "d" => return Ok(Key::Dump),
                _ => self.terminal.aside(HELP),
            }
        }
    }
}

/// A line of stdin, away from the thread that keeps a person's connection to the stage alive.
async fn line() -> Result<(usize, String), Failure> {
    let read = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).map(|read| (read, line))
    });
    let failed =
        |error: &dyn std::error::Error| Failure::new("stdin cannot be read").because(error);
    read.await.map_err(|error| failed(&error))?.map_err(|error| failed(&error))
}
