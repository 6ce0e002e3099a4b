//! The specification's tests and defaults, and the distinct states of decision 38, as tables.

use abide_domain::{
    KnownWait, Timestamp, WaitReason,
    event::{
        Event,
        watchdog::{Scanned, WatchdogEvent},
    },
};
use abide_watchdog::{
    AgentCondition, AgentVerdict, EvidenceMark, ObservedAgent, WatchdogTimings, WatchedTime, scan,
    threshold,
};

use crate::world::{START, World, id, pass, seconds};

fn at(second: i64) -> Timestamp {
    Timestamp::from_micros(START + second * 1_000_000)
}

/// An agent that was registered long before and has had something to do since `work`.
fn standing(evidence: Option<i64>, work: Option<i64>) -> ObservedAgent {
    ObservedAgent {
        agent: id("claude-1"),
        nick: "claude-1".into(),
        registered_at: at(-86_400),
        last_evidence: evidence.map(|second| EvidenceMark { seq: 7, at: at(second) }),
        work_since: work.map(at),
        excused_at: None,
        threshold: None,
        always_active: false,
        task: None,
        unanswered: None,
        condition: AgentCondition::Awake,
        has_process: true,
        fatigue: None,
        confidence: None,
    }
}

/// The verdict at second 1,000.
fn verdict(standing: ObservedAgent) -> AgentVerdict {
    let agents = [standing];
    let verdicts = scan(at(1000), &WatchdogTimings::default(), &WatchedTime::default(), &agents);
    verdicts[0].1
}

fn stalled(silent: u64, never_active: bool) -> AgentVerdict {
    AgentVerdict::Stalled { silent: seconds(silent), threshold: seconds(300), never_active }
}

#[test]
fn the_defaults_are_the_specification_s() {
    let defaults = WatchdogTimings::default();
    let seconds = [
        defaults.interval,
        defaults.threshold,
        defaults.bell_window,
        defaults.channel_window,
        defaults.cooldown,
        defaults.grace,
    ]
    .map(|duration| duration.as_secs());
    assert_eq!(seconds, [60, 300, 30, 120, 180, 60]);
}

#[test]
fn silence_is_a_stall_only_when_it_is_strictly_longer_than_the_threshold() {
    let silent = |second: i64| verdict(standing(Some(second), Some(0)));
    assert_eq!(silent(950), AgentVerdict::Active { silent: seconds(50) });
    assert_eq!(silent(700), AgentVerdict::Active { silent: seconds(300) });
    assert_eq!(silent(699), stalled(301, false));
}

#[test]
fn every_state_of_decision_38_is_told_apart() {
    let with = |change: &dyn Fn(&mut ObservedAgent)| {
        let mut quiet = standing(Some(0), Some(0));
        change(&mut quiet);
        verdict(quiet)
    };
    let condition = |condition| with(&|standing| standing.condition = condition);
    assert_eq!(with(&|_| {}), stalled(1000, false));
    assert_eq!(with(&|standing| standing.work_since = None), AgentVerdict::Idle);
    assert_eq!(condition(AgentCondition::Asleep), AgentVerdict::Asleep);
    assert_eq!(condition(AgentCondition::Hibernated), AgentVerdict::Hibernated);
    assert_eq!(condition(AgentCondition::Parked), AgentVerdict::Parked);
    assert_eq!(condition(AgentCondition::WaitingApproval), AgentVerdict::WaitingApproval);
    assert_eq!(condition(AgentCondition::Paused), AgentVerdict::Paused);
    assert_eq!(condition(AgentCondition::Unreachable), AgentVerdict::Unreachable);
    assert_eq!(condition(AgentCondition::Unwatched), AgentVerdict::Unwatched);
    // A wait is a state until its end, and silence from there on.
    let waiting = |until| AgentCondition::Waiting(KnownWait { reason: WaitReason::Tool, until });
    let wait = KnownWait { reason: WaitReason::Tool, until: at(1000) };
    assert_eq!(condition(waiting(at(1000))), AgentVerdict::Waiting(wait));
    assert_eq!(condition(waiting(at(999))), AgentVerdict::Active { silent: seconds(1) });
    assert_eq!(condition(waiting(at(699))), stalled(301, false));
    // What was kept from moving has its time from then on.
    let excused = with(&|standing| standing.excused_at = Some(at(900)));
    assert_eq!(excused, AgentVerdict::Active { silent: seconds(100) });
    // One of its own threshold.
    let patient = with(&|standing| standing.threshold = Some(seconds(2_000)));
    assert_eq!(patient, AgentVerdict::Active { silent: seconds(1000) });
    assert_eq!(with(&|standing| standing.registered_at = at(940)), AgentVerdict::JustRegistered);
    let registered = with(&|standing| standing.registered_at = at(939));
    assert_eq!(registered, AgentVerdict::Active { silent: seconds(61) });
    // Never active: nothing to do is idle, something to do is a stall, counted from the work.
    assert_eq!(verdict(standing(None, None)), AgentVerdict::Idle);
    assert_eq!(verdict(standing(None, Some(650))), stalled(350, true));
    // One that is always to be active stalls with nothing to do.
    let always = with(&|standing| (standing.always_active, standing.work_since) = (true, None));
    assert_eq!(always, stalled(1000, false));
    // Work that has just come is no stall, however long the agent had nothing to do before.
    assert_eq!(verdict(standing(Some(0), Some(990))), AgentVerdict::Active { silent: seconds(10) });
}

