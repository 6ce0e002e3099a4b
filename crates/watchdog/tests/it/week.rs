//! A week with twenty agents and faults of every kind, beside a ground truth: nobody is paged who moves, and nobody who
//! hangs is missed.
//!
//! A healthy agent with work shows evidence at least every 140 s of its own time (a turn may think for 120). One that hangs
//! shows none until a page, a person, or nothing, frees it.

use std::collections::BTreeMap;

use abide_domain::{AgentId, event::watchdog::BlindCause};
use abide_watchdog::{AgentCondition, WatchdogTimings};

use crate::world::{Dice, Keeper, Mode, World, id, pass, rounds};

/// The step of the world, in seconds.
const STEP: u64 = 5;
const AGENTS: usize = 20;
/// Seconds after which a hang that could be noticed all the time must have been paged: the threshold; a scan until observation is
/// regained after a fault, and one until the stall is seen; the bell's window; a look that hung; and steps of this world.
const NOTICED_AFTER: u64 = 300 + 60 + 60 + 30 + 10 + 4 * STEP;

/// The truth about one agent.
#[derive(Default)]
struct Truth {
    /// Seconds of its own work until its next evidence.
    next: u64,
    /// Seconds of work left.
    left: u64,
    hangs: Option<Hang>,
}

#[derive(Clone, Copy)]
struct Hang {
    /// What frees it: a page, a person, or time alone.
    freed_by: Free,
    /// Seconds in which somebody could have noticed, without a break.
    noticeable: u64,
    pages_before: usize,
    is_paged: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Free {
    Page,
    Person,
    After(u64),
}

struct Week {
    world: World,
    dice: Dice,
    truths: BTreeMap<AgentId, Truth>,
    keeper: Option<Keeper>,
    down_for: u64,
    /// Seconds since the last start.
    up_for: u64,
    hangs: usize,
    paged: BTreeMap<AgentId, usize>,
    pages_seen: usize,
    false_pages: Vec<String>,
    missed: Vec<String>,
}

#[tokio::test(start_paused = true)]
async fn a_week_of_faults_has_no_false_page_and_no_missed_stall() {
    for seed in 0..u64::from(rounds(3)) {
        let days = u64::from(rounds(7));
        let mut week = Week::new(seed);
        for _ in 0..days * 86_400 / STEP {
            pass(STEP).await;
            week.step().await;
        }
        assert_eq!(week.false_pages, Vec::<String>::new(), "seed {seed}");
        assert_eq!(week.missed, Vec::<String>::new(), "seed {seed}");
        assert!(week.hangs as u64 > days * 20, "only {} hangs", week.hangs);
        let (pages, hangs) = (week.pages_seen, week.hangs);
        assert!(pages > hangs / 4, "{pages} pages for {hangs} hangs");
    }
}

impl Week {
    fn new(seed: u64) -> Self {
        let world = World::new(seed);
        let mut truths = BTreeMap::new();
        for name in (0..AGENTS).map(|n| format!("agent-{n:02}")) {
            world.add(&name);
            truths.insert(id(&name), Truth::default());
        }
        let keeper = Some(world.start(WatchdogTimings::default()));
        Self {
            world,
            dice: Dice(seed),
            truths,
            keeper,
            down_for: 0,
            up_for: 0,
            hangs: 0,
            paged: BTreeMap::new(),
            pages_seen: 0,
            false_pages: Vec::new(),
            missed: Vec::new(),
        }
    }

    async fn step(&mut self) {
        self.look_at_pages();
        self.faults().await;
        let is_up = self.keeper.is_some();
        self.up_for = if is_up { self.up_for + STEP } else { 0 };
        let is_fit = {
            let state = self.world.state();
            is_up && state.record == Mode::Works && state.outage.is_none()
        };
        let can_see = is_fit && self.world.state().observer == Mode::Works;
        let names: Vec<_> = self.truths.keys().cloned().collect();
        for name in names {
            if is_fit {
                self.live(&name, can_see);
            } else if let Some(hang) = self.truths.get_mut(&name).and_then(|t| t.hangs.as_mut()) {
                // What happens in the dark is nobody's silence.
                hang.noticeable = 0;
            }
        }
    }

