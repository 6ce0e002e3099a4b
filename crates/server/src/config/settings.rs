//! The configuration as types. Deserialised only from values that passed the table of keys; sections without a part
//! behind them are checked by the table alone and have no type here yet.

use std::{net::SocketAddr, time::Duration};

use abide_domain::{AgentId, event::Partner, limits::Limits};
use serde::Deserialize;

use super::{
    alertmanager::AlertmanagerSettings, escalation::EscalationSettings, irc::IrcSettings,
    length::Length, notify::NotifySettings, telegram::TelegramSettings,
};

/// What the keeper is started with.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Settings {
    /// `[keeper]`.
    pub(crate) keeper: KeeperSettings,
    /// `[auth]`.
    pub(crate) auth: AuthSettings,
    model: ModelSettings,
    /// `[context]`.
    pub(crate) context: ContextSettings,
    limits: LimitSettings,
    /// `[budget]`.
    pub(crate) budget: BudgetSettings,
    /// `[tools]`.
    pub(crate) tools: ToolSettings,
    /// `[memory]`.
    pub(crate) memory: MemorySettings,
    /// `[sleep]`.
    pub(crate) sleep: SleepSettings,
    /// `[watchdog]`.
    pub(crate) watchdog: WatchdogSettings,
    /// `[irc]`.
    pub(crate) irc: IrcSettings,
    /// `[telegram]`.
    pub(crate) telegram: TelegramSettings,
    /// `[alertmanager]`.
    pub(crate) alertmanager: AlertmanagerSettings,
    /// `[supervisor]`.
    pub(crate) supervisor: SupervisorSettings,
    /// `[[notify]]`.
    #[serde(default, rename = "notify", deserialize_with = "super::notify::named")]
    pub(crate) notifiers: Vec<NotifySettings>,
    /// `[[escalation]]`.
    #[serde(default, rename = "escalation")]
    pub(crate) escalations: Vec<EscalationSettings>,
    /// `[test]`.
    pub(crate) test: TestSettings,
    /// `[[agent]]`.
    #[serde(rename = "agent")]
    pub(crate) agents: Vec<AgentSettings>,
}

/// `[keeper]`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct KeeperSettings {
    /// Where it listens.
    pub(crate) listen: SocketAddr,
    tick_interval: Length,
}

/// `[auth]`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct AuthSettings {
    /// Whether a token is needed.
    pub(crate) required: bool,
}

/// `[model]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct ModelSettings {
    /// The dialect.
    pub(crate) provider: Provider,
    /// Where the model is; empty: the provider's own address.
    pub(crate) base_url: String,
    /// The model's name.
    pub(crate) name: String,
    /// The variable that holds the key; empty: none is sent.
    pub(crate) api_key_env: String,
    /// The form in which it answers.
    pub(crate) voice: VoiceKind,
    /// A file with prices; empty: the built-in table.
    pub(crate) price_file: String,
}

/// A dialect, or the way to find one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Provider {
    /// A known key, else a local server, else none.
    Auto,
    /// OpenAI Chat Completions and all that speak it.
    Openai,
    /// OpenAI Responses.
    OpenaiResponses,
    /// Anthropic Messages.
    Anthropic,
    /// Ollama.
    Ollama,
    /// No model.
    Reflex,
}

/// The form of a voice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum VoiceKind {
    /// Native where the dialect has tool calls.
    Auto,
    /// The provider's own tool calls.
    Native,
    /// JSON text.
    Json,
}

impl VoiceKind {
    /// As it is configured.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Native => "native",
            Self::Json => "json",
        }
    }
}

/// `[context]`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ContextSettings {
    /// Estimated tokens of a prompt at most.
    pub(crate) tokens_max: u64,
    /// Whose exchanges an agent sees.
    pub(crate) history: HistoryScope,
}

/// Whose exchanges an agent sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum HistoryScope {
    /// All of its own.
    Agent,
    /// Those of the stimulus's session.
    Session,
}

#[derive(Clone, Debug, Deserialize)]
struct LimitSettings {
    turns: u32,
    calls: usize,
    turn: Length,
    attempts: u32,
    tool: Length,
    epoch: Length,
    queue: usize,
    approval: Length,
    tool_result_kb: usize,
    hops: u32,
}

/// `[budget]`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct BudgetSettings {
    /// US dollars a day and agent; 0: no limit.
    pub(crate) usd_day: f64,
}

