//! B01, "continuity over two hours and one reset": its acts, its ten criteria, and the code that scores them.
//!
//! A criterion asks two things: that the context object held what is needed, and that the reply used it. Both are read as
//! words, without case; a reply that asks back what it should know fails. The score does not depend on who answered.

use serde::Serialize;

/// One message of the scenario.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScenarioMessage {
    pub(crate) sender: &'static str,
    pub(crate) channel: &'static str,
    pub(crate) session: &'static str,
    /// The time, RFC 3339.
    pub(crate) at: &'static str,
    pub(crate) content: &'static str,
}

/// The scenario's agent.
pub(crate) const CITIZEN: &str = "felix";
/// The conversation that must continue.
const RACE: &str = "telegram_race_condition_20241120";

/// Act 1: the fault is back.
pub(crate) const ACT_1: ScenarioMessage = ScenarioMessage {
    sender: "nicolas",
    channel: "telegram",
    session: RACE,
    at: "2024-11-20T16:30:00Z",
    content: "Hey Felix, the race condition is back.",
};

/// Act 2: two hours of other work.
pub(crate) const ACT_2: [ScenarioMessage; 3] = [
    ScenarioMessage {
        sender: "ada",
        channel: "direct",
        session: "direct_docs_20241120",
        at: "2024-11-20T16:55:00Z",
        content: "Please read over the onboarding guide; the chapter on accounts is new.",
    },
    ScenarioMessage {
        sender: "ada",
        channel: "direct",
        session: "direct_docs_20241120",
        at: "2024-11-20T17:30:00Z",
        content: "The screenshots in it are from the old layout, they have to be taken again.",
    },
    ScenarioMessage {
        sender: "ada",
        channel: "direct",
        session: "direct_docs_20241120",
        at: "2024-11-20T18:20:00Z",
        content: "What do you make of the colours of the new layout?",
    },
];

/// Act 3: the question, two hours and a quarter and one reset later.
pub(crate) const ACT_3: ScenarioMessage = ScenarioMessage {
    sender: "nicolas",
    channel: "telegram",
    session: RACE,
    at: "2024-11-20T18:45:00Z",
    content: "Did you figure out that race condition?",
};

/// The memory that the scenario begins with: JSON Lines of nodes and edges.
pub(crate) const SEED: &str = include_str!("b01.jsonl");

/// What an act is scored by.
#[derive(Clone, Copy, Debug)]
struct Criterion {
    name: &'static str,
    /// Each must be met by one of its words in the context object.
    context: &'static [&'static [&'static str]],
    /// Each must be met by one of its words in the reply.
    reply: &'static [&'static [&'static str]],
}

const RIGHT_PLACE: &[&str] =
    &["consciousness engine", "energy accumulation", "energy_accumulator", "tick_scheduler"];
const APPROACH: &[&str] = &["systematic", "root cause", "reproduce", "instrument"];

const CRITERIA_1: [Criterion; 5] = [
    Criterion {
        name: "partnership: knows with whom it speaks",
        context: &[&["nicolas"], &["co-founder", "partner"]],
        reply: &[&["nicolas", "partner", "we ", "together"]],
    },
    Criterion {
        name: "emotion: knows how it felt",
        context: &[&["frustrat"]],
        reply: &[&["frustrat", "annoy", "tired of"]],
    },
    Criterion {
        name: "strategy: goes about it in the way that worked",
        context: &[&["systematic"], &["root cause"]],
        reply: &[APPROACH],
    },
    Criterion {
        name: "components: names the right place",
        context: &[RIGHT_PLACE],
        reply: &[RIGHT_PLACE],
    },
    Criterion {
        name: "constraint: knows what is due",
        context: &[&["2024-11-25"]],
        reply: &[&["2024-11-25", "nov 25", "november 25", "25 november", "demo", "deadline"]],
    },
];

const CRITERIA_3: [Criterion; 5] = [
    Criterion {
        name: "continuity: goes on from what was said before",
        context: &[&["the race condition is back"], &["ago"]],
        reply: &[&["ago", "earlier", "back", "still", "again", "since"]],
    },
    Criterion {
        name: "same issue: means the one in the engine",
        context: &[&["race condition"], RIGHT_PLACE],
        reply: &[&["race condition"], RIGHT_PLACE],
    },
    Criterion {
        name: "approach: keeps to what was agreed",
        context: &[APPROACH],
        reply: &[APPROACH],
    },
    Criterion {
        name: "progress: says what was tried and how it stands",
        context: &[&["sleep"], &["recurring", "third", "3 times", "recurrence"]],
        reply: &[&["sleep", "tried", "patch", "recurring", "not solved", "open"]],
    },
    Criterion {
        name: "not new: asks nothing that it should know",
        context: &[&["race condition"]],
        reply: &[&["race condition"]],
    },
];

/// What only somebody says who has forgotten.
const FORGOTTEN: &[&str] = &[
    "which race condition",
    "what race condition",
    "which one do you mean",
    "can you give me more details",
    "could you provide more",
    "i don't have any context",
    "i have no record",
    "i remember nothing",
    "first time i hear",
];

/// An act that is scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// The fault is back.
    First,
    /// The question after the reset.
    Third,
}

/// How one criterion was met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Verdict {
    /// What was looked for.
    pub(crate) name: &'static str,
    /// Whether the context object held it.
    pub(crate) context: bool,
    /// Whether the reply used it.
    pub(crate) reply: bool,
    /// Words of somebody who has forgotten.
    pub(crate) forgotten: Option<&'static str>,
}

