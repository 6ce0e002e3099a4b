//! The nodes and edges in force, in memory: what the queries walk over.
//!
//! It follows the tables and never leads them. An edge whose ends are not in force, or are of other types than its own
//! says, is never followed.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use abide_domain::graph::{EdgeKind, NodeId, NodeKind};

use crate::{EdgeState, NodeVersion};

/// The graph of one agent as it is now.
#[derive(Clone, Debug, Default)]
pub(crate) struct GraphView {
    nodes: BTreeMap<u64, Arc<NodeVersion>>,
    of_id: HashMap<NodeId, u64>,
    edges: BTreeMap<u64, EdgeState>,
}

impl GraphView {
    pub(crate) fn record(&mut self, version: NodeVersion) -> Arc<NodeVersion> {
        let version = Arc::new(version);
        self.of_id.insert(version.node_id.clone(), version.seq);
        self.nodes.insert(version.seq, version.clone());
        version
    }

    /// Takes a version out and gives it.
    pub(crate) fn close(&mut self, seq: u64) -> Option<Arc<NodeVersion>> {
        let version = self.nodes.remove(&seq)?;
        if self.of_id.get(&version.node_id) == Some(&seq) {
            self.of_id.remove(&version.node_id);
        }
        Some(version)
    }

    pub(crate) fn link(&mut self, edge: EdgeState) {
        self.edges.insert(edge.seq, edge);
    }

    pub(crate) fn unlink(&mut self, seq: u64) {
        self.edges.remove(&seq);
    }

    pub(crate) fn node(&self, seq: u64) -> Option<&Arc<NodeVersion>> {
        self.nodes.get(&seq)
    }

    /// All nodes of a type, newest first.
    pub(crate) fn of_kind(&self, kind: NodeKind) -> impl Iterator<Item = &Arc<NodeVersion>> {
        self.nodes.values().rev().filter(move |version| version.node.kind() == kind)
    }

    /// The nodes that an edge of a type leads to from this one, and those that it comes from.
    pub(crate) fn linked(&self, id: &NodeId, kind: EdgeKind) -> (Ends<'_>, Ends<'_>) {
        let (mut to, mut from) = (Vec::new(), Vec::new());
        for edge in self.edges.values().filter(|edge| edge.edge == kind) {
            let (Some(begin), Some(end)) = (self.by_id(&edge.from), self.by_id(&edge.to)) else {
                continue;
            };
            if (begin.node.kind(), end.node.kind()) != kind.ends() {
                continue;
            }
            if edge.from == *id {
                to.push(end);
            }
            if edge.to == *id {
                from.push(begin);
            }
        }
        (to, from)
    }

    fn by_id(&self, id: &NodeId) -> Option<&Arc<NodeVersion>> {
        self.nodes.get(self.of_id.get(id)?)
    }
}

type Ends<'a> = Vec<&'a Arc<NodeVersion>>;
