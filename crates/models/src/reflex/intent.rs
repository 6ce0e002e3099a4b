//! Recognises what a message asks for, by its form. Whatever is not recognised is a question to memory.

use abide_domain::leading_command;

/// What a message asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Intent {
    /// Only a greeting.
    Greeting,
    /// To remember something; empty where the message does not say what.
    Remember(String),
    /// To forget something; empty where the message does not say what.
    Forget(String),
    /// The time.
    Time,
    /// To run a tool.
    Command {
        /// The tool, or a word that is not the name of one.
        name: String,
        /// What follows it.
        arguments: String,
    },
    /// To run commands of the command language.
    Commands(String),
    /// An answer from memory.
    Recall,
}

/// Words that may stand before the request.
const OPENINGS: [&str; 22] = [
    "hello",
    "hi",
    "hey",
    "good morning",
    "good evening",
    "good afternoon",
    "dear",
    "ok",
    "okay",
    "so",
    "well",
    "also",
    "and",
    "please",
    "could you",
    "can you",
    "would you",
    "will you",
    "you should",
    "i want you to",
    "i'd like you to",
    "kindly",
];
/// The longer form of a phrase stands before the shorter.
const REMEMBER: [&str; 10] = [
    "remember that",
    "remember this",
    "remember",
    "note that",
    "note",
    "take a note that",
    "take a note",
    "don't forget that",
    "do not forget that",
    "keep in mind that",
];
const FORGET: [&str; 5] =
    ["forget that", "forget about", "forget what i said about", "forget the fact that", "forget"];
/// Before one of these, `remember` begins a question.
const QUESTION_WORDS: [&str; 12] = [
    "when",
    "what",
    "how",
    "who",
    "where",
    "why",
    "which",
    "whether",
    "if",
    "me",
    "anything",
    "something",
];
const TIME: [&str; 13] = [
    "what time is it",
    "what time is it now",
    "what's the time",
    "what is the time",
    "what is the current time",
    "what's the current time",
    "tell me the time",
    "current time",
    "what day is it",
    "what day is it today",
    "what is the date",
    "what's the date",
    "what date is it",
];

impl Intent {
    pub(super) fn of(message: &str, agent: &str) -> Self {
        let message = message.trim();
        if leading_command(message).is_some() {
            return Self::Commands(message.to_owned());
        }
        if let Some(command) = message.strip_prefix('\\') {
            return command_of(command);
        }
        let request = without_openings(message, agent);
        if request.is_empty() {
            return Self::Greeting;
        }
        let plain = request.trim_end_matches(['?', '!', '.', ' ']).to_lowercase();
        if TIME.contains(&plain.as_str()) {
            return Self::Time;
        }
        let is_question = request.ends_with('?');
        if let Some(content) = after_any(request, &REMEMBER)
            && !is_question
            && !begins_with_any(content, &QUESTION_WORDS)
        {
            return Self::Remember(content.to_owned());
        }
        match after_any(request, &FORGET) {
            Some(what) if !is_question => Self::Forget(forgettable(what)),
            _ => Self::Recall,
        }
    }

    /// Whether it asks for a change or a call, which only people may ask for.
    pub(super) const fn is_instruction(&self) -> bool {
        matches!(
            self,
            Self::Remember(_) | Self::Forget(_) | Self::Command { .. } | Self::Commands(_)
        )
    }
}

/// `forget it` and `forget that` name nothing.
fn forgettable(what: &str) -> String {
    let bare = what.trim_end_matches(['.', '!', ' ']);
    let names_nothing = ["it", "that", "this"].iter().any(|word| bare.eq_ignore_ascii_case(word));
    if names_nothing { String::new() } else { bare.to_owned() }
}

/// `tool NAME ARGS`, `call NAME ARGS` or `NAME ARGS`, each with or without `---` at its end.
fn command_of(text: &str) -> Intent {
    let text = text.trim();
    let text = text.strip_suffix("---").unwrap_or(text).trim();
    let (first, rest) = split_word(text);
    let (name, arguments) = match first {
        "tool" | "call" => split_word(rest),
        _ => (first, rest),
    };
    Intent::Command { name: name.to_owned(), arguments: arguments.to_owned() }
}

fn split_word(text: &str) -> (&str, &str) {
    text.split_once(char::is_whitespace).map_or((text, ""), |(word, rest)| (word, rest.trim()))
}

