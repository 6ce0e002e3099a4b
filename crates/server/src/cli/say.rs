//! `abide say`: one message, one reply.
//!
//! The message carries an idempotency key, so that it can be sent again when the connection breaks, even over a restart
//! of the keeper, and is still answered once.

use std::{collections::BTreeSet, io::Read as _, time::Duration};

use abide_domain::{Clock as _, IdSource as _};
use clap::Args;
use http::StatusCode;
use serde_json::{Value, json};

use super::{
    client::{Answer, Call, Client},
    context::Context,
    error::{CliError, Exit},
    json_text::{items, text},
};
use crate::system::{SystemClock, SystemIds};

/// Longest wait for a keeper that went away.
const RETURN_MAX: Duration = Duration::from_secs(30);
/// Between two checks of a keeper or an epoch.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// After this, and again so often, is looked whether somebody has to decide something.
const LOOK_AFTER: Duration = Duration::from_secs(2);
/// Longest wait for one answer; the keeper itself answers after `[limits] epoch` at the latest, which is a day at most.
const WAIT_MAX: Duration = Duration::from_hours(25);
/// Longest message from stdin, in bytes: the keeper's limit in characters is the one that counts.
const STDIN_BYTES_MAX: u64 = 1024 * 1024;

/// Sends a message to an agent and prints its reply
#[derive(Debug, Args)]
pub(crate) struct Say {
    /// The agent [default: the only one]
    #[arg(long, value_name = "A")]
    agent: Option<String>,
    /// The conversation [default: direct:SENDER]
    #[arg(long, value_name = "S")]
    session: Option<String>,
    /// The sender [default: the owner in abide.toml, else user]
    #[arg(long, value_name = "N")]
    sender: Option<String>,
    /// The channel
    #[arg(long, value_name = "C", default_value = "direct")]
    channel: String,
    /// The message; `-` reads it from stdin
    text: String,
}

impl Say {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        let body = self.body(context)?;
        let key = SystemIds.uuid(SystemClock::new().now()).to_string();
        let message = SentMessage { context, body: &body, key: &key };
        let epoch = message.ended_epoch().await?;
        if context.terminal.is_json() {
            context.terminal.json(&epoch)?;
        }
        if text(&epoch, "/state") == "committed" {
            if !context.terminal.is_json() {
                context.terminal.data(text(&epoch, "/final_response"))?;
            }
            return Ok(Exit::Ok);
        }
        let reason = text(&epoch, "/abort/message");
        let id = text(&epoch, "/epoch_id");
        Err(CliError::new(format!("there is no answer: {reason}"))
            .hint(format!("`abide epochs show {id}` shows what happened")))
    }

    fn body(&self, context: &Context) -> Result<Value, CliError> {
        let mut message = self.text.clone();
        if message == "-" {
            message.clear();
            let mut stdin = std::io::stdin().take(STDIN_BYTES_MAX);
            stdin
                .read_to_string(&mut message)
                .map_err(|error| CliError::new("stdin cannot be read").caused_by(&error))?;
            let without_end = message.strip_suffix('\n').map(str::len);
            message.truncate(without_end.unwrap_or(message.len()));
        }
        Ok(json!({
            "message": message,
            "sender": context.sender(self.sender.as_deref())?,
            "channel": self.channel,
            "citizen": self.agent,
            "session_id": self.session,
        }))
    }
}

/// A message on its way.
struct SentMessage<'a> {
    context: &'a Context,
    body: &'a Value,
    key: &'a str,
}

