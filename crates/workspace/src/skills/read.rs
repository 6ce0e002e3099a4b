//! `skills.read {name, file}`: the text of a skill, or of a file that it names.

use std::{path::PathBuf, sync::Arc};

use abide_domain::tool::{EffectClass, ToolSpec};
use abide_tools::{Call, Output, Tool, ToolError, ToolErrorKind, parse_arguments};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::json;

use super::{
    found_skills::Skills,
    skill_file::{SKILL_FILE, read_file},
};

/// Longest description of one skill in the list that minds are shown, in Unicode scalar values; names are all shown.
const LISTED_CHARS_MAX: usize = 160;
/// So much of the list may descriptions take, in bytes; of further skills the names alone are shown.
const LIST_BYTES_MAX: usize = 8 * 1024;

/// The tool `skills.read`.
#[derive(Clone, Debug)]
pub struct ReadSkill {
    spec: ToolSpec,
    skills: Arc<Skills>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    name: String,
    file: Option<String>,
}

impl ReadSkill {
    /// The tool for these skills; none where there are none.
    pub fn new(skills: Skills) -> Option<Self> {
        if skills.found.is_empty() {
            return None;
        }
        let names: Vec<&str> = skills.found.keys().map(String::as_str).collect();
        let parameters = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["name"],
            "properties": {
                "name": {"type": "string", "enum": names},
                "file": {"type": "string", "maxLength": 512, "description": "a file that the skill names; unset: the skill itself"}
            }
        });
        let description = format!(
            "Reads a skill: how to do something that people here wrote down. Read it before you do what it is for.\n{}",
            list(&skills)
        );
        let (name, effect) = ("skills.read".to_owned(), EffectClass::Read);
        let spec = ToolSpec { name, description, parameters, effect, idempotent: true };
        Some(Self { spec, skills: Arc::new(skills) })
    }
}

/// Names with descriptions, as far as there is room for these.
fn list(skills: &Skills) -> String {
    let mut list = String::new();
    for skill in skills.found.values() {
        let about = abide_domain::text::shortened(&skill.description, LISTED_CHARS_MAX);
        let has_room = list.len() + about.len() < LIST_BYTES_MAX;
        let line = if has_room {
            format!("- {}: {about}\n", skill.name)
        } else {
            format!("- {}\n", skill.name)
        };
        list.push_str(&line);
    }
    list
}

impl Tool for ReadSkill {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(async move {
            let Arguments { name, file } = parse_arguments(call.arguments)?;
            let Some(skill) = self.skills.found.get(&name).cloned() else {
                return Err(ToolError::of(
                    ToolErrorKind::NotFound,
                    format!("there is no skill `{name}`"),
                ));
            };
            let file = file.unwrap_or_else(|| SKILL_FILE.to_owned());
            let (folder, below): (PathBuf, String) = (skill.folder.clone(), file.clone());
            let read = tokio::task::spawn_blocking(move || read_file(&folder, &below)).await;
            let text = match read {
                Ok(Ok(text)) => text,
                Ok(Err(why)) => {
                    return Err(ToolError::of(
                        ToolErrorKind::NotFound,
                        format!("{name}/{file}: {why}"),
                    ));
                }
                Err(_) => {
                    return Err(ToolError::of(
                        ToolErrorKind::Upstream,
                        "the file could not be read",
                    ));
                }
            };
            Ok(Output::json(&json!({"name": name, "file": file, "text": text})))
        })
    }
}
