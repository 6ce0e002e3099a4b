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

pub(super) const PHONE: Slot = Slot {
    values: [
        &["0631 874402", "0655 120938", "0677 449021", "0612 908834"],
        &["0718 264930", "0752 901386", "0735 648217", "0761 093574"],
    ],
    tell: [
        &[
            "My phone number is {v}.",
            "Please remember that my phone number is {v}.",
            "You can ring me on {v}.",
            "my number's {v}, just so you have it",
            "If anything urgent comes up, the best way to reach me is my mobile, {v}.",
            "Could you save my phone number for me? It's {v}.",
            "Here is my mobile number: {v}",
        ],
        &[
            "My mobile is {v}, in case you ever need it.",
            "Here's my phone number: {v}",
            "Please remember that my mobile number is {v}.",
            "If something's urgent, ring me on {v}.",
        ],
    ],
    correct: [
        &[
            "Sorry, my phone number is {v}.",
            "No, my phone number is {v}.",
            "I got a new phone number, it's {v}.",
            "oh wait, that was the wrong number, mine is {v}",
            "My number has changed, please use {v} from now on.",
            "Correction: my phone number is {v}, not the one I gave you before.",
            "Actually my mobile number is {v} now.",
        ],
        &[
            "Correction, my mobile is {v}.",
            "I gave you the wrong phone number, it should be {v}.",
            "My phone number has changed, it's {v} now.",
        ],
    ],
    reword: [
        &[
            "I switched operators, call {v} from today.",
            "New SIM card as of this morning, text {v} if you want to get hold of me.",
            "The old line has been cut off, I only pick up on {v}.",
            "Lost my handset and had to get a replacement, so dial {v} instead.",
            "I can only be called at {v} these days, the other one is dead.",
            "Had to change provider, try {v} when you want to talk to me.",
            "new contract, new digits: {v}",
        ],
        &[
            "Got a new contract, so please text {v} from here on.",
            "The old line is dead, use {v} to get hold of me.",
            "If you want to talk, dial {v}, the other one has been cut off.",
        ],
    ],
    ask: [
        &[
            "What is my phone number?",
            "what's my number again?",
            "Can you tell me my mobile number?",
            "On which number can people reach me?",
            "Which phone number do you have for me?",
            "I have to fill in a form, what was my phone number?",
            "Remind me of my phone number, please.",
        ],
        &[
            "What's my phone number again?",
            "Can you tell me my own mobile number?",
            "On which number can people ring me?",
        ],
    ],
    forget: [
        &[
            "Forget my phone number.",
            "Please forget my phone number.",
            "forget that my number is {v}",
            "Please forget how to reach me by phone.",
            "Forget my mobile number, I'd rather not have it stored.",
            "Please forget that my phone number is {v}.",
        ],
        &[
            "Forget the phone number I gave you.",
            "Please forget my mobile number.",
            "forget that my phone number is {v}",
        ],
    ],
};

