//! Ten thousand lives of a house, with restarts, deaths between a line and what it announces, and roles that fail: the laws
//! of the ladder hold in all of them.

use std::collections::{BTreeMap, BTreeSet};

use abide_domain::{
    AgentId, EpisodeId, NoticeId, Timestamp,
    event::{
        Event,
        watchdog::{BlindCause, WatchdogEvent},
    },
};
use abide_ledger::Entry;
use abide_watchdog::{Condition, Settings, Watch};

use crate::world::{Dice, Mode, World, id, pass, rounds, seconds};

const NAMES: [&str; 4] = ["ada", "felix", "iris", "luca"];
const SETTINGS: Settings = Settings {
    interval: seconds_of(60),
    threshold: seconds_of(300),
    bell_window: seconds_of(30),
    channel_window: seconds_of(120),
    cooldown: seconds_of(180),
    grace: seconds_of(60),
};

const fn seconds_of(n: u64) -> std::time::Duration {
    std::time::Duration::from_secs(n)
}

#[test]
fn the_laws_of_the_ladder_hold_in_ten_thousand_histories_with_restarts() {
    let mut paged = 0;
    let mut escalated = 0;
    let mut lives = 0;
    for seed in 0..u64::from(rounds(10_000)) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let (world, born) = runtime.block_on(history(seed));
        let laws = Laws::of(&world.state().ledger);
        assert_eq!(laws.broken, Vec::<String>::new(), "seed {seed}");
        let sent: BTreeSet<_> = world
            .state()
            .pages
            .iter()
            .flat_map(|(_, page)| page.lines.iter().map(|line| line.episode))
            .collect();
        let lines = world.state().pages.iter().map(|(_, page)| page.lines.len()).sum::<usize>();
        assert_eq!(lines, sent.len(), "seed {seed}: an episode's page went out twice");
        assert!(
            sent.is_subset(&laws.paged),
            "seed {seed}: a page went out that is not written down"
        );
        let told: BTreeSet<_> = world.state().notices.iter().map(|(_, notice)| notice.id).collect();
        assert!(laws.told.is_subset(&told), "seed {seed}");
        paged += laws.paged.len();
        escalated += laws.escalated.len();
        lives += born;
    }
    assert!(paged > 0 && escalated > 0 && lives > 0, "the histories are no idle ones");
}

/// A life of a few hours.
async fn history(seed: u64) -> (World, u64) {
    let world = World::new(seed);
    let mut dice = Dice(seed);
    for name in NAMES {
        world.add(name);
    }
    let mut house = world.start(SETTINGS);
    let mut lives = 1;
    for _ in 0..dice.between(40, 160) {
        disturb(&world, &mut dice);
        let wait = dice.between(1, 90);
        let died = tokio::time::timeout(seconds(wait), world.died()).await.is_ok();
        let before = house.handle.status().episodes;
        if !died && !dice.one_in(25) {
            continue;
        }
        house.kill().await;
        world.state().dies_behind_append = false;
        let mut watch = Watch::default();
        world.state().ledger.iter().for_each(|entry| watch.apply_entry(entry));
        if !died {
            let after: Vec<_> = watch.episodes().cloned().collect();
            assert_eq!(before, after, "seed {seed}: episodes differ after a restart");
        }
        if dice.one_in(2) {
            pass(dice.between(0, 2000)).await;
        }
        house = world.start(SETTINGS);
        lives += 1;
        // A house that has just started writes before anything else.
        pass(0).await;
        tokio::task::yield_now().await;
    }
    house.kill().await;
    (world, lives)
}

/// Something changes in the world.
fn disturb(world: &World, dice: &mut Dice) {
    let name = dice.pick(&NAMES);
    let is_there = world.state().agents.contains_key(name);
    match dice.below(24) {
        0..=6 if is_there => world.evidence(name),
        7..=11 if is_there => world.work(name),
        12 if is_there => world.agent(name, |agent| agent.work_since = None),
        13 if is_there => {
            let condition = dice.pick(&[
                Condition::Awake,
                Condition::Awake,
                Condition::WaitingApproval,
                Condition::Parked,
                Condition::Asleep,
            ]);
            world.agent(name, |agent| agent.condition = condition);
        }
        14 if is_there => world.agent(name, |agent| agent.condition = Condition::Awake),
        15 if dice.one_in(3) => drop(world.state().agents.remove(name)),
        15 | 16 if !is_there => world.add_registered(name, world.now()),
        17 => {
            world.state().bell = dice.pick(&[Mode::Works, Mode::Fails, Mode::Hangs, Mode::Silent]);
        }
        18 => {
            world.state().pager = dice.pick(&[Mode::Works, Mode::Works, Mode::Fails, Mode::Hangs]);
        }
        19 => world.state().notifier = dice.pick(&[Mode::Works, Mode::Fails, Mode::Hangs]),
        20 if dice.one_in(3) => world.state().eyes = dice.pick(&[Mode::Fails, Mode::Hangs]),
        21 => world.state().eyes = Mode::Works,
        22 if dice.one_in(4) => {
            world.state().outage = dice.pick(&[None, Some(BlindCause::Network)]);
        }
        22 => world.state().outage = None,
        23 => world.state().dies_behind_append = dice.one_in(2),
        _ => {}
    }
}

