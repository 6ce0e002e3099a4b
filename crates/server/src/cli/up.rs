//! `abide up`: runs a keeper until it is told to stop.

use clap::Args;
use serde_json::json;

use super::{
    context::Context,
    error::{CliError, Exit},
    terminal::Terminal,
};
use crate::{
    app::{App, StartupEvent},
    config::{Config, Flag, Sources},
    home::Home,
};

/// Runs the keeper; ctrl-c or SIGTERM shuts it down cleanly
#[derive(Debug, Args)]
pub(crate) struct Up {
    /// Address and port; port 0 chooses a free one
    #[arg(long, value_name = "IP:PORT")]
    listen: Option<String>,
    /// Sets a key of abide.toml for this run; may be given several times
    #[arg(long, value_name = "SECTION.KEY=VALUE")]
    set: Vec<String>,
}

impl Up {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        let flags = self.flags()?;
        let file = context.home.config_file();
        let sources = Sources { file: &file, environment: &context.environment, flags: &flags };
        let config = Config::load(sources)?;
        let home = &context.home;
        claim(home)?;
        raise_file_limit();
        let app = App { home: home.clone(), config, environment: context.environment.clone() };
        let terminal = context.terminal.clone();
        let ended = Box::pin(app.run(&move |news| print_news(&terminal, &news))).await;
        ended.map(|()| Exit::Ok).map_err(CliError::from)
    }

    fn flags(&self) -> Result<Vec<Flag>, CliError> {
        let listen = self.listen.iter().map(|text| {
            Ok(Flag { name: "--listen".into(), key: "keeper.listen".into(), text: text.clone() })
        });
        let set = self.set.iter().map(|pair| match pair.split_once('=') {
            Some((key, text)) => {
                Ok(Flag { name: "--set".into(), key: key.trim().into(), text: text.trim().into() })
            }
            None => {
                Err(CliError::usage(format!("--set {pair:?} is not of the form SECTION.KEY=VALUE")))
            }
        });
        listen.chain(set).collect()
    }
}

fn print_news(terminal: &Terminal, news: &StartupEvent) {
    match news {
        StartupEvent::Listening { address, link } if terminal.is_json() => {
            let line = json!({"event": "listening", "address": address.to_string(), "link": link});
            drop(terminal.json_line(&line));
        }
        StartupEvent::Listening { address, link } => {
            terminal.say(&format!("listening on http://{address}"));
            terminal.say(&format!(
                "open {link} (valid once, within five minutes; `abide token link` prints another)"
            ));
        }
        StartupEvent::Mind(words) | StartupEvent::Memory(words) | StartupEvent::Irc(words) => {
            terminal.say(words);
        }
        StartupEvent::Ready { seq } if terminal.is_json() => {
            drop(terminal.json_line(&json!({"event": "ready", "seq": seq})));
        }
        StartupEvent::Ready { seq } => terminal.say(&format!("ready at seq {seq}")),
        StartupEvent::Stopping { reason } => terminal.say(&format!("stopping: {reason}")),
    }
}

/// Makes the home and takes it from everybody but its owner: the keeper believes what lies there.
fn claim(home: &Home) -> Result<(), CliError> {
    let before = home.claim().map_err(|error| CliError::from_error(&error))?;
    if let Some(mode) = before {
        let mode = format!("{mode:o}");
        tracing::warn!(event = "home_made_private", folder = %home.root().display(), mode, "others could use the home folder; it is its owner's alone now (mode 700)");
    }
    Ok(())
}

/// Each connection takes a file descriptor, and the usual soft limit of 1,024 is for programs that use `select`.
fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current != maximum
        && setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).is_err()
    {
        tracing::debug!(event = "file_limit_unchanged", "the limit of open files cannot be raised");
    }
}
