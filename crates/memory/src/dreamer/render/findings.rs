//! The findings of an exploration, looked up: what each reference names, lens by lens; and what could not be read.

use std::collections::BTreeMap;

use abide_domain::{
    event::{Exploration, Lens, MemoryRef},
    graph::Node,
};

use super::super::ReferenceLookup;
use crate::{NodeVersion, ReferencedItem};

/// How a lens ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LensOutcome {
    /// It found something.
    Found,
    /// It looked, and nothing is there.
    Empty,
    /// It could not look.
    Failed,
    /// It did not look.
    Skipped,
}

/// How a lens of an exploration ended.
pub(super) fn lens_outcome(exploration: &Exploration, lens: Lens) -> LensOutcome {
    if exploration.found.contains_key(&lens) {
        LensOutcome::Found
    } else if exploration.failed.contains(&lens) {
        LensOutcome::Failed
    } else if exploration.skipped.contains(&lens) {
        LensOutcome::Skipped
    } else {
        LensOutcome::Empty
    }
}

/// What the references name.
#[derive(Debug, Default)]
pub(super) struct ResolvedFindings {
    found: BTreeMap<Lens, Vec<(MemoryRef, ReferencedItem)>>,
    /// References that could not be read just now.
    lost: BTreeMap<Lens, Vec<MemoryRef>>,
}

impl ResolvedFindings {
    pub(super) fn of(exploration: &Exploration, lookup: &dyn ReferenceLookup) -> Self {
        let mut findings = Self::default();
        for (lens, references) in &exploration.found {
            for reference in references {
                match lookup.resolve(*reference) {
                    Ok(Some(remembered)) => {
                        findings.found.entry(*lens).or_default().push((*reference, remembered));
                    }
                    Ok(None) | Err(_) => findings.lost.entry(*lens).or_default().push(*reference),
                }
            }
        }
        findings
    }

    /// What a lens found, best first.
    pub(super) fn of_lens(&self, lens: Lens) -> &[(MemoryRef, ReferencedItem)] {
        self.found.get(&lens).map_or(&[], Vec::as_slice)
    }

    /// The nodes that a lens found, best first.
    pub(super) fn nodes(&self, lens: Lens) -> impl Iterator<Item = (MemoryRef, &NodeVersion)> {
        self.of_lens(lens).iter().filter_map(|(reference, remembered)| match remembered {
            ReferencedItem::Node(version) => Some((*reference, version)),
            ReferencedItem::Fact(_) | ReferencedItem::Passage(_) => None,
        })
    }

    /// Whether a lens found a node that is like this.
    pub(super) fn has(&self, lens: Lens, is_like: impl Fn(&Node) -> bool) -> bool {
        self.nodes(lens).any(|(_, version)| is_like(&version.node))
    }

    /// What of a lens could not be read just now.
    pub(super) fn lost(&self, lens: Lens) -> &[MemoryRef] {
        self.lost.get(&lens).map_or(&[], Vec::as_slice)
    }
}
