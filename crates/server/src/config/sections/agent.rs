//! `[[agent]]`: an agent, its mind and its process.

use std::time::Duration;

use abide_domain::{AgentId, Zone, event::Partner};

use super::model::ModelSection;
use crate::config::{
    shape::{
        CRON, DAY, FLAG, ID, Key, KeyDefault, MOMENT, Node, TEXTS, TOOL_PATTERNS, VARIABLE_NAMES,
        ZONE, count, section, text, time, words,
    },
    time_span::TimeSpan,
};

section! {
    /// `[[agent]]`.
    pub(crate) struct AgentSection {
        /// Its id: a-z, 0-9, `.`, `_` and `-`.
        pub(crate) id: AgentId = required, ID;
        /// Its display name; unset: the id.
        name: Option<String> = unset, text(256);
        /// What it is for.
        pub(crate) role: String = "assistant", text(4_096);
        /// What thinks for it.
        pub(crate) mind: MindKind = "auto", MindKind::NODE;
        /// The program of an agent or acp mind; empty: the built-in agent.
        pub(crate) command: Vec<String> = [], TEXTS;
        /// When its process starts.
        pub(crate) start: Start = "lazy", Start::NODE;
        /// How its process is reached.
        pub(crate) transport: Transport = "stdio", Transport::NODE;
        /// Where its program runs; empty: agents/<id>/work in the home folder.
        pub(crate) folder: String = "", text(4_096);
        /// Variables that its program gets besides PATH, HOME, LANG, TZ and TMPDIR.
        pub(crate) environment: Vec<String> = [], VARIABLE_NAMES;
        /// How its process is confined; unset: as supervisor.sandbox says.
        pub(crate) sandbox: Option<SandboxMode> = unset, SandboxMode::NODE;
        /// What its confined process reaches over the network.
        pub(crate) network: NetworkKind = "open", NetworkKind::NODE;
        /// Further files and folders that its confined process reads; absolute, or from ~/.
        pub(crate) read: Vec<String> = [], TEXTS;
        /// Further files and folders that its confined process writes; absolute, or from ~/.
        pub(crate) write: Vec<String> = [], TEXTS;
        /// Memory of its process tree in MB; 0: no limit.
        pub(crate) memory_mb: u64 = 0, count(0, 1 << 24);
        /// Processor time of each of its processes in seconds; 0: no limit.
        pub(crate) cpu_seconds: u64 = 0, count(0, 1 << 31);
        /// Open files of each of its processes; 0: no limit.
        pub(crate) files: u64 = 0, count(0, 1 << 20);
        /// What its processes may keep in agents/<id>/work and agents/<id>/tmp in MB, and in one file anywhere; 0: no limit.
        pub(crate) disk_mb: u64 = 4096, count(0, 1 << 24);
        /// Whether silence is a stall even when it has no work.
        pub(crate) always_active: bool = false, FLAG;
        /// Which tools it may use, where that differs from [tools].
        pub(crate) tools: AgentToolsSection = {}, Node::Table(AgentToolsSection::KEYS);
        /// How it is watched, where that differs from [watchdog].
        pub(crate) watchdog: AgentWatchdogSection = {}, Node::Table(AgentWatchdogSection::KEYS);
        /// Whom it works with.
        pub(crate) partners: Vec<Partner> = [], Node::Tables(PARTNER);
        /// Messages that it gets at fixed times.
        pub(crate) schedule: Vec<ScheduleSection> = [], Node::Tables(ScheduleSection::KEYS);
        /// Its model, where it differs from [model]. Another provider inherits no address, name or key.
        pub(crate) model: ModelSection = unset, Node::Table(ModelSection::KEYS);
    }
}

section! {
    /// `[agent.tools]`. A list that is given takes the place of the one of `[tools]`, for this agent and those that it makes.
    pub(crate) struct AgentToolsSection {
        /// Tools that run; unset: as tools.allow says.
        pub(crate) allow: Option<Vec<String>> = unset, TOOL_PATTERNS;
        /// Tools that need approval; unset: as tools.ask says.
        pub(crate) ask: Option<Vec<String>> = unset, TOOL_PATTERNS;
        /// Tools that never run; this list wins over the other two; unset: as tools.deny says.
        pub(crate) deny: Option<Vec<String>> = unset, TOOL_PATTERNS;
    }
}

section! {
    /// `[agent.watchdog]`.
    pub(crate) struct AgentWatchdogSection {
        /// Whether its silence is ever a stall.
        pub(crate) enabled: bool = true, FLAG;
        /// Silence longer than this is a stall; unset: as watchdog.threshold says.
        threshold: Option<TimeSpan> = unset, time(1, DAY);
    }
}

impl AgentWatchdogSection {
    /// How long the agent may be silent, where that is not as for all.
    pub(crate) fn threshold(&self) -> Option<Duration> {
        self.threshold.map(|threshold| threshold.0)
    }
}

