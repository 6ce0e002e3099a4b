//! The table of all configuration keys: name, shape, meaning. The only place that knows what may be configured.

/// What a value must look like.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// `true` or `false`.
    Flag,
    /// A whole number in a range.
    Count {
        /// Smallest.
        min: i64,
        /// Largest.
        max: i64,
    },
    /// An amount of money, zero or more.
    Money,
    /// Free text, in bytes at most.
    Text {
        /// Longest.
        bytes_max: usize,
    },
    /// One of some words.
    OneOf(&'static [&'static str]),
    /// A length of time such as `250ms`, in a range of milliseconds.
    Length {
        /// Shortest.
        min_ms: u64,
        /// Longest.
        max_ms: u64,
    },
    /// A list of texts.
    Texts,
    /// A list of tool names, each with at most a trailing `*`.
    ToolPatterns,
    /// `ip:port`.
    Address,
    /// `ip:port` or `off`.
    AddressOrOff,
    /// Empty, or an `http://` or `https://` address.
    Url,
    /// Empty, or the name of an environment variable.
    VariableName,
    /// A list of names of environment variables.
    VariableNames,
    /// Empty, or five cron fields.
    Cron,
    /// The id of an agent or a person.
    Id,
    /// A list of Telegram chats, as numbers or as texts.
    Chats,
}

/// What stands under a name.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Node {
    /// One value.
    Value(Shape),
    /// A table of its own.
    Table(&'static [Key]),
    /// A list of tables, and what each of them must have.
    Tables {
        /// What may stand in one.
        keys: &'static [Key],
        /// What must.
        required: &'static [&'static str],
    },
}

/// A name, what stands under it and what it is for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    /// As it is written.
    pub(crate) name: &'static str,
    /// What stands there.
    pub(crate) node: Node,
    /// One line for people.
    pub(crate) about: &'static str,
}

const fn key(name: &'static str, shape: Shape, about: &'static str) -> Key {
    Key { name, node: Node::Value(shape), about }
}

const fn table(name: &'static str, keys: &'static [Key], about: &'static str) -> Key {
    Key { name, node: Node::Table(keys), about }
}

