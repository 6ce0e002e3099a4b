//! The side of the process: what `abide module` is. It reads messages, runs programs, answers. It opens no file of an
//! agent, no socket and no other program, and nothing that Scheme writes or reads is on the pipes of the messages.

mod channel;
mod deadline;
mod declarations;
mod home;
mod host;
mod interpreter;
mod loaded;
mod passages;
mod primitives;
mod source;
mod tool_calls;
mod usage;
mod values;

use std::{
    fs::{File, OpenOptions},
    io::{BufRead, BufReader, Read, Write},
    thread,
};

use channel::Channel;
pub use channel::ServeError;
use deadline::DeadlineTimer;
use host::ModuleHost;

use crate::limits::ENGINE_STACK_BYTES;

/// Bytes that are read from the keeper at once.
const READ_BYTES: usize = 64 << 10;

/// Answers the messages that come in until the input ends.
///
/// It runs on a thread of its own with a large stack, beside a timer; both are over when it returns. A call that sits in
/// native code beyond its deadline ends the whole process
/// ([`STUCK_EXIT_CODE`](crate::limits::STUCK_EXIT_CODE)).
///
/// # Errors
/// When a pipe fails or a message cannot be understood: nobody can say then what the rest would mean.
pub fn serve(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> Result<(), ServeError> {
    home::withhold();
    let timer = DeadlineTimer::start()?;
    let engine_timer = timer.clone();
    let engine = thread::Builder::new().name("engine".to_owned()).stack_size(ENGINE_STACK_BYTES);
    let engine = engine.spawn(move || {
        let input: Box<dyn BufRead + Send> = Box::new(BufReader::with_capacity(READ_BYTES, input));
        ModuleHost::new(Channel::new(input, Box::new(output)), engine_timer).run()
    });
    let ended = engine.map(thread::JoinHandle::join);
    timer.close();
    ended?.unwrap_or_else(|_| Err(ServeError::Engine("its thread ended by itself".to_owned())))
}

/// [`serve`] on the standard input and output of this process, which are taken away first: what Scheme, or a library
/// beneath it, reads or prints afterwards comes from nowhere and goes to the standard error.
///
/// # Errors
/// As [`serve`], and when the descriptors cannot be moved.
pub fn serve_process() -> Result<(), ServeError> {
    let moved = |error: rustix::io::Errno| ServeError::Pipe(error.into());
    let input = File::from(rustix::io::dup(rustix::stdio::stdin()).map_err(moved)?);
    let output = File::from(rustix::io::dup(rustix::stdio::stdout()).map_err(moved)?);
    let nothing = OpenOptions::new().read(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing).map_err(moved)?;
    rustix::stdio::dup2_stdout(rustix::stdio::stderr()).map_err(moved)?;
    serve(input, output)
}