/// `[tools]`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ToolSettings {
    /// Tools that run.
    pub(crate) allow: Vec<String>,
    /// Tools that need approval.
    pub(crate) ask: Vec<String>,
    /// Tools that never run.
    pub(crate) deny: Vec<String>,
}

/// `[memory]`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct MemorySettings {
    /// What turns text into vectors.
    pub(crate) embedder: EmbedderKind,
    /// Where the endpoint is; empty: OpenAI's own address.
    pub(crate) embedder_url: String,
    /// The endpoint's model.
    pub(crate) embedder_name: String,
    /// The variable that holds the endpoint's key; empty: none is sent.
    pub(crate) embedder_key_env: String,
    /// What steers the Dreamer.
    pub(crate) explorer: ExplorerKind,
}

/// What steers the Dreamer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ExplorerKind {
    /// The plan: the same for the same memory, and without cost.
    Plan,
    /// The agent's model, step by step; the plan where there is none or it gets stuck.
    Model,
}

/// An embedder, or the way to choose one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum EmbedderKind {
    /// The static table where its weights are there, else none.
    Auto,
    /// The static table.
    Wordllama,
    /// The small transformer.
    Minilm,
    /// An endpoint that speaks OpenAI's `/embeddings`.
    Openai,
    /// None: search is lexical alone.
    None,
}

/// `[sleep]`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct SleepSettings {
    /// Quiet time before sleep.
    pub(crate) idle: Length,
    /// An agent sleeps after more committed epochs than this.
    pub(crate) epochs_min: usize,
    /// A cron expression, in addition; empty: none.
    pub(crate) at: String,
}

/// `[watchdog]`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct WatchdogSettings {
    /// Whether it looks at all.
    pub(crate) enabled: bool,
    interval: Length,
    threshold: Length,
    bell_window: Length,
    channel_window: Length,
    cooldown: Length,
    grace: Length,
    /// The variable that holds the address of the dead man's switch; empty: there is none.
    pub(crate) ping_env: String,
}

impl WatchdogSettings {
    /// When silence counts, and how long each rung has.
    pub(crate) fn ladder(&self) -> abide_watchdog::WatchdogTimings {
        abide_watchdog::WatchdogTimings {
            interval: self.interval.0,
            threshold: self.threshold.0,
            bell_window: self.bell_window.0,
            channel_window: self.channel_window.0,
            cooldown: self.cooldown.0,
            grace: self.grace.0,
        }
    }
}

/// `[supervisor]`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct SupervisorSettings {
    /// Silence of a process before it is pinged.
    pub(crate) heartbeat_timeout: Length,
    /// Silence of a process before it is killed.
    pub(crate) kill_after: Length,
    /// Time between two checkpoints.
    pub(crate) checkpoint_interval: Length,
    /// Quiet time before a process is put away.
    pub(crate) hibernate_after: Length,
    /// Time from a process's start to its first word.
    pub(crate) ready_timeout: Length,
    /// Time that an ending process has before it is killed.
    pub(crate) shutdown_grace: Length,
    listen: String,
}

/// `[test]`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct TestSettings {
    /// Enables `probe.append`; empty: off.
    pub(crate) probe_file: String,
    /// Failpoints; empty: none.
    pub(crate) failpoints: String,
}

/// `[[agent]]`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct AgentSettings {
    /// Its id.
    pub(crate) id: AgentId,
    name: Option<String>,
    /// What it is for.
    #[serde(default = "default_role")]
    pub(crate) role: String,
    /// Its mind.
    #[serde(default)]
    pub(crate) mind: MindKind,
    /// Whom it works with.
    #[serde(default)]
    pub(crate) partners: Vec<Partner>,
    /// The program of an `agent` or `acp` mind; empty: the built-in agent.
    #[serde(default)]
    pub(crate) command: Vec<String>,
    /// When its process starts.
    #[serde(default)]
    pub(crate) start: Start,
    /// How its process is reached.
    #[serde(default)]
    pub(crate) transport: Transport,
    /// Where its program runs; empty: its folder in the home.
    #[serde(default)]
    pub(crate) folder: String,
    /// Variables of the keeper that its program gets, besides the usual ones.
    #[serde(default)]
    pub(crate) environment: Vec<String>,
    /// Memory of its process tree in MB; 0: no limit.
    #[serde(default)]
    pub(crate) memory_mb: u64,
    /// Processor time of each of its processes; 0: no limit.
    #[serde(default)]
    pub(crate) cpu_seconds: u64,
    /// Open files of each of its processes; 0: no limit.
    #[serde(default)]
    pub(crate) files: u64,
    /// Whether silence is a stall even without work.
    #[serde(default)]
    pub(crate) always_active: bool,
    /// What it is told by the clock.
    #[serde(default)]
    pub(crate) schedule: Vec<ScheduleSettings>,
    #[serde(default)]
    model: ModelOverride,
}

