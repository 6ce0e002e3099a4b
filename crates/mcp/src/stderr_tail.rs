//! What a server writes on stderr: always read, so that the server never waits for a full pipe, and the newest of it kept.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::limits::STDERR_TAIL_BYTES;

/// How much is read at once.
const CHUNK_BYTES: usize = 8 * 1024;

/// The newest of what a server wrote on stderr.
#[derive(Clone, Debug, Default)]
pub(crate) struct StderrTail(Arc<Mutex<VecDeque<u8>>>);

impl StderrTail {
    /// Reads until the end of the pipe.
    pub(crate) async fn drain(self, mut stderr: Box<dyn AsyncRead + Send + Unpin>) {
        let mut chunk = vec![0; CHUNK_BYTES];
        while let Ok(read) = stderr.read(&mut chunk).await {
            if read == 0 {
                break;
            }
            self.keep(chunk.get(..read).unwrap_or_default());
        }
    }

    fn keep(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(bytes);
        let surplus = kept.len().saturating_sub(STDERR_TAIL_BYTES);
        kept.drain(..surplus);
    }

    /// What is kept, with everything hidden in it made visible.
    pub(crate) fn to_text(&self) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (front, back) = kept.as_slices();
        abide_domain::visible(&String::from_utf8_lossy(&[front, back].concat())).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::StderrTail;
    use crate::limits::STDERR_TAIL_BYTES;

    #[tokio::test]
    async fn a_flood_is_read_to_its_end_and_the_newest_of_it_stays() {
        let tail = StderrTail::default();
        let mut flood = vec![b'x'; 4 * STDERR_TAIL_BYTES];
        flood.extend_from_slice(b"the end\x1b");
        tail.clone().drain(Box::new(std::io::Cursor::new(flood))).await;
        let text = tail.to_text();
        assert!(text.ends_with("the end⟦U+001B⟧"), "{}", text.len());
        assert!(text.len() < STDERR_TAIL_BYTES + 16, "{}", text.len());
    }
}
