//! The pipes of the process: lines in, lines out, nothing else. A line longer than allowed is never read to its end, and
//! nothing that cannot be understood is answered.

use std::io::{self, BufRead, Read as _, Write};

use serde::Serialize;

use crate::limits::MESSAGE_BYTES_MAX;

/// Both pipes, and the line that was read last.
pub(crate) struct Channel {
    input: Box<dyn BufRead + Send>,
    output: Box<dyn Write + Send>,
    line: Vec<u8>,
}

/// Why no message can be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A pipe failed.
    #[error("cannot use the pipe to the keeper")]
    Pipe(#[from] io::Error),
    /// A message is longer than [`MESSAGE_BYTES_MAX`], or ends before its line does.
    #[error("a message is longer than {MESSAGE_BYTES_MAX} bytes or breaks off")]
    Line,
    /// A line is none of the messages.
    #[error("cannot read a message: {0}")]
    Message(String),
    /// The thread of the engine could not be started, or it ended by itself.
    #[error("cannot run the engine: {0}")]
    Engine(String),
}

impl Channel {
    pub(crate) fn new(input: Box<dyn BufRead + Send>, output: Box<dyn Write + Send>) -> Self {
        Self { input, output, line: Vec::new() }
    }

    /// Reads the next line, without its end; `None` at the end of the input between two lines.
    pub(crate) fn read(&mut self) -> Result<Option<&[u8]>, ServeError> {
        self.line.clear();
        let most = u64::try_from(MESSAGE_BYTES_MAX).unwrap_or(u64::MAX) + 1;
        let count = (&mut self.input).take(most).read_until(b'\n', &mut self.line)?;
        if count == 0 {
            return Ok(None);
        }
        if self.line.pop() != Some(b'\n') {
            return Err(ServeError::Line);
        }
        Ok(Some(&self.line))
    }

    /// Writes one message as a line.
    pub(crate) fn write(&mut self, message: &impl Serialize) -> Result<(), ServeError> {
        let mut line = serde_json::to_vec(message).map_err(io::Error::from)?;
        line.push(b'\n');
        self.output.write_all(&line)?;
        Ok(self.output.flush()?)
    }
}
