//! What people order: silence, acknowledgement, maintenance, a scan, a test; and that each of it ends.

use abide_domain::{EntityName, event::watchdog::WatchdogEvent};
use abide_watchdog::{AgentVerdict, EpisodeChoice, NoticeKind, WatchdogError, WatchdogTimings};

use crate::world::{Mode, World, id, pass, seconds};

fn nicolas() -> EntityName {
    "@nicolas".parse().unwrap()
}

fn stalled() -> World {
    let world = World::new(1);
    world.add("felix");
    world.work("felix");
    world
}

#[tokio::test(start_paused = true)]
async fn a_silence_keeps_the_ladder_still_until_it_ends() {
    for agent in [Some(id("felix")), None] {
        let world = stalled();
        let keeper = world.start(WatchdogTimings::default());
        pass(100).await;
        let until =
            keeper.handle.silence(nicolas(), agent.clone(), seconds(1000), None).await.unwrap();
        assert_eq!(until.since(world.now()), seconds(1000));
        pass(990).await;
        assert_eq!(world.story(), ["silenced"]);
        let status = keeper.handle.status();
        assert!(status.verdicts[0].verdict.is_stalled(), "it is seen all the same");
        assert_eq!(status.silences, [(agent, until)]);
        pass(100).await;
        assert!(world.first("watchdog.stall_opened").is_some());
        keeper.kill().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_silence_can_be_lifted_and_is_about_one_agent_only() {
    let world = stalled();
    world.add("ada");
    world.work("ada");
    let keeper = world.start(WatchdogTimings::default());
    keeper.handle.silence(nicolas(), Some(id("felix")), seconds(100_000), None).await.unwrap();
    pass(400).await;
    let episodes: Vec<_> = keeper.handle.status().episodes.into_iter().map(|e| e.agent).collect();
    assert_eq!(episodes, [id("ada")]);
    keeper.handle.unsilence(nicolas(), Some(id("felix"))).await.unwrap();
    pass(60).await;
    assert_eq!(keeper.handle.status().episodes.len(), 2);
    keeper.kill().await;
}

#[tokio::test(start_paused = true)]
async fn an_acknowledged_episode_climbs_no_further_until_the_promise_runs_out() {
    let world = stalled();
    let keeper = world.start(WatchdogTimings::default());
    pass(400).await;
    let page = world.state().pages[0].1.id.clone();
    let acked = keeper
        .handle
        .acknowledge(nicolas(), EpisodeChoice::Page(page), seconds(3000), Some("looking".into()))
        .await
        .unwrap();
    assert_eq!(acked, [keeper.handle.status().episodes[0].id]);
    pass(2990).await;
    assert_eq!(world.first("watchdog.escalated"), None);
    pass(120).await;
    assert_eq!(world.all("watchdog.escalated").len(), 1);
    let missing = keeper
        .handle
        .acknowledge(nicolas(), EpisodeChoice::Agent(id("ada")), seconds(1), None)
        .await;
    assert_eq!(missing, Err(WatchdogError::NotFound));
    keeper.kill().await;
}

#[tokio::test(start_paused = true)]
async fn a_look_ends_what_has_ended_and_opens_nothing() {
    let world = stalled();
    let keeper = world.start(WatchdogTimings::default());
    pass(370).await;
    assert_eq!(keeper.handle.status().episodes.len(), 1);
    world.agent("felix", |agent| agent.work_since = None);
    world.add("ada");
    world.work("ada");
    pass(1).await;
    keeper.handle.look().await.unwrap();
    assert_eq!(keeper.handle.status().episodes, []);
    assert_eq!(world.all("watchdog.withdrawn").len(), 1);
    keeper.kill().await;
}

#[tokio::test(start_paused = true)]
async fn an_acknowledgement_says_who_has_it_in_hand() {
    let world = stalled();
    let keeper = world.start(WatchdogTimings::default());
    pass(700).await;
    let choice = EpisodeChoice::All;
    keeper.handle.acknowledge(nicolas(), choice, seconds(3600), None).await.unwrap();
    pass(5).await;
    keeper.kill().await;
    let state = world.state();
    let (_, told) = state.notices.last().unwrap();
    let title = told.title();
    assert!(title.starts_with("felix: acknowledged by nicolas until 0"), "{title}");
}

#[tokio::test(start_paused = true)]
async fn a_person_who_promised_to_look_is_reminded_once_when_nothing_came_of_it() {
    let world = stalled();
    let keeper = world.start(WatchdogTimings::default());
    pass(600).await;
    assert_eq!(world.all("watchdog.notified").len(), 1);
    keeper.handle.acknowledge(nicolas(), EpisodeChoice::All, seconds(1800), None).await.unwrap();
    pass(1790).await;
    assert_eq!(world.all("watchdog.notified").len(), 1);
    pass(3600).await;
    keeper.kill().await;
    assert_eq!(world.all("watchdog.notified").len(), 2);
    assert_eq!(world.all("watchdog.escalated").len(), 1, "it is still one escalation");
}

#[tokio::test(start_paused = true)]
async fn evidence_ends_an_episode_that_is_silenced_or_acknowledged() {
    let world = stalled();
    let keeper = world.start(WatchdogTimings::default());
    pass(400).await;
    keeper.handle.acknowledge(nicolas(), EpisodeChoice::All, seconds(9000), None).await.unwrap();
    keeper.handle.silence(nicolas(), None, seconds(9000), None).await.unwrap();
    world.evidence("felix");
    pass(60).await;
    keeper.kill().await;
    assert_eq!(world.story().last().map(String::as_str), Some("resolved"));
}

#[tokio::test(start_paused = true)]
async fn maintenance_disturbs_nobody_scans_on_and_ends_by_itself() {
    let world = stalled();
    let keeper = world.start(WatchdogTimings::default());
    pass(200).await;
    keeper
        .handle
        .pause(nicolas(), Some(seconds(3600)), Some("moving keeper".into()))
        .await
        .unwrap();
    let twice = keeper.handle.pause(nicolas(), None, None).await;
    assert!(matches!(twice, Err(WatchdogError::Conflict(_))));
    let scans = world.all("watchdog.scanned").len();
    pass(3590).await;
    assert_eq!(world.story(), ["paused"]);
    assert!(world.all("watchdog.scanned").len() > scans + 50);
    pass(70).await;
    assert_eq!(world.story(), ["paused", "resumed"], "maintenance is nobody's silence");
    pass(110).await;
    assert!(world.first("watchdog.stall_opened").is_some());
    let gone = keeper.handle.resume(nicolas()).await;
    assert!(matches!(gone, Err(WatchdogError::Conflict(_))));
    keeper.kill().await;
}

#[tokio::test(start_paused = true)]
async fn maintenance_outlives_a_restart_and_is_ended_by_a_person() {
    let world = stalled();
    let keeper = world.start(WatchdogTimings::default());
    pass(10).await;
    keeper.handle.pause(nicolas(), None, None).await.unwrap();
    keeper.kill().await;
    pass(60).await;
    let keeper = world.start(WatchdogTimings::default());
    pass(2000).await;
    assert_eq!(world.story(), ["paused"]);
    keeper.handle.resume(nicolas()).await.unwrap();
    pass(2000).await;
    assert!(world.first("watchdog.escalated").is_some());
    keeper.kill().await;
}

#[tokio::test(start_paused = true)]
async fn a_scan_can_be_asked_for_and_leaves_its_line() {
    let world = stalled();
    let keeper = world.start(WatchdogTimings::default());
    pass(301).await;
    let scanned = keeper.handle.scan(nicolas()).await.unwrap();
    assert_eq!((scanned.judged, scanned.stalled, scanned.asked), (1, vec![id("felix")], true));
    assert_eq!(world.first("watchdog.stall_opened"), Some(301), "it acts on what it sees");
    let verdict = keeper.handle.status().verdicts[0].verdict;
    assert!(matches!(verdict, AgentVerdict::Stalled { never_active: true, .. }));
    world.state().record = Mode::Fails;
    assert!(matches!(keeper.handle.scan(nicolas()).await, Err(WatchdogError::Record(_))));
    keeper.kill().await;
    assert_eq!(world.state().pages.len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_test_page_reaches_both_rungs_and_is_about_nobody() {
    let world = stalled();
    let keeper = world.start(WatchdogTimings::default());
    pass(5).await;
    let good = keeper.handle.test_page(nicolas()).await.unwrap();
    assert_eq!((good.page_failed, good.notify_failed), (None, None));
    world.state().pager = Mode::Fails;
    world.state().notifier = Mode::Hangs;
    let bad = keeper.handle.test_page(nicolas()).await.unwrap();
    assert_eq!(bad.page_failed.as_deref(), Some("refused"));
    assert_eq!(bad.notify_failed.as_deref(), Some("phone: timed out after 10 s"));
    keeper.kill().await;
    assert_eq!(world.story(), ["tested", "tested"]);
    let state = world.state();
    assert!(state.pages.iter().all(|(_, page)| page.lines.is_empty()));
    assert!(state.notices.iter().all(|(_, notice)| notice.kind == NoticeKind::Test));
}

#[tokio::test(start_paused = true)]
async fn orders_stand_in_the_name_of_who_gave_them_and_are_refused_by_a_watchdog_that_is_gone() {
    let world = stalled();
    let keeper = world.start(WatchdogTimings::default());
    pass(1).await;
    keeper
        .handle
        .silence(nicolas(), None, seconds(u64::from(u32::MAX)), Some("x".repeat(9999)))
        .await
        .unwrap();
    let handle = keeper.handle.clone();
    keeper.kill().await;
    {
        let state = world.state();
        let last = state.ledger.last().unwrap();
        assert_eq!(last.author.as_str(), "@nicolas");
        let abide_domain::event::Event::Watchdog(WatchdogEvent::Silenced(silenced)) = &last.event
        else {
            unreachable!("the last line is the silence");
        };
        assert_eq!(silenced.reason.as_ref().map(String::len), Some(500));
        assert_eq!(
            silenced.until.since(last.timestamp),
            seconds(30 * 86_400),
            "nothing is silenced for ever"
        );
    }
    assert_eq!(handle.scan(nicolas()).await, Err(WatchdogError::NotRunning));
}
