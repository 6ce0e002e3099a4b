//! `/mcp/questions`: what servers ask of people in the middle of calls. The values of a form go to the server; no answer of the
//! keeper holds them.

use abide_domain::{QuestionId, event::McpAnswer};
use abide_mcp::{ElicitationWish, FieldKind, FormChoice, FormField};
use axum::{
    Json,
    extract::{Path, State},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};
use utoipa::ToSchema;

use super::{
    app_state::AppState,
    error::ApiError,
    input::{Body, Params},
    list::List,
};
use crate::{
    auth::Caller,
    mcp_servers::{AnswerError, McpQuestion, McpServers, PersonsAnswer},
};

/// A question that waits.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct McpQuestionView {
    /// Its id.
    id: String,
    /// The server that asks, by its name in the configuration.
    server: String,
    /// The agent that called it; null where several calls of the server run.
    citizen: Option<String>,
    /// The epoch of the call.
    epoch_id: Option<String>,
    /// The server's words.
    message: String,
    /// The address that it wants somebody to visit, whole; null where it asks for a form.
    url: Option<String>,
    /// The fields of the form; null where it asks for a visit. A form without any is a yes or no.
    fields: Option<Vec<FormFieldView>>,
    /// Since when it waits.
    since: String,
    /// When nobody is waited for any more.
    deadline: String,
}

/// A field of a form.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct FormFieldView {
    /// Its name among the values.
    name: String,
    title: Option<String>,
    description: Option<String>,
    /// Whether it must be there.
    required: bool,
    /// Whether it looks like one for a secret; then what is typed is best hidden.
    secret: bool,
    /// `text`, `number`, `integer`, `flag`, `choice` or `choices`.
    kind: &'static str,
    /// Of a text: `email`, `uri`, `date` or `date-time`.
    format: Option<&'static str>,
    /// The least: of a number, of the characters of a text, of how many are chosen.
    #[schema(value_type = Option<f64>)]
    min: Option<Number>,
    /// The most.
    #[schema(value_type = Option<f64>)]
    max: Option<Number>,
    /// What there is to choose; empty where nothing is chosen.
    choices: Vec<FormChoiceView>,
    /// What the server suggests.
    default: Option<Value>,
}

/// One of several.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct FormChoiceView {
    /// What stands among the values.
    value: String,
    /// What people are shown.
    title: String,
}

/// What a person answers.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerBody {
    /// Yes: the form is filled in, or the address was visited. No: the server hears that it was declined.
    accept: bool,
    /// The values of the form, by the names of its fields. They go to the server alone.
    #[schema(value_type = Option<Object>)]
    values: Option<Map<String, Value>>,
}

/// An answer that is durable.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AnsweredView {
    /// The question.
    id: String,
    /// `accepted` or `declined`.
    #[schema(value_type = String)]
    answer: McpAnswer,
}

impl From<McpQuestion> for McpQuestionView {
    fn from(question: McpQuestion) -> Self {
        let McpQuestion { id, server, origin, message, wish, since, until } = question;
        let (url, fields) = match wish {
            ElicitationWish::Visit { url } => (Some(url), None),
            ElicitationWish::Form(form) => {
                (None, Some(form.fields.into_iter().map(FormFieldView::from).collect()))
            }
        };
        Self {
            id: id.to_string(),
            server,
            citizen: origin.as_ref().map(|call| call.agent.to_string()),
            epoch_id: origin.as_ref().map(|call| call.epoch.to_string()),
            message,
            url,
            fields,
            since: since.to_string(),
            deadline: until.to_string(),
        }
    }
}

