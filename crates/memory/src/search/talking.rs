//! Words of a question that are about the talk and not about its matter: "in what order did I mention", "summarise".
//!
//! Nobody says them when the matter is told, so that they leave the words that are looked for and the text that is embedded.
//! Where a word can mean something else too (a list, an order), only its use in asking is meant.

/// Words that are about talking wherever they stand.
const ALWAYS: [&str; 25] = [
    "aufgezahlt",
    "besprochen",
    "chat",
    "chats",
    "chronological",
    "conversation",
    "conversations",
    "erwahnt",
    "erwahnte",
    "gesprach",
    "mention",
    "mentioned",
    "mentioning",
    "mentions",
    "recap",
    "reihenfolge",
    "summaries",
    "summarise",
    "summarised",
    "summarize",
    "summarized",
    "summary",
    "throughout",
    "zusammenfassen",
    "zusammenfassung",
];
/// Words before which "list" is what is to be done.
const BEFORE_LIST: [&str; 6] = ["please", "you", "to", "and", "just", "then"];
/// Words before which "order" is that of telling.
const BEFORE_ORDER: [&str; 5] = ["what", "which", "in", "the", "time"];

/// Whether a word of a question is about the talk.
pub(super) fn is_about_talk(tokens: &[String], index: usize) -> bool {
    let Some(word) = tokens.get(index) else { return false };
    let before = index.checked_sub(1).and_then(|before| tokens.get(before)).map(String::as_str);
    let earlier = index.checked_sub(2).and_then(|before| tokens.get(before)).map(String::as_str);
    match word.as_str() {
        "list" => before.is_none_or(|before| BEFORE_LIST.contains(&before)),
        "order" => {
            before.is_some_and(|before| BEFORE_ORDER.contains(&before))
                && (before == Some("in") || earlier == Some("in"))
        }
        // "Brought up" is said of a topic, "brought" of anything.
        "brought" => tokens.get(index + 1).is_some_and(|next| next == "up"),
        word => ALWAYS.binary_search(&word).is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::words::tokens, ALWAYS, is_about_talk};

    fn left(text: &str) -> String {
        let tokens = tokens(text);
        let left = (0..tokens.len()).filter(|index| !is_about_talk(&tokens, *index));
        left.map(|index| tokens[index].as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_about_the_talk_goes_and_its_matter_stays() {
        assert!(ALWAYS.is_sorted());
        assert_eq!(left("List the trips I mentioned"), "the trips i");
        assert_eq!(left("In what order did I bring the cats?"), "in what did i bring the cats");
        assert_eq!(left("Can you summarize it throughout our conversations"), "can you it our");
        assert_eq!(
            left("the shopping list and the pizza order"),
            "the shopping list and the pizza order"
        );
        assert_eq!(left("Who brought cake?"), "who brought cake");
    }
}
