//! The tools and commands that an agent made, as the engine calls them: each call is one request to the process of its module, within
//! a bound. What a tool's body asks of other tools goes back to the epoch, which decides and writes it down.

use std::{sync::Arc, time::Duration};

use abide_domain::{AgentId, EpochId, EvolutionId, tool::ToolSpec};
use abide_modules::{
    DeclaredCommand, DeclaredTool, KeeperTools, ModuleCallError, ModuleDeclarations, ModuleKind,
};
use abide_tools::{
    Call, InnerCalls, Output, OwnCommand, OwnParts, Registry, Tool, ToolError, WrittenCommand,
};
use futures_util::future::BoxFuture;
use serde_json::Value;

use super::{
    codes::ModuleCode, live_requests::LiveRequests, module_metrics::CallOutcome,
    module_pool::ModulePool,
};
use crate::agents::ModuleProcess;

/// How long the body of a tool may compute; what it waits for other tools does not count.
pub(super) const TOOL_LIMIT: Duration = Duration::from_secs(5);
/// How long a command may take to be written out.
pub(super) const COMMAND_LIMIT: Duration = Duration::from_millis(50);

/// A code of tools or commands that is in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MadeCode {
    pub(super) module: ModuleCode,
    /// Whether it is watched: then its requests are given to the code from before as well.
    pub(super) is_watched: bool,
}

/// What one agent has in force of both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MadeCodes {
    pub(super) tools: Option<MadeCode>,
    pub(super) commands: Option<MadeCode>,
}

impl MadeCodes {
    pub(super) fn ids(&self) -> impl Iterator<Item = EvolutionId> {
        self.tools.iter().chain(&self.commands).map(|code| code.module.id)
    }
}

/// Loads what an agent has in force. Errors: which change could not be loaded, and why.
pub(super) async fn parts_of(
    (pool, live): (&Arc<ModulePool>, &Arc<LiveRequests>),
    agent: &AgentId,
    codes: &MadeCodes,
) -> Result<OwnParts, (EvolutionId, String)> {
    let load = async |kind, code: &Option<MadeCode>| {
        let Some(MadeCode { module, is_watched }) = code else { return Ok(None) };
        let id = module.id;
        let loaded = pool.load(agent, (kind, &module.code)).await;
        let (process, declared) = loaded.map_err(|error| (id, error))?;
        pool.put_back((agent.clone(), id), process);
        let live = is_watched.then(|| Arc::clone(live));
        let (agent, module, pool) = (agent.clone(), module.clone(), Arc::clone(pool));
        Ok(Some((Arc::new(OwnModule { agent, kind, module, pool, live }), declared)))
    };
    let mut parts = (Registry::default(), Vec::new());
    if let Some((module, declared)) = load(ModuleKind::Tools, &codes.tools).await? {
        let id = module.module.id;
        parts.0 = registry(&module, &declared).map_err(|error| (id, error))?;
    }
    if let Some((module, declared)) = load(ModuleKind::Dsl, &codes.commands).await? {
        let command = |declared: &DeclaredCommand| -> Arc<dyn OwnCommand> {
            Arc::new(MadeCommand { module: Arc::clone(&module), declared: declared.clone() })
        };
        parts.1 = declared.commands.iter().map(command).collect();
    }
    Ok(OwnParts::new(parts.0, parts.1))
}

/// The tools of a module. Errors: one has a schema that is none.
fn registry(module: &Arc<OwnModule>, declared: &ModuleDeclarations) -> Result<Registry, String> {
    let tool = |declared: &DeclaredTool| -> Arc<dyn Tool> {
        Arc::new(MadeTool { module: Arc::clone(module), spec: spec_of(declared) })
    };
    Registry::new(declared.tools.iter().map(tool)).map_err(|error| error.to_string())
}

/// A declared tool as a mind is shown it.
pub(super) fn spec_of(declared: &DeclaredTool) -> ToolSpec {
    ToolSpec {
        name: declared.name.clone(),
        description: declared.description.clone(),
        parameters: declared.schema.clone(),
        effect: declared.effect,
        idempotent: false,
    }
}

