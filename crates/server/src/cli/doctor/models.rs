//! What `abide doctor --model` says of an endpoint, from the answer to one small question.

use abide_domain::{AgentId, Clock as _, EpochId, IdSource as _, turn::MindError};
use abide_engine::format_dollars;
use abide_models::{Model, ModelProbe, ProbedCalls};

use crate::{
    cli::finding::{Finding, Verdict},
    system::{SystemClock, SystemIds},
};

const NAME: &str = "model";

/// Asks a model, and says what its endpoint can do.
pub(super) async fn asked(announcement: String, agent: &AgentId, model: &Model) -> Finding {
    let epoch = EpochId::from_uuid(SystemIds.uuid(SystemClock::new().now()));
    match model.probe(agent, epoch).await {
        Ok(probe) => found(&announcement, &probe),
        Err(error) => {
            Finding::new(NAME, Verdict::Fail, format!("{announcement}; {}", format_error(&error)))
        }
    }
}

fn format_error(error: &MindError) -> String {
    let hint = match error {
        MindError::MoneyOut { .. } => "; add credit, or name another model",
        MindError::RateLimited { .. } => "; wait a while, or ask for a higher limit",
        MindError::ContextTooLong { .. } => {
            "; even this short question is too long: give the model a larger context"
        }
        MindError::Rejected { .. } | MindError::PerhapsTooLong { .. } => {
            "; check provider, base_url, name and the key in [model]"
        }
        _ => "",
    };
    format!("{error}{hint}")
}

fn found(announcement: &str, probe: &ModelProbe) -> Finding {
    let mut said = Vec::new();
    let verdict = match &probe.calls {
        ProbedCalls::Native => {
            said.push("calls tools".to_owned());
            Verdict::Ok
        }
        ProbedCalls::Json => {
            said.push("has no tools of its own and calls ours as JSON".to_owned());
            Verdict::Ok
        }
        ProbedCalls::Inexact => {
            said.push("calls tools, but with other arguments than it was told to".to_owned());
            Verdict::Warn
        }
        ProbedCalls::None => {
            said.push("answered without calling the tool that it was told to call".to_owned());
            Verdict::Warn
        }
        ProbedCalls::Invalid(problem) => {
            said.push(format!("gave an answer that cannot be used ({problem})"));
            Verdict::Warn
        }
    };
    let streams = match probe.pieces {
        0 | 1 => None,
        pieces => Some(format!("streams (in {pieces} pieces)")),
    };
    said.extend(streams);
    if probe.hands_reasoning {
        said.push("sends reasoning, which goes back with results".to_owned());
    }
    said.push(
        if probe.is_counted {
            "counts tokens"
        } else {
            "does not count tokens: ours are estimates"
        }
        .to_owned(),
    );
    let usage = &probe.usage;
    let cost = match usage.cost_microusd {
        Some(cost) => format_dollars(cost),
        None => "price unknown".to_owned(),
    };
    said.push(format!(
        "took {:.1} s and {} + {} tokens ({cost})",
        probe.took.as_secs_f64(),
        usage.input_tokens,
        usage.output_tokens
    ));
    let note =
        if probe.note.is_empty() { String::new() } else { format!("; note: {}", probe.note) };
    Finding::new(NAME, verdict, format!("{announcement}; {}{note}", said.join(", ")))
}
