//! A text cut into clauses, and a clause into words: numbers, times and signs whole.

/// One word of a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    /// In lower case, without signs around it.
    pub(super) lower: String,
    /// Whether it begins with a capital.
    pub(super) is_capital: bool,
}

/// Most clauses of a text that are looked at.
const CLAUSES_MAX: usize = 12;
/// Most words of a clause.
const WORDS_MAX: usize = 60;

/// The clauses of a text, each with whether it asks.
pub(super) fn clauses(text: &str) -> Vec<(String, bool)> {
    let chars: Vec<char> = text.chars().collect();
    let mut all = Vec::new();
    let mut clause = String::new();
    for (at, c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| chars.get(before));
        let after = chars.get(at + 1);
        let is_end = match c {
            '!' | '?' | '\n' | ';' => true,
            // "17. März", "4.12", "z.B." end nothing.
            '.' => {
                let is_before_space = after.is_none_or(|c| c.is_whitespace());
                let next = chars.get(at + 2);
                let is_ordinal = before.is_some_and(char::is_ascii_digit)
                    && next.is_some()
                    && ordinal_follows(&chars, at + 2);
                is_before_space && !is_ordinal
            }
            _ => false,
        };
        if is_end {
            push(&mut all, &mut clause, *c == '?');
        } else {
            clause.push(*c);
        }
    }
    push(&mut all, &mut clause, false);
    all.truncate(CLAUSES_MAX);
    all
}

/// Whether a month or a small letter stands there: the number before it was an ordinal.
fn ordinal_follows(chars: &[char], at: usize) -> bool {
    let word: String = chars.iter().skip(at).take_while(|c| c.is_alphanumeric()).collect();
    let lower = word.to_lowercase();
    let is_month = super::lexicon::MONTHS.iter().any(|names| names.contains(&lower.as_str()));
    is_month || word.chars().next().is_some_and(char::is_lowercase)
}

fn push(all: &mut Vec<(String, bool)>, clause: &mut String, asks: bool) {
    let text = std::mem::take(clause);
    let asks = asks || text.contains('¿');
    // What follows a "but" is said by itself.
    let mut rest = text.as_str();
    while let Some((at, length)) =
        [", but ", ", aber ", ", mais ", ", pero ", ", and ", ", und ", ", et ", ", y "]
            .iter()
            .filter_map(|word| rest.find(word).map(|at| (at, word.len())))
            .min()
    {
        all.push((rest.get(..at).unwrap_or_default().to_owned(), asks));
        rest = rest.get(at + length..).unwrap_or_default();
    }
    if !rest.trim().is_empty() {
        all.push((rest.to_owned(), asks));
    }
}

/// The words of a clause.
pub(super) fn tokens(clause: &str) -> Vec<Token> {
    let clause = clause.replace('\u{2019}', "'");
    let mut all = Vec::new();
    for word in clause.split_whitespace() {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !"+%€$£'".contains(c));
        let word = word.trim_matches('\'');
        let signs = ['%', '€', '$', '£'];
        let before: String = word.chars().take_while(|c| signs.contains(c)).collect();
        let after: String = word.chars().rev().take_while(|c| signs.contains(c)).collect();
        let bare = word.trim_matches(signs).trim_end_matches(['.', ',']);
        add(&mut all, bare);
        for sign in before.chars().chain(after.chars()) {
            all.push(Token { lower: sign.to_string(), is_capital: false });
        }
        if all.len() >= WORDS_MAX {
            break;
        }
    }
    all
}

fn add(all: &mut Vec<Token>, word: &str) {
    let is_whole = word.ends_with("n't")
        || word.eq_ignore_ascii_case("o'clock")
        || word.eq_ignore_ascii_case("aujourd'hui");
    let parts: Vec<&str> = if is_whole { vec![word] } else { word.split('\'').collect() };
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        let is_capital = part.chars().next().is_some_and(char::is_uppercase);
        all.push(Token { lower: part.to_lowercase(), is_capital });
    }
}

/// The words with a space around each.
pub(super) fn spaced(words: &[Token]) -> String {
    let mut text = String::from(" ");
    for word in words {
        text.push_str(&word.lower);
        text.push(' ');
    }
    text
}
