//! What a caller proposes, and the rules that it must keep before the keeper is asked. No rule here says whether a change is good.

use std::{collections::BTreeMap, ops::RangeInclusive, str::FromStr};

use abide_domain::{
    AgentId,
    event::{EvolutionTrial, TrialJudge},
    evolution::EvolutionTarget,
    limits::EVOLUTION_BUDGET_USD_MAX,
};
use abide_engine::keeper::EvolutionProposal;
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::{api::error::ApiError, evolution::judge_change};

/// Requests that a trial has at least and at most, as `[evolution] last`.
const TRIAL_LAST: RangeInclusive<u32> = 30..=200;
/// The same where nothing is decided by it.
const COMPARISON_LAST: RangeInclusive<u32> = 1..=1_000;
/// How often a mind is asked each request.
const REPEAT: RangeInclusive<u32> = 1..=5;
/// Figures that a proposer may expect.
const EXPECTED_MAX: usize = 32;
/// Relative changes that can be expected: from nothing left to a hundred times more.
const EXPECTED_CHANGE: RangeInclusive<f64> = -1.0..=100.0;
/// Keys that a change may have.
const CHANGE_KEYS_MAX: usize = 64;
/// Longest name of a figure or key, in Unicode scalar values.
const NAME_CHARS_MAX: usize = 128;
/// Parts of the body that the keeper's own rules name.
const PARTS: [&str; 3] = ["code", "reason", "change"];

/// A change that is proposed.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EvolutionBody {
    /// The agent that would change [default: the only one].
    citizen: Option<String>,
    /// `memory_system` (or `memory`), `tool_framework` (or `tools`), `dsl` or `mind`.
    target: String,
    /// The code; of all targets but `mind`.
    #[serde(default)]
    code: String,
    /// Of `mind`: what would change, by `model`, `identity` and keys of the configuration. Of `tools` and `dsl`: `cases`, a list of
    /// `{name, arguments?, text?, result}` that the new code must answer so.
    #[serde(default)]
    #[schema(value_type = Object)]
    change: BTreeMap<String, Value>,
    /// Why, in a sentence.
    reason: String,
    /// Relative changes that are expected; negative is less.
    #[serde(default)]
    expected: BTreeMap<String, f64>,
    /// How it is tried [default: as the configuration says].
    trial: Option<TrialOptionsBody>,
}

/// How a change is tried.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TrialOptionsBody {
    /// On how many of the newest requests: 30 to 200, and 1 to 1000 where it ends with the comparison [default: `last` of `[evolution]`].
    last: Option<u32>,
    /// Whether it ends with the comparison: nothing is put in force.
    #[serde(default)]
    only_compare: bool,
    /// What it may cost, in US dollars [default: nothing that costs].
    budget_usd: Option<f64>,
    /// How often each of two minds is asked each request: 1 to 5 [default: once].
    repeat: Option<u32>,
    /// A model that says which of two replies is better; it decides nothing.
    judge: Option<JudgeBody>,
}

/// A model that is asked which of two replies is better.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JudgeBody {
    /// Its name.
    model: String,
    /// Its provider [default: that of the agent].
    provider: Option<String>,
}

impl EvolutionBody {
    /// The agent that is named.
    pub(super) fn citizen(&self) -> Option<&str> {
        self.citizen.as_deref()
    }

    /// The proposal for an agent, tried on `last` requests where it does not say.
    pub(super) fn proposal(self, agent: AgentId, last: u32) -> Result<EvolutionProposal, ApiError> {
        let Self { citizen: _, target, code, change, reason, expected, trial } = self;
        let target: EvolutionTarget =
            target.parse().map_err(|error: <EvolutionTarget as FromStr>::Err| {
                ApiError::invalid_at("target", "unknown", &error.to_string())
            })?;
        check_names("expected", (expected.keys(), EXPECTED_MAX))?;
        if let Some((name, change)) =
            expected.iter().find(|(_, change)| !EXPECTED_CHANGE.contains(*change))
        {
            let (least, most) = (EXPECTED_CHANGE.start(), EXPECTED_CHANGE.end());
            let rule = format!(
                "{name} is {change}; a relative change is {least} to {most}, such as -0.15 for 15 % less"
            );
            return Err(ApiError::invalid_at("expected", "range", &rule));
        }
        check_names("change", (change.keys(), CHANGE_KEYS_MAX))?;
        let trial = trial.map(|trial| trial.checked(last)).transpose()?;
        Ok(EvolutionProposal { agent, target, code, change, reason, expected, trial })
    }
}

