//! What a person says about one server: how it is reached, what its tools may do, how long it is waited for.

use std::{collections::BTreeMap, time::Duration};

use abide_domain::tool::EffectClass;
use abide_tools::Permission;

use crate::{
    limits::{
        CALL_IDLE_LIMIT, CALL_TOTAL_LIMIT, PROBE_LIMIT, REFRESH_FLOOR, SERVER_NAME_BYTES_MAX,
        START_LIMIT,
    },
    reach::{McpEndpoint, McpProgram, McpReach},
};

/// The settings of one server of the Model Context Protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpServerSettings {
    /// Its name, `[a-z0-9_]`, at most [`SERVER_NAME_BYTES_MAX`] bytes: the second part of the names of its tools.
    pub name: String,
    /// How it is reached.
    pub reach: McpReach,
    /// Tools that run without asking, by the server's own names; `*` means all.
    pub allow: Vec<String>,
    /// Tools that a person is asked about; wins over `allow`.
    pub ask: Vec<String>,
    /// Tools that are neither offered nor run; wins over both.
    pub deny: Vec<String>,
    /// What single tools change, by the server's own names: `read` or `world`. Without an entry: `world`. `list_resources` and
    /// `read_resource` are tools too, where the server has resources.
    pub effects: BTreeMap<String, EffectClass>,
    /// Whether the server is believed where it calls a tool read-only or idempotent.
    pub trust_hints: bool,
    /// How long it has from its start to the end of the handshake.
    pub start_limit: Duration,
    /// How long it may be silent about the newer lifecycle before the older handshake is sent.
    pub probe_limit: Duration,
    /// How long a call may last without a sign of progress.
    pub call_idle_limit: Duration,
    /// How long a call may last, whatever progress it makes.
    pub call_total_limit: Duration,
    /// Least time between two readings of the list of tools.
    pub refresh_floor: Duration,
}

/// Says what is wrong in the settings of a server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum McpSettingsError {
    /// The name cannot be a part of a tool's name.
    #[error(
        "`{name}` cannot be the name of a server: use 1 to {SERVER_NAME_BYTES_MAX} of a-z, 0-9 and _"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// There is nothing to start.
    #[error("the server `{name}` has no command")]
    NoCommand {
        /// The server.
        name: String,
    },
    /// It cannot be reached at its address.
    #[error("the address of the server `{name}` cannot be used: {problem}")]
    Address {
        /// The server.
        name: String,
        /// What is wrong with it. Nothing of the address stands in it.
        problem: String,
    },
    /// A header cannot go along.
    #[error("the header `{header}` of the server `{name}` cannot be set")]
    Header {
        /// The server.
        name: String,
        /// The header.
        header: String,
    },
    /// A tool of another program cannot stage events.
    #[error(
        "the effect of `{tool}` of the server `{name}` cannot be `state`: use `read` or `world`"
    )]
    Effect {
        /// The server.
        name: String,
        /// The tool.
        tool: String,
    },
    /// A limit of nothing would end each call at once.
    #[error("`{key}` of the server `{name}` must be more than 0")]
    Limit {
        /// The server.
        name: String,
        /// The key.
        key: &'static str,
    },
}

impl McpServerSettings {
    /// The settings of a server that is started here, with all limits as they are without configuration: its tools change the
    /// world, and the policy of `[tools]` decides alone.
    pub fn new(name: impl Into<String>, command: impl Into<String>) -> Self {
        let program = McpProgram { command: command.into(), ..McpProgram::default() };
        Self::reached(name, McpReach::Process(program))
    }

    /// The settings of a server that runs elsewhere, with everything else like those of [`Self::new`].
    pub fn remote(name: impl Into<String>, url: impl Into<String>) -> Self {
        Self::reached(name, McpReach::Http(McpEndpoint::new(url)))
    }

    /// The settings of a server that is reached in this way, with everything else like those of [`Self::new`].
    pub fn reached(name: impl Into<String>, reach: McpReach) -> Self {
        Self {
            name: name.into(),
            reach,
            allow: Vec::new(),
            ask: Vec::new(),
            deny: Vec::new(),
            effects: BTreeMap::new(),
            trust_hints: false,
            start_limit: START_LIMIT,
            probe_limit: PROBE_LIMIT,
            call_idle_limit: CALL_IDLE_LIMIT,
            call_total_limit: CALL_TOTAL_LIMIT,
            refresh_floor: REFRESH_FLOOR,
        }
    }

