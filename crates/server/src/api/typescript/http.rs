//! HTTP shapes and routes, out of the OpenAPI document.

use std::{collections::BTreeSet, fmt::Write as _};

use serde_json::{Map, Value};

use super::comment::comment;

/// Writes all schemas and the table of routes; gives the names that are taken by them.
pub(super) fn write(out: &mut String, document: &Value) -> BTreeSet<String> {
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let mut taken = BTreeSet::new();
    for (name, schema) in schemas.iter().filter(|(name, _)| !name.starts_with("List_")) {
        comment(out, "", schema["description"].as_str().unwrap_or_default());
        match schema["properties"].as_object() {
            Some(properties) => interface(out, name, schema, properties),
            None => writeln!(out, "export type {name} = {};\n", shape(schema)).unwrap(),
        }
        taken.insert(name.clone());
    }
    routes(out, document["paths"].as_object().unwrap());
    taken
}

fn is_required(schema: &Value, field: &str) -> bool {
    schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == field))
}

fn interface(out: &mut String, name: &str, schema: &Value, properties: &Map<String, Value>) {
    writeln!(out, "export interface {name} {{").unwrap();
    for (field, property) in properties {
        let about = property["description"].as_str();
        let nested = property["oneOf"].as_array().and_then(|all| all.iter().find_map(described));
        comment(out, "  ", about.or(nested).unwrap_or_default());
        writeln!(out, "  {};", member(schema, field, property)).unwrap();
    }
    out.push_str("}\n\n");
}

fn member(schema: &Value, field: &str, property: &Value) -> String {
    let mark = if is_required(schema, field) { "" } else { "?" };
    let is_name = field.chars().all(|c| c.is_alphanumeric() || c == '_');
    let field = if is_name { field.to_owned() } else { format!("\"{field}\"") };
    format!("{field}{mark}: {}", shape(property))
}

fn described(part: &Value) -> Option<&str> {
    part["description"].as_str()
}

fn shape(schema: &Value) -> String {
    if let Some(name) = schema["$ref"].as_str() {
        return named(name.rsplit('/').next().unwrap_or_default());
    }
    for joined in ["oneOf", "anyOf"] {
        if let Some(parts) = schema[joined].as_array() {
            return union(parts.iter().map(shape));
        }
    }
    if let Some(parts) = schema["allOf"].as_array() {
        return parts.iter().map(shape).collect::<Vec<_>>().join(" & ");
    }
    match &schema["type"] {
        Value::Array(types) => {
            let one = |name: &Value| {
                let mut one = schema.clone();
                one["type"] = name.clone();
                shape(&one)
            };
            union(types.iter().map(one))
        }
        Value::String(name) => plain(name, schema),
        _ => "Json".to_owned(),
    }
}

fn plain(name: &str, schema: &Value) -> String {
    match name {
        "string" => match schema["enum"].as_array() {
            Some(values) => union(values.iter().map(ToString::to_string)),
            None => "string".to_owned(),
        },
        "integer" | "number" => "number".to_owned(),
        "boolean" => "boolean".to_owned(),
        "null" => "null".to_owned(),
        "array" => match shape(&schema["items"]) {
            items if items.contains(' ') => format!("({items})[]"),
            items => format!("{items}[]"),
        },
        // A part of another shape has no name of its own.
        _ if schema["properties"].is_object() => {
            let properties = schema["properties"].as_object().unwrap().iter();
            let members = properties.map(|(field, property)| member(schema, field, property));
            format!("{{ {} }}", members.collect::<Vec<_>>().join("; "))
        }
        _ => match &schema["additionalProperties"] {
            values @ Value::Object(fields) if !fields.is_empty() => {
                format!("{{ [key: string]: {} }}", shape(values))
            }
            _ => "{ [key: string]: Json }".to_owned(),
        },
    }
}

fn union(parts: impl Iterator<Item = String>) -> String {
    let mut parts: Vec<String> = parts.collect();
    // `null` comes last, as it is read.
    parts.sort_by_key(|part| part == "null");
    parts.dedup();
    parts.join(" | ")
}

/// A list of something is written as such.
fn named(name: &str) -> String {
    match name.strip_prefix("List_") {
        Some(item) => format!("List<{item}>"),
        None => name.to_owned(),
    }
}

fn routes(out: &mut String, paths: &Map<String, Value>) {
    out.push_str("/** Every route: what it takes and what it answers when all went well. */\nexport interface Routes {\n");
    for (path, item) in paths {
        for (method, operation) in item.as_object().unwrap() {
            comment(out, "  ", operation["summary"].as_str().unwrap_or_default());
            let method = method.to_uppercase();
            let (path_names, query) =
                (parameters(operation, "path"), parameters(operation, "query"));
            let body = json_of(&operation["requestBody"]);
            let answer = answer(operation);
            writeln!(
                out,
                "  \"{method} {path}\": {{ path: {path_names}; query: {query}; body: {body}; answer: {answer} }};"
            )
            .unwrap();
        }
    }
    out.push_str("}\n\n");
}

fn parameters(operation: &Value, place: &str) -> String {
    let all = operation["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
    let names = all.iter().filter(|one| one["in"] == place).map(|one| one["name"].to_string());
    match union(names) {
        none if none.is_empty() => "never".to_owned(),
        names => names,
    }
}

fn json_of(message: &Value) -> String {
    match &message["content"]["application/json"]["schema"] {
        Value::Null => "undefined".to_owned(),
        schema => shape(schema),
    }
}

fn answer(operation: &Value) -> String {
    let responses = operation["responses"].as_object().unwrap();
    let good = responses.iter().filter(|(status, _)| status.starts_with('2'));
    let is_wordless = responses.contains_key("204");
    let shapes = good.map(|(_, response)| json_of(response)).filter(|shape| shape != "undefined");
    match union(shapes) {
        none if none.is_empty() && is_wordless => "undefined".to_owned(),
        none if none.is_empty() => "Json".to_owned(),
        shapes => shapes,
    }
}
