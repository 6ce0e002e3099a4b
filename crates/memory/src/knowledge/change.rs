//! Changes of the tables, as the indexes in memory follow them.

use abide_domain::{EpochId, Timestamp};

use super::{
    items::{EdgeState, ExchangeStamps, NodeVersion},
    provenance::FactTelling,
    vectors::VectorKey,
};
use crate::search::VectorKind;

/// A change of the tables that the indexes follow.
#[derive(Clone, Debug)]
pub(super) enum IndexChange {
    Node(NodeVersion),
    NodeClosed(u64),
    Edge(EdgeState),
    EdgeClosed(u64),
    Fact {
        seq: u64,
        at: Timestamp,
        content: String,
        tags: String,
        telling: FactTelling,
    },
    /// A fact in force was told again, in these epochs.
    FactToldAgain {
        seq: u64,
        sources: Vec<EpochId>,
    },
    FactClosed(u64),
    Exchange {
        stamps: ExchangeStamps,
        texts: Vec<String>,
    },
    /// The exchange that was committed at a sequence was taken back.
    ExchangeForgotten {
        seq: u64,
        parts: u32,
    },
    /// All vectors are let go: the next are of this model.
    Model {
        model: String,
        kind: VectorKind,
    },
    Vector {
        key: VectorKey,
        vector: Vec<f32>,
    },
}
