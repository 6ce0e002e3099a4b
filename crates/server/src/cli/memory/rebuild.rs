//! `abide memory rebuild`: takes an agent's projections away and folds them from the ledger again. Works without a keeper,
//! and only without one: what a running keeper holds open must not be taken away under it.
//!
//! Taken away are `knowledge.db` and the files beside it; `identity.md` and `dreams/` are brought in line. What a person
//! wrote into these is never lost: an edit of the identity waits for the next start, which takes it up.

use std::{path::Path, sync::Arc};

use abide_domain::{AgentId, Clock as _};
use abide_engine::{
    keeper::{StartError, fold},
    state::State,
};
use abide_ledger::{FileStorage, HomeLock, LockError, Query, folder::Folder};
use abide_memory::{
    DreamFiles, EmbeddingStep, IdentityFile, IdentityFileOutcome, Knowledge, KnowledgeHandle,
    embed_missing,
};
use clap::Args;
use serde_json::{Value, json};

use crate::{
    agents::EmbedderChoice,
    cli::{
        Context,
        failure::{Exit, Failure},
        progress::Progress,
        table::table,
    },
    config::{Config, Sources},
    system::SystemClock,
};

/// Folds knowledge, identity and dreams from the ledger again; the keeper must not run
#[derive(Debug, Args)]
pub(crate) struct Rebuild;

/// An agent whose projections are made.
struct Rebuilt {
    agent: AgentId,
    /// What became of `identity.md`.
    identity: &'static str,
    /// How many dreams are in the list.
    dreams: usize,
    /// Digest and number of what is known.
    knowledge: Value,
}

impl Rebuild {
    pub(super) async fn run(self, context: &Context, agent: Option<&str>) -> Result<Exit, Failure> {
        let Self = self;
        let home = &context.home;
        if !home.ledger_folder().is_dir() {
            let message = format!("{} holds no ledger yet", home.root().display());
            return Err(
                Failure::new(message).hint("`abide up` makes it; --home names another folder")
            );
        }
        let _lock = HomeLock::acquire(home.root()).map_err(|error| match error {
            LockError::Held { .. } => Failure::from_error(&error)
                .hint("stop it first; it keeps its projections up to date by itself"),
            LockError::Io { .. } => Failure::from_error(&error),
        })?;
        let clock = SystemClock::new();
        let storage = Arc::new(FileStorage::at(&home.ledger_folder()));
        let ledger = Folder::open(storage).map_err(|error| Failure::from_error(&error))?;
        let agents = agents(context, &ledger, agent)?;
        let stores = stores(context, agents, ledger.head().seq)?;
        let house = fold_all(context, &ledger, &stores)?;
        let took = clock.monotonic().as_secs_f64();
        let mut rebuilt = Vec::new();
        for (agent, store) in &stores {
            rebuilt.push(finish(context, &ledger, &house, (agent, store))?);
        }
        tell(context, &rebuilt, house.seq, took)?;
        embed(context, &stores).await;
        Ok(Exit::Ok)
    }
}

/// The agents of the configuration and those that others brought into being, or the one that is named.
fn agents(
    context: &Context,
    ledger: &Folder,
    named: Option<&str>,
) -> Result<Vec<AgentId>, Failure> {
    let file = context.home.config_file();
    let sources = Sources { file: &file, environment: &context.environment, flags: &[] };
    let config = Config::load(sources).map_err(|error| Failure::from_error(&error))?;
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
            return Err(Failure::usage(format!(
                "there is no agent {named:?} in {}, and nobody brought it into being",
                file.display()
            )));
        }
    }
    Ok(agents)
}

/// Who was brought into being by another. That it counts only the whole house knows, which is folded only where there is one.
fn spawned(ledger: &Folder) -> Result<Vec<AgentId>, Failure> {
    let kinds = vec!["agent.spawned".to_owned()];
    if ledger.query(Query { kinds, ..Query::default() }).next().is_none() {
        return Ok(Vec::new());
    }
    let house = fold(ledger.records(1), &[], None, |_| ());
    let house = house.map_err(|error| Failure::from_error(&error))?;
    Ok(house.entities.spawned.iter().map(|spawned| spawned.agent.agent.clone()).collect())
}

/// Empty stores in place of what was there.
fn stores(
    context: &Context,
    agents: Vec<AgentId>,
    head: u64,
) -> Result<Vec<(AgentId, KnowledgeHandle)>, Failure> {
    let mut stores = Vec::new();
    for agent in agents {
        let folder = context.home.agent_folder(&agent);
        std::fs::create_dir_all(&folder).map_err(|error| cannot("made", &folder, &error))?;
        let path = folder.join("knowledge.db");
        // Its write-ahead log goes with it when the new one is made.
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(cannot("removed", &path, &error));
            }
            _ => {}
        }
        let opened = Knowledge::open(&path, &agent.entity(), head)
            .and_then(|opened| KnowledgeHandle::new(opened.knowledge));
        stores.push((agent, opened.map_err(|error| Failure::from_error(&error))?));
    }
    Ok(stores)
}

