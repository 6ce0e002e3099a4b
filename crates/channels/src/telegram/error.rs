//! Why a call of the Bot API gave no result, and what that asks for. No text here holds an address or the token.

use std::time::Duration;

/// The first pause after a failure; each further one is twice as long. One bot has one poller: there is no crowd to spread.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The longest pause that we choose ourselves.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// The longest pause that Telegram may choose.
const LONGEST_ASKED: Duration = Duration::from_hours(1);
/// The pause while another poller, or a webhook, has the bot.
const CONFLICT_PAUSE: Duration = Duration::from_secs(30);

/// What Telegram says where a topic was deleted, or closed, in lower case.
const TOPIC_CLOSED: [&str; 3] = ["message thread not found", "topic_closed", "topic_deleted"];

/// What failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The token is not, or not any more, that of a bot.
    #[error("Telegram does not accept the bot's token; get a new one from BotFather")]
    Unauthorized,
    /// Another poller, or a webhook, takes the bot's updates.
    #[error(
        "another program receives this bot's updates; stop it or use another bot: {description}"
    )]
    Conflict {
        /// Telegram's words.
        description: String,
    },
    /// Too many calls.
    #[error("Telegram asks to wait {} s before the next {method}", after.as_secs())]
    TooMany {
        /// The call.
        method: &'static str,
        /// How long.
        after: Duration,
    },
    /// The group has another number now.
    #[error("{method}: the group is now the supergroup {to}")]
    ChatMigrated {
        /// The call.
        method: &'static str,
        /// The new number.
        to: i64,
    },
    /// Telegram will not do this, however often it is asked.
    #[error("Telegram refused {method}: {description} ({code})")]
    Refused {
        /// The call.
        method: &'static str,
        /// An HTTP status.
        code: u16,
        /// Telegram's words.
        description: String,
    },
    /// Something on Telegram's side or before it is broken.
    #[error("{method} was answered with status {status} and no result")]
    Failing {
        /// The call.
        method: &'static str,
        /// The HTTP status.
        status: u16,
    },
    /// No whole answer came.
    #[error("{method} got no answer: {reason}")]
    NoAnswer {
        /// The call.
        method: &'static str,
        /// Why.
        reason: String,
        /// Whether the call may have been carried out all the same.
        may_have_arrived: bool,
    },
}

/// What to do after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// The same again, later.
    Wait(Duration),
    /// Never the same again.
    GiveUp,
    /// Nothing at all any more: a person must act.
    Stop,
}

impl CallError {
    /// Whether the call may have been carried out all the same. A server error of Telegram's says that it was not.
    pub const fn may_have_arrived(&self) -> bool {
        matches!(self, Self::NoAnswer { may_have_arrived: true, .. })
    }

    /// Whether the topic of a forum that a message was for takes none any more; the chat itself may.
    pub fn is_topic_closed(&self) -> bool {
        let Self::Refused { description, .. } = self else { return false };
        let description = description.to_ascii_lowercase();
        TOPIC_CLOSED.iter().any(|words| description.contains(words))
    }

    /// What this failure asks for; `failures` counts those in a row before it.
    pub fn remedy(&self, failures: u32) -> Remedy {
        match self {
            Self::Unauthorized => Remedy::Stop,
            Self::Refused { .. } | Self::ChatMigrated { .. } => Remedy::GiveUp,
            Self::Conflict { .. } => Remedy::Wait(CONFLICT_PAUSE),
            Self::TooMany { after, .. } => Remedy::Wait((*after).clamp(FIRST_PAUSE, LONGEST_ASKED)),
            Self::Failing { .. } | Self::NoAnswer { .. } => {
                let factor = 2_u32.saturating_pow(failures.min(16));
                Remedy::Wait(FIRST_PAUSE.saturating_mul(factor).min(LONGEST_PAUSE))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{CallError, Remedy};

    fn seconds(error: &CallError, failures: u32) -> u64 {
        match error.remedy(failures) {
            Remedy::Wait(pause) => pause.as_secs(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn pauses_double_to_a_minute_and_telegrams_own_wish_counts_within_an_hour() {
        let failing = CallError::Failing { method: "getUpdates", status: 502 };
        let pauses: Vec<_> = (0..8).map(|failures| seconds(&failing, failures)).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(seconds(&failing, u32::MAX), 60);
        let asked =
            |after| CallError::TooMany { method: "sendMessage", after: Duration::from_secs(after) };
        assert_eq!(seconds(&asked(0), 9), 1);
        assert_eq!(seconds(&asked(17), 9), 17);
        assert_eq!(seconds(&asked(u64::MAX), 0), 3_600);
        assert_eq!(seconds(&CallError::Conflict { description: String::new() }, 0), 30);
    }

    #[test]
    fn a_topic_that_is_closed_is_told_from_other_refusals() {
        let refused = |description: &str| CallError::Refused {
            method: "sendMessage",
            code: 400,
            description: description.into(),
        };
        for words in ["Bad Request: message thread not found", "Bad Request: TOPIC_CLOSED"] {
            assert!(refused(words).is_topic_closed(), "{words}");
        }
        assert!(!refused("Bad Request: chat not found").is_topic_closed());
        assert!(!CallError::Unauthorized.is_topic_closed());
    }

    #[test]
    fn a_refusal_is_not_repeated_and_a_wrong_token_ends_all() {
        let refused =
            CallError::Refused { method: "sendMessage", code: 403, description: "blocked".into() };
        assert_eq!(refused.remedy(0), Remedy::GiveUp);
        assert_eq!(CallError::Unauthorized.remedy(0), Remedy::Stop);
    }
}