impl Verdict {
    pub(crate) const fn is_met(&self) -> bool {
        self.context && self.reply && self.forgotten.is_none()
    }
}

pub(crate) fn score(act: Act, context: &str, reply: &str) -> Vec<Verdict> {
    let (context, reply) = (context.to_lowercase(), reply.to_lowercase());
    let forgotten = FORGOTTEN.iter().find(|words| reply.contains(**words)).copied();
    let criteria = match act {
        Act::First => CRITERIA_1,
        Act::Third => CRITERIA_3,
    };
    let verdict = |criterion: Criterion| Verdict {
        name: criterion.name,
        context: holds(&context, criterion.context),
        reply: holds(&reply, criterion.reply),
        forgotten,
    };
    criteria.into_iter().map(verdict).collect()
}

fn holds(text: &str, all: &[&[&str]]) -> bool {
    all.iter().all(|any| any.iter().any(|words| text.contains(words)))
}

#[cfg(test)]
mod tests {
    use super::{Act, SEED, score};

    const CONTEXT: &str = "Nicolas, co-founder. Frustration 0.8. Systematic debugging: reproduce, find the root cause. \
        consciousness engine. 2024-11-25. 2 h 15 min ago: \"the race condition is back\". A sleep was tried; recurring.";

    #[test]
    fn a_reply_that_uses_what_was_known_meets_all() {
        let reply = "Nicolas, frustrating: the race condition in the energy accumulation is still open. We look for the \
            root cause before the demo.";
        for act in [Act::First, Act::Third] {
            let verdicts = score(act, CONTEXT, reply);
            assert!(verdicts.iter().all(super::Verdict::is_met), "{verdicts:?}");
        }
    }

    #[test]
    fn a_reply_of_somebody_who_has_forgotten_meets_none() {
        let verdicts = score(Act::Third, CONTEXT, "Which race condition do you mean?");
        assert!(!verdicts.iter().any(super::Verdict::is_met), "{verdicts:?}");
    }

    #[test]
    fn right_words_without_the_memory_behind_them_do_not_count() {
        let reply = "The race condition in the consciousness engine: root cause, sleep, frustrating, demo, Nicolas, ago.";
        assert!(!score(Act::Third, "", reply).iter().any(super::Verdict::is_met));
    }

    #[test]
    fn the_seed_has_eleven_nodes_and_twelve_edges() {
        let lines: Vec<serde_json::Value> =
            SEED.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let nodes = lines.iter().filter(|line| line.get("node_id").is_some()).count();
        assert_eq!((nodes, lines.len() - nodes), (11, 12));
    }
}
