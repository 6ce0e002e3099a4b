//! A matter: the words and values by which a text is known to say the same thing. Pure.
//!
//! Two texts are about one matter when all words of it stand close together, or when a value that nobody writes by chance
//! (a number of five digits, an address) is in both, however it is spaced.

use std::{collections::BTreeSet, sync::LazyLock};

use crate::words as stems;

/// Digits from which on a number is a value of its own: shorter ones are years and counts.
const VALUE_DIGITS_MIN: usize = 5;
/// The last digits by which two numbers are compared: what stands before is a country's or a trunk's prefix.
const VALUE_DIGITS_COMPARED: usize = 8;

/// Words with which somebody asks, points and speaks of themselves, in the form of [`words`].
const EMPTY: &str = "say forget forgot forgotten delet eras remov remember memori anymor pleas again ever fact said told mention \
    my mine me i we our us you your that what where when who about everyth anyth is am are was have has been \
    vergiss vergessen losch dass ich du wir ist bin bist sind war habe hat mein meine meinen meiner mir mich und der die das den dem ein eine einen im am zu \
    oubli oublier oublie efface que qu je tu nous est suis es sont ai as mon ma mes moi le la les un une de du des et en j au aux \
    olvida olvidar borra yo tu soy eres esta estoy mi mis el los las una del y en al lo";

/// Words that name no matter but what is known of it: "my dog's name", "what my dog is called".
static NAMES: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    words("name names named called call heißt heissen namen nennt appelle nomme nom appelé llama nombre").into_iter().collect()
});
/// The same for a number: "my phone number" is given by its digits.
static NUMBERS: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| words("number nummer numéro número").into_iter().collect());

/// The stems of a text. `lives` is a form of to live here, not of a life.
fn words(text: &str) -> Vec<String> {
    let mut found = stems(text);
    for word in found.iter_mut().filter(|word| *word == "life") {
        "live".clone_into(word);
    }
    found
}

/// What is to be known again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matter {
    words: BTreeSet<String>,
    values: BTreeSet<String>,
}

impl Matter {
    /// What a text is about, without these names: those who speak are everywhere.
    pub fn of(text: &str, names: &[&str]) -> Self {
        let names: BTreeSet<String> = names.iter().flat_map(|name| words(name)).collect();
        let meant = words(text).into_iter().filter(|word| !is_empty_word(word));
        let meant = meant.filter(|word| !names.contains(word)).collect();
        Self { words: meant, values: values(text) }
    }

    /// Whether nothing is named.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.values.is_empty()
    }

    /// Adds the values of a text that says this matter.
    pub fn take_values(&mut self, text: &str) {
        self.values.extend(values(text));
    }

    /// Whether a text says this: all words within two sentences that follow each other, or one of the values.
    pub fn is_in(&self, text: &str) -> bool {
        self.has_value(text) || self.has_all_words(text)
    }

    /// Whether a text has one of the values.
    pub fn has_value(&self, text: &str) -> bool {
        !self.values.is_empty() && values(text).iter().any(|value| self.values.contains(value))
    }

    /// Whether a text has a value, or any of the words.
    pub fn touches(&self, text: &str) -> bool {
        self.has_value(text) || words(text).iter().any(|word| self.words.contains(word))
    }

    fn has_all_words(&self, text: &str) -> bool {
        if self.words.is_empty() {
            return false;
        }
        let sentences: Vec<BTreeSet<String>> =
            sentences(text).map(|sentence| words(sentence).into_iter().collect()).collect();
        let close = sentences.windows(2).any(|pair| {
            self.words.iter().all(|word| pair.iter().any(|sentence| sentence.contains(word)))
        });
        close
            || sentences.iter().any(|sentence| self.words.is_subset(sentence))
            || self.is_named_in(text)
    }

    /// Whether a sentence names what is meant in other words: the dog by what it is called, the phone by its digits.
    fn is_named_in(&self, text: &str) -> bool {
        let meant: BTreeSet<&String> = self
            .words
            .iter()
            .filter(|word| !NAMES.contains(*word) && !NUMBERS.contains(*word))
            .collect();
        let (names, numbers) = (!self.words.is_disjoint(&NAMES), !self.words.is_disjoint(&NUMBERS));
        !meant.is_empty()
            && (names || numbers)
            && sentences(text).any(|sentence| {
                let said: BTreeSet<String> = words(sentence).into_iter().collect();
                let is_named = names && !said.is_disjoint(&NAMES);
                let is_given = numbers && !values(sentence).is_empty();
                meant.iter().all(|word| said.contains(*word)) && (is_named || is_given)
            })
    }

    /// The text without the sentences that say this; `None` where none does. With a name only sentences that have it: what
    /// somebody forgets for themselves takes nothing out that is said of others.
    pub fn without(&self, text: &str, name: Option<&str>) -> Option<String> {
        let name: Vec<String> = name.map(words).unwrap_or_default();
        let is_of = |sentence: &str| {
            let said = words(sentence);
            name.iter().all(|part| said.contains(part))
        };
        let mut kept = String::with_capacity(text.len());
        let mut has_lost = false;
        for line in text.split_inclusive('\n') {
            let before = kept.len();
            for sentence in sentences(line) {
                if self.is_in(sentence) && is_of(sentence) {
                    has_lost = true;
                } else {
                    kept.push_str(sentence);
                }
            }
            // A list's mark alone says nothing.
            let is_bare =
                kept.get(before..).is_some_and(|rest| !rest.contains(char::is_alphanumeric));
            if has_lost && is_bare && line.contains(char::is_alphanumeric) {
                kept.truncate(before);
            } else if line.ends_with('\n') && !kept.ends_with('\n') {
                // Its last sentence went, and the end of the line with it.
                kept.truncate(kept.trim_end().len());
                kept.push('\n');
            }
        }
        has_lost.then_some(kept)
    }
}

