//! Recognises what a message asks for, by its form. What is no question and no request gets no answer from memory.

use abide_domain::leading_command;

use super::{
    lists::ListRequest,
    phrases::{
        ABOUT, ABOUT_ONESELF, ASKING, BYES, CORRECTIONS, DATE, FORGET, HELP, OPENINGS, POLITE,
        QUESTION_WORDS, REMEMBER, REMIND, THANKS, TIME, after_any, after_phrase, begins_with_any,
        is_any,
    },
};

/// Words of a message without a verb that are looked up as if somebody had asked for them.
const KEYWORDS_MAX: usize = 4;

/// What a message asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Intent {
    /// Only a greeting.
    Greeting,
    /// Thanks.
    Thanks,
    /// A farewell.
    Bye,
    /// What it can do.
    Help,
    /// To remember something; empty where the message does not say what.
    Remember(String),
    /// To remember something in place of what was said before.
    Correct(String),
    /// To forget something; empty where the message does not say what.
    Forget(String),
    /// To show or change a list.
    List(ListRequest),
    /// To be reminded.
    Remind(String),
    /// The time.
    Time,
    /// Which day some words mean.
    Date(String),
    /// To run a tool.
    Command {
        /// The tool, or a word that is not the name of one.
        name: String,
        /// What follows it.
        arguments: String,
    },
    /// To run commands of the command language.
    Commands(String),
    /// An answer from memory, about this.
    Recall(String),
    /// Nothing: it tells something, or needs a model.
    Talk,
}

impl Intent {
    pub(super) fn of(message: &str, agent: &str) -> Self {
        let message = message.trim();
        if leading_command(message).is_some() {
            return Self::Commands(message.to_owned());
        }
        if let Some(command) = message.strip_prefix('\\') {
            return command_of(command);
        }
        let opened = Opened::of(message, agent);
        let request = opened.request;
        if request.is_empty() && opened.corrects {
            return Self::Talk;
        }
        if request.is_empty() {
            return Self::Greeting;
        }
        let small = [
            (&THANKS[..], Self::Thanks),
            (&BYES[..], Self::Bye),
            (&HELP[..], Self::Help),
            (&TIME[..], Self::Time),
        ];
        let whole = |phrases: &[&str]| is_any(request, phrases) || is_any(message, phrases);
        if let Some((_, intent)) = small.into_iter().find(|(phrases, _)| whole(phrases)) {
            return intent;
        }
        if begins_with_any(request, &THANKS) && !request.contains('?') {
            return Self::Thanks;
        }
        if let Some(list) = ListRequest::of(request) {
            return Self::List(list);
        }
        let is_question = request.ends_with('?') && !opened.is_polite;
        if let Some(what) = after_any(request, &REMIND).filter(|_| !is_question)
            && !begins_with_any(what, &["what", "who", "where", "why", "how", "when"])
        {
            return Self::Remind(without_mark(what));
        }
        if let Some(intent) = changes(&opened, is_question) {
            return intent;
        }
        asks(request).unwrap_or(Self::Talk)
    }

    /// Whether it asks for a change or a call, which only people may ask for.
    pub(super) const fn is_instruction(&self) -> bool {
        match self {
            Self::Remember(_)
            | Self::Correct(_)
            | Self::Forget(_)
            | Self::Remind(_)
            | Self::Command { .. }
            | Self::Commands(_) => true,
            Self::List(list) => list.is_change(),
            _ => false,
        }
    }
}

/// To remember, correct or forget.
fn changes(opened: &Opened<'_>, is_question: bool) -> Option<Intent> {
    let request = opened.request;
    if is_question {
        return None;
    }
    let remember = |content: String| {
        if opened.corrects { Intent::Correct(content) } else { Intent::Remember(content) }
    };
    if let Some(content) = after_any(request, &REMEMBER)
        && !begins_with_any(content, &QUESTION_WORDS)
    {
        let content = if opened.is_polite { without_mark(content) } else { content.to_owned() };
        return Some(remember(content));
    }
    if let Some(what) = after_any(request, &FORGET) {
        return Some(Intent::Forget(forgettable(&without_mark(what))));
    }
    if tells_of_oneself(request) || (opened.corrects && is_statement(request)) {
        return Some(remember(request.to_owned()));
    }
    None
}

/// What a question is about.
fn asks(request: &str) -> Option<Intent> {
    if let Some(what) = after_any(request, &ABOUT) {
        return Some(Intent::Recall(without_mark(what)));
    }
    if let Some(what) = after_any(request, &DATE)
        && !what.is_empty()
        && super::dates::is_date(what)
    {
        return Some(Intent::Date(what.to_owned()));
    }
    let words = request.split_whitespace().count();
    let names_something = words <= KEYWORDS_MAX
        && request.chars().any(char::is_alphabetic)
        && !request.ends_with(['!', '.'])
        && !request.contains('\\')
        && !is_statement(request)
        && !begins_with_any(request, &["i", "you", "we", "it", "that", "this"]);
    let is_question = request.ends_with('?') || begins_with_any(request, &ASKING);
    (is_question || names_something).then(|| Intent::Recall(request.to_owned()))
}

