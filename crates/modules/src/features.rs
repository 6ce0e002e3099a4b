//! What a search knows of a passage, as numbers with names. Every number arrives exactly as it was sent, so that equal
//! scores stay equal; none is NaN or infinite on the wire.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, Visitor},
    ser,
};

/// The whole numbers that a float holds exactly.
const WHOLE_MAX: f64 = 9_007_199_254_740_992.0;

macro_rules! features {
    ($($(#[$doc:meta])+ $field:ident = $name:literal;)+) => {
        /// The features of one passage. Yes and no are 1 and 0.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct PassageFeatures {
            $($(#[$doc])+ pub $field: f64,)+
        }

        impl PassageFeatures {
            /// The names that a module asks by, in the order of [`Self::values`].
            pub const NAMES: [&'static str; features!(@count $($field)+)] = [$($name,)+];

            /// All numbers, in the order of [`Self::NAMES`].
            pub fn values(&self) -> [f64; Self::NAMES.len()] {
                [$(self.$field,)+]
            }

            /// The features with these numbers, in the order of [`Self::NAMES`].
            pub fn from_values(values: [f64; Self::NAMES.len()]) -> Self {
                let [$($field,)+] = values;
                Self { $($field,)+ }
            }
        }
    };
    (@count $($field:ident)+) => { [$(stringify!($field)),+].len() };
}

features! {
    /// What the search ordered by; comparable within one question.
    score = "score";
    /// How much of the question is really there, 0 to 1; comparable between questions.
    strength = "strength";
    /// BM25 of its words.
    words = "words";
    /// The same by the weight of the question's words, about 0 to 2.
    words_share = "words-share";
    /// The share of the question's words that it holds.
    own = "own";
    /// The share that it or its neighbours hold.
    covered = "covered";
    /// BM25 of the other passages of its message.
    siblings = "siblings";
    /// BM25 of the stretch of conversation that it stands in.
    stretch = "stretch";
    /// BM25 of the question right before it, where one stands there: it may be its answer.
    answers = "answers";
    /// How near that question is in meaning.
    answers_meaning = "answers-meaning";
    /// Whether it asks something itself.
    asks = "asks";
    /// Whether it says when something happens.
    tells_time = "tells-time";
    /// Whether the question asks when.
    asks_when = "asks-when";
    /// How close its day is to the one that the question means.
    date = "date";
    /// Whether it is a wish of whoever asks.
    wish = "wish";
    /// Whether it is by the speaker whose words are wanted.
    wanted_speaker = "wanted-speaker";
    /// Whether the agent said it.
    agent = "agent";
    /// How near it is in meaning to the question, above the mean.
    meaning = "meaning";
    /// The same for the passage before it.
    meaning_before = "meaning-before";
    /// The same for the passage behind it.
    meaning_after = "meaning-after";
    /// The same for its whole message.
    message_meaning = "message-meaning";
    /// How short the messages of this memory are, from 0 to 1; the same for all passages.
    shortness = "shortness";
    /// Days since it was said.
    age_days = "age-days";
    /// How many words it has.
    length = "length";
    /// Its place in the order of the search, from 0.
    rank = "rank";
}

/// On the wire: the numbers in their order with spaces between, without zeros at the end, each in the shortest form that reads back as
/// itself. The reader of JSON that is used here rounds a few numbers wrongly, and it takes three times as long.
impl Serialize for PassageFeatures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = Vec::with_capacity(256);
        let values = self.values();
        let end = values.iter().rposition(|value| !is_nothing(value)).map_or(0, |last| last + 1);
        for value in values.into_iter().take(end) {
            if !text.is_empty() {
                text.push(b' ');
            }
            write_number(&mut text, value).map_err(ser::Error::custom)?;
        }
        serializer.serialize_str(str::from_utf8(&text).map_err(ser::Error::custom)?)
    }
}

impl<'de> Deserialize<'de> for PassageFeatures {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextReader(read_features))
    }
}

fn read_features(text: &str) -> Result<PassageFeatures, String> {
    let mut values = [0.0; PassageFeatures::NAMES.len()];
    let mut places = values.iter_mut();
    for word in text.split(' ').filter(|_| !text.is_empty()) {
        let place = places.next().ok_or_else(|| "more numbers than features".to_owned())?;
        *place = read_number(word)?;
    }
    Ok(PassageFeatures::from_values(values))
}

/// Reads a text where it lies, without a copy of it.
struct TextReader<T>(fn(&str) -> Result<T, String>);

impl<T> Visitor<'_> for TextReader<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text of numbers")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        (self.0)(text).map_err(E::custom)
    }
}

/// Whether a number is zero as it comes where nothing is written.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
pub(crate) fn is_nothing(number: &f64) -> bool {
    number.to_bits() == 0
}

/// Writes a number so that it reads back as itself; whole ones, which most are, without a point.
fn write_number(text: &mut Vec<u8>, value: f64) -> serde_json::Result<()> {
    let is_whole = value.fract() == 0.0 && value.abs() < WHOLE_MAX && !value.is_sign_negative();
    if is_whole {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "whole, and within what a float holds"
        )]
        return serde_json::to_writer(text, &(value as i64));
    }
    serde_json::to_writer(text, &value)
}

fn read_number(word: &str) -> Result<f64, String> {
    match word {
        // Yes and no are most of them.
        "0" => return Ok(0.0),
        "1" => return Ok(1.0),
        _ => {}
    }
    match word.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(format!("no number: {word}")),
    }
}

/// A single number in the form of the features, as a JSON string.
pub(crate) mod exact_number {
    use serde::{Deserializer, Serializer, ser::Error as _};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
    pub(crate) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = Vec::new();
        super::write_number(&mut text, *value).map_err(S::Error::custom)?;
        serializer.serialize_str(str::from_utf8(&text).map_err(S::Error::custom)?)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        deserializer.deserialize_str(super::TextReader(super::read_number))
    }
}

#[cfg(test)]
mod tests {
    use super::PassageFeatures;

    #[test]
    fn features_arrive_bit_by_bit_as_they_were_sent() {
        let mut values = [0.0; PassageFeatures::NAMES.len()];
        let odd = [0.1 + 0.2, 1e-310, -0.0, 1e300, 9_007_199_254_740_993.0, 0.3, -17.0, f64::MAX];
        values.iter_mut().zip(odd).for_each(|(value, odd)| *value = odd);
        let sent = PassageFeatures::from_values(values);
        let text = serde_json::to_string(&sent).unwrap();
        let back: PassageFeatures = serde_json::from_str(&text).unwrap();
        assert_eq!(back.values().map(f64::to_bits), sent.values().map(f64::to_bits));
    }

    #[test]
    fn numbers_that_are_none_or_too_many_are_refused() {
        let good = vec!["1"; PassageFeatures::NAMES.len()];
        for (text, is_good) in [
            (good.join(" "), true),
            // Zeros at the end are left out.
            (good[1..].join(" "), true),
            (String::new(), true),
            (" ".to_owned(), false),
            (format!("{} 1", good.join(" ")), false),
            (good.join(" ").replacen('1', "NaN", 1), false),
            (good.join(" ").replacen('1', "inf", 1), false),
            (good.join("  "), false),
        ] {
            let read = serde_json::from_value::<PassageFeatures>(text.clone().into());
            assert_eq!(read.is_ok(), is_good, "{text}");
        }
    }
}
