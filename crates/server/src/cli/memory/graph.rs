//! `abide memory graph`: nodes and edges of an agent's graph; import and export as JSON Lines.

use std::io::Write as _;

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use super::client::{MemoryClient, object};
use crate::cli::{
    error::CliError,
    json_text::{display, display_count, items, query_string, text, url_encode},
    table::{Table, clip, table},
    text_file::read_text,
};

/// Longest seed in bytes: as JSON in a request it must stay below the keeper's limit of a body.
const SEED_BYTES_MAX: u64 = 768 * 1024;

/// Lists, shows, edits, seeds and exports the memory graph
#[derive(Debug, Args)]
pub(crate) struct Graph {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Lists nodes or edges, the newest first
    Ls(Ls),
    /// Shows a node with its versions and edges
    Show {
        /// The node's id
        node: String,
    },
    /// Records a node, or a new version of it
    Put {
        /// The node: {"node_id": …, "type": …, …fields}; `-` for stdin
        #[arg(value_name = "JSON")]
        node: String,
    },
    /// Records an edge
    Link {
        /// The node that the edge starts at
        from: String,
        /// The edge's type, such as DEPENDS_ON
        edge: String,
        /// The node that the edge leads to
        to: String,
        /// The type of dependency, for DEPENDS_ON
        #[arg(long)]
        dependency_type: Option<String>,
    },
    /// Closes a node; its versions stay in the ledger
    Close {
        /// The node's id
        node: String,
        /// The reason
        #[arg(long)]
        reason: Option<String>,
    },
    /// Closes an edge; its event stays in the ledger
    Unlink {
        /// The node that the edge starts at
        from: String,
        /// The edge's type
        edge: String,
        /// The node that the edge leads to
        to: String,
        /// The reason
        #[arg(long)]
        reason: Option<String>,
    },
    /// Records all nodes and edges of a file, or none of them
    Seed {
        /// The file, JSON Lines as `export` writes them; `-` for stdin
        file: String,
    },
    /// Writes all nodes and edges in force as JSON Lines
    Export {
        /// A new file [default: stdout]
        file: Option<std::path::PathBuf>,
    },
}

#[derive(Debug, Args)]
struct Ls {
    /// Only nodes or edges of this type
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// Lists edges instead of nodes
    #[arg(long)]
    edges: bool,
    /// Includes closed ones
    #[arg(long)]
    closed: bool,
    /// At most this many
    #[arg(long, default_value_t = 50)]
    limit: u16,
    /// Where to go on: the cursor that the page before printed
    #[arg(long)]
    cursor: Option<String>,
}

impl Graph {
    pub(super) async fn run(self, memory: &MemoryClient<'_>) -> Result<(), CliError> {
        let whole = Ls { kind: None, edges: false, closed: false, limit: 50, cursor: None };
        match self.action.unwrap_or(Action::Ls(whole)) {
            Action::Ls(ls) => list(memory, &ls).await,
            Action::Show { node } => show(memory, &node).await,
            Action::Put { node } => put(memory, &node).await,
            Action::Link { from, edge, to, dependency_type } => {
                let body = object([
                    ("from", Some(json!(from))),
                    ("edge", Some(json!(edge))),
                    ("to", Some(json!(to))),
                    ("dependency_type", dependency_type.map(Value::from)),
                ]);
                print_recorded(memory, &memory.post("/memory/graph/edges", body).await?)
            }
            Action::Close { node, reason } => {
                let query =
                    query_string(&[("citizen", memory.agent), ("reason", reason.as_deref())]);
                memory.delete(&format!("/memory/graph/nodes/{}{query}", url_encode(&node))).await?;
                memory.context.terminal.say(&format!("closed {node}"));
                Ok(())
            }
            Action::Unlink { from, edge, to, reason } => {
                let query = query_string(&[
                    ("citizen", memory.agent),
                    ("from", Some(&from)),
                    ("edge", Some(&edge)),
                    ("to", Some(&to)),
                    ("reason", reason.as_deref()),
                ]);
                memory.delete(&format!("/memory/graph/edges{query}")).await?;
                memory.context.terminal.say(&format!("closed {from} {edge} {to}"));
                Ok(())
            }
            Action::Seed { file } => {
                let lines = read_text(&file, SEED_BYTES_MAX)?;
                let body = object([("lines", Some(json!(lines)))]);
                print_recorded(memory, &memory.post("/memory/graph/seed", body).await?)
            }
            Action::Export { file } => export(memory, file.as_deref()).await,
        }
    }
}

