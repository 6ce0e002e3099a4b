//! What a button says when it is pressed: a decision on one approval, in the 64 bytes that Telegram carries.

use std::{fmt, str::FromStr};

use abide_domain::{ApprovalId, event::Decision};

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

#[cfg(test)]
mod tests {
    use super::{ApprovalChoice, ApprovalChoiceError};

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
