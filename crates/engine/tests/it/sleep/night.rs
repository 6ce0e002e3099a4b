//! A keeper whose agents are distilled by a script.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use abide_domain::{
    EntityName, EpochId,
    event::{Event, SleepEvent, SleepStarted, SleepStatus, UsageRecord},
};
use abide_engine::sleep::{SleepError, SleepSettings};
use abide_memory::{
    DistillAnswer, DistillInput, DistillOutcome, Distiller, FactCategory, FoundDream, FoundFact,
};
use abide_testkit::rig::{Rig, Setup, say};
use futures_util::future::{BoxFuture, ready};

/// What the next step of a kind comes to.
#[derive(Clone, Debug, Default)]
pub(super) struct Script {
    pub(super) fails: Vec<&'static str>,
    pub(super) identity: Option<String>,
    pub(super) is_empty: bool,
    pub(super) cost_microusd: u64,
}

/// Distils by a script that a test changes as it goes.
#[derive(Clone, Debug, Default)]
pub(super) struct Scripted {
    script: Arc<Mutex<Script>>,
    asked: Arc<AtomicUsize>,
}

impl Scripted {
    pub(super) fn set(&self, change: impl FnOnce(&mut Script)) {
        change(&mut self.script.lock().unwrap());
    }

    /// How often it was asked for anything.
    pub(super) fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    fn answer<T>(
        &self,
        step: &'static str,
        found: impl FnOnce(&Script) -> Option<T>,
    ) -> DistillAnswer<T> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let script = self.script.lock().unwrap();
        let outcome = if script.fails.contains(&step) {
            DistillOutcome::Failed("the script said so".into())
        } else if script.is_empty {
            DistillOutcome::Empty
        } else {
            found(&script).map_or(DistillOutcome::Empty, DistillOutcome::Found)
        };
        let usage = UsageRecord {
            input_tokens: 10,
            cost_microusd: Some(script.cost_microusd),
            ..UsageRecord::default()
        };
        DistillAnswer { outcome, usage: Some(usage) }
    }
}

impl Distiller for Scripted {
    fn name(&self) -> String {
        "model scripted".into()
    }

    fn is_paid(&self) -> bool {
        true
    }

    fn facts<'a>(
        &'a self,
        material: &'a DistillInput,
    ) -> BoxFuture<'a, DistillAnswer<Vec<FoundFact>>> {
        let fact = |passage: &abide_memory::Passage| FoundFact {
            content: format!("{} said: {}", passage.sender, passage.stimulus),
            category: FactCategory::User,
            tags: vec!["said".into()],
            confidence: 0.9,
            slot: None,
            replaces: None,
            sources: vec![passage.epoch],
            told_by: passage.sender.clone(),
            said_at: passage.sent_at,
            untrusted: false,
            doubt: None,
        };
        let found = self.answer("facts", |_| Some(material.passages.iter().map(fact).collect()));
        Box::pin(ready(found))
    }

    fn identity<'a>(&'a self, material: &'a DistillInput) -> BoxFuture<'a, DistillAnswer<String>> {
        let more = format!(
            "{}\nI have slept over {} exchanges.\n",
            material.identity.trim_end(),
            material.passages.len()
        );
        Box::pin(ready(
            self.answer("identity", |script| Some(script.identity.clone().unwrap_or(more))),
        ))
    }

    fn dream<'a>(&'a self, material: &'a DistillInput) -> BoxFuture<'a, DistillAnswer<FoundDream>> {
        let text = format!("I thought about {} exchanges.", material.passages.len());
        Box::pin(ready(self.answer("dream", |_| Some(FoundDream { title: "A day".into(), text }))))
    }
}

/// A setup whose agent answers everything and is distilled by a script.
pub(super) fn setup() -> (Setup, Scripted) {
    let scripted = Scripted::default();
    let distiller = Arc::new(scripted.clone());
    let setup = Setup::new(|request, _| say(format!("I heard: {}", request.message)));
    (setup.with(|setup| setup.distiller = distiller), scripted)
}

/// Sleeps by themselves: after a minute, with more than two epochs.
pub(super) fn by_itself(at: Option<&str>) -> SleepSettings {
    SleepSettings {
        idle: Duration::from_mins(1),
        epochs_min: 2,
        at: at.map(|at| at.parse().unwrap()),
        tokens_max: 100_000,
    }
}

/// Lets the first agent sleep, as a person.
pub(super) async fn begin(rig: &Rig) -> Result<SleepStarted, SleepError> {
    let by = EntityName::sender("nicolas").unwrap();
    rig.keeper().sleep(&"felix".parse().unwrap(), false, by).await
}

/// Lets the first agent sleep and waits for the end.
pub(super) async fn sleep(rig: &Rig) -> SleepStatus {
    let before = ended(rig).len();
    begin(rig).await.unwrap();
    until_ended(rig, before + 1).await;
    *ended(rig).last().unwrap()
}

/// Waits until so many sleeps have ended.
pub(super) async fn until_ended(rig: &Rig, times: usize) {
    let mut applied = rig.keeper().services().view.applications();
    let wait = async {
        while ended(rig).len() < times
            || rig.keeper().state().seq < rig.keeper().ledger().head().seq
        {
            applied.changed().await.unwrap();
        }
    };
    let waited = tokio::time::timeout(Duration::from_hours(72), wait).await;
    assert!(waited.is_ok(), "{times} sleeps did not end: {:?}", kinds(rig));
}

/// How the sleeps so far ended.
pub(super) fn ended(rig: &Rig) -> Vec<SleepStatus> {
    let events = rig.entries().into_iter().filter_map(|entry| match entry.event {
        Event::Sleep(SleepEvent::Ended(ended)) => Some(ended.status),
        _ => None,
    });
    events.collect()
}

/// The sleeps that began.
pub(super) fn begun(rig: &Rig) -> Vec<SleepStarted> {
    let events = rig.entries().into_iter().filter_map(|entry| match entry.event {
        Event::Sleep(SleepEvent::Started(started)) => Some(started),
        _ => None,
    });
    events.collect()
}

/// The kinds of all events that belong to no epoch and are about the first agent, from the first sleep on.
pub(super) fn kinds(rig: &Rig) -> Vec<&'static str> {
    let entries = rig.entries();
    let own =
        entries.iter().filter(|entry| entry.entity.bare() == "felix" && entry.epoch.is_none());
    own.map(|entry| entry.event.kind().name).skip_while(|kind| *kind != "sleep.started").collect()
}

/// How often an event of a kind happened.
pub(super) fn count(rig: &Rig, kind: &str) -> usize {
    rig.entries().iter().filter(|entry| entry.event.kind().name == kind).count()
}

/// Fails where an epoch is named by two sleeps that did not fail, or a committed one by none.
pub(super) fn assert_each_once(rig: &Rig, committed: &[EpochId]) {
    let ends = ended(rig);
    let mut named: Vec<EpochId> = Vec::new();
    for (started, status) in begun(rig).iter().zip(&ends) {
        if *status != SleepStatus::Failed {
            named.extend(&started.epochs);
        }
    }
    assert_eq!(named, committed, "each epoch is distilled once, in order");
}

/// How many exchanges the next prompt would hold.
pub(super) fn window(rig: &Rig) -> usize {
    rig.keeper().state().agents["felix"].short_term.len()
}

/// The contents of the facts in force, oldest first.
pub(super) fn facts(rig: &Rig) -> Vec<String> {
    let page = rig.keeper().agent("felix").unwrap().facts.list(None, 500, None).unwrap();
    page.items.into_iter().rev().map(|fact| fact.content).collect()
}