pub(super) const CITY: Slot = Slot {
    values: [&["Lyon", "Bergen", "Porto", "Gdansk"], &["Aarhus", "Bologna", "Ghent", "Coimbra"]],
    tell: [
        &[
            "I live in {v}.",
            "My home is in {v}.",
            "I'm based in {v}, by the way.",
            "we live in {v}, right by the station",
            "Just so you know, I live in {v} with my family.",
            "{v} is where I live.",
            "I have been living in {v} for six years now.",
        ],
        &[
            "I'm based in {v}.",
            "I live in {v}, quite close to the station.",
            "Home for me is {v}.",
            "I'm living in {v} at the moment.",
        ],
    ],
    correct: [
        &[
            "I no longer live there, I live in {v} now.",
            "I live in {v} now.",
            "Sorry, I live in {v}, I wrote that wrong.",
            "No, I live in {v}.",
            "small correction, I'm based in {v} these days",
            "My home is in {v} now, please update that.",
            "Actually I live in {v}, not where I told you before.",
        ],
        &[
            "I moved, I live in {v} now.",
            "Wait, that's wrong, I live in {v}.",
            "Home is {v} these days, not where I said before.",
        ],
    ],
    reword: [
        &[
            "We moved to {v} at the weekend.",
            "We have settled in {v}, the boxes are nearly all unpacked.",
            "The new flat in {v} is finally ours and the old keys are handed back.",
            "finally moved! {v} it is now",
            "Our new address is in {v}, we gave up the old place last week.",
            "After the move to {v} I still get lost on the way to the supermarket.",
        ],
        &[
            "Just got the keys to our new flat, we've settled in {v}.",
            "I packed up everything and relocated to {v}.",
            "All the boxes are unpacked, so from today you'll find us in {v}.",
        ],
    ],
    ask: [
        &[
            "Where do I live?",
            "Which city do I live in?",
            "where am I living at the moment?",
            "Do you know where my home is?",
            "In which town am I based?",
            "What city should I put down as my home?",
            "Remind me, which city do I live in?",
        ],
        &["What city do I live in?", "Where is home for me?", "Do you remember where I'm living?"],
    ],
    forget: [
        &[
            "Forget that I live in {v}.",
            "Please forget where I live.",
            "Forget which city I live in.",
            "forget that I live in {v}, please",
            "Please forget that my home is in {v}.",
            "Forget where I'm based.",
            "Please forget the city I live in, that's nobody's concern.",
        ],
        &[
            "Forget the city I live in.",
            "Please forget where my home is.",
            "forget that I'm based in {v}",
        ],
    ],
};

pub(super) const DENTIST: Slot = Slot {
    values: [
        &["Okafor", "Lindqvist", "Marchetti", "Dubois"],
        &["Abernathy", "Kowalczyk", "Ferreira", "Haddad"],
    ],
    tell: [
        &[
            "My dentist is Dr {v}.",
            "Remember that my dentist is Dr {v}.",
            "I go to Dr {v} for my teeth.",
            "my dentist's name is Dr {v}, in case I ever need to look it up",
            "Could you note down that Dr {v} is my dentist?",
            "I've been seeing Dr {v} as my dentist for years.",
        ],
        &[
            "Dr {v} is my dentist.",
            "My dentist's name is Dr {v}.",
            "Please remember that I have Dr {v} as my dentist.",
            "When I need a dentist I always go to Dr {v}.",
        ],
    ],
    correct: [
        &[
            "No, my dentist is Dr {v}.",
            "Sorry, I mixed that up, my dentist is Dr {v}.",
            "My dentist is Dr {v} now.",
            "wrong name, my dentist is called Dr {v}",
            "Actually my dentist is Dr {v}, please correct that.",
            "Correction: Dr {v} is my dentist.",
        ],
        &[
            "Small correction: my dentist's name is Dr {v}.",
            "I have a new dentist, Dr {v}.",
            "Not quite, Dr {v} is my dentist.",
        ],
    ],
    reword: [
        &[
            "I changed practices, Dr {v} looks after my teeth.",
            "The old practice closed, so Dr {v} does my check-ups now.",
            "Dr {v} has taken over my fillings and cleanings.",
            "My molars are in the hands of Dr {v} these days, the other one retired.",
            "switched to Dr {v} for tooth stuff",
            "I wasn't happy after the last root canal, so Dr {v} treats me from here on.",
            "The next crown will be done by Dr {v}, I have left the old surgery.",
        ],
        &[
            "The old practice closed, so Dr {v} does my check-ups and fillings these days.",
            "I'm registered with Dr {v} now for cleanings and fillings.",
            "If a tooth hurts I see Dr {v} from now on, much gentler.",
        ],
    ],
    ask: [
        &[
            "What is the name of my dentist?",
            "Who is my dentist?",
            "what's my dentist called again?",
            "Can you tell me who looks after my teeth?",
            "Who do I see for my teeth?",
            "I have a terrible toothache, who is my dentist?",
        ],
        &["Who's my dentist again?", "Which dentist do I go to?", "What's my dentist's name?"],
    ],
    forget: [
        &[
            "Forget who my dentist is.",
            "Please forget my dentist.",
            "Forget my dentist's name.",
            "Please forget the name of my dentist, I don't want it on record.",
            "Forget which dentist I go to.",
            "Please forget that I go to Dr {v} for my teeth.",
        ],
        &[
            "Forget what I told you about my dentist.",
            "Please forget the name of my dentist.",
            "forget that Dr {v} is my dentist",
        ],
    ],
};

