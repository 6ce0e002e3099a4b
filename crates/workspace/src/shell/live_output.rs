//! What a command writes while it runs, in pieces for whoever watches: bounded, and not faster than a person reads.
//!
//! A program is never held up by it: whoever reads its output puts it here and goes on, and what is too much is counted and
//! left out. Of what comes between two pieces the end is shown. The result of the command has nothing to do with it.

use std::{
    collections::VecDeque,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use abide_domain::{AgentId, CallId, EpochId};
use abide_tools::Call;

/// The time between two pieces of a stream.
pub(super) const PIECE_INTERVAL: Duration = Duration::from_millis(250);
/// Most bytes of one piece.
const PIECE_BYTES_MAX: usize = 4 * 1024;
/// Most bytes of all pieces of one command; of what comes then the length alone is said, at the end.
const LIVE_BYTES_MAX: usize = 256 * 1024;
/// Most bytes of a character that is not whole yet.
const CUT_BYTES_MAX: usize = 3;

/// Where a command wrote something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputStream {
    /// Its standard output.
    Stdout,
    /// Its standard error.
    Stderr,
}

/// A piece of what a running command wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputPiece {
    /// Whose command it is.
    pub agent: AgentId,
    /// The epoch of the call.
    pub epoch: EpochId,
    /// The call.
    pub call_id: CallId,
    /// The number of the piece among those of the call, from 0, without gaps.
    pub sequence: u64,
    /// Where it was written. Between the two streams the order of what was written is not known.
    pub stream: OutputStream,
    /// Bytes of the stream between the last piece and this one that are not shown.
    pub left_out_bytes: u64,
    /// The text, at most 4 KiB before bytes that are no UTF-8 are replaced, as the command wrote it: to be shown with hidden
    /// characters made visible.
    pub text: String,
}

/// Whoever is given what commands write while they run.
pub trait OutputObserver: Send + Sync + fmt::Debug {
    /// Takes a piece. It must not wait: what cannot be handed on is dropped.
    fn observe(&self, piece: OutputPiece);
}

/// Where the reader of a command's output puts what it reads, for whoever watches. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct LiveOutput(Arc<Mutex<[PendingOutput; 2]>>);

impl LiveOutput {
    /// Puts in what a command wrote. Never waits, and keeps a few KiB at most.
    pub fn push(&self, stream: OutputStream, bytes: &[u8]) {
        let [stdout, stderr] = &mut *self.lock();
        match stream {
            OutputStream::Stdout => stdout.push(bytes),
            OutputStream::Stderr => stderr.push(bytes),
        }
    }