#[test]
fn the_watchdog_does_not_page_itself() {
    let mut own = standing(None, Some(0));
    own.agent = id("tickle-1");
    assert!(
        scan(at(1000), &WatchdogTimings::default(), &WatchedTime::default(), &[own]).is_empty()
    );
}

#[test]
fn fatigue_shortens_and_confidence_lengthens_the_threshold_from_half_to_double() {
    let of = |fatigue, confidence| {
        threshold(WatchdogTimings::default().threshold, fatigue, confidence).as_secs_f64()
    };
    let cases = [
        (None, None, 300.0),
        (Some(0.5), Some(0.5), 300.0),
        (Some(1.0), Some(0.0), 150.0),
        (Some(0.0), Some(1.0), 600.0),
        (Some(1.0), None, 300.0 * 0.5_f64.sqrt()),
        (None, Some(1.0), 300.0 * 2.0_f64.sqrt()),
        (Some(f64::NAN), Some(9.0), 300.0 * 2.0_f64.sqrt()),
        (Some(-5.0), Some(0.0), 300.0),
    ];
    for (fatigue, confidence, expected) in cases {
        let found = of(fatigue, confidence);
        assert!(
            (found - expected).abs() < 1e-6,
            "{fatigue:?} {confidence:?}: {found} for {expected}"
        );
    }
    assert_eq!(
        threshold(WatchdogTimings::default().threshold, None, None),
        seconds(300),
        "exactly"
    );
}

#[tokio::test(start_paused = true)]
async fn there_is_one_line_a_scan_with_what_it_found() {
    let world = World::new(1);
    world.add("felix");
    world.add("ada");
    world.work("felix");
    let keeper = world.start(WatchdogTimings::default());
    pass(3610).await;
    keeper.kill().await;
    let scans: Vec<Scanned> = world
        .lines()
        .into_iter()
        .filter_map(|(_, _, event)| match event {
            WatchdogEvent::Scanned(scanned) => Some(scanned),
            _ => None,
        })
        .collect();
    assert_eq!(scans.len(), 61, "one at the start, then one a minute");
    assert_eq!(world.state().pulses.len(), 61, "each good scan reaches the dead man's switch");
    assert!(scans.iter().all(|scan| scan.judged == 2 && scan.blind.is_none()));
    let stalled: Vec<_> = scans.iter().map(|scan| scan.stalled.len()).collect();
    assert_eq!(stalled.iter().position(|n| *n == 1), Some(6), "silent for longer than 300 s");
    let paged: usize = scans.iter().map(|scan| scan.paged.len()).sum();
    let escalated: usize = scans.iter().map(|scan| scan.escalated.len()).sum();
    assert_eq!((paged, escalated), (1, 1), "each is told of in one scan");
}

#[tokio::test(start_paused = true)]
async fn a_page_is_late_by_one_scan_and_the_bell_s_window_at_most() {
    for offset in [0, 1, 17, 30, 59] {
        let world = World::new(offset);
        world.add("felix");
        let keeper = world.start(WatchdogTimings::default());
        pass(offset + 1).await;
        world.work("felix");
        pass(700).await;
        keeper.kill().await;
        let silence_over = offset + 1 + 300;
        let seen = world.first("watchdog.stall_opened").unwrap();
        assert!((silence_over..=silence_over + 60).contains(&seen), "{offset}: seen at {seen}");
        assert_eq!(world.first("watchdog.paged"), Some(seen + 30), "the bell has its window");
    }
}

#[tokio::test(start_paused = true)]
async fn the_author_is_tickle_1_and_an_agent_s_lines_are_not_its_own() {
    let world = World::new(1);
    world.add("felix");
    world.work("felix");
    let keeper = world.start(WatchdogTimings::default());
    pass(900).await;
    keeper.kill().await;
    let state = world.state();
    let own: Vec<_> = state
        .ledger
        .iter()
        .filter(|entry| matches!(entry.event, Event::Watchdog(_) | Event::Evidence(_)))
        .collect();
    assert!(own.iter().all(|entry| entry.author.as_str() == "@tickle-1"));
    assert!(own.iter().any(|entry| entry.entity.as_str() == "@felix"));
}
