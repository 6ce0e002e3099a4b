//! What projects have one of: what is told, corrected, taken back and asked about it.

use super::Slot;

pub(in crate::memory::truth) const LAUNCH: Slot = Slot {
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

pub(in crate::memory::truth) const PRICE: Slot = Slot {
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

pub(in crate::memory::truth) const ROOM: Slot = Slot {
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

pub(in crate::memory::truth) const SERVER: Slot = Slot {
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