impl From<FormField> for FormFieldView {
    fn from(field: FormField) -> Self {
        let FormField { name, title, description, is_required, is_secret, kind, default } = field;
        let count = |count: Option<u64>| count.map(Number::from);
        let (kind, format, min, max, choices) = match kind {
            FieldKind::Text { format, length_min, length_max } => {
                ("text", format, count(length_min), count(length_max), Vec::new())
            }
            FieldKind::Number { is_whole, min, max } => {
                let kind = if is_whole { "integer" } else { "number" };
                (kind, None, min, max, Vec::new())
            }
            FieldKind::Flag => ("flag", None, None, None, Vec::new()),
            FieldKind::Choice(choices) => ("choice", None, None, None, choices),
            FieldKind::Choices { choices, count_min, count_max } => {
                ("choices", None, count(count_min), count(count_max), choices)
            }
        };
        let choice = |FormChoice { value, title }| FormChoiceView { value, title };
        Self {
            name,
            title,
            description,
            required: is_required,
            secret: is_secret,
            kind,
            format,
            min,
            max,
            choices: choices.into_iter().map(choice).collect(),
            default,
        }
    }
}

/// What servers ask, the oldest first. For a minute after this request by somebody who may answer, a person counts as present to do so.
#[utoipa::path(get, path = "/mcp/questions", tag = "approvals", params(("citizen" = Option<String>, Query), ("limit" = Option<u64>, Query), ("cursor" = Option<String>, Query)), responses((status = 200, body = List<McpQuestionView>)))]
pub(crate) async fn list(
    State(app): State<AppState>,
    caller: Caller,
    params: Params,
) -> Result<Json<List<McpQuestionView>>, ApiError> {
    if caller.scopes().approves() {
        app.keeper()?.attached().note_contact(app.now());
    }
    let citizen = params.get("citizen").map(|name| app.citizen(Some(name))).transpose()?;
    let is_wanted = |question: &McpQuestion| {
        let agent = question.origin.as_ref().map(|call| &call.agent);
        citizen.is_none() || agent == citizen.as_ref()
    };
    let questions = servers(&app)?.questions();
    questions.settle().await;
    let waiting = questions.waiting().into_iter().filter(is_wanted);
    let views = waiting.map(McpQuestionView::from).collect();
    Ok(Json(List::page(views, params.cursor()?, params.limit()?)))
}

/// Answers. It is durable before the server gets it; one that is answered already, or no longer asked, is a conflict.
#[utoipa::path(post, path = "/mcp/questions/{id}/answer", tag = "approvals", request_body = AnswerBody, params(("id" = String, Path)),
    responses((status = 200, body = AnsweredView), (status = 404), (status = 409), (status = 422), (status = 503)))]
pub(crate) async fn answer(
    State(app): State<AppState>,
    caller: Caller,
    Path(id): Path<String>,
    body: Body,
) -> Result<Json<AnsweredView>, ApiError> {
    app.keeper()?.attached().note_contact(app.now());
    let question: QuestionId = id.parse().map_err(|_| ApiError::not_found("question", &id))?;
    let given = match body.parse()? {
        AnswerBody { accept: true, values } => PersonsAnswer::Accept(values),
        AnswerBody { accept: false, values: None } => PersonsAnswer::Decline,
        AnswerBody { accept: false, values: Some(_) } => {
            let problem = "a question that is declined gets no values";
            return Err(ApiError::invalid_at("values", "declined", problem));
        }
    };
    let questions = servers(&app)?.questions();
    questions.settle().await;
    let answer = questions.answer(question, given, caller.author()).await;
    let answer = answer.map_err(|error| refused(error, &id))?;
    Ok(Json(AnsweredView { id: question.to_string(), answer }))
}

fn servers(app: &AppState) -> Result<&McpServers, ApiError> {
    let loading = || ApiError::unavailable("loading", "the keeper is still starting");
    app.servers().ok_or_else(loading)
}

fn refused(error: AnswerError, id: &str) -> ApiError {
    let message = error.to_string();
    match error {
        AnswerError::Unknown => ApiError::not_found("question", id),
        AnswerError::Over => ApiError::conflict("over", message),
        AnswerError::CallEnded => ApiError::conflict("call_ended", message),
        AnswerError::Values(wrong) => {
            let field = [".", &wrong.field].concat();
            let path = format!("values{}", field.trim_end_matches('.'));
            ApiError::invalid_at(&path, "schema", &wrong.problem)
        }
        AnswerError::NoForm => ApiError::invalid_at("values", "no_form", &message),
        AnswerError::NotRecorded(_) => ApiError::unavailable("not_recorded", message),
    }
}
