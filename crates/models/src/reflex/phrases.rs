//! The phrases by which the reflex recognises what it is asked for; the longer form of a phrase stands before the shorter.

/// Words that may stand before the request.
pub(super) const OPENINGS: [&str; 27] = [
    "hello",
    "hi",
    "hey",
    "hallo",
    "bonjour",
    "hola",
    "good morning",
    "good evening",
    "good afternoon",
    "guten morgen",
    "guten tag",
    "dear",
    "ok",
    "okay",
    "so",
    "well",
    "also",
    "and",
    "please",
    "bitte",
    "you should",
    "i want you to",
    "i'd like you to",
    "kindly",
    "by the way",
    "oh",
    "yes",
];
/// Openings that make a request of what has the form of a question.
pub(super) const POLITE: [&str; 12] = [
    "could you please",
    "can you please",
    "would you please",
    "will you please",
    "could you",
    "can you",
    "would you",
    "will you",
    "kannst du bitte",
    "kannst du",
    "peux-tu",
    "puedes",
];
/// Openings that take back what was said before.
pub(super) const CORRECTIONS: [&str; 13] = [
    "no, wait",
    "no wait",
    "no",
    "nope",
    "actually",
    "correction",
    "that's wrong",
    "that is wrong",
    "i was wrong",
    "sorry",
    "nein",
    "non",
    "falsch",
];
pub(super) const REMEMBER: [&str; 29] = [
    "remember that",
    "remember this",
    "remember",
    "note to self that",
    "note to self",
    "note to myself",
    "note down that",
    "note that",
    "note",
    "take a note that",
    "take a note",
    "make a note that",
    "make a note",
    "write down that",
    "write down",
    "don't forget that",
    "do not forget that",
    "keep in mind that",
    "merk dir, dass",
    "merk dir dass",
    "merk dir",
    "merke dir",
    "vergiss nicht, dass",
    "souviens-toi que",
    "retiens que",
    "recuerda que",
    "recuérdame que",
    "anota que",
    "acuérdate de que",
];
pub(super) const FORGET: [&str; 10] = [
    "forget that",
    "forget about",
    "forget what i said about",
    "forget the fact that",
    "forget",
    "vergiss, dass",
    "vergiss",
    "oublie que",
    "olvida que",
    "olvida",
];
/// Before one of these, `remember` begins a question.
pub(super) const QUESTION_WORDS: [&str; 12] = [
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
/// What a question begins with, also one without its mark.
pub(super) const ASKING: [&str; 63] = [
    "what",
    "what's",
    "who",
    "who's",
    "whose",
    "when",
    "when's",
    "where",
    "where's",
    "why",
    "how",
    "which",
    "is",
    "are",
    "am",
    "was",
    "were",
    "do",
    "does",
    "did",
    "have",
    "has",
    "can",
    "could",
    "will",
    "would",
    "should",
    "tell me",
    "show me",
    "remind me what",
    "remember",
    "recall",
    "list",
    "find",
    "search",
    "look up",
    "describe",
    "wer",
    "wann",
    "wo",
    "wie",
    "warum",
    "welche",
    "welcher",
    "welches",
    "wem",
    "wessen",
    "hast",
    "habe",
    "weißt du",
    "qui",
    "quand",
    "où",
    "comment",
    "pourquoi",
    "quel",
    "quelle",
    "quién",
    "cuándo",
    "dónde",
    "cómo",
    "cuál",
    "qué",
];
/// What somebody begins with who tells of themselves what never changes: how they are called, what harms them. What changes, such as
/// where they live, is for sleep, which knows that the later takes the place of the earlier.
pub(super) const ABOUT_ONESELF: [&str; 11] = [
    "i am called",
    "i'm called",
    "i am allergic",
    "i'm allergic",
    "call me",
    "ich heiße",
    "ich bin allergisch",
    "mein name ist",
    "je m'appelle",
    "me llamo",
    "mi nombre es",
];
pub(super) const TIME: [&str; 17] = [
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
    "what day is today",
    "what is the date",
    "what's the date",
    "what date is it",
    "what is today's date",
    "what's today's date",
    "wie spät ist es",
];
pub(super) const THANKS: [&str; 17] = [
    "thanks",
    "thank you",
    "thx",
    "ty",
    "cheers",
    "thanks a lot",
    "many thanks",
    "thank you very much",
    "thank you so much",
    "great, thanks",
    "danke",
    "danke dir",
    "vielen dank",
    "merci",
    "merci beaucoup",
    "gracias",
    "muchas gracias",
];
pub(super) const BYES: [&str; 12] = [
    "bye",
    "goodbye",
    "good night",
    "see you",
    "see you tomorrow",
    "talk to you later",
    "tschüss",
    "bis morgen",
    "au revoir",
    "adiós",
    "hasta luego",
    "later",
];
pub(super) const HELP: [&str; 16] = [
    "what can you do",
    "what can you do for me",
    "what do you do",
    "who are you",
    "what are you",
    "how do you work",
    "help",
    "help me",
    "how can you help",
    "how can you help me",
    "what are you able to do",
    "was kannst du",
    "wer bist du",
    "que peux-tu faire",
    "qui es-tu",
    "qué puedes hacer",
];
/// After one of these stands what a question is about.
pub(super) const ABOUT: [&str; 11] = [
    "what do you know about",
    "what do you remember about",
    "what can you tell me about",
    "tell me what you know about",
    "tell me everything about",
    "tell me about",
    "do you know anything about",
    "do you remember anything about",
    "was weißt du über",
    "que sais-tu de",
    "qué sabes de",
];
pub(super) const REMIND: [&str; 9] = [
    "remind me to",
    "remind me that",
    "remind me about",
    "remind me of",
    "remind me",
    "erinnere mich",
    "erinnere mich daran",
    "rappelle-moi",
    "recuérdame",
];
pub(super) const DATE: [&str; 17] = [
    "what day is",
    "what date is",
    "what day was",
    "what date was",
    "what day will it be",
    "what is the date of",
    "what's the date of",
    "when is",
    "when was",
    "how many days until",
    "how many days till",
    "how many days to",
    "how many days since",
    "how long until",
    "how long till",
    "welcher tag ist",
    "wie viele tage sind es bis",
];

/// What follows one of some phrases, which stands at the beginning.
pub(super) fn after_any<'a>(text: &'a str, phrases: &[&str]) -> Option<&'a str> {
    phrases.iter().find_map(|phrase| after_phrase(text, phrase))
}

