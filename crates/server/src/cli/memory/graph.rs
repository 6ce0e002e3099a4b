//! `abide memory graph`: nodes and edges of an agent's graph, seeds and export as JSON Lines.

use std::io::Write as _;

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use super::{Scene, object, text_of};
use crate::cli::{
    failure::Failure,
    table::{clip, table},
    words::{encoded, items, query, shown, text},
};

/// Longest seed: as JSON in a request it must stay below the keeper's limit of a body.
const SEED_BYTES_MAX: u64 = 768 * 1024;

/// Lists, shows, edits, seeds and exports the memory graph
#[derive(Debug, Args)]
pub(crate) struct Graph {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Lists nodes, or edges, the newest first
    Ls(Ls),
    /// Shows a node with its versions and edges
    Show {
        /// Its id
        node: String,
    },
    /// Records a node, or a new version of it
    Put {
        /// {"node_id": …, "type": …, …fields}; `-` for stdin
        #[arg(value_name = "JSON")]
        node: String,
    },
    /// Records an edge
    Link {
        /// The node that it begins at
        from: String,
        /// Such as DEPENDS_ON
        edge: String,
        /// The node that it leads to
        to: String,
        /// Of DEPENDS_ON: in which way
        #[arg(long)]
        dependency_type: Option<String>,
    },
    /// Closes a node; its versions stay in the ledger
    Close {
        /// Its id
        node: String,
        /// Why
        #[arg(long)]
        reason: Option<String>,
    },
    /// Closes an edge; its line stays in the ledger
    Unlink {
        /// The node that it begins at
        from: String,
        /// Its type
        edge: String,
        /// The node that it leads to
        to: String,
        /// Why
        #[arg(long)]
        reason: Option<String>,
    },
    /// Records all nodes and edges of a file, or none
    Seed {
        /// JSON Lines, as `export` writes them; `-` for stdin
        file: String,
    },
    /// Writes all that is in force as JSON Lines
    Export {
        /// A new file [default: stdout]
        file: Option<std::path::PathBuf>,
    },
}

#[derive(Debug, Args)]
struct Ls {
    /// Only nodes of this type, or edges of this type
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// Edges in place of nodes
    #[arg(long)]
    edges: bool,
    /// Closed ones too
    #[arg(long)]
    closed: bool,
    /// At most so many
    #[arg(long, default_value_t = 50)]
    limit: u16,
    /// The `next` of the page before
    #[arg(long)]
    cursor: Option<String>,
}

impl Graph {
    pub(super) async fn run(self, scene: &Scene<'_>) -> Result<(), Failure> {
        let whole = Ls { kind: None, edges: false, closed: false, limit: 50, cursor: None };
        match self.action.unwrap_or(Action::Ls(whole)) {
            Action::Ls(ls) => list(scene, &ls).await,
            Action::Show { node } => show(scene, &node).await,
            Action::Put { node } => put(scene, &node).await,
            Action::Link { from, edge, to, dependency_type } => {
                let body = object([
                    ("from", Some(json!(from))),
                    ("edge", Some(json!(edge))),
                    ("to", Some(json!(to))),
                    ("dependency_type", dependency_type.map(Value::from)),
                ]);
                told(scene, &scene.post("/memory/graph/edges", body).await?)
            }
            Action::Close { node, reason } => {
                let query = query(&[("citizen", scene.agent), ("reason", reason.as_deref())]);
                scene.delete(&format!("/memory/graph/nodes/{}{query}", encoded(&node))).await?;
                scene.context.terminal.say(&format!("closed {node}"));
                Ok(())
            }
            Action::Unlink { from, edge, to, reason } => {
                let query = query(&[
                    ("citizen", scene.agent),
                    ("from", Some(&from)),
                    ("edge", Some(&edge)),
                    ("to", Some(&to)),
                    ("reason", reason.as_deref()),
                ]);
                scene.delete(&format!("/memory/graph/edges{query}")).await?;
                scene.context.terminal.say(&format!("closed {from} {edge} {to}"));
                Ok(())
            }
            Action::Seed { file } => {
                let lines = text_of(&file, SEED_BYTES_MAX)?;
                let body = object([("lines", Some(json!(lines)))]);
                told(scene, &scene.post("/memory/graph/seed", body).await?)
            }
            Action::Export { file } => export(scene, file.as_deref()).await,
        }
    }
}

