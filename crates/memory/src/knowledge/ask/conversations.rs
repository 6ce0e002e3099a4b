//! Query 2: what was talked about. Recorded conversations and those that were really had stand in one list.
//!
//! A real one is found by its passages: the best decides, and up to four of them are given. Without keywords the newest
//! come first.

use std::{
    cmp::Reverse,
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

use abide_domain::{
    Timestamp,
    graph::{ConversationMemory, Node, NodeKind},
};

use super::{
    QueryAnswer, QueryExecution, exchange_rows, facts::is_any, item_of_node, merge_by_strength,
};
use crate::{
    ExchangeStamps, ItemBody, QueryItem, RecalledPassage,
    graph::SearchCoverage,
    search::{Hit, STRENGTH_MIN, words},
};

/// Passages that are given of one conversation.
const PASSAGES_MAX: usize = 4;
/// Hits that are looked at for conversations with somebody.
const HITS_LOOKED_AT_MAX: usize = 500;
/// Hits in a row that add nothing, after which no more are looked at.
const IN_VAIN_MAX: usize = 50;
/// The newest exchanges that are looked at where nothing was asked.
const NEWEST_LOOKED_AT_MAX: usize = 500;
/// The newest exchanges whose words tell what a conversation is about.
const TOPIC_EXCHANGES: usize = 6;
/// Characters of each of their passages that are looked at.
const TOPIC_CHARS_MAX: usize = 400;
/// Words that are tried as topics, the most frequent first.
const TOPIC_WORDS_TRIED: usize = 60;
/// Words that make up a topic.
const TOPIC_WORDS: usize = 6;
/// Characters of a key point.
const KEY_POINT_CHARS_MAX: usize = 240;
/// Conversations whose best passage is asked about in turn.
const ASKED_ABOUT_MAX: usize = 3;
/// Anybody.
const ANYBODY: &str = "*";

/// Passages of one conversation, best first.
struct FoundConversation {
    conversation: u64,
    strength: f64,
    passages: Vec<RecalledPassage>,
}

impl QueryExecution<'_> {
    pub(super) fn conversations(
        &self,
        partner: &str,
        keywords: &[String],
        limit: usize,
    ) -> rusqlite::Result<QueryAnswer> {
        let names = (partner.trim() != ANYBODY).then(|| self.names_of(partner));
        let is_with = |name: &str| names.as_ref().is_none_or(|names| is_any(name, names));
        let is_recorded =
            |node: &Node| matches!(node, Node::Conversation(memory) if is_with(&memory.partner));
        if keywords.is_empty() {
            return self.newest(names.as_deref(), is_recorded, limit);
        }
        let text = self.question(keywords);
        let (found, coverage) = self.matches(NodeKind::Conversation, &text, is_recorded);
        let recorded = found.iter().take(limit).map(|m| item_of_node(&m.version, m.strength));
        // Who never spoke is not looked for among those who did.
        let (mut hits, other_coverage) = match names.as_deref() {
            Some(names) if !self.has_spoken(names)? => (Vec::new(), SearchCoverage::Exact),
            _ => self.search_passages(&text),
        };
        let answers = self.answering_passages(&text)?;
        hits.retain(|hit| answers.iter().all(|answer| answer.id != hit.id));
        hits.splice(0..0, answers);
        let mut found = self.by_conversation(hits, is_with, limit)?;
        self.add_later(&mut found)?;
        if partner.trim() == ANYBODY {
            self.add_rules(&mut found, &text)?;
        }
        let mut had = Vec::new();
        for conversation in found {
            had.extend(self.item_of_conversation(conversation)?);
        }
        let data = merge_by_strength(recorded.collect(), had, limit);
        Ok(QueryAnswer::of(data, coverage.and(other_coverage)))
    }

    fn has_spoken(&self, names: &[String]) -> rusqlite::Result<bool> {
        for name in names {
            let newest = exchange_rows::newest(self.connection, Some(name), NEWEST_LOOKED_AT_MAX)?;
            // Whether somebody ever spoke is told to those alone who may hear some of it.
            if newest.iter().any(|stamps| self.told.has_exchange(stamps.seq)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What is looked for: what was said, where the keywords are from there, for it says more than they do.
    fn question(&self, keywords: &[String]) -> String {
        let said = self.lead.said.to_lowercase();
        if !said.is_empty() && keywords.iter().all(|word| said.contains(&word.to_lowercase())) {
            return self.lead.said.to_owned();
        }
        keywords.join(" ")
    }

    /// The hits by conversation, in the order of the best of each.
    fn by_conversation(
        &self,
        hits: Vec<Hit>,
        is_with: impl Fn(&str) -> bool,
        limit: usize,
    ) -> rusqlite::Result<Vec<FoundConversation>> {
        let mut known: HashMap<u64, Option<Arc<ExchangeStamps>>> = HashMap::new();
        let mut found: Vec<FoundConversation> = Vec::new();
        let mut in_vain = 0;
        for hit in hits.into_iter().take(HITS_LOOKED_AT_MAX) {
            in_vain += 1;
            if in_vain > IN_VAIN_MAX && !found.is_empty() {
                break;
            }
            let (seq, part) = exchange_rows::seq_and_part(hit.id);
            let stamps = match known.entry(seq) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => {
                    unknown.insert(exchange_rows::stamps(self.connection, seq)?)
                }
            };
            let Some(stamps) = stamps else { continue };
            let place = found.iter().position(|had| had.conversation == stamps.conversation);
            let is_full = |place| {
                found
                    .get(place)
                    .is_some_and(|had: &FoundConversation| had.passages.len() == PASSAGES_MAX)
            };
            if place.is_some_and(is_full) || !is_with(&stamps.sender) {
                continue;
            }
            let Some(mut passage) =
                exchange_rows::passage(self.connection, self.agent, stamps, part)?
            else {
                continue;
            };
            in_vain = 0;
            passage.strength = hit.strength.into();
            match place.and_then(|place| found.get_mut(place)) {
                Some(had) => {
                    had.strength = had.strength.max(passage.strength);
                    had.passages.push(passage);
                }
                None => found.push(FoundConversation {
                    conversation: stamps.conversation,
                    strength: passage.strength,
                    passages: vec![passage],
                }),
            }
        }
        // A conversation is found by a passage that fits by itself.
        found.retain(|had| had.strength >= STRENGTH_MIN.into());
        found.truncate(limit);
        Ok(found)
    }

    /// Adds what was said later and bears on the best passage of each of the best conversations: to its own conversation, or
    /// as one more right behind it. With whom it was said makes no difference.
    fn add_later(&self, found: &mut Vec<FoundConversation>) -> rusqlite::Result<()> {
        let mut at = 0;
        let mut asked = 0;
        while at < found.len() && asked < ASKED_ABOUT_MAX {
            let best = found.get(at).and_then(|had| had.passages.first()).cloned();
            at += 1;
            let Some(best) = best.filter(|best| self.read_passage(best).says_something()) else {
                continue;
            };
            asked += 1;
            for later in self.later_passages(&best)? {
                let conversation = later.exchange.conversation;
                if let Some(had) = found.iter_mut().find(|had| had.conversation == conversation) {
                    had.passages.retain(|known| known.reference != later.reference);
                    had.passages.insert(had.passages.len().min(1), later);
                    had.passages.truncate(PASSAGES_MAX);
                } else {
                    let strength = best.strength;
                    let passages = vec![later];
                    found.insert(
                        at.min(found.len()),
                        FoundConversation { conversation, strength, passages },
                    );
                }
            }
        }
        Ok(())
    }

    /// Adds the rules that bear on a question behind the best conversation.
    fn add_rules(&self, found: &mut Vec<FoundConversation>, text: &str) -> rusqlite::Result<()> {
        for rule in self.rules_about(text)? {
            let conversation = rule.exchange.conversation;
            let strength = rule.strength;
            match found.iter_mut().find(|had| had.conversation == conversation) {
                Some(had) if had.passages.iter().any(|known| known.reference == rule.reference) => {
                }
                Some(had) => {
                    had.passages.insert(had.passages.len().min(1), rule);
                    had.passages.truncate(PASSAGES_MAX);
                }
                None => {
                    let passages = vec![rule];
                    found.insert(
                        found.len().min(1),
                        FoundConversation { conversation, strength, passages },
                    );
                }
            }
        }
        Ok(())
    }

    fn newest(
        &self,
        names: Option<&[String]>,
        is_recorded: impl Fn(&Node) -> bool,
        limit: usize,
    ) -> rusqlite::Result<QueryAnswer> {
        let mut all = Vec::new();
        for name in names.map_or_else(|| vec![None], |names| names.iter().map(Some).collect()) {
            let name = name.map(String::as_str);
            all.extend(exchange_rows::newest(self.connection, name, NEWEST_LOOKED_AT_MAX)?);
        }
        all.retain(|stamps| self.told.has_exchange(stamps.seq));
        all.sort_by_key(|stamps| Reverse(stamps.seq));
        let mut had: Vec<FoundConversation> = Vec::new();
        for stamps in all {
            if had.len() == limit {
                break;
            }
            if had.iter().any(|had| had.conversation == stamps.conversation) {
                continue;
            }
            let mut passages = Vec::new();
            for part in (0..stamps.parts).take(PASSAGES_MAX) {
                passages.extend(exchange_rows::passage(
                    self.connection,
                    self.agent,
                    &stamps,
                    part,
                )?);
            }
            had.push(FoundConversation {
                conversation: stamps.conversation,
                strength: 1.0,
                passages,
            });
        }
        let mut items = Vec::new();
        for conversation in had {
            items.extend(self.item_of_conversation(conversation)?);
        }
        let nodes = self.nodes_of(NodeKind::Conversation);
        let nodes = nodes.filter(|version| is_recorded(&version.node));
        items.extend(nodes.map(|version| item_of_node(version, 1.0)));
        items.sort_by_key(|item| Reverse(ended(item)));
        items.truncate(limit);
        Ok(QueryAnswer::of(items, SearchCoverage::Exact))
    }

    fn item_of_conversation(&self, had: FoundConversation) -> rusqlite::Result<Option<QueryItem>> {
        let Some(best) = had.passages.first() else { return Ok(None) };
        let Some(whole) = exchange_rows::conversation(self.connection, had.conversation)? else {
            return Ok(None);
        };
        let mut newest =
            exchange_rows::of_conversation(self.connection, had.conversation, TOPIC_EXCHANGES)?;
        newest.retain(|stamps| self.told.has_exchange(stamps.seq));
        // Of a conversation that is somebody else's, nothing is told but the passages.
        let is_told = self.told.has_exchange(best.exchange.seq);
        let message_count =
            if is_told { whole.exchanges.saturating_mul(2) } else { had.passages.len() as u64 };
        let topic =
            if is_told { self.topic(&newest)? } else { topic(std::slice::from_ref(&best.text)) };
        let (first_at, last_at) =
            if is_told { (whole.first_at, whole.last_at) } else { (best.at, best.at) };
        let felt = newest.iter().find(|stamps| self.indexes.felt.contains(&stamps.seq));
        let mut sources = Vec::new();
        for passage in &had.passages {
            if !sources.contains(&passage.exchange.epoch) {
                sources.push(passage.exchange.epoch);
            }
        }
        let memory = ConversationMemory {
            partner: best.exchange.sender.clone(),
            topic,
            message_count,
            key_points: had.passages.iter().map(|passage| excerpt(&passage.text)).collect(),
            emotional_tone: felt.map(|stamps| stamps.emotive_state.clone()).unwrap_or_default(),
            outcome: String::new(),
            timestamp: Some(last_at),
        };
        Ok(Some(QueryItem {
            id: format!("conversation:{}", had.conversation),
            valid_from: first_at,
            valid_to: None,
            sources,
            strength: had.strength,
            reference: best.reference,
            body: ItemBody::Conversation { memory, passages: had.passages },
        }))
    }

    fn topic(&self, exchanges: &[Arc<ExchangeStamps>]) -> rusqlite::Result<String> {
        let mut texts = Vec::new();
        for stamps in exchanges {
            for part in [0, stamps.stimulus_parts] {
                let passage = exchange_rows::passage(self.connection, self.agent, stamps, part)?;
                texts.extend(passage.map(|passage| passage.text));
            }
        }
        Ok(topic(&texts))
    }
}

fn ended(item: &QueryItem) -> Timestamp {
    item.body.conversation().and_then(|memory| memory.timestamp).unwrap_or(item.valid_from)
}

/// The words that come most often and mean something, as they stand.
fn topic(texts: &[String]) -> String {
    let mut counts: HashMap<String, (usize, usize)> = HashMap::new();
    let mut place = 0;
    for text in texts {
        let end = text.char_indices().nth(TOPIC_CHARS_MAX).map_or(text.len(), |(end, _)| end);
        let text = text.get(..end).unwrap_or(text);
        for word in text.split(|c: char| !c.is_alphanumeric()) {
            if word.chars().nth(2).is_some() && word.parse::<u64>().is_err() {
                let counted = counts.entry(word.to_lowercase()).or_insert((0, place));
                counted.0 += 1;
                place += 1;
            }
        }
    }
    let mut order: Vec<_> = counts.into_iter().collect();
    order.sort_by_key(|(_, (count, place))| (Reverse(*count), *place));
    let mut stems = Vec::new();
    let mut chosen = Vec::new();
    for (word, _) in order.into_iter().take(TOPIC_WORDS_TRIED) {
        let stem = words(&word);
        if !stem.is_empty() && !stems.contains(&stem) {
            stems.push(stem);
            chosen.push(word);
        }
        if chosen.len() == TOPIC_WORDS {
            break;
        }
    }
    chosen.join(", ")
}

/// The beginning of a passage, on one line.
pub(super) fn excerpt(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(KEY_POINT_CHARS_MAX) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}
