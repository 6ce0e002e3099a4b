//! Ten thousand lives of a keeper, with restarts, deaths between a line and what it announces, and roles that fail: the laws
//! of the ladder hold in all of them.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use abide_domain::{
    AgentId, EntityName, EpisodeId, NoticeId, Timestamp,
    event::{
        Event,
        watchdog::{AttemptOutcome, BlindCause, Notified, WatchdogEvent},
    },
};
use abide_ledger::Entry;
use abide_watchdog::{
    AgentCondition, EpisodeChoice, EscalationPolicies, EscalationPolicy, EscalationStep,
    NoticeKind, WatchdogState, WatchdogTimings,
};

use crate::world::{Dice, Keeper, Mode, World, id, pass, rounds, seconds};

const NAMES: [&str; 4] = ["ada", "felix", "iris", "luca"];
const SERVICES: [&str; 3] = ["phone", "pager", "mail"];
const SETTINGS: WatchdogTimings = WatchdogTimings {
    interval: seconds_of(60),
    threshold: seconds_of(300),
    bell_window: seconds_of(30),
    channel_window: seconds_of(120),
    cooldown: seconds_of(180),
    grace: seconds_of(60),
};

const fn seconds_of(n: u64) -> Duration {
    Duration::from_secs(n)
}

#[test]
fn the_laws_of_the_ladder_hold_in_ten_thousand_histories_with_restarts() {
    let mut paged = 0;
    let mut escalated = 0;
    let mut stepped = 0;
    let mut acknowledged = 0;
    let mut lives = 0;
    for seed in 0..u64::from(rounds(10_000)) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let policies = policies(&mut Dice(!seed));
        let (world, born) = runtime.block_on(history(seed, &policies));
        let mut laws = Laws { policies, ..Laws::default() };
        laws.read(&world.state().ledger);
        laws.deliveries(&world);
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
        assert!(laws.told.keys().all(|notice| told.contains(notice)), "seed {seed}");
        paged += laws.paged.len();
        escalated += laws.escalated.len();
        stepped += laws.steps.values().filter(|steps| steps.len() > 1).count();
        acknowledged += laws.acks.len();
        lives += born;
    }
    assert!(paged > 0 && escalated > 0 && lives > 0, "the histories are no idle ones");
    assert!(stepped > 0 && acknowledged > 0, "and people have a part in them");
}

/// None, one for all, or one for some and one for the rest.
fn policies(dice: &mut Dice) -> EscalationPolicies {
    let some = NAMES.iter().filter(|_| dice.one_in(2)).map(|name| id(name)).collect();
    let scopes = match dice.below(4) {
        0 => vec![],
        1 => vec![None],
        2 => vec![Some(some)],
        _ => vec![Some(some), None],
    };
    let policy = |agents| {
        let mut after = 0;
        let steps = (0..dice.between(1, 4)).map(|_| {
            let step = EscalationStep { after: seconds(after), to: tellers(dice) };
            after += dice.between(1, 900);
            step
        });
        EscalationPolicy { agents, steps: steps.collect() }
    };
    EscalationPolicies::new(scopes.into_iter().map(policy).collect()).unwrap()
}

fn tellers(dice: &mut Dice) -> Vec<String> {
    let first = dice.pick(&SERVICES);
    let to = SERVICES.iter().filter(|name| **name == first || dice.one_in(3));
    to.map(|name| (*name).to_owned()).collect()
}

/// A life of a few hours.
async fn history(seed: u64, policies: &EscalationPolicies) -> (World, u64) {
    let world = World::new(seed);
    let mut dice = Dice(seed);
    for name in NAMES {
        world.add(name);
    }
    let start = || world.start_with(SETTINGS, policies.clone(), &SERVICES);
    let mut keeper = start();
    let mut lives = 1;
    for _ in 0..dice.between(40, 160) {
        disturb(&world, &mut dice);
        if dice.one_in(12) {
            promise(&keeper, &mut dice).await;
        }
        let wait = dice.between(1, 90);
        let died = tokio::time::timeout(seconds(wait), world.died()).await.is_ok();
        let before = keeper.handle.status().episodes;
        if !died && !dice.one_in(25) {
            continue;
        }
        keeper.kill().await;
        world.state().dies_behind_append = false;
        let mut watch = WatchdogState::default();
        world.state().ledger.iter().for_each(|entry| watch.apply_entry(entry));
        if !died {
            let after: Vec<_> = watch.episodes().cloned().collect();
            assert_eq!(before, after, "seed {seed}: episodes differ after a restart");
        }
        if dice.one_in(2) {
            pass(dice.between(0, 2000)).await;
        }
        keeper = start();
        lives += 1;
        // A keeper that has just started writes before anything else.
        pass(0).await;
        tokio::task::yield_now().await;
    }
    keeper.kill().await;
    (world, lives)
}

