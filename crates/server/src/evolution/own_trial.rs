//! The uses of an agent's own tools or commands in one epoch of the record, given to two codes: what each gives, what it takes, and
//! whether they give the same. A tool's body gets from the record what other tools gave it then; nothing runs.

use std::collections::BTreeSet;

use abide_domain::{
    EpochId,
    event::{ComparedLeg, ComparedPair},
    text::shortened,
};
use abide_evolution::{LegRole, first_leg};
use abide_modules::{KeeperTools, ModuleCallError, ModuleCost, ModuleDeclarations};
use serde_json::Value;

use super::{
    own_parts::{COMMAND_LIMIT, TOOL_LIMIT},
    own_uses::{OwnUse, RecordedInner, UseInput},
};
use crate::agents::ModuleProcess;

/// Characters of a result that a divergence quotes.
const QUOTED_CHARS: usize = 80;

/// One code of a trial, loaded.
#[derive(Debug)]
pub(super) struct OwnSide {
    process: ModuleProcess,
    names: BTreeSet<String>,
}

/// Both codes of a trial of tools or commands.
#[derive(Debug)]
pub(super) struct OwnTrial {
    pub(super) main: OwnSide,
    pub(super) candidate: OwnSide,
}

/// What one code did with the uses of an epoch.
#[derive(Debug, Default)]
struct OwnLeg {
    leg: ComparedLeg,
    /// What each use gave; none where it failed.
    values: Vec<Option<Value>>,
    /// The first call of another tool that the record has no answer to.
    not_recorded: Option<String>,
}

impl OwnSide {
    pub(super) fn new((process, declared): (ModuleProcess, ModuleDeclarations)) -> Self {
        Self { process, names: names_of(&declared) }
    }

    /// Gives it a use. What its body asks for comes from the record.
    pub(super) async fn run(&mut self, used: &OwnUse) -> UseResult {
        let mut inner = used.inner.clone();
        let mut asked = RecordedTools { inner: &mut inner, not_recorded: None };
        let client = &mut self.process.client;
        let (name, called) = (&used.name, &used.input);
        let called = match called {
            UseInput::Arguments(arguments) => {
                let called =
                    client.call_tool(name, arguments.clone(), &mut asked, TOOL_LIMIT).await;
                called.map(|reply| (reply.value, reply.cost))
            }
            UseInput::Text(text) => {
                let called = client.expand_command(name, text, COMMAND_LIMIT).await;
                called.map(|reply| (Value::String(reply.value), reply.cost))
            }
        };
        let not_recorded = asked.not_recorded.take();
        match called {
            Ok((value, cost)) => UseResult { value: Ok(value), cost, not_recorded },
            Err(ModuleCallError::Script { error, cost }) => {
                UseResult { value: Err(error.to_string()), cost, not_recorded }
            }
            Err(error) => UseResult {
                value: Err(error.to_string()),
                cost: ModuleCost::default(),
                not_recorded,
            },
        }
    }

    async fn run_all(&mut self, uses: &[OwnUse]) -> OwnLeg {
        let mut leg = OwnLeg::default();
        for used in uses {
            let result = self.run(used).await;
            leg.leg.wall_us = leg.leg.wall_us.saturating_add(result.cost.wall_us);
            leg.leg.cpu_us = leg.leg.cpu_us.saturating_add(result.cost.cpu_us);
            leg.leg.memory_bytes = leg.leg.memory_bytes.max(result.cost.memory_bytes);
            leg.not_recorded = leg.not_recorded.or(result.not_recorded);
            if let (Err(error), None) = (&result.value, &leg.leg.error) {
                leg.leg.error = Some(shortened(&format!("{}: {error}", used.name), 200));
            }
            leg.values.push(result.value.ok());
        }
        leg
    }
}

/// What came of one use.
#[derive(Debug)]
pub(super) struct UseResult {
    pub(super) value: Result<Value, String>,
    pub(super) cost: ModuleCost,
    pub(super) not_recorded: Option<String>,
}

/// The names that a module declared.
pub(super) fn names_of(declared: &ModuleDeclarations) -> BTreeSet<String> {
    let tools = declared.tools.iter().map(|tool| tool.name.clone());
    tools.chain(declared.commands.iter().map(|command| command.name.clone())).collect()
}

impl OwnTrial {
    /// Whether one of the processes can be asked no more.
    pub(super) fn has_ended(&self) -> bool {
        [&self.main, &self.candidate].iter().any(|side| side.process.client.ended().is_some())
    }

