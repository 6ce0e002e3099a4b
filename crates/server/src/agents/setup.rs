//! An agent with everything that belongs to it: mind, tools, policy, facts, identity file, dreams.

use std::{
    io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use abide_domain::AgentId;
use abide_engine::{
    AgentFiles, AgentSetup, DreamFolders, DreamerSetup, IdentityFiles, PassageRanker, agent_folder,
    mind::Mind,
};
use abide_ledger::storage::check_room;
use abide_memory::{
    DreamFiles, Embedder, IdentityFile, IdentityFileWriters, Knowledge, KnowledgeError,
    KnowledgeHandle,
};
use abide_tools::{
    AgentTools, FIND_TOOL_NAME, OwnToolLists, RegistryError, SharedRegistry, ToolPolicy,
    ToolPolicyError,
};

use super::{minds::MemoryModels, process_setup::AgentWithMind, tools::own_registry};
use crate::{
    config::{AgentSection, AgentToolsSection, Settings},
    home::Home,
};

/// Says why an agent cannot be set up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AgentSetupError {
    /// Its folder cannot be made, or something else stands in its place.
    #[error("the folder {} of agent {agent} cannot be used", path.display())]
    Folder {
        /// The agent.
        agent: AgentId,
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Its facts cannot be opened.
    #[error("the facts (knowledge.db) of agent {agent} cannot be opened")]
    Facts {
        /// The agent.
        agent: AgentId,
        /// Why.
        source: KnowledgeError,
    },
    /// `[tools]` or its own lists are invalid.
    #[error(transparent)]
    Policy(#[from] ToolPolicyError),
    /// A tool of its own cannot be made.
    #[error(transparent)]
    Tools(#[from] RegistryError),
}

/// All agents, set up, and the files that are projected for them.
#[derive(Debug, Default)]
pub(crate) struct AgentSetups {
    /// The agents.
    pub(crate) agents: Vec<AgentSetup>,
    /// Their identity documents.
    pub(crate) files: IdentityFiles,
    /// Their dreams.
    pub(crate) dreams: DreamFolders,
}

/// Sets agents up, those of the configuration and those that agents make later. Holds what all of them share.
#[derive(Clone, Debug)]
pub(crate) struct AgentBuilder {
    home: Home,
    tools: Arc<SharedRegistry>,
    lists: PolicyLists,
    embedder: Option<Arc<dyn Embedder>>,
    ranker: Option<Arc<dyn PassageRanker>>,
}

impl AgentBuilder {
    /// From the configuration.
    pub(crate) fn new(
        home: &Home,
        settings: &Settings,
        tools: Arc<SharedRegistry>,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Result<Self, AgentSetupError> {
        let lists = PolicyLists::of(settings)?;
        Ok(Self { home: home.clone(), tools, lists, embedder, ranker: None })
    }

    /// With what ranks passages by rules of the agents' own.
    pub(crate) fn with_ranker(self, ranker: Arc<dyn PassageRanker>) -> Self {
        Self { ranker: Some(ranker), ..self }
    }

    /// Sets all agents of the configuration up. `head` is the newest durable event: facts that have seen more are rebuilt.
    /// Blocking.
    pub(crate) fn build_all(
        &self,
        agents: Vec<AgentWithMind>,
        head: u64,
    ) -> Result<AgentSetups, AgentSetupError> {
        let mut setups = AgentSetups::default();
        for AgentWithMind { settings, mind, memory, writers } in agents {
            let id = settings.id.clone();
            let (agent, files) = self.build(settings, (mind, memory, writers), head)?;
            setups.agents.push(agent);
            setups.files.extend(files.identity.map(|file| (id.clone(), file)));
            setups.dreams.extend(files.dreams.map(|dreams| (id, dreams)));
        }
        Ok(setups)
    }

    /// Refuses an agent in whose folder's place something else stands. Nothing is made.
    pub(crate) fn check_folder(&self, agent: &AgentId) -> Result<(), AgentSetupError> {
        let checked = self.home.require_agent_folder(agent);
        checked.map(drop).map_err(|source| AgentSetupError::Folder {
            agent: agent.clone(),
            path: self.home.agent_folder(agent),
            source,
        })
    }

    /// The agent's folder, and those in it that its process may write to.
    fn make_folders(&self, folder: &Path, agent: &AgentId) -> Result<(), AgentSetupError> {
        self.check_folder(agent)?;
        make_folder(folder, agent)?;
        make_folder(&self.home.work_folder(agent), agent)?;
        make_folder(&self.home.temporary_folder(agent), agent)
    }

    /// Sets one agent up and makes its folder. `head` as in [`AgentBuilder::build_all`]. Blocking.
    pub(super) fn build(
        &self,
        settings: AgentSection,
        (mind, memory, writers): (Arc<dyn Mind>, MemoryModels, IdentityFileWriters),
        head: u64,
    ) -> Result<(AgentSetup, AgentFiles), AgentSetupError> {
        let folder = agent_folder(self.home.root(), &settings.id);
        let facts = match self.make_folders(&folder, &settings.id) {
            Ok(()) => open_facts(&folder, &settings.id, head)?,
            Err(error) if error.is_full_disk() => facts_in_memory(&settings.id, &error)?,
            Err(error) => return Err(error),
        };
        let files = AgentFiles {
            identity: Some(IdentityFile::new(&folder, writers)),
            dreams: Some(DreamFiles::new(&folder.join("dreams"))),
        };
        let dreamer = DreamerSetup {
            explorer: memory.explorer,
            embedder: self.embedder.clone(),
            ranker: self.ranker.clone(),
        };
        let own_tools = own_registry(&self.home, &settings.id)?;
        let agent = AgentSetup {
            name: settings.name().to_owned(),
            policy: self.lists.policy(&settings.tools)?,
            tools: AgentTools::new(Arc::clone(&self.tools), own_tools)
                .of_agent(settings.id.clone()),
            id: settings.id,
            role: settings.role,
            partners: settings.partners,
            mind,
            facts,
            dreamer,
            distiller: memory.distiller,
        };
        Ok((agent, files))
    }
}

/// Which tools agents may use by the configuration.
#[derive(Clone, Debug)]
struct PolicyLists {
    /// By `[tools]`.
    shared: ToolPolicy,
    /// What is allowed without standing in a list, unless `ask` or `deny` names it.
    unlisted: Vec<String>,
}

impl PolicyLists {
    fn of(settings: &Settings) -> Result<Self, ToolPolicyError> {
        // It shows nothing but what the lists offer.
        let mut unlisted = vec![FIND_TOOL_NAME.to_owned()];
        // A test that enables it allows it.
        unlisted.extend((!settings.test.probe_file.is_empty()).then(|| "probe.*".to_owned()));
        let tools = &settings.tools;
        let allow = [tools.allow.as_slice(), &unlisted].concat();
        let shared = ToolPolicy::new(&allow, &tools.ask, &tools.deny)?;
        Ok(Self { shared, unlisted })
    }

    /// The policy of an agent with these lists of its own.
    fn policy(&self, own: &AgentToolsSection) -> Result<ToolPolicy, ToolPolicyError> {
        let allow = own.allow.as_ref().map(|allow| [allow.as_slice(), &self.unlisted].concat());
        self.shared.with_own_lists(OwnToolLists {
            allow: allow.as_deref(),
            ask: own.ask.as_deref(),
            deny: own.deny.as_deref(),
        })
    }
}

fn make_folder(path: &Path, agent: &AgentId) -> Result<(), AgentSetupError> {
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    let (agent, path) = (agent.clone(), path.to_owned());
    made.map_err(|source| AgentSetupError::Folder { agent, path, source })
}

impl AgentSetupError {
    /// Whether the disk alone is why: it is full, or cannot be written at all.
    fn is_full_disk(&self) -> bool {
        matches!(
            self,
            Self::Folder { source, .. } if matches!(
                source.kind(),
                io::ErrorKind::StorageFull
                    | io::ErrorKind::QuotaExceeded
                    | io::ErrorKind::ReadOnlyFilesystem
            )
        )
    }
}

/// Facts that live as long as this keeper: they are folded from the ledger like those on the disk, and the next start tries
/// the disk again.
fn facts_in_memory(
    agent: &AgentId,
    why: &dyn std::error::Error,
) -> Result<KnowledgeHandle, AgentSetupError> {
    tracing::warn!(%agent, event = "facts_in_memory", error = %why,
        "the agent's facts cannot be kept on the disk: they are kept in memory until the next start, and made again from the ledger");
    let failed = |source| AgentSetupError::Facts { agent: agent.clone(), source };
    let knowledge = Knowledge::in_memory(&agent.entity()).map_err(failed)?;
    KnowledgeHandle::new(knowledge).map_err(failed)
}

fn open_facts(
    folder: &Path,
    agent: &AgentId,
    head: u64,
) -> Result<KnowledgeHandle, AgentSetupError> {
    let failed = |source| AgentSetupError::Facts { agent: agent.clone(), source };
    if let Err(full) = check_room(folder) {
        return facts_in_memory(agent, &full);
    }
    let opened = match Knowledge::open(&folder.join("knowledge.db"), &agent.entity(), head) {
        Ok(opened) => opened,
        Err(error) if error.is_full_disk() => return facts_in_memory(agent, &error),
        Err(error) => return Err(failed(error)),
    };
    if let Some(reason) = opened.rebuilt {
        tracing::warn!(%agent, event = "facts_rebuilding", reason, "facts are rebuilt from the ledger");
    }
    KnowledgeHandle::new(opened.knowledge).map_err(failed)
}
