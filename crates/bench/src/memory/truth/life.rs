//! A life made from a seed: three people tell an agent what is so, correct it, take it back, pass on words of others, and
//! ask. Every answer is known because it was thrown.
//!
//! Reading order: [`TruthLife`], [`Step`], [`TruthQuestion`]; then `LifeMaker` from the top.

use std::time::Duration;

use abide_domain::{Timestamp, Zone, envelope::Channel};
use serde::Serialize;

use super::slots::{
    BIRTHDAYS, CHATTER, CITY, DATED, DENTIST, DESK, DOG, EMPLOYER, FOREIGN, FORWARDED, LAUNCH,
    NICKNAMES, PEOPLE, PHONE, PRICE, PRIVATE, PROJECTS, ROOM, SECRETS, SERVER, Slot, TAKEN_BACK,
    TruthHalf, UNHEARD, WISHES, ZONES,
};
use crate::{error::BenchError, memory::rng::Rng};

/// Monday, 16 March 2026, 08:00 UTC: the lives go over the days on which clocks are set forward.
const START_MICROS: i64 = 1_773_648_000_000_000;
const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);
/// The room in which all three are.
const ROOM_SESSION: &str = "irc:#home";

/// What kind of question it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TruthKind {
    /// What the asker told, and nobody changed.
    Told,
    /// What another told about a project.
    Shared,
    /// What the teller corrected.
    Corrected,
    /// What somebody else corrected.
    CorrectedByAnother,
    /// What was corrected in other words.
    Reworded,
    /// What was taken back.
    Forgotten,
    /// When something is that was named by its distance.
    Dated,
    /// What somebody passed on.
    Forwarded,
    /// What others have, and the asker has not told.
    OfAnother,
    /// What another told in private.
    Private,
    /// In German, French or Spanish.
    Foreign,
    /// What is wished once and for all.
    Wish,
    /// What is wished no longer.
    WishTakenBack,
    /// What nobody ever spoke of.
    Unheard,
    /// What was said a moment ago.
    JustSaid,
}

/// What the prompt of a question must hold, and what it must not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Expected {
    /// What is so now.
    pub(super) in_force: Option<String>,
    /// What was so, and may stand only as what is no longer so.
    pub(super) stale: Vec<String>,
    /// What was taken back.
    pub(super) forgotten: Vec<String>,
    /// Of somebody else: the value, and who has it; only with that name beside it.
    pub(super) of_others: Vec<(String, String)>,
    /// What the asker may not hear.
    pub(super) secret: Vec<String>,
    /// Words about a day, when they were said, and which day is meant.
    pub(super) dated: Option<(String, Timestamp, Timestamp)>,
    /// A wish that stands.
    pub(super) wish: Option<String>,
    /// A wish that stands no longer.
    pub(super) no_wish: Option<String>,
    /// That nothing is known.
    pub(super) absence: bool,
}

/// Something that is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TruthQuestion {
    pub(super) kind: TruthKind,
    pub(super) said: Said,
    pub(super) expected: Expected,
}

/// Something that is said to the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) at: Timestamp,
    pub(super) sender: String,
    pub(super) channel: Channel,
    pub(super) session: String,
    pub(super) text: String,
}

/// What happens next.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "a life has some hundreds of steps")]
pub(super) enum Step {
    /// Somebody says something.
    Say(Said),
    /// Somebody asks something whose answer is known.
    Ask(TruthQuestion),
    /// The conversation is out of the prompt.
    Reset(Timestamp),
    /// The agent distils what it lived through.
    Sleep(Timestamp),
}

/// A life.
#[derive(Clone, Debug)]
pub(super) struct TruthLife {
    pub(super) half: TruthHalf,
    pub(super) zone: Zone,
    pub(super) steps: Vec<Step>,
}

impl TruthLife {
    /// The life of a seed; odd ones may be looked at, even ones are held out.
    pub(super) fn new(seed: u64) -> Result<Self, BenchError> {
        let half = if seed % 2 == 1 { TruthHalf::Tuned } else { TruthHalf::HeldOut };
        let mut maker = LifeMaker::new(seed, half)?;
        maker.live();
        Ok(Self { half, zone: maker.zone, steps: maker.steps })
    }
}

