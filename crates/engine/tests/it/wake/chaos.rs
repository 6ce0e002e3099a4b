//! A thousand wakes of three agents, with keepers that die at random: none lost, none twice, none too early, by the
//! ledger alone.
//!
//! What a wake waits for follows from its number, which stands in its prompt, so that the check knows it without the
//! keeper. `make soak` sets a thousand; a test run fewer.

use std::collections::{BTreeMap, BTreeSet};

use abide_domain::{
    EntityName, EpochId, Timestamp, WakeId,
    event::{EpochEvent, Event, SpaceEvent, StdoutEvent, StimulusCause, StimulusEvent, WakeEvent},
};
use abide_engine::{keeper::AcceptOptions, state::State};
use abide_ledger::Entry;
use abide_testkit::{
    SplitMix64,
    rig::{Rig, Setup, obey},
    rounds,
};

use super::{fired, secs};

const AGENTS: [&str; 3] = ["felix", "ada", "bob"];

/// What a wake waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waits {
    Ticks(u64),
    Seconds(u64),
    Person,
    Space,
    Response,
    /// No response for so many seconds.
    Silence(u64),
    Word,
    Question,
    Tick(u64),
}

fn waits(number: u64) -> Waits {
    let mut rng = SplitMix64::new(number);
    match rng.below(9) {
        0 => Waits::Ticks(1 + rng.below(60)),
        1 => Waits::Seconds(1 + rng.below(60)),
        2 => Waits::Person,
        3 => Waits::Space,
        4 => Waits::Response,
        5 => Waits::Silence(1 + rng.below(60)),
        6 => Waits::Word,
        7 => Waits::Question,
        _ => Waits::Tick(number * 4),
    }
}

fn owner(number: u64) -> &'static str {
    AGENTS[(number % 3) as usize]
}

/// Of whom a wake waits for a response.
fn other(number: u64) -> &'static str {
    AGENTS[((number + 1) % 3) as usize]
}

fn word(number: u64) -> String {
    format!("word{number}word")
}

fn condition(number: u64) -> String {
    let (other, word) = (other(number), word(number));
    match waits(number) {
        Waits::Ticks(ticks) => format!("sleep({ticks} ticks)"),
        Waits::Seconds(seconds) => format!("sleep({seconds}s)"),
        Waits::Person => "from(@nicolas)".into(),
        Waits::Space => "from(#lab)".into(),
        Waits::Response => format!("response(@{other})"),
        Waits::Silence(seconds) => format!("not response(@{other}) and sleep({seconds}s)"),
        Waits::Word => format!("content contains '{word}'"),
        Waits::Question => format!(r"$(\stdout read: last 1 ---) contains '{word}'"),
        Waits::Tick(tick) => format!("tick > {tick} or from(@nobody)"),
    }
}

/// Something that a wake of this number hears, if it waits for anything but the time.
async fn make_heard(rig: &Rig, number: u64, salt: u64) {
    let (me, other, word) = (owner(number), other(number), word(number));
    // A disk that is off is one of the things that happen.
    match waits(number) {
        Waits::Person => {
            let stimulus = rig.stimulus_for(me, &format!("hello {salt}"));
            drop(rig.accept(stimulus, AcceptOptions::default()).await);
        }
        Waits::Space => drop(rig.tell(other, &format!(r"\say #lab news {salt} ---")).await),
        Waits::Response | Waits::Silence(_) => {
            drop(rig.tell(other, &format!(r"\say @{me} answer {salt} ---")).await);
        }
        Waits::Word | Waits::Question => {
            drop(rig.tell(me, &format!(r"\stdout {word} ---")).await);
        }
        Waits::Ticks(_) | Waits::Seconds(_) | Waits::Tick(_) => {}
    }
}

/// The numbers of the wakes that wait, as a state has them.
fn waiting(state: &State) -> Vec<u64> {
    let wakes = AGENTS.iter().flat_map(|agent| {
        let owner = format!("@{agent}").parse().unwrap();
        state.entities.wakes.of(&owner).iter().map(|wake| number(&wake.prompt)).collect::<Vec<_>>()
    });
    wakes.collect()
}

fn number(prompt: &str) -> u64 {
    prompt.strip_prefix("wake ").unwrap().parse().unwrap()
}

struct Chaos {
    rig: Rig,
    rng: SplitMix64,
    next: u64,
    salt: u64,
}

