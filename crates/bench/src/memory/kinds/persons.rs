//! Talks of people about the matters of `topics`: two friends, a person with an assistant that answers at length, a team
//! of six with an agent among them, a diary.

use abide_memory::SpeakerRole::{Agent, Person};

use super::{
    talk::{TalkBuilder, prose},
    topics::{PADDING, Statement, TOPICS, Topic, WISHES},
};
use crate::memory::{
    conversation::{Category, Conversation},
    rng::Rng,
};

/// Who the remembering agent is.
const AGENT: &str = "felix";

/// What was told, for the questions.
struct Telling {
    case: &'static str,
    form: &'static Statement,
    /// Who told it; none where the agent suggested it.
    teller: Option<&'static str>,
    turn: usize,
}

/// What words of questions stand for.
fn asked(form: &str, case: &str, name: Option<&str>) -> String {
    let named = |text: &str| text.replace("{n}", name.unwrap_or_default());
    let forms = match name {
        None => [
            ("{my}", "my"),
            ("{me}", "me"),
            ("{did}", "did"),
            ("{do}", "do"),
            ("{have}", "have"),
            ("{am}", "am"),
            ("{i}", "I"),
        ],
        Some(_) => [
            ("{my}", "{n}'s"),
            ("{me}", "{n}"),
            ("{did}", "did"),
            ("{do}", "does"),
            ("{have}", "has"),
            ("{am}", "is"),
            ("{i}", "{n}"),
        ],
    };
    let mut text = form.replace("{e}", case);
    for (mark, word) in forms {
        text = text.replace(mark, &named(word));
    }
    text
}

