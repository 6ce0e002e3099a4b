//! The agents of the configuration with everything that belongs to them: mind, tools, policy, facts, identity file.

use std::{
    collections::BTreeMap,
    io,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use abide_domain::AgentId;
use abide_engine::{
    AgentFiles, AgentSetup, DreamFolders, Dreaming, IdentityFiles, agent_folder, mind::Mind,
};
use abide_memory::{
    Distiller, DreamFiles, Embedder, Explorer, IdentityFile, Knowledge, KnowledgeError,
    KnowledgeHandle, RuleDistiller,
};
use abide_tools::{Registry, RegistryError, ToolPolicy, ToolPolicyError};

use crate::{
    config::{AgentSection, Settings},
    home::Home,
};

/// Says why an agent cannot be put together.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CrewError {
    /// Its folder cannot be made.
    #[error("the folder {} cannot be made", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Its facts cannot be opened.
    #[error("the facts of {agent} cannot be opened")]
    Facts {
        /// Whose.
        agent: AgentId,
        /// Why.
        source: KnowledgeError,
    },
    /// `[tools]` does not fit.
    #[error(transparent)]
    Policy(#[from] ToolPolicyError),
    /// A tool does not fit.
    #[error(transparent)]
    Registry(#[from] RegistryError),
}

/// Everybody who lives here.
#[derive(Debug, Default)]
pub(crate) struct Crew {
    /// The agents.
    pub(crate) agents: Vec<AgentSetup>,
    /// Their identity documents.
    pub(crate) files: IdentityFiles,
    /// Their dreams.
    pub(crate) dreams: DreamFolders,
}

/// What serves agents beside their minds.
#[derive(Debug, Default)]
pub(crate) struct Beside {
    /// What distils the days of each; rules, where it is not named.
    pub(crate) distillers: BTreeMap<AgentId, Arc<dyn Distiller>>,
    /// What steers the Dreamer of each; the plan, where it is not named.
    pub(crate) explorers: BTreeMap<AgentId, Arc<dyn Explorer>>,
}

/// What all agents have in common. It outfits those of the configuration, and those that come later.
#[derive(Clone, Debug)]
pub(crate) struct Outfitter {
    home: Home,
    tools: Arc<Registry>,
    policy: ToolPolicy,
    /// What finds by meaning.
    embedder: Option<Arc<dyn Embedder>>,
}

/// What one agent has of its own beside its mind.
#[derive(Debug, Default)]
pub(crate) struct Own {
    /// What distils its days; rules, where it is none.
    pub(crate) distiller: Option<Arc<dyn Distiller>>,
    /// What steers its Dreamer; the plan, where it is none.
    pub(crate) explorer: Option<Arc<dyn Explorer>>,
}

impl Outfitter {
    /// From the configuration.
    pub(crate) fn new(
        home: &Home,
        settings: &Settings,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Result<Self, CrewError> {
        let probe_file = Some(&settings.test.probe_file).filter(|file| !file.is_empty());
        let tools = Arc::new(Registry::builtin(probe_file.map(Path::new))?);
        Ok(Self { home: home.clone(), tools, policy: policy(settings)?, embedder })
    }

    /// An agent with its folder. `head` is the newest durable event: facts that have seen more are built anew. Blocking.
    pub(crate) fn outfit(
        &self,
        agent: AgentSection,
        (mind, own): (Arc<dyn Mind>, Own),
        head: u64,
    ) -> Result<(AgentSetup, AgentFiles), CrewError> {
        let folder = agent_folder(self.home.root(), &agent.id);
        make_folder(&folder)?;
        let facts = facts(&folder, &agent.id, head)?;
        let belongings = AgentFiles {
            file: Some(IdentityFile::new(folder.join("identity.md"))),
            dreams: Some(DreamFiles::new(folder.join("dreams"))),
        };
        let dreaming = Dreaming { explorer: own.explorer, embedder: self.embedder.clone() };
        let agent = AgentSetup {
            name: agent.name().to_owned(),
            id: agent.id,
            role: agent.role,
            partners: agent.partners,
            mind,
            tools: Arc::clone(&self.tools),
            policy: self.policy.clone(),
            facts,
            dreaming,
            distiller: own.distiller.unwrap_or_else(|| Arc::new(RuleDistiller)),
        };
        Ok((agent, belongings))
    }
}

impl Crew {
    /// Puts all agents together. `head` is the newest durable event: facts that have seen more are built anew. Blocking.
    pub(crate) fn assemble(
        outfitter: &Outfitter,
        minds: Vec<(AgentSection, Arc<dyn Mind>)>,
        mut beside: Beside,
        head: u64,
    ) -> Result<Self, CrewError> {
        let mut crew = Self::default();
        for (agent, mind) in minds {
            let id = agent.id.clone();
            let (distiller, explorer) =
                (beside.distillers.remove(&id), beside.explorers.remove(&id));
            let own = Own { distiller, explorer };
            let (agent, belongings) = outfitter.outfit(agent, (mind, own), head)?;
            crew.agents.push(agent);
            crew.files.extend(belongings.file.map(|file| (id.clone(), file)));
            crew.dreams.extend(belongings.dreams.map(|dreams| (id, dreams)));
        }
        Ok(crew)
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

fn make_folder(path: &Path) -> Result<(), CrewError> {
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(|source| CrewError::Folder { path: path.into(), source })
}

fn facts(folder: &Path, agent: &AgentId, head: u64) -> Result<KnowledgeHandle, CrewError> {
    let failed = |source| CrewError::Facts { agent: agent.clone(), source };
    let opened =
        Knowledge::open(&folder.join("knowledge.db"), &agent.entity(), head).map_err(failed)?;
    if let Some(reason) = opened.rebuilt {
        tracing::warn!(%agent, reason, "the facts are built anew from the ledger");
    }
    KnowledgeHandle::new(opened.knowledge).map_err(failed)
}
