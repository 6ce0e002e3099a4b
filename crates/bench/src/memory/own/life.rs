//! A life of months, made from a seed: what people tell an agent, how it changes, and what can be asked at the end.
//!
//! Every answer is known because it was thrown, not because anybody judged it. Nothing here comes from a data set.

use std::time::Duration;

use abide_domain::Timestamp;

use super::{
    attributes::{Attribute, OF_PEOPLE, OF_PROJECTS, PEOPLE, PROJECTS, UNHEARD_OF},
    happenings::{CHATTER, DAYS, HAPPENINGS, Happening, REPLIES},
};
use crate::memory::rng::Rng;

/// Monday, 4 January 2027, 00:00 UTC.
const START_MICROS: i64 = 1_799_020_800_000_000;
const DAYS_LONG: usize = 150;
const PEOPLE_COUNT: usize = 8;
const PROJECTS_COUNT: usize = 5;
const CHATTER_COUNT: usize = 350;
const HOUR: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);
const MONTHS: [&str; 6] = ["January", "February", "March", "April", "May", "June"];
/// Days at which these months begin, counted from 1 January.
const MONTH_STARTS: [i64; 6] = [0, 31, 59, 90, 120, 151];

/// One stimulus and its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Exchange {
    pub(super) at: Timestamp,
    /// Who spoke, as a sender is named.
    pub(super) sender: String,
    pub(super) said: String,
    pub(super) replied: String,
    /// What is learnt or taken back in it.
    pub(super) change: Option<Change>,
}

/// What an exchange does to the facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// A fact is learnt, perhaps in place of another one; both by number.
    Learn { fact: usize, content: String, is_of_project: bool, supersedes: Option<usize> },
    /// A fact is taken back.
    Forget { fact: usize },
}

/// What is asked at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LifeQuestion {
    pub(super) text: String,
    pub(super) kind: QuestionKind,
    /// Who asks, as a sender is named.
    pub(super) asker: Option<String>,
    /// The exchange that holds the answer as it is now.
    pub(super) evidence: Option<usize>,
    /// Exchanges that hold an answer that is true no longer, or of another time.
    pub(super) outdated: Vec<usize>,
    /// The fact that is the answer.
    pub(super) fact: Option<usize>,
    /// Facts that must not come back.
    pub(super) gone: Vec<usize>,
}

/// What kind of question it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum QuestionKind {
    /// By the usual word for it; some of the tellings have used another one.
    Direct,
    /// Without the usual word: only the name is the same.
    Otherwise,
    /// About the asker: "I", "my".
    Own,
    /// When something was.
    When,
    /// What was in a month, while the same happened in another one too.
    Dated,
    /// What was taken back.
    Forgotten,
    /// What was said of others, not of whom it is asked about.
    OfAnother,
    /// What nobody ever spoke of.
    Unheard,
}

/// All of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Life {
    pub(super) exchanges: Vec<Exchange>,
    pub(super) asks: Vec<LifeQuestion>,
    /// How many facts were ever learnt.
    pub(super) facts: usize,
    /// When the questions are asked.
    pub(super) end: Timestamp,
}

/// Something that is said, before its place is known.
#[derive(Debug)]
struct Statement {
    at: Timestamp,
    sender: String,
    words: String,
    replied: String,
    what: StatementKind,
}

#[derive(Clone, Debug)]
enum StatementKind {
    Chatter,
    /// Step of a chain: the first telling, then changes.
    Told {
        chain: usize,
        step: usize,
        content: String,
    },
    Retracted {
        chain: usize,
    },
    Happened {
        number: usize,
    },
}

/// One attribute of one subject through time.
#[derive(Debug)]
struct AttributeHistory {
    subject: &'static str,
    attribute: &'static Attribute,
    is_of_project: bool,
    steps: usize,
    is_retracted: bool,
}

/// Something that happened to somebody.
#[derive(Debug)]
struct PastHappening {
    who: &'static str,
    what: &'static Happening,
    at: Timestamp,
}

/// A life while it is made.
struct LifeBuilder {
    dice: Rng,
    people: Vec<&'static str>,
    projects: Vec<&'static str>,
    said: Vec<Statement>,
    chains: Vec<AttributeHistory>,
    happened: Vec<PastHappening>,
    /// Attributes that a subject has not.
    lacking: Vec<(&'static str, &'static Attribute)>,
}