impl Chaos {
    /// One thing that happens.
    async fn happen(&mut self) {
        self.salt += 1;
        if self.rng.per_mille(500) {
            let number = self.next;
            self.next += 1;
            let input = format!(r"\wake ?({}) wake {number} ---", condition(number));
            if self.rng.per_mille(300) {
                // Its owner sets it by itself: it counts with the epoch.
                let stimulus = self.rig.stimulus_for(owner(number), &input);
                drop(self.rig.accept(stimulus, AcceptOptions::default()).await);
            } else {
                drop(self.rig.tell(owner(number), &input).await);
            }
            return;
        }
        let waiting = waiting(&self.rig.keeper().state());
        if let Some(number) = self.rng.pick(&waiting) {
            make_heard(&self.rig, *number, self.salt).await;
        }
    }

    /// A death: of the process or of the machine, in the middle of what happens or after it.
    async fn die(&mut self) {
        if self.rng.per_mille(600) {
            self.rig.storage.fail_power_at(1 + self.rng.below(12));
        }
        for _ in 0..self.rng.below(4) {
            let patience = secs(1);
            _ = tokio::time::timeout(patience, self.happen()).await;
        }
        let is_power = self.rng.per_mille(500);
        self.rig.end_by(is_power).await;
        self.rig.pass(secs(self.rng.below(20))).await;
        self.rig.start_again().await;
    }

    /// Lets everything that still waits hear what it waits for.
    async fn fulfil(&mut self) {
        for _ in 0..3 {
            self.rig.pass(secs(5_000)).await;
            self.rig.until_quiet().await;
            let waiting = waiting(&self.rig.keeper().state());
            for number in waiting {
                self.salt += 1;
                make_heard(&self.rig, number, self.salt).await;
                self.rig.pass(secs(1)).await;
            }
        }
        self.rig.pass(secs(120)).await;
        self.rig.until_quiet().await;
    }
}

/// A wake as the ledger has it.
struct Set {
    number: u64,
    /// The event that put it in force.
    seq: u64,
    tick: u64,
    at: Timestamp,
}

/// Something that was heard: by whom, from whom, what.
struct Fact<'a> {
    seq: u64,
    at: Timestamp,
    heard_by: String,
    from: String,
    place: &'static str,
    content: &'a str,
}

/// The ledger as the check reads it, without the engine's fold.
struct Book<'a> {
    committed: BTreeMap<EpochId, u64>,
    sets: BTreeMap<WakeId, Set>,
    facts: Vec<Fact<'a>>,
}

impl<'a> Book<'a> {
    fn read(entries: &'a [Entry]) -> Self {
        let commits = entries
            .iter()
            .filter(|entry| matches!(entry.event, Event::Epoch(EpochEvent::Committed(_))));
        let committed = commits.filter_map(|entry| Some((entry.epoch?, entry.seq))).collect();
        let mut book = Self { committed, sets: BTreeMap::new(), facts: Vec::new() };
        for entry in entries {
            book.note(entry);
        }
        book
    }

    /// The event that puts a staged one in force.
    fn effective(&self, entry: &Entry) -> Option<u64> {
        entry.epoch.map_or(Some(entry.seq), |epoch| self.committed.get(&epoch).copied())
    }

    fn note(&mut self, entry: &'a Entry) {
        let (at, tick, me) = (entry.timestamp, entry.tick, entry.entity.bare().to_owned());
        match &entry.event {
            Event::Wake(WakeEvent::Set(set)) => {
                let Some(seq) = self.effective(entry) else { return };
                let set_now = Set { number: number(&set.prompt), seq, tick, at };
                let earlier = self.sets.insert(set.wake_id, set_now);
                assert!(earlier.is_none(), "set twice: {}", set.prompt);
            }
            Event::Stdout(StdoutEvent::Written(written)) => {
                let (content, heard_by, seq) = (&*written.content, me.clone(), entry.seq);
                self.facts.push(Fact { seq, at, heard_by, from: me, place: "log", content });
            }
            Event::Space(SpaceEvent::Said(said)) => {
                let seq = self.effective(entry).unwrap();
                let (content, is_lab) = (&*said.text, said.space.pair().is_none());
                let place = if is_lab { "lab" } else { "pair" };
                let hearers: Vec<&str> = if is_lab {
                    AGENTS.into_iter().filter(|agent| *agent != me).collect()
                } else {
                    said.to.iter().map(EntityName::bare).collect()
                };
                for heard_by in hearers.into_iter().map(str::to_owned) {
                    self.facts.push(Fact { seq, at, heard_by, from: me.clone(), place, content });
                }
            }
            Event::Stimulus(StimulusEvent::Accepted(stimulus)) => match &stimulus.cause {
                None => {
                    let (from, content) = (stimulus.sender.clone(), &*stimulus.content);
                    let (seq, heard_by, place) = (entry.seq, me, "person");
                    self.facts.push(Fact { seq, at, heard_by, from, place, content });
                }
                Some(StimulusCause::Message { .. }) => {
                    // Its reply is a response for who said it.
                    let Some(seq) = entry.epoch.and_then(|e| self.committed.get(&e)) else {
                        return;
                    };
                    let (seq, heard_by, from) = (*seq, stimulus.sender.clone(), me);
                    self.facts.push(Fact { seq, at, heard_by, from, place: "reply", content: "" });
                }
                Some(_) => {}
            },
            _ => {}
        }
    }

