//! `[tools]`: which tools an agent may use, and what each namespace of them may reach.

use crate::config::shape::{
    FLAG, Node, TEXTS, TOOL_PATTERNS, URL, VARIABLE_NAME, VARIABLE_NAMES, count, section, text,
};

section! {
    /// `[tools]`.
    pub(crate) struct ToolsSection {
        /// Tools that run.
        pub(crate) allow: Vec<String> = ["memory.*", "stdout", "clock.*"], TOOL_PATTERNS;
        /// Tools that need approval; this list wins over `allow`.
        pub(crate) ask: Vec<String> = [], TOOL_PATTERNS;
        /// Tools that never run; this list wins over the other two.
        pub(crate) deny: Vec<String> = [], TOOL_PATTERNS;
        /// The folders of `files.*` and `shell.run`.
        pub(crate) files: FilesSection = {}, Node::Table(FilesSection::KEYS);
        /// The commands of `shell.run`.
        pub(crate) shell: ShellSection = {}, Node::Table(ShellSection::KEYS);
        /// Searches and pages.
        pub(crate) internet: InternetSection = {}, Node::Table(InternetSection::KEYS);
        /// Feeds.
        pub(crate) rss: RssSection = {}, Node::Table(RssSection::KEYS);
        /// Cards.
        pub(crate) scryfall: ScryfallSection = {}, Node::Table(ScryfallSection::KEYS);
        /// Decks that others play.
        pub(crate) edhrec: EdhrecSection = {}, Node::Table(EdhrecSection::KEYS);
        /// Games.
        pub(crate) steam: SteamSection = {}, Node::Table(SteamSection::KEYS);
    }
}

section! {
    /// `[tools.files]`. Each agent has its own folder `work` besides.
    pub(crate) struct FilesSection {
        /// Folders that agents may read, as "name=/absolute/path".
        pub(crate) read: Vec<String> = [], TEXTS;
        /// Folders that agents may read and change, as "name=/absolute/path".
        pub(crate) write: Vec<String> = [], TEXTS;
    }
}

section! {
    /// `[tools.shell]`. Commands run in the sandbox.
    pub(crate) struct ShellSection {
        /// Commands that run unasked, such as "cargo test", or "git log *" for any plain words behind it.
        pub(crate) allow: Vec<String> = [], TEXTS;
        /// Commands that never run, by how they begin, such as "git push".
        pub(crate) deny: Vec<String> = [], TEXTS;
        /// Whether commands reach the network without a person's yes.
        pub(crate) network: bool = false, FLAG;
        /// Seconds for a command that names no time.
        pub(crate) seconds: u64 = 60, count(1, 3_600);
        /// Seconds for any command.
        pub(crate) seconds_max: u64 = 600, count(1, 86_400);
        /// Memory of a command with all that it starts, in MB; 0: no limit.
        pub(crate) memory_mb: u64 = 2_048, count(0, 1 << 24);
        /// The largest file that a command writes, in MB; 0: no limit.
        pub(crate) disk_mb: u64 = 1_024, count(0, 1 << 24);
        /// Variables of the keeper's that commands get besides PATH, LANG and TZ.
        pub(crate) environment: Vec<String> = [], VARIABLE_NAMES;
        /// Further files and folders that commands read; absolute, or from ~/.
        pub(crate) read: Vec<String> = [], TEXTS;
        /// Whether commands run where no sandbox can be had, with all that the keeper's user may do.
        pub(crate) unconfined: bool = false, FLAG;
    }
}

section! {
    /// `[tools.internet]`.
    pub(crate) struct InternetSection {
        /// Hosts whose pages agents may read, such as "example.org", "*.example.org" for all names below it, or "example.org:8443" for a port that is not the usual one.
        pub(crate) allowed: Vec<String> = [], TEXTS;
        /// Whether those hosts may have addresses of this machine or its network.
        pub(crate) private: bool = false, FLAG;
        /// A SearXNG that is asked, such as "http://127.0.0.1:8888"; empty: none.
        pub(crate) searxng_url: String = "", URL;
        /// The variable with the key of Brave's search; empty: it is not asked.
        pub(crate) brave_key_env: String = "", VARIABLE_NAME;
    }
}

section! {
    /// `[tools.rss]`.
    pub(crate) struct RssSection {
        /// Hosts whose feeds agents subscribe to unasked, written as in [tools.internet]; a person is asked about others.
        pub(crate) allowed: Vec<String> = [], TEXTS;
        /// Whether feeds may come from addresses of this machine or its network.
        pub(crate) private: bool = false, FLAG;
    }
}

section! {
    /// `[tools.scryfall]`.
    pub(crate) struct ScryfallSection {
        /// Its address, also for the cards of decks; empty: Scryfall's own.
        pub(crate) url: String = "", URL;
    }
}

section! {
    /// `[tools.edhrec]`.
    pub(crate) struct EdhrecSection {
        /// Whether EDHREC is asked, which publishes no terms for programs.
        pub(crate) enabled: bool = false, FLAG;
    }
}

section! {
    /// `[tools.steam]`.
    pub(crate) struct SteamSection {
        /// The address of Steam's service; empty: Steam's own.
        pub(crate) url: String = "", URL;
        /// The variable with the key of Steam's service; empty: only what is installed is known.
        pub(crate) key_env: String = "", VARIABLE_NAME;
        /// Whose games are meant where a call does not say it: a number of 17 digits or a name. The number also says whose hours are meant where several accounts play on this machine.
        pub(crate) id: String = "", text(64);
        /// Steam's folders on this machine; empty: where they usually are.
        pub(crate) roots: Vec<String> = [], TEXTS;
    }
}