pub(super) const DOG: Slot = Slot {
    values: [&["Biscuit", "Rufus", "Pepper", "Mocha"], &["Pickle", "Toffee", "Bandit", "Hazel"]],
    tell: [
        &[
            "My dog is called {v}.",
            "Remember that my dog is called {v}.",
            "We have a dog, his name is {v}.",
            "{v} is my dog, you will hear about him a lot.",
            "By the way, our dog is called {v}.",
            "I have a little terrier called {v}, he is the best dog in the world.",
        ],
        &[
            "We have a dog, the name is {v}.",
            "My dog's name is {v}.",
            "Please remember that my dog's name is {v}.",
            "{v} is my dog, by the way.",
        ],
    ],
    correct: [
        &[
            "Sorry, my dog is called {v}.",
            "No, my dog's name is {v}.",
            "my dog is called {v} now",
            "Actually the dog is called {v}, I mistyped.",
            "Correction: the name of my dog is {v}.",
            "I got that wrong, our dog is called {v}.",
            "It's {v}, that's what my dog is called.",
        ],
        &[
            "Oops, typo, my dog's name is {v}.",
            "The dog goes by {v} now.",
            "I meant {v}, that's my dog's name.",
        ],
    ],
    reword: [
        &[
            "We renamed the puppy {v}.",
            "The kids didn't like it, so the puppy answers to {v} now.",
            "Our four-legged friend goes by {v} these days.",
            "The little furball has been rechristened {v}.",
            "We decided {v} suits the pup better, so that's what we shout in the park.",
            "the pup is {v} from today, family vote",
            "Walkies are with {v} from now on, we gave the hound another name.",
        ],
        &[
            "The kids wanted something cuter, so our four-legged friend is {v} from now on.",
            "At the shelter they told us the pup is really called {v}.",
            "On walks we shout {v} these days, the little one listens better to that.",
        ],
    ],
    ask: [
        &[
            "What is my dog called?",
            "What's the name of my dog?",
            "Do you remember my dog's name?",
            "How is my dog called?",
            "Can you tell me the name of our dog?",
            "The vet is asking, what is my dog's name?",
        ],
        &[
            "What's my dog's name?",
            "Do you know what my dog is called?",
            "What did I say my dog's name was?",
        ],
    ],
    forget: [
        &[
            "Forget my dog's name.",
            "Please forget what my dog is called.",
            "Please forget my dog.",
            "Forget about my dog, I shouldn't have mentioned him.",
            "Please forget that we have a dog called {v}.",
            "Please forget everything about our dog.",
        ],
        &[
            "Forget the name of my dog.",
            "Please forget what I said about my dog.",
            "forget that my dog is called {v}",
        ],
    ],
};

