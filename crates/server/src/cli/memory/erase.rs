//! `abide memory erase`: removes the words of what is forgotten from the ledger for good. Works only without a running keeper:
//! the ledger's files are written anew.
//!
//! What is erased is what forgetting takes back (`abide_memory::ForgetPlan`), with every copy of it that stands in the ledger. It is
//! asked for in the ledger first, then done, then written down; a cut at any point is carried on by `--resume` or the next
//! start. Reading order: here the order of things; `targets` (which lines); `copies` (which files).

use std::{collections::BTreeSet, sync::Arc};

use abide_domain::{
    AgentId, EntityName, EpochId, FactId, OWNER,
    event::{EraseRequested, Event},
    limits::{ERASED_LINES_MAX, REASON_CHARS_MAX},
};
use abide_engine::{keeper::fold, state::State};
use abide_ledger::{
    Draft, FileStorage, HomeLock, Ledger, LedgerOptions, LockError, erase, folder::Folder,
    write_down_erasure,
};
use abide_memory::{
    ForgetAuthority, ForgetError, ForgetPlan, ForgetRequest, ForgetTarget, Knowledge,
    KnowledgeHandle,
};
use clap::Args;
use serde_json::json;

use super::rebuild::agents;
use crate::{
    cli::{
        context::Context,
        error::{CliError, Exit},
        json_text::format_count,
    },
    system::SystemClock,
};

mod copies;
mod targets;

use targets::{EraseTargets, FoundLines, find};

/// Removes words from the ledger for good; the keeper must not be running
///
/// Erases what one epoch, one fact or one person said, with the facts, nodes, dreams and copies in the ledger that rest on
/// it, and forgets it as `abide memory forget` does. Without --yes it only shows what would be erased.
///
/// The lines stay, with who, where and when; every text in them becomes "[erased]". The chain is made anew from the first such
/// line on, so that a chain value that was written down elsewhere before fits no longer; `abide ledger verify` says what was
/// erased, by whom and when.
///
/// It cannot reach: copies, exports and backups of the home folder; what providers of models and people on channels
/// (Telegram, IRC, mail) got; files of agents in their work folders; blocks of the disk that hold the old files until they
/// are written over. Where a file of the home still holds the words it is named.
#[derive(Debug, Args)]
pub(super) struct Erase {
    /// The exchange of one epoch
    #[arg(long, value_name = "EPOCH", required_unless_present_any = ["fact", "person", "resume"])]
    epoch: Option<String>,
    /// A fact, what it took the place of, and the exchanges that say it
    #[arg(long, value_name = "FACT", conflicts_with = "epoch")]
    fact: Option<String>,
    /// Everything that somebody said and told
    #[arg(long, value_name = "NAME", conflicts_with_all = ["epoch", "fact"])]
    person: Option<String>,
    /// Carries on an erasure that was cut
    #[arg(long, conflicts_with_all = ["epoch", "fact", "person"])]
    resume: bool,
    /// Erases; this cannot be undone
    #[arg(long)]
    yes: bool,
    /// Who asks for it
    #[arg(long, value_name = "NAME", default_value = OWNER)]
    by: String,
    /// The reason; it stands in the ledger
    #[arg(long)]
    reason: Option<String>,
}

/// What is to be erased, by agent.
type Plans = Vec<(AgentId, ForgetPlan)>;

