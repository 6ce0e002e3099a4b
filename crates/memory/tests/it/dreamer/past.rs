//! A past that a test writes by hand: findings by shared words, failures and delays on order, and a journal of questions.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use abide_domain::{
    Clock, EntityName, EpochId, Sharing, Timestamp, Zone,
    envelope::{Channel, DriverOutput, StimulusEnvelope},
    event::{AgentRegistered, Exploration, Lens, MemoryRef, Partner},
    graph::Node,
};
use abide_memory::{
    ContextObject, ExchangeStamps, ExplorationPace, GraphQuery, ItemBody, KnowledgeError,
    MemoryQueries, NodeVersion, QueryItem, QueryResult, QueryStatus, RecalledPassage,
    ReferenceLookup, ReferencedItem, RenderInput, explore, lens_of, render, words,
};
use futures_util::FutureExt as _;

pub(super) fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// A clock that every look moves on.
#[derive(Clone, Debug, Default)]
pub(super) struct Ticking(Arc<Mutex<Duration>>);

impl Ticking {
    fn advance(&self, by: Duration) {
        *self.0.lock().unwrap() += by;
    }
}

impl Clock for Ticking {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(0)
    }

    fn monotonic(&self) -> Duration {
        *self.0.lock().unwrap()
    }
}

/// What is remembered, and how questions go.
#[derive(Debug, Default)]
pub(super) struct Past {
    pub(super) kept: BTreeMap<MemoryRef, ReferencedItem>,
    pub(super) failing: Vec<Lens>,
    /// References that cannot be read.
    pub(super) lost: Vec<MemoryRef>,
    /// How long a query takes.
    pub(super) delay: Duration,
    pub(super) clock: Ticking,
    pub(super) journal: Mutex<Vec<GraphQuery>>,
}

impl Past {
    pub(super) fn node(&mut self, seq: u64, node: Node, valid_from: &str) {
        let version = NodeVersion {
            seq,
            node_id: format!("node-{seq}").parse().unwrap(),
            node: Arc::new(node),
            valid_from: at(valid_from),
            recorded_at: at(valid_from),
            author: EntityName::keeper(),
            sources: Vec::new(),
        };
        self.kept.insert(MemoryRef::Node { seq }, ReferencedItem::Node(version));
    }

    /// An exchange of two passages.
    pub(super) fn exchange(
        &mut self,
        seq: u64,
        sender: &str,
        sent_at: &str,
        texts: [&str; 2],
    ) -> EpochId {
        let epoch = EpochId::from_uuid(uuid::Uuid::from_u128(u128::from(seq)));
        let stamps = Arc::new(ExchangeStamps {
            seq,
            epoch,
            conversation: seq,
            previous: None,
            session: format!("telegram:{sender}"),
            sender: sender.to_owned(),
            channel: Channel::Telegram,
            sent_at: at(sent_at),
            sender_zone: None,
            replied_at: at(sent_at).plus(Duration::from_secs(90)),
            emotive_state: "neutral".to_owned(),
            stimulus_parts: 1,
            parts: 2,
        });
        for (part, text) in (0_u32..).zip(texts) {
            let reference = MemoryRef::Passage { seq, part };
            let by_agent = part == 1;
            let said = RecalledPassage {
                reference,
                text: text.to_owned(),
                speaker: if by_agent { "felix".to_owned() } else { sender.to_owned() },
                by_agent,
                at: if by_agent { stamps.replied_at } else { stamps.sent_at },
                exchange: stamps.clone(),
                strength: 1.0,
            };
            self.kept.insert(reference, ReferencedItem::Passage(said));
        }
        epoch
    }

    pub(super) fn asked(&self) -> Vec<GraphQuery> {
        self.journal.lock().unwrap().clone()
    }

    pub(super) fn lenses_asked(&self) -> Vec<Lens> {
        self.asked().iter().map(lens_of).collect()
    }

    fn answers(&self, query: &GraphQuery) -> Vec<QueryItem> {
        let text = match query {
            GraphQuery::Partnerships { partner_id } => partner_id.clone(),
            GraphQuery::Conversations { keywords, .. } => keywords.join(" "),
            GraphQuery::TechnicalContext { term, .. } => term.clone(),
            GraphQuery::EmotionalState { context_similar_to, .. } => context_similar_to.clone(),
            GraphQuery::StrategyPatterns { situation_type, .. } => situation_type.clone(),
            GraphQuery::RelatedCode { filename, .. } => filename.clone(),
            GraphQuery::FailedAttempts { context, .. } => context.clone(),
            GraphQuery::ActiveConstraints { .. } => String::new(),
        };
        let wanted = words(&text);
        let fits = |text: &str| wanted.is_empty() || words(text).iter().any(|w| wanted.contains(w));
        let mut items: Vec<QueryItem> = Vec::new();
        for (reference, remembered) in &self.kept {
            let body = match (lens_of(query), remembered) {
                (lens, ReferencedItem::Node(version))
                    if lens_of_node(&version.node) == Some(lens) =>
                {
                    let text = serde_json::to_string(&*version.node).unwrap();
                    fits(&text).then(|| ItemBody::Node((*version.node).clone()))
                }
                (Lens::Historical, ReferencedItem::Passage(said)) => {
                    fits(&said.text).then(|| ItemBody::Conversation {
                        memory: abide_domain::graph::ConversationMemory::default(),
                        passages: vec![said.clone()],
                    })
                }
                _ => None,
            };
            items.extend(body.map(|body| QueryItem {
                id: reference.to_string(),
                body,
                valid_from: at("2024-11-15T00:00:00Z"),
                valid_to: None,
                sources: Vec::new(),
                strength: 1.0,
                reference: *reference,
            }));
        }
        items
    }
}