const fn tables(
    name: &'static str,
    (keys, required): (&'static [Key], &'static [&'static str]),
    about: &'static str,
) -> Key {
    Key { name, node: Node::Tables { keys, required }, about }
}

const SECOND: u64 = 1_000;
const HOUR: u64 = 3_600 * SECOND;
const DAY: u64 = 24 * HOUR;
const TEXT: Shape = Shape::Text { bytes_max: 4_096 };

const fn length(min_ms: u64, max_ms: u64) -> Shape {
    Shape::Length { min_ms, max_ms }
}

const fn count(min: i64, max: i64) -> Shape {
    Shape::Count { min, max }
}

/// All sections.
pub(crate) const ROOT: &[Key] = &[
    table("keeper", KEEPER, "The keeper's address and clock."),
    table("auth", AUTH, "Who may speak to the keeper."),
    table("model", MODEL, "The model of agents that name none of their own."),
    table("context", CONTEXT, "What goes into a prompt."),
    table("limits", LIMITS, "Bounds of epochs, turns and tools."),
    table("budget", BUDGET, "Money."),
    table("tools", TOOLS, "Which tools an agent may use."),
    table("memory", MEMORY, "Search in memory."),
    table("sleep", SLEEP, "When an agent consolidates its memory."),
    table("watchdog", WATCHDOG, "When silence counts as a stall."),
    table("irc", IRC, "The built-in IRC server."),
    table("telegram", TELEGRAM, "A Telegram bot that speaks for an agent."),
    table("supervisor", SUPERVISOR, "Agent processes."),
    table("test", TEST, "For tests; refused unless ABIDE_TEST=1."),
    table("alertmanager", ALERTMANAGER, "Alerts that come in at /alertmanager."),
    tables("notify", (NOTIFY, &["kind"]), "Who is told when an agent stalls."),
    tables(
        "escalation",
        (ESCALATION, &["steps"]),
        "Who is told first, and who next while nobody has a stall in hand.",
    ),
    tables("agent", (AGENT, &["id"]), "The agents."),
];

const KEEPER: &[Key] = &[
    key(
        "listen",
        Shape::Address,
        "Address and port; other than loopback needs auth and TLS in front.",
    ),
    key("tick_interval", length(10, HOUR), "Length of the world's tick."),
];

const AUTH: &[Key] = &[key("required", Shape::Flag, "Whether a token is needed.")];

const MODEL: &[Key] = &[
    key(
        "provider",
        Shape::OneOf(&["auto", "openai", "openai-responses", "anthropic", "ollama", "reflex"]),
        "The dialect; auto looks for a key, then for a local server, else reflex.",
    ),
    key("base_url", Shape::Url, "Where the model is; empty: the provider's own address."),
    key("name", Shape::Text { bytes_max: 256 }, "The model's name."),
    key("api_key_env", Shape::VariableName, "The environment variable that holds the key."),
    key("voice", Shape::OneOf(&["auto", "native", "json"]), "The form in which it answers."),
    key(
        "price_file",
        TEXT,
        "A file with prices, for models that the built-in table does not know.",
    ),
];

const CONTEXT: &[Key] = &[
    key("tokens_max", count(1_000, 2_000_000), "Estimated tokens of history in a prompt."),
    key("history", Shape::OneOf(&["agent", "session"]), "Whose exchanges an agent sees."),
];

const LIMITS: &[Key] = &[
    key("turns", count(1, 1_000), "Turns in an epoch."),
    key("calls", count(1, 256), "Tool calls in a turn."),
    key("turn", length(100, HOUR), "Thinking time of one attempt at a turn."),
    key("attempts", count(1, 20), "Attempts at a turn."),
    key("tool", length(100, HOUR), "Running time of one tool call."),
    key("epoch", length(100, DAY), "Time of an epoch, waiting for approval not counted."),
    key("queue", count(1, 100_000), "Stimuli queued for one agent."),
    key("approval", length(100, 7 * DAY), "Time that a person has to decide."),
    key("tool_result_kb", count(1, 8_192), "Kilobytes of one tool result in a prompt."),
    key("hops", count(1, 100_000), "Messages from agent to agent in a row without a person."),
];

const BUDGET: &[Key] = &[key("usd_day", Shape::Money, "US dollars a day and agent; 0: no limit.")];

const TOOLS: &[Key] = &[
    key("allow", Shape::ToolPatterns, "Tools that run."),
    key("ask", Shape::ToolPatterns, "Tools that need approval."),
    key("deny", Shape::ToolPatterns, "Tools that never run; wins."),
];

const MEMORY: &[Key] = &[
    key(
        "embedder",
        Shape::OneOf(&["auto", "wordllama", "minilm", "openai", "none"]),
        "What turns text into vectors; auto: wordllama where its weights are there, else none.",
    ),
    key("embedder_url", Shape::Url, "Where openai's /embeddings is; empty: OpenAI's own address."),
    key("embedder_name", Shape::Text { bytes_max: 256 }, "The name of openai's model."),
    key("embedder_key_env", Shape::VariableName, "The variable that holds openai's key."),
    key("explorer", Shape::OneOf(&["plan", "model"]), "What steers the Dreamer."),
];

const SLEEP: &[Key] = &[
    key("idle", length(SECOND, 7 * DAY), "Quiet time before sleep."),
    key("epochs_min", count(1, 100_000), "Committed epochs before sleep is worth it."),
    key("at", Shape::Cron, "A cron expression, in addition."),
];

const WATCHDOG: &[Key] = &[
    key("enabled", Shape::Flag, "Whether it looks at all."),
    key("interval", length(100, DAY), "Time between two scans."),
    key("threshold", length(100, 7 * DAY), "Silence that counts as a stall."),
    key("bell_window", length(10, DAY), "Time that the first rung has to work."),
    key("channel_window", length(10, DAY), "Time that the second rung has to work."),
    key(
        "cooldown",
        length(10, DAY),
        "Time after a page in which the same agent is not paged again.",
    ),
    key("grace", length(0, DAY), "Time after its registration in which an agent cannot stall."),
    key(
        "ping_env",
        Shape::VariableName,
        "The variable that holds an address to ping after every good scan; empty: none.",
    ),
];

const ESCALATION: &[Key] = &[
    key(
        "agents",
        Shape::Texts,
        "About whom; empty, or \"*\": all. The first that names an agent counts.",
    ),
    tables("steps", (STEP, &["notify"]), "Who is told at once, and who is told next."),
];

const STEP: &[Key] = &[
    key("after", length(0, 30 * DAY), "How long after the escalation; the first step is at once."),
    key("notify", Shape::Texts, "The services that tell, by their names in [[notify]]."),
];

pub(super) const NOTIFY: &[Key] = &[
    key(
        "kind",
        Shape::OneOf(&[
            "webhook",
            "ntfy",
            "pagerduty",
            "alertmanager",
            "slack",
            "discord",
            "email",
            "desktop",
            "telegram",
        ]),
        "The service; docs/notify.md says which keys each takes.",
    ),
    key("name", Shape::Text { bytes_max: 64 }, "Its name, unique; default: its kind."),
    key("url_env", Shape::VariableName, "The variable that holds the address."),
    key("secret_env", Shape::VariableName, "The variable that holds the key, token or password."),
    key("link", Shape::Url, "What a message links to, such as this keeper's address."),
    key("source", Shape::Text { bytes_max: 128 }, "What incidents and alerts say they come from."),
    key("server", Shape::Text { bytes_max: 300 }, "The mail server: host or host:port."),
    key(
        "tls",
        Shape::OneOf(&["starttls", "implicit", "off"]),
        "How the line to it is kept private; off: only on this machine.",
    ),
    key("user", Shape::Text { bytes_max: 256 }, "Who logs in there, with secret_env."),
    key("from", Shape::Text { bytes_max: 256 }, "Whom mail is from."),
    key("to", Shape::Texts, "Whom mail is for; the chats of a telegram."),
    key("program", TEXT, "The program that speaks to the desktop; default: notify-send."),
];

const ALERTMANAGER: &[Key] = &[key(
    "wake",
    Shape::Text { bytes_max: 64 },
    "The agent that is told of each alert; empty: alerts are written down only.",
)];

const IRC: &[Key] = &[
    key(
        "listen",
        Shape::AddressOrOff,
        "Address and port, or \"off\"; other than loopback needs TLS and auth.",
    ),
    key("cert", TEXT, "A certificate chain in PEM; with key: TLS for every connection."),
    key("key", TEXT, "The certificate's key in PEM."),
    tables("network", (NETWORK, &["name", "host", "agent"]), "Agents on networks outside."),
];

const NETWORK: &[Key] = &[
    key("name", Shape::Text { bytes_max: 32 }, "What the house calls the network."),
    key("host", Shape::Text { bytes_max: 256 }, "Its server."),
    key("port", count(1, 65_535), "Its port; default: 6697."),
    key("tls", Shape::Flag, "Whether the connection is protected; default: true."),
    key("agent", Shape::Id, "The agent that speaks there."),
    key("nick", Shape::Text { bytes_max: 64 }, "Its nick there; default: the agent's."),
    key("account", Shape::Text { bytes_max: 256 }, "Its account there (SASL); empty: none."),
    key("password_env", Shape::VariableName, "The variable that holds the account's password."),
    key("channels", Shape::Texts, "Channels that it is in."),
    key(
        "people",
        Shape::Texts,
        "Accounts there that it answers: \"account\" or \"account=person\".",
    ),
];

const TELEGRAM: &[Key] = &[
    key("token_env", Shape::VariableName, "The variable that holds the bot's token; empty: off."),
    key("chats", Shape::Chats, "The chats that are heard; groups have negative numbers."),
    key(
        "agent",
        Shape::Text { bytes_max: 64 },
        "The agent that is spoken to; empty: the only one.",
    ),
    key("base_url", Shape::Url, "A Bot API server of your own; empty: Telegram's."),
];

const SUPERVISOR: &[Key] = &[
    key("heartbeat_timeout", length(100, HOUR), "Silence of a process before it is pinged."),
    key("kill_after", length(100, DAY), "Silence of a process before it is killed."),
    key("checkpoint_interval", length(100, 7 * DAY), "Time between two checkpoints."),
    key("hibernate_after", length(SECOND, 30 * DAY), "Quiet time before a process is put away."),
    key("ready_timeout", length(100, HOUR), "Time from a process's start to its first word."),
    key(
        "shutdown_grace",
        length(100, HOUR),
        "Time that an ending process has before it is killed.",
    ),
    key("listen", Shape::AddressOrOff, "Loopback address for agents that connect by TCP, or off."),
];

const TEST: &[Key] = &[
    key("probe_file", TEXT, "Enables the tool probe.append, which writes to this file."),
    key("failpoints", TEXT, "name=exit|error|delay(ms), separated by commas."),
];

const AGENT: &[Key] = &[
    key("id", Shape::Id, "Its id: a-z, 0-9, `.`, `_`, `-`."),
    key("name", Shape::Text { bytes_max: 256 }, "Its display name; default: the id."),
    key("role", TEXT, "What it is for."),
    key("mind", Shape::OneOf(&["auto", "agent", "model", "reflex", "acp"]), "Its mind."),
    key("command", Shape::Texts, "The program of an agent or ACP mind; empty: the built-in agent."),
    key("start", Shape::OneOf(&["lazy", "keeper"]), "With its first stimulus, or with the keeper."),
    key("transport", Shape::OneOf(&["stdio", "socket"]), "Our child, or it connects by itself."),
    key("folder", TEXT, "Where its program runs; empty: its folder in the home."),
    key("environment", Shape::VariableNames, "Variables of the keeper that its program gets, too."),
    key("memory_mb", count(0, 1 << 24), "Memory of its process tree; 0: no limit."),
    key("cpu_seconds", count(0, 1 << 31), "Processor time of each of its processes; 0: no limit."),
    key("files", count(0, 1 << 20), "Open files of each of its processes; 0: no limit."),
    key("always_active", Shape::Flag, "Whether silence is a stall even without work."),
    tables("partners", (PARTNER, &["id"]), "Whom it works with."),
    tables("schedule", (SCHEDULE, &["cron", "content"]), "What it is told by the clock."),
    table("model", MODEL, "Its model, where it differs from [model]."),
];

const SCHEDULE: &[Key] = &[
    key("name", Shape::Id, "Its name, unique for the agent; default: its place in the list."),
    key("cron", Shape::Cron, "When: minute hour day month weekday, UTC."),
    key("content", Shape::Text { bytes_max: 40_000 }, "What the agent is told."),
    key("channel", Shape::OneOf(&["system"]), "The channel of the stimulus."),
];

const PARTNER: &[Key] = &[
    key("id", Shape::Id, "The person's id."),
    key("name", Shape::Text { bytes_max: 256 }, "The person's name."),
    key("role", TEXT, "What the person is to the agent."),
];

/// Every single-valued key outside of lists: section, key, shape. These can be set by variable, flag and `config set`.
pub(crate) fn leaves() -> impl Iterator<Item = (&'static str, &'static Key, Shape)> {
    ROOT.iter().flat_map(|section| {
        let keys = match section.node {
            Node::Table(keys) => keys,
            Node::Value(_) | Node::Tables { .. } => &[],
        };
        keys.iter().filter_map(move |key| match key.node {
            Node::Value(shape) => Some((section.name, key, shape)),
            Node::Table(_) | Node::Tables { .. } => None,
        })
    })
}

/// The shape of `section.key`.
pub(crate) fn leaf(path: &str) -> Option<Shape> {
    let (section, name) = path.split_once('.')?;
    leaves().find(|(s, key, _)| *s == section && key.name == name).map(|(_, _, shape)| shape)
}
