//! `abide memory rebuild`: deletes an agent's projections and computes them from the ledger again. Works only without a
//! running keeper, which holds their files open.
//!
//! It deletes `knowledge.db` and the files beside it, and brings `identity.md` and `dreams/` up to date. What a person wrote
//! into these is never lost: an edit of the identity waits for the next start of the keeper, which records it.

use std::{path::Path, sync::Arc};

use abide_domain::{AgentId, Clock as _};
use abide_engine::{keeper::fold, state::State};
use abide_ledger::{FileStorage, HomeLock, LockError, Query, folder::Folder};
use abide_memory::{
    DreamFiles, EmbeddingStep, IdentityFile, IdentityFileOutcome, IdentityFileWriters, Knowledge,
    KnowledgeHandle, embed_missing,
};
use clap::Args;
use serde_json::{Value, json};

use crate::{
    agents::EmbedderChoice,
    cli::{
        context::Context,
        error::{CliError, Exit},
        json_text::format_count,
        progress::Progress,
        table::table,
    },
    system::SystemClock,
};

/// Computes knowledge, identity and dreams from the ledger again; the keeper must not be running
#[derive(Debug, Args)]
pub(crate) struct Rebuild;

/// An agent whose projections are up to date.
struct RebuiltAgent {
    agent: AgentId,
    /// What became of `identity.md`.
    identity: &'static str,
    /// How many dreams are in the list.
    dreams: usize,
    /// Digest and number of what is known.
    knowledge: Value,
}

impl Rebuild {
    pub(super) async fn run(
        self,
        context: &Context,
        agent: Option<&str>,
    ) -> Result<Exit, CliError> {
        let Self = self;
        let home = &context.home;
        if !home.ledger_folder().is_dir() {
            let message = format!("{} has no ledger yet", home.root().display());
            return Err(CliError::new(message)
                .hint("`abide up` creates it; use --home for another home folder"));
        }
        let _lock = HomeLock::acquire(home.root()).map_err(|error| match error {
            LockError::Held { .. } => CliError::from_error(&error)
                .hint("stop it first; a running keeper keeps its projections up to date by itself"),
            LockError::Io { .. } => CliError::from(error),
        })?;
        let clock = SystemClock::new();
        let storage = Arc::new(FileStorage::at(&home.ledger_folder()));
        let ledger = Folder::open(storage)?;
        let agents = agents(context, &ledger, agent)?;
        let stores = stores(context, agents, ledger.head().seq)?;
        let state = fold_all(context, &ledger, &stores)?;
        let took = clock.monotonic().as_secs_f64();
        let mut rebuilt = Vec::new();
        for (agent, store) in &stores {
            rebuilt.push(finish(context, &ledger, &state, (agent, store))?);
        }
        print(context, &rebuilt, state.seq, took)?;
        embed(context, &stores).await;
        Ok(Exit::Ok)
    }
}

/// The agents of the configuration and those that agents created, or the one that is named.
pub(super) fn agents(
    context: &Context,
    ledger: &Folder,
    named: Option<&str>,
) -> Result<Vec<AgentId>, CliError> {
    let config = context.config()?;
    let mut agents: Vec<AgentId> =
        config.settings.agents.iter().map(|agent| agent.id.clone()).collect();
    for spawned in spawned(ledger)? {
        if !agents.contains(&spawned) {
            agents.push(spawned);
        }
    }
    if let Some(named) = named {
        agents.retain(|agent| agent.as_str() == named);
        if agents.is_empty() {
            return Err(CliError::usage(format!(
                "there is no agent {named:?} in {}, and no agent created it",
                context.home.config_file().display()
            )));
        }
    }
    Ok(agents)
}

/// The agents that agents created. Whether a creation counts is known from the whole ledger only, which is read only where
/// there is one.
fn spawned(ledger: &Folder) -> Result<Vec<AgentId>, CliError> {
    let kinds = vec!["agent.spawned".to_owned()];
    if ledger.query(Query { kinds, ..Query::default() }).next().is_none() {
        return Ok(Vec::new());
    }
    let state = fold(State::default(), ledger.records(1), &[], None, |_| ());
    let state = state?;
    Ok(state.entities.spawned.iter().map(|spawned| spawned.agent.agent.clone()).collect())
}

/// Empty stores in place of the old ones.
fn stores(
    context: &Context,
    agents: Vec<AgentId>,
    head: u64,
) -> Result<Vec<(AgentId, KnowledgeHandle)>, CliError> {
    let mut stores = Vec::new();
    for agent in agents {
        let folder = context.home.agent_folder(&agent);
        context.home.require_agent_folder(&agent).map_err(|error| CliError::folder(&error))?;
        std::fs::create_dir_all(&folder).map_err(|error| cannot("created", &folder, &error))?;
        let path = folder.join("knowledge.db"); // Its write-ahead log is removed when the new one is created.
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(cannot("removed", &path, &error));
            }
            _ => {}
        }
        let opened = Knowledge::open(&path, &agent.entity(), head)
            .and_then(|opened| KnowledgeHandle::new(opened.knowledge));
        stores.push((agent, opened?));
    }
    Ok(stores)
}