/// `My name is Clara.`, `Call me Bob.`
fn tells_of_oneself(request: &str) -> bool {
    let is_own = after_phrase(request, "my").is_some_and(is_statement)
        || after_phrase(request, "our").is_some_and(is_statement);
    (is_own && !begins_with_any(request, &["my god", "my point", "my bad"]))
        || after_any(request, &ABOUT_ONESELF).is_some_and(|what| !what.is_empty())
}

/// Whether it says of something what it is.
fn is_statement(text: &str) -> bool {
    const VERBS: [&str; 14] = [
        "is", "are", "was", "were", "has", "have", "lives", "works", "likes", "ist", "sind", "est",
        "es", "isn't",
    ];
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'').skip(1);
    words.map(str::to_lowercase).any(|word| VERBS.contains(&word.as_str()))
}

fn without_mark(text: &str) -> String {
    text.trim_end_matches(['?', ' ']).to_owned()
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

/// A message without what stands before its request.
struct Opened<'a> {
    request: &'a str,
    /// Whether it asks politely, in the form of a question.
    is_polite: bool,
    /// Whether it takes back what was said before.
    corrects: bool,
}

impl<'a> Opened<'a> {
    fn of(message: &'a str, agent: &str) -> Self {
        let mut opened = Self { request: message.trim(), is_polite: false, corrects: false };
        loop {
            let rest = opened.request;
            let bare = rest.strip_prefix('@').unwrap_or(rest);
            if let Some(next) = after_phrase(bare, agent).or_else(|| after_any(rest, &OPENINGS)) {
                opened.request = next;
            } else if let Some(next) = after_any(rest, &POLITE).filter(|next| !next.is_empty()) {
                // `can you` alone asks for nothing, and before a noun it is a question.
                (opened.request, opened.is_polite) = (next, true);
            } else if let Some(next) = after_any(rest, &CORRECTIONS) {
                (opened.request, opened.corrects) = (next, true);
            } else {
                return opened;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Intent;

    #[test]
    #[expect(clippy::too_many_lines, reason = "one table")]
    fn each_message_is_recognised_by_its_form() {
        let remember = |text: &str| Intent::Remember(text.into());
        let forget = |text: &str| Intent::Forget(text.into());
        let correct = |text: &str| Intent::Correct(text.into());
        let recall = |text: &str| Intent::Recall(text.into());
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
            ("remember what I said about heron", recall("remember what I said about heron")),
            ("do you remember the server?", recall("do you remember the server?")),
            ("remember that thing?", recall("remember that thing?")),
            ("remembering is hard", Intent::Talk),
            ("notebooks are nice", Intent::Talk),
            ("Can you remember that I like tea?", remember("I like tea")),
            ("note to self: buy milk", remember("buy milk")),
            ("My name is Clara.", remember("My name is Clara.")),
            ("Ich heiße Clara", remember("Ich heiße Clara")),
            ("no, remember that it is on Wednesday", correct("it is on Wednesday")),
            ("Actually, my dentist is on Wednesday", correct("my dentist is on Wednesday")),
            ("thanks!", Intent::Thanks),
            ("Thank you, Felix.", Intent::Thanks),
            ("good night", Intent::Bye),
            ("hello, what can you do?", Intent::Help),
            ("12 * 7", Intent::Talk),
            ("no", Intent::Talk),
            ("I had a nice day.", Intent::Talk),
            ("what do you know about heron?", recall("heron")),
            ("What did I say about heron", recall("What did I say about heron")),
            ("the staging server", recall("the staging server")),
            (
                "remind me tomorrow at 9 to call Ann",
                Intent::Remind("tomorrow at 9 to call Ann".into()),
            ),
            (
                "can you remind me to call Ann in 2 hours?",
                Intent::Remind("call Ann in 2 hours".into()),
            ),
            ("when is next Friday?", Intent::Date("next Friday?".into())),
            ("when is my appointment?", recall("when is my appointment?")),
            ("forget that the server is called heron", forget("the server is called heron")),
            ("please forget about heron.", forget("heron")),
            ("forget it", forget("")),
            ("What time is it?", Intent::Time),
            ("hey felix, what's the time?", Intent::Time),
            ("what time is it in Tokyo?", recall("what time is it in Tokyo?")),
            ("hello", Intent::Greeting),
            ("Hi, Felix!", Intent::Greeting),
            ("what is the staging server called?", recall("what is the staging server called?")),
            ("felix-2 is down", Intent::Talk),
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
            (r"please \say @bob hi ---", Intent::Talk),
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
