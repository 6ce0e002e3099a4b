//! Takes a stream of bytes apart into lines, however the bytes are cut, within a bound.

use crate::Error;

/// What ends a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEnds {
    /// `\n`, with or without `\r` before it.
    Lf,
    /// `\n`, `\r\n` or `\r`, as in event streams.
    Any,
}

/// An incremental splitter. Holds at most one unfinished line.
#[derive(Debug)]
pub(crate) struct LineDecoder {
    ends: LineEnds,
    bytes_max: usize,
    pending: Vec<u8>,
    after_cr: bool,
}

impl LineDecoder {
    pub(crate) fn new(ends: LineEnds, bytes_max: usize) -> Self {
        Self { ends, bytes_max, pending: Vec::new(), after_cr: false }
    }

    /// Takes in the next bytes and hands each finished line to `on_line`, without its end.
    pub(crate) fn push(
        &mut self,
        mut bytes: &[u8],
        on_line: &mut dyn FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        while !bytes.is_empty() {
            if std::mem::take(&mut self.after_cr)
                && let Some(rest) = bytes.strip_prefix(b"\n")
            {
                bytes = rest;
                continue;
            }
            let Some(end) = bytes.iter().position(|&byte| self.is_end(byte)) else {
                return self.hold(bytes);
            };
            let (piece, rest) = bytes.split_at(end);
            self.after_cr = rest.first() == Some(&b'\r');
            bytes = rest.get(1..).unwrap_or_default();
            if self.pending.is_empty() && piece.len() <= self.bytes_max {
                on_line(self.trimmed(piece))?;
            } else {
                self.hold(piece)?;
                let line = std::mem::take(&mut self.pending);
                on_line(self.trimmed(&line))?;
            }
        }
        Ok(())
    }

    /// Takes the bytes after the last line end.
    pub(crate) fn take_rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.pending)
    }

    fn is_end(&self, byte: u8) -> bool {
        byte == b'\n' || (byte == b'\r' && self.ends == LineEnds::Any)
    }

    fn hold(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if self.pending.len().saturating_add(bytes.len()) > self.bytes_max {
            return Err(Error::FrameTooLong { bytes_max: self.bytes_max });
        }
        self.pending.extend_from_slice(bytes);
        Ok(())
    }

    fn trimmed<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        match self.ends {
            LineEnds::Lf => line.strip_suffix(b"\r").unwrap_or(line),
            LineEnds::Any => line,
        }
    }
}
