//! Which wakes of an agent are over, and what their owner is told.

use std::sync::Arc;

use abide_domain::{EntityName, SpaceName, Timestamp, WakeId, text::shortened};

use crate::{
    console,
    services::Services,
    state::{CurrentTime, EvaluationContext, State, Wake, WakeStatus},
};

/// Characters of a condition that are repeated to the woken agent.
const CONDITION_CHARS_MAX: usize = 500;

/// A wake that is over.
#[derive(Debug)]
pub(super) struct DueWake {
    pub(super) owner: EntityName,
    pub(super) wake_id: WakeId,
    pub(super) end: WakeEnd,
}

/// How a wake ends.
#[derive(Debug)]
pub(super) enum WakeEnd {
    /// Its owner gets a stimulus.
    Fires {
        /// Why its condition cannot be evaluated, where that is the reason.
        error: Option<String>,
        /// The text of the stimulus.
        content: String,
        /// How many steps from agent to agent led to it.
        hop: u32,
        /// The conversation that hears what comes of it; that of wakes where none stands here.
        session: Option<Arc<str>>,
    },
    /// It can never fire.
    Cancelled,
}

/// The wakes of an owner that are over.
pub(super) async fn due_wakes(services: &Services, owner: &EntityName) -> Vec<DueWake> {
    let mut due = Vec::new();
    let mut asking = Vec::new();
    {
        let (state, now) = (services.view.read(), services.both_now());
        for wake in state.entities.wakes.of(owner) {
            match judge(&state, owner, (wake, None), now) {
                WakeStatus::Waits => {}
                WakeStatus::Asks => asking.push((wake.id, wake.questions())),
                status => due.extend(DueWake::of(owner, wake, status, now)),
            }
        }
    }
    for (wake_id, questions) in asking {
        let mut answers = Vec::with_capacity(questions.len());
        for question in questions {
            let answer = console::ask(services, owner, &question).await;
            answers.push(answer.map_err(|error| error.to_string()));
        }
        let (state, now) = (services.view.read(), services.both_now());
        let wake = state.entities.wakes.of(owner).iter().find(|wake| wake.id == wake_id);
        due.extend(wake.and_then(|wake| {
            let status = judge(&state, owner, (wake, Some(&answers)), now);
            DueWake::of(owner, wake, status, now)
        }));
    }
    due
}

fn judge(
    state: &State,
    owner: &EntityName,
    (wake, answers): (&Wake, Option<&[Result<String, String>]>),
    now: CurrentTime,
) -> WakeStatus {
    let is_member = |space: &SpaceName| {
        state.entities.spaces.get(space).is_some_and(|space| space.members.contains(owner))
    };
    let (tick, _) = state.tick_at(now.ledger);
    wake.judge(&EvaluationContext { tick, now, is_member: &is_member, answers })
}

impl DueWake {
    fn of(owner: &EntityName, wake: &Wake, status: WakeStatus, now: CurrentTime) -> Option<Self> {
        let now = now.ledger;
        let (content, error) = match status {
            WakeStatus::Waits | WakeStatus::Asks => return None,
            WakeStatus::Due => (fired_text(wake, now), None),
            WakeStatus::Failed(error) => (failed_text(wake, &error, now), Some(error)),
            WakeStatus::Impossible => {
                let end = WakeEnd::Cancelled;
                return Some(Self { owner: owner.clone(), wake_id: wake.id, end });
            }
        };
        let (hop, session) = (wake.hop(now), wake.session.clone());
        let end = WakeEnd::Fires { error, content, hop, session };
        Some(Self { owner: owner.clone(), wake_id: wake.id, end })
    }
}

/// The text for a woken agent: its own words, and what came since.
fn fired_text(wake: &Wake, now: Timestamp) -> String {
    let (inputs, count) = wake.recent_inputs();
    let inputs: Vec<&str> = inputs.collect();
    let age = wake.age(now);
    let condition = shortened(&wake.condition, CONDITION_CHARS_MAX);
    let since = match inputs.len() {
        0 => "Nothing was said to you since.)".to_owned(),
        shown => {
            let what = if shown as u64 == count {
                String::new()
            } else {
                format!(", the last {shown} of {count}")
            };
            format!("What came since{what}:)\n{}", inputs.join("\n"))
        }
    };
    let heard = match wake.session {
        Some(_) => "What you answer is sent to the chat in which you asked for it. ",
        None => "",
    };
    format!("{}\n\n(You asked for this {age}: {condition} {heard}{since}", wake.prompt)
}

/// The text for an agent whose condition cannot be evaluated: an error is not a no.
fn failed_text(wake: &Wake, error: &str, now: Timestamp) -> String {
    let age = wake.age(now);
    let (condition, prompt) = (shortened(&wake.condition, CONDITION_CHARS_MAX), &wake.prompt);
    format!(
        "A wake that you set {age} has ended because its condition cannot be evaluated: {error}\n\
         Its condition: {condition}\nWhat you wanted to be told: {prompt}"
    )
}
