//! All sections of `abide.toml`. A key stands here or in a file below, once, with its type, default, rule and description;
//! files, variables, flags, `config print`, `config set`, the JSON schema and `docs/configuration.md` are made from that.

use std::{collections::BTreeSet, net::SocketAddr, time::Duration};

use abide_domain::{AgentId, limits::Limits};
use abide_watchdog::{AttentionRules, EscalationPolicies, EscalationPolicyError, WatchdogTimings};

use super::{
    chat::ChatNumber,
    shape::{
        ADDRESS, ADDRESS_OR_OFF, CHATS, CRON, DAY, FLAG, HOUR, Key, MONEY, Node, SECOND, Shape,
        URL, VARIABLE_NAME, ZONE, count, section, text, time, words,
    },
    time_span::TimeSpan,
};

mod agent;
mod attention;
mod decks;
mod escalation;
mod evolution;
mod irc;
mod mcp;
mod media;
mod model;
mod notify;
mod tools;

pub(crate) use agent::{
    AgentSection, AgentToolsSection, MindKind, NetworkKind, SandboxMode, ScheduleSection, Start,
    Transport,
};
pub(crate) use attention::AttentionSection;
pub(crate) use decks::DecksSection;
pub(crate) use escalation::{ALL_AGENTS, EscalationSection};
pub(crate) use evolution::EvolutionSection;
pub(crate) use irc::{IrcSection, NetworkPerson, NetworkSection, network_person};
pub(crate) use mcp::{McpSection, QuestionPolicy};
pub(crate) use media::{MediaOutput, MediaPlayer, MediaSection};
pub(crate) use model::{ModelSection, Provider, VoiceKind};
pub(crate) use notify::{NotifyKind, NotifySection, name_services};
pub(crate) use tools::{FilesSection, ShellSection, ToolsSection};

section! {
    /// What the keeper is started with. Deserialised only from values that passed the checks of their keys.
    #[expect(dead_code, reason = "[model] is read as a part of each agent")]
    pub(crate) struct Settings {
        /// The keeper's address and clock.
        pub(crate) keeper: KeeperSection = {}, Node::Table(KeeperSection::KEYS);
        /// Who may use the keeper.
        pub(crate) auth: AuthSection = {}, Node::Table(AuthSection::KEYS);
        /// The model of all agents; an [agent.model] table overrides it.
        model: ModelSection = {}, Node::Table(ModelSection::KEYS);
        /// What goes into a prompt.
        pub(crate) context: ContextSection = {}, Node::Table(ContextSection::KEYS);
        /// Bounds of epochs, turns and tools.
        limits: LimitsSection = {}, Node::Table(LimitsSection::KEYS);
        /// What agents may spend.
        pub(crate) budget: BudgetSection = {}, Node::Table(BudgetSection::KEYS);
        /// Which tools an agent may use: names, or beginnings of names such as "memory.*".
        pub(crate) tools: ToolsSection = {}, Node::Table(ToolsSection::KEYS);
        /// How memory is searched.
        pub(crate) memory: MemorySection = {}, Node::Table(MemorySection::KEYS);
        /// When an agent consolidates its memory.
        pub(crate) sleep: SleepSection = {}, Node::Table(SleepSection::KEYS);
        /// When silence counts as a stall; see docs/watchdog.md.
        pub(crate) watchdog: WatchdogSection = {}, Node::Table(WatchdogSection::KEYS);
        /// The built-in IRC server; see docs/irc.md.
        pub(crate) irc: IrcSection = {}, Node::Table(IrcSection::KEYS);
        /// A Telegram bot that speaks for an agent; see docs/telegram.md.
        pub(crate) telegram: TelegramSection = {}, Node::Table(TelegramSection::KEYS);
        /// Agents' processes.
        pub(crate) supervisor: SupervisorSection = {}, Node::Table(SupervisorSection::KEYS);
        /// Changes of agents, tried before they count; see docs/evolution.md.
        pub(crate) evolution: EvolutionSection = {}, Node::Table(EvolutionSection::KEYS);
        /// The cards of decks; see docs/cards.md.
        pub(crate) decks: DecksSection = {}, Node::Table(DecksSection::KEYS);
        /// Music; see docs/media.md.
        pub(crate) media: MediaSection = {}, Node::Table(MediaSection::KEYS);
        /// For tests; refused unless ABIDE_TEST=1.
        pub(crate) test: TestSection = {}, Node::Table(TestSection::KEYS);
        /// Alerts that come in at /alertmanager; see docs/notify.md.
        pub(crate) alertmanager: AlertmanagerSection = {}, Node::Table(AlertmanagerSection::KEYS);
        /// Who is notified when an agent stalls; see docs/notify.md.
        #[serde(rename = "notify")]
        pub(crate) notifiers: Vec<NotifySection> = [], Node::Tables(NotifySection::KEYS);
        /// Who is notified first, and who next while nobody has acknowledged a stall.
        #[serde(rename = "escalation")]
        pub(crate) escalations: Vec<EscalationSection> = [], Node::Tables(EscalationSection::KEYS);
        /// Who is told of what waits for a person beside stalls, and when; see docs/watchdog.md.
        pub(crate) attention: Vec<AttentionSection> = [], Node::Tables(AttentionSection::KEYS);
        /// Servers of the Model Context Protocol, whose tools agents may use; see docs/mcp.md.
        pub(crate) mcp: Vec<McpSection> = [], Node::Tables(McpSection::KEYS);
        /// The agents. Tables in the file replace the default one.
        #[serde(rename = "agent")]
        pub(crate) agents: Vec<AgentSection> =
            [{ id = "felix", name = "Felix" }],
            Node::Tables(AgentSection::KEYS);
    }
}