/// What is known of a slot: its values so far, the newest last.
#[derive(Clone, Debug)]
struct Known {
    slot: &'static Slot,
    project: String,
    values: Vec<String>,
}

/// What was told, as it stands before it is asked about.
#[derive(Debug)]
struct Past {
    phone: Known,
    city: Known,
    dentist: Known,
    dog: Known,
    employer: Known,
    second_phone: Known,
    second_city: Known,
    /// Who sits at it.
    desk: (String, Known),
    launch: Known,
    price: Known,
    room: Known,
    server: Known,
    wishes: Vec<String>,
    foreign: Vec<TruthQuestion>,
    /// Each with the question of another about it.
    secrets: Vec<(String, String)>,
    /// A birthday, whose it is, and the question of whoever passed it on.
    forwarded: (String, String, String),
    taken_back: String,
    /// Words about a day, when they were said, which day is meant, and the question.
    dated: Vec<(String, Timestamp, Timestamp, String)>,
}

struct LifeMaker {
    dice: Rng,
    half: TruthHalf,
    zone: Zone,
    now: Timestamp,
    people: [String; 3],
    projects: [String; 2],
    steps: Vec<Step>,
}

impl LifeMaker {
    fn new(seed: u64, half: TruthHalf) -> Result<Self, BenchError> {
        let mut dice = Rng::new(seed.wrapping_mul(0x9e37_79b9));
        let days = u32::try_from(dice.below(14)).unwrap_or_default();
        let people = some_of::<3>(&mut dice, half.of(&PEOPLE));
        let projects = some_of::<2>(&mut dice, half.of(&PROJECTS));
        let zone = dice.pick(half.of(&ZONES)).copied().unwrap_or("UTC");
        let zone = Zone::named(zone).map_err(BenchError::of("find a time zone"))?;
        let now = Timestamp::from_micros(START_MICROS).plus(DAY * days);
        Ok(Self { dice, half, zone, now, people, projects, steps: Vec::new() })
    }

    fn live(&mut self) {
        let past = self.past();
        self.ask_what_is_known(&past);
        self.ask_what_must_not_stand(past);
        self.retime_foreign();
    }

    /// What is told, corrected and taken back, with resets between.
    fn past(&mut self) -> Past {
        let [first, second, third] = self.people.clone();
        let [one, other] = self.projects.clone();
        // Told, each in private; what is of a project may be known to all.
        let phone = self.tell(&first, &PHONE, "");
        let city = self.tell(&first, &CITY, "");
        let dentist = self.tell(&first, &DENTIST, "");
        let dog = self.tell(&first, &DOG, "");
        let employer = self.tell(&first, &EMPLOYER, "");
        let second_phone = self.tell(&second, &PHONE, "");
        let second_city = self.tell(&second, &CITY, "");
        self.chat(&first, 2);
        let desk = self.tell_in_the_room(&second, &DESK);
        let wishes = self.wishes(&first);
        self.reset();
        let launch = self.tell(&first, &LAUNCH, &one);
        let price = self.tell(&first, &PRICE, &other);
        let room = self.tell(&second, &ROOM, &one);
        let server = self.tell(&first, &SERVER, &other);
        self.chat(&second, 2);
        let foreign = self.foreign(&first);
        let secrets = self.secrets(&second);
        let forwarded = self.forwarded(&first, &third);
        self.reset();
        self.days(2);
        let mut past = Past {
            phone,
            city,
            dentist,
            dog,
            employer,
            second_phone,
            second_city,
            desk,
            launch,
            price,
            room,
            server,
            wishes,
            foreign,
            secrets,
            forwarded,
            taken_back: String::new(),
            dated: Vec::new(),
        };
        self.change(&mut past);
        past
    }

