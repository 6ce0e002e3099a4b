//! `probe.append {line, sleep_ms?, idempotent?}`: appends one line to the probe file, syncs it, then sleeps.
//!
//! One line is one real execution: a process that is killed in the sleep has had its effect and has not reported it. Returns
//! `{"lines": n}`. A call with `idempotent: true` counts as one that may run again.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    time::Duration,
};

use abide_domain::tool::{EffectClass, ToolSpec};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{Call, Output, Tool, ToolError, tool_error::parse_arguments};

/// Longest sleep that can be asked for, in milliseconds.
pub const PROBE_SLEEP_MS_MAX: u64 = 600_000;

/// The tool `probe.append`.
#[derive(Clone, Debug)]
pub struct Append {
    spec: ToolSpec,
    path: PathBuf,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    line: String,
    sleep_ms: Option<u64>,
    #[serde(rename = "idempotent")]
    _idempotent: Option<bool>,
}

impl Append {
    /// The tool over its file, which is created at the first line.
    pub fn new(path: &Path) -> Self {
        let parameters = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["line"],
            "properties": {
                "line": {"type": "string", "description": "the line, without a line end"},
                "sleep_ms": {
                    "type": ["integer", "null"], "minimum": 0, "maximum": PROBE_SLEEP_MS_MAX,
                    "description": "how long to sleep after the line is written"
                },
                "idempotent": {
                    "type": ["boolean", "null"],
                    "description": "whether the call may run again when it is unknown whether it ran"
                }
            }
        });
        Self {
            spec: ToolSpec {
                name: "probe.append".into(),
                description: "Appends one line to the probe file. For tests.".into(),
                parameters,
                effect: EffectClass::World,
                idempotent: false,
            },
            path: path.to_owned(),
        }
    }

    /// Appends in place, without a blocking thread: a dropped call then has its whole effect or none.
    fn append(&self, line: &str) -> io::Result<usize> {
        let mut file = OpenOptions::new().create(true).append(true).open(&self.path)?;
        file.write_all(format!("{line}\n").as_bytes())?;
        file.sync_data()?;
        Ok(BufReader::new(File::open(&self.path)?).split(b'\n').count())
    }
}

impl Tool for Append {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn idempotent(&self, arguments: &Value) -> bool {
        arguments.get("idempotent").and_then(Value::as_bool).unwrap_or(false)
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(async move {
            let arguments: Arguments = parse_arguments(call.arguments)?;
            if arguments.line.contains(['\n', '\r']) {
                return Err(ToolError::new("line: must be one line"));
            }
            let lines = self.append(&arguments.line).map_err(|error| {
                ToolError::new(format!("the probe file could not be written: {error}"))
            })?;
            let sleep_ms = arguments.sleep_ms.unwrap_or(0).min(PROBE_SLEEP_MS_MAX);
            if sleep_ms > 0 {
                tokio::time::sleep(Duration::from_millis(sleep_ms)).await;
            }
            Ok(Output::json(&json!({"lines": lines})))
        })
    }
}
