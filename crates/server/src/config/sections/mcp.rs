//! `[[mcp]]`: servers of the Model Context Protocol, whose tools agents may use. Which keys go together is among the rules.

use super::agent::{NetworkKind, SandboxMode};
use crate::config::{
    shape::{
        FLAG, HOUR, SECOND, TEXTS, URL, VARIABLE_NAME, VARIABLE_NAMES, count, section, text, time,
        words,
    },
    time_span::TimeSpan,
};

section! {
    /// `[[mcp]]`.
    #[derive(PartialEq)]
    pub(crate) struct McpSection {
        /// Its name, of a-z, 0-9 and _; its tools are mcp.<name>.<tool>.
        pub(crate) name: String = required, text(24);
        /// The program of a server that is started here.
        pub(crate) command: String = "", text(4_096);
        /// The program's arguments.
        pub(crate) args: Vec<String> = [], TEXTS;
        /// Variables of the keeper's that it gets besides PATH, LANG, LC_* and TZ.
        pub(crate) environment: Vec<String> = [], VARIABLE_NAMES;
        /// How it is confined; unset: as supervisor.sandbox says.
        pub(crate) sandbox: Option<SandboxMode> = unset, SandboxMode::NODE;
        /// What it reaches over the network.
        pub(crate) network: NetworkKind = "open", NetworkKind::NODE;
        /// Files and folders that it reads, besides its program and a folder of its own; absolute, or from ~/.
        pub(crate) read: Vec<String> = [], TEXTS;
        /// Files and folders that it writes; absolute, or from ~/.
        pub(crate) write: Vec<String> = [], TEXTS;
        /// Memory of its process tree in MB; 0: no limit.
        pub(crate) memory_mb: u64 = 2_048, count(0, 1 << 24);
        /// What it may keep in its folder of the home (mcp/<name>) in MB, and in one file anywhere; 0: no limit.
        pub(crate) disk_mb: u64 = 4_096, count(0, 1 << 24);
        /// The address of a server that runs elsewhere, in place of a command.
        pub(crate) url: String = "", URL;
        /// Whether that address may be in a private network, by http too.
        pub(crate) private: bool = false, FLAG;
        /// The variable with its token; empty: a login is used, where `abide mcp login` made one.
        pub(crate) token_env: String = "", VARIABLE_NAME;
        /// Headers that go along, as "Header=VARIABLE".
        pub(crate) headers_env: Vec<String> = [], TEXTS;
        /// The client that is registered at its login service; empty: one is registered at each login.
        pub(crate) client_id: String = "", text(512);
        /// What a login asks for; empty: what the server says that it needs.
        pub(crate) scopes: Vec<String> = [], TEXTS;
        /// The port on which a login comes back; 0: a free one.
        pub(crate) callback_port: u16 = 0, count(0, 65_535);
        /// Its tools that run unasked, by its own names; "*": all.
        pub(crate) allow: Vec<String> = [], TEXTS;
        /// Its tools that a person is asked about; this list wins over allow.
        pub(crate) ask: Vec<String> = [], TEXTS;
        /// Its tools that are neither shown nor run; this list wins over the other two.
        pub(crate) deny: Vec<String> = [], TEXTS;
        /// Its tools that only read; of all others it is taken that they change something.
        pub(crate) read_only: Vec<String> = [], TEXTS;
        /// Whether it is believed where it calls a tool read-only or repeatable.
        pub(crate) trust_hints: bool = false, FLAG;
        /// Whether it may ask something of a person in the middle of a call.
        pub(crate) questions: QuestionPolicy = "refuse", QuestionPolicy::NODE;
        /// Time from its start until it has said which tools it has.
        pub(crate) start_limit: TimeSpan = "60s", time(SECOND, HOUR);
        /// Time of a call without a sign of progress.
        pub(crate) call_idle_limit: TimeSpan = "120s", time(SECOND, HOUR);
        /// Time of a call, whatever progress it makes.
        pub(crate) call_limit: TimeSpan = "900s", time(SECOND, 24 * HOUR);
    }
}

words! {
    /// What becomes of a server's questions.
    pub(crate) enum QuestionPolicy {
        /// A person is asked, where one is there.
        Ask = "ask",
        /// All are declined, and the server hears from the start that nobody can be asked.
        Refuse = "refuse",
    }
}
