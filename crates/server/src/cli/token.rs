//! `abide token`: named tokens for programs, and a link that signs a browser in.

use abide_domain::{AgentId, Clock as _};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{
    client::{Call, Client},
    context::Context,
    error::{CliError, Exit},
    json_text::text,
    table::table,
};
use crate::{
    auth::{NamedTokens, Token},
    system::SystemClock,
};

/// Creates and revokes tokens; prints a link that signs a browser in
#[derive(Debug, Args)]
pub(crate) struct TokenCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Creates a named token and prints it, only this once
    Create {
        /// The token's name [default: token-1, token-2, …]
        #[arg(long)]
        name: Option<String>,
    },
    /// Revokes a named token at once
    Revoke {
        /// The token's name
        name: String,
    },
    /// Lists the named tokens
    Ls,
    /// Prints a link that signs a browser in, once and within five minutes
    Link,
}

impl TokenCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        match self.action {
            Action::Create { name } => create(context, name)?,
            Action::Revoke { name } => {
                let mut named = load(context)?;
                named.revoke(&name).and_then(|()| named.store(&context.home))?;
                context.terminal.say(&format!("revoked {name}"));
            }
            Action::Ls => list(context)?,
            Action::Link => link(context).await?,
        }
        Ok(Exit::Ok)
    }
}

fn load(context: &Context) -> Result<NamedTokens, CliError> {
    NamedTokens::load(&context.home).map_err(CliError::from)
}

fn create(context: &Context, name: Option<String>) -> Result<(), CliError> {
    let mut named = load(context)?;
    let name = name.unwrap_or_else(|| free_name(&named));
    if let Err(error) = name.parse::<AgentId>() {
        return Err(CliError::usage(format!("the name {name:?} {error}")));
    }
    context.create_home()?;
    let token = Token::generate();
    let now = SystemClock::new().now().to_string();
    named.add(&name, &token, now).and_then(|()| named.store(&context.home))?;
    context.terminal.say(&format!("token {name}, which is shown only this once:"));
    if context.terminal.is_json() {
        return context.terminal.json(&json!({"name": name, "token": token.expose()}));
    }
    context.terminal.data(token.expose())
}

fn free_name(named: &NamedTokens) -> String {
    let mut names = (1..).map(|number: u32| format!("token-{number}"));
    let is_free = |name: &String| !named.tokens.iter().any(|known| known.name == *name);
    names.find(is_free).unwrap_or_default()
}

fn list(context: &Context) -> Result<(), CliError> {
    let named = load(context)?;
    if context.terminal.is_json() {
        let items: Vec<Value> = named
            .tokens
            .iter()
            .map(|t| json!({"name": t.name, "created_at": t.created_at}))
            .collect();
        return context.terminal.json(&json!({"items": items}));
    }
    let rows: Vec<_> =
        named.tokens.into_iter().map(|token| vec![token.name, token.created_at]).collect();
    context.terminal.data_part(&table(&["NAME", "CREATED"], &rows))
}

async fn link(context: &Context) -> Result<(), CliError> {
    let client = Client::find(context)?;
    let answer = client.fetch(Call::post("/session/links", &json!({}))).await?;
    if context.terminal.is_json() {
        return context.terminal.json(&answer);
    }
    context.terminal.data(text(&answer, "/link"))
}
