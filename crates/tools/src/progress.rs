//! What a running call says to the people who watch it: what a command writes, and how far anything else has come.
//!
//! A tool says it and goes on: that never waits and never fails, and what is too much is counted and left out. Of what was written
//! between two updates the end is shown. None of it is in the result or in the ledger, and none of it is evidence; the engine takes
//! it from here, at a pace that a person can follow.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use abide_domain::{text::shortened, visible_line};
use tokio::sync::Notify;

/// Most bytes of one piece of output.
const PIECE_BYTES_MAX: usize = 4 * 1024;
/// Most bytes of output that are shown of one call; of what comes then the length alone is said.
const SHOWN_BYTES_MAX: usize = 256 * 1024;
/// Most bytes of a character that is not whole yet.
const CUT_BYTES_MAX: usize = 3;
/// Longest message of a step, in Unicode scalar values, before hidden ones are made visible.
const MESSAGE_CHARS_MAX: usize = 200;
/// The largest number of steps: up to it each whole number is one of its own.
const STEPS_MAX: f64 = 9_007_199_254_740_992.0;

/// Where a program writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputStream {
    /// Its standard output.
    Stdout,
    /// Its standard error.
    Stderr,
}

/// A piece of what a program wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputPiece {
    /// Where. Between the two streams the order of what was written is not known.
    pub stream: OutputStream,
    /// Bytes of the stream between the last piece and this one that are not shown.
    pub left_out_bytes: u64,
    /// The text, as the program wrote it: to be shown with hidden characters made visible. At most 4 KiB before bytes that are no
    /// UTF-8 are replaced; empty where only `left_out_bytes` is news.
    pub text: String,
}

/// How far a call has come, as its tool says.
#[derive(Clone, Debug, PartialEq)]
pub struct CallStep {
    /// The steps that are done: finite, not negative, never fewer than before.
    pub done: f64,
    /// How many there are, where that is known: never fewer than are done.
    pub total: Option<f64>,
    /// What it does: one line with everything hidden in it made visible.
    pub message: Option<String>,
}

/// What a call said since its last update.
#[derive(Clone, Debug, PartialEq)]
pub struct CallUpdate {
    /// Its number among the updates of the call, from 0, without gaps.
    pub sequence: u64,
    /// A piece of each stream on which something was written.
    pub output: Vec<OutputPiece>,
    /// The newest step, where it is a new one.
    pub step: Option<CallStep>,
}

/// Where a call says how it goes. Cheap to clone; holds a few KiB, whether somebody takes them or not.
#[derive(Clone, Debug, Default)]
pub struct CallProgress(Arc<SharedProgress>);

#[derive(Debug, Default)]
struct SharedProgress {
    pending: Mutex<PendingUpdate>,
    has_come: Notify,
}

impl CallProgress {
    /// A program wrote this.
    pub fn output(&self, stream: OutputStream, bytes: &[u8]) {
        let mut pending = self.lock();
        let [stdout, stderr] = &mut pending.streams;
        match stream {
            OutputStream::Stdout => stdout.push(bytes),
            OutputStream::Stderr => stderr.push(bytes),
        }
        drop(pending);
        self.0.has_come.notify_one();
    }

    /// So many steps of so many are done. The words may be anybody's. What is no number of steps changes nothing, and what is
    /// behind the last step changes the words alone.
    pub fn step(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        self.lock().note_step(done, total, message);
        self.0.has_come.notify_one();
    }

    /// Waits until something was said since the last time.
    pub async fn changed(&self) {
        self.0.has_come.notified().await;
    }

    /// What was said since the last update; none where that is nothing. A character that is not whole yet waits for its end.
    pub fn take(&self) -> Option<CallUpdate> {
        self.lock().take(false)
    }

    /// The same where nothing more will be said.
    pub fn take_last(&self) -> Option<CallUpdate> {
        self.lock().take(true)
    }

    fn lock(&self) -> MutexGuard<'_, PendingUpdate> {
        // Whatever panicked, bytes are bytes.
        self.0.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What was said since the last update, and what the next one needs to know of the earlier ones.
#[derive(Debug, Default)]
struct PendingUpdate {
    streams: [PendingOutput; 2],
    step: Option<CallStep>,
    has_new_step: bool,
    sequence: u64,
    shown_bytes: usize,
}

impl PendingUpdate {
    fn note_step(&mut self, done: f64, total: Option<f64>, message: Option<&str>) {
        if !(0.0..=STEPS_MAX).contains(&done) {
            return;
        }
        let total = total.filter(|total| (done..=STEPS_MAX).contains(total) && *total > 0.0);
        let message =
            message.map(|message| visible_line(&shortened(message, MESSAGE_CHARS_MAX)).into());
        let mut step = CallStep { done, total, message };
        if let Some(last) = self.step.as_ref().filter(|last| last.done > done) {
            (step.done, step.total) = (last.done, last.total);
        }
        if self.step.as_ref() != Some(&step) {
            self.step = Some(step);
            self.has_new_step = true;
        }
    }