pub(super) const EMPLOYER: Slot = Slot {
    values: [
        &["Northwind", "Tessella", "Quarrix", "Ombra"],
        &["Brightmoor", "Solvanta", "Kestrix", "Pellworth"],
    ],
    tell: [
        &[
            "I work at {v}.",
            "My employer is {v}.",
            "I've got a job at {v}, in accounting.",
            "just so you know, I work for a company called {v}",
            "I have been with {v} for three years, mostly in customer support.",
            "For context: I'm employed at {v}.",
        ],
        &[
            "I work for {v}.",
            "I've got a job at {v}.",
            "The company I work for is {v}.",
            "I'm employed at {v}, in the finance team.",
        ],
    ],
    correct: [
        &[
            "From now on I work at {v}.",
            "I work at {v} now.",
            "Sorry, I work for {v}.",
            "my employer is {v} now",
            "No, I work at {v}, I got that wrong.",
            "Actually I work for {v} these days.",
            "Please correct that: my employer is {v}.",
        ],
        &[
            "I've changed jobs and work for {v} now.",
            "Sorry, the company I work for is {v}.",
            "New job! I'm employed at {v} now.",
        ],
    ],
    reword: [
        &[
            "I quit and joined {v}.",
            "I handed in my notice and started over at {v}.",
            "New job! {v} hired me.",
            "Today was my first day at {v}, I left the old company.",
            "{v} made me an offer and I took it, so goodbye to the old office.",
            "{v} pays my wages now.",
            "changed jobs, it's {v} now",
        ],
        &[
            "Handed in my notice, from this month {v} pays my salary.",
            "I let {v} hire me away.",
            "Signed the contract with {v} and said goodbye to my old colleagues.",
        ],
    ],
    ask: [
        &[
            "Where do I work?",
            "Who is my employer?",
            "What is the name of the company I work for?",
            "Can you remind me where I'm employed?",
            "Who do I work for at the moment?",
            "what do I put under employer on this form?",
        ],
        &["Which company do I work for?", "Who do I work for?", "What's the name of my employer?"],
    ],
    forget: [
        &[
            "Forget where I work.",
            "Please forget my employer.",
            "Forget who I work for.",
            "forget that I work at {v}",
            "Please forget the company I work for.",
            "Forget that my employer is {v}.",
            "Please forget where I'm employed.",
        ],
        &[
            "Forget which company I work for.",
            "Please forget who my employer is.",
            "forget that I work for {v}",
        ],
    ],
};

pub(super) const DESK: Slot = Slot {
    values: [&["417", "233", "508", "126"], &["319", "846", "572", "967"]],
    tell: [
        &[
            "My desk is number {v}.",
            "I sit at desk {v}.",
            "my desk number is {v} if anyone is looking for me",
            "I have been given desk {v}, next to the window.",
            "Desk {v} is mine.",
            "Please put any post for me on desk {v}, that is where I sit.",
        ],
        &["My desk number is {v}.", "btw I'm at desk {v}", "You'll find me at desk {v}."],
    ],
    correct: [
        &[
            "My desk is number {v} now.",
            "Sorry, my desk is number {v}.",
            "No, I sit at desk {v}.",
            "I'm at desk {v} now.",
            "Correction, my desk number is {v}.",
            "Actually desk {v} is mine.",
            "typo, I meant desk {v}",
        ],
        &[
            "I've been moved, my desk number is {v} now.",
            "Wrong one, I'm at desk {v}.",
            "As of today you'll find me at desk {v}.",
        ],
    ],
    reword: [
        &[
            "Facilities put me at {v}.",
            "I had to swap places, I'm over at {v} now.",
            "They moved my seat to {v}.",
            "After the reshuffle I am sitting at {v}.",
            "New spot in the office for me: {v}.",
            "carried my monitor and my plants over to {v} today, that's my new place",
            "The whole team changed seats and I ended up at {v}.",
        ],
        &[
            "After the office reshuffle my chair and screen are at {v}.",
            "My workplace got relocated, look for the sign that says {v}.",
            "They carried my monitor over to {v}, that's my spot now.",
        ],
    ],
    ask: [
        &[
            "Which desk is mine?",
            "What is my desk number?",
            "where do I sit?",
            "At which desk do I sit?",
            "Can you tell me which desk I have?",
            "A courier wants to know, which desk am I at?",
        ],
        &["What's my desk number?", "What number is my desk?", "Which desk am I at?"],
    ],
    forget: [
        &[
            "Forget my desk.",
            "Please forget my desk number.",
            "Forget where I sit.",
            "forget that my desk is number {v}",
            "Please forget which desk is mine.",
            "Forget that I sit at desk {v}.",
            "Please forget at which desk I sit.",
        ],
        &[
            "Forget my desk number.",
            "Please forget which desk I'm at.",
            "forget that I'm at desk {v}",
        ],
    ],
};

