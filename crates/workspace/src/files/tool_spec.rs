//! What the file tools say of themselves: effect, arguments, what may run twice.

use std::sync::Arc;

use abide_domain::tool::{EffectClass, ToolSpec};
use serde_json::{Value, json};

use crate::job::{FileContext, FileTool, Preview, Work};

/// A tool that changes nothing.
pub(super) fn reading(
    context: &Arc<FileContext>,
    name: &str,
    description: &str,
    parameters: Value,
    work: Work,
) -> FileTool {
    FileTool {
        spec: ToolSpec {
            name: name.to_owned(),
            description: description.to_owned(),
            parameters,
            effect: EffectClass::Read,
            idempotent: true,
        },
        context: Arc::clone(context),
        work,
        preview: None,
        may_repeat: |_| true,
    }
}

/// What a tool that changes something does, and shows before.
#[derive(Clone, Copy)]
pub(super) struct ChangeWork {
    pub(super) work: Work,
    pub(super) preview: Preview,
}

/// A tool that changes something. It has the argument `dry_run` beside its own.
pub(super) fn changing(
    context: &Arc<FileContext>,
    name: &str,
    description: &str,
    mut parameters: Value,
    change: ChangeWork,
) -> FileTool {
    if let Some(properties) = parameters.get_mut("properties").and_then(Value::as_object_mut) {
        let description = "true: show what would change, and change nothing";
        properties.insert(
            "dry_run".to_owned(),
            json!({"type": ["boolean", "null"], "description": description}),
        );
    }
    FileTool {
        spec: ToolSpec {
            name: name.to_owned(),
            description: description.to_owned(),
            parameters,
            effect: EffectClass::World,
            idempotent: false,
        },
        context: Arc::clone(context),
        work: change.work,
        preview: Some(change.preview),
        may_repeat: |_| false,
    }
}

/// The schema of an object of arguments.
pub(super) fn schema(required: &[&str], properties: &Value) -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": required,
        "properties": properties,
    })
}

/// The schema of a path.
pub(super) fn path_schema() -> Value {
    json!({"type": "string", "description": "a folder of yours and the path below it, such as work/notes.md"})
}

/// The schema of a path that may be left out.
pub(super) fn optional_path_schema(description: &str) -> Value {
    json!({"type": ["string", "null"], "description": description})
}
