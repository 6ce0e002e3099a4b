//! Gets the session of an agent: it is open in the process, is loaded or resumed, or is made anew, which is reported.
//!
//! The session of a turn that was cut off must be restored or the turn has no known outcome: it must never be replaced by
//! a new one then.

use abide_domain::{EpochId, event::EvidenceReported, turn::MindError};
use agent_client_protocol::{
    Error as AcpError, ErrorCode,
    v1::schema::{
        LoadSessionRequest, NewSessionRequest, ResumeSessionRequest, SessionNotification,
    },
};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{
    active_prompt::UPDATE,
    error_text::format_agent_error,
    evidence::short,
    link::LinkError,
    outcome::outcome_unknown,
    plan::PromptPlan,
    record::SessionRecord,
    replay::{ReplayFindings, SessionReplay},
    run::Run,
    shared::AcpShared,
};

/// Longest id of a session, in bytes.
const SESSION_ID_BYTES_MAX: usize = 1024;

/// Where the session of a turn comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SessionOrigin {
    /// It was open in the process.
    Open,
    /// It was loaded or resumed.
    Restored {
        /// The session.
        session_id: String,
        /// What its replay showed of the prompt; None without one.
        findings: Option<ReplayFindings>,
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
pub(super) enum SessionError {
    /// The connection broke.
    Link(LinkError),
    /// The process goes on, and this is the answer to the turn.
    Mind(MindError),
}

impl From<LinkError> for SessionError {
    fn from(error: LinkError) -> Self {
        Self::Link(error)
    }
}

impl SessionOrigin {
    /// What the replay showed.
    pub(super) const fn findings(&self) -> Option<&ReplayFindings> {
        match self {
            Self::Restored { findings, .. } => findings.as_ref(),
            Self::Open | Self::New { .. } => None,
        }
    }

    /// The evidence to report; none where the session was open.
    pub(super) fn evidence(&self) -> Option<EvidenceReported> {
        match self {
            Self::Open => None,
            Self::Restored { session_id, .. } => {
                Some(session_evidence("resumed", session_id, None))
            }
            Self::New { session_id, lost } => {
                Some(session_evidence("new", session_id, lost.as_deref()))
            }
        }
    }
}

/// Restores the recorded session, or makes a new one where the plan allows it.
pub(super) async fn bring_session(
    shared: &AcpShared,
    run: &mut Run,
    record: &mut SessionRecord,
    plan: &PromptPlan,
    epoch: EpochId,
) -> Result<SessionOrigin, SessionError> {
    if run.session.is_some() && run.session == record.session_id {
        return Ok(SessionOrigin::Open);
    }
    let is_bound = !matches!(plan, PromptPlan::Ask { .. });
    let lost = match &record.session_id {
        None => None,
        Some(id) => match restore(shared, run, id, is_bound.then_some(epoch)).await? {
            Ok(findings) => {
                run.session = Some(id.clone());
                return Ok(SessionOrigin::Restored { session_id: id.clone(), findings });
            }
            Err(lost) => Some(lost),
        },
    };
    if is_bound {
        let why = lost.as_deref().unwrap_or("its session is not recorded");
        return Err(SessionError::Mind(outcome_unknown(why)));
    }
    let session_id = create(shared, run).await?;
    run.session = Some(session_id.clone());
    *record = SessionRecord {
        session_id: Some(session_id.clone()),
        cost_microusd: Some(0),
        context: String::new(),
        prompt: record.prompt.take(),
    };
    Ok(SessionOrigin::New { session_id, lost })
}

/// Loads or resumes a session. The inner error says why the session is lost.
async fn restore(
    shared: &AcpShared,
    run: &mut Run,
    id: &str,
    cut_epoch: Option<EpochId>,
) -> Result<Result<Option<ReplayFindings>, String>, SessionError> {
    let folder = shared.spec.folder.clone();
    let should_load = run.can_load() && (cut_epoch.is_some() || !run.can_resume());
    if should_load {
        let mut replay = cut_epoch.map(SessionReplay::new);
        let on_notification = |method: &str, params: Value| {
            if let Some(replay) = &mut replay
                && method == UPDATE
                && let Ok(notification) = serde_json::from_value::<SessionNotification>(params)
                && *notification.session_id.0 == *id
            {
                replay.push(&notification.update);
            }
        };
        let loading = run.call(LoadSessionRequest::new(id.to_owned(), folder), on_notification);
        let loaded = in_time(shared, loading).await?;
        return read_session_answer(loaded.map(|_| ()))
            .map(|lost| lost.map(|()| replay.map(|replay| replay.findings())));
    }
    if run.can_resume() {
        let resuming = run.call(ResumeSessionRequest::new(id.to_owned(), folder), |_, _| {});
        return read_session_answer(in_time(shared, resuming).await?.map(|_| ()))
            .map(|lost| lost.map(|()| None));
    }
    Ok(Err("its session is lost: the agent can neither load nor resume one".into()))
}

fn read_session_answer(answer: Result<(), AcpError>) -> Result<Result<(), String>, SessionError> {
    match answer {
        Ok(()) => Ok(Ok(())),
        Err(error) if error.code == ErrorCode::AUTH_REQUIRED => {
            Err(SessionError::Mind(MindError::Rejected { message: format_agent_error(&error) }))
        }
        Err(error) => {
            Ok(Err(format!("its session cannot be restored: {}", format_agent_error(&error))))
        }
    }
}

async fn create(shared: &AcpShared, run: &mut Run) -> Result<String, SessionError> {
    let making = run.call(NewSessionRequest::new(shared.spec.folder.clone()), |_, _| {});
    let made = in_time(shared, making).await?;
    let made = made.map_err(|error| {
        SessionError::Mind(MindError::Rejected { message: format_agent_error(&error) })
    })?;
    let id = made.session_id.0.to_string();
    if id.len() > SESSION_ID_BYTES_MAX {
        let message = format!(
            "the agent's session id has {} bytes, and at most {SESSION_ID_BYTES_MAX} are accepted",
            id.len()
        );
        return Err(SessionError::Mind(MindError::Rejected { message }));
    }
    Ok(id)
}

/// A process that takes too long with its session cannot be used, and must not be asked meanwhile.
async fn in_time<T>(
    shared: &AcpShared,
    call: impl Future<Output = Result<T, LinkError>>,
) -> Result<T, SessionError> {
    let limit = shared.settings.ready_timeout;
    match timeout(limit, call).await {
        Ok(answer) => Ok(answer?),
        Err(_) => Err(SessionError::Link(LinkError::Late { seconds: limit.as_secs() })),
    }
}

fn session_evidence(tag: &str, session_id: &str, why: Option<&str>) -> EvidenceReported {
    EvidenceReported {
        run: None,
        claim_type: "session".into(),
        tags: vec!["acp".into(), tag.into()],
        body: json!({"session_id": short(session_id), "why": why}),
    }
}
