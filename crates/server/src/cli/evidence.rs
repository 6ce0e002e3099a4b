//! `abide evidence`: what agents and people did, as their peers see it.

use abide_domain::evidence::WATCHDOG;
use clap::Args;
use serde_json::{Value, json};

use super::{
    client::{Call, Client},
    context::Context,
    error::{CliError, Exit},
    json_text::{display, items, query_string, text},
    table::{Table, clip, table},
};

/// Longest body in a row, in characters.
const BODY_CHARS: usize = 80;
/// Entries of one page that is read.
const PAGE_LIMIT: u16 = 200;
/// Pages at most that are read for one list.
const PAGES_MAX: usize = 50;

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
    /// Shows scans of the watchdog that found nothing, too
    #[arg(long)]
    scans: bool,
    /// At most this many
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=500))]
    limit: u16,
}

impl EvidenceCommand {
    pub(crate) async fn run(self, context: &Context) -> Result<Exit, CliError> {
        let client = Client::find(context)?;
        let answer = self.entries(&client).await?;
        if context.terminal.is_json() {
            context.terminal.json(&answer)?;
        } else {
            context.terminal.table(&evidence_table(&answer))?;
        }
        Ok(Exit::Ok)
    }
}

impl EvidenceCommand {
    /// The newest entries. Where most of a page is left out, the page before it is read, too.
    /// The newest entries that are shown, and the cursor of those behind the last of them.
    async fn entries(&self, client: &Client) -> Result<Value, CliError> {
        let limit = usize::from(self.limit);
        let mut entries: Vec<Value> = Vec::new();
        let mut next: Option<String> = None;
        for _ in 0..PAGES_MAX {
            let page = self.page(client, next.as_deref(), PAGE_LIMIT).await?;
            let found = items(&page, "/items");
            let left = limit.saturating_sub(entries.len());
            let shown = |(_, entry): &(usize, &Value)| self.scans || !is_empty_scan(entry);
            let shown: Vec<_> = found.iter().enumerate().filter(shown).take(left).collect();
            entries.extend(shown.iter().map(|(_, entry)| (*entry).clone()));
            let last = shown.last().filter(|_| entries.len() >= limit);
            let taken = last.and_then(|(at, _)| u16::try_from(at + 1).ok());
            let page = match taken.filter(|taken| usize::from(*taken) < found.len()) {
                // More was read than is shown: the cursor is to stand behind what is shown.
                Some(taken) => self.page(client, next.as_deref(), taken).await?,
                None => page,
            };
            next = page.pointer("/next").and_then(Value::as_str).map(ToOwned::to_owned);
            if next.is_none() || entries.len() >= limit {
                break;
            }
        }
        Ok(json!({"items": entries, "next": next}))
    }

    async fn page(
        &self,
        client: &Client,
        cursor: Option<&str>,
        limit: u16,
    ) -> Result<Value, CliError> {
        let (tags, limit) = (self.tag.join(","), limit.to_string());
        let path = query_string(&[
            ("author", self.author.as_deref()),
            ("type", self.kind.as_deref()),
            ("tag", Some(tags.as_str()).filter(|tags| !tags.is_empty())),
            ("since", self.since.as_deref()),
            ("limit", Some(&limit)),
            ("cursor", cursor),
        ]);
        client.fetch(Call::get(&format!("/evidence{path}"))).await
    }
}

/// Whether an entry is a scan of the watchdog that was due and found nothing.
fn is_empty_scan(entry: &Value) -> bool {
    let is_empty = |name: &str| entry.pointer(name).is_none_or(|found| items(found, "").is_empty());
    let names = ["/body/stalled", "/body/paged", "/body/escalated"];
    items(entry, "/tags").iter().any(|tag| tag == "scan")
        && text(entry, "/author") == WATCHDOG
        && names.into_iter().all(is_empty)
        && entry.pointer("/body/blind").is_none_or(Value::is_null)
        && entry.pointer("/body/asked") != Some(&Value::Bool(true))
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::is_empty_scan;

    fn scan(body: &Value) -> Value {
        json!({"author": "tickle-1", "tags": ["tickle", "scan"], "body": body})
    }

    #[test]
    fn a_scan_that_found_nothing_is_told_from_all_else() {
        let quiet = json!({"scanned": 2, "stalled": [], "paged": [], "escalated": []});
        assert!(is_empty_scan(&scan(&quiet)));
        for body in [
            json!({"scanned": 2, "stalled": ["felix"], "paged": [], "escalated": []}),
            json!({"scanned": 2, "stalled": [], "paged": [], "escalated": [], "blind": "network"}),
            json!({"scanned": 2, "stalled": [], "paged": [], "escalated": [], "asked": true}),
        ] {
            assert!(!is_empty_scan(&scan(&body)), "{body}");
        }
        let page = json!({"author": "tickle-1", "tags": ["tickle", "page"], "body": {}});
        assert!(!is_empty_scan(&page));
    }
}