fn cannot(doing: &str, path: &Path, error: &std::io::Error) -> CliError {
    CliError::new(format!("{} cannot be {doing}", path.display())).caused_by(error)
}

fn fold_all(
    context: &Context,
    ledger: &Folder,
    stores: &[(AgentId, KnowledgeHandle)],
) -> Result<State, CliError> {
    let head = ledger.head().seq;
    let mut progress = Progress::new(&context.terminal); // The logs of `\stdout` are brought up to date at every start.
    let folded = fold(State::default(), ledger.records(1), stores, None, |seq| {
        progress.show("events", seq, head);
    });
    Ok(folded?)
}

/// Brings the files of an agent up to date.
fn finish(
    context: &Context,
    ledger: &Folder,
    keeper_state: &State,
    (agent, store): (&AgentId, &KnowledgeHandle),
) -> Result<RebuiltAgent, CliError> {
    let folder = context.home.agent_folder(agent);
    let agent = agent.clone();
    let knowledge = store.state_parts()?;
    let Some(state) = keeper_state.agents.get(&agent) else {
        return Ok(RebuiltAgent { agent, identity: "none yet", dreams: 0, knowledge });
    };
    let file = IdentityFile::new(&folder, IdentityFileWriters::PeopleAndProcess);
    let identity = match file.reconcile(&state.identity)? {
        IdentityFileOutcome::Unchanged => "unchanged",
        IdentityFileOutcome::Written => "written",
        IdentityFileOutcome::HandEdit { .. } => "an edit waits for the next start",
        IdentityFileOutcome::SetAside { .. } => {
            "written; a file that was not an identity was set aside"
        }
    };
    let files = DreamFiles::new(&folder.join("dreams"));
    for dream in files.missing(&state.dreams) {
        let content = dream_text(ledger, dream.seq)?;
        files.write(dream, &content)?;
    }
    Ok(RebuiltAgent { agent, identity, dreams: state.dreams.list().len(), knowledge })
}

fn dream_text(ledger: &Folder, seq: u64) -> Result<String, CliError> {
    use abide_domain::event::{Event, MemoryEvent};
    let record = ledger.records(seq).next().transpose();
    let record = record?;
    let entry = record.map(|record| record.entry()).transpose();
    match entry?.map(|entry| entry.event) {
        Some(Event::Memory(MemoryEvent::DreamWritten(dream))) => Ok(dream.content),
        _ => Err(CliError::new(format!("event {seq} of the ledger is not a dream"))),
    }
}

/// Computes the vectors again, which are not part of the ledger. Where that fails the keeper does it when it runs.
async fn embed(context: &Context, stores: &[(AgentId, KnowledgeHandle)]) {
    let terminal = &context.terminal;
    let embedder = match crate::cli::model::chosen(context) {
        Ok(EmbedderChoice { embedder: Some(embedder), .. }) => embedder,
        Ok(EmbedderChoice { embedder: None, announcement }) => return terminal.say(&announcement),
        Err(error) => return terminal.say(&format!("no vectors were computed: {error}")),
    };
    for (agent, store) in stores {
        let mut progress = Progress::new(terminal);
        let watch = |step: EmbeddingStep| progress.show("vectors", step.done, step.total);
        let made = embed_missing(store, &*embedder, watch).await;
        drop(progress);
        match made {
            Ok(made) => terminal.say(&format!("{agent}: {}", format_count(made, "vector"))),
            Err(error) => {
                let error = CliError::from_error(&error);
                terminal.say(&format!("{agent}: not all vectors were computed: {error}"));
            }
        }
    }
}

fn print(
    context: &Context,
    rebuilt: &[RebuiltAgent],
    events: u64,
    took: f64,
) -> Result<(), CliError> {
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    let rate = events as f64 / took.max(1e-6);
    let terminal = &context.terminal;
    if terminal.is_json() {
        let item = |one: &RebuiltAgent| json!({"citizen": one.agent.as_str(), "identity": one.identity, "dreams": one.dreams, "knowledge": one.knowledge});
        let items: Vec<_> = rebuilt.iter().map(item).collect();
        return terminal.json(&json!({ "items": items, "next": null, "events": events, "seconds": took, "events_per_s": rate, }));
    }
    let row = |one: &RebuiltAgent| {
        let facts = one.knowledge.pointer("/facts").map_or_else(|| "-".into(), Value::to_string);
        vec![one.agent.to_string(), facts, one.dreams.to_string(), one.identity.to_owned()]
    };
    let rows: Vec<_> = rebuilt.iter().map(row).collect();
    terminal.table(&table(&["AGENT", "FACTS", "DREAMS", "IDENTITY.MD"], &rows))?;
    terminal.say(&format!(
        "read {} in {took:.1} s ({rate:.0} per second)",
        format_count(events, "event")
    ));
    Ok(())
}
