//! A request's body to a checked envelope: the full form, or a message with what belongs to it.
//!
//! Who sends is decided by the token: `user` means whoever calls, another name only who may do everything gives, and nobody
//! an agent's or one of Abide's own. Whoever may not do everything stays in conversations of their own.

use abide_domain::{
    AgentId, OWNER,
    envelope::{Channel, EnvelopeError, EnvelopeRules, StimulusEnvelope, Violation},
    is_reserved_name,
};
use abide_engine::{Keeper, state::EpochRecord};
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::{app_state::AppState, error::ApiError, guard::missing_scope};
use crate::auth::{AgentPlace, Caller, Right};

/// The short form of a stimulus. The full envelope of the specification is taken in its place.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ShortStimulus {
    /// The message.
    message: String,
    /// Who sends it; default, and what `user` means: the name of the token.
    sender: Option<String>,
    /// Where it comes from; default `api`.
    channel: Option<String>,
    /// Whom it is for; default: the only agent.
    citizen: Option<String>,
    /// The conversation; default `<channel>:<sender>`.
    session_id: Option<String>,
    /// Whether the caller can answer approvals.
    interactive: Option<bool>,
}

const SHORT_FIELDS: [&str; 6] =
    ["message", "sender", "channel", "citizen", "session_id", "interactive"];

/// Paths of the envelope and their fields in the short form.
const PATHS: [(&str, &str); 3] = [
    ("stimulus.content", "message"),
    ("stimulus.sender", "sender"),
    ("stimulus.channel", "channel"),
];

/// Reads either form; also whether the caller can answer approvals.
pub(crate) fn parse_stimulus(
    (app, keeper): (&AppState, &Keeper),
    caller: &Caller,
    body: &Value,
) -> Result<(StimulusEnvelope, bool), ApiError> {
    let (mut envelope, interactive) = read_stimulus(app, keeper, body)?;
    let is_short = body.get("message").is_some();
    check_sender(keeper, caller, &mut envelope, is_short)?;
    // Whoever may not decide on approvals is nobody to wait for.
    Ok((envelope, interactive && caller.scopes().approves()))
}

/// Puts the caller's name in the place of `user`, and refuses what the caller may not send.
fn check_sender(
    keeper: &Keeper,
    caller: &Caller,
    envelope: &mut StimulusEnvelope,
    is_short: bool,
) -> Result<(), ApiError> {
    if !caller.may_say_to(&envelope.citizen) {
        return Err(missing_scope(Right::SayTo(AgentPlace::Body)));
    }
    if envelope.sender == OWNER {
        caller.name().clone_into(&mut envelope.sender);
    }
    let path = if is_short { "sender" } else { "stimulus.sender" };
    let sender = &envelope.sender;
    if is_reserved_name(sender) {
        return Err(one(path, "reserved", &format!("is {sender:?}, a name of Abide itself")));
    }
    if keeper.agent(sender).is_some() {
        let message = format!(
            "is {sender:?}, the name of an agent; agents speak through their own connection"
        );
        return Err(one(path, "reserved", &message));
    }
    if !caller.may_be(sender) {
        return Err(foreign_sender(caller, sender));
    }
    if !caller.scopes().is_admin() && !is_own_conversation(caller.name(), envelope) {
        let message = format!(
            "this token speaks on the channels direct, api and manual, in conversations that begin with CHANNEL:{}; others need the scope admin",
            caller.name()
        );
        return Err(ApiError::forbidden("session", message));
    }
    Ok(())
}

/// The refusal of a token that does not speak as this person.
pub(super) fn foreign_sender(caller: &Caller, sender: &str) -> ApiError {
    let message = format!(
        "this token speaks as {}; only one with the scope admin speaks as {sender}",
        caller.name()
    );
    ApiError::forbidden("sender", message)
}

