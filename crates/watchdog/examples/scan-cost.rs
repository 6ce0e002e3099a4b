//! What a scan costs: 1,000 agents and ten million events of theirs, folded into what the watchdog sees, and then scans of it,
//! from agents to the lines to write. Prints medians with least and most; asserts no time. `--events N`, `--json`.
//!
//! A scan reads agents and never the ledger: the events are paid for once, when they are folded, which the keeper does
//! anyway as they come. So the fold is a row of its own, and the rows of scans beside one another show that they do not grow
//! with the number of events.
#![expect(clippy::print_stdout, reason = "it is here to print")]
#![expect(clippy::disallowed_methods, reason = "it measures, and reads its own command line")]
#![expect(clippy::unwrap_used, reason = "an example may fail loudly")]

use std::{
    collections::HashMap,
    hint::black_box,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use abide_domain::{
    AgentId, EntityName, EpochId, IdSource, Timestamp,
    envelope::Channel,
    event::{
        EpochCommitted, EpochEvent, EpochOpened, Event, StimulusAccepted, StimulusEvent,
        TurnCompleted, TurnStarted, UsageRecord, VoiceRecord,
    },
    evidence::is_sign_of_life,
};
use abide_ledger::Entry;
use abide_watchdog::{
    AgentCondition, EscalationPolicies, EvidenceMark, FirstSeenTimes, Observation, ObservedAgent,
    ScanContext, Trigger, WatchdogState, WatchdogTimings, WatchedTime, scan,
};
use serde_json::{Value, json};
use uuid::{Builder, Uuid};

const AGENTS: u64 = 1_000;
const EVENTS: u64 = 10_000_000;
const ROUNDS: usize = 200;
const START: Timestamp = Timestamp::from_micros(1_795_824_000_000_000);
/// How far apart two events are.
const STEP: Duration = Duration::from_micros(100);
/// The bar: a scan in milliseconds.
const SCAN_MS_MAX: f64 = 10.0;

#[derive(Debug, Default)]
struct Counted(AtomicU64);

impl IdSource for Counted {
    fn uuid(&self, now: Timestamp) -> Uuid {
        let mut tail = [0; 10];
        tail[2..].copy_from_slice(&self.0.fetch_add(1, Ordering::Relaxed).to_be_bytes());
        let millis = u64::try_from(now.as_micros() / 1000).unwrap();
        Builder::from_unix_timestamp_millis(millis, &tail).into_uuid()
    }
}

/// What is known of an agent from the lines about it.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    evidence: Option<EvidenceMark>,
    work_since: Option<Timestamp>,
}

/// What the lines of all agents come to, as the keeper folds them for the watchdog.
#[derive(Debug, Default)]
struct Fold {
    agents: HashMap<EntityName, Seen>,
}

impl Fold {
    fn apply(&mut self, entry: &Entry) {
        let Some(seen) = self.agents.get_mut(&entry.entity) else {
            self.agents.insert(entry.entity.clone(), Seen::default());
            return self.apply(entry);
        };
        if is_sign_of_life(&entry.entity, &entry.author, &entry.event) {
            seen.evidence = Some(EvidenceMark { seq: entry.seq, at: entry.timestamp });
        }
        match &entry.event {
            Event::Stimulus(StimulusEvent::Accepted(_)) => {
                seen.work_since.get_or_insert(entry.timestamp);
            }
            Event::Epoch(EpochEvent::Committed(_) | EpochEvent::Aborted(_)) => {
                seen.work_since = None;
            }
            _ => {}
        }
    }

    fn agents(&self) -> Vec<ObservedAgent> {
        let standing = |(entity, seen): (&EntityName, &Seen)| {
            let agent: AgentId = entity.bare().parse().unwrap();
            ObservedAgent {
                nick: agent.to_string(),
                registered_at: Timestamp::from_micros(START.as_micros() - 86_400_000_000),
                last_evidence: seen.evidence,
                work_since: seen.work_since,
                excused_at: None,
                threshold: None,
                always_active: false,
                task: None,
                unanswered: None,
                condition: AgentCondition::Awake,
                has_process: agent.as_str().ends_with('0'),
                fatigue: agent.as_str().ends_with('3').then_some(0.3),
                confidence: None,
                agent,
            }
        };
        self.agents.iter().map(standing).collect()
    }
}

