//! How late a page is: ten thousand stalls that begin at any moment between two scans, and how long after "evidence plus
//! threshold" each is paged. No clock is asked: the time is the simulation's, and the answer is the same on every machine.
//!
//! The bell's window, which lies between a stall and its page where the agent has a process, is no part of it.
#![expect(clippy::print_stdout, reason = "it is here to print")]
#![expect(clippy::unwrap_used, reason = "an example may fail loudly")]

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use abide_domain::{IdSource, Timestamp};
use abide_watchdog::{
    AgentCondition, EscalationPolicies, EvidenceMark, FirstSeenTimes, Observation, ObservedAgent,
    ScanContext, Trigger, WatchdogState, WatchdogTimings,
};
use uuid::{Builder, Uuid};

const STALLS: u64 = 10_000;
const START: Timestamp = Timestamp::from_micros(1_795_824_000_000_000);

#[derive(Debug, Default)]
struct Counted(AtomicU64);

impl IdSource for Counted {
    fn uuid(&self, now: Timestamp) -> Uuid {
        let mut tail = [0; 10];
        tail[2..].copy_from_slice(&self.0.fetch_add(1, Ordering::Relaxed).to_be_bytes());
        let millis = u64::try_from(now.as_micros() / 1000).unwrap();
        Builder::from_unix_timestamp_millis(millis, &tail).into_uuid()
    }
}

/// An agent without a process that has work from its last evidence on, and hangs.
fn hung(since: Timestamp) -> Observation {
    let standing = ObservedAgent {
        agent: "felix".parse().unwrap(),
        nick: "felix".into(),
        registered_at: Timestamp::from_micros(START.as_micros() - 86_400_000_000),
        last_evidence: Some(EvidenceMark { seq: 7, at: since }),
        work_since: Some(since),
        excused_at: None,
        threshold: None,
        always_active: false,
        task: None,
        unanswered: None,
        condition: AgentCondition::Awake,
        has_process: false,
        fatigue: None,
        confidence: None,
    };
    Observation { agents: vec![standing], ..Observation::default() }
}

/// How long after evidence and threshold the page goes out, scans being at whole intervals.
fn latency(settings: &WatchdogTimings, evidence: Timestamp, ids: &Counted) -> Duration {
    let policies = EscalationPolicies::default();
    let mut first_seen = FirstSeenTimes::default();
    let mut now = START;
    loop {
        let mut observation = if evidence <= now { hung(evidence) } else { Observation::default() };
        first_seen.correct(now, &mut observation);
        let present = ScanContext { now, settings, policies: &policies, attention: None, ids };
        let trigger = Trigger::Scan { is_asked: false };
        if !WatchdogState::default().plan(trigger, Ok(&observation), present).pages.is_empty() {
            return now.since(evidence.plus(settings.threshold));
        }
        now = now.plus(settings.interval);
    }
}

fn main() {
    let (settings, ids) = (WatchdogTimings::default(), Counted::default());
    let interval_us = u64::try_from(settings.interval.as_micros()).unwrap();
    // Steps of the golden ratio meet every part of the interval alike.
    let moment = |n: u64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15) % (interval_us * 10);
    let evidence = |n: u64| START.plus(Duration::from_micros(moment(n)));
    let mut late: Vec<_> = (0..STALLS).map(|n| latency(&settings, evidence(n), &ids)).collect();
    late.sort_unstable();
    let at = |share: usize| late.get(late.len() * share / 100).or_else(|| late.last()).copied();
    let [median, p99, most] = [at(50), at(99), late.last().copied()].map(Option::unwrap_or_default);
    println!(
        "{STALLS} stalls, threshold {:?}, a scan every {:?}: paged {median:.1?} after the threshold (median), {p99:.1?} (p99), \
         {most:.1?} at the latest",
        settings.threshold, settings.interval
    );
}