    fn take(&mut self, is_last: bool) -> Option<CallUpdate> {
        let mut output = Vec::new();
        let streams = [OutputStream::Stdout, OutputStream::Stderr];
        for (stream, pending) in streams.into_iter().zip(&mut self.streams) {
            let (mut left_out_bytes, mut bytes) = pending.take(is_last);
            if bytes.len() > SHOWN_BYTES_MAX - self.shown_bytes {
                left_out_bytes = left_out_bytes.saturating_add(count(bytes.len()));
                bytes.clear();
                self.shown_bytes = SHOWN_BYTES_MAX;
            }
            self.shown_bytes += bytes.len();
            if left_out_bytes > 0 || !bytes.is_empty() {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                output.push(OutputPiece { stream, left_out_bytes, text });
            }
        }
        let has_new_step = std::mem::take(&mut self.has_new_step);
        let step = self.step.clone().filter(|_| has_new_step);
        if output.is_empty() && step.is_none() {
            return None;
        }
        let sequence = self.sequence;
        self.sequence += 1;
        Some(CallUpdate { sequence, output, step })
    }
}

/// What was written to a stream since its last piece: the end of it.
#[derive(Debug, Default)]
struct PendingOutput {
    bytes: VecDeque<u8>,
    left_out_bytes: u64,
}

impl PendingOutput {
    fn push(&mut self, bytes: &[u8]) {
        let kept = bytes.get(bytes.len().saturating_sub(PIECE_BYTES_MAX)..).unwrap_or_default();
        self.leave_out(bytes.len() - kept.len());
        let over = (self.bytes.len() + kept.len()).saturating_sub(PIECE_BYTES_MAX);
        self.bytes.drain(..over);
        self.leave_out(over);
        self.bytes.extend(kept);
    }

    fn leave_out(&mut self, bytes: usize) {
        self.left_out_bytes = self.left_out_bytes.saturating_add(count(bytes));
    }

