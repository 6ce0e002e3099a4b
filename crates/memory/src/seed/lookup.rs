//! The store of one agent as the rules of a seed ask it: what is in force, staged things not counted.

use abide_domain::graph::{EdgeKind, Node, NodeId};

use super::GraphLookup;
use crate::KnowledgeHandle;

impl GraphLookup for KnowledgeHandle {
    fn node(&self, id: &NodeId) -> Result<Option<Node>, String> {
        let found = Self::node(self, id).map_err(|error| error.to_string())?;
        Ok(found.map(|state| Node::clone(&state.version.node)))
    }

    fn has_edge(&self, from: &NodeId, edge: EdgeKind, to: &NodeId) -> Result<bool, String> {
        self.is_edge_known(from, edge, to, None).map_err(|error| error.to_string())
    }
}
