//! A long past, written straight into a home's ledger: what would take a keeper hours takes a test seconds.

use std::sync::Arc;

use abide_domain::{
    AgentId, Clock as _, EntityName, EpochId, Timestamp,
    envelope::Channel,
    event::{
        ContextAssembled, ContextTokens, EpochCommitted, EpochOpened, Event, HistoryWindow,
        StimulusAccepted, TurnCompleted, TurnStarted, UsageRecord, VoiceRecord,
    },
};
use abide_ledger::{Draft, FileStorage, Ledger, LedgerOptions};
use abide_testkit::{FakeClock, SeededIds};

use crate::home::Home;

/// Long ago: a past must not lie in the future of the machine that runs the test.
const THEN_MICROS: i64 = 1_700_000_000_000_000;
/// Epochs that are sent to the disk together.
const TOGETHER: u32 = 100;

/// Writes events at a time long ago. No keeper must run.
pub(crate) fn write_events(home: &Home, drafts: Vec<Draft>) {
    let clock = FakeClock::new(Timestamp::from_micros(THEN_MICROS));
    write(home, Arc::new(clock), [drafts].into_iter());
}

/// Writes batches into a home's ledger.
fn write(home: &Home, clock: Arc<FakeClock>, batches: impl Iterator<Item = Vec<Draft>>) {
    let storage = FileStorage::create(&home.path().join("ledger")).unwrap();
    let (ledger, committer) = Ledger::open(Arc::new(storage), LedgerOptions::new(clock)).unwrap();
    let committer = committer.spawn().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        for drafts in batches {
            ledger.append(drafts).await.unwrap();
        }
        ledger.close().await;
    });
    committer.join().unwrap();
}

/// Writes so many committed epochs of an agent, and gives the id of the last. No keeper must run.
pub(super) fn write_past(home: &Home, agent: &str, epochs: u32) -> String {
    let clock = Arc::new(FakeClock::new(Timestamp::from_micros(THEN_MICROS)));
    let ids = SeededIds::new(2);
    let agent: AgentId = agent.parse().unwrap();
    let now = clock.now();
    let all: Vec<EpochId> = (0..epochs).map(|_| EpochId::new(&ids, now)).collect();
    let batches = all.chunks(TOGETHER as usize);
    let drafts =
        |together: &[EpochId]| together.iter().flat_map(|id| epoch(&agent, *id, now)).collect();
    write(home, clock, batches.map(drafts));
    all.last().unwrap().to_string()
}

fn epoch(agent: &AgentId, id: EpochId, now: Timestamp) -> Vec<Draft> {
    let own = agent.entity();
    let keeper = EntityName::keeper();
    let user = EntityName::sender("user").unwrap();
    let draft = |author: &EntityName, event: Event| Draft {
        entity: own.clone(),
        author: author.clone(),
        epoch: Some(id),
        event,
    };
    let stimulus = StimulusAccepted {
        content: format!("what happened in {id}?").into(),
        sender: "user".into(),
        channel: Channel::Api,
        sent_at: now,
        sender_zone: None,
        session_id: "api:user".into(),
        interactive: false,
        administrator: false,
        idempotency: None,
        claimed_output: None,
        cause: None,
    };
    let context = ContextAssembled {
        renderer: 1,
        identity: 1,
        history: HistoryWindow::default(),
        exploration: None,
        own: None,
        deck_notes: None,
        sharing: None,
        tokens: ContextTokens::default(),
        time_zone: None,
        tools: None,
        sha256: "0".repeat(64),
    };
    let voice = VoiceRecord {
        thought: String::new(),
        emotive_state: "neutral".into(),
        tool_calls: Vec::new(),
        final_response: Some(format!("Nothing of note happened in {id}.")),
    };
    let completed = TurnCompleted { turn: 1, attempt: 1, voice, usage: UsageRecord::default() };
    vec![
        draft(&user, stimulus.into()),
        draft(&keeper, EpochOpened { last_output: None }.into()),
        draft(&keeper, context.into()),
        draft(&keeper, TurnStarted { turn: 1, attempt: 1, repair: false }.into()),
        draft(&own, completed.into()),
        draft(&own, EpochCommitted { turn: 1 }.into()),
    ]
}