    /// What there is, and how much before it is not; a character at the end that is not whole yet stays, unless nothing follows.
    fn take(&mut self, is_last: bool) -> (u64, Vec<u8>) {
        let mut bytes: Vec<u8> = std::mem::take(&mut self.bytes).into();
        if self.left_out_bytes > 0 {
            // What follows the first byte of a character that is left out is left out with it.
            let rest = bytes.iter().take_while(|byte| is_inside(**byte)).count();
            let rest = rest.min(CUT_BYTES_MAX);
            bytes.drain(..rest);
            self.leave_out(rest);
        }
        if !is_last {
            self.bytes = bytes.split_off(bytes.len() - cut_len(&bytes)).into();
        }
        (std::mem::take(&mut self.left_out_bytes), bytes)
    }
}

/// Whether a byte goes on with a character that an earlier byte began.
fn is_inside(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// Bytes at the end that begin a character and do not end it.
fn cut_len(bytes: &[u8]) -> usize {
    let tail = bytes.get(bytes.len().saturating_sub(CUT_BYTES_MAX)..).unwrap_or_default();
    let Some(start) = tail.iter().rposition(|byte| !is_inside(*byte)) else { return 0 };
    let begun = tail.get(start..).unwrap_or_default();
    let is_cut = str::from_utf8(begun).is_err_and(|error| error.error_len().is_none());
    if is_cut { begun.len() } else { 0 }
}

fn count(bytes: usize) -> u64 {
    u64::try_from(bytes).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{
        CallProgress, CallStep, CallUpdate, MESSAGE_CHARS_MAX, OutputPiece, OutputStream,
        OutputStream::{Stderr, Stdout},
        PIECE_BYTES_MAX, SHOWN_BYTES_MAX,
    };

    fn piece(stream: OutputStream, text: &str) -> OutputPiece {
        OutputPiece { stream, left_out_bytes: 0, text: text.to_owned() }
    }

    fn text(update: Option<CallUpdate>) -> String {
        update.into_iter().flat_map(|update| update.output).map(|piece| piece.text).collect()
    }

    #[test]
    fn what_came_meanwhile_is_one_update_with_one_piece_of_each_stream() {
        let progress = CallProgress::default();
        assert_eq!(progress.take(), None);
        progress.output(Stdout, b"a");
        progress.output(Stderr, b"e");
        progress.output(Stdout, b"b");
        progress.step(1.0, Some(3.0), None);
        let update = progress.take().unwrap();
        assert_eq!((update.sequence, update.step.unwrap().done), (0, 1.0));
        assert_eq!(update.output, [piece(Stdout, "ab"), piece(Stderr, "e")]);
        assert_eq!(progress.take(), None);
        progress.output(Stderr, b"c");
        let output = vec![piece(Stderr, "c")];
        assert_eq!(progress.take_last(), Some(CallUpdate { sequence: 1, output, step: None }));
    }

    #[test]
    fn a_character_is_never_cut_by_the_end_of_a_piece() {
        let progress = CallProgress::default();
        let mut seen = String::new();
        for byte in "aé漢🦀z".as_bytes() {
            progress.output(Stdout, &[*byte]);
            seen.push_str(&text(progress.take()));
        }
        assert_eq!(seen, "aé漢🦀z");
        progress.output(Stdout, "é".as_bytes().get(..1).unwrap());
        assert_eq!(progress.take(), None);
        assert_eq!(text(progress.take_last()), "\u{fffd}", "nothing more will come");
        progress.output(Stdout, b"\xff\x80\x80\x80\x80");
        assert!(!text(progress.take()).is_empty(), "what is no text is not waited for");
    }

    #[test]
    fn hb_33_of_a_flood_the_end_is_shown_and_the_rest_is_counted() {
        let progress = CallProgress::default();
        let flood = "é".repeat(50_000);
        flood.as_bytes().chunks(999).for_each(|chunk| progress.output(Stdout, chunk));
        progress.output(Stdout, b"x");
        let update = progress.take().unwrap();
        let [piece] = &*update.output else { panic!("{update:?}") };
        assert!(piece.text.len() <= PIECE_BYTES_MAX && piece.text.ends_with("éx"));
        assert!(!piece.text.contains('\u{fffd}'));
        assert_eq!(piece.left_out_bytes + piece.text.len() as u64, flood.len() as u64 + 1);
    }

    #[test]
    fn hb_33_all_pieces_of_a_call_have_a_bound_and_those_behind_it_say_a_length() {
        let progress = CallProgress::default();
        let (mut shown, mut left_out) = (0, 0);
        for sequence in 0..200 {
            progress.output(Stdout, &[b'x'; PIECE_BYTES_MAX]);
            let update = progress.take().unwrap();
            assert_eq!(update.sequence, sequence);
            shown += update.output[0].text.len();
            left_out += update.output[0].left_out_bytes;
        }
        assert_eq!(shown, SHOWN_BYTES_MAX);
        assert_eq!(shown as u64 + left_out, 200 * PIECE_BYTES_MAX as u64);
    }

    #[test]
    fn steps_are_the_newest_and_never_go_back() {
        let progress = CallProgress::default();
        let mut seen = Vec::new();
        for (done, total, message) in [
            (1.0, Some(10.0), Some("one")),
            (1.0, Some(10.0), Some("one")),
            (7.0, Some(10.0), None),
            (3.0, Some(4.0), Some("late")),
            (8.0, Some(2.0), Some("no such total")),
            (f64::NAN, None, Some("no number")),
            (f64::INFINITY, None, None),
            (-1.0, None, None),
            (1e300, None, None),
        ] {
            progress.step(done, total, message);
            seen.extend(progress.take().and_then(|update| update.step));
        }
        let step = |done, total, message: Option<&str>| {
            let message = message.map(str::to_owned);
            CallStep { done, total, message }
        };
        let expected = [
            step(1.0, Some(10.0), Some("one")),
            step(7.0, Some(10.0), None),
            step(7.0, Some(10.0), Some("late")),
            step(8.0, None, Some("no such total")),
        ];
        assert_eq!(seen, expected);
        for done in 9..1_000 {
            progress.step(f64::from(done), None, None);
        }
        let newest = progress.take().unwrap().step;
        assert_eq!(newest, Some(step(999.0, None, None)), "of a flood the last one");
    }

    #[test]
    fn the_words_of_a_step_are_one_short_line_that_hides_nothing() {
        let progress = CallProgress::default();
        progress.step(0.0, None, Some(&format!("a\nb\u{202e}{}", "x".repeat(1_000_000))));
        let message = progress.take().unwrap().step.unwrap().message.unwrap();
        assert!(message.starts_with("a⟦U+000A⟧b⟦U+202E⟧xx"), "{message}");
        assert!(message.chars().count() < MESSAGE_CHARS_MAX + 20);
    }
}