fn is_empty_word(word: &str) -> bool {
    EMPTY.split_whitespace().any(|empty| empty == word)
}

/// The sentences of a text with what stands behind them, so that put together they are the text.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut before = ' ';
        let end = rest.char_indices().find_map(|(at, c)| {
            let ends = c == '\n'
                || matches!(c, '。' | '！' | '？')
                || (c.is_whitespace() && matches!(before, '.' | '!' | '?' | ';'));
            before = c;
            ends.then_some(at + c.len_utf8())
        });
        let (sentence, behind) = rest.split_at(end.unwrap_or(rest.len()));
        rest = behind;
        Some(sentence)
    })
}

/// Numbers however they are spaced, by their last digits, and addresses of mail.
fn values(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut digits = String::new();
    let mut gap = 0;
    let mut close = |digits: &mut String| {
        if digits.len() >= VALUE_DIGITS_MIN {
            let from = digits.len().saturating_sub(VALUE_DIGITS_COMPARED);
            found.insert(digits.get(from..).unwrap_or(digits).to_owned());
        }
        digits.clear();
    };
    for c in text.chars() {
        if c.is_ascii_digit() {
            digits.push(c);
            gap = 0;
        } else if !digits.is_empty() && gap == 0 && " -./()".contains(c) {
            gap = 1;
        } else {
            close(&mut digits);
        }
    }
    close(&mut digits);
    let mails = text.split(|c: char| c.is_whitespace() || "<>(),;\"".contains(c));
    let mails = mails
        .filter(|word| word.split_once('@').is_some_and(|(a, b)| !a.is_empty() && b.contains('.')));
    found.extend(mails.map(|mail| mail.trim_end_matches('.').to_lowercase()));
    found
}

#[cfg(test)]
mod tests {
    use super::Matter;

    fn matter(text: &str) -> Matter {
        Matter::of(text, &["nicolas"])
    }

    #[test]
    fn a_matter_is_found_in_other_words_and_not_in_other_matters() {
        let cases = [
            ("that I live in Lyon", "I live in Lyon.", true),
            ("that I live in Lyon", "nicolas lives in Lyon", true),
            ("that I live in Lyon", "I live in a small flat. It is in Lyon.", true),
            ("that I live in Lyon", "I work in Lyon.", false),
            ("that I live in Lyon", "I live here. What a day! The train to Lyon is late.", false),
            ("my phone number", "remember that my phone number is 0612345678", true),
            ("my phone number", "The phone rings.", false),
            ("0612345678", "call +33 6 12 34 56 78 when you are there", true),
            ("0612345678", "call 06-12-34-56-79", false),
            ("my dog's name", "My dog is called Biscuit.", true),
            ("what my dog is called", "The name of my dog is Biscuit.", true),
            ("my dog's name", "My dog ate the grass.", false),
            ("my dog's name", "My dog ate the grass. The vet is on 0698 330175.", false),
            ("my dog's name", "My dog weighs 12345 grams.", false),
            ("my phone number", "You can reach me by phone on 0698 330175.", true),
            ("who my dentist is", "My dentist is Dr Dubois.", true),
            ("mail me at ann@example.org", "ANN@example.org, please", true),
            ("dass ich in Lyon wohne", "Ich wohne jetzt in Lyon.", true),
            ("que j'habite à Lyon", "J'habite à Lyon depuis mai.", true),
            ("que vivo en Lyon", "Vivo en Lyon.", true),
            ("部署密码", "部署密码是甲乙", true),
        ];
        for (asked, text, expected) in cases {
            assert_eq!(matter(asked).is_in(text), expected, "{asked} / {text}");
        }
    }

    #[test]
    fn pointers_and_names_alone_name_nothing() {
        for text in ["", "it", "that", "forget everything about me", "nicolas", "what I said"] {
            assert!(matter(text).is_empty(), "{text}: {:?}", matter(text));
        }
    }

    #[test]
    fn who_forgets_for_themselves_takes_nothing_out_that_is_said_of_others() {
        let text = "# I am Felix\n\nI keep the records. Nicolas keeps the records too.\n";
        let kept = "# I am Felix\n\nI keep the records. \n";
        let matter = matter("I keep the records");
        assert_eq!(
            matter.without(text, Some("nicolas")).map(|text| text.replace(". \n", ".\n")),
            Some(kept.replace(". \n", ".\n"))
        );
        assert_eq!(matter.without(text, Some("mallory")), None);
    }

    #[test]
    fn a_text_loses_the_sentences_that_say_it_and_no_other() {
        let text = "# I am Felix\n\nI help Nicolas. Nicolas lives in Lyon. I like tea.\n- Nicolas lives in Lyon\n- He reads.\n";
        let kept = "# I am Felix\n\nI help Nicolas. I like tea.\n- He reads.\n";
        assert_eq!(matter("I live in Lyon").without(text, None), Some(kept.to_owned()));
        assert_eq!(matter("I live in Paris").without(text, None), None);
    }
}
