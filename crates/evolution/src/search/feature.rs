//! What an expression may look at of a passage: the numbers that the keeper's search knows of it, by their names in Scheme.

use serde::{Deserialize, Serialize};

macro_rules! features {
    ($($(#[$doc:meta])+ $name:ident = $text:literal;)+) => {
        /// A number that the search knows of a passage. Yes and no are 1 and 0.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum RankFeature {
            $($(#[$doc])+ #[serde(rename = $text)] $name,)+
        }

        impl RankFeature {
            /// All of them, in the order of [`FeatureRow`].
            pub const ALL: [Self; features!(@count $($name)+)] = [$(Self::$name,)+];

            /// Its name in Scheme.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }
        }
    };
    (@count $($name:ident)+) => { [$(stringify!($name)),+].len() };
}

features! {
    /// What the search orders by.
    Score = "score";
    /// How much of the question's weight its words have.
    Strength = "strength";
    /// How many of the question's words it has.
    Words = "words";
    /// The same as a share of the question's words.
    WordsShare = "words-share";
    /// The part of the score that is its own.
    Own = "own";
    /// How much of the question it covers that better ones do not.
    Covered = "covered";
    /// How many other passages of its message were found.
    Siblings = "siblings";
    /// How many messages beside it were found.
    Stretch = "stretch";
    /// Whether it answers the question by rules.
    Answers = "answers";
    /// How near it is in meaning to an answer.
    AnswersMeaning = "answers-meaning";
    /// Whether it asks something itself.
    Asks = "asks";
    /// Whether it says a time.
    TellsTime = "tells-time";
    /// Whether the question asks when.
    AsksWhen = "asks-when";
    /// Whether it falls into the days asked for.
    Date = "date";
    /// Whether it says a wish.
    Wish = "wish";
    /// Whether it is by whom the question asks about.
    WantedSpeaker = "wanted-speaker";
    /// Whether the agent said it.
    Agent = "agent";
    /// How near it is in meaning to the question.
    Meaning = "meaning";
    /// The same for the message before it.
    MeaningBefore = "meaning-before";
    /// The same for the message after it.
    MeaningAfter = "meaning-after";
    /// The same for its whole message.
    MessageMeaning = "message-meaning";
    /// 1 is shortest.
    Shortness = "shortness";
    /// Its age in days.
    AgeDays = "age-days";
    /// Its characters.
    Length = "length";
    /// Its place in the order of the search, from 0.
    Rank = "rank";
}

/// The features of one passage, in the order of [`RankFeature::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FeatureRow([f64; RankFeature::ALL.len()]);

impl FeatureRow {
    /// A row of what `value` says of each feature; what is no finite number counts as 0.
    pub fn new(value: impl Fn(RankFeature) -> f64) -> Self {
        let finite = |feature| Some(value(feature)).filter(|it| it.is_finite()).unwrap_or(0.0);
        Self(RankFeature::ALL.map(finite))
    }

    /// A row of named numbers, as the search gives them; 0 where one is not named.
    pub fn named(values: &[(&str, f32)]) -> Self {
        let of = |feature: RankFeature| {
            let found = values.iter().find(|(name, _)| *name == feature.name());
            found.map_or(0.0, |(_, value)| f64::from(*value))
        };
        Self::new(of)
    }

    /// A feature's value.
    pub fn get(&self, feature: RankFeature) -> f64 {
        self.0.get(feature as usize).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{FeatureRow, RankFeature};

    #[test]
    fn every_feature_has_its_own_place_and_name() {
        let place = |feature: RankFeature| f64::from(feature as u8);
        let row = FeatureRow::new(place);
        for feature in RankFeature::ALL {
            assert!((row.get(feature) - place(feature)).abs() < f64::EPSILON);
            let json = serde_json::to_string(&feature).unwrap();
            assert_eq!(json, format!("\"{}\"", feature.name()));
        }
        assert_eq!(RankFeature::ALL.len(), 25);
        let named = FeatureRow::named(&[("rank", 3.0), ("nothing", 7.0)]);
        assert_eq!(named.0.iter().sum::<f64>().to_bits(), 3.0_f64.to_bits());
        assert!(FeatureRow::new(|_| f64::NAN).get(RankFeature::Score).abs() < f64::EPSILON);
    }
}
