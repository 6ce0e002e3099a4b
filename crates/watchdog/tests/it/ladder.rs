//! Each rung's failure modes, as a table (BC-25): what happens when it works, lies, fails or hangs.

use abide_domain::{
    Timestamp,
    event::{
        Event, EvidenceEvent, ParWritten,
        watchdog::{EscalationCause, Rung, WatchdogEvent},
    },
};
use abide_watchdog::{NoticeKind, WatchdogTimings};

use crate::world::{Mode, START, World, pass, seconds};

/// What goes wrong, and when evidence returns, if it does: seconds after the stall was seen.
#[derive(Default)]
struct Case {
    name: &'static str,
    has_no_process: bool,
    bell: Mode,
    pager: Mode,
    notifier: Mode,
    moves_after: Option<u64>,
    story: &'static [&'static str],
    /// Seconds from the stall to the page, and to the person.
    paged_after: Option<u64>,
    told_after: Option<u64>,
}

const CASES: [Case; 12] = [
    Case {
        name: "it was only slow: evidence follows the bell",
        moves_after: Some(10),
        story: &["stall_opened", "bell_rung", "bell_answered", "resolved"],
        ..CASE
    },
    Case {
        name: "the process answers and does not move",
        story: &[
            "stall_opened",
            "bell_rung",
            "bell_answered",
            "paged",
            "page_delivered",
            "escalated",
            "notified",
        ],
        paged_after: Some(30),
        told_after: Some(150),
        ..CASE
    },
    Case {
        name: "the bell rings and nobody answers",
        bell: Mode::Silent,
        story: &["stall_opened", "bell_rung", "paged", "page_delivered", "escalated", "notified"],
        paged_after: Some(30),
        told_after: Some(150),
        ..CASE
    },
    Case {
        name: "the bell hangs",
        bell: Mode::Hangs,
        story: &["stall_opened", "bell_rung", "paged", "page_delivered", "escalated", "notified"],
        paged_after: Some(30),
        told_after: Some(150),
        ..CASE
    },
    Case {
        name: "the bell cannot be delivered: the page follows at once",
        bell: Mode::Fails,
        story: &[
            "stall_opened",
            "bell_rung",
            "bell_failed",
            "paged",
            "page_delivered",
            "escalated",
            "notified",
        ],
        paged_after: Some(0),
        told_after: Some(120),
        ..CASE
    },
    Case {
        name: "there is no process: the page follows at once",
        has_no_process: true,
        story: &["stall_opened", "bell_failed", "paged", "page_delivered", "escalated", "notified"],
        paged_after: Some(0),
        told_after: Some(120),
        ..CASE
    },
    Case {
        name: "the page wakes it",
        moves_after: Some(60),
        story: &[
            "stall_opened",
            "bell_rung",
            "bell_answered",
            "paged",
            "page_delivered",
            "resolved",
        ],
        paged_after: Some(30),
        ..CASE
    },
    Case {
        name: "the channel is down: a person is called at once",
        pager: Mode::Fails,
        story: &[
            "stall_opened",
            "bell_rung",
            "bell_answered",
            "paged",
            "page_failed",
            "escalated",
            "notified",
        ],
        paged_after: Some(30),
        told_after: Some(30),
        ..CASE
    },
    Case {
        name: "the channel hangs",
        pager: Mode::Hangs,
        story: &[
            "stall_opened",
            "bell_rung",
            "bell_answered",
            "paged",
            "page_failed",
            "escalated",
            "notified",
        ],
        paged_after: Some(30),
        told_after: Some(40),
        ..CASE
    },
    Case {
        name: "nothing works but the person",
        bell: Mode::Fails,
        pager: Mode::Fails,
        story: &[
            "stall_opened",
            "bell_rung",
            "bell_failed",
            "paged",
            "page_failed",
            "escalated",
            "notified",
        ],
        paged_after: Some(0),
        told_after: Some(0),
        ..CASE
    },
    Case {
        name: "the person's end fails: it is tried again, later and later",
        has_no_process: true,
        pager: Mode::Fails,
        notifier: Mode::Fails,
        story: &[
            "stall_opened",
            "bell_failed",
            "paged",
            "page_failed",
            "escalated",
            "notify_failed",
            "notify_failed",
            "notify_failed",
            "notify_failed",
            "notify_failed",
        ],
        paged_after: Some(0),
        ..CASE
    },
    Case {
        name: "a person gets it moving",
        has_no_process: true,
        moves_after: Some(300),
        story: &[
            "stall_opened",
            "bell_failed",
            "paged",
            "page_delivered",
            "escalated",
            "notified",
            "resolved",
            "closed",
        ],
        paged_after: Some(0),
        told_after: Some(120),
        ..CASE
    },
];

