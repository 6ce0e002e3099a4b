//! `evolve try --adopt`: writes what was tried with an agent into `abide.toml`, where it holds for that agent, and keeps all else.
//!
//! What is written is read back first: a file that would not give the agent what was tried is left as it was.

use toml::Value;

use super::{
    edit::{put, refusal, rewrite_with, table_of},
    effective::Config,
    load::Sources,
    problem::ConfigError,
    sections::ModelSection,
    setting::Setting,
};

/// What is to hold for an agent.
#[derive(Clone, Debug)]
pub(crate) struct Adoption {
    /// The agent.
    pub(crate) agent: String,
    /// Its whole model.
    pub(crate) model: ModelSection,
    /// Keys of other sections, which hold for all agents.
    pub(crate) settings: Vec<Setting>,
}

/// A key that was written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WrittenKey {
    /// `section.key`, or `agent.model.key` of the agent's own table.
    pub(crate) key: String,
    /// What held before.
    pub(crate) before: Value,
    /// What holds now.
    pub(crate) after: Value,
}

/// Writes it. An invalid result, and one that another source takes precedence over, is refused, and the file stays as it was.
pub(crate) fn adopt(
    sources: Sources<'_>,
    adoption: &Adoption,
) -> Result<Vec<WrittenKey>, ConfigError> {
    let mut written = Vec::new();
    rewrite_with(sources, |text, config| {
        let (after, keys) =
            edited(text, config, adoption).map_err(|why| refusal("--adopt", why))?;
        written = keys;
        let now = Config::from_text(&after, sources)?;
        if holds(&now, adoption) {
            return Ok(after);
        }
        let why = "cannot be written: a variable of the environment takes precedence over the file for one of its keys";
        Err(refusal("--adopt", why.into()))
    })?;
    Ok(written)
}

fn model_of<'a>(config: &'a Config, agent: &str) -> Option<&'a ModelSection> {
    let agents = &config.settings.agents;
    agents.iter().find(|section| section.id.as_str() == agent).map(|section| &section.model)
}

fn value_of<'a>(config: &'a Config, path: &str) -> Option<&'a Value> {
    let (section, key) = path.split_once('.')?;
    config.table.get(section)?.get(key)
}

/// Whether a configuration gives the agent what is to hold.
fn holds(config: &Config, adoption: &Adoption) -> bool {
    model_of(config, &adoption.agent) == Some(&adoption.model)
        && adoption.settings.iter().all(|set| value_of(config, &set.key) == Some(&set.value))
}

fn edited(
    text: &str,
    config: &Config,
    adoption: &Adoption,
) -> Result<(String, Vec<WrittenKey>), String> {
    let agent = &adoption.agent;
    let before = model_of(config, agent)
        .ok_or_else(|| format!("cannot be written: there is no agent {agent} in the file"))?;
    let mut document: toml_edit::DocumentMut =
        text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    let mut written = Vec::new();
    let place = own_table(&document, agent)?;
    for (key, before, after) in changed_keys(before, &adoption.model) {
        let root = document.as_table_mut();
        let table = match place {
            None => table_of(root, "model")?,
            Some(index) => {
                let tables = root.get_mut("agent").and_then(|item| item.as_array_of_tables_mut());
                let table = tables.and_then(|tables| tables.get_mut(index));
                table_of(table.ok_or("has no [[agent]] to be written in")?, "model")?
            }
        };
        put(table, key, &after)?;
        let section = if place.is_some() { "agent.model" } else { "model" };
        written.push(WrittenKey { key: format!("{section}.{key}"), before, after });
    }
    for set in &adoption.settings {
        let (name, key) = set.key.split_once('.').ok_or("is not of the form section.key")?;
        put(table_of(document.as_table_mut(), name)?, key, &set.value)?;
        let before = value_of(config, &set.key).cloned().ok_or("has no value before")?;
        written.push(WrittenKey { key: set.key.clone(), before, after: set.value.clone() });
    }
    Ok((document.to_string(), written))
}

/// The place of the agent's own table in the file; none where the file has no agents, and [model] is theirs.
fn own_table(document: &toml_edit::DocumentMut, agent: &str) -> Result<Option<usize>, String> {
    let Some(item) = document.get("agent") else { return Ok(None) };
    let tables = item
        .as_array_of_tables()
        .ok_or("is no list of [[agent]] tables in the file; edit it by hand")?;
    let is_it = |table: &toml_edit::Table| {
        table
            .get("id")
            .and_then(toml_edit::Item::as_str)
            .is_some_and(|id| id.eq_ignore_ascii_case(agent))
    };
    let place = tables.iter().position(is_it);
    place.map(Some).ok_or_else(|| format!("cannot be written: no [[agent]] of the file is {agent}"))
}

