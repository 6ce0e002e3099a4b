//! What a keeper under test is made of. A test changes it before a start, as a person changes a configuration.

use std::{fmt, sync::Arc};

use abide_domain::{AgentId, Sharing, Zone, event::Partner, limits::Limits, turn::TurnRequest};
use abide_engine::{
    AgentSetup, DreamerSetup, EpochSettings, KnownPeople, context::History, sleep::SleepSettings,
};
use abide_memory::{Distiller, Knowledge, KnowledgeHandle, RuleDistiller};
use abide_tools::{Registry, SharedRegistry, ToolPolicy};

use super::{
    Rig, TestTool, ToolRuns,
    mind::{Journal, RigAnswer, RigMind, Script},
};

/// The configuration of a keeper under test.
#[derive(Clone)]
pub struct Setup {
    /// `[limits]`.
    pub limits: Limits,
    /// `context.tokens_max`.
    pub tokens_max: u64,
    /// `context.history`.
    pub history: History,
    /// `memory.sharing`.
    pub sharing: Sharing,
    /// The zone in which times are shown to minds.
    pub time_zone: Zone,
    /// `budget.usd_day`, in millionths of a dollar.
    pub budget_microusd_day: Option<u64>,
    /// `tools.allow`.
    pub allow: Vec<&'static str>,
    /// `tools.ask`.
    pub ask: Vec<&'static str>,
    /// `tools.deny`.
    pub deny: Vec<&'static str>,
    /// When agents sleep by themselves; never, where it is none.
    pub sleep: Option<SleepSettings>,
    /// What distils their days.
    pub distiller: Arc<dyn Distiller>,
    /// `[test] failpoints`.
    pub failpoints: String,
    /// The agents; the first is the one that stimuli go to.
    pub agents: Vec<&'static str>,
    /// What the agents are for.
    pub role: String,
    /// `[[agent.schedule]]`.
    pub schedules: Vec<abide_engine::AgentSchedule>,
    /// Tools beside the built-in ones.
    pub props: Vec<TestTool>,
    script: Script,
}

impl Setup {
    /// One agent, `felix`, who may use every tool and whose partner is `nicolas`; the function answers for its mind and
    /// is told how often it has been asked, from 1.
    pub fn new(script: impl Fn(&TurnRequest, usize) -> RigAnswer + Send + Sync + 'static) -> Self {
        Self {
            limits: Limits::default(),
            tokens_max: 100_000,
            history: History::Agent,
            sharing: Sharing::default(),
            time_zone: Zone::utc(),
            budget_microusd_day: None,
            allow: vec!["*"],
            ask: Vec::new(),
            deny: Vec::new(),
            sleep: None,
            distiller: Arc::new(RuleDistiller),
            failpoints: String::new(),
            agents: vec!["felix"],
            role: "an agent under test".to_owned(),
            schedules: Vec::new(),
            props: Vec::new(),
            script: Arc::new(script),
        }
    }

    /// The same with a tool; one of the same name is replaced.
    #[must_use]
    pub fn tool(mut self, prop: TestTool) -> Self {
        self.props.retain(|other| other.name() != prop.name());
        self.props.push(prop);
        self
    }

    /// The same with other settings.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// The same with another script.
    #[must_use]
    pub fn answering(
        mut self,
        script: impl Fn(&TurnRequest, usize) -> RigAnswer + Send + Sync + 'static,
    ) -> Self {
        self.script = Arc::new(script);
        self
    }

    /// Starts a keeper with it, on an empty disk.
    pub async fn start(self) -> Rig {
        Rig::start(self).await
    }

    pub(super) fn settings(&self) -> EpochSettings {
        EpochSettings {
            limits: self.limits.clone(),
            context_tokens_max: self.tokens_max,
            history: self.history,
            sharing: self.sharing,
            time_zone: self.time_zone.clone(),
            budget_microusd_day: self.budget_microusd_day,
            drain: std::time::Duration::ZERO,
            sleep: self.sleep.clone(),
            people: KnownPeople::default(),
        }
    }

    pub(super) fn agents(&self, world: &Arc<ToolRuns>, journal: &Journal) -> Vec<AgentSetup> {
        self.agents.iter().map(|name| self.agent(name, &self.role, (world, journal))).collect()
    }

    /// An agent with the same mind, tools and partner as all.
    pub(super) fn agent(
        &self,
        name: &str,
        role: &str,
        (world, journal): (&Arc<ToolRuns>, &Journal),
    ) -> AgentSetup {
        let id: AgentId = name.parse().expect("an agent's id");
        let knowledge = Knowledge::in_memory(&id.entity()).expect("facts in memory");
        let mut tools = Registry::builtin(None).expect("the built-in tools");
        for prop in &self.props {
            tools.add(prop.clone().on_stage(world.clone())).expect("a prop with a name of its own");
        }
        let (script, journal) = (self.script.clone(), journal.clone());
        let nicolas = Partner { id: "nicolas".into(), name: "Nicolas".into(), role: String::new() };
        AgentSetup {
            id,
            name: name.to_owned(),
            role: role.to_owned(),
            partners: vec![nicolas],
            mind: Arc::new(RigMind { script, journal }),
            tools: SharedRegistry::new(tools).into(),
            policy: ToolPolicy::new(&self.allow, &self.ask, &self.deny).expect("tool patterns"),
            facts: KnowledgeHandle::new(knowledge).expect("facts in memory"),
            dreamer: DreamerSetup::default(),
            distiller: self.distiller.clone(),
        }
    }
}

impl fmt::Debug for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Setup").field("agents", &self.agents).finish_non_exhaustive()
    }
}
