//! What may enter the graph: fields within their limits, edges between nodes of the right types that are there, nothing
//! that says what is known already.
//!
//! It must never look at storage by itself: what is in force comes in through [`GraphLookup`].

use std::collections::{BTreeMap, BTreeSet};

use abide_domain::{
    Timestamp,
    event::{EdgeRecorded, NodeRecorded},
    graph::{EdgeKind, NODE_LIST_MAX, NODE_TEXT_CHARS_MAX, Node, NodeId, NodeKind},
    limits::CLOCK_SKEW_MAX,
};
use serde_json::Value;

use super::{GRAPH_PROBLEMS_MAX, GraphChange, GraphLine, GraphLineError, GraphValueError};

/// Fields that are shares of one.
const SHARES: [&str; 3] = ["trust_level", "intensity", "success_rate"];

/// What is in force in the graph of one agent. `Err` means that one could not look, and why.
pub trait GraphLookup {
    /// The node of that id.
    fn node(&self, id: &NodeId) -> Result<Option<Node>, String>;

    /// Whether that edge is there.
    fn has_edge(&self, from: &NodeId, edge: EdgeKind, to: &NodeId) -> Result<bool, String>;
}

/// What of a seed is new: nodes first, so that every edge finds its ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SeedChanges {
    /// What is to be recorded.
    pub changes: Vec<GraphChange>,
    /// How many lines say what is in force already.
    pub unchanged: usize,
}

/// The field that must say something, by type.
const fn subject(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Citizen | NodeKind::Person => "name",
        NodeKind::Partnership => "partner_name",
        NodeKind::Conversation => "topic",
        NodeKind::Technical | NodeKind::Constraint => "description",
        NodeKind::Emotion => "emotion",
        NodeKind::Strategy | NodeKind::Failure => "approach",
        NodeKind::Code => "file_path",
    }
}

/// Says what is wrong with a node by itself.
pub fn check_node(node: &Node) -> Result<(), GraphValueError> {
    let fields = match serde_json::to_value(node) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) => return Err(GraphValueError::new("", "is not a node")),
        Err(error) => return Err(GraphValueError::new("", error.to_string())),
    };
    for (name, value) in &fields {
        check_field(name, value)?;
    }
    let subject = subject(node.kind());
    let is_blank = |value: &Value| value.as_str().is_none_or(|text| text.trim().is_empty());
    if fields.get(subject).is_none_or(is_blank) {
        let message = format!("is blank; a {} needs it", node.kind().as_str());
        return Err(GraphValueError::new(format!("/{subject}"), message));
    }
    Ok(())
}

fn check_field(name: &str, value: &Value) -> Result<(), GraphValueError> {
    match value {
        Value::String(text) => check_text(&format!("/{name}"), text),
        Value::Array(list) if list.len() > NODE_LIST_MAX => {
            let message = format!("has {} entries; at most {NODE_LIST_MAX}", list.len());
            Err(GraphValueError::new(format!("/{name}"), message))
        }
        Value::Array(list) => {
            let texts =
                list.iter().enumerate().filter_map(|(at, value)| Some((at, value.as_str()?)));
            texts.into_iter().try_for_each(|(at, text)| check_text(&format!("/{name}/{at}"), text))
        }
        other
            if SHARES.contains(&name)
                && !other.as_f64().is_some_and(|n| (0.0..=1.0).contains(&n)) =>
        {
            Err(GraphValueError::new(format!("/{name}"), "must be from 0 to 1"))
        }
        _ => Ok(()),
    }
}

fn check_text(path: &str, text: &str) -> Result<(), GraphValueError> {
    let chars = text.chars().count();
    if chars > NODE_TEXT_CHARS_MAX {
        let message = format!("has {chars} characters; at most {NODE_TEXT_CHARS_MAX}");
        return Err(GraphValueError::new(path, message));
    }
    Ok(())
}