    /// Corrected by whoever told it, by another, in other words; taken back.
    fn change(&mut self, past: &mut Past) {
        let [first, second, third] = self.people.clone();
        self.correct(&first, &mut past.phone, |slot| &slot.correct);
        self.correct(&first, &mut past.city, |slot| &slot.reword);
        self.correct(&first, &mut past.employer, |slot| &slot.correct);
        self.chat(&third, 2);
        self.correct(&second, &mut past.launch, |slot| &slot.correct);
        self.correct(&second, &mut past.price, |slot| &slot.reword);
        self.correct(&first, &mut past.server, |slot| &slot.correct);
        past.taken_back = self.wish_taken_back(&second);
        past.dated = self.dated(&first);
        self.ask_known(&first, TruthKind::JustSaid, &past.employer);
        if self.dice.chance(0.5) {
            self.sleep();
        }
        self.forget(&first, &past.dentist);
        self.forget(&first, &past.dog);
        self.chat(&first, 2);
        self.sleep();
        self.reset();
        self.days(4);
    }

    fn ask_what_is_known(&mut self, past: &Past) {
        let [first, second, third] = self.people.clone();
        self.ask_known(&first, TruthKind::Corrected, &past.phone);
        self.ask_known(&first, TruthKind::Reworded, &past.city);
        self.ask_known(&first, TruthKind::Corrected, &past.employer);
        self.ask_known(&second, TruthKind::Told, &past.second_city);
        self.ask_known(&second, TruthKind::Told, &past.second_phone);
        self.ask_known(&third, TruthKind::Shared, &past.room);
        self.ask_known(&first, TruthKind::CorrectedByAnother, &past.launch);
        self.ask_known(&third, TruthKind::CorrectedByAnother, &past.launch);
        self.ask_known(&first, TruthKind::Reworded, &past.price);
        self.ask_known(&second, TruthKind::Corrected, &past.server);
        for (words, said_at, day, question) in past.dated.clone() {
            let dated = Some((words, said_at, day));
            let expected = Expected { dated, ..Expected::default() };
            self.ask(&first, TruthKind::Dated, &question, expected);
        }
        self.steps.extend(past.foreign.iter().cloned().map(Step::Ask));
        for wish in past.wishes.clone() {
            let expected = Expected { wish: Some(wish), ..Expected::default() };
            self.ask(&first, TruthKind::Wish, "What is on today?", expected);
        }
    }

    fn ask_what_must_not_stand(&mut self, past: Past) {
        let [first, second, third] = self.people.clone();
        self.ask_forgotten(&first, &past.dentist);
        self.ask_forgotten(&first, &past.dog);
        let (birthday, whose, question) = past.forwarded;
        let of_others = vec![(birthday, whose)];
        let expected = Expected { of_others, ..Expected::default() };
        self.ask(&first, TruthKind::Forwarded, &question, expected);
        let (sitting, desk) = past.desk;
        let of_others = vec![(desk.values.last().cloned().unwrap_or_default(), sitting)];
        let expected = Expected { of_others, ..Expected::default() };
        let question = self.words(self.half.of(&desk.slot.ask), &desk, "");
        self.ask(&first, TruthKind::OfAnother, &question, expected);
        // The third never told a number; that of the first was told in private.
        let question = self.words(self.half.of(&past.phone.slot.ask), &past.phone, "");
        let expected = Expected { secret: past.phone.values, ..Expected::default() };
        self.ask(&third, TruthKind::OfAnother, &question, expected);
        for (value, question) in past.secrets {
            let expected = Expected { secret: vec![value], ..Expected::default() };
            self.ask(&first, TruthKind::Private, &question, expected);
        }
        let expected = Expected { no_wish: Some(past.taken_back), ..Expected::default() };
        self.ask(&second, TruthKind::WishTakenBack, "What is on today?", expected);
        for question in self.half.of(&UNHEARD) {
            let expected = Expected { absence: true, ..Expected::default() };
            self.ask(&third, TruthKind::Unheard, question, expected);
        }
    }

    /// Questions in other languages were made with their telling: they are asked now.
    fn retime_foreign(&mut self) {
        let at = self.now;
        for step in &mut self.steps {
            if let Step::Ask(question) = step
                && question.kind == TruthKind::Foreign
            {
                question.said.at = at;
            }
        }
        self.steps.sort_by_key(Step::at);
    }

