//! Two languages in one talk: what is told in German is asked for in English and the other way round, half of the time.

use abide_memory::SpeakerRole::{Agent, Person};

use super::talk::TalkBuilder;
use crate::memory::{
    conversation::{Category, Conversation},
    rng::Rng,
};

/// What can be told of somebody in two languages: how it is said and asked, in English and German. `{n}` is the name.
struct Statement {
    values: [&'static str; 5],
    said: [&'static str; 2],
    asked: [&'static str; 2],
    otherwise: [&'static str; 2],
}

const NAMES: [&str; 10] = [
    "Jonas",
    "Katharina",
    "Emre",
    "Lukas",
    "Annika",
    "Matteo",
    "Svenja",
    "Paul",
    "Ludmila",
    "Henk",
];

const STATEMENTS: [Statement; 8] = [
    Statement {
        values: ["Bremen", "Graz", "Antwerp", "Lyon", "Malmö"],
        said: ["{n} has moved to {v} for good.", "{n} ist jetzt ganz nach {v} gezogen."],
        asked: ["Where has {n} moved to?", "Wohin ist {n} gezogen?"],
        otherwise: ["In which city does {n} live?", "In welcher Stadt wohnt {n}?"],
    },
    Statement {
        values: ["Siemens", "Bosch", "Philips", "Ikea", "Airbus"],
        said: ["{n} works at {v} since spring.", "{n} arbeitet seit dem Frühjahr bei {v}."],
        asked: ["Where does {n} work since spring?", "Wo arbeitet {n} seit dem Frühjahr?"],
        otherwise: ["Who employs {n}?", "Bei welcher Firma ist {n} angestellt?"],
    },
    Statement {
        values: ["Yoga", "Handball", "Judo", "Tennis", "Golf"],
        said: ["{n} took up {v} on Thursdays.", "{n} hat donnerstags mit {v} angefangen."],
        asked: ["What did {n} take up on Thursdays?", "Womit hat {n} donnerstags angefangen?"],
        otherwise: ["Which sport does {n} do?", "Welchen Sport treibt {n}?"],
    },
    Statement {
        values: ["Volvo", "Tesla", "Fiat", "Audi", "Skoda"],
        said: [
            "{n} bought an old {v} from a neighbour.",
            "{n} hat dem Nachbarn einen alten {v} abgekauft.",
        ],
        asked: ["What did {n} buy from a neighbour?", "Was hat {n} dem Nachbarn abgekauft?"],
        otherwise: ["Which car does {n} drive?", "Welches Auto fährt {n}?"],
    },
    Statement {
        values: ["Sushi", "Gulasch", "Lasagne", "Ramen", "Tapas"],
        said: [
            "For the birthday {n} wants {v} and nothing else.",
            "Zum Geburtstag will {n} {v} und sonst nichts.",
        ],
        asked: ["What does {n} want for the birthday?", "Was will {n} zum Geburtstag?"],
        otherwise: ["Which dish should be cooked for {n}?", "Welches Essen soll es für {n} geben?"],
    },
    Statement {
        values: ["3 April", "12 August", "21 November", "6 January", "30 June"],
        said: ["{n} will have the operation on {v}.", "{n} wird am {v} operiert."],
        asked: ["When will {n} have the operation?", "Wann wird {n} operiert?"],
        otherwise: ["On which date is {n} in hospital?", "An welchem Tag ist {n} im Krankenhaus?"],
    },
    Statement {
        values: ["Cello", "Piano", "Ukulele", "Oboe", "Banjo"],
        said: ["{n} practises the {v} until midnight.", "{n} übt bis Mitternacht {v}."],
        asked: ["What does {n} practise until midnight?", "Was übt {n} bis Mitternacht?"],
        otherwise: ["Which instrument does {n} play?", "Welches Instrument spielt {n}?"],
    },
    Statement {
        values: ["Rocky", "Luna", "Balu", "Kira", "Oskar"],
        said: ["The puppy of {n} is called {v}.", "Der Welpe von {n} heißt {v}."],
        asked: ["What is the puppy of {n} called?", "Wie heißt der Welpe von {n}?"],
        otherwise: ["Which name did the dog of {n} get?", "Welchen Namen hat der Hund von {n}?"],
    },
];

/// Talk in both languages about somebody that tells nothing.
const CHATTER: [[&str; 6]; 2] = [
    [
        "I met {n} at the market and we spoke of the weather.",
        "{n} called twice today, I was in a meeting.",
        "Could you draft a card for {n}, something warm?",
        "{n} sends regards and asks about the summer.",
        "I still owe {n} a dinner since last year.",
        "On the phone {n} sounded tired but cheerful.",
    ],
    [
        "Ich habe {n} auf dem Markt getroffen, wir sprachen über das Wetter.",
        "{n} hat heute zweimal angerufen, ich war in einer Sitzung.",
        "Kannst du eine Karte für {n} entwerfen, etwas Herzliches?",
        "{n} lässt grüßen und fragt nach dem Sommer.",
        "Ich schulde {n} seit letztem Jahr ein Abendessen.",
        "Am Telefon klang {n} müde, aber fröhlich.",
    ],
];

const REPLIES: [[&str; 6]; 2] = [
    [
        "Noted. Shall I write to {n} about it this week, or will you call?",
        "That is good to know. {n} comes up often these days, so I keep it at hand.",
        "Thank you. If {n} should hear anything from you, tell me how and when.",
        "I see. Would you like a reminder before you meet {n} again?",
        "Understood. I can put together what you told me of {n} whenever you want.",
        "All right. A few lines to {n} might be welcome, short and friendly.",
    ],
    [
        "Notiert. Soll ich {n} diese Woche dazu schreiben, oder rufst du an?",
        "Gut zu wissen. {n} kommt gerade oft vor, ich halte es bereit.",
        "Danke. Wenn {n} etwas von dir hören soll, sag mir wie und wann.",
        "Verstehe. Möchtest du eine Erinnerung, bevor du {n} wieder triffst?",
        "Alles klar. Ich stelle zusammen, was du von {n} erzählt hast, wann immer du willst.",
        "In Ordnung. Ein paar Zeilen an {n} wären vielleicht willkommen, kurz und freundlich.",
    ],
];

/// Sessions in which one person is spoken of.
const SESSIONS: usize = 3;

pub(super) fn make(rng: &mut Rng) -> Conversation {
    let mut talk = TalkBuilder::new(rng);
    let mut spoken_of: Vec<&str> =
        NAMES.iter().copied().cycle().take(SESSIONS * NAMES.len()).collect();
    talk.rng.shuffle(&mut spoken_of);
    let mut left: Vec<(&str, Vec<usize>)> =
        NAMES.map(|name| (name, (0..STATEMENTS.len()).collect())).into();
    for (_, kinds) in &mut left {
        talk.rng.shuffle(kinds);
    }
    let mut asked = Vec::new();
    for name in spoken_of {
        talk.pause();
        for _ in 0..2 {
            small_talk(&mut talk, name);
            let kind =
                left.iter_mut().find(|(known, _)| *known == name).and_then(|(_, left)| left.pop());
            let Some((kind, what)) = kind.and_then(|kind| Some((kind, STATEMENTS.get(kind)?)))
            else {
                continue;
            };
            let language = talk.rng.below(2);
            let value = talk.pick(&what.values);
            let said = what.said.get(language).copied().unwrap_or_default();
            let turn = talk.say("rita", Person, filled(said, name, value));
            reply(&mut talk, language, name);
            asked.push((name, kind, language, turn));
            small_talk(&mut talk, name);
        }
    }
    for (name, kind, language, turn) in asked {
        let Some(what) = STATEMENTS.get(kind) else { continue };
        let other = if talk.rng.chance(0.6) { language } else { 1 - language };
        let (forms, category) = match talk.rng.chance(0.4) {
            true => (&what.otherwise, Category::OpenDomain),
            false if other == language => (&what.asked, Category::SingleHop),
            false => (&what.asked, Category::MultiHop),
        };
        let text = forms.get(other).copied().unwrap_or_default();
        talk.ask(filled(text, name, ""), category, Some("rita"), vec![turn]);
    }
    talk.done()
}

fn small_talk(talk: &mut TalkBuilder<'_>, name: &str) {
    let language = talk.rng.below(2);
    let said = CHATTER.get(language).map(|lines| talk.pick(lines)).unwrap_or_default();
    talk.say("rita", Person, filled(said, name, ""));
    reply(talk, language, name);
}

fn reply(talk: &mut TalkBuilder<'_>, language: usize, name: &str) {
    let said = REPLIES.get(language).map(|lines| talk.pick(lines)).unwrap_or_default();
    talk.say("felix", Agent, filled(said, name, ""));
}

fn filled(form: &str, name: &str, value: &str) -> String {
    form.replace("{n}", name).replace("{v}", value)
}