section! {
    /// `[keeper]`.
    pub(crate) struct KeeperSection {
        /// Address and port; any other address than loopback needs auth.required = true and allow_plain = true.
        pub(crate) listen: SocketAddr = "127.0.0.1:7717", ADDRESS;
        /// Whether plain HTTP is served where others can reach it: only in a network that is encrypted itself, such as a VPN.
        pub(crate) allow_plain: bool = false, FLAG;
        /// Length of a tick. A change is an event; ticks never jump back.
        tick_interval: TimeSpan = "1s", time(10, HOUR);
        /// Where its people are, such as "Europe/Berlin": when their days begin, and what "tomorrow at 9" is; unset: the system's.
        pub(crate) time_zone: Option<String> = unset, ZONE;
        /// HTTP connections at most; event streams are connections too.
        pub(crate) connections: usize = 4096, count(16, 65_536);
        /// HTTP connections at most from one address; an IPv6 network of 64 bits is one.
        pub(crate) connections_per_peer: usize = 3072, count(8, 65_536);
        /// Time for a request's header to arrive, and for an idle connection to stay.
        header_timeout: TimeSpan = "30s", time(100, HOUR);
        /// Time in which a client must have read some of what waits for it.
        write_timeout: TimeSpan = "30s", time(100, HOUR);
    }
}

section! {
    /// `[auth]`.
    pub(crate) struct AuthSection {
        /// Whether a token is needed; it stands in the home folder, in the file token.
        pub(crate) required: bool = true, FLAG;
    }
}

section! {
    /// `[context]`.
    pub(crate) struct ContextSection {
        /// Estimated tokens of a prompt at most.
        pub(crate) tokens_max: u64 = 32000, count(1_000, 2_000_000);
        /// Whose exchanges an agent sees.
        pub(crate) history: HistoryKind = "agent", HistoryKind::NODE;
    }
}

words! {
    /// Whose exchanges an agent sees.
    pub(crate) enum HistoryKind {
        /// All of its own.
        Agent = "agent",
        /// Those of the stimulus's session.
        Session = "session",
    }
}

