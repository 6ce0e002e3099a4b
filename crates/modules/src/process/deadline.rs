//! The timer that ends calls: at the deadline it sets the engine's interrupt, again and again, for the engine takes it
//! back when it collects garbage. A call that is not back a grace later sits in native code that heeds no interrupt; then
//! the process ends itself with [`STUCK_EXIT_CODE`]. It never touches the engine in any other way.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use steel::steel_vm::ThreadStateController;

use super::usage::monotonic;
use crate::limits::{NATIVE_GRACE, STUCK_EXIT_CODE};

/// How often the interrupt is set again.
const REPEAT: Duration = Duration::from_millis(1);

/// The timer: a handle for the engine's thread; the timer's own thread waits on the same state.
pub(crate) struct DeadlineTimer {
    state: Mutex<TimerState>,
    changed: Condvar,
}

#[derive(Default)]
struct TimerState {
    armed: Option<Armed>,
    /// When the timer's thread wakes by itself. It is woken only for what is earlier: most calls wake nobody.
    wakes_at: Option<Duration>,
    is_over: bool,
}

struct Armed {
    until: Duration,
    controller: ThreadStateController,
    is_up: bool,
}

/// What was left of a deadline when a call ended or stopped to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeLeft {
    Left(Duration),
    Up,
}

impl DeadlineTimer {
    /// Starts the timer's thread; it ends after [`Self::close`].
    pub(crate) fn start() -> std::io::Result<Arc<Self>> {
        let timer = Arc::new(Self { state: Mutex::default(), changed: Condvar::new() });
        let running = Arc::clone(&timer);
        drop(std::thread::Builder::new().name("deadline".to_owned()).spawn(move || running.run())?);
        Ok(timer)
    }

    /// From now on the engine is interrupted when `time` has passed.
    pub(crate) fn arm(&self, controller: &ThreadStateController, time: Duration) {
        let until = monotonic() + time;
        let mut state = self.lock();
        state.armed = Some(Armed { until, controller: controller.clone(), is_up: false });
        if state.wakes_at.is_none_or(|wakes_at| until < wakes_at) {
            self.changed.notify_one();
        }
    }

    /// The call is back, or waits for somebody else.
    pub(crate) fn disarm(&self) -> TimeLeft {
        let mut state = self.lock();
        let Some(armed) = state.armed.take() else { return TimeLeft::Up };
        if armed.is_up {
            armed.controller.resume();
            return TimeLeft::Up;
        }
        TimeLeft::Left(armed.until.saturating_sub(monotonic()))
    }

    /// Ends the timer's thread.
    pub(crate) fn close(&self) {
        self.lock().is_over = true;
        self.changed.notify_one();
    }

    fn run(&self) {
        let mut state = self.lock();
        while !state.is_over {
            let now = monotonic();
            let wait = match &mut state.armed {
                None => None,
                Some(armed) if now < armed.until => Some(armed.until.saturating_sub(now)),
                Some(armed) => {
                    armed.is_up = true;
                    armed.controller.interrupt();
                    if now >= armed.until + NATIVE_GRACE {
                        end_process();
                    }
                    Some(REPEAT)
                }
            };
            state.wakes_at = wait.map(|wait| now + wait);
            state = match wait {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(wait) => {
                    let waited = self.changed.wait_timeout(state, wait);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    fn lock(&self) -> MutexGuard<'_, TimerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[expect(clippy::exit, reason = "the engine's thread sits in native code: nothing else ends it")]
fn end_process() -> ! {
    std::process::exit(STUCK_EXIT_CODE)
}