pub(super) const LAUNCH: Slot = Slot {
    values: [
        &["3 March", "17 April", "9 May", "21 June"],
        &["19 May", "8 June", "24 July", "3 September"],
    ],
    tell: [
        &[
            "The launch of {p} is on {v}.",
            "Remember that the launch of {p} is on {v}.",
            "We are launching {p} on {v}.",
            "The launch date of {p} is {v}.",
            "launch of {p} is planned for {v}, please keep that in mind",
            "Hi, for your notes: {p} will be launched on {v}.",
        ],
        &[
            "{p} launches on {v}.",
            "The launch date for {p} is {v}.",
            "Please remember that {p} launches on {v}.",
            "We're launching {p} on {v}.",
        ],
    ],
    correct: [
        &[
            "The launch of {p} moved to {v}.",
            "The launch of {p} is now on {v}.",
            "{p} launches on {v} now.",
            "Sorry, the launch date of {p} is {v}.",
            "The launch of {p} has been rescheduled to {v}.",
            "No, we launch {p} on {v}.",
            "Change of plan, the launch of {p} will be on {v}.",
        ],
        &[
            "Heads up, the launch of {p} got pushed to {v}.",
            "{p} launches on {v} after all.",
            "New launch date for {p}: {v}",
            "We're launching {p} on {v} now, the board decided.",
        ],
    ],
    reword: [
        &[
            "{p} goes live on {v} instead.",
            "We are not ready, customers will get {p} on {v}.",
            "{p} ships on {v}, the team needs a different date.",
            "The release of {p} slipped to {v}.",
            "Marketing wants {p} out on {v} instead.",
            "new go-live for {p}: {v}",
            "We had to replan, {p} comes out on {v}.",
        ],
        &[
            "Customers get their hands on {p} on {v} instead.",
            "The {p} release slid, we ship it on {v}.",
            "{p} rolls out on {v}, the schedule was changed.",
        ],
    ],
    ask: [
        &[
            "When is the launch of {p}?",
            "what's the launch date of {p}?",
            "On which day do we launch {p}?",
            "Do you know when {p} is going to be launched?",
            "When is {p} going live?",
            "Remind me when {p} launches, please.",
        ],
        &["When does {p} launch?", "What's the launch date for {p}?", "When are we launching {p}?"],
    ],
    forget: [
        &[
            "Forget the launch of {p}.",
            "Please forget the launch date of {p}.",
            "Forget when {p} launches.",
            "Please forget that the launch of {p} is on {v}.",
            "Forget the launch date of {p}, it's all off.",
            "Forget on which day {p} will be launched.",
        ],
        &[
            "Forget the launch date of {p}.",
            "Please forget when we launch {p}.",
            "forget that {p} launches on {v}",
        ],
    ],
};

