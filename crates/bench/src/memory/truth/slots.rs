//! What the people of a made life tell, correct, take back and ask about. `{v}` stands for the value, `{p}` for the project,
//! `{w}` for the person who is spoken of.
//!
//! Every table has two halves, of which a life uses one: what is tuned on must not hold the words of what is held out.
//! Nothing here comes from a data set.

mod personal;
mod project;

pub(super) use self::{
    personal::{CITY, DENTIST, DESK, DOG, EMPLOYER, PHONE},
    project::{LAUNCH, PRICE, ROOM, SERVER},
};

/// Lives that may be looked at while something is improved, or lives that must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TruthHalf {
    /// May be looked at.
    Tuned,
    /// Only counted.
    HeldOut,
}

impl TruthHalf {
    /// The half of a table.
    pub(super) fn of<T: Copy>(self, table: &[T; 2]) -> T {
        let [tuned, held_out] = *table;
        match self {
            Self::Tuned => tuned,
            Self::HeldOut => held_out,
        }
    }
}

/// Words for the same, one half each.
pub(super) type Phrasings = [&'static [&'static str]; 2];

/// Something of which there is one value at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) values: [&'static [&'static str]; 2],
    pub(super) tell: Phrasings,
    pub(super) correct: Phrasings,
    /// A correction that shares hardly a word with the telling.
    pub(super) reword: Phrasings,
    pub(super) ask: Phrasings,
    pub(super) forget: Phrasings,
}

pub(super) const PEOPLE: [&[&str]; 2] = [
    &["kim", "lee", "ana", "noor", "pavel", "ines", "tomas", "yuki"],
    &["hanna", "diego", "priya", "sven", "carla", "omar", "elif", "milo"],
];
pub(super) const PROJECTS: [&[&str]; 2] =
    [&["Heron", "Basalt", "Juniper", "Comet"], &["Lantern", "Cobalt", "Orchid", "Tundra"]];
pub(super) const ZONES: [&[&str]; 2] = [
    &["Europe/Berlin", "America/New_York", "UTC"],
    &["Europe/Lisbon", "Asia/Kolkata", "America/Denver", "Australia/Sydney"],
];
pub(super) const CHATTER: [&[&str]; 2] = [
    &[
        "The canteen had lentil soup today.",
        "My bike has a flat tyre again.",
        "It rained the whole morning.",
        "The printer on the second floor is out of toner.",
        "I am reading a book about lighthouses.",
        "The train was twenty minutes late.",
    ],
    &[
        "The coffee machine is broken again.",
        "I burnt my toast this morning.",
        "Somebody left an umbrella in the hallway.",
        "Traffic was awful on the way in.",
        "I finally finished that jigsaw puzzle.",
        "Everyone around me seems to have a cold.",
        "The pigeons on the balcony are so loud.",
        "That song has been stuck in my head since breakfast.",
    ],
];

