//! Named points at which a test may make the keeper die, fail or wait.
//!
//! They are in release builds too, so that outside checks can kill the real binary at each row of the crash rules
//! (architecture, section 6). Without configuration a point costs one look at an empty list. Only the configuration's
//! `[test]` section, which is refused unless `ABIDE_TEST=1`, can set any.

use std::{str::FromStr, sync::Arc, time::Duration};

/// A point on the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failpoint {
    /// The stimulus is checked, nothing is written.
    AcceptBeforeDurable,
    /// `stimulus.accepted` is durable, the caller has no answer yet.
    AcceptAfterDurable,
    /// A mind is about to be asked.
    TurnAsked,
    /// A mind has answered, nothing of it is written.
    TurnAnswered,
    /// A world tool's intent is durable, the effect has not begun.
    ToolIntentDurable,
    /// A world tool's effect is done, the outcome is not written.
    ToolEffectDone,
    /// A world tool's outcome is durable.
    ToolOutcomeDurable,
    /// An entry of a log is durable, its command has not answered.
    EntryDurable,
    /// The reply stands, the commit is not written.
    CommitBefore,
    /// The commit is durable, nobody has been notified.
    CommitAfter,
    /// That an answer leaves is durable, it has not left.
    AnswerSending,
    /// An answer has left, that is not written.
    AnswerSent,
    /// The ledger is read, no lane has started.
    RecoverBeforeLanes,
    /// A cut epoch is about to go on.
    RecoverResumed,
    /// A sleep is about to begin.
    SleepStartBefore,
    /// The beginning of a sleep is durable, nothing is distilled.
    SleepStartAfter,
    /// Facts are distilled, nothing of them is written.
    SleepFactsBefore,
    /// The facts of a part are durable.
    SleepFactsAfter,
    /// The identity is distilled, nothing of it is written.
    SleepIdentityBefore,
    /// The step of the identity is durable.
    SleepIdentityAfter,
    /// A dream is distilled, nothing of it is written.
    SleepDreamBefore,
    /// The step of the dream is durable.
    SleepDreamAfter,
    /// All steps are durable, the end is not.
    SleepEndBefore,
    /// The end and the reset are durable, nobody has been notified.
    SleepEndAfter,
}

impl Failpoint {
    /// All points with their names.
    pub const ALL: [(Self, &'static str); 24] = [
        (Self::AcceptBeforeDurable, "accept.before_durable"),
        (Self::AcceptAfterDurable, "accept.after_durable"),
        (Self::TurnAsked, "turn.asked"),
        (Self::TurnAnswered, "turn.answered"),
        (Self::ToolIntentDurable, "tool.intent_durable"),
        (Self::ToolEffectDone, "tool.effect_done"),
        (Self::ToolOutcomeDurable, "tool.outcome_durable"),
        (Self::EntryDurable, "stdout.entry_durable"),
        (Self::CommitBefore, "commit.before"),
        (Self::CommitAfter, "commit.after"),
        (Self::AnswerSending, "answer.sending"),
        (Self::AnswerSent, "answer.sent"),
        (Self::RecoverBeforeLanes, "recover.before_lanes"),
        (Self::RecoverResumed, "recover.resumed"),
        (Self::SleepStartBefore, "sleep.start_before"),
        (Self::SleepStartAfter, "sleep.start_after"),
        (Self::SleepFactsBefore, "sleep.facts_before"),
        (Self::SleepFactsAfter, "sleep.facts_after"),
        (Self::SleepIdentityBefore, "sleep.identity_before"),
        (Self::SleepIdentityAfter, "sleep.identity_after"),
        (Self::SleepDreamBefore, "sleep.dream_before"),
        (Self::SleepDreamAfter, "sleep.dream_after"),
        (Self::SleepEndBefore, "sleep.end_before"),
        (Self::SleepEndAfter, "sleep.end_after"),
    ];
}

/// What happens at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// The process dies as by `kill -9`: no destructor runs, nothing is flushed.
    Exit,
    /// The station fails.
    Error,
    /// The station waits.
    Delay(Duration),
}

/// The points that are set. Empty outside tests.
#[derive(Clone, Debug, Default)]
pub struct Failpoints(Arc<[(Failpoint, Action)]>);

/// Why a text names no failpoint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FailpointError {
    /// No point of that name.
    #[error("`{0}` is not a failpoint; `abide test failpoints` lists them")]
    Name(String),
    /// No action of that form.
    #[error("`{0}` has no valid action; use name=exit, name=error or name=delay(milliseconds)")]
    Action(String),
}

/// A test set a failpoint that fails here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a failpoint that a test set caused this failure")]
pub struct InjectedError;

impl FromStr for Failpoints {
    type Err = FailpointError;

    /// Reads `name=action` pairs, separated by commas or semicolons.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let pairs = text.split([',', ';']).map(str::trim).filter(|pair| !pair.is_empty());
        pairs.map(parse_pair).collect::<Result<Vec<_>, _>>().map(|points| Self(points.into()))
    }
}

fn parse_pair(pair: &str) -> Result<(Failpoint, Action), FailpointError> {
    let (name, action) = pair.split_once('=').ok_or_else(|| FailpointError::Action(pair.into()))?;
    let point = Failpoint::ALL.into_iter().find(|(_, known)| *known == name.trim());
    let (point, _) = point.ok_or_else(|| FailpointError::Name(name.into()))?;
    let action = match action.trim() {
        "exit" => Action::Exit,
        "error" => Action::Error,
        other => {
            let ms = other.strip_prefix("delay(").and_then(|rest| rest.strip_suffix(')'));
            let ms = ms.and_then(|ms| ms.trim().parse().ok());
            Action::Delay(Duration::from_millis(
                ms.ok_or_else(|| FailpointError::Action(pair.into()))?,
            ))
        }
    };
    Ok((point, action))
}

impl Failpoints {
    /// Whether a point is set: some stations only wait for the disk there when a test wants to die after it.
    pub fn is_set(&self, point: Failpoint) -> bool {
        self.0.iter().any(|(set, _)| *set == point)
    }

    /// Passes a point: usually nothing happens.
    pub async fn pass(&self, point: Failpoint) -> Result<(), InjectedError> {
        match self.0.iter().find(|(set, _)| *set == point) {
            None => Ok(()),
            Some((_, Action::Exit)) => std::process::abort(),
            Some((_, Action::Error)) => Err(InjectedError),
            Some((_, Action::Delay(delay))) => {
                tokio::time::sleep(*delay).await;
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FailpointError, Failpoints};

    #[test]
    fn pairs_are_read_and_errors_name_the_pair() {
        assert!("".parse::<Failpoints>().is_ok());
        assert!("turn.asked=exit, commit.before=delay(30)".parse::<Failpoints>().is_ok());
        let error = |text: &str| text.parse::<Failpoints>().unwrap_err();
        assert_eq!(error("nowhere=exit"), FailpointError::Name("nowhere".into()));
        assert_eq!(
            error("turn.asked=explode"),
            FailpointError::Action("turn.asked=explode".into())
        );
    }
}
