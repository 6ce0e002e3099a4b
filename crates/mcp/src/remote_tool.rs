//! A tool of a server: `mcp.<server>.<tool>`. One call is one `tools/call`, never two.

use std::{sync::Arc, time::Duration};

use abide_domain::{
    AgentId,
    text::shortened,
    tool::{EffectClass, ToolSpec},
};
use abide_tools::{Call, CallProgress, Output, Permission, Tool, ToolError, ToolErrorKind};
use futures_util::future::BoxFuture;
use jsonschema::Validator;
use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest};
use serde_json::{Map, Value};

use crate::{
    catalog::ListedTool,
    connection::Connection,
    limits::ERROR_CHARS_MAX,
    request::RequestError,
    result::{ReadResult, read_call_result},
    running_calls::CallOrigin,
};

/// A tool that another program has.
#[derive(Clone, Debug)]
pub(crate) struct RemoteTool {
    connection: Arc<Connection>,
    listed: Arc<ListedTool>,
}

impl RemoteTool {
    pub(crate) fn new(connection: Arc<Connection>, listed: Arc<ListedTool>) -> Self {
        Self { connection, listed }
    }

    async fn call(
        &self,
        arguments: Map<String, Value>,
        caller: (CallOrigin, &CallProgress),
    ) -> Result<Output, ToolError> {
        let params =
            CallToolRequestParams::new(self.listed.pin.tool.clone()).with_arguments(arguments);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let effect = self.listed.spec.effect;
        let is_offered = || self.connection.is_offered(&self.listed);
        let called = self.connection.call_if(request, caller, is_offered).await;
        let result = called.map_err(|error| to_tool_error(&error, effect))?;
        if is_unfinished(&result) {
            self.connection.decline("the server asked for input in the answer to a call");
            let error = RequestError::Unknown(
                "the server wants input of a person before it goes on, which it does not get"
                    .into(),
            );
            return Err(to_tool_error(&error, effect));
        }
        let read = read_call_result(&result).ok_or_else(|| {
            let error = RequestError::Unreadable("the answer is no result of a tool".to_owned());
            to_tool_error(&error, effect)
        })?;
        to_output(read)
    }
}

impl Tool for RemoteTool {
    fn spec(&self) -> &ToolSpec {
        &self.listed.spec
    }

    fn judge(&self, _: &AgentId, _: &Value) -> Option<Permission> {
        self.connection.settings.judge(&self.listed.pin.tool)
    }

    fn compiled_schema(&self) -> Option<Arc<Validator>> {
        Some(Arc::clone(&self.listed.arguments))
    }

    fn time_limit(&self, _: &Value) -> Option<Duration> {
        Some(self.connection.call_time_limit())
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(async move {
            // The registry held them against the schema, which is that of an object.
            let arguments = call.arguments.as_object().cloned().unwrap_or_default();
            self.call(arguments, (CallOrigin::of(&call), call.progress)).await
        })
    }
}

/// Whether an answer is not the end of the call: the server wants input, or made a task of it.
fn is_unfinished(result: &Value) -> bool {
    matches!(result.get("resultType").and_then(Value::as_str), Some("input_required" | "task"))
}

/// A result for the mind; what the server calls an error is one.
pub(crate) fn to_output(read: ReadResult) -> Result<Output, ToolError> {
    if read.is_error {
        let text = if read.text.is_empty() { "the server gives no reason" } else { &read.text };
        let message =
            format!("the server says that the call failed: {}", shortened(text, ERROR_CHARS_MAX));
        return Err(ToolError::of(ToolErrorKind::Upstream, message));
    }
    Ok(Output { content: read.text, ..Output::default() })
}

/// What is known about a call without a result. Of a call that only reads, nothing needs to be known.
pub(crate) fn to_tool_error(error: &RequestError, effect: EffectClass) -> ToolError {
    let reads = effect == EffectClass::Read;
    match error {
        RequestError::Changed => ToolError::of(ToolErrorKind::Blocked, error.to_string()),
        RequestError::NotSent(_) | RequestError::Refused { .. } => {
            ToolError::of(ToolErrorKind::Upstream, error.to_string())
        }
        RequestError::Unknown(reason) if reads => {
            ToolError::of(ToolErrorKind::Upstream, reason.clone())
        }
        RequestError::Unreadable(reason) if reads => {
            ToolError::of(ToolErrorKind::Unreadable, reason.clone())
        }
        RequestError::Unknown(reason) => ToolError::of(
            ToolErrorKind::Unknown,
            format!("{reason}. The request was sent once; whether it took effect is not known"),
        ),
        RequestError::Unreadable(reason) => ToolError::of(
            ToolErrorKind::Unknown,
            format!(
                "{reason}. The server answered, so the call has ended; whether it took effect is not known"
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::tool::EffectClass::{Read, World};
    use abide_tools::ToolErrorKind::{Unknown, Unreadable, Upstream};

    use super::to_tool_error;
    use crate::request::RequestError;

    #[test]
    fn only_what_was_sent_and_may_have_changed_something_is_unknown() {
        let sent = RequestError::Unknown("cut".into());
        let odd = RequestError::Unreadable("odd".into());
        let refused = RequestError::Refused { code: -32602, message: "no".into() };
        let kept = RequestError::NotSent("down".into());
        let cases = [
            (&sent, World, Unknown),
            (&sent, Read, Upstream),
            (&odd, World, Unknown),
            (&odd, Read, Unreadable),
            (&refused, World, Upstream),
            (&kept, World, Upstream),
        ];
        for (error, effect, kind) in cases {
            assert_eq!(to_tool_error(error, effect).kind, kind, "{error}");
        }
    }
}
