//! `clock.now {}`: the time of the call, in UTC and on the clock of whoever asks, with the day of the week.
//!
//! Reads no clock of its own: the engine hands the present in.

use abide_domain::tool::{EffectClass, ToolSpec};
use futures_util::future::{BoxFuture, ready};
use serde_json::json;

use crate::{Call, Output, Tool, ToolError};

const DAYS: [&str; 7] =
    ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];

/// The tool `clock.now`.
#[derive(Clone, Debug)]
pub struct Now {
    spec: ToolSpec,
}

impl Now {
    /// The tool.
    #[expect(clippy::new_without_default, reason = "a tool is made by name in the registry only")]
    pub fn new() -> Self {
        Self {
            spec: ToolSpec {
                name: "clock.now".into(),
                description: "Tells the present date and time, in UTC and where the person is, with the day of the week."
                    .into(),
                parameters: json!({
                    "type": "object", "properties": {}, "additionalProperties": false
                }),
                effect: EffectClass::Read,
                idempotent: true,
            },
        }
    }
}

impl Tool for Now {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        // 1970-01-01, day 0, was a Thursday.
        let index = usize::try_from(call.now.day().rem_euclid(7)).unwrap_or_default();
        let day = DAYS.get(index).copied().unwrap_or_default();
        let output = Output::json(&json!({
            "utc": call.now,
            "day": day,
            "local": call.zone.format_moment(call.now),
            "time_zone": call.zone.name(),
        }));
        Box::pin(ready(Ok(output)))
    }
}
