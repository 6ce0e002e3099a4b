//! A server of the configuration, as the client of the protocol takes it. Pure; it reads names of variables, never their values.

use abide_domain::tool::EffectClass;
use abide_mcp::{McpEndpoint, McpProgram, McpReach, McpServerSettings};

use crate::config::McpSection;

/// The settings of a server. Whether they can be used is theirs to say.
pub(crate) fn server_settings(section: &McpSection) -> McpServerSettings {
    let some = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    let reach = if section.url.is_empty() {
        McpReach::Process(McpProgram {
            command: section.command.clone(),
            args: section.args.clone(),
            environment: section.environment.clone(),
        })
    } else {
        McpReach::Http(McpEndpoint {
            is_private: section.private,
            token_env: some(&section.token_env),
            headers_env: read_headers(section).unwrap_or_default().into_iter().collect(),
            client_id: some(&section.client_id),
            scopes: section.scopes.clone(),
            callback_port: Some(section.callback_port).filter(|port| *port != 0),
            ..McpEndpoint::new(section.url.clone())
        })
    };
    McpServerSettings {
        allow: section.allow.clone(),
        ask: section.ask.clone(),
        deny: section.deny.clone(),
        effects: section.read_only.iter().map(|tool| (tool.clone(), EffectClass::Read)).collect(),
        trust_hints: section.trust_hints,
        start_limit: section.start_limit.0,
        call_idle_limit: section.call_idle_limit.0,
        call_total_limit: section.call_limit.0,
        ..McpServerSettings::reached(section.name.clone(), reach)
    }
}

/// Headers and the variables that hold their values.
pub(crate) fn read_headers(section: &McpSection) -> Result<Vec<(String, String)>, String> {
    let read = |text: &String| {
        let parts = text.split_once('=').filter(|(header, name)| {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            !header.is_empty() && !name.is_empty() && name.chars().all(is_name)
        });
        let problem = || format!("has {text:?}; a header is written \"Header=VARIABLE\"");
        parts.map(|(header, name)| (header.to_owned(), name.to_owned())).ok_or_else(problem)
    };
    section.headers_env.iter().map(read).collect()
}