section! {
    /// `[limits]`.
    struct LimitsSection {
        /// Turns of an epoch.
        turns: u32 = 16, count(1, 1_000);
        /// Tool calls of a turn.
        calls: usize = 32, count(1, 256);
        /// Thinking time of one attempt at a turn before its answer begins to come, and between two pieces of it.
        turn: TimeSpan = "120s", time(100, HOUR);
        /// Thinking time of one attempt in all while pieces of its answer come.
        turn_streaming: TimeSpan = "600s", time(100, DAY);
        /// Attempts at a turn.
        attempts: u32 = 3, count(1, 20);
        /// Running time of one tool call.
        tool: TimeSpan = "60s", time(100, HOUR);
        /// Time of an epoch, waiting for approval not counted.
        epoch: TimeSpan = "600s", time(100, DAY);
        /// Stimuli queued for one agent.
        queue: usize = 1000, count(1, 100_000);
        /// Time that a person has to decide on a tool call, or to answer what a server asks in one.
        approval: TimeSpan = "300s", time(100, 7 * DAY);
        /// Kilobytes of one tool result in a prompt.
        tool_result_kb: usize = 64, count(1, 8_192);
        /// Messages from agent to agent in a row, without one from a person.
        hops: u32 = 200, count(1, 100_000);
    }
}

section! {
    /// `[budget]`.
    pub(crate) struct BudgetSection {
        /// US dollars a day and agent, after which the agent pauses and a page goes out; 0: no limit.
        pub(crate) usd_day: f64 = 0.0, MONEY;
    }
}

section! {
    /// `[memory]`.
    pub(crate) struct MemorySection {
        /// What turns text into vectors; `abide model pull` fetches weights.
        pub(crate) embedder: EmbedderKind = "auto", EmbedderKind::NODE;
        /// The endpoint of an "openai" embedder, such as "http://127.0.0.1:11434/v1"; empty: OpenAI's own.
        pub(crate) embedder_url: String = "", URL;
        /// The model of an "openai" embedder.
        pub(crate) embedder_name: String = "", text(256);
        /// The variable that holds the key of an "openai" embedder; empty: none is sent.
        pub(crate) embedder_key_env: String = "", VARIABLE_NAME;
        /// What steers the Dreamer.
        pub(crate) explorer: ExplorerKind = "plan", ExplorerKind::NODE;
        /// Who may be told what an agent remembers; see docs/memory.md.
        pub(crate) sharing: SharingKind = "person", SharingKind::NODE;
    }
}

words! {
    /// Who may be told what an agent remembers.
    pub(crate) enum SharingKind {
        /// Everybody all.
        Agent = "agent",
        /// What was said in private to that person, in a group to its members; what is of the project and the world to all.
        Person = "person",
        /// What was said in a conversation in that one alone.
        Channel = "channel",
    }
}

words! {
    /// What turns text into vectors.
    pub(crate) enum EmbedderKind {
        /// wordllama where its weights are there, else none.
        Auto = "auto",
        /// A static table.
        Wordllama = "wordllama",
        /// A small transformer.
        Minilm = "minilm",
        /// An endpoint that speaks OpenAI's /embeddings.
        Openai = "openai",
        /// Nothing: search is lexical only.
        None = "none",
    }
}

words! {
    /// What steers the Dreamer.
    pub(crate) enum ExplorerKind {
        /// The plan: the same for the same memory, and without cost.
        Plan = "plan",
        /// The agent's model, in up to 12 calls an epoch; the plan where there is none or it gets stuck.
        Model = "model",
    }
}

section! {
    /// `[sleep]`.
    pub(crate) struct SleepSection {
        /// Quiet time before sleep.
        pub(crate) idle: TimeSpan = "5m", time(SECOND, 7 * DAY);
        /// An agent sleeps only after more committed epochs than this.
        pub(crate) epochs_min: usize = 10, count(1, 100_000);
        /// A cron expression on the clock of keeper.time_zone, in addition; empty: none.
        pub(crate) at: String = "", CRON;
    }
}

