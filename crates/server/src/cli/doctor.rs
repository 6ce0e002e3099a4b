//! `abide doctor`: checks everything that commonly goes wrong, says what to do, and repairs what is safe to repair.

use std::{io::Write as _, sync::Arc};

use abide_domain::Clock as _;
use abide_engine::keeper::clock_problem;
use abide_http::{AddressPolicy, Client as HttpClient, ClientSettings};
use abide_models::Model;
use clap::Args;
use serde_json::{Value, json};

use super::{
    client::{Call, Client},
    context::Context,
    error::{CliError, Exit},
    finding::{Finding, Verdict},
    json_text::{format_count, text},
    ledger,
};
use crate::{
    agents::MindSelector,
    auth::{NamedTokens, Token},
    home::{is_private, make_private, mode_of},
    presence::Presence,
    system::SystemClock,
};

mod cards;
mod checkpoints;
mod folders;
mod media;
mod memory;
mod models;
mod private_state;
mod sandbox;
mod servers;
mod socket;
mod tools;

/// Less free space than this is an error.
const FREE_BYTES_MIN: u64 = 64 * 1024 * 1024;
/// Less free space than this is a warning.
const FREE_BYTES_LOW: u64 = 1024 * 1024 * 1024;

/// The name of the check of models.
const MODEL: &str = "model";

/// Checks the home folder, the configuration, the ledger, the disk and the running keeper
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct Doctor {
    /// Repairs what can be repaired without loss
    #[arg(long)]
    fix: bool,
    /// Asks each agent's model one small question and says what its endpoint can do; costs a few hundred tokens
    #[arg(long)]
    model: bool,
    /// Says what of the tools for services works, what a key would add, and whether the cards of decks are there
    #[arg(long)]
    tools: bool,
}

