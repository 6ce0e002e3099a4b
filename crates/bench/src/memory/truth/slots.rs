//! What the people of a made life tell, correct, take back and ask about. `{v}` stands for the value, `{p}` for the project,
//! `{w}` for the person who is spoken of.
//!
//! Every table has two halves, of which a life uses one: what is tuned on must not hold the words of what is held out.
//! Nothing here comes from a data set.

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
    &["mara", "jonas", "lucia", "amir", "greta", "oskar", "leila", "bruno"],
];
pub(super) const PROJECTS: [&[&str]; 2] =
    [&["Heron", "Basalt", "Juniper", "Comet"], &["Falcon", "Granite", "Willow", "Meteor"]];
pub(super) const ZONES: [&[&str]; 2] = [
    &["Europe/Berlin", "America/New_York", "UTC"],
    &["Europe/Paris", "Asia/Tokyo", "America/Chicago"],
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
        "There was cake in the kitchen.",
        "The lift is being repaired.",
        "We watched a film about penguins.",
        "The heating is far too warm here.",
        "A neighbour plays the trumpet all day.",
        "The new chairs squeak a little.",
    ],
];

pub(super) const PHONE: Slot = Slot {
    values: [
        &["0631 874402", "0655 120938", "0677 449021", "0612 908834"],
        &["0698 330175", "0644 781290", "0621 556703", "0639 047718"],
    ],
    tell: [
        &["My phone number is {v}.", "Please remember that my phone number is {v}."],
        &["You can reach me by phone on {v}.", "Remember that my phone number is {v}."],
    ],
    correct: [
        &["Sorry, my phone number is {v}.", "No, my phone number is {v}."],
        &["Actually, my phone number is {v}.", "My phone number is {v} now."],
    ],
    reword: [&["I switched operators, call {v} from today."], &["I have a new SIM card: {v}."]],
    ask: [&["What is my phone number?"], &["Which phone number do I have?"]],
    forget: [&["Forget my phone number."], &["Please forget my phone number."]],
};

pub(super) const CITY: Slot = Slot {
    values: [&["Lyon", "Bergen", "Porto", "Gdansk"], &["Graz", "Utrecht", "Sevilla", "Turku"]],
    tell: [&["I live in {v}."], &["My home is in {v}, where I live."]],
    correct: [&["I no longer live there, I live in {v} now."], &["Actually I live in {v}."]],
    reword: [&["We moved to {v} at the weekend."], &["The removal van took everything to {v}."]],
    ask: [&["Where do I live?"], &["In which town do I live?"]],
    forget: [&["Forget that I live in {v}."], &["Forget where I live."]],
};

pub(super) const DENTIST: Slot = Slot {
    values: [
        &["Okafor", "Lindqvist", "Marchetti", "Dubois"],
        &["Hofmann", "Petrova", "Salazar", "Nakamura"],
    ],
    tell: [
        &["My dentist is Dr {v}.", "Remember that my dentist is Dr {v}."],
        &["The name of my dentist is Dr {v}.", "Remember that my dentist is Dr {v}."],
    ],
    correct: [&["No, my dentist is Dr {v}."], &["My dentist is Dr {v} now."]],
    reword: [
        &["I changed practices, Dr {v} looks after my teeth."],
        &["Dr {v} took over my teeth."],
    ],
    ask: [&["What is the name of my dentist?"], &["Who is my dentist?"]],
    forget: [&["Forget who my dentist is."], &["Please forget my dentist."]],
};

pub(super) const DOG: Slot = Slot {
    values: [&["Biscuit", "Rufus", "Pepper", "Mocha"], &["Waffle", "Bruno", "Ziggy", "Olive"]],
    tell: [
        &["My dog is called {v}.", "Remember that my dog is called {v}."],
        &["I have a dog named {v}.", "Remember that my dog is called {v}."],
    ],
    correct: [&["Sorry, my dog is called {v}."], &["Actually the dog is named {v}."]],
    reword: [&["We renamed the puppy {v}."], &["The puppy answers to {v} these days."]],
    ask: [&["What is my dog called?"], &["What is the name of my dog?"]],
    forget: [&["Forget my dog's name."], &["Forget what my dog is called."]],
};

pub(super) const EMPLOYER: Slot = Slot {
    values: [
        &["Northwind", "Tessella", "Quarrix", "Ombra"],
        &["Veltar", "Lumenco", "Arcadis", "Fennel"],
    ],
    tell: [&["I work at {v}."], &["My employer is {v}."]],
    correct: [&["From now on I work at {v}."], &["I work at {v} instead now."]],
    reword: [&["I quit and joined {v}."], &["My new boss at {v} is kind."]],
    ask: [&["Where do I work?"], &["Who is my employer?"]],
    forget: [&["Forget where I work."], &["Forget my employer."]],
};