    /// One agent's life, for a step.
    fn live(&mut self, agent: &AgentId, can_see: bool) {
        let name = agent.as_str();
        let truth = self.truths.get_mut(agent).unwrap();
        if let Some(hang) = &mut truth.hangs {
            hang.noticeable = if can_see { hang.noticeable + STEP } else { 0 };
            let is_told = self.world.state().notices.iter().rev().take(5).any(|(_, notice)| {
                notice.items.iter().any(|item| item.agent == *agent && item.cause.is_some())
            });
            let is_over = match &mut hang.freed_by {
                Free::Page => hang.is_paged,
                Free::Person => hang.is_paged && is_told,
                Free::After(left) => {
                    *left = left.saturating_sub(STEP);
                    *left == 0
                }
            };
            if hang.noticeable > NOTICED_AFTER && !hang.is_paged {
                self.missed.push(format!("{name} at {}", self.world.now()));
                hang.is_paged = true;
            }
            if is_over {
                truth.hangs = None;
                truth.next = self.dice.between(1, 60);
                self.world.evidence(name);
            }
            return;
        }
        if truth.left == 0 {
            let is_awake = self.world.state().agents[name].condition == AgentCondition::Awake;
            if is_awake && self.dice.one_in(200) {
                truth.left = self.dice.between(60, 3000);
                truth.next = self.dice.between(STEP, 140);
                self.world.work(name);
            }
            return;
        }
        if self.dice.one_in(4000) {
            let freed_by = match self.dice.below(4) {
                0 => Free::After(self.dice.between(50, 2000)),
                1 => Free::Person,
                _ => Free::Page,
            };
            let pages_before = self.paged.get(agent).copied().unwrap_or(0);
            truth.hangs = Some(Hang { freed_by, noticeable: 0, pages_before, is_paged: false });
            self.hangs += 1;
            return;
        }
        truth.left = truth.left.saturating_sub(STEP);
        truth.next = truth.next.saturating_sub(STEP);
        if truth.next == 0 || truth.left == 0 {
            self.world.evidence(name);
            truth.next = self.dice.between(STEP, 140);
        }
        if truth.left == 0 {
            self.world.agent(name, |agent| agent.work_since = None);
        }
    }

    /// Who was paged since the last step, and whether rightly.
    fn look_at_pages(&mut self) {
        let pages: Vec<_> = {
            let state = self.world.state();
            state.pages[self.pages_seen..].iter().map(|(_, page)| page.clone()).collect()
        };
        self.pages_seen += pages.len();
        for line in pages.into_iter().flat_map(|page| page.lines) {
            let count = self.paged.entry(line.agent.clone()).or_default();
            *count += 1;
            match self.truths.get_mut(&line.agent).and_then(|truth| truth.hangs.as_mut()) {
                Some(hang) if *count > hang.pages_before => hang.is_paged = true,
                _ => self.false_pages.push(format!("{} at {}", line.agent, self.world.now())),
            }
        }
    }

    async fn faults(&mut self) {
        self.keeper_faults().await;
        let mut state = self.world.state();
        let dice = &mut self.dice;
        let mends =
            |dice: &mut Dice, works: Mode| if dice.one_in(40) { Mode::Works } else { works };
        (state.bell, state.pager) = (mends(dice, state.bell), mends(dice, state.pager));
        (state.notifier, state.observer) =
            (mends(dice, state.notifier), mends(dice, state.observer));
        state.record = mends(dice, state.record);
        if dice.one_in(60) {
            state.outage = None;
        }
        match dice.below(20_000) {
            0..20 => state.bell = dice.pick(&[Mode::Fails, Mode::Hangs, Mode::Silent]),
            20..40 => state.pager = dice.pick(&[Mode::Fails, Mode::Hangs]),
            40..60 => state.notifier = dice.pick(&[Mode::Fails, Mode::Hangs]),
            60..70 => state.observer = dice.pick(&[Mode::Fails, Mode::Hangs]),
            70..80 => state.outage = Some(dice.pick(&[BlindCause::Network, BlindCause::Keeper])),
            80..85 => state.record = Mode::Fails,
            _ => {}
        }
    }

    /// The keeper dies and comes back; the machine sleeps; everything stands still; the clock is set back.
    async fn keeper_faults(&mut self) {
        if self.keeper.is_none() {
            self.down_for = self.down_for.saturating_sub(STEP);
            if self.down_for == 0 {
                self.begin_again();
            }
            return;
        }
        match self.dice.below(20_000) {
            0..12 if self.up_for > 900 => {
                if let Some(keeper) = self.keeper.take() {
                    keeper.kill().await;
                }
                self.down_for = self.dice.between(STEP, 3000);
            }
            12..16 => self.world.state().shift += self.stretch(7200),
            16..18 => self.world.state().shift -= self.stretch(3000),
            18..22 => {
                // Everything stands still, agents too.
                tokio::time::advance(std::time::Duration::from_secs(self.dice.between(10, 600)))
                    .await;
            }
            22..40 => {
                let name = self.dice.pick(&[3_usize, 7, 11]);
                let condition = self.dice.pick(&[AgentCondition::Awake, AgentCondition::Parked]);
                let agent = self.truths.keys().nth(name).unwrap().clone();
                if self.truths[&agent].left == 0 {
                    self.world.agent(agent.as_str(), |agent| agent.condition = condition);
                }
            }
            _ => {}
        }
    }

    /// Work that was cut is asked for again, from its beginning; one that hung hangs on.
    fn begin_again(&mut self) {
        self.keeper = Some(self.world.start(WatchdogTimings::default()));
        for truth in self.truths.values_mut() {
            truth.next = if truth.left > 0 { self.dice.between(STEP, 140) } else { 0 };
            truth.hangs = truth.hangs.map(|hang| Hang { noticeable: 0, ..hang });
        }
    }

    fn stretch(&mut self, seconds_max: u64) -> i64 {
        i64::try_from(self.dice.between(10, seconds_max) * 1_000_000).unwrap()
    }
}
