//! `mcp.<server>.list_resources` and `mcp.<server>.read_resource`, where a server has resources.
//!
//! The mind chooses the address, or the cursor, and what it chooses leaves the keeper: both are of class `world`, unless a person
//! says in the settings that they only read.

use std::{fmt::Write as _, sync::Arc, time::Duration};

use abide_domain::{
    AgentId, escaped_json,
    tool::{EffectClass, ToolSpec},
};
use abide_tools::{Call, Output, Permission, Tool, ToolError, parse_arguments};
use futures_util::future::BoxFuture;
use rmcp::model::{ClientRequest, ReadResourceRequest, ReadResourceRequestParams};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    connection::Connection,
    limits::RESULT_TEXT_BYTES_MAX,
    listing::{ask_for_resources, read_resources},
    names::{LIST_RESOURCES, READ_RESOURCE, own_tool_name},
    remote_tool::{to_output, to_tool_error},
    request::RequestError,
    result::{describe_link, read_resource_result},
    running_calls::CallOrigin,
};

/// What one of the two tools does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    List,
    Read,
}

/// A tool over the resources of a server.
#[derive(Clone, Debug)]
pub(crate) struct ResourceTool {
    connection: Arc<Connection>,
    action: Action,
    spec: ToolSpec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListArguments {
    cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadArguments {
    uri: String,
}

impl ResourceTool {
    /// The tool that lists them.
    pub(crate) fn list(connection: Arc<Connection>) -> Self {
        let description = "Lists the resources of the server, one page at a time.";
        let parameters = json!({
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "cursor": {
                    "type": ["string", "null"],
                    "description": "where the next page begins, as the page before said it"
                }
            }
        });
        Self::new(connection, Action::List, description, parameters)
    }

    /// The tool that reads one.
    pub(crate) fn read(connection: Arc<Connection>) -> Self {
        let description = "Reads a resource of the server by its address.";
        let parameters = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["uri"],
            "properties": {"uri": {"type": "string", "description": "the address of the resource"}}
        });
        Self::new(connection, Action::Read, description, parameters)
    }

    fn new(
        connection: Arc<Connection>,
        action: Action,
        description: &str,
        parameters: Value,
    ) -> Self {
        let settings = &connection.settings;
        let effect = settings.effects.get(action.name()).copied().unwrap_or(EffectClass::World);
        let spec = ToolSpec {
            name: own_tool_name(&settings.name, action.name()),
            description: description.to_owned(),
            parameters,
            effect,
            idempotent: effect == EffectClass::Read,
        };
        Self { connection, action, spec }
    }

    async fn list_page(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        let arguments: ListArguments = parse_arguments(call.arguments)?;
        let fail = |error: RequestError| to_tool_error(&error, self.spec.effect);
        let request = ask_for_resources(arguments.cursor);
        let caller = (CallOrigin::of(call), call.progress);
        let answer = self.connection.call(request, caller).await.map_err(fail)?;
        let page = read_resources(&answer).map_err(fail)?;
        let mut text = String::new();
        for resource in &page.items {
            if text.len() > RESULT_TEXT_BYTES_MAX {
                text.push_str("[cut: this page is too long]\n");
                break;
            }
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{}", describe_link(resource));
        }
        match page.next {
            Some(next) => {
                let cursor = json!(next).to_string();
                let _ = write!(text, "[more: go on with the cursor {}]", escaped_json(&cursor));
            }
            None if page.items.is_empty() => text.push_str("[no resources]"),
            None => {}
        }
        Ok(Output { content: text, ..Output::default() })
    }

    async fn read_one(&self, call: &Call<'_>) -> Result<Output, ToolError> {
        let arguments: ReadArguments = parse_arguments(call.arguments)?;
        let params = ReadResourceRequestParams::new(arguments.uri);
        let request = ClientRequest::ReadResourceRequest(ReadResourceRequest::new(params));
        let fail = |error: RequestError| to_tool_error(&error, self.spec.effect);
        let caller = (CallOrigin::of(call), call.progress);
        let result = self.connection.call(request, caller).await.map_err(fail)?;
        let unreadable = || RequestError::Unreadable("the answer is no resource".to_owned());
        to_output(read_resource_result(&result).ok_or_else(|| fail(unreadable()))?)
    }
}

impl Action {
    fn name(self) -> &'static str {
        match self {
            Self::List => LIST_RESOURCES,
            Self::Read => READ_RESOURCE,
        }
    }
}

impl Tool for ResourceTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn judge(&self, _: &AgentId, _: &Value) -> Option<Permission> {
        self.connection.settings.judge(self.action.name())
    }

    fn time_limit(&self, _: &Value) -> Option<Duration> {
        Some(self.connection.call_time_limit())
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(async move {
            match self.action {
                Action::List => self.list_page(&call).await,
                Action::Read => self.read_one(&call).await,
            }
        })
    }
}