impl Life {
    /// The life of a seed.
    pub(super) fn new(seed: u64) -> Self {
        let mut dice = Rng::new(seed);
        let (mut people, mut projects) = (PEOPLE.to_vec(), PROJECTS.to_vec());
        dice.shuffle(&mut people);
        dice.shuffle(&mut projects);
        people.truncate(PEOPLE_COUNT);
        projects.truncate(PROJECTS_COUNT);
        let mut maker = LifeBuilder {
            dice,
            people,
            projects,
            said: Vec::new(),
            chains: Vec::new(),
            happened: Vec::new(),
            lacking: Vec::new(),
        };
        maker.tell_of_people();
        maker.tell_of_projects();
        maker.let_happen();
        maker.chat();
        maker.finish()
    }
}

impl LifeBuilder {
    fn tell_of_people(&mut self) {
        for subject in self.people.clone() {
            for attribute in OF_PEOPLE {
                self.maybe_tell(subject, attribute, false);
            }
        }
    }

    fn tell_of_projects(&mut self) {
        for subject in self.projects.clone() {
            for attribute in OF_PROJECTS {
                self.maybe_tell(subject, attribute, true);
            }
        }
    }

    fn maybe_tell(
        &mut self,
        subject: &'static str,
        attribute: &'static Attribute,
        is_of_project: bool,
    ) {
        if self.dice.chance(0.6) {
            self.tell(subject, attribute, is_of_project);
        } else {
            self.lacking.push((subject, attribute));
        }
    }

    /// A value is told, perhaps changed once or twice, perhaps retracted.
    fn tell(&mut self, subject: &'static str, attribute: &'static Attribute, is_of_project: bool) {
        let changes = match self.dice.share() {
            share if share < 0.1 => 2,
            share if share < 0.4 => 1,
            _ => 0,
        };
        let is_retracted = changes == 0 && self.dice.chance(0.15);
        let chain = self.chains.len();
        let mut values = attribute.values.to_vec();
        self.dice.shuffle(&mut values);
        let mut day = self.dice.below(DAYS_LONG / 3);
        let mut old = "";
        for (step, value) in values.iter().take(changes + 1).enumerate() {
            let speaker = self.speaker_of(subject, is_of_project);
            let (sender, form) = self.form(subject, attribute, speaker, step);
            let words = filled(form, subject, value, old);
            let content = filled(attribute.fact, subject, value, old);
            let replied = self.reply_to(&content);
            let at = self.on(day);
            self.said.push(Statement {
                at,
                sender,
                words,
                replied,
                what: StatementKind::Told { chain, step, content },
            });
            (old, day) = (value, day + 5 + self.dice.below(40));
        }
        if is_retracted {
            let sender = self.speaker_of(subject, is_of_project).to_lowercase();
            let words = filled(attribute.retracted, subject, old, old);
            let (at, replied) = (self.on(day), "It is forgotten.".to_owned());
            self.said.push(Statement {
                at,
                sender,
                words,
                replied,
                what: StatementKind::Retracted { chain },
            });
        }
        let steps = changes + 1;
        self.chains.push(AttributeHistory {
            subject,
            attribute,
            is_of_project,
            steps,
            is_retracted,
        });
    }

    /// Who would say it: people of themselves, anybody of a project.
    fn speaker_of(&mut self, subject: &'static str, is_of_project: bool) -> &'static str {
        if is_of_project { self.anybody() } else { subject }
    }

    fn anybody(&mut self) -> &'static str {
        self.dice.pick(&self.people).copied().unwrap_or_default()
    }

    /// Who says it and how: now and then somebody else, also against what was known.
    fn form(
        &mut self,
        subject: &'static str,
        attribute: &'static Attribute,
        speaker: &'static str,
        step: usize,
    ) -> (String, &'static str) {
        let other = self.anybody();
        if other != subject && self.dice.chance(0.25) {
            let told = self.dice.pick(&attribute.told).copied().unwrap_or_default();
            return (other.to_lowercase(), told);
        }
        let forms = if step == 0 { &attribute.said } else { &attribute.changed };
        (speaker.to_lowercase(), self.dice.pick(forms).copied().unwrap_or_default())
    }

    fn reply_to(&mut self, content: &str) -> String {
        if self.dice.chance(0.25) {
            return format!("So: {content}. I will remember it.");
        }
        self.reply()
    }

    fn reply(&mut self) -> String {
        self.dice.pick(&REPLIES).copied().unwrap_or_default().to_owned()
    }

    /// A moment of that day between eight and seven.
    fn on(&mut self, day: usize) -> Timestamp {
        let seconds = 8 * 3_600 + self.dice.below(11 * 3_600);
        let days = u32::try_from(day.min(DAYS_LONG)).unwrap_or_default();
        let seconds = u64::try_from(seconds).unwrap_or_default();
        Timestamp::from_micros(START_MICROS).plus(DAY * days).plus(Duration::from_secs(seconds))
    }

