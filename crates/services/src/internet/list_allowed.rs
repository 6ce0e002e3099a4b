//! `internet.list_allowed {}`: the hosts whose pages may be read.

use std::sync::Arc;

use abide_domain::tool::{EffectClass, ToolSpec};
use abide_tools::{Call, Output, Tool, ToolError};
use futures_util::future::{BoxFuture, ready};
use serde_json::json;

use crate::{
    allow_list::AllowedHosts,
    tool_spec::{object_schema, tool_spec},
};

/// The tool `internet.list_allowed`.
#[derive(Clone, Debug)]
pub struct ListAllowed {
    spec: ToolSpec,
    allowed: Arc<AllowedHosts>,
}

impl ListAllowed {
    /// The tool for a list of hosts.
    pub fn new(allowed: Arc<AllowedHosts>) -> Self {
        let description = "Lists the hosts whose pages internet.fetch may read.";
        let parameters = object_schema(&[], json!({}));
        let spec = tool_spec("internet.list_allowed", EffectClass::Read, description, parameters);
        Self { spec, allowed }
    }
}

impl Tool for ListAllowed {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, _: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        let hosts: Vec<&str> = self.allowed.texts().collect();
        let content = json!({
            "hosts": hosts,
            "how": "`example.org` is that host alone, `*.example.org` all below it; a person lists them under `allowed` in [tools.internet]",
        });
        Box::pin(ready(Ok(Output::json(&content))))
    }
}
