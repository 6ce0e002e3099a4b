//! `abide evolve modules`: the code that an agent's modules have in force, to be read and changed. A base module needs no keeper.

use abide_domain::evolution::EvolutionTarget;
use abide_modules::ModuleKind;
use clap::Args;
use serde_json::{Value, json};

use crate::cli::{
    client::{Call, Client},
    context::Context,
    error::{CliError, Exit},
    json_text::{items, query_string, text},
};

/// Prints the code of a module as it is in force, or its base
#[derive(Debug, Args)]
pub(super) struct Modules {
    /// The module: memory, tools or dsl
    module: String,
    /// The agent [default: the only one]
    #[arg(long)]
    agent: Option<String>,
    /// Prints the base module, whatever is in force
    #[arg(long)]
    base: bool,
}

impl Modules {
    pub(super) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        let (target, kind) = self.kind()?;
        let in_force = if self.base { None } else { self.in_force(context, target).await? };
        let code = in_force.unwrap_or_else(|| kind.base_code().to_owned());
        if context.terminal.is_json() {
            context.terminal.json(&json!({"module": kind.name(), "code": code}))?;
        } else {
            context.terminal.data(code.trim_end())?;
        }
        Ok(Exit::Ok)
    }

    fn kind(&self) -> Result<(EvolutionTarget, ModuleKind), CliError> {
        match self.module.parse() {
            Ok(target @ EvolutionTarget::MemorySystem) => Ok((target, ModuleKind::Memory)),
            Ok(target @ EvolutionTarget::ToolFramework) => Ok((target, ModuleKind::Tools)),
            Ok(target @ EvolutionTarget::Dsl) => Ok((target, ModuleKind::Dsl)),
            Ok(EvolutionTarget::Mind) | Err(_) => {
                let message = format!("there is no module {:?}", self.module);
                Err(CliError::usage(message).hint("there are memory, tools and dsl"))
            }
        }
    }

    /// The code of the change that answers all requests; none where the base module does.
    async fn in_force(
        &self,
        context: &Context,
        target: EvolutionTarget,
    ) -> Result<Option<String>, CliError> {
        let client = Client::find(context)?;
        let query = query_string(&[
            ("citizen", self.agent.as_deref()),
            ("state", Some("kept")),
            ("limit", Some("500")),
        ]);
        let found = client.fetch(Call::get(&format!("/evolutions{query}"))).await?;
        let is_it = |change: &&Value| {
            change["in_force"] == true && text(change, "/target") == target.as_str()
        };
        let mut fitting = items(&found, "/items").iter().filter(is_it);
        let Some(change) = fitting.next() else { return Ok(None) };
        if let Some(other) = fitting.next() {
            let message = format!(
                "{} and {} have one of their own",
                text(change, "/citizen"),
                text(other, "/citizen")
            );
            return Err(CliError::usage(message).hint("name one of them with --agent"));
        }
        let path = format!("/evolutions/{}", text(change, "/id"));
        let whole = client.fetch(Call::get(&path)).await?;
        Ok(Some(text(&whole, "/code").to_owned()))
    }
}