/// Whether one of some phrases stands at the beginning.
pub(super) fn begins_with_any(text: &str, phrases: &[&str]) -> bool {
    after_any(text, phrases).is_some()
}

/// Whether a text is one of some phrases, whatever its case and the signs at its end.
pub(super) fn is_any(text: &str, phrases: &[&str]) -> bool {
    let plain = text.trim_end_matches(['?', '!', '.', ' ', ',', ')', ':', ';']).to_lowercase();
    phrases.contains(&plain.as_str())
}

/// What follows a phrase that stands at the beginning as whole words, whatever its case, without the space and the
/// punctuation between.
pub(super) fn after_phrase<'a>(text: &'a str, phrase: &str) -> Option<&'a str> {
    let mut rest = text;
    for wanted in phrase.chars() {
        let found = rest.chars().next()?;
        let is_same = found.to_lowercase().eq(wanted.to_lowercase())
            || (wanted == '\'' && found == '\u{2019}');
        if !is_same {
            return None;
        }
        rest = rest.get(found.len_utf8()..)?;
    }
    let is_whole = rest.chars().next().is_none_or(|next| {
        !next.is_alphanumeric() && next != '\'' && next != '-' && next != '\u{2019}'
    });
    is_whole.then(|| {
        rest.trim_start_matches([' ', '\t', '\n', '\r', ',', ':', ';', '.', '!', '–', '—'])
    })
}
