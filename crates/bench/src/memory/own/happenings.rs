//! What happens to people on a day, and what is said without meaning.

/// Something that happens, again and again, to anyone.
#[derive(Debug)]
pub(super) struct Happening {
    /// How it is said; `{d}` is when, in words relative to the day.
    pub(super) said: [&'static str; 2],
    /// Asked for its time.
    pub(super) when: [&'static str; 2],
    /// Asked for by its month, `{m}`: only one of two is meant.
    pub(super) dated: &'static str,
}

/// When, as people say it.
pub(super) const DAYS: [&str; 6] =
    ["yesterday", "this morning", "last Friday", "two days ago", "last night", "today at noon"];

/// What happens.
pub(super) const HAPPENINGS: &[Happening] = &[
    Happening {
        said: [
            "I was at the dentist {d}, my face is still numb.",
            "The dentist pulled a tooth of mine {d}.",
        ],
        when: ["When was {n} at the dentist?", "When did {n} have a tooth treated?"],
        dated: "What did {n} say about the dentist in {m}?",
    },
    Happening {
        said: [
            "The payment gateway was down for an hour {d}, and I had to wake people up.",
            "We had an outage of the payment gateway {d}; I was on call.",
        ],
        when: [
            "When did {n} handle the outage of the payment gateway?",
            "When were payments broken while {n} was on call?",
        ],
        dated: "What did {n} report about the payment gateway in {m}?",
    },
    Happening {
        said: [
            "I gave a talk about tracing at the meetup {d}, forty people came.",
            "My talk at the meetup went well {d}.",
        ],
        when: ["When did {n} give a talk at the meetup?", "When did {n} speak in public?"],
        dated: "How was the talk that {n} gave in {m}?",
    },
    Happening {
        said: [
            "My laptop died {d}, I write from a borrowed one.",
            "The screen of my laptop broke {d}.",
        ],
        when: ["When did {n}'s laptop break?", "When did {n} have trouble with the hardware?"],
        dated: "What happened to {n}'s laptop in {m}?",
    },
    Happening {
        said: [
            "We ran out of disk space on the build machine {d}, I deleted old images.",
            "I cleaned up the full disk of the build machine {d}.",
        ],
        when: [
            "When did {n} clean up the build machine?",
            "When was the disk full, and {n} helped?",
        ],
        dated: "What did {n} do on the build machine in {m}?",
    },
    Happening {
        said: [
            "I ran a half marathon {d} and can hardly walk.",
            "{d} I ran the half marathon in under two hours.",
        ],
        when: ["When did {n} run the half marathon?", "When did {n} take part in a race?"],
        dated: "How did the half marathon of {n} go in {m}?",
    },
    Happening {
        said: [
            "I interviewed two candidates {d}, the second was strong.",
            "The interview with the candidate took all of my time {d}.",
        ],
        when: ["When did {n} interview candidates?", "When did {n} talk to applicants?"],
        dated: "Whom did {n} interview in {m}?",
    },
    Happening {
        said: [
            "My parents visited {d} and we showed them the harbour.",
            "I had a visit from my parents {d}.",
        ],
        when: ["When did {n}'s parents visit?", "When was family at {n}'s place?"],
        dated: "What did {n} do with the parents in {m}?",
    },
];

/// Things that are said and teach nothing; some name what others are asked about.
pub(super) const CHATTER: &[&str] = &[
    "Good morning! How is it going?",
    "Thanks, that helped a lot.",
    "Can you summarise what we talked about today?",
    "I am going to lunch, back in an hour.",
    "The weather is dreadful again.",
    "Do you know a good joke about queues?",
    "Let me think about it and write later.",
    "That sounds right to me.",
    "Could you look over this paragraph for me?",
    "What is the difference between a mutex and a semaphore?",
    "I have to run, talk to you tomorrow.",
    "The meeting was moved to three, nothing else is new.",
    "Please remind me to call the plumber.",
    "I read an article about databases and did not agree with it.",
    "Someone in the train talked about editors the whole way.",
    "A colleague told me about the city where her aunt lives.",
    "The office is quiet today, only the coffee machine talks.",
    "My instrument for this job is patience.",
    "Which language should a beginner learn, in your opinion?",
    "There was a dog in the park that looked like a small bear.",
    "I wonder how much a release costs a company on average.",
    "How do other companies handle reviews?",
    "Is there a rule for naming channels?",
    "A friend is allergic to mornings, or so he says.",
    "I prefer short meetings, that is all.",
    "The budget debate in parliament is boring this year.",
    "Could you translate this sentence into French?",
    "Let us finish here for today.",
];

/// What the agent answers.
pub(super) const REPLIES: [&str; 8] = [
    "Understood, I will keep it in mind.",
    "Noted.",
    "Thank you for telling me.",
    "All right. Is there anything I can do?",
    "Good to know, I have written it down.",
    "Got it, thanks.",
    "I see. Tell me when there is more.",
    "Sure, let me know how it goes.",
];