/// A person takes stalls in hand. A keeper that dies meanwhile does not answer.
async fn promise(keeper: &Keeper, dice: &mut Dice) {
    let by: EntityName = "@nicolas".parse().unwrap();
    let which = if dice.one_in(3) {
        EpisodeChoice::All
    } else {
        EpisodeChoice::Agent(id(dice.pick(&NAMES)))
    };
    let duration = seconds(dice.between(1, 1800));
    let answer = keeper.handle.acknowledge(by, which, duration, None);
    let _silent = tokio::time::timeout(Duration::from_millis(1), answer).await;
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
                AgentCondition::Awake,
                AgentCondition::Awake,
                AgentCondition::WaitingApproval,
                AgentCondition::Parked,
                AgentCondition::Asleep,
            ]);
            world.agent(name, |agent| agent.condition = condition);
        }
        14 if is_there => world.agent(name, |agent| agent.condition = AgentCondition::Awake),
        15 if dice.one_in(3) => drop(world.state().agents.remove(name)),
        15 | 16 if !is_there => world.add_registered(name, world.now()),
        17 => {
            world.state().bell = dice.pick(&[Mode::Works, Mode::Fails, Mode::Hangs, Mode::Silent]);
        }
        18 => {
            world.state().pager = dice.pick(&[Mode::Works, Mode::Works, Mode::Fails, Mode::Hangs]);
        }
        19 if dice.one_in(2) => {
            world.state().notifier = dice.pick(&[Mode::Works, Mode::Fails, Mode::Hangs]);
        }
        19 => {
            let mode = dice.pick(&[Mode::Works, Mode::Works, Mode::Slow, Mode::Fails, Mode::Hangs]);
            let name = dice.pick(&SERVICES).to_owned();
            world.state().services.insert(name, mode);
        }
        20 if dice.one_in(3) => world.state().observer = dice.pick(&[Mode::Fails, Mode::Hangs]),
        21 => world.state().observer = Mode::Works,
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
    policies: EscalationPolicies,
    broken: Vec<String>,
    stalled_in_scan: BTreeSet<AgentId>,
    opened: BTreeMap<EpisodeId, AgentId>,
    ended: BTreeMap<EpisodeId, Timestamp>,
    paged: BTreeSet<EpisodeId>,
    paged_at: BTreeMap<AgentId, Timestamp>,
    escalated: BTreeSet<EpisodeId>,
    /// Who is to be told by a notice; nobody by name: all.
    notices: BTreeMap<NoticeId, Vec<String>>,
    /// How often a service took a notice.
    told: BTreeMap<NoticeId, BTreeMap<String, usize>>,
    /// When each step of an episode's escalation was decided, and by which notice.
    steps: BTreeMap<EpisodeId, Vec<(Timestamp, NoticeId)>>,
    /// From when until when somebody had an episode in hand; a later word counts in place of an earlier one.
    acks: BTreeMap<EpisodeId, Vec<(Timestamp, Timestamp)>>,
    seen_by_scan: BTreeSet<AgentId>,
}

impl Laws {
    fn read(&mut self, ledger: &[Entry]) {
        for entry in ledger {
            let Event::Watchdog(event) = &entry.event else { continue };
            let agent: Option<AgentId> = entry.entity.bare().parse().ok();
            self.line(entry.timestamp, agent, event);
        }
    }

    /// What services were asked to tell, beside what is written down.
    fn deliveries(&mut self, world: &World) {
        let told = world.state().told.clone();
        for (at, service, notice) in told {
            let is_named = notice.to.is_empty() || notice.to.contains(&service);
            self.hold(is_named, "nobody tells what another is to tell");
            if notice.kind != NoticeKind::Stalled {
                continue;
            }
            let is_written = self.notices.get(&notice.id).is_some_and(|to| {
                // What others took is tried again for each of those who did not, and no others.
                let is_meant = to.is_empty() || notice.to.iter().all(|name| to.contains(name));
                if notice.is_rest { is_meant } else { *to == notice.to }
            });
            self.hold(is_written, "nobody is told before it is written down");
            for item in &notice.items {
                let ended = self.ended.get(&item.episode);
                self.hold(ended.is_none_or(|ended| *ended >= at), "nobody is told after the end");
                let is_acked = self.is_acked(item.episode, at);
                self.hold(!is_acked, "nobody is told of what a person has in hand");
            }
        }
    }