    /// To everybody four things happen, two of them twice, at least 45 days apart.
    fn let_happen(&mut self) {
        for who in self.people.clone() {
            let mut kinds: Vec<&Happening> = HAPPENINGS.iter().collect();
            self.dice.shuffle(&mut kinds);
            for (index, what) in kinds.into_iter().take(4).enumerate() {
                let day = self.dice.below(DAYS_LONG / 2);
                self.happen(who, what, day);
                if index < 2 {
                    let later = day + 45 + self.dice.below(25);
                    self.happen(who, what, later);
                }
            }
        }
    }

    fn happen(&mut self, who: &'static str, what: &'static Happening, day: usize) {
        let form = self.dice.pick(&what.said).copied().unwrap_or_default();
        let when = self.dice.pick(&DAYS).copied().unwrap_or_default();
        let number = self.happened.len();
        let at = self.on(day);
        self.happened.push(PastHappening { who, what, at });
        let (sender, words) = (who.to_lowercase(), form.replace("{d}", when));
        let replied = self.reply();
        self.said.push(Statement {
            at,
            sender,
            words,
            replied,
            what: StatementKind::Happened { number },
        });
    }

    fn chat(&mut self) {
        for _ in 0..CHATTER_COUNT {
            let day = self.dice.below(DAYS_LONG);
            let (at, sender) = (self.on(day), self.anybody().to_lowercase());
            let words = self.dice.pick(CHATTER).copied().unwrap_or_default().to_owned();
            let replied = self.reply();
            self.said.push(Statement { at, sender, words, replied, what: StatementKind::Chatter });
        }
    }

    /// Puts everything in order and asks about it.
    fn finish(mut self) -> Life {
        self.said.sort_by_key(|said| said.at);
        let mut told: Vec<Vec<(usize, usize)>> = self.chains.iter().map(|_| Vec::new()).collect();
        let mut happened = vec![0; self.happened.len()];
        let mut life = Life::default();
        for said in std::mem::take(&mut self.said) {
            let place = life.exchanges.len();
            let change = match said.what {
                StatementKind::Told { chain, content, step } => {
                    let Some(told) = told.get_mut(chain) else { continue };
                    let is_of_project = self.chains.get(chain).is_some_and(|it| it.is_of_project);
                    let supersedes = told.last().filter(|_| step > 0).map(|(_, fact)| *fact);
                    let fact = life.facts;
                    life.facts += 1;
                    told.push((place, fact));
                    Some(Change::Learn { fact, content, is_of_project, supersedes })
                }
                StatementKind::Retracted { chain } => {
                    let fact = told.get(chain).and_then(|told| told.last()).map(|told| told.1);
                    fact.map(|fact| Change::Forget { fact })
                }
                StatementKind::Happened { number } => {
                    if let Some(there) = happened.get_mut(number) {
                        *there = place;
                    }
                    None
                }
                StatementKind::Chatter => None,
            };
            let Statement { at, sender, words, replied, .. } = said;
            life.end = at.plus(HOUR);
            life.exchanges.push(Exchange { at, sender, said: words, replied, change });
        }
        self.ask_of_chains(&told, &mut life.asks);
        self.ask_of_happenings(&happened, &mut life.asks);
        self.ask_of_nothing(&mut life.asks);
        life
    }

    fn ask_of_chains(&mut self, told: &[Vec<(usize, usize)>], asks: &mut Vec<LifeQuestion>) {
        let chains = std::mem::take(&mut self.chains);
        for (chain, told) in
            chains.iter().zip(told).filter(|(chain, told)| told.len() == chain.steps)
        {
            let Some(((evidence, fact), before)) = told.split_last() else { continue };
            let (subject, attribute) = (chain.subject, chain.attribute);
            let ask = |kind: QuestionKind, form: &str, asker: Option<String>| LifeQuestion {
                text: filled(form, subject, "", ""),
                kind,
                asker,
                evidence: Some(*evidence),
                outdated: before.iter().map(|(place, _)| *place).collect(),
                fact: Some(*fact),
                gone: before.iter().map(|(_, fact)| *fact).collect(),
            };
            let direct = self.dice.pick(&attribute.direct).copied().unwrap_or_default();
            if chain.is_retracted {
                let asked = ask(QuestionKind::Forgotten, direct, None);
                asks.push(LifeQuestion { evidence: None, fact: None, gone: vec![*fact], ..asked });
                continue;
            }
            asks.push(ask(QuestionKind::Direct, direct, None));
            let otherwise = self.dice.pick(&attribute.otherwise).copied().unwrap_or_default();
            asks.push(ask(QuestionKind::Otherwise, otherwise, None));
            if !chain.is_of_project {
                asks.push(ask(QuestionKind::Own, attribute.own, Some(subject.to_lowercase())));
            }
        }
    }