/// Says what is wrong with an edge whose ends are of these types; none where there is no such node.
pub fn check_edge_ends(
    edge: &EdgeRecorded,
    from: Option<NodeKind>,
    to: Option<NodeKind>,
) -> Result<(), GraphValueError> {
    let (begins, ends) = edge.edge.ends();
    let sides = [("/from", &edge.from, from, begins), ("/to", &edge.to, to, ends)];
    for (path, id, found, wanted) in sides {
        match found {
            Some(found) if found == wanted => {}
            None => return Err(GraphValueError::new(path, format!("there is no node `{id}`"))),
            Some(found) => {
                let message = format!("`{id}` is a {}, not a {}", found.as_str(), wanted.as_str());
                return Err(GraphValueError::new(path, message));
            }
        }
    }
    if edge.dependency_type.as_ref().is_some_and(|kind| kind.chars().count() > NODE_TEXT_CHARS_MAX)
    {
        return Err(GraphValueError::new(
            "/dependency_type",
            format!("at most {NODE_TEXT_CHARS_MAX} characters"),
        ));
    }
    if edge.dependency_type.is_some() && edge.edge != EdgeKind::DependsOn {
        return Err(GraphValueError::new("/dependency_type", "is allowed on DEPENDS_ON only"));
    }
    Ok(())
}

/// Why a seed was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeedError {
    /// Lines break rules.
    Invalid(Vec<GraphLineError>),
    /// What is in force could not be looked up.
    Failed(String),
}

/// Checks all lines against the rules and what is in force at `now`, and says what is new.
pub fn check_graph(
    lines: Vec<GraphLine>,
    graph: &impl GraphLookup,
    now: Timestamp,
) -> Result<SeedChanges, SeedError> {
    let mut check = SeedCheck {
        graph,
        now,
        seeded: BTreeMap::new(),
        edges: BTreeSet::new(),
        news: SeedChanges::default(),
        problems: Vec::new(),
    };
    let (nodes, edges): (Vec<_>, Vec<_>) =
        lines.into_iter().partition(|line| matches!(line.change, GraphChange::Node(_)));
    for GraphLine { line, change } in nodes.into_iter().chain(edges) {
        let checked = match change {
            GraphChange::Node(node) => check.node(node),
            GraphChange::Edge(edge) => check.edge(edge),
        };
        match checked {
            Ok(()) => {}
            Err(CheckError::Failed(message)) => return Err(SeedError::Failed(message)),
            Err(CheckError::Fault(GraphValueError { path, message })) => {
                check.problems.push(GraphLineError { line, path, message });
                if check.problems.len() == GRAPH_PROBLEMS_MAX {
                    break;
                }
            }
        }
    }
    let SeedCheck { news, mut problems, .. } = check;
    problems.sort_by_key(|problem| problem.line);
    if problems.is_empty() { Ok(news) } else { Err(SeedError::Invalid(problems)) }
}

struct SeedCheck<'a, G> {
    graph: &'a G,
    now: Timestamp,
    /// The types of the nodes that the seed itself has.
    seeded: BTreeMap<NodeId, NodeKind>,
    edges: BTreeSet<(NodeId, EdgeKind, NodeId)>,
    news: SeedChanges,
    problems: Vec<GraphLineError>,
}

enum CheckError {
    Fault(GraphValueError),
    Failed(String),
}

impl From<GraphValueError> for CheckError {
    fn from(fault: GraphValueError) -> Self {
        Self::Fault(fault)
    }
}

impl From<String> for CheckError {
    fn from(message: String) -> Self {
        Self::Failed(message)
    }
}