section! {
    /// `[watchdog]`.
    pub(crate) struct WatchdogSection {
        /// Whether agents are watched at all.
        pub(crate) enabled: bool = true, FLAG;
        /// Time between two scans.
        interval: TimeSpan = "60s", time(100, DAY);
        /// Silence that counts as a stall.
        threshold: TimeSpan = "300s", time(100, 7 * DAY);
        /// Time that the first rung, the bell, has to work.
        bell_window: TimeSpan = "30s", time(10, DAY);
        /// Time that the second rung, the page on the channel, has to work.
        channel_window: TimeSpan = "120s", time(10, DAY);
        /// Time after a page in which the same agent is not paged again.
        cooldown: TimeSpan = "180s", time(10, DAY);
        /// Time after its registration in which an agent cannot stall.
        grace: TimeSpan = "60s", time(0, DAY);
        /// The variable that holds an address to ping after every good scan; empty: none.
        pub(crate) ping_env: String = "", VARIABLE_NAME;
    }
}

section! {
    /// `[telegram]`.
    pub(crate) struct TelegramSection {
        /// The variable that holds the bot's token; empty: there is no bot.
        pub(crate) token_env: String = "", VARIABLE_NAME;
        /// The chats that are answered, such as [123456789]; groups have negative numbers.
        pub(crate) chats: Vec<ChatNumber> = [], CHATS;
        /// The agent that is spoken to; empty: the only one.
        pub(crate) agent: String = "", text(64);
        /// A Bot API server of your own; empty: Telegram's.
        pub(crate) base_url: String = "", URL;
    }
}

section! {
    /// `[supervisor]`.
    pub(crate) struct SupervisorSection {
        /// Silence of a process before it is pinged.
        pub(crate) heartbeat_timeout: TimeSpan = "5s", time(100, HOUR);
        /// Silence of a process before it is killed.
        pub(crate) kill_after: TimeSpan = "30s", time(100, DAY);
        /// Time between two checkpoints.
        pub(crate) checkpoint_interval: TimeSpan = "5m", time(100, 7 * DAY);
        /// Quiet time before a process is stopped until it is needed.
        pub(crate) hibernate_after: TimeSpan = "15m", time(SECOND, 30 * DAY);
        /// Time from a process's start to its first message.
        pub(crate) ready_timeout: TimeSpan = "30s", time(100, HOUR);
        /// Time that an ending process has before it is killed.
        pub(crate) shutdown_grace: TimeSpan = "10s", time(100, HOUR);
        /// How agents' processes are confined; see docs/sandbox.md.
        pub(crate) sandbox: SandboxMode = "auto", SandboxMode::NODE;
        /// Loopback address for agents that connect by TCP, or "off"; keeper.sock is there when an agent's transport is "socket".
        listen: String = "off", ADDRESS_OR_OFF;
    }
}

section! {
    /// `[test]`.
    pub(crate) struct TestSection {
        /// Enables the tool probe.append, which writes to this file; empty: off.
        pub(crate) probe_file: String = "", text(4_096);
        /// The strictest level at which processes are confined.
        pub(crate) sandbox_level_max: u64 = 2, count(0, 2);
        /// name=exit|error|delay(ms), separated by commas; `abide test failpoints` lists the names.
        pub(crate) failpoints: String = "", text(4_096);
    }
}

section! {
    /// `[alertmanager]`.
    pub(crate) struct AlertmanagerSection {
        /// The agent that each alert is given to; empty: alerts are recorded only.
        pub(super) wake: String = "", text(64);
    }
}

impl KeeperSection {
    /// Length of a tick.
    pub(crate) fn tick_interval(&self) -> Duration {
        self.tick_interval.0
    }

    /// Time for a request's header to arrive, and for an idle connection to stay.
    pub(crate) fn header_timeout(&self) -> Duration {
        self.header_timeout.0
    }

    /// Time in which a client must have read some of what waits for it.
    pub(crate) fn write_timeout(&self) -> Duration {
        self.write_timeout.0
    }
}

impl WatchdogSection {
    /// When silence counts, and how long each rung has.
    pub(crate) fn ladder(&self) -> WatchdogTimings {
        WatchdogTimings {
            interval: self.interval.0,
            threshold: self.threshold.0,
            bell_window: self.bell_window.0,
            channel_window: self.channel_window.0,
            cooldown: self.cooldown.0,
            grace: self.grace.0,
        }
    }
}

impl SupervisorSection {
    /// Where agents may connect by TCP.
    pub(crate) fn listen(&self) -> Option<SocketAddr> {
        // Checked with the configuration: an address, or "off".
        self.listen.parse().ok()
    }
}

