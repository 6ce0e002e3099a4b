//! The queries that recorded nodes answer alone: strategies, files, failures, constraints; and how nodes are matched.

use std::{cmp::Ordering, collections::BTreeSet, sync::Arc};

use abide_domain::graph::{
    Constraint, ConstraintStatus, EdgeKind, Node, NodeKind, Severity, StrategyPattern,
};

pub(super) use super::names::is_same;
use super::{QueryAnswer, QueryExecution, item_of_node};
use crate::{
    ItemBody, NodeVersion, QueryItem,
    graph::{SearchCoverage, holds_words, is_file},
};

/// Of what fits nearly as well as the best, the query's own order decides; this share of its strength is nearly.
const NEARLY: f64 = 0.75;

/// A node that fits.
#[derive(Clone, Debug)]
pub(super) struct NodeMatch {
    pub(super) version: Arc<NodeVersion>,
    pub(super) strength: f64,
}

impl QueryExecution<'_> {
    /// Nodes of a type that a text is about: named literally first, then by score. `keep` is the query's filter.
    pub(super) fn matches(
        &self,
        kind: NodeKind,
        text: &str,
        keep: impl Fn(&Node) -> bool,
    ) -> (Vec<NodeMatch>, SearchCoverage) {
        let kept = |version: &&Arc<NodeVersion>| keep(&version.node);
        let named = self.nodes_of(kind).filter(kept);
        let mut found: Vec<_> = named
            .filter(|version| holds_words(&version.node, text))
            .map(|version| NodeMatch { version: version.clone(), strength: 1.0 })
            .collect();
        let seen: BTreeSet<u64> = found.iter().map(|found| found.version.seq).collect();
        let (hits, coverage) = self.indexes.search_nodes(kind, self.request(text), &|seq| {
            self.indexes.graph.node(seq).is_some_and(|version| self.may_tell(version))
        });
        for hit in hits.into_iter().filter(|hit| !seen.contains(&hit.id)) {
            let version = self.indexes.graph.node(hit.id).filter(kept);
            found.extend(version.map(|version| NodeMatch {
                version: version.clone(),
                strength: hit.strength.into(),
            }));
        }
        (found, coverage)
    }

    pub(super) fn strategies(&self, situation: &str, min_rate: f64, limit: usize) -> QueryAnswer {
        let (found, coverage) = self.matches(
            NodeKind::Strategy,
            situation,
            |node| matches!(node, Node::Strategy(strategy) if strategy.success_rate >= min_rate),
        );
        let rate = |node: &Node| match node {
            Node::Strategy(StrategyPattern { success_rate, .. }) => *success_rate,
            _ => 0.0,
        };
        QueryAnswer::of(
            pick_best(found, limit, |a, b| rate(&b.version.node).total_cmp(&rate(&a.version.node))),
            coverage,
        )
    }

    pub(super) fn failures(&self, context: &str, limit: usize) -> QueryAnswer {
        let (found, coverage) = self.matches(NodeKind::Failure, context, |_| true);
        let when = |version: &NodeVersion| match &*version.node {
            Node::Failure(failure) => failure.timestamp.unwrap_or(version.valid_from),
            _ => version.valid_from,
        };
        QueryAnswer::of(
            pick_best(found, limit, |a, b| when(&b.version).cmp(&when(&a.version))),
            coverage,
        )
    }

    pub(super) fn constraints(
        &self,
        kind: Option<&str>,
        min_severity: Severity,
        limit: usize,
    ) -> QueryAnswer {
        let nodes = self.nodes_of(NodeKind::Constraint);
        let mut binding: Vec<(&Constraint, &Arc<NodeVersion>)> = nodes
            .filter_map(|version| match &*version.node {
                Node::Constraint(constraint) => Some((constraint, version)),
                _ => None,
            })
            .filter(|(constraint, _)| {
                constraint.status == ConstraintStatus::Active
                    && constraint.severity >= min_severity
                    && kind.is_none_or(|kind| is_same(kind, &constraint.constraint_type))
            })
            .collect();
        binding.sort_by(|(a, _), (b, _)| {
            b.severity.cmp(&a.severity).then_with(|| due(a).cmp(&due(b)))
        });
        let items = binding.iter().take(limit).map(|(_, version)| item_of_node(version, 1.0));
        QueryAnswer::of(items.collect(), SearchCoverage::Exact)
    }

    pub(super) fn code(
        &self,
        filename: &str,
        with_dependencies: bool,
        limit: usize,
    ) -> QueryAnswer {
        let files = self.nodes_of(NodeKind::Code);
        let mut found: Vec<NodeMatch> = files
            .filter(|version| is_code(&version.node, |path| is_file(path, filename)))
            .map(|version| NodeMatch { version: version.clone(), strength: 1.0 })
            .collect();
        let mut coverage = SearchCoverage::Exact;
        if found.is_empty() {
            (found, coverage) = self.matches(NodeKind::Code, filename, |_| true);
        }
        found.truncate(limit);
        let mut seen: BTreeSet<u64> = found.iter().map(|found| found.version.seq).collect();
        let mut items: Vec<QueryItem> =
            found.iter().map(|found| item_of_node(&found.version, found.strength)).collect();
        if with_dependencies {
            for found in &found {
                let (to, from) = self.around(&found.version);
                let linked = to.into_iter().map(|version| (version, "dependency"));
                let linked = linked.chain(from.into_iter().map(|version| (version, "dependent")));
                let told = linked.filter(|(version, _)| self.may_tell(version));
                for (version, relation) in told.filter(|(version, _)| seen.insert(version.seq)) {
                    let node = (*version.node).clone();
                    let body = ItemBody::Linked { node, relation };
                    items.push(QueryItem { body, ..item_of_node(version, found.strength) });
                }
            }
            items.truncate(limit);
        }
        QueryAnswer::of(items, coverage)
    }

    /// What a file depends on and what depends on it: by edges, and by the names in its and their lists.
    fn around<'s>(
        &'s self,
        file: &NodeVersion,
    ) -> (Vec<&'s Arc<NodeVersion>>, Vec<&'s Arc<NodeVersion>>) {
        let graph = &self.indexes.graph;
        let (mut to, mut from) = graph.linked(&file.node_id, EdgeKind::DependsOn);
        let needs = |one: &Node, other: &Node| match (one, other) {
            (Node::Code(one), Node::Code(other)) => {
                one.dependencies.iter().any(|name| is_file(&other.file_path, name))
            }
            _ => false,
        };
        for other in graph.of_kind(NodeKind::Code).filter(|other| other.seq != file.seq) {
            if needs(&file.node, &other.node) {
                to.push(other);
            }
            if needs(&other.node, &file.node) {
                from.push(other);
            }
        }
        (to, from)
    }
}

fn is_code(node: &Node, is_it: impl Fn(&str) -> bool) -> bool {
    matches!(node, Node::Code(code) if is_it(&code.file_path))
}

/// When a constraint is due, as it was said: dates in the usual order sort as text; what has none comes last.
fn due(constraint: &Constraint) -> (bool, Option<&str>) {
    (constraint.deadline.is_none(), constraint.deadline.as_deref())
}

/// The best, in the query's own order as far as they fit nearly equally well, then the rest by how well they fit.
pub(super) fn pick_best(
    found: Vec<NodeMatch>,
    limit: usize,
    order: impl Fn(&NodeMatch, &NodeMatch) -> Ordering,
) -> Vec<QueryItem> {
    let best = found.iter().map(|found| found.strength).fold(0.0, f64::max);
    let (mut near, rest): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|found| found.strength >= NEARLY * best);
    near.sort_by(order);
    let all = near.into_iter().chain(rest).take(limit);
    all.map(|found| item_of_node(&found.version, found.strength)).collect()
}
