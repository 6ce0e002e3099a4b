//! A server of the Model Context Protocol over stdio with one tool that does nothing: the child of a measurement of
//! `abide bench epoch`.
//!
//! It answers as fast as a process can, so that what is seen is the client's part.

use std::io::{self, BufRead as _, Write as _};

use serde_json::{Value, json};

use crate::{error::BenchError, ledger::events};

/// The server's name in the settings.
pub(crate) const SERVER_NAME: &str = "bench";
/// Its tool, in its own spelling.
pub(crate) const TOOL_NAME: &str = "note";
/// The same, as minds call it.
pub(crate) const TOOL: &str = "mcp.bench.note";

/// The line that calls the tool, with its end.
pub(crate) fn call_line(id: u64) -> String {
    let params = json!({"name": TOOL_NAME, "arguments": events::arguments()});
    format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
}

/// Answers each line of its input until that ends.
pub(crate) fn serve() -> Result<(), BenchError> {
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line.map_err(BenchError::io("read a request"))?;
        let message: Value =
            serde_json::from_str(&line).map_err(BenchError::of("read a request"))?;
        let Some(answer) = answer(&message) else { continue };
        writeln!(output, "{answer}").map_err(BenchError::io("answer a request"))?;
        output.flush().map_err(BenchError::io("answer a request"))?;
    }
    Ok(())
}

/// What it says to a message; nothing to what asks nothing.
fn answer(message: &Value) -> Option<Value> {
    let id = message.get("id")?;
    let result = match message.get("method").and_then(Value::as_str)? {
        "initialize" => json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": SERVER_NAME, "version": "1"},
        }),
        "tools/list" => json!({"tools": [{
            "name": TOOL_NAME,
            "description": "Notes a line.",
            "inputSchema": {
                "type": "object",
                "additionalProperties": false,
                "required": ["line"],
                "properties": {"line": {"type": "string"}},
            },
        }]}),
        "tools/call" => json!({"content": [{"type": "text", "text": events::RESULT}]}),
        "ping" => json!({}),
        method => {
            let error = json!({"code": -32_601, "message": format!("there is no method {method}")});
            return Some(json!({"jsonrpc": "2.0", "id": id, "error": error}));
        }
    };
    Some(json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{answer, call_line};

    #[test]
    fn a_call_is_answered_and_what_asks_nothing_is_not() {
        let called: Value = serde_json::from_str(&call_line(7)).unwrap();
        let answered = answer(&called).unwrap();
        assert_eq!(answered["id"], 7);
        assert!(answered["result"]["content"][0]["text"].is_string(), "{answered}");
        assert_eq!(answer(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})), None);
        let unknown = answer(&json!({"id": 1, "method": "server/discover"})).unwrap();
        assert_eq!(unknown["error"]["code"], -32_601);
    }
}