pub(super) const DESK: Slot = Slot {
    values: [&["417", "233", "508", "126"], &["742", "391", "655", "284"]],
    tell: [&["My desk is number {v}."], &["I sit at desk {v}."]],
    correct: [&["My desk is number {v} now."], &["I sit at desk {v} now."]],
    reword: [&["Facilities put me at {v}."], &["They seated me at {v}."]],
    ask: [&["Which desk is mine?"], &["At which desk do I sit?"]],
    forget: [&["Forget my desk."], &["Forget at which desk I sit."]],
};

pub(super) const LAUNCH: Slot = Slot {
    values: [
        &["3 March", "17 April", "9 May", "21 June"],
        &["12 March", "28 April", "6 May", "30 June"],
    ],
    tell: [
        &["The launch of {p} is on {v}.", "Remember that the launch of {p} is on {v}."],
        &["We planned the launch of {p} for {v}.", "Remember that the launch of {p} is on {v}."],
    ],
    correct: [
        &["The launch of {p} moved to {v}.", "The launch of {p} is now on {v}."],
        &["The launch of {p} is postponed to {v}.", "No, the launch of {p} is on {v}."],
    ],
    reword: [&["{p} goes live on {v} instead."], &["{p} opens to the public on {v}, not earlier."]],
    ask: [&["When is the launch of {p}?"], &["On which day is the launch of {p}?"]],
    forget: [&["Forget the launch of {p}."], &["Forget when {p} launches."]],
};

pub(super) const PRICE: Slot = Slot {
    values: [&["4,200", "6,750", "3,900", "8,100"], &["5,300", "7,450", "2,800", "9,600"]],
    tell: [
        &["The licence of {p} costs {v} euros."],
        &["The price of the {p} licence is {v} euros."],
    ],
    correct: [
        &["The licence of {p} costs {v} euros now."],
        &["No, the price of the {p} licence is {v} euros."],
    ],
    reword: [
        &["The vendor of {p} asks for {v} euros from this month on."],
        &["For {p} we pay {v} euros as of today."],
    ],
    ask: [&["How much is the licence of {p}?"], &["What is the price of the {p} licence?"]],
    forget: [&["Forget the price of {p}."], &["Forget what {p} costs."]],
};

pub(super) const ROOM: Slot = Slot {
    values: [&["Oslo", "Havana", "Quito", "Dakar"], &["Lima", "Cairo", "Hanoi", "Accra"]],
    tell: [&["The {p} meeting is in room {v}."], &["We hold the {p} meeting in room {v}."]],
    correct: [
        &["The {p} meeting is in room {v} from now on."],
        &["Make that room {v} for the {p} meeting."],
    ],
    reword: [
        &["We gather in {v} for {p}, the old one is too small."],
        &["For {p} go to {v}, the other one is locked."],
    ],
    ask: [&["In which room is the {p} meeting?"], &["Where do we hold the {p} meeting?"]],
    forget: [&["Forget the room of {p}."], &["Forget where {p} meets."]],
};

