//! The stderr of an agent: lines of our log, at a bounded rate, and the last of them for the event that records its end.
//!
//! It is data: control characters are escaped, and a line is cut where it is too long. An agent never blocks on it: what is
//! too much for the log is read and dropped, and a flood is read slowly. It must never hold more than one line and the last
//! lines.

mod cause;
mod lines;
mod rate;

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use abide_domain::{AgentId, RunId};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    sync::watch,
    time::{Instant, timeout},
};

use self::{
    lines::LineCutter,
    rate::{LogAllowance, ReadPace},
};

/// Lines kept for the event that records the end.
pub const LAST_WORDS_MAX: usize = 20;
/// Characters of each of them.
pub const LAST_WORD_CHARS_MAX: usize = 500;
/// How long the event that records the end waits for the last lines.
pub(crate) const LAST_WORDS_GRACE: Duration = Duration::from_millis(100);
/// Bytes read at once.
const CHUNK_BYTES: usize = 8192;

/// Reads one agent's standard error.
#[derive(Debug)]
pub struct StderrLog {
    agent: AgentId,
    run: RunId,
    words: LastWords,
}

/// The last lines of one run, shared with whoever records its end. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct LastWords {
    last: Arc<Mutex<LastLines>>,
    is_over: Arc<watch::Sender<bool>>,
}

#[derive(Debug, Default)]
struct LastLines {
    lines: VecDeque<String>,
    suppressed: u64,
}

impl LastWords {
    /// Of a run whose stderr the keeper does not read: there is nothing to wait for.
    pub(crate) fn none() -> Self {
        let words = Self::default();
        words.is_over.send_replace(true);
        words
    }

    /// The last lines, oldest first: at most [`LAST_WORDS_MAX`], each at most [`LAST_WORD_CHARS_MAX`] characters.
    pub fn lines(&self) -> Vec<String> {
        self.with(|last| last.lines.iter().cloned().collect())
    }

    /// The line that tells most of why the process ended, for a sentence; none where it was quiet.
    pub(crate) fn cause(&self) -> Option<String> {
        self.with(|last| cause::find(&last.lines))
    }

    /// Waits until everything is read, but 100 ms at most: what a process wrote just before its end may
    /// still be in the pipe when the end is known.
    pub async fn wait_complete(&self) {
        let mut is_over = self.is_over.subscribe();
        drop(timeout(LAST_WORDS_GRACE, is_over.wait_for(|is_over| *is_over)).await);
    }

    /// How many lines of this run were not logged.
    pub fn suppressed(&self) -> u64 {
        self.with(|last| last.suppressed)
    }

    fn push(&self, line: &str, logged: bool) {
        self.with(|last| {
            if last.lines.len() == LAST_WORDS_MAX {
                last.lines.pop_front();
            }
            last.lines.push_back(line.chars().take(LAST_WORD_CHARS_MAX).collect());
            last.suppressed += u64::from(!logged);
        });
    }

    fn with<T>(&self, work: impl FnOnce(&mut LastLines) -> T) -> T {
        // Nothing in there can be half done.
        work(&mut self.last.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl StderrLog {
    /// For one run.
    pub fn new(agent: AgentId, run: RunId) -> Self {
        Self { agent, run, words: LastWords::default() }
    }

    /// The last words, to be read during and after [`Self::pump`].
    pub fn last_words(&self) -> LastWords {
        self.words.clone()
    }

    /// Reads to the end of the stream, which comes when the last process that holds it is gone.
    pub async fn pump(self, stderr: impl AsyncRead + Unpin) {
        let mut stderr = stderr;
        let mut chunk = vec![0; CHUNK_BYTES];
        let mut cutter = LineCutter::default();
        let mut allowance = LogAllowance::new(Instant::now());
        let mut pace = ReadPace::new(Instant::now());
        loop {
            let count = match stderr.read(&mut chunk).await {
                Ok(count) if count > 0 => count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                _ => break,
            };
            let now = Instant::now();
            let bytes = chunk.get(..count).unwrap_or_default();
            cutter.feed(bytes, |line| self.take(&line, &mut allowance, now));
            if let Some(until) = pace.read(count, now) {
                tokio::time::sleep_until(until).await;
            }
        }
        let now = Instant::now();
        cutter.finish(|line| self.take(&line, &mut allowance, now));
        self.log_suppressed(allowance.take_suppressed());
        self.words.is_over.send_replace(true);
    }

    fn take(&self, line: &str, allowance: &mut LogAllowance, now: Instant) {
        let logged = allowance.allows(now);
        if logged {
            self.log_suppressed(allowance.take_suppressed());
            tracing::info!(agent = %self.agent, run = %self.run, event = "stderr_line", line, "agent process wrote to stderr");
        }
        self.words.push(line, logged);
    }

    fn log_suppressed(&self, lines: u64) {
        if lines > 0 {
            tracing::warn!(agent = %self.agent, run = %self.run, event = "stderr_suppressed", lines, "agent process wrote too much to stderr: some lines were not logged");
        }
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::{AgentId, RunId};
    use uuid::Uuid;

    use super::{LAST_WORD_CHARS_MAX, LAST_WORDS_MAX, LastWords, StderrLog, rate::BURST_LINES};

    /// What is kept of a run that says `text`.
    async fn said(text: &[u8]) -> Option<LastWords> {
        let agent: AgentId = "felix".parse().ok()?;
        let log = StderrLog::new(agent, RunId::from_uuid(Uuid::from_u128(1)));
        let words = log.last_words();
        log.pump(text).await;
        Some(words)
    }

    #[tokio::test(start_paused = true)]
    async fn last_words_are_the_last_even_in_a_flood_that_is_not_logged() {
        let mut text = "noise\n".repeat(10_000);
        text.push_str("panicked at main.rs:7\nno more");
        let words = said(text.as_bytes()).await.expect("a name");
        let lines = words.lines();
        assert_eq!(lines.len(), LAST_WORDS_MAX);
        assert_eq!(lines[LAST_WORDS_MAX - 2..], ["panicked at main.rs:7", "no more"]);
        assert_eq!(words.suppressed(), 10_002 - u64::from(BURST_LINES));
    }

    #[tokio::test(start_paused = true)]
    async fn a_line_without_end_is_cut_and_the_next_one_is_whole() {
        let mut text = "x".repeat(50_000_000);
        text.push_str("\nnext\n");
        let words = said(text.as_bytes()).await.expect("a name");
        let lines = words.lines();
        assert_eq!(lines[0].chars().count(), LAST_WORD_CHARS_MAX);
        assert_eq!(lines[1..], ["next"]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_quiet_agent_has_no_last_words() {
        assert_eq!(said(b"\n\r\n").await.expect("a name").lines(), Vec::<String>::new());
    }
}
