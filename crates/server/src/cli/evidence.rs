//! `abide evidence`: what agents and people did and said, as their peers see it.

use clap::Args;
use serde_json::Value;

use super::{
    Context,
    client::{Call, Client},
    failure::{Exit, Failure},
    table::{clip, table},
    words::{items, query, shown},
};

/// Longest body in a row, in characters.
const BODY_CHARS: usize = 80;

/// Lists evidence, newest first
#[derive(Debug, Args)]
pub(crate) struct EvidenceCommand {
    /// Whose
    #[arg(long, value_name = "NAME")]
    author: Option<String>,
    /// Of which type, such as coordination
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// With all of these tags
    #[arg(long, value_name = "TAG", value_delimiter = ',')]
    tag: Vec<String>,
    /// Since when: a time, or a length such as 8h
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=500))]
    limit: u16,
}

impl EvidenceCommand {
    /// Runs the command.
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, Failure> {
        let client = Client::find(context)?;
        let (tags, limit) = (self.tag.join(","), self.limit.to_string());
        let path = query(&[
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
            context.terminal.data_part(&entries(&answer))?;
        }
        Ok(Exit::Ok)
    }
}

fn entries(answer: &Value) -> String {
    let row = |entry: &Value| {
        let tags: Vec<_> = items(entry, "/tags").iter().filter_map(Value::as_str).collect();
        vec![
            shown(entry, "/at"),
            shown(entry, "/author"),
            shown(entry, "/type"),
            // A slash in a name is `~1` in a pointer.
            format!("{}:{}", shown(entry, "/subject/ref~1type"), shown(entry, "/subject/ref~1id")),
            tags.join(","),
            clip(&shown(entry, "/body"), BODY_CHARS),
        ]
    };
    let rows: Vec<_> = items(answer, "/items").iter().map(row).collect();
    table(&["AT", "AUTHOR", "TYPE", "SUBJECT", "TAGS", "BODY"], &rows)
}