const CASE: Case = Case {
    name: "",
    has_no_process: false,
    bell: Mode::Works,
    pager: Mode::Works,
    notifier: Mode::Works,
    moves_after: None,
    story: &[],
    paged_after: None,
    told_after: None,
};

#[tokio::test(start_paused = true)]
async fn bc_25_a_rung_counts_only_if_evidence_follows_and_each_failure_climbs() {
    for case in &CASES {
        let world = World::new(1);
        {
            let mut state = world.state();
            (state.bell, state.pager, state.notifier) = (case.bell, case.pager, case.notifier);
        }
        world.add("felix");
        world.agent("felix", |agent| agent.has_process = !case.has_no_process);
        world.work("felix");
        let keeper = world.start(WatchdogTimings::default());
        pass(361).await;
        assert_eq!(world.first("watchdog.stall_opened"), Some(360), "{}", case.name);
        let moves_after = case.moves_after.unwrap_or(700);
        pass(moves_after - 1).await;
        if case.moves_after.is_some() {
            world.evidence("felix");
            world.agent("felix", |agent| agent.work_since = None);
        }
        pass(700 - moves_after.min(700)).await;
        keeper.kill().await;
        assert_eq!(world.story(), case.story, "{}", case.name);
        let after = |kind| world.first(kind).map(|second| second - 360);
        assert_eq!(after("watchdog.paged"), case.paged_after, "{}", case.name);
        assert_eq!(after("watchdog.notified"), case.told_after, "{}", case.name);
    }
}

#[tokio::test(start_paused = true)]
async fn attempts_to_tell_a_person_grow_rarer_and_never_end() {
    let world = World::new(1);
    world.state().notifier = Mode::Fails;
    world.state().pager = Mode::Fails;
    world.add("felix");
    world.agent("felix", |agent| agent.has_process = false);
    world.work("felix");
    let keeper = world.start(WatchdogTimings::default());
    pass(6000).await;
    let failed = world.all("watchdog.notify_failed");
    let gaps: Vec<_> = failed.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(gaps[..7], [30, 60, 120, 240, 480, 600, 600]);
    world.state().notifier = Mode::Works;
    pass(1200).await;
    keeper.kill().await;
    assert_eq!(world.all("watchdog.notified").len(), 1, "told once, and no more attempts");
    let state = world.state();
    let ids: std::collections::HashSet<_> =
        state.notices.iter().map(|(_, notice)| notice.id).collect();
    assert_eq!(ids.len(), 1, "all attempts share the notice's id");
    let last = &state.notices.last().unwrap().1;
    assert_eq!(last.attempt as usize, state.notices.len());
}

