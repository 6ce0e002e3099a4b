//! `abide token`: named tokens for people and programs, and a link that signs a browser in.

use std::{collections::BTreeSet, time::Duration};

use abide_domain::{Clock as _, Timestamp};
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
    auth::{NamedToken, NamedTokens, Scope, ScopeError, Scopes, Token, is_name_of_person},
    config::TimeSpan,
    system::SystemClock,
};

/// What a token may do where its maker does not say: what a person does.
const SCOPES_DEFAULT: [Scope; 3] = [Scope::Read, Scope::Say, Scope::Approve];
/// How long a token lasts where its maker does not say.
const LIFE_DEFAULT: Duration = Duration::from_hours(365 * 24);

/// Creates and revokes tokens; prints a link that signs a browser in
#[derive(Debug, Args)]
pub(crate) struct TokenCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Creates a named token and prints it, only this once
    Create(Create),
    /// Replaces a named token's secret; its name, scopes and end stay
    Rotate {
        /// The token's name
        name: String,
    },
    /// Revokes a named token at once, with the browsers and streams that it opened
    Revoke {
        /// The token's name
        name: String,
    },
    /// Lists the named tokens
    #[command(alias = "ls")]
    List,
    /// Prints a link that signs a browser in, once and within five minutes
    Link,
}

#[derive(Debug, Args)]
struct Create {
    /// The name under which its holder acts and speaks [default: token-1, token-2, …]
    #[arg(conflicts_with = "name_option")]
    name: Option<String>,
    #[arg(long = "name", value_name = "NAME", hide = true)]
    name_option: Option<String>,
    /// What it may do: read, read:AGENT, say, say:AGENT, approve or admin (everything); may be given several times
    /// [default: read, say, approve]
    #[arg(long = "scope", value_name = "SCOPE")]
    scopes: Vec<String>,
    /// How long it lasts, such as 12h or 30d, or "never" [default: 365d]
    #[arg(long, value_name = "TIME")]
    expires: Option<String>,
}

impl TokenCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        match self.action {
            Action::Create(create) => create.run(context)?,
            Action::Rotate { name } => {
                let token = Token::generate();
                NamedTokens::change(&context.home, |named| named.rotate(&name, &token))?;
                show(context, &name, &token)?;
            }
            Action::Revoke { name } => {
                NamedTokens::change(&context.home, |named| named.revoke(&name))?;
                context.terminal.say(&format!("revoked {name}"));
            }
            Action::List => list(context)?,
            Action::Link => link(context).await?,
        }
        Ok(Exit::Ok)
    }
}

impl Create {
    fn run(self, context: &Context) -> Result<(), CliError> {
        let scopes = scopes(&self.scopes)?;
        let now = SystemClock::new().now();
        let expires_at = end(self.expires.as_deref(), now)?;
        let wanted = self.name.or(self.name_option);
        if let Some(name) = &wanted {
            check_name(context, name)?;
        }
        context.create_home()?;
        let token = Token::generate();
        let name = NamedTokens::change(&context.home, |named| {
            let name = wanted.unwrap_or_else(|| free_name(named));
            let known = NamedToken::new(&name, &token, &scopes, now);
            named.add(NamedToken { expires_at, ..known }).map(|()| name)
        })?;
        show(context, &name, &token)
    }
}

/// A name is that of a person or a program: nobody else's, and no agent's.
fn check_name(context: &Context, name: &str) -> Result<(), CliError> {
    if !is_name_of_person(name) {
        return Err(CliError::usage(format!(
            "the name {name:?} is reserved, or is not 1 to 64 characters of a-z, 0-9, `.`, `_` and `-` that begin with a letter or digit"
        )));
    }
    // A configuration that cannot be read is told by `abide up`; the keeper checks the name again.
    let is_agent = |id: &str| {
        context
            .config()
            .is_ok_and(|config| config.settings.agents.iter().any(|a| a.id.as_str() == id))
            || context.home.root().join("agents").join(id).is_dir()
    };
    if is_agent(name) {
        return Err(CliError::usage(format!(
            "{name} is an agent, and a person cannot have an agent's name"
        )));
    }
    Ok(())
}

fn scopes(texts: &[String]) -> Result<Scopes, CliError> {
    if texts.is_empty() {
        return Ok(SCOPES_DEFAULT.into_iter().collect());
    }
    let parse = |text: &str| {
        text.parse::<Scope>()
            .map_err(|error: ScopeError| CliError::usage(format!("--scope {text:?} {error}")))
    };
    let parts = texts.iter().flat_map(|text| text.split(','));
    parts
        .map(|text| parse(text.trim()))
        .collect::<Result<BTreeSet<_>, _>>()
        .map(|all| all.into_iter().collect())
}

fn end(expires: Option<&str>, now: Timestamp) -> Result<Option<Timestamp>, CliError> {
    match expires {
        None => Ok(Some(now.plus(LIFE_DEFAULT))),
        Some("never") => Ok(None),
        Some(text) => {
            let span: TimeSpan = text.parse().map_err(|error| {
                CliError::usage(format!("--expires {text:?} {error}, or write \"never\""))
            })?;
            if span.0.is_zero() {
                return Err(CliError::usage("--expires must be longer than nothing"));
            }
            Ok(Some(now.plus(span.0)))
        }
    }
}

fn load(context: &Context) -> Result<NamedTokens, CliError> {
    NamedTokens::load(&context.home).map_err(CliError::from)
}

fn show(context: &Context, name: &str, token: &Token) -> Result<(), CliError> {
    context.terminal.say(&format!("token {name}, which is shown only this once:"));
    if context.terminal.is_json() {
        return context.terminal.json(&json!({"name": name, "token": token.expose()}));
    }
    context.terminal.data(token.expose())
}

fn free_name(named: &NamedTokens) -> String {
    let mut names = (1..).map(|number: u32| format!("token-{number}"));
    names.find(|name| named.get(name).is_none()).unwrap_or_default()
}

fn list(context: &Context) -> Result<(), CliError> {
    let (named, now) = (load(context)?, SystemClock::new().now());
    if context.terminal.is_json() {
        let item = |token: &NamedToken| {
            json!({
                "name": token.name,
                "id": token.id,
                "scopes": token.scopes,
                "created_at": token.created_at,
                "expires_at": token.expires_at,
                "expired": token.is_expired(now),
            })
        };
        let items: Vec<Value> = named.tokens.iter().map(item).collect();
        return context.terminal.json(&json!({"items": items}));
    }
    let row = |token: NamedToken| {
        let is_expired = token.is_expired(now);
        let ends = match token.expires_at {
            None => "never".to_owned(),
            Some(at) if is_expired => format!("{at} (ended)"),
            Some(at) => at.to_string(),
        };
        let refused = if is_name_of_person(&token.name) { "" } else { " (refused: reserved)" };
        let name = format!("{}{refused}", token.name);
        vec![name, token.scopes.join(","), token.created_at, ends]
    };
    let rows: Vec<_> = named.tokens.into_iter().map(row).collect();
    context.terminal.table(&table(&["NAME", "SCOPES", "CREATED", "ENDS"], &rows))
}

async fn link(context: &Context) -> Result<(), CliError> {
    let client = Client::find(context)?;
    let answer = client.fetch(Call::post("/session/links", &json!({}))).await?;
    if context.terminal.is_json() {
        return context.terminal.json(&answer);
    }
    context.terminal.data(text(&answer, "/link"))
}