    fn tell(&mut self, by: &str, slot: &'static Slot, project: &str) -> Known {
        let mut known = Known { slot, project: project.to_owned(), values: Vec::new() };
        self.correct(by, &mut known, |slot| &slot.tell);
        known
    }

    fn tell_in_the_room(&mut self, by: &str, slot: &'static Slot) -> (String, Known) {
        let mut known = Known { slot, project: String::new(), values: Vec::new() };
        let value = self.value(&known);
        let text = self.words(self.half.of(&slot.tell), &known, &value);
        known.values.push(value);
        self.pause();
        let said = Said {
            at: self.now,
            sender: by.to_owned(),
            channel: Channel::Irc,
            session: ROOM_SESSION.to_owned(),
            text,
        };
        self.steps.push(Step::Say(said));
        (by.to_owned(), known)
    }

    fn correct(
        &mut self,
        by: &str,
        known: &mut Known,
        phrasings: impl Fn(&'static Slot) -> &'static [&'static [&'static str]; 2],
    ) {
        let value = self.value(known);
        let text = self.words(self.half.of(phrasings(known.slot)), known, &value);
        known.values.push(value);
        self.say(by, text);
    }

    fn forget(&mut self, by: &str, known: &Known) {
        let value = known.values.last().cloned().unwrap_or_default();
        let text = self.words(self.half.of(&known.slot.forget), known, &value);
        self.say(by, text);
    }

    /// A value that it does not have yet.
    fn value(&mut self, known: &Known) -> String {
        let pool = self.half.of(&known.slot.values);
        loop {
            let value = self.pick(pool);
            // Another person's value of the same kind would be told apart by nobody.
            let is_used = self.steps.iter().any(|step| match step {
                Step::Say(said) => said.text.contains(&value),
                _ => false,
            });
            if !is_used || known.values.len() >= pool.len() {
                return value;
            }
        }
    }

