//! The rules that strict modes put on a JSON schema: closed objects, every property required, plain keywords.

use serde_json::Value;

/// Deepest nesting that strict modes take.
const DEPTH_MAX: usize = 10;

/// The first thing that a strict mode would refuse.
pub(super) fn strict(schema: &Value) -> Option<String> {
    if schema.get("type") != Some(&Value::from("object")) {
        return Some("the root must be of type object".to_owned());
    }
    walk(schema, "$", 0)
}

fn walk(schema: &Value, path: &str, depth: usize) -> Option<String> {
    if depth > DEPTH_MAX {
        return Some(format!("{path}: nested deeper than {DEPTH_MAX}"));
    }
    let Some(object) = schema.as_object() else {
        return Some(format!("{path}: must be an object"));
    };
    if is_object(object.get("type")) {
        if object.get("additionalProperties") != Some(&Value::Bool(false)) {
            return Some(format!("{path}: additionalProperties must be false"));
        }
        let required = object.get("required").and_then(Value::as_array);
        let properties = object.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            let is_required =
                required.is_some_and(|names| names.iter().any(|required| required == name));
            if !is_required {
                return Some(format!("{path}.{name}: must be required"));
            }
            if let Some(problem) = walk(property, &format!("{path}.{name}"), depth + 1) {
                return Some(problem);
            }
        }
    }
    object.get("items").and_then(|items| walk(items, &format!("{path}[]"), depth + 1))
}

fn is_object(kind: Option<&Value>) -> bool {
    match kind {
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::strict;

    #[test]
    fn the_strict_voice_passes_and_the_free_one_does_not() {
        assert_eq!(strict(&abide_domain::voice::schema(true)), None);
        let problem = strict(&abide_domain::voice::schema(false));
        assert_eq!(
            problem.as_deref(),
            Some("$.tool_calls[].arguments: additionalProperties must be false")
        );
        assert!(strict(&json!({"type": "string"})).is_some());
    }
}
