//! `probe.blob {bytes, ethereal?}`: gives a payload of that many bytes, for checks of what is kept of large results.

use abide_domain::{
    limits::TOOL_RESULT_BYTES_MAX,
    tool::{EffectClass, ToolSpec},
};
use futures_util::future::{BoxFuture, ready};
use serde::Deserialize;
use serde_json::json;

use crate::{Call, Output, Tool, ToolError, tool_error::parse_arguments};

/// Largest payload: twice what the engine lets through, so that its cap can be checked.
pub const PROBE_BLOB_BYTES_MAX: usize = 2 * TOOL_RESULT_BYTES_MAX;

const PATTERN: &[u8; 32] = b"abide probe payload, 32 bytes..\n";

/// The tool `probe.blob`.
#[derive(Clone, Debug)]
pub struct Blob {
    spec: ToolSpec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    bytes: usize,
    ethereal: Option<bool>,
}

impl Blob {
    /// The tool.
    #[expect(clippy::new_without_default, reason = "a tool is made by name in the registry only")]
    pub fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["bytes"],
            "properties": {
                "bytes": {
                    "type": "integer", "minimum": 0, "maximum": PROBE_BLOB_BYTES_MAX,
                    "description": "size of the payload"
                },
                "ethereal": {
                    "type": ["boolean", "null"],
                    "description": "whether the payload is not to be kept"
                }
            }
        });
        Self {
            spec: ToolSpec {
                name: "probe.blob".into(),
                description: "Gives a payload of a size. For tests.".into(),
                parameters,
                effect: EffectClass::Read,
                idempotent: true,
            },
        }
    }
}

impl Tool for Blob {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(ready(payload(&call)))
    }
}

fn payload(call: &Call<'_>) -> Result<Output, ToolError> {
    let Arguments { bytes, ethereal } = parse_arguments(call.arguments)?;
    if bytes > PROBE_BLOB_BYTES_MAX {
        return Err(ToolError::new(format!("bytes: at most {PROBE_BLOB_BYTES_MAX}")));
    }
    let content = PATTERN.iter().cycle().take(bytes).map(|byte| char::from(*byte)).collect();
    let ethereal = ethereal.unwrap_or(false).then(|| format!("a probe payload of {bytes} bytes"));
    Ok(Output { content, ethereal, ..Output::default() })
}
