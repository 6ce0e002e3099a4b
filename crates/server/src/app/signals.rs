//! The signals that tell a keeper to stop. A second one ends the program at once, whatever hangs: the signal handler does
//! it, not the runtime. Those that mean nothing to a keeper, and would end another program, are written to the log.

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

/// SIGTERM, SIGINT, and SIGHUP, which a closed terminal sends. SIGUSR1 and SIGUSR2, which other programs take as an order to open
/// their log anew, are ignored: the keeper's log is its standard error.
#[derive(Debug)]
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
    user_1: Signal,
    user_2: Signal,
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
            user_1: signal(SignalKind::user_defined1())?,
            user_2: signal(SignalKind::user_defined2())?,
            has_come,
        })
    }

    /// Waits for the first that tells the keeper to stop, and names it.
    pub(super) async fn next(&mut self) -> String {
        let name = loop {
            let ignored = tokio::select! {
                _ = self.terminate.recv() => break "SIGTERM",
                _ = self.interrupt.recv() => break "SIGINT",
                _ = self.hang_up.recv() => break "SIGHUP",
                _ = self.user_1.recv() => "SIGUSR1",
                _ = self.user_2.recv() => "SIGUSR2",
            };
            tracing::warn!(
                event = "signal_ignored",
                signal = ignored,
                "this signal means nothing to the keeper, which goes on; SIGTERM stops it"
            );
        };
        self.has_come.store(true, Ordering::Relaxed);
        name.to_owned()
    }
}