    /// Whether somebody had it in hand, for longer than at that very moment.
    fn is_acked(&self, episode: EpisodeId, at: Timestamp) -> bool {
        let said = self
            .acks
            .get(&episode)
            .and_then(|acks| acks.iter().rev().find(|(since, _)| *since < at));
        said.is_some_and(|(_, until)| *until > at)
    }

    /// Promises that had run out by then.
    fn promises_over(&self, episode: EpisodeId, at: Timestamp) -> usize {
        let acks = self.acks.get(&episode).map_or(&[][..], Vec::as_slice);
        acks.iter().filter(|(_, until)| *until <= at).count()
    }

    fn step(&mut self, at: Timestamp, agent: &AgentId, asked: (EpisodeId, NoticeId, &[String])) {
        let (episode, notice, to) = asked;
        let policy = self.policies.of(agent).cloned();
        let done = self.steps.get(&episode).cloned().unwrap_or_default();
        let steps = policy.map(|policy| policy.steps).unwrap_or_default();
        let meant = steps.get(done.len()).map(|step| step.to.clone());
        let is_meant = meant.clone().unwrap_or_default() == to;
        self.hold(is_meant && (meant.is_some() || done.is_empty()), "only a step of the policy");
        if let Some((before, _)) = done.last() {
            let gap = steps[done.len()].after.saturating_sub(steps[done.len() - 1].after);
            self.hold(at.since(*before) >= gap, "no step before its time");
        }
        let is_over = self.ended.contains_key(&episode);
        self.hold(!is_over, "no step after the end");
        let is_acked = self.is_acked(episode, at);
        self.hold(!is_acked, "no step while a person has it in hand");
        self.steps.entry(episode).or_default().push((at, notice));
        self.notices.insert(notice, to.to_vec());
    }

    fn hold(&mut self, holds: bool, law: &str) {
        if !holds {
            self.broken.push(law.to_owned());
        }
    }

    fn notified(&mut self, at: Timestamp, told: &Notified) {
        let notice = told.notice;
        self.hold(self.notices.contains_key(&notice), "nobody is told of nothing");
        let of = self.steps.iter().filter(|(_, steps)| steps.iter().any(|(_, id)| *id == notice));
        let promises: usize = of.map(|(episode, _)| self.promises_over(*episode, at)).sum();
        let took = told.attempts.iter().filter(|one| one.outcome != AttemptOutcome::Failed);
        let mut most = 0;
        for attempt in took {
            let by_service = self.told.entry(notice).or_default();
            let times = by_service.entry(attempt.service.clone()).or_default();
            *times += 1;
            most = most.max(*times);
        }
        self.hold(most <= 1 + promises, "told once, and once after each promise that ran out");
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
                    .any(|(id, other)| *other == agent && !self.ended.contains_key(id));
                self.hold(!is_open, "one episode an agent at a time");
                self.opened.insert(opened.episode, agent);
            }
            WatchdogEvent::Paged(page) => {
                let agent = agent.unwrap();
                self.hold(self.opened.contains_key(&page.episode), "no page without a stall");
                self.hold(self.seen_by_scan.contains(&agent), "no page without a scan");
                self.hold(!self.ended.contains_key(&page.episode), "no page after the end");
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
                let asked = (escalated.episode, escalated.notice, &escalated.to[..]);
                self.step(at, &agent.unwrap(), asked);
            }
            WatchdogEvent::Stepped(step) => {
                let is_escalated = self.escalated.contains(&step.episode);
                self.hold(is_escalated, "no step without an escalation");
                let done = self.steps.get(&step.episode).map_or(0, Vec::len);
                self.hold(step.step as usize == done + 1, "each step once, and in order");
                self.step(at, &agent.unwrap(), (step.episode, step.notice, &step.to));
            }
            WatchdogEvent::Acknowledged(ack) => {
                self.acks.entry(ack.episode).or_default().push((at, ack.until));
            }
            WatchdogEvent::Alarmed(alarmed) => {
                self.notices.insert(alarmed.notice, Vec::new());
            }
            WatchdogEvent::Notified(told) => self.notified(at, told),
            WatchdogEvent::Resolved(end) => {
                let is_new = self.ended.insert(end.episode, at).is_none();
                self.hold(is_new, "one end an episode");
            }
            WatchdogEvent::Withdrawn(end) => {
                let is_new = self.ended.insert(end.episode, at).is_none();
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
    let keeper = world.start(SETTINGS);
    pass(365).await;
    assert!(world.first("watchdog.bell_rung").is_some());
    world.state().agents.remove(&id("felix"));
    pass(1000).await;
    keeper.kill().await;
    assert_eq!(world.story(), ["stall_opened", "bell_rung", "bell_answered", "withdrawn"]);
    assert!(world.state().pages.is_empty());
}
