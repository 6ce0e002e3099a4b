//! What people talk about with each other and with an assistant: matters of which each has several cases, so that a question
//! about one of them shares its words with what was said of the others.
//!
//! Braces stand for the case (`{e}`) and the value (`{v}`); `{my}`, `{i}`, `{did}`, `{do}`, `{have}`, `{am}` for who asks,
//! in the first person or by name. All of it was written for this; nothing comes from a data set.

/// A matter.
#[derive(Debug)]
pub(super) struct Topic {
    /// Its cases.
    pub(super) cases: [&'static str; 4],
    /// What can be told of a case.
    pub(super) facts: [Statement; 3],
    /// What an assistant suggests, and how it is asked for.
    pub(super) suggested: Statement,
    /// What is said of a case without telling anything.
    pub(super) chatter: [&'static str; 4],
    /// What an assistant says of a case at length.
    pub(super) advice: [&'static str; 6],
}

/// Something that is told once.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) values: [&'static str; 5],
    pub(super) said: [&'static str; 2],
    /// A question with words of the telling.
    pub(super) asked: &'static str,
    /// A question with other words.
    pub(super) otherwise: &'static str,
}

const fn stated(
    values: [&'static str; 5],
    said: [&'static str; 2],
    asked: &'static str,
    otherwise: &'static str,
) -> Statement {
    Statement { values, said, asked, otherwise }
}

pub(super) const TOPICS: &[Topic] = &[
    Topic {
        cases: ["kitchen", "bathroom", "attic", "garage"],
        facts: [
            stated(
                ["4,200 euros", "6,500 euros", "9,000 euros", "2,800 euros", "12,000 euros"],
                [
                    "I can spend {v} on the {e} at most.",
                    "My limit for the {e} is {v}, not a cent more.",
                ],
                "What {do} {i} want to spend on the {e} at most?",
                "How much money is set aside for redoing the {e}?",
            ),
            stated(
                ["slate", "cork", "oak boards", "terrazzo", "white tiles"],
                [
                    "For the floor of the {e} I have settled on {v}.",
                    "The {e} will get {v} underfoot, that is decided.",
                ],
                "Which floor {did} {i} settle on for the {e}?",
                "What will one walk on in the {e}?",
            ),
            stated(
                [
                    "Mr Okafor",
                    "the Lindqvist brothers",
                    "a cousin of mine",
                    "Brandt & Sons",
                    "Mrs Petrov",
                ],
                ["The plumbing in the {e} is done by {v}.", "I gave the pipes in the {e} to {v}."],
                "Who does the plumbing in the {e} for {me}?",
                "Whose job are the water lines of the {e}?",
            ),
        ],
        suggested: stated(
            [
                "linseed oil",
                "lime plaster",
                "a silicone seal",
                "a dehumidifier",
                "two coats of primer",
            ],
            [
                "For the {e} I would go with {v}, which forgives mistakes.",
                "My pick for the {e} would be {v}.",
            ],
            "What did you pick for the {e}?",
            "Which of your ideas for the {e} forgives mistakes?",
        ),
        chatter: [
            "There is dust from the {e} in every cup we own.",
            "I took pictures of the {e} again this morning and the light was poor.",
            "The neighbours have heard enough of the work in the {e}.",
            "I keep measuring the {e} and each time it is a finger wider.",
        ],
        advice: [
            "Start the {e} by emptying it completely and marking every wall that carries weight.",
            "A budget for the {e} should hold fifteen percent back for what the walls hide.",
            "Ask at least three people for an offer for the {e}, and let each see the floor, the pipes and the wiring.",
            "The floor of the {e} goes in late, after the dust and before the paint on the doors.",
            "Water is what ruins a {e}, so whoever does the plumbing should test it under pressure for a day.",
            "Write down what you decided about the {e} and what it costs, and look at the list once a week.",
        ],
    },
    Topic {
        cases: ["Lisbon trip", "Norway trip", "Vienna trip", "Crete trip"],
        facts: [
            stated(
                ["9 May", "17 June", "2 September", "28 March", "11 October"],
                ["We leave for the {e} on {v}.", "The {e} begins on {v}, the tickets say."],
                "On which day {do} {i} leave for the {e}?",
                "When does the {e} start for {me}?",
            ),
            stated(
                [
                    "a guesthouse by the harbour",
                    "my aunt's flat",
                    "a hut without power",
                    "a hotel with a pool",
                    "a camper van",
                ],
                ["On the {e} we sleep in {v}.", "I booked {v} for the {e}."],
                "Where {do} {i} sleep on the {e}?",
                "What accommodation was arranged for the {e}?",
            ),
            stated(
                ["Nuria", "two colleagues", "my father", "the choir", "nobody, alone"],
                [
                    "{v} comes with me on the {e}, or so it stands today.",
                    "For the {e} my company is {v}.",
                ],
                "Who comes with {me} on the {e}?",
                "Whom {am} {i} travelling with on the {e}?",
            ),
        ],
        suggested: stated(
            [
                "the tile museum",
                "a boat at dawn",
                "the night train",
                "the old cemetery",
                "a cooking class",
            ],
            [
                "If you do one thing on the {e}, let it be {v}.",
                "I would put {v} at the top for the {e}.",
            ],
            "What did you put at the top for the {e}?",
            "What should be done on the {e} if only one thing is done, by your advice?",
        ),
        chatter: [
            "I dream of the {e} at my desk.",
            "My suitcase for the {e} still has a broken wheel.",
            "Everybody has an opinion on the {e} and none of them pays.",
            "I read half a book about the {e} on the bus.",
        ],
        advice: [
            "For the {e} keep the first day free, since everybody arrives later and more tired than planned.",
            "Book where you sleep on the {e} with a free cancellation until a week before you leave.",
            "Whoever comes along on the {e} should know the day of departure, the budget and who carries the papers.",
            "Pack for the {e} three days before, then take a third of it out again.",
            "Trains, boats and buses on the {e} are cheaper when booked together, and worse to change.",
            "Keep copies of the tickets for the {e} where a lost phone does not take them along.",
        ],
    },
    Topic {
        cases: ["marathon", "triathlon", "rowing cup", "climbing course"],
        facts: [
            stated(
                ["my left knee", "an old ankle", "my lower back", "asthma", "a stiff shoulder"],
                [
                    "What holds me back for the {e} is {v}.",
                    "In training for the {e} {v} gives me trouble.",
                ],
                "What holds {me} back for the {e}?",
                "Which health problem gets in the way of the {e}?",
            ),
            stated(
                [
                    "four times a week",
                    "every other day",
                    "at six in the morning",
                    "on weekends only",
                    "twice a day",
                ],
                ["I train for the {e} {v}.", "My plan for the {e} says {v}, and I stick to it."],
                "How often {do} {i} train for the {e}?",
                "What does the schedule of exercise before the {e} look like?",
            ),
            stated(
                [
                    "under four hours",
                    "not to be last",
                    "a place in the first ten",
                    "to finish at all",
                    "to beat my brother",
                ],
                ["My goal in the {e} is {v}.", "I would be happy with the {e} if I managed {v}."],
                "What is {my} goal in the {e}?",
                "With which result of the {e} would {i} be content?",
            ),
        ],
        suggested: stated(
            [
                "hill repeats",
                "a rest week in four",
                "compression socks",
                "beetroot juice",
                "swimming on Mondays",
            ],
            [
                "What moves the {e} most is {v}, in my view.",
                "For the {e} add {v} and leave the rest.",
            ],
            "What did you tell {me} to add for the {e}?",
            "Which change brings most for the {e} in your view?",
        ),
        chatter: [
            "I watched old films of the {e} until midnight.",
            "My shoes for the {e} have seen better days.",
            "The others of the {e} talk of nothing but food.",
            "There was rain all week and the {e} feels far away.",
        ],
        advice: [
            "Training for the {e} gains more from sleep than from another session.",
            "A goal for the {e} should be one you would be proud of on a bad day too.",
            "Pain that stays for two days after training for the {e} is a reason to see somebody.",
            "Four sessions a week are enough for the {e} when one is long, one is fast and two are easy.",
            "Eat what you will eat on the day of the {e} at least three times before.",
            "The week before the {e} is for rest, and everybody finds it the hardest.",
        ],
    },
    Topic {
        cases: ["Bruno", "Minka", "Pepper", "Tofu"],
        facts: [
            stated(
                ["chicken", "wheat", "fish", "pollen", "cow's milk"],
                [
                    "The vet says that {e} cannot stand {v}.",
                    "{e} gets a rash from {v}, we found out.",
                ],
                "What can {e} not stand, by the vet?",
                "Which allergy does {e} have?",
            ),
            stated(
                [
                    "under the sink",
                    "on the piano",
                    "in the laundry",
                    "behind the stove",
                    "in my bed",
                ],
                ["{e} sleeps {v} and nowhere else.", "At night {e} is always {v}."],
                "Where does {e} sleep?",
                "What is the favourite spot of {e} after dark?",
            ),
            stated(
                [
                    "Dr Salas",
                    "Dr Whitfield",
                    "the clinic in Elm Street",
                    "Dr Moreau",
                    "a student of the vet school",
                ],
                ["{v} looks after {e} now.", "I bring {e} to {v}."],
                "To whom {do} {i} bring {e}?",
                "Who treats {e} when something is wrong?",
            ),
        ],
        suggested: stated(
            [
                "a puzzle feeder",
                "a cardboard maze",
                "short walks at noon",
                "a second water bowl",
                "clicker training",
            ],
            ["For {e} I would try {v} for two weeks.", "Give {e} {v} and see what changes."],
            "What would you try for {e} for two weeks?",
            "Which remedy against the boredom of {e} came from you?",
        ),
        chatter: [
            "{e} has eaten a sock again and looks proud.",
            "You should see how {e} looks at the rain.",
            "The children want to dress {e} for the feast.",
            "{e} barks at the radio, or does what counts as barking.",
        ],
        advice: [
            "Change what {e} eats over ten days, a little more of the new each day.",
            "A rash on {e} has many causes, so note what was eaten, where {e} slept and when it began.",
            "Bring the notes about {e} along to the vet, since nobody remembers dates in a waiting room.",
            "An animal like {e} wants a place to sleep that nobody walks through.",
            "Play with {e} before the meal, not after, and at about the same time each day.",
            "If {e} drinks much more than usual for three days, have it looked at.",
        ],
    },
    Topic {
        cases: ["cello", "banjo", "accordion", "oboe"],
        facts: [
            stated(
                ["Ms Fontaine", "an app", "my grandfather", "a retired sailor", "the conservatory"],
                ["I learn the {e} with {v}.", "{v} teaches me the {e}."],
                "Who teaches {me} the {e}?",
                "From whom {do} {i} get lessons on the {e}?",
            ),
            stated(
                ["a tango", "the second suite", "a lullaby", "a march", "three folk songs"],
                ["On the {e} I am working on {v}.", "My piece on the {e} these weeks is {v}."],
                "What {am} {i} working on with the {e}?",
                "Which music is being rehearsed on the {e}?",
            ),
            stated(
                [
                    "at my sister's wedding",
                    "in the church of Saint Anne",
                    "at the harbour fair",
                    "for the office party",
                    "in a nursing home",
                ],
                ["I shall play the {e} {v}.", "My first appearance with the {e} is {v}."],
                "Where shall {i} play the {e}?",
                "At which occasion will the {e} be heard in public?",
            ),
        ],
        suggested: stated(
            [
                "a metronome at half speed",
                "recording every lesson",
                "gut strings",
                "ten minutes of scales",
                "playing with eyes closed",
            ],
            ["On the {e} {v} helps more than hours.", "I would use {v} for the {e}."],
            "What would you use for the {e}?",
            "What helps with the {e} more than hours, as you put it?",
        ),
        chatter: [
            "The dog leaves the room when I take out the {e}.",
            "My fingers hurt from the {e} in a good way.",
            "I saw a second hand {e} in a window and walked on.",
            "The {e} sounds different in this weather.",
        ],
        advice: [
            "Practise the {e} often and briefly, and stop while it still goes well.",
            "A piece on the {e} is learnt from its hardest bar outwards.",
            "Whoever teaches you the {e} should hear a recording of what you do at home.",
            "Before you play the {e} in public, play it for three people who are kind.",
            "An {e} wants even air, neither dry nor damp, and a case that closes.",
            "Sing what you play on the {e}, since the ear leads the hand.",
        ],
    },
    Topic {
        cases: ["chemistry exam", "driving test", "Italian certificate", "pilot licence"],
        facts: [
            stated(
                [
                    "in a week",
                    "on the first of July",
                    "before Easter",
                    "on a Tuesday in May",
                    "at the end of term",
                ],
                ["The {e} takes place {v}.", "I must sit the {e} {v}."],
                "When must {i} sit the {e}?",
                "What is the date of the {e}?",
            ),
            stated(
                [
                    "the acids",
                    "parking backwards",
                    "the subjunctive",
                    "reading maps",
                    "the oral part",
                ],
                ["What I fear in the {e} is {v}.", "My weak spot for the {e}: {v}."],
                "What {do} {i} fear in the {e}?",
                "Which part of the {e} goes worst?",
            ),
            stated(
                [
                    "the library",
                    "the last train home",
                    "my balcony",
                    "a cafe called Rosa",
                    "the office after six",
                ],
                ["I study for the {e} in {v}.", "Most of my work for the {e} happens in {v}."],
                "Where {do} {i} study for the {e}?",
                "In what place does the preparation for the {e} happen?",
            ),
        ],
        suggested: stated(
            [
                "flash cards",
                "teaching it to a friend",
                "old papers against the clock",
                "a study group",
                "drawing it from memory",
            ],
            ["Your best tool for the {e} is {v}.", "I would prepare the {e} with {v}."],
            "What did you call the best tool for the {e}?",
            "How would you prepare the {e}?",
        ),
        chatter: [
            "My cousin passed the {e} without opening a book.",
            "I have bought new pens for the {e}, which helps nobody.",
            "The forms for the {e} have nine pages.",
            "At night I count the pages left for the {e}.",
        ],
        advice: [
            "Plan backwards from the day of the {e} and leave the last two days empty.",
            "Weak spots in the {e} shrink fastest when met first thing in the morning.",
            "Study for the {e} in the same place and at the same time, so that beginning is no decision.",
            "What you can explain about the {e} to somebody else you will know on the day.",
            "Old questions of the {e} tell more than any summary.",
            "Sleep before the {e} is worth more than another chapter.",
        ],
    },
    Topic {
        cases: ["tomatoes", "roses", "bees", "pear tree"],
        facts: [
            stated(
                ["mildew", "snails", "a late frost", "wasps", "too little sun"],
                ["This year {v} got at the {e}.", "The trouble with the {e} is {v}."],
                "What is the trouble with {my} {e}?",
                "What harms the {e} at the moment?",
            ),
            stated(
                [
                    "against the south wall",
                    "behind the shed",
                    "next to the compost",
                    "on the roof",
                    "by the gate",
                ],
                ["I have the {e} {v}.", "The {e} are now {v}, they like it better."],
                "Where {do} {i} have the {e}?",
                "In which corner does one find the {e}?",
            ),
            stated(
                [
                    "a jar for each neighbour",
                    "the school fair",
                    "my mother's jam",
                    "a stall on Saturdays",
                    "the compost, sadly",
                ],
                ["What the {e} give goes into {v}.", "The yield of the {e} ends as {v} this time."],
                "Where does what the {e} give go?",
                "What becomes of the harvest from the {e}?",
            ),
        ],
        suggested: stated(
            ["nettle brew", "copper tape", "a net of wool", "wood ash", "planting garlic between"],
            ["Against that on the {e} {v} is gentle and works.", "For the {e} I recommend {v}."],
            "What did you recommend for the {e}?",
            "Which gentle means for the {e} came from you?",
        ),
        chatter: [
            "I talk to the {e} when nobody listens.",
            "The {e} were the first thing I looked at today.",
            "A book says the opposite about the {e}.",
            "My gloves for the {e} have vanished.",
        ],
        advice: [
            "Look at the {e} early, before the sun is on them, and note what changed.",
            "Trouble with the {e} often begins with water at the wrong hour.",
            "Move the {e} in autumn and not when they work hardest.",
            "What the {e} give depends on the spring more than on any care in summer.",
            "A wall in the south keeps the {e} warm and dries them out.",
            "Take away what is ill on the {e} at once, and not to the compost.",
        ],
    },
    Topic {
        cases: ["newsletter", "annual report", "wedding speech", "grant application"],
        facts: [
            stated(
                [
                    "Friday noon",
                    "the 15th",
                    "the end of the month",
                    "tomorrow evening",
                    "the week after next",
                ],
                ["The {e} has to be out by {v}.", "They want the {e} by {v}."],
                "By when has {my} {e} to be out?",
                "What is the deadline of the {e}?",
            ),
            stated(
                [
                    "two pages",
                    "ninety seconds",
                    "five thousand words",
                    "one table",
                    "twelve slides",
                ],
                ["The {e} may have {v} and no more.", "I was told to keep the {e} to {v}."],
                "How long may the {e} be?",
                "To what size was the {e} limited?",
            ),
            stated(
                [
                    "Henrik",
                    "the board",
                    "my future in-laws",
                    "a man from the ministry",
                    "our donors",
                ],
                ["{v} will read the {e} first.", "The {e} is meant for {v} above all."],
                "Who will read the {e} first?",
                "Which audience matters most for the {e}?",
            ),
        ],
        suggested: stated(
            [
                "one surprising number",
                "a question",
                "the smell of that kitchen",
                "the failure of last year",
                "a thank you",
            ],
            ["Open the {e} with {v}.", "I would begin the {e} with {v}."],
            "With what would you begin the {e}?",
            "Which opening did you have in mind for the {e}?",
        ),
        chatter: [
            "The {e} has eaten my whole weekend.",
            "I have written the first line of the {e} eleven times.",
            "Somebody changed the font of the {e} without a word.",
            "My best ideas for the {e} come in the shower.",
        ],
        advice: [
            "Write the {e} for one reader whom you know, and name that reader on top of the draft.",
            "A deadline for the {e} is met by a bad draft a week before it.",
            "Cut the {e} by a third and it will be a third better.",
            "Read the {e} aloud, and change every place where you stumble.",
            "The opening of the {e} should promise something that the end keeps.",
            "Let somebody read the {e} who knows nothing of the matter.",
        ],
    },
];

/// How people say that they want things done, and a later request that it is for.
pub(super) const WISHES: [(&str, &str); 10] = [
    ("From now on give me all measures in metric units.", "How much flour goes into a pound cake?"),
    ("Please always put the result before the reasons.", "Explain why bread rises."),
    ("I prefer trains, never suggest a flight to me.", "How do I get to Hamburg for the weekend?"),
    ("Whenever I ask for code, comment every function.", "Write something that sorts these names."),
    ("Never use tables, my reader speaks them badly.", "Compare three kinds of coffee for me."),
    ("Always give me two alternatives with prices.", "Which kettle should be bought?"),
    ("I want answers without exclamation marks, always.", "Cheer up this invitation a bit."),
    ("Make sure that recipes are without nuts, for my son.", "What could we bake on Sunday?"),
    ("I prefer books by women, keep that in mind.", "What should be read on the beach?"),
    (
        "Always remind me to back up before I change anything.",
        "Help with an upgrade of the laptop.",
    ),
];

/// Sentences that fit any answer of an assistant.
pub(super) const PADDING: [&str; 24] = [
    "That is a good question, and there is more than one answer to it.",
    "Let me go through it step by step, so that nothing is lost on the way.",
    "First of all, it helps to know what you want to have at the end.",
    "There are a few things to keep in mind before anything is decided.",
    "Many people begin in the middle, which looks faster and is not.",
    "If something does not work as planned, go back one step and change one thing only.",
    "It may be worth writing it down, even if it seems plain today.",
    "A second opinion costs little and has saved many an afternoon.",
    "In most cases the simple way is the one that lasts.",
    "Time is usually the scarce thing here, more than money.",
    "You could also ask somebody who has done it before.",
    "On the other hand there is no harm in waiting for a week.",
    "As a rule of thumb, plan twice the time and half the steps.",
    "Here is what I would look at, in this order.",
    "None of this has to be perfect at the first try.",
    "Keep the receipts and the notes together in one place.",
    "After that, take a day off and look at it with fresh eyes.",
    "I can make a list of it if you like, short or long.",
    "Finally, tell me how it went, and we will go on from there.",
    "It depends on the weather, on your patience and on the day of the week.",
    "Please check the details yourself, as they change from year to year.",
    "Small steps add up, and a large one can be undone only once.",
    "What matters most is that it fits your own days and habits.",
    "Whatever you choose, set a date at which you look at it again.",
];
