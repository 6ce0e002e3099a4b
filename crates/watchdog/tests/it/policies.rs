//! Escalation policies: who is told, who is told next, and that each step comes once, in its time, and to an end.

use std::collections::BTreeSet;

use abide_domain::{
    EntityName,
    event::{
        Event,
        watchdog::{AttemptOutcome, ServiceAttempt, WatchdogEvent},
    },
};
use abide_watchdog::{
    EpisodeChoice, EscalationPolicies, EscalationPolicy, EscalationStep, NoticeKind, Pulse,
    WatchdogTimings,
};

use crate::world::{Keeper, Mode, World, id, pass, seconds};

const SERVICES: [&str; 3] = ["phone", "pager", "mail"];
/// Seconds after which an agent without a process that hangs from the start is escalated: seen at 360, paged at once, the
/// channel's window.
const ESCALATED: u64 = 480;

fn step(after: u64, to: &[&str]) -> EscalationStep {
    EscalationStep { after: seconds(after), to: to.iter().map(|name| (*name).to_owned()).collect() }
}

fn all(steps: Vec<EscalationStep>) -> EscalationPolicies {
    EscalationPolicies::new(vec![EscalationPolicy { agents: None, steps }]).unwrap()
}

/// The phone at once, the pager after 15 minutes, both and the mail after an hour.
fn three() -> EscalationPolicies {
    let steps =
        vec![step(0, &["phone"]), step(900, &["pager"]), step(3600, &["phone", "pager", "mail"])];
    all(steps)
}

fn hung(names: &[&str]) -> World {
    let world = World::new(1);
    for name in names {
        world.add(name);
        world.agent(name, |agent| agent.has_process = false);
        world.work(name);
    }
    world
}

/// The agent shows evidence and is done.
fn moves(world: &World, name: &str) {
    world.evidence(name);
    world.agent(name, |agent| agent.work_since = None);
}

fn start(world: &World, policies: EscalationPolicies) -> Keeper {
    world.start_with(WatchdogTimings::default(), policies, &SERVICES)
}

/// What services were asked to tell: when, who, what, and at which step.
fn notified(world: &World) -> Vec<(u64, String, &'static str, u32)> {
    let state = world.state();
    let row =
        |(at, service, notice): &(abide_domain::Timestamp, String, abide_watchdog::Notice)| {
            let second = u64::try_from((at.as_micros() - crate::world::START) / 1_000_000).unwrap();
            (second, service.clone(), notice.kind.as_str(), notice.step)
        };
    state.told.iter().map(row).collect()
}

fn row(at: u64, service: &str, kind: &'static str, step: u32) -> (u64, String, &'static str, u32) {
    (at, service.to_owned(), kind, step)
}

fn nicolas() -> EntityName {
    "@nicolas".parse().unwrap()
}

/// What services made of notices, in the order of the lines that tell of it.
fn journal(world: &World) -> Vec<Vec<ServiceAttempt>> {
    let attempts = |(_, _, event): (_, _, WatchdogEvent)| match event {
        WatchdogEvent::Notified(told) => Some(told.attempts),
        WatchdogEvent::NotifyFailed(failed) => Some(failed.attempts),
        WatchdogEvent::Closed(closed) => Some(closed.attempts),
        _ => None,
    };
    world.lines().into_iter().filter_map(attempts).collect()
}

#[tokio::test(start_paused = true)]
async fn each_step_comes_once_and_in_its_time() {
    let world = hung(&["felix"]);
    let keeper = start(&world, three());
    pass(20_000).await;
    keeper.kill().await;
    let expected = [
        row(ESCALATED, "phone", "stalled", 1),
        row(ESCALATED + 900, "pager", "stalled", 2),
        row(ESCALATED + 3600, "phone", "stalled", 3),
        row(ESCALATED + 3600, "pager", "stalled", 3),
        row(ESCALATED + 3600, "mail", "stalled", 3),
    ];
    assert_eq!(notified(&world), expected);
    assert_eq!(world.all("watchdog.escalated").len(), 1, "it is one escalation");
    let ids: BTreeSet<_> = world.state().notices.iter().map(|(_, notice)| notice.id).collect();
    assert_eq!(ids.len(), 3, "each step is a notice of its own");
    let episodes: BTreeSet<_> =
        world.state().notices.iter().map(|(_, notice)| notice.items[0].episode).collect();
    assert_eq!(episodes.len(), 1, "about one episode");
}

