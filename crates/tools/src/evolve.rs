//! `evolve.propose {target, code, reason, expected?}`: stages a change of the agent's own code.
//!
//! Returns `{"evolution_id", "proposed": true}`. It must never propose for anybody but the agent that calls, nor anything of what changes
//! are judged by: only code of the three modules. The change is written down when the epoch commits, and then tried like any other.
//! Where a stranger's words may have asked for it, there is no such call.

use std::collections::BTreeMap;

use abide_domain::{
    AgentId, EvolutionId,
    event::EvolutionProposed,
    limits::{EVOLUTION_CODE_BYTES_MAX, EVOLUTION_REASON_CHARS_MAX, EVOLUTIONS_WAITING_MAX},
    tool::{EffectClass, ToolSpec},
};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    Call, Output, Tool, ToolError, policy::PROPOSE_TOOL_NAME, tool_error::parse_arguments,
};

/// What a proposal may replace. A mind is none of it: that is for people.
const TARGETS: [&str; 3] = ["memory_system", "tool_framework", "dsl"];
/// Figures that a proposal may expect.
const EXPECTED_MAX: usize = 32;
/// Longest name of a figure, in Unicode scalar values.
const FIGURE_CHARS_MAX: usize = 128;

/// The tool `evolve.propose`.
#[derive(Clone, Debug)]
pub struct ProposeEvolution {
    spec: ToolSpec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    target: String,
    code: String,
    reason: String,
    #[serde(default)]
    expected: Option<BTreeMap<String, f64>>,
}

impl ProposeEvolution {
    /// The tool.
    #[expect(clippy::new_without_default, reason = "a tool is made by name in the registry only")]
    pub fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["target", "code", "reason"],
            "properties": {
                "target": {
                    "type": "string",
                    "enum": TARGETS,
                    "description": "memory_system (how found passages are ordered), tool_framework (tools of your own) or dsl (commands of your own)"
                },
                "code": {"type": "string", "description": "the whole module, in Scheme"},
                "reason": {"type": "string", "description": "why, in a sentence"},
                "expected": {
                    "type": ["object", "null"],
                    "additionalProperties": {"type": "number"},
                    "description": "relative changes that you expect, such as {\"latency\": -0.15} for 15 % less"
                }
            }
        });
        let description = "Proposes to replace a part of your own code. It is tried on your own record first, and counts only if it is better.";
        Self {
            spec: ToolSpec {
                name: PROPOSE_TOOL_NAME.into(),
                description: description.into(),
                parameters,
                effect: EffectClass::State,
                idempotent: false,
            },
        }
    }
}

impl Tool for ProposeEvolution {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn needs_trusted_text(&self) -> bool {
        true
    }

    /// The code as a person reads it, not as one line of JSON.
    fn preview<'a>(
        &'a self,
        _: &'a AgentId,
        arguments: &'a Value,
    ) -> BoxFuture<'a, Result<Option<String>, ToolError>> {
        let checked = parse_arguments(arguments).and_then(Arguments::checked);
        let shown = checked.map(|Arguments { target, code, reason, .. }| {
            Some(format!("replace {target}: {reason}\n\n{code}"))
        });
        Box::pin(std::future::ready(shown))
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(std::future::ready(propose(&call)))
    }
}

fn propose(call: &Call<'_>) -> Result<Output, ToolError> {
    if call.untrusted {
        let message = "no change is proposed where text is read that no person vouches for";
        return Err(ToolError::new(message));
    }
    let arguments: Arguments = parse_arguments(call.arguments)?;
    let Arguments { target, code, reason, expected } = arguments.checked()?;
    let proposed = EvolutionProposed {
        evolution_id: EvolutionId::new(call.ids, call.now),
        run: None,
        reason,
        target,
        code,
        change: BTreeMap::new(),
        expected: expected.unwrap_or_default(),
        trial: None,
    };
    let note = format!(
        "it is written down when this exchange is complete, and tried then; where {EVOLUTIONS_WAITING_MAX} of yours wait already, it is left out"
    );
    let mut output = Output::json(
        &json!({"evolution_id": proposed.evolution_id, "proposed": true, "note": note}),
    );
    output.staged.push(proposed.into());
    Ok(output)
}

impl Arguments {
    fn checked(self) -> Result<Self, ToolError> {
        let wrong = |message: String| Err(ToolError::new(message));
        if !TARGETS.contains(&self.target.as_str()) {
            return wrong(format!("target: must be one of {}", TARGETS.join(", ")));
        }
        if self.code.trim().is_empty() || self.code.len() > EVOLUTION_CODE_BYTES_MAX {
            return wrong(format!("code: must have 1 to {EVOLUTION_CODE_BYTES_MAX} bytes"));
        }
        let chars = self.reason.chars().count();
        if self.reason.trim().is_empty() || chars > EVOLUTION_REASON_CHARS_MAX {
            return wrong(format!(
                "reason: must have 1 to {EVOLUTION_REASON_CHARS_MAX} characters"
            ));
        }
        let figures = self.expected.iter().flatten();
        let is_wrong = |(name, value): (&String, &f64)| {
            name.is_empty() || name.chars().count() > FIGURE_CHARS_MAX || !value.is_finite()
        };
        if figures.clone().count() > EXPECTED_MAX || figures.clone().any(is_wrong) {
            return wrong(format!(
                "expected: must have at most {EXPECTED_MAX} figures, each with a name of 1 to {FIGURE_CHARS_MAX} characters"
            ));
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Arguments, ProposeEvolution};
    use crate::{Tool as _, tool_error::parse_arguments};

    fn checked(change: &Value) -> Result<(), String> {
        let mut arguments = json!({"target": "dsl", "code": "(x)", "reason": "shorter"});
        for (key, value) in change.as_object().unwrap() {
            arguments[key] = value.clone();
        }
        let read = parse_arguments(&arguments).and_then(Arguments::checked);
        read.map(drop).map_err(|error| error.to_text())
    }

    /// EV-26: neither a mind nor what a trial is judged by, nor another agent, can be proposed.
    #[test]
    fn only_code_of_a_module_of_its_own_can_be_proposed() {
        assert_eq!(checked(&json!({})), Ok(()));
        assert_eq!(checked(&json!({"expected": {"latency": -0.1}})), Ok(()));
        for (change, said) in [
            (json!({"target": "mind"}), "target"),
            (json!({"target": "approvals"}), "target"),
            (json!({"code": " "}), "code"),
            (json!({"reason": ""}), "reason"),
            (json!({"citizen": "ivy"}), "citizen"),
            (json!({"trial": {"only_compare": false}}), "trial"),
            (json!({"expected": {"": 1}}), "expected"),
        ] {
            let error = checked(&change).unwrap_err();
            assert!(error.contains(said), "{change}: {error}");
        }
        let tool = ProposeEvolution::new();
        assert!(tool.needs_trusted_text());
    }
}
