//! Brings an agent's session back to life: it lives in the process, is loaded or resumed, or is made anew and that is said.
//!
//! A session that a cut turn stands in must be brought back or the turn has no known outcome: it must never be replaced by
//! a new one then.

use abide_domain::{EpochId, event::EvidenceReported, turn::MindError};
use agent_client_protocol::{
    Error as AcpError, ErrorCode,
    v1::schema::{
        LoadSessionRequest, NewSessionRequest, ResumeSessionRequest, SessionNotification,
    },
};
use serde_json::Value;
use tokio::time::timeout;

use super::{
    House,
    actor::session_evidence,
    link::LinkError,
    note::Note,
    outcome::unknown,
    plan::Plan,
    replay::{Replay, Traces},
    run::{Run, told},
    turn::UPDATE,
};

/// Longest id of a session, in bytes.
const SESSION_ID_BYTES_MAX: usize = 1024;

/// How a session came to be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Came {
    /// It lived in the process.
    Alive,
    /// It was brought back.
    Back {
        /// The session.
        session_id: String,
        /// What its replay showed of the prompt; None without one.
        traces: Option<Traces>,
    },
    /// It is new.
    New {
        /// The session.
        session_id: String,
        /// Why the one before it is lost, where there was one.
        lost: Option<String>,
    },
}

/// Says why there is no session.
#[derive(Debug)]
pub(super) enum Failed {
    /// The connection broke.
    Link(LinkError),
    /// The process lives, and the turn has its answer.
    Mind(MindError),
}

impl From<LinkError> for Failed {
    fn from(error: LinkError) -> Self {
        Self::Link(error)
    }
}

impl Came {
    /// What the replay showed.
    pub(super) const fn traces(&self) -> Option<&Traces> {
        match self {
            Self::Back { traces, .. } => traces.as_ref(),
            Self::Alive | Self::New { .. } => None,
        }
    }

    /// What is said of it.
    pub(super) fn evidence(&self) -> Option<EvidenceReported> {
        match self {
            Self::Alive => None,
            Self::Back { session_id, .. } => Some(session_evidence("resumed", session_id, None)),
            Self::New { session_id, lost } => {
                Some(session_evidence("new", session_id, lost.as_deref()))
            }
        }
    }
}

/// Brings the session of a note back, or makes a new one where the plan allows it.
pub(super) async fn bring(
    house: &House,
    run: &mut Run,
    note: &mut Note,
    plan: &Plan,
    epoch: EpochId,
) -> Result<Came, Failed> {
    if run.session.is_some() && run.session == note.session_id {
        return Ok(Came::Alive);
    }
    let is_bound = !matches!(plan, Plan::Ask { .. });
    let lost = match &note.session_id {
        None => None,
        Some(id) => match restore(house, run, id, is_bound.then_some(epoch)).await? {
            Ok(traces) => {
                run.session = Some(id.clone());
                return Ok(Came::Back { session_id: id.clone(), traces });
            }
            Err(lost) => Some(lost),
        },
    };
    if is_bound {
        let why = lost.as_deref().unwrap_or("its session is not known");
        return Err(Failed::Mind(unknown(why)));
    }
    let session_id = create(house, run).await?;
    run.session = Some(session_id.clone());
    *note = Note {
        session_id: Some(session_id.clone()),
        cost_microusd: Some(0),
        context: String::new(),
        prompt: note.prompt.take(),
    };
    Ok(Came::New { session_id, lost })
}

/// Loads or resumes a session. The inner error says why it is lost.
async fn restore(
    house: &House,
    run: &mut Run,
    id: &str,
    look_for: Option<EpochId>,
) -> Result<Result<Option<Traces>, String>, Failed> {
    let folder = house.spec.folder.clone();
    let should_load = run.can_load() && (look_for.is_some() || !run.can_resume());
    if should_load {
        let mut replay = look_for.map(Replay::new);
        let heard = |method: &str, params: Value| {
            if let Some(replay) = &mut replay
                && method == UPDATE
                && let Ok(told) = serde_json::from_value::<SessionNotification>(params)
                && *told.session_id.0 == *id
            {
                replay.hear(&told.update);
            }
        };
        let loading = run.call(LoadSessionRequest::new(id.to_owned(), folder), heard);
        let loaded = in_time(house, loading).await?;
        return judge(loaded.map(|_| ())).map(|lost| lost.map(|()| replay.map(|r| r.traces())));
    }
    if run.can_resume() {
        let resuming = run.call(ResumeSessionRequest::new(id.to_owned(), folder), |_, _| {});
        return judge(in_time(house, resuming).await?.map(|_| ())).map(|lost| lost.map(|()| None));
    }
    Ok(Err("its session cannot be brought back: the agent can neither load nor resume one".into()))
}

fn judge(answer: Result<(), AcpError>) -> Result<Result<(), String>, Failed> {
    match answer {
        Ok(()) => Ok(Ok(())),
        Err(error) if error.code == ErrorCode::AUTH_REQUIRED => {
            Err(Failed::Mind(MindError::Rejected { message: told(&error) }))
        }
        Err(error) => Ok(Err(format!("its session cannot be brought back: {}", told(&error)))),
    }
}

async fn create(house: &House, run: &mut Run) -> Result<String, Failed> {
    let making = run.call(NewSessionRequest::new(house.spec.folder.clone()), |_, _| {});
    let made = in_time(house, making).await?;
    let made = made.map_err(|error| Failed::Mind(MindError::Rejected { message: told(&error) }))?;
    let id = made.session_id.0.to_string();
    if id.len() > SESSION_ID_BYTES_MAX {
        let message = format!("the agent's session has an id of {} bytes", id.len());
        return Err(Failed::Mind(MindError::Rejected { message }));
    }
    Ok(id)
}

/// A process that takes too long about its session is of no use, and may not be asked while it is at it.
async fn in_time<T>(
    house: &House,
    call: impl Future<Output = Result<T, LinkError>>,
) -> Result<T, Failed> {
    let patience = house.settings.ready_timeout;
    match timeout(patience, call).await {
        Ok(answer) => Ok(answer?),
        Err(_) => Err(Failed::Link(LinkError::Late { seconds: patience.as_secs() })),
    }
}
