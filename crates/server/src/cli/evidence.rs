//! `abide evidence`: what agents and people did, as their peers see it.

use clap::Args;
use serde_json::Value;

use super::{
    client::{Call, Client},
    context::Context,
    error::{CliError, Exit},
    json_text::{display, items, query_string},
    table::{Table, clip, table},
};

/// Longest body in a row, in characters.
const BODY_CHARS: usize = 80;

/// Lists evidence, newest first
#[derive(Debug, Args)]
pub(crate) struct EvidenceCommand {
    /// Only that of this agent or person
    #[arg(long, value_name = "NAME")]
    author: Option<String>,
    /// Only that of this type, such as coordination
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// Only that with all of these tags
    #[arg(long, value_name = "TAG", value_delimiter = ',')]
    tag: Vec<String>,
    /// Only that since a time, or for a length of time such as 8h
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// At most this many
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=500))]
    limit: u16,
}

impl EvidenceCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        let client = Client::find(context)?;
        let (tags, limit) = (self.tag.join(","), self.limit.to_string());
        let path = query_string(&[
            ("author", self.author.as_deref()),
            ("type", self.kind.as_deref()),
            ("tag", Some(tags.as_str()).filter(|tags| !tags.is_empty())),
            ("since", self.since.as_deref()),
            ("limit", Some(&limit)),
        ]);
        let answer = client.fetch(Call::get(&format!("/evidence{path}"))).await?;
        if context.terminal.is_json() {
            context.terminal.json(&answer)?;
        } else {
            context.terminal.table(&evidence_table(&answer))?;
        }
        Ok(Exit::Ok)
    }
}

fn evidence_table(answer: &Value) -> Table {
    let row = |entry: &Value| {
        let tags: Vec<_> = items(entry, "/tags").iter().filter_map(Value::as_str).collect();
        vec![
            display(entry, "/at"),
            display(entry, "/author"),
            display(entry, "/type"),
            // A slash in a name is `~1` in a pointer.
            format!(
                "{}:{}",
                display(entry, "/subject/ref~1type"),
                display(entry, "/subject/ref~1id")
            ),
            tags.join(","),
            clip(&display(entry, "/body"), BODY_CHARS),
        ]
    };
    let rows: Vec<_> = items(answer, "/items").iter().map(row).collect();
    table(&["AT", "AUTHOR", "TYPE", "SUBJECT", "TAGS", "BODY"], &rows)
}