/// Whether a conversation is one that a person has by themselves over HTTP: no channel's and nobody else's.
fn is_own_conversation(name: &str, envelope: &StimulusEnvelope) -> bool {
    let is_plain = matches!(envelope.channel, Channel::Direct | Channel::Api | Channel::Manual);
    let is_own = |session: &str| {
        let rest = session.split_once(':').and_then(|(_, rest)| rest.strip_prefix(name));
        let channel = session.split_once(':').map_or("", |(channel, _)| channel);
        matches!(channel, "direct" | "api" | "manual")
            && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    is_plain && envelope.session_id.as_deref().is_none_or(is_own)
}

fn read_stimulus(
    app: &AppState,
    keeper: &Keeper,
    body: &Value,
) -> Result<(StimulusEnvelope, bool), ApiError> {
    let object = body.as_object();
    let has = |name: &str| object.is_some_and(|object| object.contains_key(name));
    if has("message") && has("stimulus") {
        return Err(one(
            "message",
            "form",
            "cannot be combined with `stimulus`: send a message or the full envelope",
        ));
    }
    match object {
        Some(short) if has("message") => read_short(app, keeper, short),
        _ => Ok((check_envelope(app, keeper, body)?, false)),
    }
}

/// The stimulus of an epoch again, sent now, perhaps with another message.
pub(crate) fn repeat_stimulus(
    app: &AppState,
    keeper: &Keeper,
    old: &EpochRecord,
    message: Option<&str>,
) -> Result<StimulusEnvelope, ApiError> {
    let stimulus = &old.stimulus;
    let envelope = json!({ "stimulus": { "content": message.unwrap_or(&stimulus.content), "sender": stimulus.sender, "channel": stimulus.channel, "timestamp": app.now(), }, "last_driver_output": null, "citizen": old.agent, "session_id": stimulus.session_id, });
    check_envelope(app, keeper, &envelope).map_err(|invalid| ApiError::from(in_short_form(invalid)))
}

/// Checks an envelope against the rules.
pub(super) fn check_envelope(
    app: &AppState,
    keeper: &Keeper,
    envelope: &Value,
) -> Result<StimulusEnvelope, EnvelopeError> {
    let is_citizen = |id: &AgentId| keeper.has_agent(id);
    StimulusEnvelope::from_json(envelope, EnvelopeRules { now: app.now(), is_citizen: &is_citizen })
}

fn read_short(
    app: &AppState,
    keeper: &Keeper,
    short: &Map<String, Value>,
) -> Result<(StimulusEnvelope, bool), ApiError> {
    let given = |name: &str| short.get(name).filter(|value| !value.is_null()).cloned();
    let citizen = match given("citizen") {
        Some(citizen) => citizen,
        None => app.citizen(None)?.to_string().into(),
    };
    let envelope = json!({ "stimulus": { "content": short.get("message"), "sender": given("sender").unwrap_or_else(|| "user".into()), "channel": given("channel").unwrap_or_else(|| "api".into()), "timestamp": app.now(), }, "last_driver_output": null, "citizen": citizen, "session_id": given("session_id"), });
    let mut violations = unknown_fields(short);
    let interactive = match given("interactive") {
        None => false,
        Some(Value::Bool(interactive)) => interactive,
        Some(_) => {
            violations.push(violation("interactive", "type", "must be true or false"));
            false
        }
    };
    match check_envelope(app, keeper, &envelope).map_err(in_short_form) {
        Ok(envelope) if violations.is_empty() => Ok((envelope, interactive)),
        Ok(_) => Err(EnvelopeError { violations }.into()),
        Err(mut invalid) => {
            invalid.violations.append(&mut violations);
            Err(invalid.into())
        }
    }
}

fn unknown_fields(short: &Map<String, Value>) -> Vec<Violation> {
    let unknown = short.keys().filter(|key| !SHORT_FIELDS.contains(&key.as_str()));
    let message = format!("is not a known field; known fields are {}", SHORT_FIELDS.join(", "));
    unknown
        .map(|key| violation(&key.chars().take(64).collect::<String>(), "unknown_field", &message))
        .collect()
}

/// The same violations with the paths of the short form.
fn in_short_form(invalid: EnvelopeError) -> EnvelopeError {
    let renamed = |mut violation: Violation| {
        if let Some((_, short)) = PATHS.iter().find(|(full, _)| *full == violation.path) {
            violation.path = (*short).into();
        }
        violation
    };
    EnvelopeError { violations: invalid.violations.into_iter().map(renamed).collect() }
}

fn violation(path: &str, code: &'static str, message: &str) -> Violation {
    Violation { path: path.into(), code, message: message.into() }
}

fn one(path: &str, code: &'static str, message: &str) -> ApiError {
    EnvelopeError { violations: vec![violation(path, code, message)] }.into()
}
