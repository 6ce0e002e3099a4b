//! The person's conversations as talks with an assistant: what one of two friends said is hidden in hundreds of words.
//!
//! The second speaker becomes an assistant whose turns stand among the most similar sentences of other conversations; the
//! first one becomes who asks, so that names turn into "I" and "you". Three of four questions are about the first one's words.

use std::collections::HashSet;

use abide_memory::{SpeakerRole, words};

use super::{
    conversation::{Conversation, Question, SpokenTurn},
    rng::Rng,
};

/// Words of an assistant's turn: at least, and how many more at most.
const LONG: (usize, usize) = (250, 500);
/// Words of a person's turn.
const SHORT: (usize, usize) = (30, 40);
/// Foreign sentences among which the most similar are taken.
const SAMPLE: usize = 300;
const PERSON: &str = "user";
const ASSISTANT: &str = "assistant";

/// A foreign sentence with the stems of its words.
struct Sentence {
    of: usize,
    text: String,
    stems: HashSet<String>,
}

/// All of them, inflated; those with other than two speakers are left out.
pub(super) fn inflated(conversations: &[Conversation]) -> Vec<Conversation> {
    let sentences = sentences(conversations);
    let mut rng = Rng::new(1);
    let made = conversations.iter().enumerate();
    made.filter_map(|(of, conversation)| inflate(of, conversation, &sentences, &mut rng)).collect()
}

fn sentences(conversations: &[Conversation]) -> Vec<Sentence> {
    let mut found = Vec::new();
    for (of, conversation) in conversations.iter().enumerate() {
        for text in
            conversation.turns.iter().flat_map(|turn| turn.text.split_inclusive(['.', '!', '?']))
        {
            let text = text.trim();
            if text.split_whitespace().nth(4).is_some() {
                let stems = words(text).into_iter().collect();
                found.push(Sentence { of, text: text.to_owned(), stems });
            }
        }
    }
    found
}

fn inflate(
    of: usize,
    conversation: &Conversation,
    sentences: &[Sentence],
    rng: &mut Rng,
) -> Option<Conversation> {
    let person = conversation.turns.first()?.speaker.clone();
    let others: HashSet<&str> =
        conversation.turns.iter().map(|turn| turn.speaker.as_str()).collect();
    let mut others = others.into_iter().filter(|speaker| *speaker != person);
    let assistant = others.next().filter(|_| others.next().is_none())?.to_owned();
    let foreign: Vec<&Sentence> = sentences.iter().filter(|sentence| sentence.of != of).collect();
    let mut turns = Vec::new();
    for turn in &conversation.turns {
        let is_person = turn.speaker == person;
        let (least, more) = if is_person { SHORT } else { LONG };
        let text = if is_person {
            turn.text.replace(&assistant, "you")
        } else {
            turn.text.replace(&person, "you")
        };
        turns.push(SpokenTurn {
            speaker: if is_person { PERSON } else { ASSISTANT }.to_owned(),
            role: if is_person { SpeakerRole::Person } else { SpeakerRole::Agent },
            text: hidden(&text, &foreign, least + rng.below(more), rng),
            ..turn.clone()
        });
    }
    let is_of_person = |question: &&Question| {
        question
            .given
            .iter()
            .all(|turn| conversation.turns.get(*turn).is_some_and(|turn| turn.speaker == person))
    };
    let (own, other): (Vec<_>, Vec<_>) = conversation.questions.iter().partition(is_of_person);
    let other = other.into_iter().take(own.len().div_ceil(3));
    let questions = own.iter().copied().chain(other).map(|question| Question {
        text: addressed(&question.text, &person, &assistant),
        asker: Some(PERSON.to_owned()),
        ..question.clone()
    });
    Some(Conversation { questions: questions.collect(), turns })
}

/// A question as the person asks it.
fn addressed(text: &str, person: &str, assistant: &str) -> String {
    let own = text.replace(&format!("{person}'s"), "my").replace(person, "I");
    own.replace(&format!("{assistant}'s"), "your").replace(assistant, "you")
}

/// A text among foreign sentences that are about the same, of about so many words together.
fn hidden(text: &str, foreign: &[&Sentence], length: usize, rng: &mut Rng) -> String {
    let stems: HashSet<String> = words(text).into_iter().collect();
    let mut near: Vec<(usize, &Sentence)> = (0..SAMPLE)
        .filter_map(|_| rng.pick(foreign).copied())
        .map(|sentence| (sentence.stems.intersection(&stems).count(), sentence))
        .collect();
    near.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
    let mut count = text.split_whitespace().count();
    let mut lines: Vec<&str> = Vec::new();
    for (_, sentence) in near {
        if count >= length {
            break;
        }
        count += sentence.text.split_whitespace().count();
        lines.push(&sentence.text);
    }
    rng.shuffle(&mut lines);
    lines.insert(rng.below(lines.len() + 1), text);
    lines.join(" ")
}
