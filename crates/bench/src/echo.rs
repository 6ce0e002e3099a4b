//! A child that reads bytes and writes bytes: what a call of another process costs without anything of ours.

use std::{
    fs::File,
    io::{Read as _, Write as _},
    os::fd::OwnedFd,
    path::Path,
    process::{Child, Command, Stdio},
};

use crate::{
    agent::{BENCH_AGENT, ECHO},
    error::BenchError,
    system::Stopwatch,
};

/// A child behind bare pipes.
#[derive(Debug)]
pub(crate) struct EchoChild {
    child: Child,
    question: Vec<u8>,
    answer: Vec<u8>,
    to: File,
    from: File,
}

impl EchoChild {
    /// Starts it; it reads so many bytes, writes so many, and again.
    pub(crate) fn start(binary: &Path, question: usize, answer: usize) -> Result<Self, BenchError> {
        let mut command = Command::new(binary);
        command.args([BENCH_AGENT, ECHO]).args([question.to_string(), answer.to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(BenchError::io("start a child"))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (to, from) = pipes.ok_or_else(|| BenchError::Wrong("a child has no pipes".into()))?;
        let (to, from) = (File::from(OwnedFd::from(to)), File::from(OwnedFd::from(from)));
        Ok(Self { child, question: vec![b'x'; question], answer: vec![0; answer], to, from })
    }

    /// So many exchanges, each in microseconds.
    pub(crate) fn exchange(&mut self, count: u32) -> Result<Vec<f64>, BenchError> {
        let mut times = Vec::new();
        for _ in 0..count {
            let watch = Stopwatch::start();
            self.to.write_all(&self.question).map_err(BenchError::io("ask a child"))?;
            self.from.read_exact(&mut self.answer).map_err(BenchError::io("hear a child"))?;
            times.push(watch.micros());
        }
        Ok(times)
    }
}

impl Drop for EchoChild {
    fn drop(&mut self) {
        // One that has ended by itself cannot be killed, and needs not to be.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