/// What the ledger shows of the laws.
#[derive(Default)]
struct Laws {
    broken: Vec<String>,
    stalled_in_scan: BTreeSet<AgentId>,
    opened: BTreeMap<EpisodeId, AgentId>,
    ended: BTreeSet<EpisodeId>,
    paged: BTreeSet<EpisodeId>,
    paged_at: BTreeMap<AgentId, Timestamp>,
    escalated: BTreeSet<EpisodeId>,
    notices: BTreeSet<NoticeId>,
    told: BTreeSet<NoticeId>,
    seen_by_scan: BTreeSet<AgentId>,
}

impl Laws {
    fn of(ledger: &[Entry]) -> Self {
        let mut laws = Self::default();
        for entry in ledger {
            let Event::Watchdog(event) = &entry.event else { continue };
            let agent: Option<AgentId> = entry.entity.bare().parse().ok();
            laws.line(entry.timestamp, agent, event);
        }
        laws
    }

    fn hold(&mut self, holds: bool, law: &str) {
        if !holds {
            self.broken.push(law.to_owned());
        }
    }

    fn line(&mut self, at: Timestamp, agent: Option<AgentId>, event: &WatchdogEvent) {
        match event {
            WatchdogEvent::Scanned(scan) => {
                self.stalled_in_scan = scan.stalled.iter().cloned().collect();
                self.seen_by_scan.extend(scan.stalled.iter().cloned());
            }
            WatchdogEvent::StallOpened(opened) => {
                let agent = agent.unwrap();
                let is_seen = self.stalled_in_scan.contains(&agent);
                self.hold(is_seen, "no stall without a scan that saw it");
                let is_open = self
                    .opened
                    .iter()
                    .any(|(id, other)| *other == agent && !self.ended.contains(id));
                self.hold(!is_open, "one episode an agent at a time");
                self.opened.insert(opened.episode, agent);
            }
            WatchdogEvent::Paged(page) => {
                let agent = agent.unwrap();
                self.hold(self.opened.contains_key(&page.episode), "no page without a stall");
                self.hold(self.seen_by_scan.contains(&agent), "no page without a scan");
                self.hold(!self.ended.contains(&page.episode), "no page after the end");
                let is_new = self.paged.insert(page.episode);
                self.hold(is_new, "one page an episode");
                let last = self.paged_at.insert(agent, at);
                let is_cool = last.is_none_or(|last| at.since(last) >= SETTINGS.cooldown);
                self.hold(is_cool, "one page an agent and cooldown");
            }
            WatchdogEvent::Escalated(escalated) => {
                let is_paged = self.paged.contains(&escalated.episode);
                self.hold(is_paged, "no escalation without a page");
                let is_new = self.escalated.insert(escalated.episode);
                self.hold(is_new, "one escalation an episode");
                self.notices.insert(escalated.notice);
            }
            WatchdogEvent::Alarmed(alarmed) => drop(self.notices.insert(alarmed.notice)),
            WatchdogEvent::Notified(told) => {
                self.hold(self.notices.contains(&told.notice), "nobody is told of nothing");
                let is_new = self.told.insert(told.notice);
                self.hold(is_new, "told once");
            }
            WatchdogEvent::Resolved(end) => {
                let is_new = self.ended.insert(end.episode);
                self.hold(is_new, "one end an episode");
            }
            WatchdogEvent::Withdrawn(end) => {
                let is_new = self.ended.insert(end.episode);
                self.hold(is_new, "one end an episode");
            }
            _ => {}
        }
    }
}

#[tokio::test(start_paused = true)]
async fn one_that_is_not_registered_is_never_paged() {
    let world = World::new(1);
    world.add("felix");
    world.work("felix");
    let house = world.start(SETTINGS);
    pass(365).await;
    assert!(world.first("watchdog.bell_rung").is_some());
    world.state().agents.remove(&id("felix"));
    pass(1000).await;
    house.kill().await;
    assert_eq!(world.story(), ["stall_opened", "bell_rung", "bell_answered", "withdrawn"]);
    assert!(world.state().pages.is_empty());
}
