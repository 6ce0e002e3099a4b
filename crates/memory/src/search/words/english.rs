//! Word lists of English: what means nothing for a search, and forms that no rule leads back to their word.
//!
//! Both lists are sorted and looked up by halving. A text in another language meets few of them, on both sides alike.

/// Whether a word, in lower case, says nothing about what a text is about.
pub(super) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// The dictionary form of an irregular one; any other word as it is.
pub(super) fn regular(word: &str) -> &str {
    let found = IRREGULAR.binary_search_by_key(&word, |(form, _)| form).ok();
    found.and_then(|index| IRREGULAR.get(index)).map_or(word, |(_, base)| base)
}

/// Whether a stem is rather of asking than of what is asked about: whoever answers seldom says it.
pub(in crate::search) fn is_of_asking(stem: &str) -> bool {
    OF_ASKING.binary_search(&stem).is_ok()
}

#[rustfmt::skip]
const OF_ASKING: [&str; 53] = [
    "abl", "anywher", "caus", "close", "come", "deal", "discuss", "end", "figur",
    "find", "finish", "fix", "get", "go", "handl", "happen", "hear", "help",
    "idea", "issu", "know", "learn", "look", "manag", "matter", "mean", "mention",
    "news", "problem", "progress", "question", "remain", "rememb", "remind", "resolv", "result",
    "say", "situat", "solv", "stand", "statu", "status", "still", "talk", "tell",
    "thing", "think", "topic", "troubl", "understand", "updat", "work", "yet",
];

#[rustfmt::skip]
const STOP_WORDS: [&str; 140] = [
    "a", "about", "above", "after", "again", "against", "all", "also", "am", "an", "and", "any",
    "are", "as", "at", "be", "because", "been", "before", "being", "below", "between", "both",
    "but", "by", "can", "could", "d", "did", "do", "does", "doing", "don", "down", "during",
    "each", "few", "for", "from", "further", "had", "has", "have", "having", "he", "her", "here",
    "hers", "herself", "him", "himself", "his", "how", "i", "if", "in", "into", "is", "it", "its",
    "itself", "just", "ll", "m", "me", "might", "more", "most", "must", "my", "myself", "no",
    "nor", "not", "now", "of", "off", "on", "once", "only", "or", "other", "our", "ours",
    "ourselves", "out", "over", "own", "re", "s", "same", "shall", "she", "should", "so", "some",
    "such", "t", "than", "that", "the", "their", "theirs", "them", "themselves", "then", "there",
    "these", "they", "this", "those", "through", "to", "too", "under", "until", "up", "us", "ve",
    "very", "was", "we", "were", "what", "when", "where", "which", "while", "who", "whom",
    "whose", "why", "will", "with", "would", "you", "your", "yours", "yourself", "yourselves",
];

/// Form and dictionary form.
#[rustfmt::skip]
const IRREGULAR: [(&str, &str); 112] = [
    ("ate", "eat"), ("became", "become"), ("been", "be"), ("began", "begin"), ("begun", "begin"),
    ("bought", "buy"), ("broke", "break"), ("broken", "break"), ("brought", "bring"),
    ("built", "build"), ("came", "come"), ("caught", "catch"), ("children", "child"),
    ("chose", "choose"), ("chosen", "choose"), ("cost", "cost"), ("dealt", "deal"),
    ("drank", "drink"), ("drawn", "draw"), ("drew", "draw"), ("driven", "drive"),
    ("drove", "drive"), ("drunk", "drink"), ("eaten", "eat"), ("fallen", "fall"),
    ("feet", "foot"), ("fell", "fall"), ("felt", "feel"), ("flew", "fly"), ("flown", "fly"),
    ("forgot", "forget"), ("forgotten", "forget"), ("fought", "fight"), ("found", "find"),
    ("gave", "give"), ("given", "give"), ("gone", "go"), ("got", "get"), ("gotten", "get"),
    ("grew", "grow"), ("grown", "grow"), ("heard", "hear"), ("held", "hold"), ("hid", "hide"),
    ("hidden", "hide"), ("hung", "hang"), ("kept", "keep"), ("knew", "know"), ("known", "know"),
    ("learnt", "learn"), ("led", "lead"), ("left", "leave"), ("lent", "lend"), ("lives", "life"),
    ("lost", "lose"), ("made", "make"), ("meant", "mean"), ("men", "man"), ("met", "meet"),
    ("mice", "mouse"), ("paid", "pay"), ("people", "person"), ("ran", "run"), ("rang", "ring"),
    ("ridden", "ride"), ("risen", "rise"), ("rode", "ride"), ("rose", "rise"), ("rung", "ring"),
    ("said", "say"), ("sang", "sing"), ("sat", "sit"), ("saw", "see"), ("seen", "see"),
    ("sent", "send"), ("shaken", "shake"), ("shook", "shake"), ("shot", "shoot"),
    ("slept", "sleep"), ("sold", "sell"), ("spent", "spend"), ("spoke", "speak"),
    ("spoken", "speak"), ("stole", "steal"), ("stolen", "steal"), ("stood", "stand"),
    ("struck", "strike"), ("stuck", "stick"), ("sung", "sing"), ("swam", "swim"),
    ("swum", "swim"), ("taken", "take"), ("taught", "teach"), ("teeth", "tooth"),
    ("thought", "think"), ("threw", "throw"), ("thrown", "throw"), ("told", "tell"),
    ("took", "take"), ("understood", "understand"), ("was", "be"), ("went", "go"), ("were", "be"),
    ("wives", "wife"), ("woke", "wake"), ("woken", "wake"), ("women", "woman"), ("won", "win"),
    ("wore", "wear"), ("worn", "wear"), ("written", "write"), ("wrote", "write"),
];

#[cfg(test)]
mod tests {
    use super::{IRREGULAR, OF_ASKING, STOP_WORDS, is_of_asking, is_stop_word, regular};

    #[test]
    fn the_lists_are_sorted_so_that_every_word_in_them_is_found() {
        assert!(STOP_WORDS.is_sorted() && OF_ASKING.is_sorted());
        assert!(IRREGULAR.is_sorted_by_key(|(form, _)| form));
        assert!(is_stop_word("the") && !is_stop_word("garden"));
        let asked = super::super::words("Any news of the trouble? Did you figure out the problem?");
        assert!(asked.iter().all(|stem| is_of_asking(stem)), "{asked:?}");
        assert_eq!((regular("went"), regular("garden")), ("go", "garden"));
    }
}
