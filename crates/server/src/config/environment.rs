//! The process's environment, read once. The only file that reads it; everything else is handed an [`Environment`].

use std::{collections::BTreeMap, ffi::OsString, fmt, path::PathBuf};

use super::{
    nearest::{distance, nearest},
    problem::{Origin, Problem},
    sections::{Settings, leaves},
    shape::Shape,
    value,
};

const PREFIX: &str = "ABIDE_";

/// Variables of Abide that are not keys.
const NOT_KEYS: [&str; 4] = ["ABIDE_HOME", "ABIDE_TEST", "ABIDE_LOG", "ABIDE_TOKEN"];

/// The variables of the process. `Debug` names them and never shows a value: keys of providers are among them.
#[derive(Clone, Default)]
pub(crate) struct Environment(BTreeMap<String, String>);

impl Environment {
    /// The variables of this process; those that are not Unicode are left out.
    pub(crate) fn of_process() -> Self {
        let unicode = |(name, value): (OsString, OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        Self(std::env::vars_os().filter_map(unicode).collect())
    }

    /// The home folder that the variables of this process name; it need not be Unicode.
    pub(crate) fn home_of_process() -> Option<PathBuf> {
        std::env::var_os("ABIDE_HOME").filter(|home| !home.is_empty()).map(PathBuf::from)
    }

    /// A variable that is set and not empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Every variable, for what an agent's process may see of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = (OsString, OsString)> {
        self.0.iter().map(|(name, value)| (name.into(), value.into()))
    }

    /// Whether the keeper runs under a test: `[test]` is then accepted.
    pub(crate) fn is_test(&self) -> bool {
        self.get("ABIDE_TEST") == Some("1")
    }

    /// The configuration in it: values by `section.key`, and what is wrong.
    pub(crate) fn values(&self) -> (Vec<(String, toml::Value, Origin)>, Vec<Problem>) {
        let mut values = Vec::new();
        let mut problems = Vec::new();
        for (name, text) in self.0.iter().filter(|(name, _)| name.starts_with(PREFIX)) {
            let origin = Origin::Variable(name.clone());
            match variable(name) {
                Some((path, shape)) => match value::parse(shape, text) {
                    Ok(value) => values.push((path, value, origin)),
                    Err(message) => {
                        problems.push(Problem { origin, message: format!("{path} {message}") });
                    }
                },
                None if looks_like_a_key(name) => {
                    let message =
                        format!("no key has this variable; the nearest is {}", near(name));
                    problems.push(Problem { origin, message });
                }
                None => {}
            }
        }
        (values, problems)
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// The variable that sets `section.key`.
pub(crate) fn variable_of(path: &str) -> String {
    format!("{PREFIX}{}", path.replace('.', "_").to_uppercase())
}

/// Every variable that is a key: its name, the key's path, the shape.
fn variables() -> impl Iterator<Item = (String, String, Shape)> {
    leaves().map(|(section, key, shape)| {
        let path = format!("{section}.{}", key.name);
        (variable_of(&path), path, shape)
    })
}

fn variable(name: &str) -> Option<(String, Shape)> {
    variables().find(|(known, ..)| known == name).map(|(_, path, shape)| (path, shape))
}

/// The variable that an unknown one was meant to be: of a key without its section the first that has the key.
fn near(name: &str) -> String {
    let rest = name.strip_prefix(PREFIX).unwrap_or(name);
    let names: Vec<_> = variables().map(|(name, ..)| name).collect();
    let of_key =
        names.iter().find(|known| known.ends_with(&format!("_{rest}"))).map(String::as_str);
    let near = of_key.or_else(|| nearest(name, names.iter().map(String::as_str)));
    near.unwrap_or_default().to_owned()
}

/// Whether an unknown variable was meant as a key: it begins with a section's name (or nearly), or is a key's name
/// without its section. Others under our prefix are left alone: scripts around Abide have some of their own.
fn looks_like_a_key(name: &str) -> bool {
    let rest = name.strip_prefix(PREFIX).unwrap_or(name).to_lowercase();
    if NOT_KEYS.contains(&name) {
        return false;
    }
    let is_bare_key = leaves().any(|(_, key, _)| key.name == rest);
    let is_in_section = rest.split_once('_').is_some_and(|(section, _)| {
        Settings::KEYS
            .iter()
            .any(|known| distance(section, known.name) <= usize::from(known.name.len() > 4))
    });
    is_bare_key || is_in_section
}
