//! "What happened while I slept".

use abide_domain::{
    AgentId, EntityName, Timestamp,
    envelope::Channel,
    event::{ChannelAsked, ChannelSaid, Event, SpokenForm, StimulusAccepted, watchdog::Rung},
};
use abide_ledger::Entry;
use abide_watchdog::{EpisodeEnd, ServiceReport, WatchdogTimings};

use crate::world::{START, World, id, pass, seconds};

/// Puts a line on the record that the watchdog did not write.
fn write(world: &World, entity: EntityName, author: EntityName, event: Event) {
    let timestamp = world.now();
    let mut state = world.state();
    let seq = state.ledger.last().map_or(1, |entry| entry.seq + 1);
    state.ledger.push(Entry { seq, tick: seq, timestamp, entity, author, epoch: None, event });
}

fn stimulus(world: &World, sender: &str, channel: Channel) {
    let now = world.now();
    let event: Event = StimulusAccepted {
        content: "hello".into(),
        sender: sender.into(),
        channel,
        sent_at: now,
        sender_zone: None,
        session_id: "s".into(),
        interactive: false,
        administrator: false,
        idempotency: None,
        claimed_output: None,
        cause: None,
    }
    .into();
    write(world, id("felix").entity(), EntityName::sender(sender).unwrap(), event);
}

#[tokio::test(start_paused = true)]
async fn a_night_is_told_in_the_morning() {
    let world = World::new(1);
    world.add("felix");
    world.add("ada");
    let keeper = world.start(WatchdogTimings::default());
    pass(10).await;
    stimulus(&world, "nicolas", Channel::Direct);
    let asleep_since = world.now();
    pass(3600).await;
    // Programs, timers and other agents are no people.
    for (sender, channel) in
        [("cron", Channel::System), ("script", Channel::Api), ("ada", Channel::Irc)]
    {
        world.evidence("ada");
        stimulus(&world, sender, channel);
    }
    world.work("felix");
    pass(600).await;
    world.evidence("felix");
    world.agent("felix", |agent| agent.work_since = None);
    pass(600).await;
    keeper.kill().await;
    pass(1800).await;
    let keeper = world.start(WatchdogTimings::default());
    world.work("ada");
    pass(3600).await;
    let report = keeper.handle.report(asleep_since).await.unwrap();
    keeper.kill().await;
    assert_eq!((report.stalls, report.pages, report.escalations, report.notices), (2, 2, 2, 2));
    assert_eq!(report.resolved.get(&Rung::Human), Some(&1));
    let phone = ServiceReport { taken: 3, failed: 0 };
    assert_eq!(report.services.get("phone"), Some(&phone), "two stalls and the end of one");
    assert_eq!(report.down.as_secs() / 60, 30);
    assert_eq!((report.scans_missed, report.scans_blind), (0, 0));
    assert_eq!(report.human_acts, 1, "the message that came before sleep");
    let ran = report.alone_now.as_secs();
    assert!((8340..=8400).contains(&ran), "ran alone for {ran} s, down time left out");
    let endings: Vec<_> =
        report.episodes.iter().map(|row| (row.agent.as_str(), &row.ending)).collect();
    assert_eq!(
        endings,
        [("felix", &EpisodeEnd::Resolved(Rung::Human)), ("ada", &EpisodeEnd::Open)]
    );
    assert!(
        report.episodes.iter().all(|row| row.page.is_some() && row.is_alive && row.is_escalated)
    );
    let text = report.text();
    for words in [
        "Ran without a person for up to 2 h 19 min",
        "2 stalls; 2 pages (0 not delivered)",
        "felix: moved again after 10 min",
        "ada: still open",
        "phone: 3 delivered, 0 failed",
    ] {
        assert!(text.contains(words), "{words:?} is missing in\n{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_quiet_night_says_so_and_lists_stay_bounded() {
    let world = World::new(1);
    world.add("felix");
    let keeper = world.start(WatchdogTimings::default());
    pass(600).await;
    let start = Timestamp::from_micros(START);
    let quiet = keeper.handle.report(start).await.unwrap();
    assert!(quiet.text().contains("No agent stalled"));
    for n in 0..250 {
        let name = format!("agent-{n}");
        world.add(&name);
        world.work(&name);
    }
    pass(400).await;
    let full = keeper.handle.report(start).await.unwrap();
    keeper.kill().await;
    assert_eq!((full.stalls, full.episodes.len(), full.episodes_left_out), (250, 200, 50));
    assert_eq!(full.alone_longest, seconds(1000));
}

#[tokio::test(start_paused = true)]
async fn who_speaks_under_their_own_name_is_still_a_person_and_no_agent() {
    let world = World::new(1);
    world.add("felix");
    let keeper = world.start(WatchdogTimings::default());
    pass(600).await;
    let ann = EntityName::sender("ann").unwrap();
    for entity in [ann.clone(), id("tickle-1").entity()] {
        let said = ChannelSaid {
            channel: Channel::Irc,
            network: None,
            room: Some("#abide".into()),
            with: None,
            agent: None,
            account: Some("ann".into()),
            nick: "ann".into(),
            form: SpokenForm::Speech,
            text: "felix: hello".into(),
            msgid: "m".into(),
            at: world.now(),
            relay: None,
        };
        write(&world, entity.clone(), entity, said.into());
    }
    stimulus(&world, "ann", Channel::Irc);
    let asked = ChannelAsked {
        channel: Channel::Irc,
        network: None,
        room: Some("#abide".into()),
        account: "ann".into(),
        nick: "ann".into(),
        msgid: "m".into(),
        refused_lines: None,
    };
    write(&world, id("felix").entity(), ann, asked.into());
    pass(60).await;
    let report = keeper.handle.report(Timestamp::from_micros(START)).await.unwrap();
    keeper.kill().await;
    assert_eq!(report.human_acts, 1, "what she asked");
    let agents: Vec<_> = report.agents.keys().map(AgentId::as_str).collect();
    assert_eq!(agents, ["felix"]);
}

#[tokio::test(start_paused = true)]
async fn nothing_was_missed_before_there_was_a_keeper() {
    let world = World::new(1);
    world.add("felix");
    let keeper = world.start(WatchdogTimings::default());
    pass(600).await;
    let long_before = Timestamp::from_micros(START - 3_600_000_000);
    let report = keeper.handle.report(long_before).await.unwrap();
    keeper.kill().await;
    assert_eq!(report.scans_missed, 0, "{}", report.text());
    assert_eq!(report.alone_longest, seconds(600));
}