fn cannot(doing: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("{} cannot be {doing}", path.display())).because(error)
}

fn fold_all(
    context: &Context,
    ledger: &Folder,
    stores: &[(AgentId, KnowledgeHandle)],
) -> Result<State, Failure> {
    let head = ledger.head().seq;
    let mut progress = Progress::new(&context.terminal);
    // The logs of `\stdout` are brought in line at every start.
    let folded = fold(ledger.records(1), stores, None, |seq| progress.show("events", seq, head));
    folded.map_err(|error: StartError| Failure::from_error(&error))
}

/// Brings the files of an agent in line with the house.
fn finish(
    context: &Context,
    ledger: &Folder,
    house: &State,
    (agent, store): (&AgentId, &KnowledgeHandle),
) -> Result<Rebuilt, Failure> {
    let failed = |error: &dyn std::error::Error| Failure::from_error(error);
    let folder = context.home.agent_folder(agent);
    let agent = agent.clone();
    let knowledge = store.state_parts().map_err(|error| failed(&error))?;
    let Some(state) = house.agents.get(&agent) else {
        return Ok(Rebuilt { agent, identity: "none yet", dreams: 0, knowledge });
    };
    let file = IdentityFile::new(folder.join("identity.md"));
    let identity = match file.reconcile(&state.identity).map_err(|error| failed(&error))? {
        IdentityFileOutcome::Unchanged => "as it was",
        IdentityFileOutcome::Written => "written",
        IdentityFileOutcome::HandEdit { .. } => "an edit waits for the next start",
        IdentityFileOutcome::SetAside { .. } => "written; what was no identity was set aside",
    };
    let files = DreamFiles::new(folder.join("dreams"));
    for dream in files.missing(&state.dreams) {
        let content = dream_text(ledger, dream.seq)?;
        files.write(dream, &content).map_err(|error| failed(&error))?;
    }
    Ok(Rebuilt { agent, identity, dreams: state.dreams.list().len(), knowledge })
}

fn dream_text(ledger: &Folder, seq: u64) -> Result<String, Failure> {
    use abide_domain::event::{Event, MemoryEvent};
    let record = ledger.records(seq).next().transpose();
    let record = record.map_err(|error| Failure::from_error(&error))?;
    let entry = record.map(|record| record.entry()).transpose();
    match entry.map_err(|error| Failure::from_error(&error))?.map(|entry| entry.event) {
        Some(Event::Memory(MemoryEvent::DreamWritten(dream))) => Ok(dream.content),
        _ => Err(Failure::new(format!("line {seq} of the ledger holds no dream"))),
    }
}

/// Makes the vectors again, which are no part of the ledger. Where that cannot be done the keeper does it when it runs.
async fn embed(context: &Context, stores: &[(AgentId, KnowledgeHandle)]) {
    let terminal = &context.terminal;
    let embedder = match crate::cli::model::chosen(context) {
        Ok(EmbedderChoice { embedder: Some(embedder), .. }) => embedder,
        Ok(EmbedderChoice { embedder: None, announcement }) => return terminal.say(&announcement),
        Err(failure) => return terminal.say(&format!("no vectors were made: {failure}")),
    };
    for (agent, store) in stores {
        let mut progress = Progress::new(terminal);
        let watch = |step: EmbeddingStep| progress.show("vectors", step.done, step.total);
        let made = embed_missing(store, &*embedder, watch).await;
        drop(progress);
        match made {
            Ok(made) => terminal.say(&format!("{agent}: {made} vectors")),
            Err(error) => {
                let failure = Failure::from_error(&error);
                terminal.say(&format!("{agent}: not all vectors were made: {failure}"));
            }
        }
    }
}

fn tell(context: &Context, rebuilt: &[Rebuilt], events: u64, took: f64) -> Result<(), Failure> {
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    let rate = events as f64 / took.max(1e-6);
    let terminal = &context.terminal;
    if terminal.is_json() {
        let item = |one: &Rebuilt| json!({"citizen": one.agent.as_str(), "identity": one.identity, "dreams": one.dreams, "knowledge": one.knowledge});
        let items: Vec<_> = rebuilt.iter().map(item).collect();
        return terminal.json(&json!({
            "items": items, "next": null, "events": events, "seconds": took, "events_per_s": rate,
        }));
    }
    let row = |one: &Rebuilt| {
        let facts = one.knowledge.pointer("/facts").map_or_else(|| "-".into(), Value::to_string);
        vec![one.agent.to_string(), facts, one.dreams.to_string(), one.identity.to_owned()]
    };
    let rows: Vec<_> = rebuilt.iter().map(row).collect();
    terminal.data_part(&table(&["AGENT", "FACTS", "DREAMS", "IDENTITY.MD"], &rows))?;
    terminal.say(&format!("{events} events in {took:.1} s, {rate:.0} a second"));
    Ok(())
}
