//! What the body of a tool that an agent made asks of other tools: decided, run and written down as any call, within the call that it
//! belongs to.
//!
//! It must never do more than the agent may do without asking anybody, nor more than the tool said of its own effect: one that said it
//! only reads runs anew after a crash. What is staged counts when the outer call has ended; an intent that changes the world is durable
//! before it runs.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use abide_domain::{
    event::{Event, InnerToolFinished, InnerToolRequested},
    limits::{ETHEREAL_BYTES_MIN, INNER_CALLS_MAX, TOOL_RESULT_BYTES_MAX},
    tool::{EffectClass, Outcome},
};
use abide_ledger::Draft;
use abide_tools::{
    Call, InnerCalls, NoInnerCalls, Output, Permission, Registry, Tool, ToolError, ToolErrorKind,
    judge_call,
};
use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::{agent_setup::AgentSetup, services::Services, state::is_untrusted_result};

/// The tools that the body of one call may ask for.
#[derive(Debug)]
pub(super) struct EpochInnerCalls<'a> {
    services: &'a Services,
    agent: &'a AgentSetup,
    tools: Arc<Registry>,
    /// The outer call.
    outer: Call<'a>,
    /// What the outer tool said that it changes.
    effect: EffectClass,
    so_far: Mutex<SoFar>,
}

/// What came of them so far.
#[derive(Debug, Default)]
struct SoFar {
    asked: u32,
    /// Those that changed something, and how they ended.
    ran: Vec<(String, Outcome)>,
    staged: Vec<Event>,
    /// Whether one gave what is not to be kept.
    is_fleeting: bool,
    /// Whether one gave text that no person vouches for: what comes after it may rest on that.
    is_untrusted: bool,
}

