//! The two clocks of one run: how long its process has been silent, and how long it has worked on a turn (decision 32).
//!
//! Pure: time comes in, alarms come out. Silence alone never kills before its hard limit, and time in which the keeper
//! itself stood still counts against nobody.

use std::time::Duration;

use crate::supervisor::SupervisorSettings;

/// How often a run is checked, at least.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// How soon a limit that was passed is checked again.
const RECHECK_AFTER: Duration = Duration::from_millis(100);
/// A check that comes later than this means that the keeper was stopped, suspended or starved (decision 32).
pub(crate) const LATE_MAX: Duration = Duration::from_secs(2);
/// How much longer than its caller the clock waits for a turn: the caller withdraws it first, and knows why.
const DEADLINE_SLACK: Duration = Duration::from_secs(1);

/// What is to be done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alarm {
    /// Report that nothing was heard for so long.
    Unresponsive(Duration),
    /// Ping the process.
    Ping,
    /// Withdraw the turn: its time is over.
    Withdraw,
    /// Kill the process.
    Kill(Overdue),
}

/// Which limit was passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overdue {
    /// It was not ready in time.
    NotReady,
    /// Nothing was heard from it for so long.
    Silent(Duration),
    /// It did not give up a withdrawn turn within that time.
    NotYielded(Duration),
}

/// How long everything may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeLimits {
    heartbeat_timeout: Duration,
    kill_after: Duration,
    ready_timeout: Duration,
    yield_grace: Duration,
}

impl From<&SupervisorSettings> for TimeLimits {
    fn from(settings: &SupervisorSettings) -> Self {
        Self {
            heartbeat_timeout: settings.heartbeat_timeout,
            // A limit below the heartbeat timeout would kill without a ping.
            kill_after: settings.kill_after.max(settings.heartbeat_timeout),
            ready_timeout: settings.ready_timeout,
            yield_grace: settings.yield_grace,
        }
    }
}

/// The clocks of one run.
#[derive(Clone, Debug)]
pub(crate) struct RunClocks {
    limits: TimeLimits,
    phase: Phase,
    heard_at: Duration,
    pinged_at: Option<Duration>,
    turn: Option<TurnClock>,
    /// When the next check is due.
    due: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Starting { since: Duration },
    Running,
}

/// The turn that the process works on.
#[derive(Clone, Copy, Debug)]
enum TurnClock {
    Asked { at: Duration, deadline: Duration },
    Withdrawn { at: Duration, grace: Duration },
}

impl RunClocks {
    /// The process was started.
    pub(crate) fn new(limits: TimeLimits, now: Duration) -> Self {
        let phase = Phase::Starting { since: now };
        Self {
            limits,
            phase,
            heard_at: now,
            pinged_at: None,
            turn: None,
            due: now + CHECK_INTERVAL,
        }
    }

    /// Something came, if only a byte. Says how long nothing had, where an alarm was given for that.
    pub(crate) fn heard(&mut self, now: Duration) -> Option<Duration> {
        let silent = now.saturating_sub(self.heard_at);
        self.heard_at = now;
        self.pinged_at.take().map(|_| silent)
    }

    /// The keeper made the process wait: the time to get ready counts from now.
    pub(crate) fn restart_ready_timer(&mut self, now: Duration) {
        if let Phase::Starting { since } = &mut self.phase {
            *since = now;
        }
    }

    /// The process is ready.
    pub(crate) fn ready(&mut self, now: Duration) {
        self.phase = Phase::Running;
        self.heard_at = now;
    }

    /// A turn was asked.
    pub(crate) fn asked(&mut self, now: Duration, deadline: Duration) {
        self.turn = Some(TurnClock::Asked { at: now, deadline });
    }

    /// A piece of the answer to the turn came: its time begins anew. Who asked bounds the whole.
    pub(crate) fn answer_grew(&mut self, now: Duration) {
        if let Some(TurnClock::Asked { at, .. }) = &mut self.turn {
            *at = now;
        }
    }

    /// The turn was withdrawn.
    pub(crate) fn withdrawn(&mut self, now: Duration) {
        self.turn = Some(TurnClock::Withdrawn { at: now, grace: self.limits.yield_grace });
    }