impl AlertmanagerSection {
    /// The agent that alerts are given to, if there is one.
    pub(crate) fn wake(&self) -> Option<AgentId> {
        // Checked with the configuration: empty, or an agent's id.
        self.wake.parse().ok()
    }
}

impl TelegramSection {
    /// The chats that are answered.
    pub(crate) fn chats(&self) -> BTreeSet<i64> {
        self.chats.iter().map(|chat| chat.0).collect()
    }
}

impl Settings {
    /// The bounds of epochs, turns and tools.
    pub(crate) fn limits(&self) -> Limits {
        let LimitsSection { turns, calls, attempts, queue, tool_result_kb, hops, .. } = self.limits;
        Limits {
            turns,
            calls,
            turn: self.limits.turn.0,
            turn_streaming: self.limits.turn_streaming.0,
            attempts,
            tool: self.limits.tool.0,
            epoch: self.limits.epoch.0,
            queue,
            approval: self.limits.approval.0,
            tool_result_kb,
            hops,
        }
    }

    /// Who is notified about which agents, and when.
    pub(crate) fn policies(&self) -> Result<EscalationPolicies, EscalationPolicyError> {
        EscalationPolicies::new(self.escalations.iter().map(EscalationSection::policy).collect())
    }

    /// Who is told of what waits for a person beside stalls, and when.
    pub(crate) fn attention_rules(&self) -> AttentionRules {
        AttentionRules(self.attention.iter().map(AttentionSection::rule).collect())
    }

    /// The agent that Telegram speaks to: the named one, else the only one.
    pub(crate) fn telegram_agent(&self) -> Option<AgentId> {
        let name = self.telegram.agent.to_lowercase();
        let found = match self.agents.as_slice() {
            agents if !name.is_empty() => agents.iter().find(|agent| agent.id.as_str() == name),
            [only] => Some(only),
            _ => None,
        };
        found.map(|agent| agent.id.clone())
    }
}

/// Every single-valued key outside of lists: section, key, shape. These can be set by variable, flag and `config set`.
pub(crate) fn leaves() -> impl Iterator<Item = (&'static str, &'static Key, Shape)> {
    let tables = Settings::KEYS.iter().filter_map(|section| match section.node {
        Node::Table(keys) => Some((section.name, keys)),
        Node::Value(_) | Node::Tables(_) => None,
    });
    tables.flat_map(|(section, keys)| {
        keys.iter().filter_map(move |key| match key.node {
            Node::Value(shape) => Some((section, key, shape)),
            Node::Table(_) | Node::Tables(_) => None,
        })
    })
}

/// The shape of a key by its path, also in a section of a section, such as `tools.rss.private`; none of what stands in a list.
pub(crate) fn shape_of(path: &str) -> Option<Shape> {
    let mut keys = Settings::KEYS;
    let mut names = path.split('.');
    loop {
        let name = names.next()?;
        match keys.iter().find(|key| key.name == name)?.node {
            Node::Table(inner) => keys = inner,
            Node::Value(shape) => return names.next().is_none().then_some(shape),
            Node::Tables(_) => return None,
        }
    }
}

/// The paths of all keys, also in sections of sections; not of what stands in a list.
pub(crate) fn paths() -> Vec<String> {
    fn below(section: &str, keys: &[Key], paths: &mut Vec<String>) {
        for key in keys {
            let path = match section {
                "" => key.name.to_owned(),
                section => format!("{section}.{}", key.name),
            };
            match key.node {
                Node::Table(inner) => below(&path, inner, paths),
                Node::Value(_) => paths.push(path),
                Node::Tables(_) => {}
            }
        }
    }
    let mut all = Vec::new();
    below("", Settings::KEYS, &mut all);
    all
}

/// The key and shape of `section.key`.
pub(crate) fn leaf(path: &str) -> Option<(&'static Key, Shape)> {
    let (section, name) = path.split_once('.')?;
    leaves()
        .find(|(s, key, _)| *s == section && key.name == name)
        .map(|(_, key, shape)| (key, shape))
}