impl<'a> EpochInnerCalls<'a> {
    /// For one call of an epoch, with the tools that the epoch has.
    pub(super) fn new(
        (services, agent): (&'a Services, &'a AgentSetup),
        tools: Arc<Registry>,
        (outer, effect): (Call<'a>, EffectClass),
    ) -> Self {
        Self { services, agent, tools, outer, effect, so_far: Mutex::default() }
    }

    /// The result of the outer call with what they staged. Where it failed, that stays, as it does of any call that was cut.
    pub(super) fn complete(&self, result: Result<Output, ToolError>) -> Result<Output, ToolError> {
        let SoFar { staged, is_fleeting, ran, .. } = std::mem::take(&mut *self.so_far());
        let with_ran = |mut error: ToolError| {
            if let Some(ran) = in_words(&ran) {
                error.message.push_str(&ran);
            }
            error
        };
        let mut output = match result.map_err(with_ran) {
            Ok(output) => output,
            Err(error) if staged.is_empty() => return Err(error),
            Err(error) => Output { content: error.to_text(), is_cut: true, ..Output::default() },
        };
        output.staged.splice(..0, staged);
        if is_fleeting && output.ethereal.is_none() {
            output.ethereal = Some("a result made of what another tool fetched".to_owned());
        }
        Ok(output)
    }

    fn so_far(&self) -> MutexGuard<'_, SoFar> {
        self.so_far.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn run(&self, name: &str, arguments: Value) -> Result<Value, String> {
        let tool = self.permitted(name, &arguments)?;
        let n = {
            let mut so_far = self.so_far();
            if so_far.asked >= INNER_CALLS_MAX {
                return Err(format!("one call may ask for at most {INNER_CALLS_MAX} tools"));
            }
            so_far.asked += 1;
            so_far.asked
        };
        let effect = tool.spec().effect;
        let call_id = self.outer.call_id.clone();
        let name = name.to_owned();
        let requested = InnerToolRequested {
            call_id,
            n,
            name: name.clone(),
            arguments: self.recorded_arguments(&arguments),
            effect,
        };
        let mut unsent: Vec<Event> = vec![requested.into()];
        if effect == EffectClass::World {
            self.append(std::mem::take(&mut unsent)).await?;
        }
        let (finished, result) = self.ask(&*tool, (n, &arguments)).await;
        if effect != EffectClass::Read {
            self.so_far().ran.push((name, finished.outcome));
        }
        unsent.push(finished.into());
        self.append(unsent).await?;
        result
    }

    /// What the ledger holds of a call's arguments: nothing of what was fetched, which is not kept.
    fn recorded_arguments(&self, arguments: &Value) -> Value {
        if !self.so_far().is_fleeting {
            return arguments.clone();
        }
        let bytes = arguments.to_string().len();
        Value::String(format!("{bytes} bytes, made of what another tool fetched"))
    }

    /// The tool, where the agent may call it so without a person's yes.
    fn permitted(&self, name: &str, arguments: &Value) -> Result<Arc<dyn Tool>, String> {
        let policy = self.services.policy_of(self.agent);
        if let Permission::Deny { reason } = policy.decide(name) {
            return Err(reason);
        }
        let tool = self.tools.get(name).map_err(|error| error.to_string())?;
        if self.agent.tools.made_names().contains(name) {
            return Err(format!(
                "`{name}` was made by the agent too, and such tools call no others of their kind"
            ));
        }
        self.tools.validate(name, arguments).map_err(|error| error.to_string())?;
        let effect = tool.spec().effect;
        if reach(effect) > reach(self.effect) {
            return Err(format!(
                "`{name}` has the effect {}, and the tool that asks for it was declared as {}",
                effect.as_str(),
                self.effect.as_str()
            ));
        }
        let knows = |name: &str| self.services.knows(name);
        match judge_call(&policy, &**tool, &self.agent.id, arguments, &knows) {
            Permission::Allow => Ok(Arc::clone(tool)),
            Permission::Ask => {
                Err(format!("`{name}` needs a person's yes here: call it by itself"))
            }
            Permission::Deny { reason } => Err(reason),
        }
    }

    async fn ask(
        &self,
        tool: &dyn Tool,
        (n, arguments): (u32, &Value),
    ) -> (InnerToolFinished, Result<Value, String>) {
        let started = self.services.clock.monotonic();
        let limit = tool.time_limit(arguments).unwrap_or(self.services.settings.limits.tool);
        let untrusted = self.outer.untrusted || self.so_far().is_untrusted;
        let call = Call { arguments, untrusted, inner: &NoInnerCalls, ..self.outer };
        let ended = tokio::time::timeout(limit, tool.run(call)).await;
        let took = self.services.clock.monotonic().saturating_sub(started);
        let (outcome, content, note) = self.take(tool, ended.ok());
        let finished = InnerToolFinished {
            call_id: self.outer.call_id.clone(),
            n,
            outcome,
            content: if note.is_some() { String::new() } else { content.clone() },
            note,
            duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        };
        let value = || serde_json::from_str(&content).unwrap_or_else(|_| content.clone().into());
        let result = if outcome == Outcome::Ok { Ok(value()) } else { Err(content.clone()) };
        (finished, result)
    }

    /// What a tool gave, its staged events taken over: how it ended, its words, and why they are not kept.
    fn take(
        &self,
        tool: &dyn Tool,
        ended: Option<Result<Output, ToolError>>,
    ) -> (Outcome, String, Option<String>) {
        let is_world = tool.spec().effect == EffectClass::World;
        match ended {
            None if is_world => {
                (Outcome::Unknown, "outcome unknown: no result in time".into(), None)
            }
            None => (Outcome::Error, "no result in time".into(), None),
            Some(Err(error)) if error.kind == ToolErrorKind::Unknown => {
                (Outcome::Unknown, error.to_text(), None)
            }
            Some(Err(error)) => (Outcome::Error, error.to_text(), None),
            Some(Ok(output)) if output.content.len() > TOOL_RESULT_BYTES_MAX => {
                let size = output.content.len();
                let words = format!("the result has {size} bytes; at most {TOOL_RESULT_BYTES_MAX}");
                (Outcome::Error, words, None)
            }
            Some(Ok(output)) => {
                let mut so_far = self.so_far();
                so_far.is_fleeting |= output.ethereal.is_some();
                so_far.is_untrusted |= output.ethereal.is_some()
                    || is_untrusted_result(&tool.spec().name, &output.content);
                so_far.staged.extend(output.staged);
                let is_large = output.content.len() > ETHEREAL_BYTES_MIN;
                let size = || format!("a result of {} bytes", output.content.len());
                let note = output.ethereal.clone().or_else(|| is_large.then(size));
                let outcome = if output.is_cut { Outcome::Error } else { Outcome::Ok };
                (outcome, output.content, note)
            }
        }
    }

    async fn append(&self, events: Vec<Event>) -> Result<(), String> {
        let entity = self.agent.id.entity();
        let draft = |event| Draft {
            entity: entity.clone(),
            author: entity.clone(),
            epoch: Some(self.outer.epoch),
            event,
        };
        let drafts = events.into_iter().map(draft).collect();
        let appended = self.services.ledger.append(drafts).await;
        let appended = appended.map_err(|error| format!("it cannot be written down: {error}"))?;
        self.services.view.applied(appended.last_seq).await;
        Ok(())
    }
}

/// What had changed something already when a tool failed, for whoever would call it again.
fn in_words(ran: &[(String, Outcome)]) -> Option<String> {
    let of = |(name, outcome): &(String, Outcome)| match outcome {
        Outcome::Ok => format!("{name} ran"),
        Outcome::Unknown => format!("{name} may have run"),
        Outcome::Error | Outcome::Denied => format!("{name} failed"),
    };
    let ran: Vec<String> = ran.iter().map(of).collect();
    let words = ran.join(", ");
    (!ran.is_empty()).then(|| format!(". Before that, {words}: check before you call it again"))
}

/// How far an effect reaches, from what only reads.
const fn reach(effect: EffectClass) -> u8 {
    match effect {
        EffectClass::Read => 0,
        EffectClass::State => 1,
        EffectClass::World => 2,
    }
}

impl InnerCalls for EpochInnerCalls<'_> {
    fn call<'a>(&'a self, name: &'a str, arguments: Value) -> BoxFuture<'a, Result<Value, String>> {
        Box::pin(self.run(name, arguments))
    }
}