    fn words(&mut self, phrasings: &[&'static str], known: &Known, value: &str) -> String {
        let phrase = self.pick(phrasings);
        phrase.replace("{v}", value).replace("{p}", &known.project)
    }

    fn wishes(&mut self, by: &str) -> Vec<String> {
        let nickname = self.pick(self.half.of(&NICKNAMES));
        let wishes = self.half.of(&WISHES).iter().map(|wish| wish.replace("{v}", &nickname));
        let wishes: Vec<String> = wishes.collect();
        for wish in &wishes {
            self.say(by, wish.clone());
        }
        wishes
    }

    fn wish_taken_back(&mut self, by: &str) -> String {
        let (wish, back) = self.pick_one(self.half.of(&TAKEN_BACK));
        self.say(by, wish.to_owned());
        self.chat(by, 1);
        self.say(by, back.to_owned());
        wish.to_owned()
    }

    fn dated(&mut self, by: &str) -> Vec<(String, Timestamp, Timestamp, String)> {
        let mut found = Vec::new();
        for (days, words, question) in self.half.of(&DATED) {
            if self.dice.chance(0.35) {
                continue;
            }
            // In the evening of where they are, which is another day in UTC for some.
            let late = Duration::from_hours(9 + self.dice.below(6) as u64);
            self.now = self.now.plus(late);
            self.say(by, (*words).to_owned());
            let micros = days.saturating_mul(24 * 3_600_000_000);
            let day = Timestamp::from_micros(self.now.as_micros().saturating_add(micros));
            found.push(((*words).to_owned(), self.now, day, (*question).to_owned()));
        }
        found
    }

    fn foreign(&mut self, by: &str) -> Vec<TruthQuestion> {
        let mut asked = Vec::new();
        let mut slots = FOREIGN.to_vec();
        for number in 0..3 {
            let slot = slots.remove(self.dice.below(slots.len()));
            let values = self.half.of(&slot.values);
            let [first, second] = [0, 1].map(|at| values.get(at).copied().unwrap_or_default());
            self.say(by, self.half.of(&slot.tell).replace("{v}", first));
            let mut expected = Expected { in_force: Some(first.to_owned()), ..Expected::default() };
            if number > 0 {
                self.say(by, self.half.of(&slot.correct).replace("{v}", second));
                expected = Expected { in_force: Some(second.to_owned()), ..Expected::default() };
                expected.stale.push(first.to_owned());
            }
            let said = self.said(by, self.half.of(&slot.ask).to_owned());
            asked.push(TruthQuestion { kind: TruthKind::Foreign, said, expected });
        }
        asked
    }

    fn secrets(&mut self, by: &str) -> Vec<(String, String)> {
        let values = self.half.of(&SECRETS).to_vec();
        let mut told = Vec::new();
        for ((words, question), value) in self.half.of(&PRIVATE).iter().zip(values) {
            self.say(by, words.replace("{v}", value));
            told.push((value.to_owned(), question.replace("{w}", by)));
        }
        told
    }

    fn forwarded(&mut self, by: &str, of: &str) -> (String, String, String) {
        let (words, question) = self.pick_one(self.half.of(&FORWARDED));
        let value = self.pick(self.half.of(&BIRTHDAYS));
        self.say(by, words.replace("{w}", of).replace("{v}", &value));
        (value, of.to_owned(), question.to_owned())
    }

    fn ask_known(&mut self, by: &str, kind: TruthKind, known: &Known) {
        let question = self.words(self.half.of(&known.slot.ask), known, "");
        let mut values = known.values.clone();
        let expected = Expected { in_force: values.pop(), stale: values, ..Expected::default() };
        self.ask(by, kind, &question, expected);
    }

    fn ask_forgotten(&mut self, by: &str, known: &Known) {
        let question = self.words(self.half.of(&known.slot.ask), known, "");
        let expected = Expected { forgotten: known.values.clone(), ..Expected::default() };
        self.ask(by, TruthKind::Forgotten, &question, expected);
    }

    fn ask(&mut self, by: &str, kind: TruthKind, question: &str, expected: Expected) {
        self.pause();
        let said = self.said(by, question.to_owned());
        self.steps.push(Step::Ask(TruthQuestion { kind, said, expected }));
    }

    fn chat(&mut self, by: &str, count: usize) {
        for _ in 0..count {
            let text = self.pick(self.half.of(&CHATTER));
            self.say(by, text);
        }
    }

    fn say(&mut self, by: &str, text: String) {
        self.pause();
        let said = self.said(by, text);
        self.steps.push(Step::Say(said));
    }

    fn said(&self, by: &str, text: String) -> Said {
        Said {
            at: self.now,
            sender: by.to_owned(),
            channel: Channel::Direct,
            session: format!("direct:{by}"),
            text,
        }
    }

    fn pause(&mut self) {
        let minutes = 5 + self.dice.below(50) as u64;
        self.now = self.now.plus(Duration::from_mins(minutes));
    }

    fn days(&mut self, count: u32) {
        self.now = self.now.plus(DAY * count);
    }

    fn reset(&mut self) {
        self.now = self.now.plus(HOUR);
        self.steps.push(Step::Reset(self.now));
        self.now = self.now.plus(HOUR * 10);
    }

    fn sleep(&mut self) {
        self.now = self.now.plus(HOUR);
        self.steps.push(Step::Sleep(self.now));
    }

    fn pick(&mut self, of: &[&'static str]) -> String {
        self.dice.pick(of).copied().unwrap_or_default().to_owned()
    }

    fn pick_one(
        &mut self,
        of: &'static [(&'static str, &'static str)],
    ) -> (&'static str, &'static str) {
        self.dice.pick(of).copied().unwrap_or_default()
    }
}

impl Step {
    /// When it happens.
    pub(super) const fn at(&self) -> Timestamp {
        match self {
            Self::Say(said) => said.at,
            Self::Ask(question) => question.said.at,
            Self::Reset(at) | Self::Sleep(at) => *at,
        }
    }
}

/// So many different ones of a table.
fn some_of<const N: usize>(dice: &mut Rng, of: &[&str]) -> [String; N] {
    let mut left = of.to_vec();
    std::array::from_fn(|_| {
        let at = dice.below(left.len());
        if left.is_empty() { String::new() } else { left.remove(at).to_owned() }
    })
}