/// The lens that shows it.
pub(super) fn lens_of_kept(remembered: &ReferencedItem) -> Lens {
    match remembered {
        ReferencedItem::Node(version) => lens_of_node(&version.node).unwrap_or(Lens::Relational),
        ReferencedItem::Fact(_) => Lens::Technical,
        ReferencedItem::Passage(_) => Lens::Historical,
    }
}

fn lens_of_node(node: &Node) -> Option<Lens> {
    Some(match node {
        Node::Citizen(_) => return None,
        Node::Person(_) | Node::Partnership(_) => Lens::Relational,
        Node::Conversation(_) => Lens::Historical,
        Node::Technical(_) => Lens::Technical,
        Node::Emotion(_) => Lens::Emotional,
        Node::Strategy(_) => Lens::Strategic,
        Node::Code(_) => Lens::Connective,
        Node::Failure(_) => Lens::Experiential,
        Node::Constraint(_) => Lens::Constraint,
    })
}

impl MemoryQueries for Past {
    fn ask(&self, query: &GraphQuery) -> QueryResult {
        self.journal.lock().unwrap().push(query.clone());
        self.clock.advance(self.delay);
        if self.failing.contains(&lens_of(query)) {
            return QueryResult::failed("the disk is away");
        }
        let data = self.answers(query);
        let status = if data.is_empty() { QueryStatus::Empty } else { QueryStatus::Found };
        QueryResult { status, data, confidence: 1.0, query_time_ms: 0.1, message: String::new() }
    }
}

impl ReferenceLookup for Past {
    fn resolve(&self, reference: MemoryRef) -> Result<Option<ReferencedItem>, KnowledgeError> {
        if self.lost.contains(&reference) {
            return Err(KnowledgeError::Behind { seq: 1 });
        }
        Ok(self.kept.get(&reference).cloned())
    }
}

pub(super) fn envelope(content: &str) -> StimulusEnvelope {
    StimulusEnvelope {
        content: content.into(),
        sender: "nicolas".into(),
        channel: Channel::Telegram,
        timestamp: at("2024-11-20T18:45:00Z"),
        sender_zone: None,
        last_driver_output: None,
        citizen: "felix".parse().unwrap(),
        session_id: Some("telegram_race_condition_20241120".into()),
    }
}

pub(super) fn said_before(
    mut envelope: StimulusEnvelope,
    words: &str,
    when: &str,
) -> StimulusEnvelope {
    let content: Arc<str> = words.into();
    envelope.last_driver_output = Some(DriverOutput { content, timestamp: at(when) });
    envelope
}

pub(super) fn profile() -> AgentRegistered {
    AgentRegistered {
        name: "Felix".into(),
        role: "runtime engineer".into(),
        mind: "reflex".into(),
        partners: vec![Partner { id: "ada".into(), name: "Ada".into(), role: "architect".into() }],
    }
}

/// Explores by the plan; no wait is left in it.
pub(super) fn explored(past: &Past, envelope: &StimulusEnvelope) -> Exploration {
    let pace = ExplorationPace::of(&past.clock);
    explore(envelope, past, &pace, None).now_or_never().expect("the plan never waits")
}

pub(super) fn rendered(
    past: &dyn ReferenceLookup,
    envelope: &StimulusEnvelope,
    found: &Exploration,
) -> ContextObject {
    let profile = profile();
    let scene = RenderInput {
        envelope,
        last_output_epoch: envelope
            .last_driver_output
            .as_ref()
            .map(|_| super::super::world::epoch(7)),
        profile: Some(&profile),
        history: &[],
        is_introduced: false,
        sharing: Sharing::Agent,
        zone: &Zone::utc(),
        tokens_max: abide_memory::CONTEXT_TOKENS_MAX,
    };
    render(&scene, found, past)
}

pub(super) fn dreamt(past: &Past, envelope: &StimulusEnvelope) -> ContextObject {
    rendered(past, envelope, &explored(past, envelope))
}

/// The sections as a Markdown reader sees them: headings inside fences are none.
pub(super) fn sections(text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut fence: Option<String> = None;
    for line in text.lines() {
        let mark = fence.as_deref().map_or(line, |open| open).chars().next().unwrap_or(' ');
        let ticks: String =
            line.chars().take_while(|c| *c == mark && matches!(c, '`' | '~')).collect();
        match &fence {
            Some(open) if ticks.len() >= open.len() && line.trim() == ticks => fence = None,
            None if ticks.len() >= 3 => fence = Some(ticks),
            None if line.starts_with('#') => {
                if let Some(title) = line.strip_prefix("## ") {
                    found.push((title.to_owned(), String::new()));
                    continue;
                }
                assert!(found.is_empty(), "a heading out of place: {line}");
            }
            _ => {}
        }
        if let Some((_, body)) = found.last_mut() {
            body.push_str(line);
            body.push('\n');
        }
    }
    found
}
