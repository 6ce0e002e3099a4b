//! The signals that tell a keeper to stop. A second one ends the program at once, whatever hangs: the signal handler does
//! it, not the runtime.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    flag::register_conditional_shutdown,
};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// What is added to the number of a signal that ended a program, as shells do.
const SIGNAL_EXIT: i32 = 128;

/// SIGTERM, SIGINT, and SIGHUP, which a closed terminal sends.
#[derive(Debug)]
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
    /// Whether one came: the next ends the program.
    has_come: Arc<AtomicBool>,
}

impl Signals {
    /// Catches them from here on.
    pub(super) fn catch() -> io::Result<Self> {
        let has_come = Arc::new(AtomicBool::new(false));
        for number in [SIGTERM, SIGINT, SIGHUP] {
            register_conditional_shutdown(number, SIGNAL_EXIT + number, Arc::clone(&has_come))?;
        }
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
            has_come,
        })
    }

    /// Waits for the first and names it.
    pub(super) async fn next(&mut self) -> String {
        let name = tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.hang_up.recv() => "SIGHUP",
        };
        self.has_come.store(true, Ordering::Relaxed);
        name.to_owned()
    }
}
