//! What was accepted of servers' tools, from the ledger and to it. The ledger alone says so; nothing here decides. Read at the
//! keeper's start, before its agents are offered any tool.

use std::collections::BTreeMap;

use abide_domain::{
    EntityName,
    event::{Event, McpEvent, McpToolAccepted},
};
use abide_ledger::{AppendError, Draft, Ledger, Query, erase::ERASED};
use abide_mcp::ToolPin;

use super::records::McpRecordsError;

/// The newest that was accepted of each tool, by server.
pub(crate) type AcceptedTools = BTreeMap<String, Vec<ToolPin>>;

/// The kind of the lines that say so.
const ACCEPTED: &str = "mcp.tool_accepted";

/// Reads all that was ever accepted. Blocking.
pub(crate) fn read_accepted(ledger: &Ledger) -> Result<AcceptedTools, McpRecordsError> {
    let mut newest: BTreeMap<(String, String), ToolPin> = BTreeMap::new();
    let query = Query { kinds: vec![ACCEPTED.to_owned()], ..Query::default() };
    for record in ledger.query(query) {
        if let Event::Mcp(McpEvent::ToolAccepted(accepted)) = record?.entry()?.event {
            let key = (accepted.server.clone(), accepted.tool.clone());
            newest.insert(key, pin_of(accepted));
        }
    }
    let mut by_server = AcceptedTools::new();
    for ((server, _), pin) in newest {
        // What was erased waits for a person anew; that somebody looked at the server stays.
        let known = by_server.entry(server).or_default();
        known.extend(Some(pin).filter(|pin| pin.description != ERASED));
    }
    Ok(by_server)
}

/// Writes down what is accepted, all of it or nothing.
pub(super) async fn record(
    ledger: &Ledger,
    pins: &[ToolPin],
    by: &EntityName,
) -> Result<(), AppendError> {
    let draft = |pin: &ToolPin| Draft {
        entity: EntityName::keeper(),
        author: by.clone(),
        epoch: None,
        event: McpToolAccepted {
            server: pin.server.clone(),
            tool: pin.tool.clone(),
            description: pin.description.clone(),
            schema: pin.schema.clone(),
            hints: pin.hints.clone(),
        }
        .into(),
    };
    if pins.is_empty() {
        return Ok(());
    }
    ledger.append(pins.iter().map(draft).collect()).await.map(drop)
}

fn pin_of(accepted: McpToolAccepted) -> ToolPin {
    let McpToolAccepted { server, tool, description, schema, hints } = accepted;
    ToolPin::new(server, tool, description, schema, hints)
}