#[tokio::test(start_paused = true)]
async fn without_a_policy_everybody_is_told_at_once() {
    let world = hung(&["felix"]);
    let only_ada = EscalationPolicy {
        agents: Some(BTreeSet::from([id("ada")])),
        steps: vec![step(0, &["mail"])],
    };
    let keeper = start(&world, EscalationPolicies::new(vec![only_ada]).unwrap());
    pass(9000).await;
    keeper.kill().await;
    let expected = SERVICES.map(|name| row(ESCALATED, name, "stalled", 1));
    assert_eq!(notified(&world), expected);
}

#[tokio::test(start_paused = true)]
async fn evidence_and_a_promise_stop_the_steps() {
    for is_acked in [false, true] {
        let world = hung(&["felix"]);
        let keeper = start(&world, three());
        pass(ESCALATED + 600).await;
        if is_acked {
            keeper
                .handle
                .acknowledge(nicolas(), EpisodeChoice::All, seconds(100_000), None)
                .await
                .unwrap();
        } else {
            moves(&world, "felix");
        }
        pass(9000).await;
        keeper.kill().await;
        let stalled: Vec<_> =
            notified(&world).into_iter().filter(|row| row.2 == "stalled").collect();
        assert_eq!(stalled, [row(ESCALATED, "phone", "stalled", 1)], "acked: {is_acked}");
        assert!(world.all("watchdog.stepped").is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_silence_and_maintenance_hold_the_steps() {
    for is_silence in [true, false] {
        let world = hung(&["felix"]);
        let keeper = start(&world, three());
        pass(ESCALATED + 600).await;
        let duration = seconds(2000);
        if is_silence {
            keeper.handle.silence(nicolas(), None, duration, None).await.unwrap();
        } else {
            keeper.handle.pause(nicolas(), Some(duration), None).await.unwrap();
        }
        pass(1990).await;
        assert_eq!(notified(&world).len(), 1, "silence: {is_silence}");
        pass(9000).await;
        keeper.kill().await;
        let rows = notified(&world);
        // Silence keeps people undisturbed, and time runs on; maintenance is nobody's time.
        let next = if is_silence { 2600 } else { 2000 + 900 };
        assert_eq!(rows[1], row(ESCALATED + next, "pager", "stalled", 2));
        assert_eq!(rows[2].0, ESCALATED + next + 2700, "and the next keeps its distance");
    }
}

#[tokio::test(start_paused = true)]
async fn a_ping_that_hangs_is_not_joined_by_others() {
    let world = World::new(1);
    world.add("felix");
    world.state().dead_man = Mode::Hangs;
    let settings = WatchdogTimings { interval: seconds(1), ..WatchdogTimings::default() };
    let keeper = world.start(settings);
    pass(100).await;
    keeper.kill().await;
    let (scans, pings) = (world.all("watchdog.scanned").len(), world.state().pulses.len());
    assert!(scans >= 100 && (9..=11).contains(&pings), "{scans} scans, {pings} pings");
}

#[tokio::test(start_paused = true)]
async fn the_end_goes_to_those_who_were_told_and_to_nobody_else() {
    let world = hung(&["felix"]);
    world.state().services.insert("pager".into(), Mode::Fails);
    let keeper = start(&world, all(vec![step(0, &["phone", "pager"]), step(9000, &["mail"])]));
    pass(ESCALATED + 100).await;
    moves(&world, "felix");
    pass(600).await;
    keeper.kill().await;
    let ends: Vec<_> = notified(&world).into_iter().filter(|row| row.2 == "resolved").collect();
    assert_eq!(ends.len(), 1);
    assert_eq!(ends[0].1, "phone", "the pager never had it, the mail was never asked");
    let journal = journal(&world);
    let names = |attempts: &[ServiceAttempt]| -> Vec<(String, AttemptOutcome)> {
        attempts.iter().map(|attempt| (attempt.service.clone(), attempt.outcome)).collect()
    };
    assert_eq!(
        names(&journal[0]),
        [("phone".into(), AttemptOutcome::Sent), ("pager".into(), AttemptOutcome::Failed)]
    );
    assert_eq!(journal[0][1].words, "refused");
    // In between the pager alone was tried again.
    let (last, between) = journal[1..].split_last().unwrap();
    assert!(between.iter().all(|tried| names(tried) == [("pager".into(), AttemptOutcome::Failed)]));
    assert_eq!(names(last), [("phone".into(), AttemptOutcome::Sent)]);
}

#[tokio::test(start_paused = true)]
async fn an_end_that_a_service_did_not_take_is_told_again_a_few_times() {
    for (mode, tries) in [(Mode::Works, 1), (Mode::Fails, 3)] {
        let world = hung(&["felix"]);
        let keeper = start(&world, all(vec![step(0, &["phone"])]));
        pass(ESCALATED + 10).await;
        world.state().services.insert("phone".into(), mode);
        moves(&world, "felix");
        pass(900).await;
        keeper.kill().await;
        let ends: Vec<_> = notified(&world).into_iter().filter(|row| row.2 == "resolved").collect();
        assert_eq!(ends.len(), tries, "{mode:?}");
        assert_eq!(world.all("watchdog.closed").len(), 1, "{mode:?}");
        assert_eq!(journal(&world).last().map(Vec::len), Some(tries), "{mode:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_ended_while_somebody_was_told_of_it_is_said_to_be_over() {
    let world = hung(&["felix"]);
    // The person's end is slow, and the agent moves meanwhile.
    world.state().services.insert("phone".into(), Mode::Slow);
    let keeper = start(&world, all(vec![step(0, &["phone"])]));
    pass(ESCALATED + 1).await;
    moves(&world, "felix");
    keeper.handle.scan(nicolas()).await.unwrap();
    pass(600).await;
    keeper.kill().await;
    let kinds: Vec<_> = notified(&world).into_iter().map(|row| (row.1, row.2)).collect();
    assert_eq!(kinds, [("phone".into(), "stalled"), ("phone".into(), "resolved")]);
}

#[tokio::test(start_paused = true)]
async fn a_restart_repeats_no_step_and_down_time_is_nobody_s() {
    let world = hung(&["felix"]);
    let keeper = start(&world, three());
    pass(ESCALATED + 890).await;
    keeper.kill().await;
    pass(5000).await;
    // It begins anew, and the step's own time goes on where it stood.
    let keeper = start(&world, three());
    pass(299).await;
    assert_eq!(world.all("watchdog.stepped").len(), 0);
    pass(200).await;
    assert_eq!(world.all("watchdog.stepped").len(), 1);
    keeper.kill().await;
    for _ in 0..5 {
        let keeper = start(&world, three());
        pass(40).await;
        keeper.kill().await;
    }
    let pager = notified(&world).into_iter().filter(|row| row.1 == "pager").count();
    assert_eq!((pager, world.all("watchdog.stepped").len()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_promise_that_ran_out_tells_the_newest_step_again_and_then_goes_on() {
    let world = hung(&["felix"]);
    let keeper = start(&world, three());
    pass(ESCALATED + 100).await;
    keeper.handle.acknowledge(nicolas(), EpisodeChoice::All, seconds(2000), None).await.unwrap();
    let next = &keeper.handle.status().next_steps[0];
    assert_eq!((next.agent.as_str(), next.to.as_slice()), ("felix", &["pager".to_owned()][..]));
    assert_eq!(next.at.since(world.now()), seconds(2900), "behind the promise");
    pass(1990).await;
    let rows = notified(&world);
    assert_eq!(rows[1], row(ESCALATED + 100, "phone", "acknowledged", 1), "others who were told");
    assert_eq!(rows.len(), 2);
    pass(9000).await;
    keeper.kill().await;
    let over = ESCALATED + 2100;
    let rows: Vec<_> = notified(&world).into_iter().filter(|row| row.2 == "stalled").collect();
    assert_eq!(rows[1], row(over, "phone", "stalled", 1), "who knows of it is reminded");
    assert_eq!(rows[2], row(over + 900, "pager", "stalled", 2));
    assert_eq!(rows[3].0, over + 900 + 2700);
    assert_eq!(rows.len(), 6);
}

#[tokio::test(start_paused = true)]
async fn a_step_comes_though_nobody_could_be_told_at_the_one_before() {
    let world = hung(&["felix"]);
    world.state().services.insert("phone".into(), Mode::Hangs);
    let keeper = start(&world, all(vec![step(0, &["phone"]), step(900, &["pager"])]));
    pass(ESCALATED + 2000).await;
    keeper.kill().await;
    let rows = notified(&world);
    let pager: Vec<_> = rows.iter().filter(|row| row.1 == "pager").collect();
    assert_eq!(pager, [&row(ESCALATED + 900, "pager", "stalled", 2)]);
    let phone = rows.iter().filter(|row| row.1 == "phone").count();
    assert!(phone > 5, "the first step is still tried, more and more rarely: {phone}");
    assert_eq!(journal(&world)[0][0].took_ms, 10_000);
}

#[tokio::test(start_paused = true)]
async fn agents_share_a_notice_where_the_same_services_tell_and_only_there() {
    let world = hung(&["ada", "felix", "iris"]);
    let felix = EscalationPolicy {
        agents: Some(BTreeSet::from([id("felix")])),
        steps: vec![step(0, &["mail"])],
    };
    let rest =
        EscalationPolicy { agents: None, steps: vec![step(0, &["phone"]), step(60, &["mail"])] };
    let keeper = start(&world, EscalationPolicies::new(vec![felix, rest]).unwrap());
    pass(ESCALATED + 120).await;
    keeper.kill().await;
    let state = world.state();
    let rows: Vec<_> = state
        .told
        .iter()
        .map(|(_, service, notice)| {
            let agents: Vec<_> = notice.items.iter().map(|item| item.agent.to_string()).collect();
            (service.as_str(), notice.step, agents.join(" "))
        })
        .collect();
    let expected = [("phone", 1, "ada iris"), ("mail", 1, "felix"), ("mail", 2, "ada iris")];
    let mut sorted = rows.clone();
    sorted.sort_by_key(|(service, step, _)| (*step, std::cmp::Reverse(*service)));
    assert_eq!(sorted, expected.map(|(service, step, agents)| (service, step, agents.to_owned())));
}

#[tokio::test(start_paused = true)]
async fn a_service_that_is_gone_leaves_nobody_untold() {
    let world = hung(&["felix"]);
    let keeper = start(&world, all(vec![step(0, &["phone"])]));
    world.state().notifier = Mode::Fails;
    pass(ESCALATED + 10).await;
    keeper.kill().await;
    world.state().notifier = Mode::Works;
    // The configuration has changed meanwhile: the phone is no more.
    let keeper =
        world.start_with(WatchdogTimings::default(), EscalationPolicies::default(), &["mail"]);
    pass(400).await;
    keeper.kill().await;
    let mail: Vec<_> = notified(&world).into_iter().filter(|row| row.1 == "mail").collect();
    assert_eq!(mail.len(), 1);
    let last = journal(&world).last().cloned().unwrap();
    assert_eq!((last[0].service.as_str(), last[0].outcome), ("mail", AttemptOutcome::Sent));
    assert_eq!((last[1].service.as_str(), last[1].outcome), ("phone", AttemptOutcome::Failed));
}

#[tokio::test(start_paused = true)]
async fn an_escalation_of_an_earlier_program_is_told_to_everybody_and_ended_for_everybody() {
    let world = hung(&["felix"]);
    let keeper = start(&world, EscalationPolicies::default());
    pass(ESCALATED + 10).await;
    keeper.kill().await;
    // Lines as they were before services had names.
    for entry in &mut world.state().ledger {
        if let Event::Watchdog(WatchdogEvent::Notified(told)) = &mut entry.event {
            told.attempts.clear();
        }
    }
    let keeper = start(&world, EscalationPolicies::default());
    pass(60).await;
    moves(&world, "felix");
    pass(120).await;
    keeper.kill().await;
    let ends: Vec<_> =
        notified(&world).into_iter().filter(|row| row.2 == "resolved").map(|row| row.1).collect();
    assert_eq!(ends, SERVICES);
}

#[tokio::test(start_paused = true)]
async fn a_test_says_what_each_service_made_of_it() {
    let world = World::new(1);
    world.state().services.insert("pager".into(), Mode::Fails);
    let keeper = start(&world, three());
    let tested = keeper.handle.test_page(nicolas()).await.unwrap();
    keeper.kill().await;
    let rows: Vec<_> = tested.attempts.iter().map(|a| (a.service.as_str(), a.outcome)).collect();
    let (sent, failed) = (AttemptOutcome::Sent, AttemptOutcome::Failed);
    assert_eq!(rows, [("phone", sent), ("pager", failed), ("mail", sent)]);
    assert_eq!(tested.notify_failed, None, "it reached somebody");
    assert_eq!(world.state().notices[0].1.kind, NoticeKind::Test);
}

#[tokio::test(start_paused = true)]
async fn the_dead_man_s_switch_hears_of_good_scans_and_of_long_blindness() {
    let world = World::new(1);
    world.add("felix");
    let keeper = world.start(WatchdogTimings::default());
    pass(130).await;
    assert_eq!(world.state().pulses, [Pulse::Good, Pulse::Good, Pulse::Good]);
    assert_eq!(keeper.handle.status().dead_man.map(|known| known.failed), Some(None));
    world.state().observer = Mode::Fails;
    pass(300).await;
    assert_eq!(world.state().pulses.len(), 3, "it may pass");
    pass(300).await;
    let last = world.state().pulses.last().cloned();
    assert_eq!(last, Some(Pulse::Blind("no store".into())));
    world.state().observer = Mode::Works;
    world.state().dead_man = Mode::Hangs;
    pass(300).await;
    let known = keeper.handle.status().dead_man.unwrap();
    assert!(known.failed.is_some() && known.reached_at.is_some(), "{known:?}");
    let scans = world.all("watchdog.scanned").len();
    pass(600).await;
    assert_eq!(world.all("watchdog.scanned").len(), scans + 10, "no scan waits for it");
    keeper.kill().await;
}

#[tokio::test(start_paused = true)]
async fn a_person_is_told_when_it_is_due_however_long_the_line_takes_to_be_written() {
    let world = hung(&["felix"]);
    world.state().record_takes = std::time::Duration::from_millis(50);
    let keeper = start(&world, EscalationPolicies::default());
    pass(ESCALATED + 30).await;
    keeper.kill().await;
    let (escalated, told) = (world.first("watchdog.escalated").unwrap(), notified(&world));
    assert!(told.iter().all(|(at, ..)| *at <= escalated + 1), "{escalated}: {told:?}");
    assert_eq!(told.len(), SERVICES.len());
}

#[tokio::test(start_paused = true)]
async fn a_service_that_fails_is_tried_again_though_another_took_the_notice() {
    let world = hung(&["felix"]);
    world.state().services.insert("pager".into(), Mode::Fails);
    let keeper = start(&world, EscalationPolicies::default());
    pass(ESCALATED + 60).await;
    // A restart forgets neither who has it nor who does not.
    keeper.kill().await;
    let keeper = start(&world, EscalationPolicies::default());
    pass(60).await;
    world.state().services.insert("pager".into(), Mode::Works);
    pass(3_600).await;
    keeper.kill().await;
    let told = notified(&world);
    let of = |service: &str| told.iter().filter(|(_, name, ..)| name == service).count();
    assert_eq!((of("phone"), of("mail")), (1, 1), "{told:?}");
    let (last, tries) = (told.last().unwrap(), of("pager"));
    assert!((3..=6).contains(&tries) && last.1 == "pager", "once it took it, no more: {told:?}");
}

#[tokio::test(start_paused = true)]
async fn what_is_left_over_for_a_service_that_is_no_more_is_told_to_nobody() {
    let world = hung(&["felix"]);
    world.state().services.insert("pager".into(), Mode::Fails);
    let keeper = start(&world, EscalationPolicies::default());
    pass(ESCALATED + 10).await;
    keeper.kill().await;
    let before = notified(&world).len();
    let rest = ["phone", "mail"];
    let settings = WatchdogTimings::default();
    let keeper = world.start_with(settings, EscalationPolicies::default(), &rest);
    pass(3_600).await;
    keeper.kill().await;
    assert_eq!(notified(&world).len(), before, "{:?}", notified(&world));
}