    /// Whether one of the codes has a tool or a command of that name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.main.names.contains(name) || self.candidate.names.contains(name)
    }

    /// Gives the uses of an epoch to both, in an order by hash. None: the code in force asks for what the record does not have, so
    /// nothing can be said.
    pub(super) async fn compare(
        &mut self,
        (epoch, uses): (EpochId, &[OwnUse]),
        seed: u64,
    ) -> Option<ComparedPair> {
        let request = epoch.to_string();
        let candidate_first = first_leg(seed, &request) == LegRole::Candidate;
        let (main, mut candidate) = if candidate_first {
            let candidate = self.candidate.run_all(uses).await;
            (self.main.run_all(uses).await, candidate)
        } else {
            let main = self.main.run_all(uses).await;
            (main, self.candidate.run_all(uses).await)
        };
        if main.not_recorded.is_some() {
            return None;
        }
        if candidate.leg.error.is_some() && main.leg.error.is_none() && !self.has_ended() {
            candidate.leg.repeats = Some(self.candidate.run_all(uses).await.leg.error.is_some());
        }
        let difference = difference(uses, &main, &candidate);
        Some(ComparedPair {
            request,
            candidate_first,
            agrees: main.leg.error.is_none().then_some(difference.is_none()),
            divergence: difference,
            main: main.leg,
            candidate: candidate.leg,
            judge: None,
        })
    }
}

/// The first thing in which they differ, for people.
fn difference(uses: &[OwnUse], main: &OwnLeg, candidate: &OwnLeg) -> Option<String> {
    if let Some(asked) = &candidate.not_recorded {
        return Some(format!("it asks for {asked}, which the record does not have"));
    }
    if let Some(error) = &candidate.leg.error {
        return Some(format!("it fails: {error}"));
    }
    let values = main.values.iter().zip(&candidate.values);
    let differs = |(one, other): &(&Option<Value>, &Option<Value>)| one != other && one.is_some();
    let (place, (one, other)) = values.enumerate().find(|(_, values)| differs(values))?;
    let quoted = |value: &Option<Value>| match value {
        Some(value) => shortened(&value.to_string(), QUOTED_CHARS),
        None => "nothing".to_owned(),
    };
    let name = uses.get(place).map_or("", |used| &*used.name);
    Some(format!("{name} gives {} in place of {}", quoted(other), quoted(one)))
}

/// Other tools as the record has them.
struct RecordedTools<'a> {
    inner: &'a mut RecordedInner,
    not_recorded: Option<String>,
}

impl KeeperTools for RecordedTools<'_> {
    async fn call(&mut self, name: &str, arguments: Value) -> Result<Value, String> {
        self.inner.take(name, &arguments).unwrap_or_else(|| {
            self.not_recorded.get_or_insert_with(|| shortened(name, QUOTED_CHARS));
            Err("not_recorded: the record has no such call".to_owned())
        })
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::event::ComparedLeg;
    use serde_json::{Value, json};

    use super::{OwnLeg, OwnUse, RecordedInner, UseInput, difference};

    fn leg(values: &[Value]) -> OwnLeg {
        OwnLeg { values: values.iter().cloned().map(Some).collect(), ..OwnLeg::default() }
    }

    #[test]
    fn the_first_difference_is_said_with_both_results() {
        let used = OwnUse {
            name: "numbers.double".into(),
            input: UseInput::Arguments(json!({"number": 2})),
            inner: RecordedInner::default(),
        };
        let uses = [used.clone(), used];
        let main = leg(&[json!(4), json!({"a": 1})]);
        assert_eq!(difference(&uses, &main, &leg(&[json!(4), json!({"a": 1})])), None);
        let said = difference(&uses, &main, &leg(&[json!(4), json!({"a": 2})])).unwrap();
        assert_eq!(said, r#"numbers.double gives {"a":2} in place of {"a":1}"#);
        let failed = OwnLeg {
            leg: ComparedLeg { error: Some("numbers.double: no".into()), ..ComparedLeg::default() },
            ..leg(&[])
        };
        assert_eq!(difference(&uses, &main, &failed).unwrap(), "it fails: numbers.double: no");
        let asks = OwnLeg { not_recorded: Some("shell.run".into()), ..leg(&[json!(4)]) };
        assert!(difference(&uses, &main, &asks).unwrap().contains("shell.run"));
        // What only the new code can do is no difference.
        let new = OwnLeg { values: vec![None, None], ..OwnLeg::default() };
        assert_eq!(difference(&uses, &new, &main), None);
    }
}