section! {
    /// `[[agent.schedule]]`.
    #[expect(dead_code, reason = "channel has one value only, which nobody asks for")]
    pub(crate) struct ScheduleSection {
        /// Its name, unique for the agent; unset: its place in the list.
        name: Option<String> = unset, ID;
        /// When, again and again: minute, hour, day, month and weekday, on the clock of time_zone. Either this or at.
        pub(crate) cron: Option<String> = unset, CRON;
        /// When, once, such as 2026-12-01T09:00 on the clock of time_zone, or with an offset. Either this or cron.
        pub(crate) at: Option<String> = unset, MOMENT;
        /// The zone of both; unset: keeper.time_zone.
        pub(crate) time_zone: Option<String> = unset, ZONE;
        /// The message.
        pub(crate) content: String = required, text(40_000);
        /// The chat of Telegram that hears what the agent answers, one of telegram.chats: its number, or NUMBER/TOPIC; unset: a conversation of its own.
        pub(crate) chat: Option<String> = unset, text(64);
        /// The channel of the stimulus.
        channel: ScheduleChannel = "system", ScheduleChannel::NODE;
    }
}

const PARTNER: &[Key] = &[
    Key { name: "id", about: "The person's id.", default: KeyDefault::Required, node: ID },
    Key {
        name: "name",
        about: "The person's name.",
        default: KeyDefault::Required,
        node: text(256),
    },
    Key {
        name: "role",
        about: "What the person is to the agent.",
        default: KeyDefault::Unset,
        node: text(4_096),
    },
];

words! {
    /// The channel of a scheduled stimulus.
    pub(crate) enum ScheduleChannel {
        /// The keeper itself.
        System = "system",
    }
}

words! {
    /// What thinks for an agent.
    pub(crate) enum MindKind {
        /// agent; with provider reflex, reflex.
        Auto = "auto",
        /// A supervised process.
        Agent = "agent",
        /// A model, called by the keeper.
        Model = "model",
        /// Fixed rules, without a model.
        Reflex = "reflex",
        /// An Agent Client Protocol agent.
        Acp = "acp",
    }
}

words! {
    /// How agents' processes are confined.
    pub(crate) enum SandboxMode {
        /// As strictly as this machine allows, which the ledger tells.
        Auto = "auto",
        /// Not at all.
        Off = "off",
        /// As auto; where nothing holds it is refused: a server does not start, and for agents the keeper does not.
        Required = "required",
    }
}

words! {
    /// What a confined process reaches over the network.
    pub(crate) enum NetworkKind {
        /// All that the keeper reaches.
        Open = "open",
        /// Nothing.
        None = "none",
    }
}

words! {
    /// When an agent's process starts.
    pub(crate) enum Start {
        /// With its first stimulus.
        Lazy = "lazy",
        /// With the keeper.
        Keeper = "keeper",
    }
}

words! {
    /// How an agent's process is reached.
    pub(crate) enum Transport {
        /// As a child process of the keeper.
        Stdio = "stdio",
        /// It connects by itself, with the secret in agents/<id>/socket-secret.
        Socket = "socket",
    }
}

impl AgentSection {
    /// Its display name.
    pub(crate) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(self.id.as_str())
    }

    /// Whether its mind is a program of its own: a command, or a process that connects by itself.
    pub(crate) fn is_own_program(&self) -> bool {
        !self.command.is_empty() || self.transport == Transport::Socket
    }

    /// An agent that this one, or one that it created, created: it has the same partners and model, answers in the
    /// keeper, may use the same tools, and has nothing else of its creator's.
    pub(crate) fn offspring(&self, id: AgentId, role: String, mind: MindKind) -> Self {
        Self {
            id,
            name: None,
            role,
            mind,
            partners: self.partners.clone(),
            command: Vec::new(),
            start: Start::Lazy,
            transport: Transport::Stdio,
            folder: String::new(),
            environment: Vec::new(),
            sandbox: None,
            network: NetworkKind::Open,
            read: Vec::new(),
            write: Vec::new(),
            memory_mb: 0,
            cpu_seconds: 0,
            files: 0,
            disk_mb: 0,
            always_active: false,
            tools: self.tools.clone(),
            watchdog: self.watchdog.clone(),
            schedule: Vec::new(),
            model: self.model.clone(),
        }
    }
}

impl ScheduleSection {
    /// Its name: its own in lower case, else its place in the list, from 1.
    pub(crate) fn name(&self, index: usize) -> String {
        self.name.as_deref().map_or_else(|| (index + 1).to_string(), str::to_lowercase)
    }

    /// The number of the chat that hears its answers; none where it names none, or what it names is none.
    pub(crate) fn chat_number(&self) -> Option<i64> {
        let chat = self.chat.as_deref()?;
        let (number, topic) = chat.split_once('/').map_or((chat, None), |(n, t)| (n, Some(t)));
        let is_topic = topic.is_none_or(|topic| topic.parse::<u32>().is_ok());
        number.parse().ok().filter(|_| is_topic)
    }

    /// The zone on whose clock it comes: its own, else the keeper's.
    pub(crate) fn zone(&self, keeper: &Zone) -> Zone {
        let own = self.time_zone.as_deref().and_then(|name| Zone::named(name).ok());
        own.unwrap_or_else(|| keeper.clone())
    }
}