impl AgentSettings {
    /// An agent that this one, or one that it made, brought into being: the same partners and model, asked in the keeper,
    /// and nothing else of its maker's.
    pub(crate) fn offspring(&self, id: AgentId, role: String, mind: MindKind) -> Self {
        Self {
            id,
            name: None,
            role,
            mind,
            partners: self.partners.clone(),
            command: Vec::new(),
            start: Start::default(),
            transport: Transport::default(),
            folder: String::new(),
            environment: Vec::new(),
            memory_mb: 0,
            cpu_seconds: 0,
            files: 0,
            always_active: false,
            schedule: Vec::new(),
            model: self.model.clone(),
        }
    }
}

/// `[[agent.schedule]]`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ScheduleSettings {
    name: Option<String>,
    /// When: five fields of cron, UTC.
    pub(crate) cron: String,
    /// What the agent is told.
    pub(crate) content: String,
}

impl ScheduleSettings {
    /// Its name: its own in lower case, else its place in the list, from 1.
    pub(crate) fn name(&self, index: usize) -> String {
        let own = self.name.as_deref().map(str::to_lowercase);
        own.unwrap_or_else(|| (index + 1).to_string())
    }
}

/// When an agent's process starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Start {
    /// With its first stimulus.
    #[default]
    Lazy,
    /// With the keeper.
    Keeper,
}

/// How an agent's process is reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Transport {
    /// It is a child of the keeper.
    #[default]
    Stdio,
    /// It connects by itself, with the token.
    Socket,
}

/// A mind, or the way to choose one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MindKind {
    /// The best there is.
    #[default]
    Auto,
    /// A supervised process.
    Agent,
    /// A provider, called in the keeper.
    Model,
    /// No model.
    Reflex,
    /// An Agent Client Protocol agent.
    Acp,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct ModelOverride {
    provider: Option<Provider>,
    base_url: Option<String>,
    name: Option<String>,
    api_key_env: Option<String>,
    voice: Option<VoiceKind>,
    price_file: Option<String>,
}

fn default_role() -> String {
    "assistant".into()
}

impl KeeperSettings {
    /// Length of the world's tick.
    pub(crate) fn tick_interval(&self) -> Duration {
        self.tick_interval.0
    }
}

impl SupervisorSettings {
    /// Where agents may connect by TCP.
    pub(crate) fn listen(&self) -> Option<SocketAddr> {
        // Checked with the configuration: an address, or "off".
        self.listen.parse().ok()
    }
}

impl Settings {
    /// The bounds of epochs, turns and tools.
    pub(crate) fn limits(&self) -> Limits {
        let LimitSettings { turns, calls, attempts, queue, tool_result_kb, hops, .. } = self.limits;
        Limits {
            turns,
            calls,
            turn: self.limits.turn.0,
            attempts,
            tool: self.limits.tool.0,
            epoch: self.limits.epoch.0,
            queue,
            approval: self.limits.approval.0,
            tool_result_kb,
            hops,
        }
    }

    /// The model of an agent: its own table over the default one. A provider of its own does not inherit the default's
    /// address, name and key, which belong to another provider.
    pub(crate) fn model(&self, agent: &AgentSettings) -> ModelSettings {
        let own = agent.model.clone();
        let base = match own.provider {
            Some(provider) if provider != self.model.provider => ModelSettings {
                provider,
                base_url: String::new(),
                name: String::new(),
                api_key_env: String::new(),
                ..self.model.clone()
            },
            _ => self.model.clone(),
        };
        ModelSettings {
            provider: base.provider,
            base_url: own.base_url.unwrap_or(base.base_url),
            name: own.name.unwrap_or(base.name),
            api_key_env: own.api_key_env.unwrap_or(base.api_key_env),
            voice: own.voice.unwrap_or(base.voice),
            price_file: own.price_file.unwrap_or(base.price_file),
        }
    }
}

impl AgentSettings {
    /// Its display name.
    pub(crate) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(self.id.as_str())
    }
}