    /// Looks whether they can be used.
    pub fn check(&self) -> Result<(), McpSettingsError> {
        let name = || self.name.clone();
        if !is_server_name(&self.name) {
            return Err(McpSettingsError::Name { name: name() });
        }
        match &self.reach {
            McpReach::Process(program) if program.command.is_empty() => {
                return Err(McpSettingsError::NoCommand { name: name() });
            }
            McpReach::Process(_) => {}
            McpReach::Http(endpoint) => {
                if let Err(problem) = endpoint.address() {
                    return Err(McpSettingsError::Address { name: name(), problem });
                }
            }
        }
        if let Some((tool, _)) =
            self.effects.iter().find(|(_, effect)| **effect == EffectClass::State)
        {
            return Err(McpSettingsError::Effect { name: name(), tool: tool.clone() });
        }
        let limits = [
            ("start_limit", self.start_limit),
            ("probe_limit", self.probe_limit),
            ("call_idle_limit", self.call_idle_limit),
            ("call_total_limit", self.call_total_limit),
        ];
        match limits.iter().find(|(_, limit)| limit.is_zero()) {
            Some((key, _)) => Err(McpSettingsError::Limit { name: name(), key }),
            None => Ok(()),
        }
    }

    /// What the lists of this server say about one of its tools; none where they do not name it.
    pub(crate) fn judge(&self, tool: &str) -> Option<Permission> {
        let names = |list: &[String]| list.iter().any(|entry| entry == "*" || entry == tool);
        if names(&self.deny) {
            let reason = format!("`{tool}` is denied by `deny` of the server `{}`", self.name);
            return Some(Permission::Deny { reason });
        }
        if names(&self.ask) {
            return Some(Permission::Ask);
        }
        names(&self.allow).then_some(Permission::Allow)
    }
}

pub(crate) fn is_server_name(name: &str) -> bool {
    (1..=SERVER_NAME_BYTES_MAX).contains(&name.len())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use abide_domain::tool::EffectClass;
    use abide_tools::Permission;

    use super::{McpServerSettings, McpSettingsError};

    #[test]
    fn deny_wins_over_ask_over_allow_and_silence_decides_nothing() {
        let mut settings = McpServerSettings::new("files", "x");
        settings.allow = vec!["read".into(), "write".into(), "drop".into()];
        settings.ask = vec!["write".into(), "drop".into()];
        settings.deny = vec!["drop".into()];
        assert_eq!(settings.judge("read"), Some(Permission::Allow));
        assert_eq!(settings.judge("write"), Some(Permission::Ask));
        assert!(matches!(settings.judge("drop"), Some(Permission::Deny { .. })));
        assert_eq!(settings.judge("other"), None);
        settings.ask = vec!["*".into()];
        assert_eq!(settings.judge("other"), Some(Permission::Ask));
    }

    #[test]
    fn settings_that_cannot_be_used_say_why() {
        let good = McpServerSettings::new("files_2", "node");
        assert_eq!(good.check(), Ok(()));
        for name in ["", "Files", "a.b", "a-b", "a23456789012345678901234x"] {
            let bad = McpServerSettings { name: name.into(), ..good.clone() };
            assert_eq!(bad.check(), Err(McpSettingsError::Name { name: name.into() }));
        }
        let bad = McpServerSettings::new("files_2", "");
        assert!(matches!(bad.check(), Err(McpSettingsError::NoCommand { .. })));
        assert_eq!(McpServerSettings::remote("far", "https://mcp.example/mcp").check(), Ok(()));
        let bad = McpServerSettings::remote("far", "http://u:secret-word@mcp.example/").check();
        assert!(matches!(bad, Err(McpSettingsError::Address { .. })), "{bad:?}");
        assert!(!format!("{bad:?}").contains("secret"), "{bad:?}");
        let mut bad = good.clone();
        bad.effects.insert("write".into(), EffectClass::State);
        assert!(matches!(bad.check(), Err(McpSettingsError::Effect { .. })));
        let bad = McpServerSettings { call_idle_limit: Duration::ZERO, ..good };
        assert!(matches!(bad.check(), Err(McpSettingsError::Limit { key: "call_idle_limit", .. })));
    }
}