    fn ask_of_happenings(&mut self, places: &[usize], asks: &mut Vec<LifeQuestion>) {
        let happened = std::mem::take(&mut self.happened);
        for (one, place) in happened.iter().zip(places) {
            let again = happened.iter().zip(places).filter(|(other, elsewhere)| {
                other.who == one.who && std::ptr::eq(other.what, one.what) && *elsewhere != place
            });
            let outdated: Vec<usize> = again.map(|(_, elsewhere)| *elsewhere).collect();
            let is_alone = outdated.is_empty();
            let (kind, form) = if is_alone {
                (QuestionKind::When, self.dice.pick(&one.what.when).copied().unwrap_or_default())
            } else {
                (QuestionKind::Dated, one.what.dated)
            };
            let text = filled(form, one.who, "", "").replace("{m}", month(one.at));
            let evidence = Some(*place);
            asks.push(LifeQuestion {
                text,
                kind,
                asker: None,
                evidence,
                outdated,
                fact: None,
                gone: Vec::new(),
            });
        }
    }

    fn ask_of_nothing(&mut self, asks: &mut Vec<LifeQuestion>) {
        let ask = |kind, text| LifeQuestion {
            text,
            kind,
            asker: None,
            evidence: None,
            outdated: Vec::new(),
            fact: None,
            gone: Vec::new(),
        };
        for (subject, attribute) in std::mem::take(&mut self.lacking) {
            let form = self.dice.pick(&attribute.direct).copied().unwrap_or_default();
            asks.push(ask(QuestionKind::OfAnother, filled(form, subject, "", "")));
        }
        for who in self.people.clone() {
            let mut forms = UNHEARD_OF.to_vec();
            self.dice.shuffle(&mut forms);
            for form in forms.into_iter().take(4) {
                asks.push(ask(QuestionKind::Unheard, filled(form, who, "", "")));
            }
        }
    }
}

fn filled(form: &str, name: &str, value: &str, old: &str) -> String {
    form.replace("{n}", name).replace("{v}", value).replace("{o}", old)
}

/// The month of a time within the life.
fn month(at: Timestamp) -> &'static str {
    let day = at.day() - Timestamp::from_micros(START_MICROS).day() + 3;
    let begun = MONTH_STARTS.iter().rposition(|start| *start <= day).unwrap_or_default();
    MONTHS.get(begun).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Change, Life, QuestionKind, month};

    #[test]
    fn the_same_seed_makes_the_same_life() {
        assert_eq!(Life::new(3), Life::new(3));
        assert_ne!(Life::new(3), Life::new(4));
    }

    #[test]
    fn months_are_those_of_the_calendar() {
        for (at, expected) in [
            ("2027-01-04T08:00:00Z", "January"),
            ("2027-01-31T23:00:00Z", "January"),
            ("2027-02-01T00:00:00Z", "February"),
            ("2027-05-31T12:00:00Z", "May"),
        ] {
            assert_eq!(month(at.parse().unwrap()), expected);
        }
    }

    #[test]
    fn every_answer_is_where_it_is_said_to_be() {
        let life = Life::new(1);
        assert!(life.exchanges.windows(2).all(|pair| pair[0].at <= pair[1].at));
        for ask in &life.asks {
            assert!(!ask.text.contains('{'), "{}", ask.text);
            let learnt = ask.evidence.and_then(|place| life.exchanges[place].change.clone());
            match learnt {
                Some(Change::Learn { fact, supersedes, .. }) => {
                    assert_eq!(Some(fact), ask.fact);
                    assert_eq!(supersedes, ask.gone.last().copied());
                }
                Some(Change::Forget { .. }) => panic!("{} was taken back", ask.text),
                None => assert!(ask.fact.is_none()),
            }
        }
    }

    #[test]
    fn every_kind_of_question_is_asked_often_enough_to_mean_something() {
        let life = Life::new(1);
        for (kind, least) in [
            (QuestionKind::Direct, 40),
            (QuestionKind::Otherwise, 40),
            (QuestionKind::Own, 20),
            (QuestionKind::When, 10),
            (QuestionKind::Dated, 20),
            (QuestionKind::Forgotten, 3),
            (QuestionKind::OfAnother, 25),
            (QuestionKind::Unheard, 25),
        ] {
            let asked = life.asks.iter().filter(|ask| ask.kind == kind).count();
            assert!(asked >= least, "{asked} {kind:?}");
        }
        assert!(life.exchanges.iter().all(|exchange| !exchange.said.contains('{')));
    }
}
