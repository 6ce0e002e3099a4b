//! A call that a person tries outside of any epoch: what would be decided about it, and the result where it changes nothing.
//!
//! Nothing of it is in the ledger, so nothing that changes anything may run here.

use abide_domain::{AgentId, CallId, EpochId, tool::EffectClass};
use abide_memory::Listener;
use abide_tools::{
    ArgumentsError, Call, CallProgress, CommandReply, Commands, NoInnerCalls, Permission,
    ToolError, ToolState, UnknownToolError, judge_call,
};
use futures_util::future::{BoxFuture, ready};
use serde_json::Value;

use super::{Keeper, OrderError};
use crate::run_epoch::{preview, preview_words};

/// What came of it.
#[derive(Clone, Debug)]
pub struct TriedTool {
    /// What the policy and the tool say about the call.
    pub permission: Permission,
    /// What it would change, where the tool can say so.
    pub preview: Option<String>,
    /// Its result; none where it was not run, because it changes something or is denied.
    pub result: Option<Result<String, String>>,
}

/// Says why a call cannot be tried.
#[derive(Debug, thiserror::Error)]
pub enum TryToolError {
    /// There is no such agent.
    #[error(transparent)]
    Agent(#[from] OrderError),
    /// There is no such tool.
    #[error(transparent)]
    Unknown(#[from] UnknownToolError),
    /// The arguments do not fit it.
    #[error(transparent)]
    Arguments(#[from] ArgumentsError),
}

impl Keeper {
    /// Tries a call as an agent would make it, for the keeper's owner. A tool that changes something does not run.
    pub async fn try_tool(
        &self,
        agent: &AgentId,
        name: &str,
        arguments: &Value,
    ) -> Result<TriedTool, TryToolError> {
        let profile = self.agent_or_error(agent)?;
        let tools = profile.tools.current();
        let tool = tools.get(name)?;
        tools.validate(name, arguments)?;
        let knows = |name: &str| self.services().knows(name);
        let policy = self.policy_of(&profile);
        let permission = judge_call(&policy, &**tool, agent, arguments, &knows);
        let preview = preview_words(preview(agent, &**tool, arguments).await);
        let is_denied = matches!(permission, Permission::Deny { .. });
        if is_denied || tool.spec().effect != EffectClass::Read {
            return Ok(TriedTool { permission, preview, result: None });
        }
        let services = self.services();
        let now = services.clock.now();
        let state = self.call_state(agent);
        let memory = profile.memory();
        let call_id = CallId::new(1, 1);
        let call = Call {
            agent,
            epoch: EpochId::new(&*services.ids, now),
            call_id: &call_id,
            arguments,
            now,
            ids: &*services.ids,
            sender: "operator",
            said: "",
            listener: Listener::OWNER,
            administrator: true,
            zone: &services.settings.time_zone,
            untrusted: false,
            memory: &memory,
            state: &state,
            commands: &NoCommandsHere,
            inner: &NoInnerCalls,
            offered: &tools.offered(&policy),
            shown: &[],
            progress: &CallProgress::default(),
        };
        let limit = tool.time_limit(arguments).unwrap_or(services.settings.limits.tool);
        let ended = tokio::time::timeout(limit, tool.run(call)).await;
        let result = match ended {
            Ok(Ok(output)) => Ok(output.content),
            Ok(Err(error)) => Err(error.to_text()),
            Err(_) => Err(format!("no result within {} s", limit.as_secs_f64())),
        };
        Ok(TriedTool { permission, preview, result: Some(result) })
    }

    fn call_state(&self, agent: &AgentId) -> ToolState {
        let state = self.state();
        let kept = state.agents.get(agent).map(|agent| agent.kept.clone()).unwrap_or_default();
        ToolState { kept, decks: state.decks.for_agent(agent) }
    }
}

/// Commands of the command language are an epoch's alone.
#[derive(Debug)]
struct NoCommandsHere;

impl Commands for NoCommandsHere {
    fn carry_out<'a>(&'a self, _input: &'a str) -> BoxFuture<'a, Result<CommandReply, ToolError>> {
        Box::pin(ready(Err(ToolError::new("commands run in an epoch alone"))))
    }
}