async fn list(memory: &MemoryClient<'_>, ls: &Ls) -> Result<(), CliError> {
    let limit = ls.limit.to_string();
    let (path, kind) = if ls.edges { ("edges", "edge") } else { ("nodes", "type") };
    let query = query_string(&[
        ("citizen", memory.agent),
        (kind, ls.kind.as_deref()),
        ("closed", ls.closed.then_some("1")),
        ("limit", Some(&limit)),
        ("cursor", ls.cursor.as_deref()),
    ]);
    let answer = memory.get(&format!("/memory/graph/{path}{query}")).await?;
    if memory.print_json(&answer)? {
        return Ok(());
    }
    let found = items(&answer, "/items");
    let printed = if ls.edges { edge_table(found) } else { node_table(found) };
    memory.context.terminal.table(&printed)?;
    if found.is_empty() {
        memory.context.terminal.say(&format!("there are no {path}"));
    }
    memory.print_cursor(&answer);
    Ok(())
}

fn node_table(nodes: &[Value]) -> Table {
    let row = |node: &Value| {
        vec![
            display(node, "/node_id"),
            display(node, "/type"),
            display(node, "/valid_from"),
            display(node, "/valid_to"),
            display(node, "/author"),
            clip(&node_summary(node), 80),
        ]
    };
    let rows: Vec<_> = nodes.iter().map(row).collect();
    table(&["NODE", "TYPE", "SINCE", "UNTIL", "BY", "WHAT"], &rows)
}

/// A node in a few words: its first texts.
fn node_summary(node: &Value) -> String {
    const STAMPS: [&str; 6] =
        ["node_id", "type", "valid_from", "valid_to", "recorded_at", "author"];
    let fields = node.as_object().into_iter().flatten();
    let texts = fields.filter(|(name, _)| !STAMPS.contains(&name.as_str()));
    let texts = texts.filter_map(|(_, value)| value.as_str()).filter(|text| !text.is_empty());
    texts.take(3).collect::<Vec<_>>().join("; ")
}

fn edge_table(edges: &[Value]) -> Table {
    let row = |edge: &Value| {
        vec![
            display(edge, "/from"),
            display(edge, "/edge"),
            display(edge, "/to"),
            display(edge, "/valid_from"),
            display(edge, "/valid_to"),
        ]
    };
    let rows: Vec<_> = edges.iter().map(row).collect();
    table(&["FROM", "EDGE", "TO", "SINCE", "UNTIL"], &rows)
}

async fn show(memory: &MemoryClient<'_>, node: &str) -> Result<(), CliError> {
    let query = query_string(&[("citizen", memory.agent)]);
    let answer = memory.get(&format!("/memory/graph/nodes/{}{query}", url_encode(node))).await?;
    memory.context.terminal.json(&answer)
}

async fn put(memory: &MemoryClient<'_>, node: &str) -> Result<(), CliError> {
    let node = if node == "-" { read_text("-", SEED_BYTES_MAX)? } else { node.to_owned() };
    let body: Map<String, Value> = serde_json::from_str(&node)
        .map_err(|error| CliError::usage(format!("the node is not a JSON object: {error}")))?;
    print_recorded(memory, &memory.post("/memory/graph/nodes", body).await?)
}

fn print_recorded(memory: &MemoryClient<'_>, answer: &Value) -> Result<(), CliError> {
    if !memory.print_json(answer)? {
        memory.context.terminal.say(&format!(
            "recorded {} and {}; {} already recorded",
            display_count(answer, "/nodes", "node"),
            display_count(answer, "/edges", "edge"),
            display(answer, "/unchanged")
        ));
    }
    Ok(())
}

async fn export(memory: &MemoryClient<'_>, file: Option<&std::path::Path>) -> Result<(), CliError> {
    let query = query_string(&[("citizen", memory.agent)]);
    let answer = memory.get(&format!("/memory/graph/export{query}")).await?;
    if file.is_none() && memory.print_json(&answer)? {
        return Ok(());
    }
    let lines = text(&answer, "/lines");
    match file {
        None => memory.context.terminal.data_part(lines)?,
        Some(path) => {
            let failed = |error: &std::io::Error| {
                CliError::new(format!("{} cannot be created", path.display())).caused_by(error)
            };
            let mut file = std::fs::File::create_new(path).map_err(|error| failed(&error))?;
            file.write_all(lines.as_bytes()).map_err(|error| failed(&error))?;
        }
    }
    memory.context.terminal.say(&format!(
        "exported {} and {}",
        display_count(&answer, "/nodes", "node"),
        display_count(&answer, "/edges", "edge")
    ));
    Ok(())
}
