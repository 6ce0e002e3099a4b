//! How much work a JSON schema can ask of whoever holds a value against it. A few lines of references to references can mean millions of
//! steps for one value, and a schema comes from others.

use std::collections::HashMap;

use jsonschema::Validator;
use serde_json::Value;

/// Parts of a schema that one value may be held against, with every reference followed, at most.
const SCHEMA_WEIGHT_MAX: u64 = 20_000;
/// How deep a schema may nest.
const DEPTH_MAX: usize = 100;

/// Compiles the schema of a tool's arguments. The error says in words why it cannot be used.
pub fn compile_schema(schema: &Value) -> Result<Validator, String> {
    check_weight(schema)?;
    jsonschema::validator_for(schema).map_err(|error| error.to_string())
}

/// Says why a schema asks for too much, where it does.
fn check_weight(schema: &Value) -> Result<(), String> {
    let mut weights = Weights { root: schema, known: HashMap::new() };
    match weights.of(schema, 0) {
        Some(weight) if weight <= SCHEMA_WEIGHT_MAX => Ok(()),
        Some(_) => Err(format!("with its references it has more than {SCHEMA_WEIGHT_MAX} parts")),
        None => Err(format!("it nests more than {DEPTH_MAX} deep")),
    }
}

struct Weights<'a> {
    root: &'a Value,
    /// By reference; none while it is counted: one that leads back to itself counts once.
    known: HashMap<&'a str, u64>,
}

impl<'a> Weights<'a> {
    fn of(&mut self, part: &'a Value, depth: usize) -> Option<u64> {
        if depth > DEPTH_MAX {
            return None;
        }
        let mut weight = 1_u64;
        match part {
            Value::Object(members) => {
                for (name, member) in members {
                    let more = match (name.as_str(), member.as_str()) {
                        ("$ref" | "$dynamicRef" | "$recursiveRef", Some(target)) => {
                            self.of_reference(target, depth + 1)?
                        }
                        // What is referred to counts where it is referred to.
                        ("$defs" | "definitions", _) => 0,
                        _ => self.of(member, depth + 1)?,
                    };
                    weight = weight.saturating_add(more);
                }
            }
            Value::Array(items) => {
                for item in items {
                    weight = weight.saturating_add(self.of(item, depth + 1)?);
                }
            }
            _ => {}
        }
        Some(weight)
    }

    fn of_reference(&mut self, target: &'a str, depth: usize) -> Option<u64> {
        if let Some(known) = self.known.get(target) {
            return Some(*known);
        }
        let Some(part) = target.strip_prefix('#').and_then(|path| self.root.pointer(path)) else {
            return Some(1);
        };
        self.known.insert(target, 1);
        let weight = self.of(part, depth)?;
        self.known.insert(target, weight);
        Some(weight)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::check_weight;

    #[test]
    fn a_schema_whose_references_multiply_is_refused_and_ordinary_ones_are_not() {
        let mut definitions = Map::new();
        for level in 0..10 {
            let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
            definitions.insert(format!("d{level}"), json!({"allOf": vec![next; 10]}));
        }
        definitions.insert("d10".into(), json!({"type": "integer"}));
        let bomb = json!({
            "type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": Value::Object(definitions),
        });
        assert!(check_weight(&bomb).unwrap_err().contains("20000"));
        let tree = json!({
            "type": "object", "properties": {"root": {"$ref": "#/$defs/node"}},
            "$defs": {"node": {"type": "object", "properties": {
                "left": {"$ref": "#/$defs/node"}, "right": {"$ref": "#/$defs/node"}
            }}},
        });
        assert_eq!(check_weight(&tree), Ok(()));
        let mut deep = json!({});
        for _ in 0..200 {
            deep = json!({"properties": {"a": deep}});
        }
        assert!(check_weight(&deep).unwrap_err().contains("deep"));
    }
}
