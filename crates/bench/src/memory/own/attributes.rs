//! What can be known of people and of projects, each in several words of saying and of asking.
//!
//! Braces stand for the name (`{n}`), the value (`{v}`) and the value before (`{o}`). Some questions share no word of
//! weight with what was said but the name.

/// Something that people or projects have, one value at a time.
#[derive(Debug)]
pub(super) struct Attribute {
    /// Values that it can have.
    pub(super) values: &'static [&'static str],
    /// How its owner says it, or whoever speaks of a project.
    pub(super) said: [&'static str; 3],
    /// How somebody else says it.
    pub(super) told: [&'static str; 2],
    /// How its change is said.
    pub(super) changed: [&'static str; 3],
    /// How it is retracted.
    pub(super) retracted: &'static str,
    /// The fact that is learnt.
    pub(super) fact: &'static str,
    /// Questions by the usual word for it.
    pub(super) direct: [&'static str; 2],
    /// Questions without it.
    pub(super) otherwise: [&'static str; 3],
    /// How its owner asks.
    pub(super) own: &'static str,
}

/// What people have.
pub(super) const OF_PEOPLE: &[Attribute] = &[
    Attribute {
        values: &["Lisbon", "Ghent", "Tromsø", "Kraków", "Valencia", "Bergen", "Leipzig", "Cork"],
        said: [
            "By the way, I live in {v}, so calls before nine are hard for me.",
            "I have settled in {v} with my family and we like the quiet.",
            "My flat in {v} has no heating this week, please forgive my mood.",
        ],
        told: [
            "{n} lives in {v}, so send the parcel there.",
            "Just so you know, {n} is based in {v} these days.",
        ],
        changed: [
            "We moved from {o} to {v} at the weekend, boxes everywhere.",
            "I have left {o} behind: {v} is home now.",
            "Correction of my address: no longer {o}, it is {v} from this month on.",
        ],
        retracted: "What I told you about where I live was wrong, please forget that.",
        fact: "{n} lives in {v}",
        direct: ["Where does {n} live?", "Which city does {n} live in?"],
        otherwise: [
            "What town is {n} at home in?",
            "Where would a letter reach {n}?",
            "In what place is {n} to be found after work?",
        ],
        own: "Where do I live?",
    },
    Attribute {
        values: &[
            "Helix Energy",
            "Northwind",
            "Aldgate Press",
            "Mirador Labs",
            "Kestrel Air",
            "Oakbank",
        ],
        said: [
            "I work for {v}, mostly on their billing.",
            "My employer {v} wants me in the office twice a week.",
            "I signed with {v}, they make a decent coffee.",
        ],
        told: ["{n} works for {v}.", "I heard that {n} has a contract with {v}."],
        changed: [
            "I quit {o} and work for {v} since Monday.",
            "After four years at {o} I have gone over to {v}.",
            "New badge, new desk: {v} instead of {o}.",
        ],
        retracted: "Please forget what I said about the company I work for, it is not public.",
        fact: "{n} works for {v}",
        direct: ["Who does {n} work for?", "Which company does {n} work for?"],
        otherwise: [
            "Who pays the salary of {n}?",
            "What is the name of {n}'s employer?",
            "At which firm does {n} have a job?",
        ],
        own: "Which company do I work for?",
    },
    Attribute {
        values: &["Helix", "Emacs", "Neovim", "Zed", "Kakoune", "Sublime"],
        said: [
            "My editor is {v}, I have used it for everything since spring.",
            "I do all my typing in {v} by now.",
            "I edit with {v} and would not go back.",
        ],
        told: ["{n} edits everything in {v}.", "If you pair with {n}, bring patience for {v}."],
        changed: [
            "I gave up {o} and use {v} as my editor now.",
            "Goodbye {o}, from today my editor is {v}.",
            "I switched from {o} to {v}; my fingers are still confused.",
        ],
        retracted: "The thing about my editor was a joke, forget that.",
        fact: "The editor of {n} is {v}",
        direct: ["Which editor does {n} use?", "What is {n}'s editor?"],
        otherwise: [
            "What does {n} write code in?",
            "Which program does {n} have open all day for source files?",
            "With what software does {n} program?",
        ],
        own: "Which editor do I use?",
    },
    Attribute {
        values: &["Biscuit", "Pixel", "Moss", "Juniper", "Waffle", "Sprocket", "Olive"],
        said: [
            "Our dog is called {v} and barks at every parcel.",
            "My dog {v} sleeps under the desk while I write this.",
            "We took in a dog, {v}, from the shelter.",
        ],
        told: ["The dog of {n} is called {v}.", "{n} brings {v} to the office, a very calm dog."],
        changed: [
            "We had to say goodbye to {o}; our new dog is called {v}.",
            "{o} went to my sister, the dog at our home is {v} now.",
            "The puppy has a new name: {v}, not {o} any more.",
        ],
        retracted: "I should not have written about the dog, please forget that.",
        fact: "The dog of {n} is called {v}",
        direct: ["What is the dog of {n} called?", "What is the name of {n}'s dog?"],
        otherwise: [
            "Which pet does {n} have?",
            "Who barks at {n}'s house?",
            "What name would I shout to call {n}'s four-legged friend?",
        ],
        own: "What is my dog called?",
    },
    Attribute {
        values: &["cello", "trombone", "harp", "banjo", "oboe", "accordion"],
        said: [
            "I play the {v} in a small orchestra on Thursdays.",
            "Sorry, I was practising the {v} and missed your message.",
            "I take lessons on the {v}, the neighbours are patient.",
        ],
        told: ["{n} plays the {v} rather well.", "You should hear {n} on the {v}."],
        changed: [
            "I sold the {o} and play the {v} now.",
            "My shoulder ended the {o}, so I took up the {v}.",
            "No more {o} for me, the {v} is the instrument I play these days.",
        ],
        retracted: "Forget about the instrument I mentioned, that was somebody else.",
        fact: "{n} plays the {v}",
        direct: ["Which instrument does {n} play?", "What does {n} play in the orchestra?"],
        otherwise: [
            "How does {n} make music?",
            "What musical hobby does {n} have?",
            "What would {n} bring to a concert to perform on?",
        ],
        own: "Which instrument do I play?",
    },
    Attribute {
        values: &["peanuts", "shellfish", "celery", "penicillin", "sesame", "kiwi"],
        said: [
            "I am allergic to {v}, badly.",
            "Please remember my allergy against {v} when you order.",
            "No {v} for me, my throat swells up.",
        ],
        told: ["{n} is allergic to {v}.", "Mind that {n} cannot have {v}."],
        changed: [
            "The new test says it is {v} that I am allergic to, not {o}.",
            "My doctor was wrong about {o}: the allergy is against {v}.",
            "It turned out that {o} is fine and {v} is what I react to.",
        ],
        retracted: "I am not allergic after all, forget that.",
        fact: "{n} is allergic to {v}",
        direct: ["What is {n} allergic to?", "Which allergy does {n} have?"],
        otherwise: [
            "What must not be on {n}'s plate?",
            "What makes {n} ill?",
            "Which substance should be kept away from {n}?",
        ],
        own: "What am I allergic to?",
    },
    Attribute {
        values: &["oolong tea", "flat white", "mate", "ginger beer", "tonic water", "rooibos"],
        said: [
            "My favourite drink is {v}, always.",
            "I start no meeting without a {v}.",
            "Somebody handed me a {v} and the day was saved, it is my favourite.",
        ],
        told: ["The favourite drink of {n} is {v}.", "Get {n} a {v} and everything will be fine."],
        changed: [
            "I am off {o}, my favourite drink is {v} now.",
            "Since the summer I prefer {v} to {o}.",
            "{o} gives me headaches, so it is {v} from now on.",
        ],
        retracted: "Forget what I said about my favourite drink, I was teasing.",
        fact: "The favourite drink of {n} is {v}",
        direct: ["What is the favourite drink of {n}?", "Which drink does {n} prefer?"],
        otherwise: [
            "What should I order for {n} at the bar?",
            "What does {n} like to have in the cup?",
            "With which beverage can I make {n} happy?",
        ],
        own: "What is my favourite drink?",
    },
    Attribute {
        values: &["train", "ferry", "bicycle", "tram", "scooter", "bus"],
        said: [
            "I come to the office by {v}, half an hour each way.",
            "My {v} to the office was late again.",
            "I commute by {v} and read on the way.",
        ],
        told: ["{n} commutes by {v}.", "{n} takes the {v} to the office."],
        changed: [
            "I stopped taking the {o}; I commute by {v} now.",
            "The {o} line is closed, so I come by {v} from now on.",
            "From this week on it is the {v} instead of the {o} for me.",
        ],
        retracted: "What I said about my commute is wrong, forget it.",
        fact: "{n} commutes by {v}",
        direct: ["How does {n} commute?", "How does {n} come to the office?"],
        otherwise: [
            "What means of transport does {n} use on workdays?",
            "How does {n} travel in the morning?",
            "Which vehicle brings {n} to us?",
        ],
        own: "How do I commute?",
    },
];

/// What projects have.
pub(super) const OF_PROJECTS: &[Attribute] = &[
    Attribute {
        values: &["PostgreSQL", "SQLite", "CockroachDB", "MariaDB", "ScyllaDB", "DuckDB"],
        said: [
            "{n} keeps its records in {v}.",
            "The database of {n} is {v}, version and all in the wiki.",
            "We decided on {v} for the tables of {n}.",
        ],
        told: ["The database behind {n} is {v}.", "All orders of {n} end up in {v}."],
        changed: [
            "We moved the database of {n} from {o} to {v} last night.",
            "{n} no longer runs on {o}, its database is {v} now.",
            "Goodbye {o}: since the migration {n} keeps everything in {v}.",
        ],
        retracted: "What I said about the database of {n} was wrong, forget that.",
        fact: "The database of {n} is {v}",
        direct: ["Which database does {n} use?", "What is the database of {n}?"],
        otherwise: [
            "Where does {n} store its rows?",
            "What persists the state of {n}?",
            "Into which storage engine does {n} write?",
        ],
        own: "Which database does {n} use?",
    },
    Attribute {
        values: &["Rust", "Elixir", "Kotlin", "OCaml", "Clojure", "Haskell"],
        said: [
            "{n} is written in {v}.",
            "The language of {n} is {v}, as the newcomers will notice.",
            "We wrote the whole of {n} in {v}.",
        ],
        told: ["All of {n} is {v} code.", "You need some {v} to help with {n}."],
        changed: [
            "We rewrote {n}: it was {o} and is {v} now.",
            "The last {o} file of {n} is gone, the language is {v}.",
            "{n} moved from {o} to {v} after a long discussion.",
        ],
        retracted: "I mixed up the language of {n}, please forget that.",
        fact: "{n} is written in {v}",
        direct: ["Which language is {n} written in?", "What is the language of {n}?"],
        otherwise: [
            "What should I learn before I contribute code to {n}?",
            "Which compiler builds {n}?",
            "What kind of programmers does {n} look for?",
        ],
        own: "Which language is {n} written in?",
    },
    Attribute {
        values: &["Frankfurt", "Oregon", "Mumbai", "Dublin", "Osaka", "Montreal"],
        said: [
            "The servers of {n} stand in {v}.",
            "{n} is hosted in {v}, the latency is fine.",
            "We put {n} into the data centre of {v}.",
        ],
        told: ["{n} is served from {v}.", "The machines of {n} are all in {v}."],
        changed: [
            "The servers of {n} moved from {o} to {v}.",
            "We left the data centre in {o}, {n} is hosted in {v} now.",
            "{n} is served from {v} since this morning and no longer from {o}.",
        ],
        retracted: "The place of the servers of {n} that I named is wrong, forget that.",
        fact: "The servers of {n} stand in {v}",
        direct: ["Where do the servers of {n} stand?", "Where is {n} hosted?"],
        otherwise: [
            "In which region does {n} run?",
            "From where in the world does {n} answer its users?",
            "What location has the hardware of {n}?",
        ],
        own: "Where is {n} hosted?",
    },
    Attribute {
        values: &["Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Sundays"],
        said: [
            "{n} is released on {v}.",
            "We release {n} on {v}, after lunch.",
            "The release day of {n} is set: {v}.",
        ],
        told: ["Releases of {n} go out on {v}.", "{n} ships on {v} as far as I know."],
        changed: [
            "We release {n} on {v} now, no longer on {o}.",
            "The release day of {n} has changed from {o} to {v}.",
            "Too many broken {o}: {n} is released on {v} from now on.",
        ],
        retracted: "The release day of {n} that I gave you is wrong, forget that.",
        fact: "{n} is released on {v}",
        direct: ["When is {n} released?", "What is the release day of {n}?"],
        otherwise: [
            "On what weekday do new versions of {n} go out?",
            "When can customers expect the next {n}?",
            "On which day does {n} ship?",
        ],
        own: "When is {n} released?",
    },
    Attribute {
        values: &["Buildkite", "Jenkins", "Drone", "Concourse", "Woodpecker", "TeamCity"],
        said: [
            "The pipeline of {n} runs on {v}.",
            "{n} is built by {v} at every push.",
            "We set up {v} to build {n}.",
        ],
        told: ["{v} builds {n}.", "The checks of {n} are run by {v}."],
        changed: [
            "We moved the pipeline of {n} from {o} to {v}.",
            "{o} was too slow, {n} is built by {v} now.",
            "The builds of {n} run on {v} since yesterday, {o} is switched off.",
        ],
        retracted: "What I told you about the pipeline of {n} was wrong, forget that.",
        fact: "The pipeline of {n} runs on {v}",
        direct: ["What does the pipeline of {n} run on?", "What builds {n}?"],
        otherwise: [
            "Which CI tests {n}?",
            "Where do I look when the automatic checks of {n} are red?",
            "What service does continuous integration for {n}?",
        ],
        own: "What builds {n}?",
    },
    Attribute {
        values: &["Anselm", "Beatriz", "Chidi", "Dagmar", "Emre", "Farida"],
        said: [
            "{v} reviews all changes of {n}.",
            "The reviewer of {n} is {v}.",
            "Send your patches for {n} to {v} for review.",
        ],
        told: ["{v} is the one who reviews {n}.", "No change of {n} lands without {v}'s review."],
        changed: [
            "{v} took over the reviews of {n} from {o}.",
            "{o} is on leave, the reviewer of {n} is {v} now.",
            "The reviews of {n} are done by {v} from today on, not by {o}.",
        ],
        retracted: "I named the wrong reviewer of {n}, forget that.",
        fact: "The reviewer of {n} is {v}",
        direct: ["Who reviews {n}?", "Who is the reviewer of {n}?"],
        otherwise: [
            "Who has to approve my pull request to {n}?",
            "Whose sign-off does {n} need?",
            "Who looks over patches for {n}?",
        ],
        own: "Who reviews {n}?",
    },
    Attribute {
        values: &["1,200", "3,400", "5,500", "7,900", "9,100", "12,600"],
        said: [
            "The budget of {n} is {v} euros a month.",
            "We may spend {v} euros a month on {n}, that is its budget.",
            "Finance gave {n} a budget of {v} euros.",
        ],
        told: ["{n} has a budget of {v} euros.", "The monthly budget for {n} stands at {v} euros."],
        changed: [
            "The budget of {n} was changed from {o} to {v} euros.",
            "Finance took back the {o}: {n} has a budget of {v} euros now.",
            "From this quarter on the budget of {n} is {v} euros instead of {o}.",
        ],
        retracted: "The budget of {n} that I wrote is wrong, forget that.",
        fact: "The budget of {n} is {v} euros a month",
        direct: ["What is the budget of {n}?", "How large is the monthly budget of {n}?"],
        otherwise: [
            "How much money may {n} spend?",
            "What does {n} cost us at most?",
            "Which sum is set aside for {n}?",
        ],
        own: "What is the budget of {n}?",
    },
    Attribute {
        values: &["#amber", "#breeze", "#canyon", "#delta-room", "#ember", "#fjord"],
        said: [
            "The channel of {n} is {v}.",
            "We talk about {n} in {v}.",
            "Join {v} if you want to follow {n}.",
        ],
        told: ["Everything about {n} is posted in {v}.", "{v} is where the people of {n} chat."],
        changed: [
            "The channel of {n} moved from {o} to {v}.",
            "{o} is archived, we talk about {n} in {v} now.",
            "Please use {v} instead of {o} for {n}.",
        ],
        retracted: "The channel of {n} that I named does not exist, forget that.",
        fact: "The channel of {n} is {v}",
        direct: ["What is the channel of {n}?", "In which channel do we talk about {n}?"],
        otherwise: [
            "Where can I ask a question about {n}?",
            "Where is {n} discussed?",
            "Which room should I join for news of {n}?",
        ],
        own: "What is the channel of {n}?",
    },
];

/// People who talk to the agent.
pub(super) const PEOPLE: [&str; 12] = [
    "Nadia", "Tomas", "Ingrid", "Kwame", "Priya", "Lucien", "Marta", "Yusuf", "Elin", "Dario",
    "Hana", "Owen",
];

/// What they work on.
pub(super) const PROJECTS: [&str; 8] =
    ["Lantern", "Heron", "Quarry", "Saffron", "Tundra", "Cobalt", "Meadow", "Basalt"];

/// What nobody ever says anything about.
pub(super) const UNHEARD_OF: [&str; 10] = [
    "What is {n}'s shoe size?",
    "Which airline does {n} fly with?",
    "Who was {n}'s teacher in primary school?",
    "What colour is {n}'s umbrella?",
    "Which chess opening does {n} play?",
    "What is the licence plate of {n}'s caravan?",
    "Which telescope did {n} buy?",
    "What did {n} name the sailing boat?",
    "How many marathon medals does {n} own?",
    "Which opera made {n} cry?",
];