    fn lock(&self) -> MutexGuard<'_, [PendingOutput; 2]> {
        // Whatever panicked, bytes are bytes.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What was written to a stream since its last piece: the end of it.
#[derive(Clone, Debug, Default)]
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
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        self.left_out_bytes = self.left_out_bytes.saturating_add(bytes);
    }

    /// What there is, and how much before it is not; a character at the end that is not whole yet stays, unless it is the last.
    fn take(&mut self, is_last: bool) -> (u64, Vec<u8>) {
        let mut bytes: Vec<u8> = std::mem::take(&mut self.bytes).into();
        if self.left_out_bytes > 0 {
            // What follows the first byte of a character that is left out is left out with it.
            let rest = bytes.iter().take_while(|byte| **byte & 0xC0 == 0x80).count();
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

/// Bytes at the end that begin a character and do not end it.
fn cut_len(bytes: &[u8]) -> usize {
    let tail = bytes.len().saturating_sub(CUT_BYTES_MAX);
    let tail = bytes.get(tail..).unwrap_or_default();
    let Some(start) = tail.iter().rposition(|byte| *byte & 0xC0 != 0x80) else { return 0 };
    let begun = tail.get(start..).unwrap_or_default();
    let is_cut = str::from_utf8(begun).is_err_and(|error| error.error_len().is_none());
    if is_cut { begun.len() } else { 0 }
}

/// Makes the pieces of one call.
#[derive(Debug)]
pub(super) struct PieceSource {
    agent: AgentId,
    epoch: EpochId,
    call_id: CallId,
    live: LiveOutput,
    sequence: u64,
    /// Bytes that may still be shown.
    left: usize,
    /// What was not shown of the two streams when nothing more could be.
    unshown: [u64; 2],
}

impl PieceSource {
    pub(super) fn new(call: &Call<'_>, live: LiveOutput) -> Self {
        Self {
            agent: call.agent.clone(),
            epoch: call.epoch,
            call_id: call.call_id.clone(),
            live,
            sequence: 0,
            left: LIVE_BYTES_MAX,
            unshown: [0; 2],
        }
    }

    /// The pieces of what came since the last time: one of each stream at most.
    pub(super) fn take(&mut self, is_last: bool) -> Vec<OutputPiece> {
        let taken = self.live.lock().each_mut().map(|pending| pending.take(is_last));
        let streams = [OutputStream::Stdout, OutputStream::Stderr];
        let mut unshown = std::mem::take(&mut self.unshown);
        let all = streams.into_iter().zip(taken).zip(&mut unshown);
        let pieces = all
            .filter_map(|((stream, (left_out_bytes, bytes)), unshown)| {
                self.piece(stream, (left_out_bytes, bytes), (unshown, is_last))
            })
            .collect();
        self.unshown = unshown;
        pieces
    }

    fn piece(
        &mut self,
        stream: OutputStream,
        (left_out_bytes, mut bytes): (u64, Vec<u8>),
        (unshown, is_last): (&mut u64, bool),
    ) -> Option<OutputPiece> {
        *unshown = unshown.saturating_add(left_out_bytes);
        if bytes.len() > self.left {
            *unshown = unshown.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
            bytes.clear();
            self.left = 0;
        }
        self.left -= bytes.len();
        if bytes.is_empty() && !(is_last && *unshown > 0) {
            return None;
        }
        let sequence = self.sequence;
        self.sequence += 1;
        Some(OutputPiece {
            agent: self.agent.clone(),
            epoch: self.epoch,
            call_id: self.call_id.clone(),
            sequence,
            stream,
            left_out_bytes: std::mem::take(unshown),
            text: String::from_utf8_lossy(&bytes).into_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::{CallId, EpochId};

    use super::{
        LIVE_BYTES_MAX, LiveOutput, OutputPiece, OutputStream, PIECE_BYTES_MAX, PieceSource,
    };

    fn source(live: &LiveOutput) -> PieceSource {
        PieceSource {
            agent: "felix".parse().unwrap(),
            epoch: EpochId::from_uuid(uuid::Uuid::from_u64_pair(1, 1)),
            call_id: CallId::new(1, 1),
            live: live.clone(),
            sequence: 0,
            left: LIVE_BYTES_MAX,
            unshown: [0; 2],
        }
    }

    fn shown(pieces: &[OutputPiece]) -> Vec<(u64, OutputStream, u64, &str)> {
        let piece = |piece: &'_ OutputPiece| (piece.sequence, piece.stream, piece.left_out_bytes);
        pieces
            .iter()
            .map(|it| {
                let (sequence, stream, left_out) = piece(it);
                (sequence, stream, left_out, it.text.as_str())
            })
            .collect()
    }

    #[test]
    fn what_came_meanwhile_is_one_piece_of_each_stream() {
        let live = LiveOutput::default();
        let mut pieces = source(&live);
        assert!(pieces.take(false).is_empty());
        live.push(OutputStream::Stdout, b"a");
        live.push(OutputStream::Stderr, b"e");
        live.push(OutputStream::Stdout, b"b");
        let taken = pieces.take(false);
        let both = [(0, OutputStream::Stdout, 0, "ab"), (1, OutputStream::Stderr, 0, "e")];
        assert_eq!(shown(&taken), both);
        assert!(pieces.take(false).is_empty());
        live.push(OutputStream::Stderr, b"c");
        assert_eq!(shown(&pieces.take(true)), [(2, OutputStream::Stderr, 0, "c")]);
    }

    #[test]
    fn a_character_is_never_cut_by_the_end_of_a_piece() {
        let live = LiveOutput::default();
        let mut pieces = source(&live);
        let mut text = String::new();
        for byte in "aé漢🦀z".as_bytes() {
            live.push(OutputStream::Stdout, &[*byte]);
            pieces.take(false).iter().for_each(|piece| text.push_str(&piece.text));
        }
        assert_eq!(text, "aé漢🦀z");
        live.push(OutputStream::Stdout, "é".as_bytes().get(..1).unwrap());
        assert!(pieces.take(false).is_empty());
        assert_eq!(pieces.take(true)[0].text, "\u{fffd}", "nothing more will come");
        live.push(OutputStream::Stdout, b"\xff\x80\x80\x80\x80");
        assert!(!pieces.take(false)[0].text.is_empty(), "what is no text is not waited for");
    }

    #[test]
    fn hb_33_of_a_flood_the_end_is_shown_and_the_rest_is_counted() {
        let live = LiveOutput::default();
        let mut pieces = source(&live);
        let flood = "é".repeat(50_000);
        flood.as_bytes().chunks(999).for_each(|chunk| live.push(OutputStream::Stdout, chunk));
        live.push(OutputStream::Stdout, b"x");
        let piece = &pieces.take(false)[0];
        assert!(piece.text.len() <= PIECE_BYTES_MAX && piece.text.ends_with("éx"));
        assert!(!piece.text.contains('\u{fffd}'));
        assert_eq!(piece.left_out_bytes + piece.text.len() as u64, flood.len() as u64 + 1);
    }

    #[test]
    fn hb_33_all_pieces_of_a_command_have_a_bound_and_the_last_says_what_is_missing() {
        let live = LiveOutput::default();
        let mut pieces = source(&live);
        let mut all = Vec::new();
        for _ in 0..200 {
            live.push(OutputStream::Stdout, &[b'x'; PIECE_BYTES_MAX]);
            all.extend(pieces.take(false));
        }
        all.extend(pieces.take(true));
        let text: usize = all.iter().map(|piece| piece.text.len()).sum();
        let left_out: u64 = all.iter().map(|piece| piece.left_out_bytes).sum();
        assert_eq!(text, LIVE_BYTES_MAX);
        assert_eq!(text as u64 + left_out, 200 * PIECE_BYTES_MAX as u64);
        assert!(all.last().unwrap().text.is_empty() && all.len() < 70);
        let in_order = all.iter().enumerate().all(|(index, piece)| piece.sequence == index as u64);
        assert!(in_order);
    }
}