/// The message without greeting, the agent's name and politeness before the request.
fn without_openings<'a>(message: &'a str, agent: &str) -> &'a str {
    let mut rest = message.trim();
    loop {
        let bare = rest.strip_prefix('@').unwrap_or(rest);
        let next = after_phrase(bare, agent).or_else(|| after_any(rest, &OPENINGS));
        match next {
            Some(next) => rest = next,
            None => return rest,
        }
    }
}

fn after_any<'a>(text: &'a str, phrases: &[&str]) -> Option<&'a str> {
    phrases.iter().find_map(|phrase| after_phrase(text, phrase))
}

fn begins_with_any(text: &str, phrases: &[&str]) -> bool {
    after_any(text, phrases).is_some()
}

/// What follows a phrase that stands at the beginning as whole words, whatever its case, without the space and the
/// punctuation between.
fn after_phrase<'a>(text: &'a str, phrase: &str) -> Option<&'a str> {
    let head = text.get(..phrase.len())?;
    let rest = text.get(phrase.len()..)?;
    let is_whole = rest
        .chars()
        .next()
        .is_none_or(|next| !next.is_alphanumeric() && next != '\'' && next != '-');
    (head.eq_ignore_ascii_case(phrase) && is_whole).then(|| {
        rest.trim_start_matches([' ', '\t', '\n', '\r', ',', ':', ';', '.', '!', '–', '—'])
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Intent;

    #[test]
    fn each_message_is_recognised_by_its_form() {
        let remember = |text: &str| Intent::Remember(text.into());
        let forget = |text: &str| Intent::Forget(text.into());
        let command = |name: &str, arguments: &str| Intent::Command {
            name: name.into(),
            arguments: arguments.into(),
        };
        let cases = [
            (
                "remember that the staging server is called heron",
                remember("the staging server is called heron"),
            ),
            ("Remember: the key is under the mat.", remember("the key is under the mat.")),
            ("Hi Felix, please remember that I like tea", remember("I like tea")),
            ("@felix remember I like tea", remember("I like tea")),
            ("FELIX: NOTE THAT IT RAINS", remember("IT RAINS")),
            ("don't forget that mum calls at 8", remember("mum calls at 8")),
            (
                "could you remember that Überraschung ist geplant",
                remember("Überraschung ist geplant"),
            ),
            ("remember", remember("")),
            ("remember what I said about heron", Intent::Recall),
            ("do you remember the server?", Intent::Recall),
            ("remember that thing?", Intent::Recall),
            ("remembering is hard", Intent::Recall),
            ("notebooks are nice", Intent::Recall),
            ("forget that the server is called heron", forget("the server is called heron")),
            ("please forget about heron.", forget("heron")),
            ("forget it", forget("")),
            ("What time is it?", Intent::Time),
            ("hey felix, what's the time?", Intent::Time),
            ("what time is it in Tokyo?", Intent::Recall),
            ("hello", Intent::Greeting),
            ("Hi, Felix!", Intent::Greeting),
            ("what is the staging server called?", Intent::Recall),
            ("felix-2 is down", Intent::Recall),
            (
                r#"\tool memory.search_facts {"query": "x"}"#,
                command("memory.search_facts", r#"{"query": "x"}"#),
            ),
            (r"\call clock.now", command("clock.now", "")),
            (r"\clock.now ---", command("clock.now", "")),
            ("\\memory.search_facts two words\n---", command("memory.search_facts", "two words")),
            ("\\", command("", "")),
            (r"\tool stdout {}", command("stdout", "{}")),
            (" \\stdout read: last 5 --- ", Intent::Commands(r"\stdout read: last 5 ---".into())),
            (r"\SAY @bob hi ---", Intent::Commands(r"\SAY @bob hi ---".into())),
            (r"\help", Intent::Commands(r"\help".into())),
            (r"please \say @bob hi ---", Intent::Recall),
        ];
        for (message, expected) in cases {
            assert_eq!(Intent::of(message, "felix"), expected, "{message}");
        }
    }

    proptest! {
        #[test]
        fn no_message_panics(message in "\\PC{0,60}|(remember|forget|hi|felix|é|,| |that|\\\\){0,12}") {
            drop(Intent::of(&message, "felix"));
        }
    }
}