/// The lines of one epoch of an agent.
fn epoch(n: u64, ids: &Counted) -> Vec<Entry> {
    let agent: AgentId = format!("agent-{n:04}").parse().unwrap();
    let (own, keeper) = (agent.entity(), EntityName::keeper());
    let user: EntityName = "@user".parse().unwrap();
    let stimulus = StimulusAccepted {
        content: "what is new?".into(),
        sender: "user".into(),
        channel: Channel::Api,
        sent_at: START,
        sender_zone: None,
        session_id: "api:user".into(),
        interactive: false,
        administrator: false,
        idempotency: None,
        claimed_output: None,
        cause: None,
    };
    let voice = VoiceRecord {
        thought: String::new(),
        emotive_state: "calm".into(),
        tool_calls: Vec::new(),
        final_response: Some("nothing much".into()),
    };
    let (turn, attempt, usage) = (1, 1, UsageRecord::default());
    let lines: [(EntityName, Event); 5] = [
        (user, stimulus.into()),
        (keeper.clone(), EpochOpened { last_output: None }.into()),
        (keeper.clone(), TurnStarted { turn, attempt, repair: false }.into()),
        (own.clone(), TurnCompleted { turn, attempt, voice, usage }.into()),
        (own.clone(), EpochCommitted { turn }.into()),
    ];
    let epoch = Some(EpochId::new(ids, START));
    let entry = |(author, event)| Entry {
        seq: 0,
        tick: 0,
        timestamp: START,
        entity: own.clone(),
        author,
        epoch,
        event,
    };
    lines.into_iter().map(entry).collect()
}

/// Folds that many events; the last work of every tenth agent is begun and never done. Returns the time of the last one.
fn fold_all(events: u64, lines: &mut [Vec<Entry>]) -> (Fold, Timestamp) {
    let mut fold = Fold::default();
    let (mut seq, mut at) = (0, START);
    let mut apply = |entry: &mut Entry, seq: &mut u64, at: &mut Timestamp| {
        (*seq, *at) = (*seq + 1, at.plus(STEP));
        (entry.seq, entry.timestamp) = (*seq, *at);
        fold.apply(entry);
    };
    while seq + AGENTS < events {
        // Agents take turns, line by line, as they do when they work at the same time.
        for line in 0..lines.first().map_or(0, Vec::len) {
            for entry in lines.iter_mut().filter_map(|lines| lines.get_mut(line)) {
                if seq + AGENTS < events {
                    apply(entry, &mut seq, &mut at);
                }
            }
        }
    }
    // Whatever was cut is done, and every tenth begins anew.
    for (n, lines) in lines.iter_mut().enumerate() {
        let entry = if n % 10 == 0 { lines.first_mut() } else { lines.last_mut() };
        if let Some(entry) = entry {
            apply(entry, &mut seq, &mut at);
        }
    }
    (fold, at)
}

/// A figure, in milliseconds.
struct Figure {
    id: &'static str,
    events: u64,
    title: String,
    took_ms: Vec<f64>,
    is_scan: bool,
    note: String,
}

impl Figure {
    /// Median, least and most.
    fn spread(&self) -> (f64, f64, f64) {
        let mut sorted = self.took_ms.clone();
        sorted.sort_by(f64::total_cmp);
        let at = |index: usize| sorted.get(index).copied().unwrap_or_default();
        (at(sorted.len() / 2), at(0), at(sorted.len().saturating_sub(1)))
    }

    fn line(&self) -> String {
        let (median, min, max) = self.spread();
        format!("{}: {median:.3} ms ({min:.3} - {max:.3}); {}", self.title, self.note)
    }

    fn json(&self) -> Value {
        let (median, min, max) = self.spread();
        let bar = self.is_scan.then(
            || json!({"subject": "value", "rule": "at_most", "limit": SCAN_MS_MAX, "reach": null}),
        );
        let verdict = if median <= SCAN_MS_MAX { "met" } else { "missed" };
        json!({
            "id": format!("{}_{}", self.id, self.events), "title": self.title, "unit": "ms",
            "value": {"median": median, "min": min, "max": max, "samples": self.took_ms.len()},
            "reference": null, "bar": bar, "verdict": self.is_scan.then_some(verdict),
            "note": self.note,
        })
    }
}