impl Doctor {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        let mut findings = vec![self.home(context)];
        if context.home.root().is_dir() {
            findings.extend([
                self.token(context),
                self.tokens(context),
                disk(context),
                sync(context),
                ledger::check(context),
                self.clock(context).await,
            ]);
        }
        if context.home.root().is_dir() {
            findings.extend(sandbox::check(context));
            findings.extend(servers::check(context).await);
            findings.extend([
                folders::check(context),
                memory::check(context),
                checkpoints::check(context),
                socket::check(context, self.fix),
            ]);
        }
        findings.push(configuration(context));
        findings.extend(media::check(context).await);
        findings.extend(models(context, self.model).await);
        if self.tools {
            findings.extend(tools::check(context).await);
            findings.push(cards::check(context));
        }
        findings.extend(self.keeper(context).await);
        findings.extend(private_state::check(context).await);
        let worst = if findings.iter().any(|f| f.verdict == Verdict::Fail) {
            Exit::Failed
        } else {
            Exit::Ok
        };
        if context.terminal.is_json() {
            let items: Vec<Value> = findings
                .iter()
                .map(|f| json!({"check": f.name, "verdict": f.word(), "detail": f.detail}))
                .collect();
            context.terminal.json(&json!({"items": items}))?;
            return Ok(worst);
        }
        for finding in &findings {
            context.terminal.data(&format!(
                "{:4}  {:11}  {}",
                finding.word(),
                finding.name,
                finding.detail
            ))?;
        }
        Ok(worst)
    }

    fn home(&self, context: &Context) -> Finding {
        let root = context.home.root();
        if !root.is_dir() {
            if self.fix && context.home.create().is_ok() {
                return Finding::new("home", Verdict::Ok, format!("created {}", root.display()));
            }
            let detail = format!(
                "{} does not exist yet; `abide init` or `abide up` creates it",
                root.display()
            );
            return Finding::new("home", Verdict::Warn, detail);
        }
        self.private("home", root)
    }

    fn token(&self, context: &Context) -> Finding {
        let path = context.home.token_file();
        match Token::load(&context.home) {
            Ok(Some(_)) => self.private("token", &path),
            Ok(None) if self.fix => match Token::load_or_create(&context.home) {
                Ok(_) => Finding::new("token", Verdict::Ok, "created"),
                Err(error) => Finding::failed("token", &error),
            },
            Ok(None) => Finding::new("token", Verdict::Warn, "none yet; `abide up` creates it"),
            Err(error) => Finding::failed("token", &error),
        }
    }

    fn tokens(&self, context: &Context) -> Finding {
        const NAME: &str = "tokens";
        let path = context.home.tokens_file();
        match NamedTokens::load(&context.home) {
            Ok(_) if path.exists() => self.private(NAME, &path),
            Ok(_) => Finding::new(NAME, Verdict::Ok, "none with a name"),
            Err(error) => {
                let detail = format!(
                    "{}; until it can be read again no named token is accepted: put back a copy, or move it away and make new \
                     tokens with `abide token create`",
                    CliError::from_error(&error)
                );
                Finding::new(NAME, Verdict::Fail, detail)
            }
        }
    }

    fn private(&self, name: &'static str, file: &std::path::Path) -> Finding {
        let mode = mode_of(file);
        let path = file.display();
        match mode {
            Ok(mode) if is_private(mode) => {
                Finding::new(name, Verdict::Ok, format!("{path} is private to its owner"))
            }
            Ok(_) if self.fix && make_private(file).is_ok() => {
                Finding::new(name, Verdict::Ok, format!("{path} is private to its owner again"))
            }
            Ok(mode) => {
                let detail = format!(
                    "{path} has mode {mode:o}, so others can read it; run `abide doctor --fix` to make it private"
                );
                Finding::new(name, Verdict::Warn, detail)
            }
            Err(error) => {
                Finding::new(name, Verdict::Fail, format!("{path} cannot be read: {error}"))
            }
        }
    }

    /// Whether the clock fits the times of events: as the running keeper sees it, else by the last event.
    async fn clock(&self, context: &Context) -> Finding {
        const NAME: &str = "clock";
        let answer = match Client::find(context) {
            Ok(client) => client.fetch(Call::get("/health")).await.ok(),
            Err(_) => None,
        };
        let problem = match answer {
            Some(answer) => answer.get("clock").and_then(Value::as_str).map(str::to_owned),
            None => clock_problem(ledger::clock_status(context, SystemClock::new().now())),
        };
        match problem {
            Some(problem) => Finding::new(NAME, Verdict::Warn, problem),
            None => Finding::new(NAME, Verdict::Ok, "fits the times of events"),
        }
    }

    async fn keeper(&self, context: &Context) -> Vec<Finding> {
        let Some(presence) = Presence::of(&context.home) else {
            return vec![Finding::new("keeper", Verdict::Ok, "is not running"), port(context)];
        };
        let answer = match Client::find(context) {
            // It answers 503 where it is not well, and says why.
            Ok(client) => client.call(Call::get("/health")).await.map(|answer| answer.body),
            Err(error) => Err(error),
        };
        match answer {
            Ok(answer) => vec![running(&answer, &presence)],
            Err(error) if error.exit() == Exit::NotRunning => {
                let is_removed =
                    self.fix && std::fs::remove_file(context.home.presence_file()).is_ok();
                let detail = if is_removed {
                    "is not running; its stale keeper.json was removed"
                } else {
                    "is not running; keeper.json is stale (the keeper was killed), which is harmless"
                };
                vec![Finding::new("keeper", Verdict::Ok, detail), port(context)]
            }
            Err(error) => vec![Finding::new("keeper", Verdict::Fail, error.to_string())],
        }
    }
}

fn running(answer: &Value, presence: &Presence) -> Finding {
    let (status, version) = (text(answer, "/status"), text(answer, "/version"));
    let detail = format!("{version} is running on http://{} and is {status}", presence.address);
    if version != crate::VERSION {
        let detail = format!("{detail}; this command is {}: restart the keeper", crate::VERSION);
        return Finding::new("keeper", Verdict::Warn, detail);
    }
    if status == "ok" {
        return Finding::new("keeper", Verdict::Ok, detail);
    }
    Finding::new("keeper", Verdict::Warn, format!("{detail}: {}", text(answer, "/reason")))
}

