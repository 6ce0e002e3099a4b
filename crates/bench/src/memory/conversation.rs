//! What retrieval is measured on: conversations of turns, and questions whose evidence among the turns is known.
//!
//! The same shape for a data set that a person has and for the set that is made here. Holds no text of any data set.

use abide_domain::Timestamp;
use abide_memory::SpeakerRole;

/// One thing that was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SpokenTurn {
    /// Who said it.
    pub(super) speaker: String,
    /// Whether that is the agent whose memory it is.
    pub(super) role: SpeakerRole,
    /// The session that it was said in.
    pub(super) thread: String,
    /// When.
    pub(super) at: Timestamp,
    /// What was said.
    pub(super) text: String,
    /// The description of a picture that came along; may be empty.
    pub(super) aside: String,
}

impl SpokenTurn {
    /// About how many tokens of a prompt it takes, with its speaker.
    pub(super) fn tokens(&self) -> usize {
        self.tokens_of(&self.text)
    }

    /// About how many of them a passage of it takes, shown alone.
    pub(super) fn tokens_of(&self, passage: &str) -> usize {
        let aside =
            if self.aside.is_empty() { 0 } else { self.aside.chars().count() + PHOTO.len() + 1 };
        (self.speaker.chars().count() + 2 + passage.chars().count() + aside).div_ceil(4)
    }

    /// What an embedder is given.
    pub(super) fn embeddable(&self) -> String {
        if self.aside.is_empty() {
            return self.text.clone();
        }
        format!("{}{PHOTO}{}]", self.text, self.aside)
    }
}

/// What stands before the description of a picture.
const PHOTO: &str = " [photo: ";

/// What kind of question it is, by the data set's own numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Category {
    /// The answer is spread over several turns.
    MultiHop,
    /// It is about when.
    Temporal,
    /// It needs knowledge of the world too.
    OpenDomain,
    /// One turn holds the answer.
    SingleHop,
    /// It asks of one speaker what the other one said.
    Adversarial,
}

impl Category {
    /// All, in the order of the data set.
    pub(super) const ALL: [Self; 5] =
        [Self::MultiHop, Self::Temporal, Self::OpenDomain, Self::SingleHop, Self::Adversarial];

    /// The category of a number, from 1.
    pub(super) fn from_number(number: u64) -> Option<Self> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        Self::ALL.get(index).copied()
    }

    /// For tables.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::MultiHop => "multi-hop",
            Self::Temporal => "temporal",
            Self::OpenDomain => "open-domain",
            Self::SingleHop => "single-hop",
            Self::Adversarial => "adversarial",
        }
    }

    /// Adversarial questions are reported apart: there is nothing to answer in them.
    pub(super) const fn is_counted(self) -> bool {
        !matches!(self, Self::Adversarial)
    }
}

/// A question with its evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Question {
    /// In a person's words.
    pub(super) text: String,
    /// Its kind.
    pub(super) category: Category,
    /// Ordinals of the turns that hold the answer, as the data set says; never empty.
    pub(super) given: Vec<usize>,
    /// The same after the corrections of an audit; as given where there is none.
    pub(super) corrected: Vec<usize>,
    /// Who asks, as a speaker is called; "I" and "my" are theirs.
    pub(super) asker: Option<String>,
}

/// A turn as a system ranks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RankedTurn {
    /// Which turn.
    pub(super) turn: usize,
    /// About how many tokens of a prompt what is shown of it takes.
    pub(super) tokens: usize,
}

/// A conversation with what is asked about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Conversation {
    /// In the order in which they were said.
    pub(super) turns: Vec<SpokenTurn>,
    /// What is asked.
    pub(super) questions: Vec<Question>,
}

#[cfg(test)]
mod tests {
    use abide_domain::Timestamp;

    use super::SpokenTurn;

    #[test]
    fn a_turn_costs_its_speaker_its_words_and_its_picture() {
        let turn = |aside: &str| SpokenTurn {
            speaker: "Ann".into(),
            role: abide_memory::SpeakerRole::Person,
            thread: "1".into(),
            at: Timestamp::default(),
            text: "Look!".into(),
            aside: aside.into(),
        };
        assert_eq!(turn("").tokens(), "Ann: Look!".len().div_ceil(4));
        assert_eq!(turn("a red kite").tokens(), "Ann: Look! [photo: a red kite]".len().div_ceil(4));
        assert_eq!(turn("a red kite").embeddable(), "Look! [photo: a red kite]");
    }
}
