//! The thread that works while everything else may hang. It takes no lock that it would have to wait for, touches no disk
//! and no runtime, and says its last words only where somebody reads them.

use std::{
    io::Write as _,
    os::{
        linux::net::SocketAddrExt as _,
        unix::net::{SocketAddr, UnixDatagram},
    },
    time::Duration,
};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::{SelfWatch, THREAD_LOOKS_EVERY};
use crate::config::Environment;

/// The exit code of a program that did not end by itself.
const OVERDUE_EXIT: i32 = 75;

impl SelfWatch {
    /// Starts the thread; it runs as long as the program.
    pub(crate) fn start_thread(&self, environment: &Environment) -> std::io::Result<()> {
        let (watch, service) = (self.clone(), ServiceSocket::of(environment));
        std::thread::Builder::new()
            .name("self-watch".into())
            .spawn(move || watch.look(service.as_ref()))?;
        Ok(())
    }

    #[expect(clippy::disallowed_methods, reason = "a thread of its own, outside of the runtime")]
    fn look(&self, service: Option<&ServiceSocket>) {
        let mut next_sign = self.now();
        loop {
            let before = self.now();
            std::thread::sleep(THREAD_LOOKS_EVERY);
            self.note_return(before, THREAD_LOOKS_EVERY);
            self.note_look();
            if self.is_overdue() {
                end_now();
            }
            let Some(service) = service else { continue };
            // Nobody holds this for long; if somebody does, there is nothing good to say.
            let Ok(parts) = self.inner.parts.try_lock() else { continue };
            if self.now() >= next_sign && self.standing_of(&parts).is_empty() {
                service.send("WATCHDOG=1");
                next_sign = self.now() + service.interval;
            }
        }
    }
}

/// Ends the program here and now: what is acknowledged is on the disk, and nothing else may be waited for.
fn end_now() -> ! {
    let mut stderr = std::io::stderr();
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    let has_room = poll(&mut [PollFd::new(&stderr, PollFlags::OUT)], Some(&at_once));
    if has_room.is_ok_and(|ready| ready > 0) {
        // Best effort: the program ends in any case.
        drop(writeln!(
            stderr,
            "abide: something did not end in time; the program ends without it. Nothing that was acknowledged is lost"
        ));
    }
    signal_hook::low_level::exit(OVERDUE_EXIT)
}

/// The socket of a service manager that wants to know that this program works (`sd_notify`, `WatchdogSec`).
#[derive(Debug)]
pub(crate) struct ServiceSocket {
    socket: UnixDatagram,
    /// Half of the time after which the manager gives the program up.
    interval: Duration,
}

impl ServiceSocket {
    /// The socket that the environment names, if it does.
    fn of(environment: &Environment) -> Option<Self> {
        let path = environment.get("NOTIFY_SOCKET")?;
        let micros: u64 = environment.get("WATCHDOG_USEC").and_then(|text| text.parse().ok())?;
        let address = match path.strip_prefix('@') {
            Some(name) => SocketAddr::from_abstract_name(name).ok()?,
            None => SocketAddr::from_pathname(path).ok()?,
        };
        let socket = UnixDatagram::unbound().ok()?;
        socket.connect_addr(&address).ok()?;
        // A manager that reads nothing would otherwise keep this thread waiting after some eleven signs.
        socket.set_nonblocking(true).ok()?;
        Some(Self { socket, interval: Duration::from_micros(micros / 2) })
    }

    fn send(&self, sign: &str) {
        // A sign that is lost is followed by another one.
        drop(self.socket.send(sign.as_bytes()));
    }
}