impl<G: GraphLookup> SeedCheck<'_, G> {
    fn node(&mut self, recorded: NodeRecorded) -> Result<(), CheckError> {
        let kind = recorded.node.kind();
        if self.seeded.insert(recorded.node_id.clone(), kind).is_some() {
            return Err(GraphValueError::new(
                "/node_id",
                format!("`{}` appears twice in this seed", recorded.node_id),
            )
            .into());
        }
        check_node(&recorded.node)?;
        self.check_since(recorded.valid_from)?;
        match self.graph.node(&recorded.node_id)? {
            Some(known) if known == recorded.node => {
                self.news.unchanged += 1;
                return Ok(());
            }
            Some(known) if known.kind() != kind => {
                let message = format!(
                    "`{}` is already a {}; close it first, or use another id",
                    recorded.node_id,
                    known.kind().as_str()
                );
                return Err(GraphValueError::new("/type", message).into());
            }
            Some(_) | None => {}
        }
        self.news.changes.push(GraphChange::Node(recorded));
        Ok(())
    }

    fn edge(&mut self, edge: EdgeRecorded) -> Result<(), CheckError> {
        let key = (edge.from.clone(), edge.edge, edge.to.clone());
        if !self.edges.insert(key) {
            return Err(GraphValueError::new("", "this edge appears twice in this seed").into());
        }
        let (from, to) = (self.kind_of(&edge.from)?, self.kind_of(&edge.to)?);
        check_edge_ends(&edge, from, to)?;
        self.check_since(edge.valid_from)?;
        if self.graph.has_edge(&edge.from, edge.edge, &edge.to)? {
            self.news.unchanged += 1;
        } else {
            self.news.changes.push(GraphChange::Edge(edge));
        }
        Ok(())
    }

    fn kind_of(&self, id: &NodeId) -> Result<Option<NodeKind>, String> {
        match self.seeded.get(id) {
            Some(kind) => Ok(Some(*kind)),
            None => Ok(self.graph.node(id)?.map(|node| node.kind())),
        }
    }

    fn check_since(&self, since: Option<Timestamp>) -> Result<(), GraphValueError> {
        if since.is_some_and(|since| since > self.now && since.since(self.now) > CLOCK_SKEW_MAX) {
            return Err(GraphValueError::new("/valid_from", "must not be in the future"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use abide_domain::{
        Timestamp,
        graph::{EdgeKind, Node, NodeId},
    };

    use super::{GraphChange, GraphLookup, SeedError, check_graph};
    use crate::seed::{GraphLine, read_graph};

    #[derive(Default)]
    struct Known(BTreeMap<NodeId, Node>, Vec<(NodeId, EdgeKind, NodeId)>);

    impl Known {
        fn of(lines: &[GraphLine]) -> Self {
            let mut known = Self::default();
            for GraphLine { change, .. } in lines {
                match change.clone() {
                    GraphChange::Node(node) => drop(known.0.insert(node.node_id, node.node)),
                    GraphChange::Edge(edge) => known.1.push((edge.from, edge.edge, edge.to)),
                }
            }
            known
        }
    }

    impl GraphLookup for Known {
        fn node(&self, id: &NodeId) -> Result<Option<Node>, String> {
            Ok(self.0.get(id).cloned())
        }

        fn has_edge(&self, from: &NodeId, edge: EdgeKind, to: &NodeId) -> Result<bool, String> {
            Ok(self.1.contains(&(from.clone(), edge, to.clone())))
        }
    }

    struct Broken;

    impl GraphLookup for Broken {
        fn node(&self, _: &NodeId) -> Result<Option<Node>, String> {
            Err("the disk is gone".into())
        }

        fn has_edge(&self, _: &NodeId, _: EdgeKind, _: &NodeId) -> Result<bool, String> {
            Err("the disk is gone".into())
        }
    }

    fn now() -> Timestamp {
        "2026-11-28T09:30:00Z".parse().unwrap()
    }

    const SEED: &str = r#"{"from":"felix","edge":"HAS_PARTNERSHIP","to":"p"}
{"node_id":"felix","type":"Citizen","name":"Felix"}
{"node_id":"p","type":"Partnership","partner_name":"nicolas","trust_level":0.9}"#;

    #[test]
    fn nodes_come_before_edges_and_a_second_seed_of_the_same_is_nothing_new() {
        let lines = read_graph(SEED).unwrap();
        let known = Known::of(&lines);
        let news = check_graph(lines.clone(), &Known::default(), now()).unwrap();
        assert!(matches!(news.changes[2], GraphChange::Edge(_)), "{news:?}");
        assert_eq!((news.changes.len(), news.unchanged), (3, 0));
        let again = check_graph(lines, &known, now()).unwrap();
        assert_eq!((again.changes.len(), again.unchanged), (0, 3));
        let changed =
            r#"{"node_id":"p","type":"Partnership","partner_name":"nicolas","trust_level":1}"#;
        let news = check_graph(read_graph(changed).unwrap(), &known, now()).unwrap();
        assert_eq!(news.changes.len(), 1);
    }

    #[test]
    fn rules_are_reported_by_line_and_path_and_nothing_is_taken() {
        let known = Known::of(&read_graph(SEED).unwrap());
        let long = "x".repeat(4_001);
        let many = vec!["\"s\""; 65].join(",");
        let cases = [
            (r#"{"node_id":"x","type":"Person","name":" "}"#.to_owned(), "/name", "is blank"),
            (r#"{"node_id":"x","type":"Person"}"#.to_owned(), "/name", "is blank"),
            (format!(r#"{{"node_id":"x","type":"Person","name":"{long}"}}"#), "/name", "4001 char"),
            (
                format!(
                    r#"{{"node_id":"x","type":"Strategy_Pattern","approach":"a","steps":[{many}]}}"#
                ),
                "/steps",
                "65 entries",
            ),
            (
                format!(
                    r#"{{"node_id":"x","type":"Strategy_Pattern","approach":"a","steps":["b","{long}"]}}"#
                ),
                "/steps/1",
                "4001",
            ),
            (
                r#"{"node_id":"x","type":"Emotional_State","emotion":"joy","intensity":1.1}"#
                    .to_owned(),
                "/intensity",
                "0 to 1",
            ),
            (
                r#"{"node_id":"p","type":"Person","name":"P"}"#.to_owned(),
                "/type",
                "already a Partnership",
            ),
            (
                r#"{"node_id":"x","type":"Person","name":"P","valid_from":"2027-01-01T00:00:00Z"}"#
                    .to_owned(),
                "/valid_from",
                "future",
            ),
            (
                r#"{"from":"felix","edge":"HAS_PARTNERSHIP","to":"q"}"#.to_owned(),
                "/to",
                "no node `q`",
            ),
            (
                r#"{"from":"p","edge":"HAS_PARTNERSHIP","to":"p"}"#.to_owned(),
                "/from",
                "is a Partnership, not a Citizen",
            ),
            (
                r#"{"from":"felix","edge":"HAS_PARTNERSHIP","to":"p","dependency_type":"x"}"#
                    .to_owned(),
                "/dependency_type",
                "DEPENDS_ON",
            ),
        ];
        for (line, path, message) in cases {
            let text =
                format!("{{\"node_id\":\"fits\",\"type\":\"Person\",\"name\":\"F\"}}\n{line}");
            let refused = check_graph(read_graph(&text).unwrap(), &known, now());
            let Err(SeedError::Invalid(problems)) = refused else { panic!("{line}: {refused:?}") };
            assert_eq!(
                (problems.len(), problems[0].line, problems[0].path.as_str()),
                (1, 2, path),
                "{problems:?}"
            );
            assert!(problems[0].message.contains(message), "{problems:?}");
        }
    }

    #[test]
    fn what_stands_twice_in_a_seed_is_refused_line_by_line() {
        let known = Known::of(&read_graph(SEED).unwrap());
        let twice = format!("{SEED}\n{SEED}");
        let refused = check_graph(read_graph(&twice).unwrap(), &known, now());
        let Err(SeedError::Invalid(problems)) = refused else { panic!("{refused:?}") };
        assert_eq!(problems.iter().map(|p| p.line).collect::<Vec<_>>(), [4, 5, 6]);
    }

    #[test]
    fn could_not_look_is_no_verdict() {
        let lines = read_graph(SEED).unwrap();
        let failed = check_graph(lines, &Broken, now());
        assert_eq!(failed, Err(SeedError::Failed("the disk is gone".into())));
    }
}