fn configuration(context: &Context) -> Finding {
    match context.config() {
        Ok(config) => {
            let agents = config.settings.agents.len();
            Finding::new(
                "config",
                Verdict::Ok,
                format!("valid; {}", format_count(agents as u64, "agent")),
            )
        }
        Err(error) => Finding::new("config", Verdict::Fail, error.to_string()),
    }
}

/// Whether the models of the configuration can be reached, accept the key and exist. No token is spent, unless they are to be
/// asked.
async fn models(context: &Context, is_asked: bool) -> Vec<Finding> {
    let Ok(config) = context.config() else {
        return Vec::new();
    };
    let settings = ClientSettings::new(AddressPolicy::Any, Arc::new(SystemClock::new()));
    let client = HttpClient::new(settings);
    let minds = MindSelector::new(&config.settings, &context.environment, client).await;
    let mut findings = Vec::new();
    for agent in &config.settings.agents {
        findings.push(match minds.describe(agent) {
            Ok((announcement, Some(model))) if is_asked => {
                models::asked(announcement, &agent.id, &model).await
            }
            Ok((announcement, None)) if minds.lacks_model(agent) => Finding::new(
                MODEL,
                Verdict::Warn,
                format!("{announcement}; it answers by simple rules until [model] names one"),
            ),
            Ok((announcement, model)) => checked(announcement, model).await,
            Err(error) => Finding::failed(MODEL, &error),
        });
    }
    findings
}

async fn checked(announcement: String, model: Option<Model>) -> Finding {
    let Some(model) = model else {
        return Finding::new(MODEL, Verdict::Ok, announcement);
    };
    match model.check().await {
        Ok(check) if check.has_model => Finding::new(MODEL, Verdict::Ok, announcement),
        // Some providers list only a part of what they have.
        Ok(_) => Finding::new(
            MODEL,
            Verdict::Warn,
            format!("{announcement}; the provider does not list this model"),
        ),
        Err(error) => Finding::new(MODEL, Verdict::Fail, format!("{announcement}; {error}")),
    }
}

fn port(context: &Context) -> Finding {
    let Ok(config) = context.config() else {
        return Finding::new(
            "port",
            Verdict::Warn,
            "not checked, because the configuration is invalid",
        );
    };
    let listen = config.settings.keeper.listen;
    match std::net::TcpListener::bind(listen) {
        Ok(_) => Finding::new("port", Verdict::Ok, format!("{listen} is free")),
        Err(error) => {
            let detail = format!(
                "{listen} cannot be used: {error}; choose another with `abide config set keeper.listen`"
            );
            Finding::new("port", Verdict::Fail, detail)
        }
    }
}

fn disk(context: &Context) -> Finding {
    let free = match rustix::fs::statvfs(context.home.root()) {
        Ok(stat) => stat.f_bavail.saturating_mul(stat.f_frsize),
        Err(error) => {
            return Finding::new("disk", Verdict::Fail, format!("cannot be checked: {error}"));
        }
    };
    let detail = format!("{} MB free", free / (1024 * 1024));
    let verdict = match free {
        FREE_BYTES_LOW.. => Verdict::Ok,
        FREE_BYTES_MIN.. => Verdict::Warn,
        _ => Verdict::Fail,
    };
    Finding::new("disk", verdict, detail)
}

fn sync(context: &Context) -> Finding {
    let path = context.home.root().join(format!(".doctor.{}", std::process::id()));
    let written = std::fs::File::create(&path).and_then(|mut file| {
        file.write_all(b"x")?;
        file.sync_data()
    });
    drop(std::fs::remove_file(&path));
    match written {
        Ok(()) => Finding::new("sync", Verdict::Ok, "writes reach the disk"),
        Err(error) => Finding::new(
            "sync",
            Verdict::Fail,
            format!("the home folder cannot be written: {error}"),
        ),
    }
}