impl SentMessage<'_> {
    /// Sends the message, again where the connection breaks, until its epoch has ended.
    async fn ended_epoch(&self) -> Result<Value, CliError> {
        let context = self.context;
        // A keeper that is gone from the start is not waited for; one that goes away later is.
        if !Client::find(context)?.presence().is_running() {
            return Err(CliError::not_running(context.home.root()));
        }
        let mut away = Duration::ZERO;
        let mut known = KnownEpoch::default();
        loop {
            match self.attempt_noting(&mut known).await {
                Ok(EpochProgress::Ended(epoch)) => return Ok(epoch),
                Ok(EpochProgress::Open(id)) => {
                    known.id = id.or(known.id);
                    away = Duration::ZERO;
                }
                Err(error)
                    if is_temporary(&error)
                        && context.home.presence_file().exists()
                        && away < RETURN_MAX =>
                {
                    away += POLL_INTERVAL;
                }
                Err(error) => return Err(known.explain(error)),
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Attempts to get the end of the epoch, and says meanwhile what somebody has to decide for it.
    async fn attempt_noting(&self, known: &mut KnownEpoch) -> Result<EpochProgress, CliError> {
        let asked = known.id.clone();
        let attempt = self.attempt(asked.as_deref());
        tokio::pin!(attempt);
        loop {
            tokio::select! {
                biased;
                ended = &mut attempt => return ended,
                () = tokio::time::sleep(LOOK_AFTER) => {
                    // What cannot be seen now is looked for again.
                    drop(self.note_approvals(known).await);
                }
            }
        }
    }

    /// Says which approvals the epoch waits for, each once.
    async fn note_approvals(&self, known: &mut KnownEpoch) -> Result<(), CliError> {
        let client = Client::find(self.context)?;
        if known.id.is_none() {
            // The same message with the same key is the same epoch.
            let call = Call::post("/start-epoch", self.body).with_idempotency_key(self.key);
            let accepted = client.call(call).await?;
            let id = text(&accepted.body, "/epoch_id");
            known.id = Some(id.to_owned()).filter(|id| !id.is_empty());
        }
        let approvals = client.fetch(Call::get("/approvals")).await?;
        for approval in items(&approvals, "/items") {
            let id = text(approval, "/id");
            let is_ours = Some(text(approval, "/epoch_id")) == known.id.as_deref();
            if is_ours && known.said.insert(id.to_owned()) {
                self.context.terminal.say(&format!(
                    "{} waits for a yes until {}; `abide chat` asks for it (/approve {id}), and so does the browser",
                    text(approval, "/tool"),
                    text(approval, "/deadline")
                ));
            }
        }
        Ok(())
    }

    async fn attempt(&self, epoch_id: Option<&str>) -> Result<EpochProgress, CliError> {
        let client = Client::find(self.context)?;
        let Some(id) = epoch_id else {
            let call = Call::post("/start-epoch?wait=1", self.body)
                .with_idempotency_key(self.key)
                .with_timeout(WAIT_MAX);
            return progress(client.call(call).await?);
        };
        let epoch = client.fetch(Call::get(&format!("/epochs/{id}"))).await?;
        let is_ended = matches!(text(&epoch, "/state"), "committed" | "aborted");
        Ok(if is_ended { EpochProgress::Ended(epoch) } else { EpochProgress::Open(None) })
    }
}

/// What is known of the epoch of a message.
#[derive(Debug, Default)]
struct KnownEpoch {
    id: Option<String>,
    /// Approvals that were said.
    said: BTreeSet<String>,
}

impl KnownEpoch {
    /// Why there is no answer, and what became of the message as far as that is known: who types it again must know.
    fn explain(&self, error: CliError) -> CliError {
        if !is_temporary(&error) {
            return error;
        }
        let what = match &self.id {
            Some(id) => format!(
                "the message is durable and is answered when a keeper runs again: `abide epochs show {id}`; do not send it again"
            ),
            None => "the message may have been taken: look with `abide epochs ls` before you send it again".to_owned(),
        };
        CliError::new("the keeper went away before it answered").with_exit(error.exit()).hint(what)
    }
}

fn is_temporary(error: &CliError) -> bool {
    matches!(error.exit(), Exit::NotRunning | Exit::Degraded)
}

enum EpochProgress {
    Ended(Value),
    Open(Option<String>),
}

fn progress(answer: Answer) -> Result<EpochProgress, CliError> {
    match answer.status {
        StatusCode::OK => Ok(EpochProgress::Ended(answer.body)),
        StatusCode::GATEWAY_TIMEOUT | StatusCode::ACCEPTED => {
            let id = text(&answer.body, "/epoch_id");
            let id = if id.is_empty() { text(&answer.body, "/error/epoch_id") } else { id };
            Ok(EpochProgress::Open((!id.is_empty()).then(|| id.to_owned())))
        }
        _ => Err(answer.into_error()),
    }
}

#[cfg(test)]
mod tests {
    use super::KnownEpoch;
    use crate::cli::error::{CliError, Exit};

    #[test]
    fn whoever_is_left_without_a_keeper_learns_that_the_message_is_durable() {
        let gone = || CliError::new("no keeper is running").with_exit(Exit::NotRunning);
        let known = KnownEpoch { id: Some("0193".into()), ..KnownEpoch::default() };
        let told = known.explain(gone());
        assert_eq!(told.exit(), Exit::NotRunning);
        let hint = told.next_step().unwrap();
        assert!(hint.contains("0193") && hint.contains("do not send it again"), "{hint}");
        assert_eq!(known.explain(CliError::new("odd")).to_string(), "odd");
        let told = KnownEpoch::default().explain(gone());
        assert!(told.next_step().unwrap().contains("may have been taken"), "{told:?}");
    }
}