/// Keys of a model that must be written so that it is another. With another provider all that the one before had is.
fn changed_keys(before: &ModelSection, after: &ModelSection) -> Vec<(&'static str, Value, Value)> {
    let of = |model: &ModelSection| {
        [
            ("provider", Value::from(model.provider.to_string())),
            ("name", Value::from(model.name.clone())),
            ("base_url", Value::from(model.base_url.clone())),
            ("api_key_env", Value::from(model.api_key_env.clone())),
            ("voice", Value::from(model.voice.to_string())),
            ("max_output_tokens", Value::from(i64::from(model.max_output_tokens))),
        ]
    };
    let has_moved = before.provider != after.provider;
    let pairs = of(before).into_iter().zip(of(after));
    let pairs = pairs.map(|((key, before), (_, after))| (key, before, after));
    let is_needed = |(key, before, after): &(&'static str, Value, Value)| {
        before != after || (has_moved && ["name", "base_url", "api_key_env"].contains(key))
    };
    pairs.filter(is_needed).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use toml::Value;

    use super::{Adoption, adopt, model_of};
    use crate::config::{Config, Environment, Setting, Sources};

    /// What a file becomes where an agent gets another model and another setting; with the keys that were written.
    fn adopted(
        text: &str,
        agent: &str,
        variables: &[(&str, &str)],
    ) -> Result<(String, Vec<String>), String> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("abide.toml");
        fs::write(&file, text).unwrap();
        let environment: Environment = variables.iter().copied().collect();
        let sources = Sources { file: &file, environment: &environment, flags: &[] };
        let config =
            Config::load(Sources { environment: &Environment::default(), ..sources }).unwrap();
        let mut model = model_of(&config, agent).unwrap().clone();
        model.name = "new".into();
        let value = Value::from(2_000);
        let settings = vec![Setting { key: "context.tokens_max".into(), value }];
        let adoption = Adoption { agent: agent.into(), model, settings };
        let keys = adopt(sources, &adoption).map_err(|error| error.to_string())?;
        let said = keys.iter().map(|key| format!("{}: {} to {}", key.key, key.before, key.after));
        Ok((fs::read_to_string(&file).unwrap(), said.collect()))
    }

    #[test]
    fn the_model_of_all_is_written_where_no_agent_has_a_table_and_comments_stay() {
        let text = "# mine\n[model]\nprovider = \"ollama\" # local\nname = \"old\" # small\n";
        let (after, keys) = adopted(text, "felix", &[]).unwrap();
        assert_eq!(
            after,
            "# mine\n[model]\nprovider = \"ollama\" # local\nname = \"new\" # small\n\n[context]\ntokens_max = 2000\n"
        );
        assert_eq!(keys, ["model.name: \"old\" to \"new\"", "context.tokens_max: 32000 to 2000"]);
    }

    #[test]
    fn an_agent_with_a_table_gets_a_model_of_its_own_and_the_others_keep_theirs() {
        let text = "[model]\nprovider = \"ollama\"\nname = \"old\"\n[[agent]]\nid = \"felix\"\n[[agent]]\nid = \"ivy\"\n";
        let (after, keys) = adopted(text, "ivy", &[]).unwrap();
        assert_eq!(keys[0], "agent.model.name: \"old\" to \"new\"");
        let environment = Environment::default();
        let file = std::path::Path::new("abide.toml");
        let config =
            Config::from_text(&after, Sources { file, environment: &environment, flags: &[] });
        let config = config.unwrap();
        assert_eq!(model_of(&config, "felix").unwrap().name, "old", "{after}");
        assert_eq!(model_of(&config, "ivy").unwrap().name, "new", "{after}");
    }

    #[test]
    fn what_another_source_takes_precedence_over_is_refused() {
        let text = "[model]\nprovider = \"ollama\"\nname = \"old\"\n";
        let refused = adopted(text, "felix", &[("ABIDE_MODEL_NAME", "env")]).unwrap_err();
        assert!(refused.contains("takes precedence"), "{refused}");
    }
}
