//! The keys of a scenario that stops at each step: a letter and Enter.

use std::io::BufRead as _;

use super::super::{error::CliError, terminal::Terminal};

/// What the person wants to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepKey {
    Next,
    Quit,
    /// Shows what there is so far.
    Inspect,
    /// Asks the same again.
    Retry,
    Skip,
    /// Shows all findings as JSON.
    Dump,
}

/// What the keys do, in one line.
const HELP: &str = "Enter: next · q: quit · i: inspect · r: retry · s: skip · d: dump findings · h: help · ctrl-d: end after this step";

/// Reads keys, or goes on without them.
#[derive(Debug)]
pub(super) struct StepKeys {
    terminal: Terminal,
    is_auto: bool,
    is_over: bool,
}

impl StepKeys {
    /// With `is_auto` it never waits.
    pub(super) fn new(terminal: Terminal, is_auto: bool) -> Self {
        Self { terminal, is_auto, is_over: false }
    }

    /// Prints what the keys do, unless nobody presses them.
    pub(super) fn help(&self) {
        if !self.is_auto {
            self.terminal.say_dimmed(HELP);
        }
    }

    /// Shows the next step and waits for a key. After ctrl-d the scenario ends with the step in which it was pressed.
    pub(super) async fn wait(&mut self, step: &str) -> Result<StepKey, CliError> {
        if self.is_auto {
            return Ok(StepKey::Next);
        }
        loop {
            if self.is_over {
                return Ok(StepKey::Quit);
            }
            self.terminal.say_part(&format!("[{step}] > "));
            let (read, line) = line().await?;
            self.is_over = read == 0;
            match line.trim() {
                "" => return Ok(StepKey::Next),
                "q" => return Ok(StepKey::Quit),
                "i" => return Ok(StepKey::Inspect),
                "r" => return Ok(StepKey::Retry),
                "s" => return Ok(StepKey::Skip),
                "d" => return Ok(StepKey::Dump),
                _ => self.terminal.say_dimmed(HELP),
            }
        }
    }
}

/// A line of stdin, read on another thread than the one that keeps the person's connection to the keeper alive.
async fn line() -> Result<(usize, String), CliError> {
    let read = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).map(|read| (read, line))
    });
    let failed =
        |error: &dyn std::error::Error| CliError::new("stdin cannot be read").caused_by(error);
    read.await.map_err(|error| failed(&error))?.map_err(|error| failed(&error))
}