fn stated(form: &str, case: &str, value: &str) -> String {
    let text = form.replace("{e}", case).replace("{v}", value);
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// All matters with their cases, in a thrown order.
fn cases(rng: &mut Rng) -> Vec<(&'static Topic, &'static str)> {
    let mut all: Vec<_> = TOPICS
        .iter()
        .flat_map(|topic| topic.cases.iter().map(move |case| (topic, *case)))
        .collect();
    rng.shuffle(&mut all);
    all
}

/// How many cases one talk is about.
const CASES: usize = 20;

/// Questions about what was told: by its words, by others, and some that need two tellings.
fn ask_all(talk: &mut TalkBuilder<'_>, tellings: &[Telling], by: &dyn Fn(&Telling) -> Asking) {
    for (place, telling) in tellings.iter().enumerate() {
        let Asking { asker, name } = by(telling);
        let is_otherwise = talk.rng.chance(0.5);
        let form = if is_otherwise { telling.form.otherwise } else { telling.form.asked };
        let category = if is_otherwise { Category::OpenDomain } else { Category::SingleHop };
        let text = asked(form, telling.case, name);
        let lead = if name.is_none() && talk.rng.chance(0.3) { talk.pick(&LEADS) } else { "" };
        let second = tellings.iter().skip(place + 1).find(|other| {
            other.case == telling.case && other.teller == telling.teller && talk.rng.chance(0.5)
        });
        match second {
            Some(other) => {
                let also = asked(other.form.asked, other.case, name);
                let evidence = vec![telling.turn, other.turn];
                talk.ask(format!("{lead}{text} {also}"), Category::MultiHop, asker, evidence);
            }
            None => talk.ask(format!("{lead}{text}"), category, asker, vec![telling.turn]),
        }
    }
}

/// Who asks, and by which name who told it is asked for; none for "I".
struct Asking {
    asker: Option<&'static str>,
    name: Option<&'static str>,
}

/// How a person begins a question about earlier talk.
const LEADS: [&str; 5] = [
    "I mentioned it some time ago: ",
    "Can you remind me? ",
    "Earlier in our conversations I told you. ",
    "Going back over our chat history: ",
    "You should know this by now. ",
];

/// Two friends who write a line or two each.
pub(super) fn friends(rng: &mut Rng) -> Conversation {
    const NAMES: [&str; 2] = ["Ilse", "Marek"];
    let mut talk = TalkBuilder::new(rng);
    let mut tellings = Vec::new();
    for (topic, case) in cases(talk.rng).into_iter().take(CASES) {
        talk.pause();
        let whose = talk.rng.below(2);
        let (owner, other) = if whose == 0 { (NAMES[0], NAMES[1]) } else { (NAMES[1], NAMES[0]) };
        for form in &topic.facts {
            for speaker in [owner, other, owner] {
                let said = if speaker == owner {
                    stated(talk.pick(&topic.chatter), case, "")
                } else {
                    talk.pick(&ANSWERS).to_owned()
                };
                talk.say(speaker, Person, said);
            }
            let said = stated(talk.pick(&form.said), case, talk.pick_value(form));
            let turn = talk.say(owner, Person, said);
            tellings.push(Telling { case, form, teller: Some(owner), turn });
            let answer = talk.pick(&ANSWERS).to_owned();
            talk.say(other, Person, answer);
        }
    }
    for (topic, case) in cases(talk.rng) {
        talk.pause();
        for _ in 0..6 {
            for speaker in NAMES {
                let own = talk.rng.chance(0.6);
                let said = if own {
                    stated(talk.pick(&topic.chatter), case, "")
                } else {
                    talk.pick(&ANSWERS).to_owned()
                };
                talk.say(speaker, Person, said);
            }
        }
    }
    ask_all(&mut talk, &tellings, &|telling| Asking { asker: None, name: telling.teller });
    talk.done()
}

/// What friends answer.
const ANSWERS: [&str; 10] = [
    "Oh really, since when?",
    "That sounds just like you.",
    "Ha, tell me more when we meet!",
    "I had no idea, good luck with it.",
    "My week was all work, nothing to tell.",
    "We should do something together again soon.",
    "The same here, only with less talent.",
    "And how do the others like it?",
    "I thought of you when I passed there yesterday.",
    "You are braver than I am.",
];

/// A person who writes some lines, and an assistant who answers with hundreds of words about the same.
pub(super) fn assistant(rng: &mut Rng) -> Conversation {
    const PERSON: &str = "rita";
    let mut talk = TalkBuilder::new(rng);
    let mut tellings = Vec::new();
    let mut wishes = Vec::new();
    for (topic, case) in cases(talk.rng).into_iter().take(CASES) {
        talk.pause();
        for form in &topic.facts {
            let fact = stated(talk.pick(&form.said), case, talk.pick_value(form));
            let turn = person_says(&mut talk, PERSON, topic, case, Some(fact));
            tellings.push(Telling { case, form, teller: Some(PERSON), turn });
            assistant_says(&mut talk, topic, case, None);
            let wish = WISHES.get(wishes.len()).filter(|_| talk.rng.chance(0.25));
            if let Some((wish, request)) = wish {
                let turn = person_says(&mut talk, PERSON, topic, case, Some((*wish).to_owned()));
                wishes.push((*request, turn));
            } else {
                person_says(&mut talk, PERSON, topic, case, None);
            }
            assistant_says(&mut talk, topic, case, None);
        }
        person_says(
            &mut talk,
            PERSON,
            topic,
            case,
            Some(format!("What would you do about the {case}?")),
        );
        let form = &topic.suggested;
        let fact = stated(talk.pick(&form.said), case, talk.pick_value(form));
        let turn = assistant_says(&mut talk, topic, case, Some(fact));
        tellings.push(Telling { case, form, teller: None, turn });
    }
    ask_all(&mut talk, &tellings, &|_| Asking { asker: Some(PERSON), name: None });
    for (request, turn) in wishes {
        talk.ask(request.to_owned(), Category::Temporal, Some(PERSON), vec![turn]);
    }
    talk.done()
}

/// What a person asks an assistant for without telling anything.
const REQUESTS: [&str; 8] = [
    "What would you look at first?",
    "Can you make a plan for the next two weeks?",
    "Is there something that I forget?",
    "Please give me the long version, I have time on the train.",
    "How do other people go about it?",
    "What can go wrong with it?",
    "I would like to understand it before I decide.",
    "Tell me what it costs in time and nerves.",
];

/// 40 to 70 words.
fn person_says(
    talk: &mut TalkBuilder<'_>,
    speaker: &'static str,
    topic: &Topic,
    case: &str,
    fact: Option<String>,
) -> usize {
    let mut lines: Vec<String> = topic.chatter.iter().map(|line| stated(line, case, "")).collect();
    lines.extend(REQUESTS.map(str::to_owned));
    let words = 32 + talk.rng.below(30);
    let mut said = prose(talk.rng, lines, words);
    if let Some(fact) = fact {
        let place = talk.rng.below(said.len() + 1);
        said.insert(place, fact);
    }
    talk.say(speaker, Person, said.join(" "))
}

/// 300 to 800 words about the case, and about what else there is in the topic.
fn assistant_says(
    talk: &mut TalkBuilder<'_>,
    topic: &Topic,
    case: &str,
    fact: Option<String>,
) -> usize {
    let mut lines: Vec<String> = topic.advice.iter().map(|line| stated(line, case, "")).collect();
    for (place, form) in topic.facts.iter().chain([&topic.suggested]).enumerate() {
        // It goes through what might be so, without saying what is.
        let value = talk.pick(&form.values);
        let other = talk.pick(&form.values);
        let form = form.said.get(place % 2).copied().unwrap_or_default();
        lines.push(format!(
            "Some would write to me: \"{}\" Others: \"{}\"",
            stated(form, case, value),
            stated(form, "other one", other)
        ));
    }
    lines.extend(PADDING.map(str::to_owned));
    let words = 300 + talk.rng.below(500);
    let mut said = prose(talk.rng, lines, words);
    if let Some(fact) = fact {
        let place = talk.rng.below(said.len() + 1);
        said.insert(place, fact);
    }
    let lines: Vec<String> = said.chunks(4).map(|some| some.join(" ")).collect();
    talk.say(AGENT, Agent, lines.join("\n\n"))
}

/// Six people in one channel and an agent who answers in a few lines. The cases are of all of them.
pub(super) fn team(rng: &mut Rng) -> Conversation {
    const NAMES: [&str; 6] = ["Ada", "Bela", "Chidi", "Dunja", "Eskil", "Fatou"];
    let mut talk = TalkBuilder::new(rng);
    let mut tellings = Vec::new();
    for (topic, case) in cases(talk.rng).into_iter().take(CASES) {
        talk.pause();
        // Two tell the same of themselves, with other values.
        let mut who = NAMES;
        talk.rng.shuffle(&mut who);
        for form in &topic.facts {
            for teller in who.into_iter().take(2) {
                let said = stated(talk.pick(&form.said), case, talk.pick_value(form));
                let turn = talk.say(teller, Person, said);
                tellings.push(Telling { case, form, teller: Some(teller), turn });
                let said = stated(talk.pick(&topic.chatter), case, "");
                talk.say(talk_to(who, 2), Person, said);
                if talk.rng.chance(0.6) {
                    let lines = topic.advice.iter().map(|line| stated(line, case, ""));
                    let lines = lines.chain(PADDING.iter().take(8).map(|line| (*line).to_owned()));
                    let words = 40 + talk.rng.below(80);
                    let said = prose(talk.rng, lines.collect(), words).join(" ");
                    talk.say(AGENT, Agent, said);
                }
            }
        }
    }
    let is_own: Vec<bool> = tellings.iter().map(|_| talk.rng.chance(0.4)).collect();
    let own = |telling: &Telling| {
        let place = tellings.iter().position(|other| other.turn == telling.turn);
        place.and_then(|place| is_own.get(place)).copied().unwrap_or_default()
    };
    ask_all(&mut talk, &tellings, &|telling| match telling.teller {
        Some(teller) if own(telling) => Asking { asker: Some(teller), name: None },
        teller => Asking { asker: Some("Gita"), name: teller },
    });
    talk.done()
}

fn talk_to(who: [&'static str; 6], place: usize) -> &'static str {
    who.get(place).copied().unwrap_or_default()
}

/// One person who writes a page a day, about several things each; the agent notes that it read them.
pub(super) fn diary(rng: &mut Rng) -> Conversation {
    const PERSON: &str = "rita";
    let mut talk = TalkBuilder::new(rng);
    let mut told_of: Vec<(&Topic, &'static str, &'static Statement)> = cases(talk.rng)
        .into_iter()
        .take(CASES + 4)
        .flat_map(|(topic, case)| topic.facts.iter().map(move |form| (topic, case, form)))
        .collect();
    talk.rng.shuffle(&mut told_of);
    let mut tellings = Vec::new();
    for page in told_of.chunks(2).flat_map(|page| [page, &[], &[]]) {
        talk.pause();
        let mut lines: Vec<String> = MUSINGS.map(str::to_owned).into();
        let mut of = page.iter().map(|(topic, case, _)| (*topic, *case)).collect::<Vec<_>>();
        of.extend(cases(talk.rng).into_iter().take(4 - page.len()));
        for (topic, case) in of {
            lines.extend(topic.chatter.iter().map(|line| stated(line, case, "")));
        }
        let words = 130 + talk.rng.below(120);
        let mut said = prose(talk.rng, lines, words);
        for (_, case, form) in page {
            let fact = stated(talk.pick(&form.said), case, talk.pick_value(form));
            let place = talk.rng.below(said.len() + 1);
            said.insert(place, fact);
        }
        let turn = talk.say(PERSON, Person, said.join(" "));
        let tellings_of =
            page.iter().map(|(_, case, form)| Telling { case, form, teller: Some(PERSON), turn });
        tellings.extend(tellings_of);
        talk.say(AGENT, Agent, "I have read it and keep it.".to_owned());
    }
    ask_all(&mut talk, &tellings, &|_| Asking { asker: Some(PERSON), name: None });
    talk.done()
}

/// What a diary says on any day.
const MUSINGS: [&str; 16] = [
    "I woke before the alarm and listened to the street for a while.",
    "The coffee was weak and the milk nearly gone.",
    "On the way to work I met nobody that I know.",
    "Lunch was soup again, which is the right thing in this weather.",
    "In the afternoon I wrote letters that should have been written in autumn.",
    "Mother called and asked the same three questions.",
    "I am tired of meetings in which everybody agrees.",
    "The light in the evening was yellow and very low.",
    "Tomorrow I shall do less, or at least intend to.",
    "I read ten pages and remember none of them.",
    "Somebody upstairs plays the same song each night.",
    "There was a queue at the bakery and I did not mind.",
    "I thought of the year before and how little of it I could tell.",
    "The bus was late, so I walked along the river.",
    "A child asked me the time and I had to guess.",
    "I went to bed early and then lay awake.",
];

impl TalkBuilder<'_> {
    fn pick_value(&mut self, form: &Statement) -> &'static str {
        self.pick(&form.values)
    }
}