impl Erase {
    pub(super) async fn run(
        self,
        context: &Context,
        agent: Option<&str>,
    ) -> Result<Exit, CliError> {
        let home = &context.home;
        if !home.ledger_folder().is_dir() {
            let message = format!("{} has no ledger yet", home.root().display());
            return Err(CliError::new(message).hint("use --home for another home folder"));
        }
        let by = EntityName::sender(&self.by)
            .map_err(|error| CliError::usage(format!("--by: the name {error}")))?;
        if self.reason.as_ref().is_some_and(|reason| reason.chars().count() > REASON_CHARS_MAX) {
            let message = format!("--reason: at most {REASON_CHARS_MAX} characters are allowed");
            return Err(CliError::usage(message));
        }
        let _lock = HomeLock::acquire(home.root()).map_err(|error| match error {
            LockError::Held { .. } => CliError::from_error(&error)
                .hint("stop it first: the ledger's files are written anew"),
            LockError::Io { .. } => CliError::from(error),
        })?;
        let storage = FileStorage::at(&home.ledger_folder());
        if self.resume {
            let was_cut = erase::resume(&storage).map_err(|error| CliError::from_error(&error))?;
            write_down(context, &storage, Vec::new()).await?;
            copies::drop_projections(context)?;
            context.terminal.say(if was_cut { "done" } else { "no erasure was cut" });
            return Ok(Exit::Ok);
        }
        let folder = Folder::open(Arc::new(storage.clone()))?;
        let plans = self.plans(context, &folder, agent)?;
        let targets = self.targets(&plans)?;
        let found = find(&folder, &targets)?;
        if found.lines.is_empty() {
            return Err(CliError::new("nothing in the ledger holds words of it"));
        }
        if found.lines.len() > ERASED_LINES_MAX {
            let lines = format_count(found.lines.len() as u64, "line");
            return Err(CliError::new(format!(
                "{lines} would be erased; at most {ERASED_LINES_MAX} can be at once"
            )));
        }
        if !self.yes {
            show(context, &found)?;
            context.terminal.say("nothing was erased; --yes erases it, and this cannot be undone");
            return Ok(Exit::Ok);
        }
        drop(folder);
        self.carry_out(context, &storage, (plans, targets, found), by).await?;
        Ok(Exit::Ok)
    }

    /// What forgetting would take back, of each agent.
    fn plans(
        &self,
        context: &Context,
        folder: &Folder,
        agent: Option<&str>,
    ) -> Result<Plans, CliError> {
        let mut stores = Vec::new();
        for agent in agents(context, folder, agent)? {
            let path = context.home.agent_folder(&agent).join("knowledge.db");
            context.home.require_agent_folder(&agent).map_err(|error| CliError::folder(&error))?;
            std::fs::create_dir_all(context.home.agent_folder(&agent)).map_err(|error| {
                CliError::new("the agent's folder cannot be created").caused_by(&error)
            })?;
            let opened = Knowledge::open(&path, &agent.entity(), folder.head().seq)?;
            stores.push((agent, KnowledgeHandle::new(opened.knowledge)?));
        }
        fold(State::default(), folder.records(1), &stores, None, |_| ())?;
        let target = self.target()?;
        let authority = ForgetAuthority::Administrator;
        let mut plans = Vec::new();
        for (agent, store) in stores {
            match store.plan_forgetting(ForgetRequest { target: target.as_target(), authority }) {
                Ok(plan) => plans.push((agent, plan)),
                Err(ForgetError::NoFact(_)) => {}
                Err(error) => return Err(CliError::from_error(&error)),
            }
        }
        Ok(plans)
    }

    fn target(&self) -> Result<OwnTarget, CliError> {
        let epoch = |text: &String| {
            let parsed = text.parse::<EpochId>();
            parsed.map_err(|_| CliError::usage(format!("{text:?} is not the id of an epoch")))
        };
        let fact = |text: &String| {
            let parsed = text.parse::<FactId>();
            parsed.map_err(|_| CliError::usage(format!("{text:?} is not the id of a fact")))
        };
        match (&self.epoch, &self.fact, &self.person) {
            (Some(text), ..) => epoch(text).map(OwnTarget::Epoch),
            (_, Some(text), _) => fact(text).map(OwnTarget::Fact),
            (_, _, Some(name)) => Ok(OwnTarget::Person(name.clone())),
            _ => Err(CliError::usage("name an epoch, a fact or a person")),
        }
    }

    fn targets(&self, plans: &Plans) -> Result<EraseTargets, CliError> {
        let mut targets = EraseTargets::default();
        match self.target()? {
            OwnTarget::Epoch(epoch) => drop(targets.epochs.insert(epoch)),
            OwnTarget::Fact(fact) => drop(targets.facts.insert(fact)),
            OwnTarget::Person(name) => {
                let person = EntityName::sender(&name);
                targets.person = Some(
                    person
                        .map_err(|error| CliError::usage(format!("--person: the name {error}")))?,
                );
            }
        }
        for (_, plan) in plans {
            targets.epochs.extend(&plan.epochs);
            targets.facts.extend(plan.facts.iter().chain(&plan.closed_facts));
        }
        Ok(targets)
    }

