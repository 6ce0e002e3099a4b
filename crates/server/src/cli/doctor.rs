//! `abide doctor`: looks at everything that commonly goes wrong, says what and what to do, and mends what is safe.

use std::{io::Write as _, sync::Arc};

use abide_http::{AddressPolicy, Client as HttpClient, ClientSettings};
use abide_models::Model;
use clap::Args;
use serde_json::{Value, json};

use super::{
    Context,
    client::{Call, Client},
    failure::{Exit, Failure},
    words::text,
};
use crate::{
    agents::MindSelector,
    auth::Token,
    config::{self, Sources},
    home::{make_private, mode_of},
    presence::Presence,
    system::SystemClock,
};

/// Less free space than this is a failure.
const FREE_BYTES_MIN: u64 = 64 * 1024 * 1024;
/// Less free space than this is worth a word.
const FREE_BYTES_LOW: u64 = 1024 * 1024 * 1024;

/// The name of the check of models.
const MODEL: &str = "model";

/// Checks the home, the configuration, the ledger, the disk and the running keeper
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Mends what can be mended without a loss
    #[arg(long)]
    fix: bool,
}

const fn is_private(mode: u32) -> bool {
    mode.trailing_zeros() >= 6
}

/// How a check went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Fine.
    Ok,
    /// Works, and somebody should know.
    Warn,
    /// Does not work.
    Fail,
}

/// One check.
#[derive(Debug)]
pub(crate) struct Finding {
    name: &'static str,
    verdict: Verdict,
    detail: String,
}

impl Finding {
    /// A check and how it went.
    pub(crate) fn new(name: &'static str, verdict: Verdict, detail: impl Into<String>) -> Self {
        Self { name, verdict, detail: detail.into() }
    }

    fn word(&self) -> &'static str {
        match self.verdict {
            Verdict::Ok => "ok",
            Verdict::Warn => "warn",
            Verdict::Fail => "fail",
        }
    }
}

impl Doctor {
    /// Runs the command.
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, Failure> {
        let mut findings = vec![self.home(context)];
        if context.home.root().is_dir() {
            findings.extend([self.token(context), disk(context), sync(context), ledger(context)]);
        }
        findings.push(configuration(context));
        findings.extend(models(context).await);
        findings.extend(self.keeper(context).await);
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
                "{:4}  {:8}  {}",
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
                return Finding::new("home", Verdict::Ok, format!("made {}", root.display()));
            }
            let detail = format!(
                "{} does not exist yet; `abide init` or `abide up` makes it",
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
                Ok(_) => Finding::new("token", Verdict::Ok, "made"),
                Err(error) => {
                    Finding::new("token", Verdict::Fail, Failure::from_error(&error).to_string())
                }
            },
            Ok(None) => Finding::new("token", Verdict::Warn, "none yet; `abide up` makes it"),
            Err(error) => {
                Finding::new("token", Verdict::Fail, Failure::from_error(&error).to_string())
            }
        }
    }

    fn private(&self, name: &'static str, path: &std::path::Path) -> Finding {
        let shown = path.display();
        match mode_of(path) {
            Ok(mode) if is_private(mode) => {
                Finding::new(name, Verdict::Ok, format!("{shown} is its owner's alone"))
            }
            Ok(_) if self.fix && make_private(path).is_ok() => {
                Finding::new(name, Verdict::Ok, format!("{shown} is its owner's alone again"))
            }
            Ok(mode) => {
                let detail =
                    format!("{shown} has mode {mode:o}: others can read it; --fix takes that away");
                Finding::new(name, Verdict::Warn, detail)
            }
            Err(error) => {
                Finding::new(name, Verdict::Fail, format!("{shown} cannot be looked at: {error}"))
            }
        }
    }

    async fn keeper(&self, context: &Context) -> Vec<Finding> {
        let Some(presence) = Presence::of(&context.home) else {
            return vec![Finding::new("keeper", Verdict::Ok, "does not run"), port(context)];
        };
        let answer = match Client::find(context) {
            Ok(client) => client.fetch(Call::get("/")).await,
            Err(failure) => Err(failure),
        };
        match answer {
            Ok(answer) => vec![running(&answer, &presence)],
            Err(failure) if failure.exit() == Exit::NotRunning => {
                let mended = self.fix && std::fs::remove_file(context.home.presence_file()).is_ok();
                let detail = if mended {
                    "does not run; its stale keeper.json is gone"
                } else {
                    "does not run; keeper.json is stale (it was killed), which is harmless"
                };
                vec![Finding::new("keeper", Verdict::Ok, detail), port(context)]
            }
            Err(failure) => vec![Finding::new("keeper", Verdict::Fail, failure.to_string())],
        }
    }
}

fn running(answer: &Value, presence: &Presence) -> Finding {
    let (status, version) = (text(answer, "/status"), text(answer, "/version"));
    let detail = format!("{version} runs on http://{} and is {status}", presence.address);
    if version != crate::VERSION {
        let detail = format!("{detail}; this command is {}: restart the keeper", crate::VERSION);
        return Finding::new("keeper", Verdict::Warn, detail);
    }
    Finding::new("keeper", if status == "ok" { Verdict::Ok } else { Verdict::Warn }, detail)
}

fn load(context: &Context) -> Result<config::Config, config::ConfigError> {
    let file = context.home.config_file();
    config::Config::load(Sources { file: &file, environment: &context.environment, flags: &[] })
}

fn configuration(context: &Context) -> Finding {
    match load(context) {
        Ok(config) => {
            let agents = config.settings.agents.len();
            Finding::new("config", Verdict::Ok, format!("fits; {agents} agent(s)"))
        }
        Err(error) => {
            Finding::new("config", Verdict::Fail, Failure::from_error(&error).to_string())
        }
    }
}

/// Whether the models of the configuration can be reached, take the key and are there. No token is spent.
async fn models(context: &Context) -> Vec<Finding> {
    let Ok(config) = load(context) else {
        return Vec::new();
    };
    let settings = ClientSettings::new(AddressPolicy::Any, Arc::new(SystemClock::new()));
    let client = HttpClient::new(settings);
    let minds = MindSelector::new(&config.settings, &context.environment, client).await;
    let mut findings = Vec::new();
    for agent in &config.settings.agents {
        findings.push(match minds.describe(agent) {
            Ok((announcement, model)) => checked(announcement, model).await,
            Err(error) => {
                Finding::new(MODEL, Verdict::Fail, Failure::from_error(&error).to_string())
            }
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
            format!("{announcement}; it does not list this model"),
        ),
        Err(error) => Finding::new(MODEL, Verdict::Fail, format!("{announcement}; {error}")),
    }
}

fn port(context: &Context) -> Finding {
    let Ok(config) = load(context) else {
        return Finding::new(
            "port",
            Verdict::Warn,
            "not looked at: the configuration does not fit",
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
            return Finding::new("disk", Verdict::Fail, format!("cannot be looked at: {error}"));
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
        Ok(()) => Finding::new("sync", Verdict::Ok, "a write reaches the disk"),
        Err(error) => {
            Finding::new("sync", Verdict::Fail, format!("the home cannot be written: {error}"))
        }
    }
}

fn ledger(context: &Context) -> Finding {
    super::ledger::finding(context)
}
