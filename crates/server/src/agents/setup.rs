//! An agent with everything that belongs to it: mind, tools, policy, facts, identity file, dreams.

use std::{
    io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use abide_domain::AgentId;
use abide_engine::{
    AgentFiles, AgentSetup, DreamFolders, DreamerSetup, IdentityFiles, agent_folder, mind::Mind,
};
use abide_memory::{
    DreamFiles, Embedder, IdentityFile, Knowledge, KnowledgeError, KnowledgeHandle,
};
use abide_tools::{Registry, RegistryError, ToolPolicy, ToolPolicyError};

use super::{minds::MemoryModels, process_setup::AgentWithMind};
use crate::{
    config::{AgentSection, Settings},
    home::Home,
};

/// Says why an agent cannot be set up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AgentSetupError {
    /// Its folder cannot be made.
    #[error("the folder {} of agent {agent} cannot be made", path.display())]
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
    /// `[tools]` is invalid.
    #[error(transparent)]
    Policy(#[from] ToolPolicyError),
    /// A tool cannot be registered.
    #[error(transparent)]
    Registry(#[from] RegistryError),
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
    tools: Arc<Registry>,
    policy: ToolPolicy,
    embedder: Option<Arc<dyn Embedder>>,
}

impl AgentBuilder {
    /// From the configuration.
    pub(crate) fn new(
        home: &Home,
        settings: &Settings,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Result<Self, AgentSetupError> {
        let probe_file = Some(&settings.test.probe_file).filter(|file| !file.is_empty());
        let tools = Arc::new(Registry::builtin(probe_file.map(Path::new))?);
        Ok(Self { home: home.clone(), tools, policy: policy(settings)?, embedder })
    }

    /// Sets all agents of the configuration up. `head` is the newest durable event: facts that have seen more are rebuilt.
    /// Blocking.
    pub(crate) fn build_all(
        &self,
        agents: Vec<AgentWithMind>,
        head: u64,
    ) -> Result<AgentSetups, AgentSetupError> {
        let mut setups = AgentSetups::default();
        for AgentWithMind { settings, mind, memory } in agents {
            let id = settings.id.clone();
            let (agent, files) = self.build(settings, (mind, memory), head)?;
            setups.agents.push(agent);
            setups.files.extend(files.identity.map(|file| (id.clone(), file)));
            setups.dreams.extend(files.dreams.map(|dreams| (id, dreams)));
        }
        Ok(setups)
    }

    /// Sets one agent up and makes its folder. `head` as in [`AgentBuilder::build_all`]. Blocking.
    pub(super) fn build(
        &self,
        settings: AgentSection,
        (mind, memory): (Arc<dyn Mind>, MemoryModels),
        head: u64,
    ) -> Result<(AgentSetup, AgentFiles), AgentSetupError> {
        let folder = agent_folder(self.home.root(), &settings.id);
        make_folder(&folder, &settings.id)?;
        make_folder(&self.home.work_folder(&settings.id), &settings.id)?;
        make_folder(&self.home.temporary_folder(&settings.id), &settings.id)?;
        let facts = open_facts(&folder, &settings.id, head)?;
        let files = AgentFiles {
            identity: Some(IdentityFile::new(folder.join("identity.md"))),
            dreams: Some(DreamFiles::new(folder.join("dreams"))),
        };
        let dreamer = DreamerSetup { explorer: memory.explorer, embedder: self.embedder.clone() };
        let agent = AgentSetup {
            name: settings.name().to_owned(),
            id: settings.id,
            role: settings.role,
            partners: settings.partners,
            mind,
            tools: Arc::clone(&self.tools),
            policy: self.policy.clone(),
            facts,
            dreamer,
            distiller: memory.distiller,
        };
        Ok((agent, files))
    }
}

/// The policy of `[tools]`. A probe that a test enables is allowed with it, unless `ask` or `deny` names it.
fn policy(settings: &Settings) -> Result<ToolPolicy, ToolPolicyError> {
    let mut allow = settings.tools.allow.clone();
    if !settings.test.probe_file.is_empty() {
        allow.push("probe.*".to_owned());
    }
    ToolPolicy::new(&allow, &settings.tools.ask, &settings.tools.deny)
}

fn make_folder(path: &Path, agent: &AgentId) -> Result<(), AgentSetupError> {
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    let (agent, path) = (agent.clone(), path.to_owned());
    made.map_err(|source| AgentSetupError::Folder { agent, path, source })
}

fn open_facts(
    folder: &Path,
    agent: &AgentId,
    head: u64,
) -> Result<KnowledgeHandle, AgentSetupError> {
    let failed = |source| AgentSetupError::Facts { agent: agent.clone(), source };
    let opened =
        Knowledge::open(&folder.join("knowledge.db"), &agent.entity(), head).map_err(failed)?;
    if let Some(reason) = opened.rebuilt {
        tracing::warn!(%agent, event = "facts_rebuilding", reason, "facts are rebuilt from the ledger");
    }
    KnowledgeHandle::new(opened.knowledge).map_err(failed)
}