    /// Another turn waits for the withdrawn one to be given up, and can wait until then: the grace is no longer than that.
    pub(crate) fn yield_by(&mut self, by: Duration) {
        let Some(TurnClock::Withdrawn { at, grace }) = &mut self.turn else { return };
        // It may be asked again and again until the turn is given up: only what shortens the grace is due sooner.
        let by = by.max(*at);
        if by < *at + *grace {
            *grace = by.saturating_sub(*at);
            self.due = self.due.min(by);
        }
    }

    /// The turn was answered or given up.
    pub(crate) fn answered(&mut self) {
        self.turn = None;
    }

    /// Whether it was silent for too long at the last check.
    pub(crate) fn is_unresponsive(&self) -> bool {
        self.pinged_at.is_some()
    }

    /// When to check next.
    pub(crate) fn due(&self) -> Duration {
        self.due
    }

    /// Checks all clocks. When the check itself is late, the time that the keeper lost is first taken out of them.
    pub(crate) fn check(&mut self, now: Duration) -> Vec<Alarm> {
        let late = now.saturating_sub(self.due);
        if late > LATE_MAX {
            self.rebase(now, late);
        }
        let mut alarms = Vec::new();
        self.check_silence(now, &mut alarms);
        self.check_turn(now, &mut alarms);
        self.due = now + self.next_check(now);
        alarms
    }

    /// Moves what began before the keeper stood still, never beyond now.
    fn rebase(&mut self, now: Duration, late: Duration) {
        let moved = |at: &mut Duration| *at = (*at + late).min(now);
        moved(&mut self.heard_at);
        if let Some(at) = &mut self.pinged_at {
            moved(at);
        }
        if let Phase::Starting { since } = &mut self.phase {
            moved(since);
        }
        match &mut self.turn {
            Some(TurnClock::Asked { at, .. } | TurnClock::Withdrawn { at, .. }) => moved(at),
            None => {}
        }
    }

    fn check_silence(&mut self, now: Duration, alarms: &mut Vec<Alarm>) {
        if let Phase::Starting { since } = self.phase {
            if now.saturating_sub(since) >= self.limits.ready_timeout {
                alarms.push(Alarm::Kill(Overdue::NotReady));
            }
            return;
        }
        let silent = now.saturating_sub(self.heard_at);
        let timeout = self.limits.heartbeat_timeout;
        let is_new = self.pinged_at.is_none();
        if silent >= self.limits.kill_after && !is_new {
            alarms.push(Alarm::Kill(Overdue::Silent(silent)));
        } else if silent >= timeout {
            // Also where this check came too late for it: no process is killed that was not pinged first.
            if is_new {
                alarms.push(Alarm::Unresponsive(silent));
            }
            if is_new || self.pinged_at.is_some_and(|at| now.saturating_sub(at) >= timeout) {
                alarms.push(Alarm::Ping);
                self.pinged_at = Some(now);
            }
        }
    }

    fn check_turn(&mut self, now: Duration, alarms: &mut Vec<Alarm>) {
        match self.turn {
            Some(TurnClock::Asked { at, deadline })
                if now.saturating_sub(at) >= deadline.saturating_add(DEADLINE_SLACK) =>
            {
                alarms.push(Alarm::Withdraw);
            }
            Some(TurnClock::Withdrawn { at, grace }) if now.saturating_sub(at) >= grace => {
                alarms.push(Alarm::Kill(Overdue::NotYielded(grace)));
            }
            _ => {}
        }
    }