impl TrialOptionsBody {
    fn checked(self, last_default: u32) -> Result<EvolutionTrial, ApiError> {
        let last = self.last.unwrap_or(last_default);
        let allowed = if self.only_compare { COMPARISON_LAST } else { TRIAL_LAST };
        if !allowed.contains(&last) {
            let rule = format!("must be {} to {}", allowed.start(), allowed.end());
            return Err(ApiError::invalid_at("trial.last", "range", &rule));
        }
        let budget_microusd = self.budget_usd.map(microusd).transpose()?;
        if let Some(repeat) = self.repeat.filter(|repeat| !REPEAT.contains(repeat)) {
            let rule = format!("is {repeat}; it must be {} to {}", REPEAT.start(), REPEAT.end());
            return Err(ApiError::invalid_at("trial.repeat", "range", &rule));
        }
        let judge = self.judge.map(JudgeBody::checked).transpose()?;
        Ok(EvolutionTrial {
            last,
            only_compare: self.only_compare,
            budget_microusd,
            repeat: self.repeat.filter(|repeat| *repeat > 1),
            judge,
        })
    }
}

impl JudgeBody {
    fn checked(self) -> Result<TrialJudge, ApiError> {
        let judge = TrialJudge { model: self.model, provider: self.provider };
        let wrong = |problem: String| ApiError::invalid_at("trial.judge", "rule", &problem);
        judge_change(&judge).map_err(wrong)?;
        Ok(judge)
    }
}

/// Dollars as the ledger counts them.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value was checked to be between 0 and 10^10"
)]
fn microusd(usd: f64) -> Result<u64, ApiError> {
    if !(0.0..=f64::from(EVOLUTION_BUDGET_USD_MAX)).contains(&usd) {
        let rule = format!("must be 0 to {EVOLUTION_BUDGET_USD_MAX}");
        return Err(ApiError::invalid_at("trial.budget_usd", "range", &rule));
    }
    Ok((usd * 1e6).round() as u64)
}

fn check_names<'a>(
    path: &str,
    (names, count_max): (impl ExactSizeIterator<Item = &'a String>, usize),
) -> Result<(), ApiError> {
    if names.len() > count_max {
        let rule = format!("has {} entries; at most {count_max} are taken", names.len());
        return Err(ApiError::invalid_at(path, "too_many", &rule));
    }
    let mut names = names;
    if names.any(|name| name.is_empty() || name.chars().count() > NAME_CHARS_MAX) {
        let rule = format!("has a name that is empty or longer than {NAME_CHARS_MAX} characters");
        return Err(ApiError::invalid_at(path, "name", &rule));
    }
    Ok(())
}

/// What the keeper's own rules say about a part of a proposal.
pub(super) fn invalid(problem: &str) -> ApiError {
    match problem.split_once(": ") {
        Some((path, rule)) if PARTS.contains(&path) => ApiError::invalid_at(path, "rule", rule),
        _ => ApiError::invalid(problem),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{EvolutionBody, invalid, microusd};

    fn read(change: &[(&str, Value)]) -> Result<abide_engine::keeper::EvolutionProposal, String> {
        let mut body = json!({"target": "memory", "code": "(x)", "reason": "quicker"});
        for (key, value) in change {
            body[*key] = value.clone();
        }
        let body: EvolutionBody = serde_json::from_value(body).unwrap();
        let proposal = body.proposal("felix".parse().unwrap(), 150);
        proposal.map_err(|error| serde_json::to_value(error.view()).unwrap()["message"].to_string())
    }

    #[test]
    fn a_trial_that_says_nothing_is_as_the_configuration_has_it() {
        assert_eq!(read(&[]).unwrap().trial, None);
        let said = read(&[("trial", json!({"budget_usd": 0.5}))]).unwrap().trial.unwrap();
        assert_eq!(
            (said.last, said.only_compare, said.budget_microusd),
            (150, false, Some(500_000))
        );
    }

    #[test]
    fn what_is_out_of_bounds_is_refused_by_its_place() {
        for (key, value, place) in [
            ("target", json!("thresholds"), "target:"),
            ("trial", json!({"last": 29}), "trial.last:"),
            ("trial", json!({"last": 201}), "trial.last:"),
            ("trial", json!({"last": 1001, "only_compare": true}), "trial.last:"),
            ("trial", json!({"budget_usd": -0.1}), "trial.budget_usd:"),
            ("expected", json!({"": 1.0}), "expected:"),
            ("expected", json!({"time": -1.01}), "expected:"),
            ("expected", json!({"time": 1e300}), "expected:"),
        ] {
            let refused = read(&[(key, value)]).unwrap_err();
            assert!(refused.contains(place), "{refused}");
        }
        assert!(microusd(f64::NAN).is_err());
    }

    #[test]
    fn the_keepers_own_rules_keep_their_place() {
        let shown = |problem| serde_json::to_value(invalid(problem).view()).unwrap();
        assert_eq!(shown("code: it is empty")["details"][0]["path"], "code");
        assert_eq!(shown("nobody: knows")["details"], Value::Null);
    }
}