fn measure(mut run: impl FnMut() -> usize) -> (Vec<f64>, usize) {
    let mut found = 0;
    let took = (0..ROUNDS).map(|_| {
        let began = Instant::now();
        found = black_box(run());
        began.elapsed().as_secs_f64() * 1_000.0
    });
    (took.collect(), found)
}

/// Scans of what was folded.
fn scans(fold: &Fold, events: u64, now: Timestamp, ids: &Counted) -> Vec<Figure> {
    let (settings, policies) = (WatchdogTimings::default(), EscalationPolicies::default());
    let present =
        ScanContext { now, settings: &settings, policies: &policies, attention: None, ids };
    let trigger = Trigger::Scan { is_asked: false };
    let agents = fold.agents();
    let observation = Observation { agents, ..Observation::default() };
    let figure = |id, title, (took_ms, _): (Vec<f64>, usize), note| Figure {
        id,
        title,
        took_ms,
        is_scan: true,
        events,
        note,
    };

    let verdicts = measure(|| {
        let verdicts = scan(now, &settings, &WatchedTime::default(), &observation.agents);
        verdicts.iter().filter(|(_, verdict)| verdict.is_stalled()).count()
    });
    let stalled = verdicts.1;
    let quiet = WatchdogState::default();
    let first = measure(|| {
        let mut observation = Observation { agents: fold.agents(), ..Observation::default() };
        FirstSeenTimes::default().correct(now, &mut observation);
        quiet.plan(trigger, Ok(&observation), present).drafts.len()
    });
    let mut busy = WatchdogState::default();
    for draft in quiet.plan(trigger, Ok(&observation), present).drafts {
        if let Event::Watchdog(event) = &draft.event {
            busy.apply(now, &draft.entity, &draft.author, event);
        }
    }
    let later = ScanContext { now: now.plus(Duration::from_secs(200)), ..present };
    let amid = measure(|| busy.plan(trigger, Ok(&observation), later).drafts.len());
    let notes = [
        format!("{stalled} of {AGENTS} agents stalled"),
        format!("agents and dates included; {} lines to write", first.1),
        format!("{stalled} episodes that all climb; {} lines to write", amid.1),
    ];
    let [a, b, c] = notes;
    vec![
        figure("verdicts", "verdicts alone".to_owned(), verdicts, a),
        figure("first_scan", "a scan that finds the stalls".to_owned(), first, b),
        figure("amid_episodes", "a scan amid episodes".to_owned(), amid, c),
    ]
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let is_json = arguments.iter().any(|argument| argument == "--json");
    let events = arguments.iter().position(|argument| argument == "--events");
    let events = events.and_then(|at| arguments.get(at + 1)).and_then(|text| text.parse().ok());
    let events: u64 = events.unwrap_or(EVENTS);

    let ids = Counted::default();
    let mut lines: Vec<_> = (0..AGENTS).map(|n| epoch(n, &ids)).collect();
    let mut figures = Vec::new();
    for events in [events / 100, events] {
        let began = Instant::now();
        let (fold, at) = fold_all(events, &mut lines);
        let took = began.elapsed();
        let nanos = took.as_nanos() / u128::from(events.max(1));
        figures.push(Figure {
            id: "fold",
            events,
            title: format!("{events} events folded"),
            took_ms: vec![took.as_secs_f64() * 1_000.0],
            is_scan: false,
            note: format!("{nanos} ns an event, paid as they come"),
        });
        figures.extend(scans(&fold, events, at.plus(Duration::from_mins(10)), &ids));
    }
    if is_json {
        let rows: Vec<_> = figures.iter().map(Figure::json).collect();
        let version = env!("CARGO_PKG_VERSION");
        let optimised = !cfg!(debug_assertions);
        let report = json!({"bench": "scan", "version": version, "optimised": optimised,
            "rounds": ROUNDS, "rows": rows});
        println!("{report:#}");
        return;
    }
    for figure in &figures {
        println!("{}", figure.line());
    }
}