#[tokio::test(start_paused = true)]
async fn a_pong_changes_the_words_and_ends_nothing() {
    for (bell, words) in [
        (
            Mode::Works,
            "@felix_ tickle paging felix: no recent activity observed (silent 390 s; alive, not moving) [page ",
        ),
        (
            Mode::Silent,
            "@felix_ tickle paging felix: no recent activity observed (silent 390 s) [page ",
        ),
    ] {
        let world = World::new(1);
        world.state().bell = bell;
        world.add("felix");
        world.work("felix");
        let keeper = world.start(WatchdogTimings::default());
        pass(1000).await;
        keeper.kill().await;
        let state = world.state();
        let text = state.pages[0].1.texts()[0].clone();
        assert!(text.starts_with(words), "{text}");
        assert_eq!(text.len(), words.len() + "7f3a]".len());
        assert_eq!(state.pages.len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_par_stands_at_every_escalation_and_at_the_end_of_every_stall() {
    let world = World::new(1);
    world.add("felix");
    world.work("felix");
    let keeper = world.start(WatchdogTimings::default());
    pass(600).await;
    world.evidence("felix");
    pass(120).await;
    keeper.kill().await;
    let state = world.state();
    let pars: Vec<ParWritten> = state
        .ledger
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Evidence(EvidenceEvent::ParWritten(par)) => Some(par.clone()),
            _ => None,
        })
        .collect();
    let words =
        |par: &ParWritten| [par.tried.join(","), par.worked.join(","), par.failed.join(",")];
    assert_eq!(
        words(&pars[0]),
        [
            "bell,channel,human",
            "",
            "bell: answered, and no evidence followed,channel: delivered, and no evidence followed,human: a notice to people follows"
        ]
    );
    assert_eq!(pars[0].took_ms, 510_000);
    assert_eq!(words(&pars[1])[1], "human");
    assert!(pars[1].suggestions.iter().any(|words| words.contains("write down what they did")));
    assert!(pars[0].suggestions.iter().any(|words| words.contains("never showed evidence")));
    assert_eq!(pars.len(), 2);
    let end = &state.notices.last().unwrap().1;
    assert_eq!(end.kind, NoticeKind::Resolved, "who was told hears the end of it");
}

#[tokio::test(start_paused = true)]
async fn a_stall_that_can_be_one_no_more_is_withdrawn_without_evidence() {
    let world = World::new(1);
    world.add("felix");
    world.work("felix");
    let keeper = world.start(WatchdogTimings::default());
    pass(370).await;
    world.agent("felix", |agent| agent.work_since = None);
    pass(60).await;
    world.work("felix");
    pass(400).await;
    world.state().agents.clear();
    pass(60).await;
    keeper.kill().await;
    let states: Vec<_> = world
        .lines()
        .into_iter()
        .filter_map(|(_, _, event)| match event {
            WatchdogEvent::Withdrawn(end) => Some(end.state),
            _ => None,
        })
        .collect();
    assert_eq!(states, ["idle", "gone"]);
}

#[tokio::test(start_paused = true)]
async fn whoever_was_told_of_a_stall_hears_that_its_task_was_given_up_and_not_that_it_is_well() {
    let world = World::new(1);
    world.add("felix");
    world.ask("felix");
    let keeper = world.start(WatchdogTimings::default());
    pass(700).await;
    world.give_up("felix", "it took longer than 900 s");
    pass(60).await;
    let report = keeper.handle.report(Timestamp::from_micros(START)).await.unwrap().text();
    keeper.kill().await;
    let told: Vec<_> =
        world.state().notices.iter().map(|(_, notice)| (notice.title(), notice.body())).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert_eq!(told[0].0, "felix has stalled");
    assert!(
        told[0].1.contains("It was to answer a message of ann on Telegram, 8 min ago."),
        "{told:?}"
    );
    assert_eq!(told[1].0, "felix's task was given up without an answer");
    for words in ["Nobody answered a message of ann on Telegram", "it took longer than 900 s"] {
        assert!(told[1].1.contains(words), "{words}: {told:?}");
    }
    assert!(report.contains("felix: its task was given up without an answer after"), "{report}");
    assert!(report.contains("it took longer than 900 s"), "{report}");
    let state = world.state();
    let pars = state.ledger.iter().filter_map(|entry| match &entry.event {
        Event::Evidence(EvidenceEvent::ParWritten(par)) => Some(par.clone()),
        _ => None,
    });
    let pars: Vec<_> = pars.collect();
    assert!(pars[0].failed.contains(&"human: a notice to people follows".to_owned()), "{pars:?}");
    let end = &pars[1];
    assert!(end.worked.is_empty(), "a time-out is no success of the notice: {end:?}");
    assert!(end.failed.iter().any(|line| line.contains("given up without an answer")), "{end:?}");
}

/// The ends of stalls: the state that a withdrawal names, or `moved`.
fn ends(world: &World) -> Vec<String> {
    let lines = world.lines().into_iter();
    let ends = lines.filter_map(|(_, _, event)| match event {
        WatchdogEvent::Withdrawn(end) if end.unanswered.is_some() => {
            Some(format!("given up, {}", end.state))
        }
        WatchdogEvent::Withdrawn(end) => Some(end.state),
        WatchdogEvent::Resolved(_) => Some("moved".to_owned()),
        _ => None,
    });
    ends.collect()
}

#[tokio::test(start_paused = true)]
async fn a_task_that_was_given_up_is_no_recovery_though_the_next_one_moves() {
    // The next task shows no sign of work by the next look, or one.
    for moves_at_once in [false, true] {
        let world = World::new(1);
        world.add("felix");
        world.work("felix");
        let keeper = world.start(WatchdogTimings::default());
        pass(700).await;
        world.give_up_for_the_next("felix", "it took longer than 900 s");
        if moves_at_once {
            world.evidence("felix");
        }
        pass(60).await;
        world.evidence("felix");
        pass(60).await;
        keeper.kill().await;
        let state = if moves_at_once { "given up, active" } else { "given up, stalled" };
        assert_eq!(ends(&world), [state]);
        let state = world.state();
        let titles: Vec<_> = state.notices.iter().map(|(_, notice)| notice.title()).collect();
        assert_eq!(titles, ["felix has stalled", "felix's task was given up without an answer"]);
        let mut pars = state.ledger.iter().filter_map(|entry| match &entry.event {
            Event::Evidence(EvidenceEvent::ParWritten(par)) => Some(par),
            _ => None,
        });
        assert!(pars.next_back().unwrap().worked.is_empty(), "no rung brought an answer");
    }
}

#[tokio::test(start_paused = true)]
async fn the_task_after_one_that_was_given_up_has_its_time_and_then_a_stall_of_its_own() {
    let world = World::new(1);
    world.add("felix");
    world.work("felix");
    let keeper = world.start(WatchdogTimings::default());
    pass(700).await;
    world.give_up_for_the_next("felix", "it took longer than 900 s");
    pass(300).await;
    assert_eq!(world.all("watchdog.stall_opened").len(), 1, "the next one has its time");
    pass(600).await;
    assert_eq!(
        ends(&world),
        ["given up, stalled"],
        "the first end is not told of the second stall"
    );
    assert_eq!(world.all("watchdog.stall_opened").len(), 2);
    assert_eq!(world.all("watchdog.escalated").len(), 2);
    world.evidence("felix");
    pass(60).await;
    keeper.kill().await;
    assert_eq!(ends(&world), ["given up, stalled", "moved"]);
}

#[tokio::test(start_paused = true)]
async fn a_task_that_was_given_up_before_a_stall_does_not_end_it() {
    let world = World::new(1);
    world.add("felix");
    world.work("felix");
    let keeper = world.start(WatchdogTimings::default());
    pass(200).await;
    world.give_up_for_the_next("felix", "it failed");
    pass(500).await;
    assert_eq!(ends(&world), [""; 0]);
    assert_eq!(world.all("watchdog.stall_opened").len(), 1);
    world.evidence("felix");
    pass(60).await;
    keeper.kill().await;
    assert_eq!(ends(&world), ["moved"]);
}

#[tokio::test(start_paused = true)]
async fn agents_that_stall_together_share_a_page_and_a_notice() {
    let world = World::new(1);
    for n in 0..45 {
        world.add(&format!("agent-{n:02}"));
        world.work(&format!("agent-{n:02}"));
    }
    let keeper = world.start(WatchdogTimings::default());
    pass(1000).await;
    keeper.kill().await;
    let state = world.state();
    let lines: Vec<_> = state.pages.iter().map(|(_, page)| page.lines.len()).collect();
    assert_eq!(lines, [20, 20, 5], "a page has a bound");
    let names: std::collections::HashSet<_> =
        state.pages.iter().map(|(_, page)| page.id.clone()).collect();
    assert_eq!(names.len(), 3);
    let told: Vec<_> = state.notices.iter().map(|(_, notice)| notice.items.len()).collect();
    assert_eq!(told, [45], "one message for all");
    let texts = state.pages[0].1.texts();
    assert!(texts.iter().zip(0..).all(|(text, n)| text.starts_with(&format!("@agent-{n:02}_ "))));
}

#[tokio::test(start_paused = true)]
async fn a_stall_that_returns_is_paged_again_only_after_the_cooldown() {
    let world = World::new(1);
    world.add("felix");
    world.agent("felix", |agent| {
        (agent.fatigue, agent.confidence, agent.has_process) = (Some(1.0), Some(0.0), false);
    });
    let settings = WatchdogTimings {
        threshold: seconds(60),
        interval: seconds(10),
        ..WatchdogTimings::default()
    };
    world.work("felix");
    let keeper = world.start(settings);
    for _ in 0..40 {
        pass(90).await;
        world.evidence("felix");
    }
    keeper.kill().await;
    let paged = world.all("watchdog.paged");
    assert!(paged.len() > 5, "{paged:?}");
    assert!(paged.windows(2).all(|pair| pair[1] - pair[0] >= 180), "{paged:?}");
}

#[tokio::test(start_paused = true)]
async fn the_cause_of_an_escalation_and_the_rung_that_worked_are_written_down() {
    let world = World::new(1);
    world.state().pager = Mode::Fails;
    world.add("felix");
    world.work("felix");
    let keeper = world.start(WatchdogTimings::default());
    pass(400).await;
    world.evidence("felix");
    pass(60).await;
    keeper.kill().await;
    let lines = world.lines();
    assert!(lines.iter().any(|(_, _, event)| matches!(event,
        WatchdogEvent::Escalated(escalated) if escalated.cause == EscalationCause::PageFailed)));
    assert!(lines.iter().any(|(_, _, event)| matches!(event,
        WatchdogEvent::Resolved(end) if end.rung == Rung::Human && end.evidence_seq > 0)));
}
