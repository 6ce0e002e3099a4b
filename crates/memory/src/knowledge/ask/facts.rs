//! The queries that facts join: who somebody is to the agent, and what is known of a technical matter.

use std::collections::BTreeSet;

use abide_domain::graph::{Node, NodeKind};

pub(super) use super::names::is_any;
use super::{
    QueryAnswer, QueryExecution, item_of_fact, item_of_node, merge_by_strength, names::is_same,
    nodes::pick_best, query,
};
use crate::{Fact, QueryItem, graph::SearchCoverage, search::STRENGTH_MIN};

/// Facts of and about a partner that are given with the partnership.
const PARTNER_FACTS_MAX: usize = 8;
/// Facts that are looked at for it.
const FACTS_LOOKED_AT_MAX: usize = 200;
/// The category of facts about persons.
const USER: &str = "user";

impl QueryExecution<'_> {
    pub(super) fn partnerships(&self, partner: &str) -> rusqlite::Result<QueryAnswer> {
        let names = self.names_of(partner);
        let nodes = self.nodes_of(NodeKind::Partnership);
        let mut items: Vec<QueryItem> = nodes
            .filter(|version| {
                matches!(&*version.node, Node::Partnership(p) if is_any(&p.partner_name, &names))
            })
            .map(|version| item_of_node(version, 1.0))
            .collect();
        let message = if items.is_empty() {
            format!("no partnership with `{}` is recorded", partner.trim())
        } else {
            String::new()
        };
        items.extend(self.partner_facts(partner, &names)?);
        items.truncate(crate::QUERY_ITEMS_MAX);
        // Names and tellers are compared exactly.
        Ok(QueryAnswer { data: items, coverage: SearchCoverage::Exact, message })
    }

    /// The names under which somebody may be recorded: the id, and the names of the persons who have it.
    pub(super) fn names_of(&self, partner: &str) -> Vec<String> {
        let mut names = vec![partner.trim().to_lowercase()];
        for version in self.indexes.graph.of_kind(NodeKind::Person) {
            let Node::Person(person) = &*version.node else { continue };
            let id = version.node_id.as_str();
            let tail = id.rsplit([':', '/']).next().unwrap_or(id);
            if is_same(id, partner) || is_same(tail, partner) || is_same(&person.name, partner) {
                names.push(person.name.trim().to_lowercase());
                names.push(tail.to_lowercase());
            }
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Facts that the partner told or that name the partner: those that what was said is about; the newest where nothing was
    /// said.
    fn partner_facts(&self, partner: &str, names: &[String]) -> rusqlite::Result<Vec<QueryItem>> {
        if !self.indexes.has_facts() {
            return Ok(Vec::new());
        }
        let is_theirs = |fact: &Fact| {
            if !self.told.has_fact(fact.seq) {
                return false;
            }
            fact.told_by.as_ref().is_some_and(|teller| is_any(teller.bare(), names))
                || names.iter().any(|name| is_in(name, &fact.content))
        };
        let mut seen = BTreeSet::new();
        let mut items = Vec::new();
        let (hits, _) = self.search_fact_index(self.lead.said);
        let hits = hits.into_iter().filter(|hit| hit.strength >= STRENGTH_MIN);
        for hit in hits.take(FACTS_LOOKED_AT_MAX) {
            if items.len() >= PARTNER_FACTS_MAX {
                return Ok(items);
            }
            let fact = query::by_seq(self.connection, hit.id)?.filter(is_theirs);
            if let Some(fact) = fact.filter(|fact| seen.insert(fact.seq)) {
                // What replaces it, whoever told that.
                let later = self.later_facts(&fact)?;
                items.push(item_of_fact(fact, hit.strength.into()));
                let later = later.into_iter().filter(|fact| seen.insert(fact.seq));
                items.extend(later.map(|fact| item_of_fact(fact, hit.strength.into())));
            }
        }
        // Beside a message, what it is not about would only distract from it.
        if !self.lead.said.trim().is_empty() {
            return Ok(items);
        }
        let teller = format!("@{}", partner.trim().to_lowercase());
        let mut others = query::newest_by_teller(self.connection, &teller, FACTS_LOOKED_AT_MAX)?;
        others.retain(is_theirs);
        for name in names {
            let (hits, _) = self.search_fact_index(name);
            for hit in hits.into_iter().take(FACTS_LOOKED_AT_MAX) {
                others.extend(query::by_seq(self.connection, hit.id)?.filter(is_theirs));
            }
        }
        others.sort_by_key(|fact| std::cmp::Reverse(fact.seq));
        let others = others.into_iter().filter(|fact| seen.insert(fact.seq));
        let room = PARTNER_FACTS_MAX.saturating_sub(items.len());
        items.extend(others.take(room).map(|fact| item_of_fact(fact, STRENGTH_MIN.into())));
        Ok(items)
    }

    pub(super) fn technical(
        &self,
        term: &str,
        issue_type: Option<&str>,
        limit: usize,
    ) -> rusqlite::Result<QueryAnswer> {
        let (found, coverage) = self.matches(NodeKind::Technical, term, |node| match node {
            Node::Technical(technical) => {
                issue_type.is_none_or(|kind| is_same(kind, &technical.issue_type))
            }
            _ => false,
        });
        let nodes = pick_best(found, limit, |a, b| {
            b.strength
                .total_cmp(&a.strength)
                .then_with(|| b.version.valid_from.cmp(&a.version.valid_from))
        });
        // A kind of matter is asked for by its name; no fact has one.
        if issue_type.is_some() {
            return Ok(QueryAnswer::of(nodes, coverage));
        }
        let (hits, other_coverage) = self.search_fact_index(term);
        let (mut facts, mut seen) = (Vec::new(), BTreeSet::new());
        for hit in hits.into_iter().take(FACTS_LOOKED_AT_MAX) {
            if facts.len() >= limit {
                break;
            }
            let fact = query::by_seq(self.connection, hit.id)?.filter(|fact| fact.category != USER);
            let Some(fact) = fact.filter(|fact| seen.insert(fact.seq)) else { continue };
            let later = self.later_facts(&fact)?;
            facts.push(item_of_fact(fact, hit.strength.into()));
            let later = later.into_iter().filter(|fact| seen.insert(fact.seq));
            facts.extend(later.map(|fact| item_of_fact(fact, hit.strength.into())));
        }
        Ok(QueryAnswer::of(merge_by_strength(nodes, facts, limit), coverage.and(other_coverage)))
    }
}

/// Whether a name stands in a text as a whole word.
fn is_in(name: &str, text: &str) -> bool {
    let text = text.to_lowercase();
    let outside = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    !name.is_empty()
        && text.match_indices(name).any(|(at, found)| {
            let (before, after) = (text.get(..at), text.get(at + found.len()..));
            outside(before.and_then(|text| text.chars().next_back()))
                && outside(after.and_then(|text| text.chars().next()))
        })
}