pub(super) const PRICE: Slot = Slot {
    values: [&["4,200", "6,750", "3,900", "8,100"], &["3,650", "6,120", "11,400", "9,250"]],
    tell: [
        &[
            "The licence of {p} costs {v} euros.",
            "{p} licence is {v} euros a year",
            "The price of the licence for {p} is {v} euros.",
            "The licence fee for {p} comes to {v} euros.",
            "I just got the quote: a licence for {p} costs {v} euros.",
            "Please note that the licence of {p} costs us {v} euros per year.",
        ],
        &[
            "A licence for {p} costs us {v} euros.",
            "The {p} licence is {v} euros.",
            "We pay {v} euros for the {p} licence.",
        ],
    ],
    correct: [
        &[
            "The licence of {p} costs {v} euros now.",
            "Sorry, the licence of {p} costs {v} euros.",
            "The price of the {p} licence is {v} euros now.",
            "No, the {p} licence is {v} euros.",
            "The licence fee for {p} has changed to {v} euros.",
            "Correction: we pay {v} euros for the licence of {p}.",
            "I misread the quote, the {p} licence is {v} euros.",
        ],
        &[
            "The {p} licence is {v} euros now, they changed it.",
            "I misread that, a licence for {p} costs {v} euros.",
            "Update: we pay {v} euros for the {p} licence.",
        ],
    ],
    reword: [
        &[
            "The vendor of {p} asks for {v} euros from this month on.",
            "new rates are in, {p} sets us back {v} euros",
            "The latest invoice for {p} says {v} euros.",
            "We renegotiated and ended up at {v} euros for {p}.",
            "Procurement just signed another contract for {p} at {v} euros.",
            "{p} is billed at {v} euros since the renewal.",
            "They changed their tariffs, we have to budget {v} euros for {p}.",
        ],
        &[
            "Got the renewal quote for {p}, they want {v} euros this time.",
            "The new invoice for {p} says {v} euros, the supplier has adjusted the rates.",
            "{p} will set us back {v} euros from here on, going by the latest offer.",
        ],
    ],
    ask: [
        &[
            "How much is the licence of {p}?",
            "What does the licence of {p} cost?",
            "how much do we pay for {p}?",
            "What is the price of the {p} licence?",
            "Can you tell me the licence fee for {p}?",
            "How many euros does {p} cost us?",
            "I'm doing the budget, what does the {p} licence cost?",
        ],
        &[
            "What does the {p} licence cost?",
            "How much do we pay for the {p} licence?",
            "How many euros is a licence for {p}?",
        ],
    ],
    forget: [
        &[
            "Forget the price of {p}.",
            "Please forget what {p} costs.",
            "Forget the licence fee of {p}.",
            "forget that the {p} licence costs {v} euros",
            "Please forget the price of the licence for {p}.",
            "Forget how much we pay for {p}.",
            "Please forget that the licence of {p} costs {v} euros.",
        ],
        &[
            "Forget what the {p} licence costs.",
            "Please forget the licence price of {p}.",
            "forget that the {p} licence is {v} euros",
        ],
    ],
};

pub(super) const ROOM: Slot = Slot {
    values: [&["Oslo", "Havana", "Quito", "Dakar"], &["Kepler", "Noether", "Curie", "Turing"]],
    tell: [
        &[
            "The {p} meeting is in room {v}.",
            "We meet in {v} for {p}.",
            "The meeting about {p} takes place in room {v}.",
            "{p} meeting: room {v}",
            "I booked room {v} for the {p} meeting.",
            "For everyone working on {p}, our meetings are held in room {v}.",
            "We always have the {p} meeting in {v}.",
        ],
        &[
            "We meet in room {v} for {p}.",
            "The meeting for {p} takes place in room {v}.",
            "The {p} meeting is in {v}, that's the room upstairs.",
        ],
    ],
    correct: [
        &[
            "The {p} meeting is in room {v} from now on.",
            "The {p} meeting is in {v} now.",
            "Sorry, the {p} meeting is in room {v}.",
            "No, we meet in {v} for {p}.",
            "The {p} meeting has moved to room {v}.",
            "room change for the {p} meeting: {v}",
            "Actually I booked {v} for the {p} meeting.",
        ],
        &[
            "The meeting for {p} takes place in room {v} now.",
            "Room change: the {p} meeting is in {v}.",
            "Not that room, we meet in {v} for {p}.",
        ],
    ],
    reword: [
        &[
            "We gather in {v} for {p}, the old one is too small.",
            "Everybody on {p}, please come to {v} instead, the usual place is taken.",
            "{p} folks get together in {v} these days.",
            "The projector broke, so {p} sits down together in {v} from this week.",
            "Facilities gave us {v} for our {p} sessions.",
            "Head over to {v} when it's time for {p}, we've been kicked out of the other one.",
            "see you all in {v} for {p}, no more squeezing into the old place",
        ],
        &[
            "I booked {v} for the {p} crowd, the projector in the other one is broken.",
            "Everyone on {p}, please come to {v} from now on.",
            "The {p} folks sit together in {v} as of this week.",
        ],
    ],
    ask: [
        &[
            "In which room is the {p} meeting?",
            "Where is the {p} meeting?",
            "Where do we meet for {p}?",
            "What is the room of the {p} meeting?",
            "I'm running late, what room is {p} in?",
            "Could you tell me where the {p} meeting takes place?",
        ],
        &[
            "Which room is the {p} meeting in?",
            "Where's the meeting for {p}?",
            "What room do we meet in for {p}?",
        ],
    ],
    forget: [
        &[
            "Forget the room of {p}.",
            "Please forget the room of the {p} meeting.",
            "Forget where the {p} meeting is.",
            "forget that the {p} meeting is in {v}",
            "Please forget where we meet for {p}.",
            "Forget which room {p} is in.",
            "Please forget that we meet in {v} for {p}.",
        ],
        &[
            "Forget which room the {p} meeting is in.",
            "Please forget the meeting room of {p}.",
            "forget that we meet in {v} for {p}",
        ],
    ],
};

