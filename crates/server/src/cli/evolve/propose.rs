//! `abide evolve propose`: what is proposed, as it is sent. The keeper checks it; nothing is judged here.

use abide_domain::limits::EVOLUTION_BUDGET_USD_MAX;
use clap::Args;
use serde_json::{Map, Value, json};

use crate::cli::error::CliError;

/// The target that has no code.
const MIND: &str = "mind";

#[derive(Debug, Args)]
pub(super) struct Propose {
    /// The code, or for `mind` a JSON object of what would change; `-` for stdin
    file: String,
    /// What it would replace: memory, tools, dsl or mind
    #[arg(long)]
    target: String,
    /// Why, in a sentence
    #[arg(long)]
    reason: String,
    /// The agent [default: the only one]
    #[arg(long)]
    agent: Option<String>,
    /// Tries it on so many of the newest requests, 30 to 200; with --compare-only 1 to 1000
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    last: Option<u32>,
    /// Ends with the comparison: nothing is put in force
    #[arg(long)]
    compare_only: bool,
    /// What the trial may cost, in US dollars [default: nothing that costs]
    #[arg(long, value_name = "USD", value_parser = read_budget)]
    budget_usd: Option<f64>,
    /// What is expected of a figure, such as `latency=-0.15` for 15 % less; may be given several times
    #[arg(long = "expect", value_name = "FIGURE=CHANGE")]
    expected: Vec<String>,
    /// For tools and dsl: a JSON list of cases `{name, arguments or text, result}` that the new code must answer so
    #[arg(long, value_name = "FILE")]
    cases: Option<String>,
}

impl Propose {
    /// Where the code is.
    pub(super) fn file(&self) -> &str {
        &self.file
    }

    /// Where its cases are.
    pub(super) fn cases(&self) -> Option<&str> {
        self.cases.as_deref()
    }

    /// The body of the request, with what stands in the file and in that of its cases.
    pub(super) fn body(&self, contents: String, cases: Option<&str>) -> Result<Value, CliError> {
        let trial = (self.last.is_some() || self.compare_only || self.budget_usd.is_some())
            .then(|| json!({"last": self.last, "only_compare": self.compare_only, "budget_usd": self.budget_usd}));
        let (code, change) = if self.target == MIND {
            (String::new(), changes(&self.file, &contents)?)
        } else {
            (contents, read_cases(cases)?)
        };
        Ok(json!({
            "target": self.target, "reason": self.reason, "citizen": self.agent, "code": code, "change": change,
            "expected": expectations(&self.expected)?, "trial": trial,
        }))
    }
}

/// A budget in US dollars.
pub(super) fn read_budget(given: &str) -> Result<f64, String> {
    let bounds = 0.0..=f64::from(EVOLUTION_BUDGET_USD_MAX);
    let usd = given.parse().ok().filter(|usd| bounds.contains(usd));
    usd.ok_or_else(|| {
        format!("a budget is 0 to {EVOLUTION_BUDGET_USD_MAX} US dollars, such as 0.50")
    })
}

fn read_cases(contents: Option<&str>) -> Result<Map<String, Value>, CliError> {
    let Some(contents) = contents else { return Ok(Map::new()) };
    let cases: Vec<Value> = serde_json::from_str(contents).map_err(|error| {
        CliError::new("the file of --cases is no JSON list")
            .caused_by(&error)
            .hint("such as [{\"name\": \"recipes.scale\", \"arguments\": {}, \"result\": 1}]")
    })?;
    Ok(Map::from_iter([("cases".to_owned(), cases.into())]))
}

fn changes(file: &str, contents: &str) -> Result<Map<String, Value>, CliError> {
    serde_json::from_str(contents).map_err(|error| {
        CliError::new(format!("{file} is no JSON object of what would change"))
            .caused_by(&error)
            .hint("such as {\"model\": \"NAME\"}")
    })
}

fn expectations(given: &[String]) -> Result<Map<String, Value>, CliError> {
    let read = |pair: &String| {
        let (name, change) = pair.split_once('=')?;
        let change = change.parse().ok().filter(|change: &f64| change.is_finite())?;
        Some((name.to_owned(), json!(change)))
    };
    let wrong = |pair: &String| {
        CliError::usage(format!("--expect {pair:?} is not FIGURE=CHANGE, such as latency=-0.15"))
    };
    given.iter().map(|pair| read(pair).ok_or_else(|| wrong(pair))).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Propose;

    fn proposal() -> Propose {
        Propose {
            file: "rank.scm".into(),
            target: "memory".into(),
            reason: "quicker".into(),
            agent: None,
            last: None,
            compare_only: false,
            budget_usd: None,
            expected: Vec::new(),
            cases: None,
        }
    }

    #[test]
    fn what_was_not_said_is_left_to_the_keeper() {
        let body = proposal().body("(x)".into(), None).unwrap();
        assert_eq!(
            body,
            json!({
                "target": "memory", "reason": "quicker", "citizen": null, "code": "(x)", "change": {}, "expected": {},
                "trial": null,
            })
        );
        let trial = Propose { compare_only: true, ..proposal() }.body("(x)".into(), None).unwrap();
        assert_eq!(trial["trial"]["only_compare"], true);
        let expected = vec!["time=-0.15".to_owned()];
        let body = Propose { expected, ..proposal() }.body("(x)".into(), None).unwrap();
        assert_eq!(body["expected"], json!({"time": -0.15}));
    }

    #[test]
    fn a_mind_is_changed_by_a_json_object_and_wrong_words_are_refused() {
        let mind = Propose { target: "mind".into(), ..proposal() };
        let body = mind.body("{\"model\": \"m2\"}".into(), None).unwrap();
        assert_eq!((&body["change"], &body["code"]), (&json!({"model": "m2"}), &json!("")));
        assert!(mind.body("model = m2".into(), None).is_err());
        let expected = vec!["time".to_owned()];
        assert!(Propose { expected, ..proposal() }.body(String::new(), None).is_err());
    }
}
