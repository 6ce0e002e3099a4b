//! `abide memory forget`: takes a matter back, wherever it was said.

use clap::Args;
use serde_json::json;

use super::client::{MemoryClient, object};
use crate::cli::{
    error::CliError,
    json_text::{display, format_count, items},
};

/// Forgets a matter: facts, graph, recall, prompts, sleep and dreams know it no more
///
/// Also where no fact was made of it yet, and in whatever words it was said. It is not learnt again from what was said before;
/// who says it again tells it anew. Everybody may forget what they said themselves, an administrator for anybody.
///
/// The lines of the ledger stay: `abide memory erase` removes the words for good, and says what else holds a copy.
#[derive(Debug, Args)]
pub(super) struct Forget {
    /// What is to be forgotten, as somebody would say it: "that I live in Lyon"
    #[arg(required_unless_present_any = ["fact", "epoch", "person"])]
    words: Option<String>,
    /// A fact, by its id, with what it took the place of
    #[arg(long, value_name = "FACT", conflicts_with = "words")]
    fact: Option<String>,
    /// The exchange of one epoch
    #[arg(long, value_name = "EPOCH", conflicts_with_all = ["words", "fact"])]
    epoch: Option<String>,
    /// Everything that somebody said and told
    #[arg(long, value_name = "NAME", conflicts_with_all = ["words", "fact", "epoch"])]
    person: Option<String>,
    /// Whose words are meant: "I" and "my" are theirs, and nobody else's are touched
    #[arg(long, value_name = "NAME")]
    of: Option<String>,
    /// The reason
    #[arg(long)]
    reason: Option<String>,
    /// Only shows what would be forgotten
    #[arg(long)]
    look: bool,
}

impl Forget {
    pub(super) async fn run(self, memory: &MemoryClient<'_>) -> Result<(), CliError> {
        let look = self.look;
        let body = object([
            ("words", self.words.map(Into::into)),
            ("fact_id", self.fact.map(Into::into)),
            ("epoch", self.epoch.map(Into::into)),
            ("person", self.person.map(Into::into)),
            ("of", self.of.map(Into::into)),
            ("reason", self.reason.map(Into::into)),
            ("look", look.then(|| json!(true))),
        ]);
        let answer = memory.post("/memory/forget", body).await?;
        if memory.print_json(&answer)? {
            return Ok(());
        }
        let terminal = &memory.context.terminal;
        for fact in items(&answer, "/facts") {
            terminal.data(fact.as_str().unwrap_or_default())?;
        }
        let count = |path: &str, what: &str| {
            format_count(items(&answer, path).len().try_into().unwrap_or(u64::MAX), what)
        };
        if display(&answer, "/found") != "true" {
            terminal.say("nothing was said or known of it");
            return Ok(());
        }
        let verb = if look { "would be forgotten" } else { "forgotten" };
        terminal.say(&format!(
            "{verb}: {}, {}, {}",
            count("/facts", "fact"),
            count("/epochs", "exchange"),
            count("/nodes", "node")
        ));
        match display(&answer, "/identity").as_str() {
            "changed" if !look => terminal.say("the identity has a new version without it"),
            "changed" => terminal.say("the identity would lose the sentences that say it"),
            "still_says" => {
                terminal.say("the identity still says it: `abide memory identity edit`");
            }
            _ => {}
        }
        terminal.say("the ledger still holds the words; `abide memory erase` removes them");
        Ok(())
    }
}