    async fn carry_out(
        self,
        context: &Context,
        storage: &FileStorage,
        (plans, targets, found): (Plans, EraseTargets, FoundLines),
        by: EntityName,
    ) -> Result<(), CliError> {
        let named = |is_named: bool| if is_named { Some(()) } else { None };
        let requested = EraseRequested {
            epochs: named(self.epoch.is_some())
                .map_or_else(Vec::new, |()| targets.epochs.iter().copied().collect()),
            facts: named(self.fact.is_some())
                .map_or_else(Vec::new, |()| targets.facts.iter().copied().collect()),
            person: targets.person.clone(),
            lines: found.lines.len() as u64,
            reason: self.reason.clone(),
        };
        let mut drafts = vec![Draft { author: by.clone(), ..Draft::of_keeper(requested) }];
        for (agent, plan) in plans.iter().filter(|(_, plan)| !plan.is_empty()) {
            drafts.extend(plan.events(&by, self.reason.as_deref()).into_iter().map(
                |event: Event| Draft {
                    entity: agent.entity(),
                    author: by.clone(),
                    epoch: None,
                    event,
                },
            ));
        }
        let requested_seq = write_down(context, storage, drafts).await?;
        let failed = |error: erase::EraseError| {
            CliError::from_error(&error)
                .hint("`abide memory erase --resume` carries it on, and so does the next start")
        };
        // They hold the same words, and would be set aside by the next start with them.
        copies::drop_snapshots(context)?;
        let lines: BTreeSet<u64> = found.lines.keys().copied().collect();
        erase::erase(storage, requested_seq, lines).map_err(failed)?;
        copies::drop_projections(context)?;
        copies::drop_dreams(context, &found.dreams)?;
        write_down(context, storage, Vec::new()).await?;
        let named = copies::still_holding(context, &found.needles);
        if context.terminal.is_json() {
            context.terminal.json(&json!({
                "requested_seq": requested_seq,
                "lines": found.lines.len(),
                "kinds": found.by_kind(),
                "identities_in_force": found.identities_in_force,
                "files_that_still_hold_it": named,
                "out_of_reach": copies::OUT_OF_REACH,
            }))?;
            return Ok(());
        }
        show(context, &found)?;
        context
            .terminal
            .say(&format!("erased: {}", format_count(found.lines.len() as u64, "line")));
        context.terminal.say(
            "removed: knowledge, vectors and logs of \\stdout, which the next start makes again",
        );
        for file in named {
            context.terminal.say(&format!("still holds the words: {file}"));
        }
        for place in copies::OUT_OF_REACH {
            context.terminal.say(&format!("out of reach: {place}"));
        }
        Ok(())
    }
}

/// The target as it was given, with its parts owned.
enum OwnTarget {
    Epoch(EpochId),
    Fact(FactId),
    Person(String),
}

impl OwnTarget {
    fn as_target(&self) -> ForgetTarget<'_> {
        match self {
            Self::Epoch(epoch) => ForgetTarget::Epoch(*epoch),
            Self::Fact(fact) => ForgetTarget::Fact(*fact),
            Self::Person(name) => ForgetTarget::Person(name),
        }
    }
}

fn show(context: &Context, found: &FoundLines) -> Result<(), CliError> {
    for (kind, count) in found.by_kind() {
        context.terminal.data(&format!("{count:>7}  {kind}"))?;
    }
    for (agent, version_seq) in &found.identities_in_force {
        context.terminal.say(&format!(
            "the identity of {agent} that is in force (seq {version_seq}) holds the words and stays: edit it with `abide memory identity edit`, then erase again"
        ));
    }
    Ok(())
}

/// Opens the ledger, writes down what was erased, appends events, and closes it. Gives the first new sequence.
async fn write_down(
    context: &Context,
    storage: &FileStorage,
    drafts: Vec<Draft>,
) -> Result<u64, CliError> {
    let config = context.config()?;
    let mut options = LedgerOptions::new(Arc::new(SystemClock::new()));
    options.tick_interval = config.settings.keeper.tick_interval();
    let (ledger, committer) = Ledger::open(Arc::new(storage.clone()), options)?;
    let thread = committer.spawn().map_err(|error| {
        CliError::new("the ledger's writer cannot be started").caused_by(&error)
    })?;
    let written = write_down_erasure(storage, &ledger).await;
    let appended = if drafts.is_empty() { Ok(None) } else { ledger.append(drafts).await.map(Some) };
    ledger.close().await;
    if thread.join().is_err() {
        return Err(CliError::new("the ledger's writer ended with a panic"));
    }
    written.map_err(|error| CliError::from_error(&error))?;
    Ok(appended?.map_or(0, |receipt| receipt.first_seq))
}