pub(super) const SERVER: Slot = Slot {
    values: [&["magpie", "osprey", "plover", "dunlin"], &["curlew", "avocet", "merlin", "gannet"]],
    tell: [&["The staging server of {p} is called {v}."], &["{v} is the staging server of {p}."]],
    correct: [
        &["The staging server of {p} is {v} now."],
        &["Actually, the staging server of {p} is {v}."],
    ],
    reword: [&["{p} is staged on {v} these days."], &["We deploy {p} to {v} first now."]],
    ask: [&["What is the staging server of {p} called?"], &["Which staging server does {p} have?"]],
    forget: [&["Forget the staging server of {p}."], &["Forget the server of {p}."]],
};

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
        values: [&["Kassel", "Bremen"], &["Passau", "Weimar"]],
        tell: ["Meine Schwester wohnt in {v}.", "Meine Schwester lebt in {v}."],
        correct: ["Meine Schwester wohnt jetzt in {v}.", "Nein, meine Schwester lebt in {v}."],
        ask: ["Wo wohnt meine Schwester?", "Wo lebt meine Schwester?"],
    },
    ForeignSlot {
        values: [&["Brandt", "Scholz"], &["Vogel", "Lorenz"]],
        tell: ["Mein Hausarzt heißt {v}.", "Der Name meines Hausarztes ist {v}."],
        correct: ["Mein Hausarzt heißt jetzt {v}.", "Der Name meines Hausarztes ist doch {v}."],
        ask: ["Wie heißt mein Hausarzt?", "Wie ist der Name meines Hausarztes?"],
    },
    ForeignSlot {
        values: [&["Nantes", "Rennes"], &["Dijon", "Angers"]],
        tell: ["Mon frère habite à {v}.", "Mon frère vit à {v}."],
        correct: ["En fait, mon frère habite à {v}.", "Mon frère vit désormais à {v}."],
        ask: ["Où habite mon frère ?", "Où vit mon frère ?"],
    },
    ForeignSlot {
        values: [&["Caramel", "Noisette"], &["Réglisse", "Myrtille"]],
        tell: ["Mon chat s'appelle {v}.", "Le nom de mon chat est {v}."],
        correct: ["Non, mon chat s'appelle {v}.", "Le nom de mon chat est plutôt {v}."],
        ask: ["Comment s'appelle mon chat ?", "Quel est le nom de mon chat ?"],
    },
    ForeignSlot {
        values: [&["Burgos", "Toledo"], &["Cuenca", "Murcia"]],
        tell: ["Mi hermana vive en {v}.", "La casa de mi hermana está en {v}."],
        correct: [
            "Ahora mi hermana vive en {v}.",
            "Mejor dicho, la casa de mi hermana está en {v}.",
        ],
        ask: ["¿Dónde vive mi hermana?", "¿Dónde está la casa de mi hermana?"],
    },
    ForeignSlot {
        values: [&["4417", "9082"], &["6631", "2750"]],
        tell: ["El código de mi taquilla es {v}.", "Mi taquilla tiene el código {v}."],
        correct: [
            "Ya no, el código de mi taquilla es {v}.",
            "Mi taquilla tiene ahora el código {v}.",
        ],
        ask: ["¿Cuál es el código de mi taquilla?", "¿Qué código tiene mi taquilla?"],
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
    ],
    &[
        (1, "The gardener comes tomorrow at 7.", "When does the gardener come?"),
        (-1, "The concert was yesterday.", "When was the concert?"),
        (4, "The visa interview is in four days.", "When is the visa interview?"),
        (2, "Übermorgen ist die Taufe.", "Wann ist die Taufe?"),
        (-1, "Gestern war das Konzert der Kinder.", "Wann war das Konzert der Kinder?"),
        (1, "Mañana viene el fontanero a las 8.", "¿Cuándo viene el fontanero?"),
    ],
];

/// What is passed on: the words, and what the one who passed it on asks of themselves.
pub(super) const FORWARDED: [&[(&str, &str)]; 2] = [
    &[
        ("Fwd from {w}: My birthday is on {v}.", "When is my birthday?"),
        ("{w} wrote to me: \"My birthday is on {v}.\"", "On which day is my birthday?"),
    ],
    &[
        ("Forwarded from {w}: I was born on {v}.", "On which day was I born?"),
        ("{w} said: \"I was born on {v}.\"", "When was I born?"),
    ],
];
pub(super) const BIRTHDAYS: [&[&str]; 2] = [
    &["4 January", "19 August", "27 October", "8 December"],
    &["11 January", "23 August", "2 October", "15 December"],
];

/// What nobody else is to hear: the words, and how another asks.
pub(super) const PRIVATE: [&[(&str, &str)]; 2] = [
    &[
        ("Between us: my salary is {v} euros.", "What is the salary of {w}?"),
        ("The code of my safe is {v}, tell nobody.", "What is the code of the safe of {w}?"),
    ],
    &[
        ("In confidence: my bonus is {v} euros.", "How high is the bonus of {w}?"),
        ("My alarm code is {v}, keep it to yourself.", "What is the alarm code of {w}?"),
    ],
];
pub(super) const SECRETS: [&[&str]; 2] =
    [&["48,310", "51,977", "7734", "9120"], &["62,405", "39,882", "5518", "8046"]];

/// Standing wishes that stand, and how some are taken back.
pub(super) const WISHES: [&[&str]; 2] = [
    &["Always answer in French.", "Never call me {v}.", "From now on use euros for prices."],
    &["Please always answer in Spanish.", "Don't call me {v}.", "Ab jetzt antworte bitte kurz."],
];
pub(super) const NICKNAMES: [&[&str]; 2] =
    [&["Kimmy", "Boss", "Chief"], &["Buddy", "Captain", "Doc"]];
pub(super) const TAKEN_BACK: [&[(&str, &str)]; 2] = [
    &[
        ("Always answer in German.", "You don't have to answer in German any more."),
        ("Never use emojis.", "You can use emojis again."),
    ],
    &[
        ("From now on answer in Italian.", "You no longer need to answer in Italian."),
        ("Don't mention my boat.", "You may mention my boat again."),
    ],
];

/// What nobody ever spoke of.
pub(super) const UNHEARD: [&[&str]; 2] = [
    &["What is my blood type?", "Which instrument does my aunt play?"],
    &["What is my shoe size?", "Which constellation is my cousin's favourite?"],
];
