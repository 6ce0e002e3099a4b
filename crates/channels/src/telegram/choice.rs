//! What a button says when it is pressed, in the 64 bytes that Telegram carries: a decision on one approval, or an answer to one
//! question of a server of tools.

use std::{fmt, str::FromStr};

use abide_domain::{ApprovalId, QuestionId, event::Decision};

/// A decision on an approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApprovalChoice {
    /// Which approval.
    pub approval: ApprovalId,
    /// What is decided.
    pub decision: Decision,
}

/// Says that a text is no choice of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not the answer of an approval button")]
pub struct ApprovalChoiceError;

impl fmt::Display for ApprovalChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.decision {
            Decision::Approve => "approve",
            Decision::Deny => "deny",
        };
        write!(f, "{word}:{}", self.approval)
    }
}

impl FromStr for ApprovalChoice {
    type Err = ApprovalChoiceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (word, approval) = text.split_once(':').ok_or(ApprovalChoiceError)?;
        let decision = match word {
            "approve" => Decision::Approve,
            "deny" => Decision::Deny,
            _ => return Err(ApprovalChoiceError),
        };
        Ok(Self { approval: approval.parse().map_err(|_| ApprovalChoiceError)?, decision })
    }
}

/// An answer to a question of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuestionChoice {
    /// Which question.
    pub question: QuestionId,
    /// Which of the answers that it was put with, from 0; none: it is declined.
    pub answer: Option<u8>,
}

/// Says that a text is no answer to a question of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not the answer of a button below a question")]
pub struct QuestionChoiceError;

impl fmt::Display for QuestionChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.answer {
            Some(answer) => write!(f, "answer-{answer}:{}", self.question),
            None => write!(f, "decline:{}", self.question),
        }
    }
}

impl FromStr for QuestionChoice {
    type Err = QuestionChoiceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (word, question) = text.split_once(':').ok_or(QuestionChoiceError)?;
        let answer = match word.strip_prefix("answer-") {
            Some(number) => Some(number.parse().map_err(|_| QuestionChoiceError)?),
            None if word == "decline" => None,
            None => return Err(QuestionChoiceError),
        };
        Ok(Self { question: question.parse().map_err(|_| QuestionChoiceError)?, answer })
    }
}

/// What any button of ours says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ButtonChoice {
    /// A decision on an approval.
    Approval(ApprovalChoice),
    /// An answer to a question.
    Question(QuestionChoice),
}

impl fmt::Display for ButtonChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Approval(choice) => choice.fmt(f),
            Self::Question(choice) => choice.fmt(f),
        }
    }
}

impl FromStr for ButtonChoice {
    type Err = QuestionChoiceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.parse() {
            Ok(choice) => Ok(Self::Approval(choice)),
            Err(ApprovalChoiceError) => text.parse().map(Self::Question),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ApprovalChoice, ApprovalChoiceError, ButtonChoice, QuestionChoiceError};

    #[test]
    fn the_answer_to_a_question_is_read_back_and_nothing_else_is() {
        let id = "01890a5d-ac96-774b-bcce-b302099a8057";
        for word in ["answer-0", "answer-255", "decline", "approve", "deny"] {
            let text = format!("{word}:{id}");
            let choice: ButtonChoice = text.parse().unwrap();
            assert_eq!(choice.to_string(), text);
            assert!(text.len() <= 64, "Telegram carries no more");
        }
        for word in ["answer-256", "answer-", "answer--1", "answer", "Decline"] {
            let text = format!("{word}:{id}");
            assert_eq!(text.parse::<ButtonChoice>(), Err(QuestionChoiceError), "{text}");
        }
    }

    #[test]
    fn what_stands_behind_a_button_is_read_back_and_nothing_else_is() {
        for text in [
            "approve:01890a5d-ac96-774b-bcce-b302099a8057",
            "deny:01890a5d-ac96-774b-bcce-b302099a8057",
        ] {
            let choice: ApprovalChoice = text.parse().unwrap();
            assert_eq!(choice.to_string(), text);
            assert!(text.len() <= 64, "Telegram carries no more");
        }
        for text in
            ["", "approve", "approve:", "approve:1", "APPROVE:01890a5d-ac96-774b-bcce-b302099a8057"]
        {
            assert_eq!(text.parse::<ApprovalChoice>(), Err(ApprovalChoiceError), "{text}");
        }
    }
}