    fn heard(&self, set: &Set, until: u64, fits: impl Fn(&Fact<'_>) -> bool) -> bool {
        let me = owner(set.number);
        let mut heard = self.facts.iter().filter(|fact| fact.heard_by == me);
        heard.any(|fact| fact.seq > set.seq && fact.seq < until && fits(fact))
    }

    /// Whether the condition of a wake had come true before it fired.
    fn held(&self, set: &Set, fired: &Entry) -> bool {
        let (other, word) = (other(set.number), word(set.number));
        let heard = |fits: &dyn Fn(&Fact<'_>) -> bool| self.heard(set, fired.seq, fits);
        let is_response =
            |fact: &Fact<'_>| fact.from == other && matches!(fact.place, "pair" | "reply");
        match waits(set.number) {
            Waits::Ticks(ticks) => fired.tick >= set.tick + ticks,
            Waits::Seconds(seconds) => fired.timestamp >= set.at.plus(secs(seconds)),
            Waits::Person => heard(&|fact| fact.from == "nicolas"),
            Waits::Space => heard(&|fact| fact.place == "lab"),
            Waits::Response => heard(&is_response),
            Waits::Silence(seconds) => {
                let due = set.at.plus(secs(seconds));
                let is_early = |fact: &Fact<'_>| is_response(fact) && fact.at < due;
                // A reply is timed by its stimulus here, so only what was said is held against it.
                let is_early = |fact: &Fact<'_>| fact.place == "pair" && is_early(fact);
                fired.timestamp >= due && !heard(&is_early)
            }
            Waits::Word | Waits::Question => heard(&|fact| fact.content.contains(&word)),
            Waits::Tick(tick) => fired.tick > tick,
        }
    }
}

/// Checks what happened against the ledger alone.
fn check(rig: &Rig) -> usize {
    assert!(fired(rig).iter().all(|fired| fired.error.is_none()), "none could not be told");
    let entries = rig.entries();
    let book = Book::read(&entries);
    let mut done = BTreeSet::new();
    for entry in &entries {
        let Event::Wake(WakeEvent::Fired(fired)) = &entry.event else { continue };
        assert!(done.insert(fired.wake_id), "wake {} fired twice", fired.wake_id);
        let set = &book.sets[&fired.wake_id];
        assert_eq!(entry.entity.bare(), owner(set.number));
        assert!(book.held(set, entry), "too early: {} at {}", condition(set.number), entry.seq);
    }
    let lapsed = entries.iter().filter_map(|entry| match &entry.event {
        Event::Wake(WakeEvent::Cancelled(cancelled)) => Some((entry, cancelled.wake_id)),
        _ => None,
    });
    for (entry, id) in lapsed {
        assert!(done.insert(id), "wake {id} ended twice");
        let set = &book.sets[&id];
        let is_answered = book.heard(set, entry.seq, |fact| fact.from == other(set.number));
        let is_silence = matches!(waits(set.number), Waits::Silence(_));
        assert!(is_silence && is_answered, "lost: {}, {}", set.number, condition(set.number));
    }
    assert!(book.sets.keys().eq(&done), "every wake has ended, once");
    let mut state = State::default();
    for entry in &entries {
        state.apply(entry).unwrap();
    }
    assert!(waiting(&state).is_empty(), "the fold of the ledger waits for nothing more");
    assert_eq!(rig.digest(), rig.digest_rebuilt());
    done.len()
}

#[tokio::test(start_paused = true)]
async fn of_a_thousand_wakes_none_is_lost_none_fires_twice_and_none_too_early() {
    let total = u64::from(rounds(1_000));
    let setup = Setup::new(|request, _| obey(request)).with(|setup| {
        setup.agents = AGENTS.to_vec();
        setup.tokens_max = 1_500;
    });
    let rig = setup.start().await;
    let name = format!(r"\name #lab @({}) ---", AGENTS.join(", "));
    rig.tell("felix", &name).await.unwrap();
    let mut chaos = Chaos { rig, rng: SplitMix64::new(5), next: 1, salt: 0 };
    while chaos.next <= total {
        chaos.happen().await;
        let pause = std::time::Duration::from_millis(chaos.rng.below(4_000));
        chaos.rig.pass(pause).await;
        if chaos.rng.per_mille(80) {
            chaos.die().await;
        }
    }
    chaos.fulfil().await;
    let fired = check(&chaos.rig) as u64;
    assert!(fired > total / 2, "{fired} of {total} fired");
}