async fn list(scene: &Scene<'_>, ls: &Ls) -> Result<(), Failure> {
    let limit = ls.limit.to_string();
    let (path, kind) = if ls.edges { ("edges", "edge") } else { ("nodes", "type") };
    let query = query(&[
        ("citizen", scene.agent),
        (kind, ls.kind.as_deref()),
        ("closed", ls.closed.then_some("1")),
        ("limit", Some(&limit)),
        ("cursor", ls.cursor.as_deref()),
    ]);
    let answer = scene.get(&format!("/memory/graph/{path}{query}")).await?;
    if scene.is_printed(&answer)? {
        return Ok(());
    }
    let found = items(&answer, "/items");
    let printed = if ls.edges { edge_table(found) } else { node_table(found) };
    scene.context.terminal.data_part(&printed)?;
    if found.is_empty() {
        scene.context.terminal.say(&format!("no {path}"));
    }
    scene.more(&answer);
    Ok(())
}

fn node_table(nodes: &[Value]) -> String {
    let row = |node: &Value| {
        vec![
            shown(node, "/node_id"),
            shown(node, "/type"),
            shown(node, "/valid_from"),
            shown(node, "/valid_to"),
            shown(node, "/author"),
            clip(&said_by(node), 80),
        ]
    };
    let rows: Vec<_> = nodes.iter().map(row).collect();
    table(&["NODE", "TYPE", "SINCE", "UNTIL", "BY", "WHAT"], &rows)
}

/// What a node says, in a few words: its first texts.
fn said_by(node: &Value) -> String {
    const STAMPS: [&str; 6] =
        ["node_id", "type", "valid_from", "valid_to", "recorded_at", "author"];
    let fields = node.as_object().into_iter().flatten();
    let texts = fields.filter(|(name, _)| !STAMPS.contains(&name.as_str()));
    let texts = texts.filter_map(|(_, value)| value.as_str()).filter(|text| !text.is_empty());
    texts.take(3).collect::<Vec<_>>().join("; ")
}

fn edge_table(edges: &[Value]) -> String {
    let row = |edge: &Value| {
        vec![
            shown(edge, "/from"),
            shown(edge, "/edge"),
            shown(edge, "/to"),
            shown(edge, "/valid_from"),
            shown(edge, "/valid_to"),
        ]
    };
    let rows: Vec<_> = edges.iter().map(row).collect();
    table(&["FROM", "EDGE", "TO", "SINCE", "UNTIL"], &rows)
}

async fn show(scene: &Scene<'_>, node: &str) -> Result<(), Failure> {
    let query = query(&[("citizen", scene.agent)]);
    let answer = scene.get(&format!("/memory/graph/nodes/{}{query}", encoded(node))).await?;
    scene.context.terminal.json(&answer)
}

async fn put(scene: &Scene<'_>, node: &str) -> Result<(), Failure> {
    let node = if node == "-" { text_of("-", SEED_BYTES_MAX)? } else { node.to_owned() };
    let body: Map<String, Value> = serde_json::from_str(&node)
        .map_err(|error| Failure::usage(format!("the node is no JSON object: {error}")))?;
    told(scene, &scene.post("/memory/graph/nodes", body).await?)
}

fn told(scene: &Scene<'_>, answer: &Value) -> Result<(), Failure> {
    if !scene.is_printed(answer)? {
        scene.context.terminal.say(&format!(
            "{} nodes and {} edges recorded, {} were so already",
            shown(answer, "/nodes"),
            shown(answer, "/edges"),
            shown(answer, "/unchanged")
        ));
    }
    Ok(())
}

async fn export(scene: &Scene<'_>, file: Option<&std::path::Path>) -> Result<(), Failure> {
    let query = query(&[("citizen", scene.agent)]);
    let answer = scene.get(&format!("/memory/graph/export{query}")).await?;
    if file.is_none() && scene.is_printed(&answer)? {
        return Ok(());
    }
    let lines = text(&answer, "/lines");
    match file {
        None => scene.context.terminal.data_part(lines)?,
        Some(path) => {
            let failed = |error: &std::io::Error| {
                Failure::new(format!("{} cannot be made", path.display())).because(error)
            };
            let mut file = std::fs::File::create_new(path).map_err(|error| failed(&error))?;
            file.write_all(lines.as_bytes()).map_err(|error| failed(&error))?;
        }
    }
    scene.context.terminal.say(&format!(
        "{} nodes and {} edges",
        shown(&answer, "/nodes"),
        shown(&answer, "/edges")
    ));
    Ok(())
}