pub(super) const SERVER: Slot = Slot {
    values: [
        &["magpie", "osprey", "plover", "dunlin"],
        &["oberon", "phobos", "triton", "callisto"],
    ],
    tell: [
        &[
            "The staging server of {p} is called {v}.",
            "{p} staging runs on {v}.",
            "The staging machine for {p} is {v}.",
            "we use {v} as the staging server of {p}",
            "The name of the staging server for {p} is {v}.",
            "In case you need it, the staging host of {p} is {v}.",
            "{v} is the staging server for {p}.",
        ],
        &[
            "Staging for {p} runs on {v}.",
            "{p} uses {v} as its staging server.",
            "The staging box for {p} is {v}.",
        ],
    ],
    correct: [
        &[
            "The staging server of {p} is {v} now.",
            "Sorry, the staging server of {p} is called {v}.",
            "No, {p} staging runs on {v}.",
            "The staging server of {p} has been changed to {v}.",
            "Correction: {v} is the staging server for {p}.",
            "we use {v} as the staging server of {p} now",
            "The staging machine for {p} is {v} from today.",
        ],
        &[
            "Staging for {p} runs on {v} now.",
            "{p} has a new staging server, {v}.",
            "Small fix: {p} uses {v} as its staging server.",
        ],
    ],
    reword: [
        &[
            "{p} is staged on {v} these days.",
            "We migrated the test environment of {p} over to {v}.",
            "The old box died, so pre-production for {p} lives on {v}.",
            "Deploy {p} to {v} for testing, the other machine is gone.",
            "From this week all trial builds of {p} go to {v}.",
            "ops moved the {p} preview to {v} last night",
            "If you want to try {p} before it goes out, log in to {v}, we shut the other one down.",
        ],
        &[
            "Test builds of {p} go to {v} first from now on.",
            "We shut down the old machine, so try out {p} on {v} before going live.",
            "Before a release, {p} gets checked on {v} these days.",
        ],
    ],
    ask: [
        &[
            "What is the staging server of {p} called?",
            "Which server is {p} staged on?",
            "Where does the staging of {p} run?",
            "What is the name of the staging machine of {p}?",
            "Can you tell me which staging server we use for {p}?",
            "I want to deploy, what is the staging host of {p}?",
        ],
        &[
            "What's the staging server for {p}?",
            "Where does staging for {p} run?",
            "Which server do we use for staging {p}?",
        ],
    ],
    forget: [
        &[
            "Forget the staging server of {p}.",
            "Please forget the staging server of {p}.",
            "Forget where {p} staging runs.",
            "forget that the staging server of {p} is {v}",
            "Please forget the name of the staging machine of {p}.",
            "Forget which server we use for {p} staging.",
            "Please forget that {p} staging runs on {v}.",
        ],
        &[
            "Forget which staging server {p} uses.",
            "Please forget the staging server for {p}.",
            "forget that staging for {p} runs on {v}",
        ],
    ],
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
            "What is the alarm code of the house of {w}?",
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