/// The same in other languages: told, corrected, asked; of the asker.
#[derive(Clone, Copy, Debug)]
pub(super) struct ForeignSlot {
    pub(super) values: [&'static [&'static str]; 2],
    pub(super) tell: [&'static str; 2],
    pub(super) correct: [&'static str; 2],
    pub(super) ask: [&'static str; 2],
}

pub(super) const FOREIGN: [ForeignSlot; 6] = [
    ForeignSlot {
        values: [&["Kassel", "Bremen"], &["Regensburg", "Rostock"]],
        tell: ["Meine Schwester wohnt in {v}.", "Meine Schwester ist in {v} zu Hause."],
        correct: [
            "Meine Schwester wohnt jetzt in {v}.",
            "Meine Schwester ist übrigens nach {v} gezogen.",
        ],
        ask: ["Wo wohnt meine Schwester?", "In welcher Stadt wohnt meine Schwester?"],
    },
    ForeignSlot {
        values: [&["Brandt", "Scholz"], &["Krüger", "Albrecht"]],
        tell: ["Mein Hausarzt heißt {v}.", "Zum Hausarzt gehe ich immer zu Dr. {v}."],
        correct: ["Mein Hausarzt heißt jetzt {v}.", "Mein neuer Hausarzt ist Dr. {v}."],
        ask: ["Wie heißt mein Hausarzt?", "Wer ist mein Hausarzt?"],
    },
    ForeignSlot {
        values: [&["Nantes", "Rennes"], &["Limoges", "Annecy"]],
        tell: ["Mon frère habite à {v}.", "Mon frère s'est installé à {v}."],
        correct: [
            "En fait, mon frère habite à {v}.",
            "Mon frère a déménagé, il est à {v} maintenant.",
        ],
        ask: ["Où habite mon frère ?", "Dans quelle ville est-ce que mon frère habite ?"],
    },
    ForeignSlot {
        values: [&["Caramel", "Noisette"], &["Praline", "Filou"]],
        tell: ["Mon chat s'appelle {v}.", "J'ai un chat qui s'appelle {v}."],
        correct: ["Non, mon chat s'appelle {v}.", "Finalement, on a rebaptisé le chat {v}."],
        ask: ["Comment s'appelle mon chat ?", "C'est quoi le nom de mon chat ?"],
    },
    ForeignSlot {
        values: [&["Burgos", "Toledo"], &["Zamora", "Girona"]],
        tell: ["Mi hermana vive en {v}.", "Mi hermana está viviendo en {v}."],
        correct: ["Ahora mi hermana vive en {v}.", "Mi hermana se ha mudado a {v}."],
        ask: ["¿Dónde vive mi hermana?", "¿En qué ciudad vive mi hermana?"],
    },
    ForeignSlot {
        values: [&["4417", "9082"], &["3186", "7059"]],
        tell: ["El código de mi taquilla es {v}.", "El número para abrir mi taquilla es el {v}."],
        correct: [
            "Ya no, el código de mi taquilla es {v}.",
            "Me han cambiado el código de la taquilla, ahora es el {v}.",
        ],
        ask: ["¿Cuál es el código de mi taquilla?", "¿Con qué código se abre mi taquilla?"],
    },
];

/// What is said of a day that is named by its distance: how many days it lies from then, the words, and how one asks.
pub(super) const DATED: [&[(i64, &str, &str)]; 2] = [
    &[
        (1, "The plumber comes tomorrow at 9.", "When does the plumber come?"),
        (-1, "The exam was yesterday.", "When was the exam?"),
        (3, "The parcel arrives in three days.", "When does the parcel arrive?"),
        (1, "Der Elektriker kommt morgen um 8.", "Wann kommt der Elektriker?"),
        (-2, "Vorgestern war die Probe.", "Wann war die Probe?"),
        (1, "Le peintre vient demain à 10 h.", "Quand vient le peintre ?"),
        (2, "The day after tomorrow I finally get my braces off!", "When do I get my braces off?"),
        (7, "My visa interview is a week from today.", "When is my visa interview?"),
        (-1, "got my flu jab yesterday, arm still hurts", "When did I get my flu jab?"),
        (-4, "We signed the lease four days ago.", "When did we sign the lease?"),
        (
            14,
            "My grandparents are coming to visit in two weeks.",
            "When are my grandparents coming to visit?",
        ),
        (2, "Übermorgen wird das neue Sofa geliefert.", "Wann wird das Sofa geliefert?"),
        (
            -1,
            "Gestern habe ich meinen neuen Ausweis abgeholt.",
            "Wann habe ich meinen Ausweis abgeholt?",
        ),
        (3, "Je passe mon permis dans trois jours.", "Quand est-ce que je passe mon permis ?"),
        (1, "Mañana vienen a arreglar la caldera.", "¿Cuándo vienen a arreglar la caldera?"),
        (-3, "Llevé el coche al taller hace tres días.", "¿Cuándo llevé el coche al taller?"),
    ],
    &[
        (2, "I've got my eye test the day after tomorrow.", "When is my eye test?"),
        (-3, "The flat viewing was three days ago.", "When was the flat viewing?"),
        (10, "The choir trip starts in ten days.", "When does the choir trip start?"),
        (1, "My cousin lands tomorrow at half past five.", "When does my cousin land?"),
        (-1, "We had the fire drill yesterday.", "When did we have the fire drill?"),
        (5, "In fünf Tagen wird das neue Sofa geliefert.", "Wann wird das neue Sofa geliefert?"),
        (-1, "Gestern hatten wir Elternabend.", "Wann war der Elternabend?"),
        (
            2,
            "Pasado mañana viene el técnico de la caldera.",
            "¿Cuándo viene el técnico de la caldera?",
        ),
    ],
];

/// What is passed on: the words, and what the one who passed it on asks of themselves.
pub(super) const FORWARDED: [&[(&str, &str)]; 2] = [
    &[
        ("Fwd from {w}: My birthday is on {v}.", "When is my birthday?"),
        ("{w} wrote to me: \"My birthday is on {v}.\"", "On which day is my birthday?"),
    ],
    &[
        (
            "{w} asked me to pass this on: \"I have my birthday on {v}.\"",
            "When do I have my birthday?",
        ),
        ("Message from {w}: \"My birthday is {v}, bring cake!\"", "What date is my birthday?"),
        ("Just got this from {w}: \"I turn thirty on {v}.\"", "When's my birthday?"),
    ],
];
pub(super) const BIRTHDAYS: [&[&str]; 2] = [
    &["4 January", "19 August", "27 October", "8 December"],
    &["17 February", "5 August", "30 October", "22 November"],
];

/// What nobody else is to hear: the words, and how another asks.
pub(super) const PRIVATE: [&[(&str, &str)]; 2] = [
    &[
        ("Between us: my salary is {v} euros.", "What is the salary of {w}?"),
        ("The code of my safe is {v}, tell nobody.", "What is the code of the safe of {w}?"),
        (
            "Please keep this to yourself, the alarm code of my house is {v}.",
            "What is the alarm code of the building of {w}?",
        ),
        (
            "only for you: the PIN of my bank card is {v}",
            "What is the PIN of the bank card of {w}?",
        ),
    ],
    &[
        ("Please keep this to yourself: I earn {v} euros a year.", "How much does {w} earn?"),
        (
            "The PIN of my bike lock is {v} and nobody else should know it.",
            "What is the PIN of {w}'s bike lock?",
        ),
        ("Don't tell anyone, but I inherited {v} euros.", "How much money did {w} inherit?"),
    ],
];
pub(super) const SECRETS: [&[&str]; 2] =
    [&["48,310", "51,977", "7734", "9120"], &["57,240", "6473", "83,615", "2907"]];

/// Standing wishes that stand, and how some are taken back.
pub(super) const WISHES: [&[&str]; 2] = [
    &["Always answer in French.", "Never call me {v}.", "From now on use euros for prices."],
    &[
        "Please write to me in Portuguese from now on.",
        "Stop calling me {v}, please.",
        "Keep your replies to three sentences at most, always.",
        "Bitte sprich mich immer mit Du an.",
    ],
];
pub(super) const NICKNAMES: [&[&str]; 2] =
    [&["Kimmy", "Boss", "Chief"], &["Sunshine", "Professor", "Champ", "Sweetie"]];
pub(super) const TAKEN_BACK: [&[(&str, &str)]; 2] = [
    &[
        ("Always answer in German.", "You don't have to answer in German any more."),
        ("Never use emojis.", "You can use emojis again."),
    ],
    &[
        ("Please always reply in Dutch.", "You can stop replying in Dutch."),
        ("From now on, no bullet points please.", "Bullet points are fine again."),
        ("Never bring up my driving test.", "It's okay to bring up my driving test again."),
        ("Always end with a joke.", "You can drop the joke at the end now."),
    ],
];

/// What nobody ever spoke of.
pub(super) const UNHEARD: [&[&str]; 2] = [
    &[
        "What is my blood type?",
        "Which instrument does my aunt play?",
        "When does my passport expire?",
        "What shoe size do I wear?",
        "who cuts my hair?",
        "What colour is my car?",
    ],
    &[
        "What's my number plate?",
        "Which football club do I support?",
        "What was my grandmother's maiden name?",
    ],
];