    /// How long until something may be due.
    fn next_check(&self, now: Duration) -> Duration {
        let left =
            |since: Duration, limit: Duration| since.saturating_add(limit).saturating_sub(now);
        let limits = self.limits;
        let life = match self.phase {
            Phase::Starting { since } => left(since, limits.ready_timeout),
            Phase::Running if self.pinged_at.is_some() => left(self.heard_at, limits.kill_after),
            Phase::Running => left(self.heard_at, limits.heartbeat_timeout),
        };
        let turn = match self.turn {
            Some(TurnClock::Asked { at, deadline }) => {
                left(at, deadline.saturating_add(DEADLINE_SLACK))
            }
            Some(TurnClock::Withdrawn { at, grace }) => left(at, grace),
            None => CHECK_INTERVAL,
        };
        match life.min(turn) {
            // Its alarm was given: what comes of it takes a moment.
            Duration::ZERO => RECHECK_AFTER,
            left => left.min(CHECK_INTERVAL),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Alarm, Overdue, RunClocks, TimeLimits};
    use crate::supervisor::SupervisorSettings;

    fn limits() -> TimeLimits {
        TimeLimits::from(&SupervisorSettings::default())
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn running(now: Duration) -> RunClocks {
        let mut clocks = RunClocks::new(limits(), now);
        clocks.ready(now);
        clocks
    }

    /// Looks whenever it is due until `end`, and notes what came when, in whole seconds.
    fn watch(clocks: &mut RunClocks, end: Duration) -> Vec<(u64, Alarm)> {
        let mut seen = Vec::new();
        while clocks.due() <= end {
            let now = clocks.due();
            seen.extend(clocks.check(now).into_iter().map(|alarm| (now.as_secs(), alarm)));
            if matches!(seen.last(), Some((_, Alarm::Kill(_)))) {
                break;
            }
        }
        seen
    }

    #[test]
    fn silence_is_pinged_at_5_seconds_and_kills_at_30_not_earlier() {
        let mut clocks = running(seconds(100));
        let seen = watch(&mut clocks, seconds(200));
        let expected = [
            (105, Alarm::Unresponsive(seconds(5))),
            (105, Alarm::Ping),
            (110, Alarm::Ping),
            (115, Alarm::Ping),
            (120, Alarm::Ping),
            (125, Alarm::Ping),
            (130, Alarm::Kill(Overdue::Silent(seconds(30)))),
        ];
        assert_eq!(seen, expected);
    }

    #[test]
    fn nobody_is_killed_who_was_not_asked_first_however_late_the_look_comes() {
        let settings = SupervisorSettings {
            heartbeat_timeout: Duration::from_millis(500),
            kill_after: seconds(1),
            ..SupervisorSettings::default()
        };
        let mut clocks = RunClocks::new(TimeLimits::from(&settings), seconds(0));
        clocks.ready(seconds(0));
        // Late, and not so late that the keeper itself stood still.
        assert_eq!(clocks.check(seconds(2)), [Alarm::Unresponsive(seconds(2)), Alarm::Ping]);
        let mut answering = clocks.clone();
        answering.heard(seconds(2));
        assert_eq!(answering.check(answering.due()), []);
        let silent = clocks.due();
        assert_eq!(clocks.check(silent), [Alarm::Kill(Overdue::Silent(silent))]);
    }

    #[test]
    fn bc_20_an_agent_that_is_stopped_for_20_seconds_is_not_killed() {
        let mut clocks = running(seconds(0));
        let seen = watch(&mut clocks, seconds(20));
        assert!(!seen.iter().any(|(_, alarm)| matches!(alarm, Alarm::Kill(_))), "{seen:?}");
        assert!(clocks.is_unresponsive());
        assert_eq!(clocks.heard(seconds(20)), Some(seconds(20)));
        assert!(!clocks.is_unresponsive());
        assert_eq!(watch(&mut clocks, seconds(24)), []);
    }

    #[test]
    fn heartbeats_keep_it_alive_for_ever_but_not_past_its_turn() {
        let mut clocks = running(seconds(0));
        clocks.asked(seconds(0), seconds(120));
        let mut withdrawn_at = None;
        let mut killed_at = None;
        for second in 1..200 {
            let now = seconds(second);
            clocks.heard(now);
            for alarm in clocks.check(now) {
                match alarm {
                    Alarm::Withdraw => {
                        withdrawn_at.get_or_insert(second);
                        clocks.withdrawn(now);
                    }
                    Alarm::Kill(Overdue::NotYielded(_)) => {
                        killed_at.get_or_insert(second);
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
        assert_eq!((withdrawn_at, killed_at), (Some(121), Some(126)));
    }

    #[test]
    fn pieces_of_an_answer_lengthen_its_turn_and_nothing_else_does() {
        let mut clocks = running(seconds(0));
        clocks.asked(seconds(0), seconds(20));
        let mut withdrawn_at = None;
        for second in 1..120 {
            let now = seconds(second);
            clocks.heard(now);
            if second <= 60 {
                clocks.answer_grew(now);
            }
            if clocks.check(now).contains(&Alarm::Withdraw) {
                withdrawn_at.get_or_insert(second);
                clocks.withdrawn(now);
                clocks.answer_grew(now);
                break;
            }
        }
        assert_eq!(withdrawn_at, Some(60 + 20 + 1));
    }

    #[test]
    fn a_turn_that_is_yielded_ends_the_wait() {
        let mut clocks = running(seconds(0));
        clocks.withdrawn(seconds(0));
        clocks.heard(seconds(4));
        clocks.answered();
        clocks.heard(seconds(6));
        assert_eq!(clocks.check(seconds(6)), []);
    }

    #[test]
    fn a_withdrawn_turn_that_another_waits_for_is_given_up_sooner_and_never_later() {
        for (by, killed_at) in [(4, 4), (60, 7)] {
            let mut clocks = running(seconds(0));
            clocks.withdrawn(seconds(2));
            clocks.yield_by(seconds(by));
            let grace = seconds(killed_at - 2);
            let killed = watch(&mut clocks, seconds(killed_at));
            assert_eq!(killed.last(), Some(&(killed_at, Alarm::Kill(Overdue::NotYielded(grace)))));
        }
    }

    #[test]
    fn a_wait_that_was_over_before_the_turn_was_withdrawn_makes_no_check_due_twice() {
        let mut clocks = running(seconds(0));
        clocks.withdrawn(seconds(5));
        clocks.yield_by(seconds(3));
        assert_eq!(clocks.check(seconds(5)).len(), 1);
        clocks.yield_by(seconds(3));
        assert!(clocks.due() > seconds(5), "it would be checked without pause");
    }

    #[test]
    fn a_start_has_30_seconds_and_silence_before_the_first_word_is_no_matter() {
        let mut clocks = RunClocks::new(limits(), seconds(0));
        assert_eq!(watch(&mut clocks, seconds(60)), [(30, Alarm::Kill(Overdue::NotReady))]);
        let mut clocks = RunClocks::new(limits(), seconds(0));
        watch(&mut clocks, seconds(20));
        clocks.restart_ready_timer(seconds(20));
        assert_eq!(watch(&mut clocks, seconds(60)), [(50, Alarm::Kill(Overdue::NotReady))]);
    }

    #[test]
    fn bc_20_a_keeper_that_stood_still_for_a_minute_restarts_nobody() {
        let mut clocks = running(seconds(0));
        clocks.asked(seconds(0), seconds(120));
        assert_eq!(watch(&mut clocks, seconds(3)), []);
        // SIGSTOP at 3 s, SIGCONT at 63 s: nothing of the agent was read, and the look of 4 s comes now.
        assert_eq!(clocks.check(seconds(63)), []);
        // Only what passed before the stop and after it counts.
        clocks.heard(seconds(63));
        assert_eq!(clocks.check(seconds(64)), []);
        let mut stopped = running(seconds(0));
        stopped.withdrawn(seconds(2));
        assert_eq!(watch(&mut stopped, seconds(3)), []);
        assert_eq!(stopped.check(seconds(63)), []);
        let killed = watch(&mut stopped, seconds(70));
        assert!(killed.contains(&(66, Alarm::Kill(Overdue::NotYielded(seconds(5))))), "{killed:?}");
    }

    #[test]
    fn a_starting_process_keeps_its_time_when_the_keeper_stood_still() {
        let mut clocks = RunClocks::new(limits(), seconds(0));
        assert_eq!(watch(&mut clocks, seconds(10)), []);
        assert_eq!(clocks.check(seconds(71)), []);
        assert_eq!(watch(&mut clocks, seconds(120)), [(90, Alarm::Kill(Overdue::NotReady))]);
    }

    #[test]
    fn a_look_that_is_a_little_late_is_none_of_the_agents_fault_and_changes_nothing() {
        let mut clocks = running(seconds(0));
        let now = clocks.due() + seconds(2);
        assert_eq!(clocks.check(now), []);
        let seen = watch(&mut clocks, seconds(30));
        assert_eq!(seen.first(), Some(&(5, Alarm::Unresponsive(seconds(5)))));
    }
}