/// A module of an agent that is in force.
#[derive(Debug)]
struct OwnModule {
    agent: AgentId,
    kind: ModuleKind,
    module: ModuleCode,
    pool: Arc<ModulePool>,
    /// Where its requests are handed on, while it is watched.
    live: Option<Arc<LiveRequests>>,
}

impl OwnModule {
    /// A process that serves it: one that waits, or a new one.
    async fn process(&self) -> Result<ModuleProcess, String> {
        if let Some(waiting) = self.pool.take(&(self.agent.clone(), self.module.id)) {
            return Ok(waiting);
        }
        let loaded = self.pool.load(&self.agent, (self.kind, &self.module.code)).await;
        loaded.map(|(process, _)| process)
    }

    fn now(&self) -> Duration {
        self.pool.launcher().clock().monotonic()
    }

    /// Takes a process back after a call that began then.
    fn done<T>(
        &self,
        process: ModuleProcess,
        called: &Result<T, ModuleCallError>,
        begun: Duration,
    ) {
        let took = self.now().saturating_sub(begun);
        self.pool.metrics.count(self.kind, CallOutcome::of(called), took);
        let has_failed = called.is_err();
        let served = (self.agent.clone(), self.module.id);
        self.pool.count_failure(&served, has_failed);
        self.pool.put_back(served, process);
    }

    fn note(&self, epoch: Option<EpochId>) {
        if let (Some(live), Some(epoch)) = (&self.live, epoch) {
            live.add(&self.agent, epoch);
        }
    }

    fn say_failed(&self, what: &str, error: &str) {
        tracing::warn!(agent = %self.agent, evolution = %self.module.id, event = "own_code_failed", what, error,
            "code that the agent made gave no result");
    }
}

/// A tool that an agent made.
#[derive(Debug)]
struct MadeTool {
    module: Arc<OwnModule>,
    spec: ToolSpec,
}

impl Tool for MadeTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// What its body asks for is written down at once.
    fn writes_at_once(&self) -> bool {
        true
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(async move {
            self.module.note(Some(call.epoch));
            let process = self.module.process().await;
            let mut process = process.map_err(|error| self.failed(&error))?;
            let (mut asked, begun) = (AskedTools(call.inner), self.module.now());
            let called = process
                .client
                .call_tool(&self.spec.name, call.arguments.clone(), &mut asked, TOOL_LIMIT)
                .await;
            self.module.done(process, &called, begun);
            called.map(|reply| output(reply.value)).map_err(|error| self.failed(&error.to_string()))
        })
    }
}

impl MadeTool {
    fn failed(&self, error: &str) -> ToolError {
        self.module.say_failed(&self.spec.name, error);
        ToolError::new(format!("the tool, which the agent made, failed: {error}"))
    }
}

/// A text stands as it is, anything else as JSON.
fn output(value: Value) -> Output {
    match value {
        Value::String(text) => Output { content: text, ..Output::default() },
        other => Output::json(&other),
    }
}

/// What the body of a tool may ask for: what the epoch allows it.
struct AskedTools<'a>(&'a dyn InnerCalls);

impl KeeperTools for AskedTools<'_> {
    async fn call(&mut self, name: &str, arguments: Value) -> Result<Value, String> {
        self.0.call(name, arguments).await
    }
}

/// A command that an agent made.
#[derive(Debug)]
struct MadeCommand {
    module: Arc<OwnModule>,
    declared: DeclaredCommand,
}

impl OwnCommand for MadeCommand {
    fn name(&self) -> &str {
        &self.declared.name
    }

    fn help(&self) -> &str {
        &self.declared.help
    }

    fn expand<'a>(&'a self, written: WrittenCommand<'a>) -> BoxFuture<'a, Result<String, String>> {
        Box::pin(async move {
            self.module.note(written.epoch);
            let mut process = self.module.process().await?;
            let (name, begun) = (&self.declared.name, self.module.now());
            let given = process.client.expand_command(name, written.text, COMMAND_LIMIT).await;
            self.module.done(process, &given, begun);
            given.map(|reply| reply.value).map_err(|error| {
                let error = error.to_string();
                self.module.say_failed(name, &error);
                error
            })
        })
    }
}
