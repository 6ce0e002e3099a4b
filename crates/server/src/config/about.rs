//! A key for people: what it is for, which variable sets it, what it is where nobody says anything.
//!
//! From the table of keys and the compiled-in defaults; knows no value in force.

use toml::{Table, Value};

use super::{
    DEFAULT_TOML,
    keys::{self, Key, Node},
};

/// What is known of a key.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct About {
    /// One line.
    pub(crate) what: &'static str,
    /// The variable that sets it; none for what stands in a list or deeper than in a section.
    pub(crate) variable: Option<String>,
    /// Its value where nothing sets it; none where it has none, or stands in a list.
    pub(crate) default: Option<Value>,
}

/// What is known of a key by its path, such as `keeper.listen` or `agent[0].model.name`.
pub(crate) fn about(path: &str) -> About {
    let key = key_at(path);
    let is_leaf = keys::leaf(path).is_some();
    About {
        what: key.map(|key| key.about).unwrap_or_default(),
        variable: is_leaf.then(|| format!("ABIDE_{}", path.replace('.', "_").to_uppercase())),
        default: default_at(path),
    }
}

fn key_at(path: &str) -> Option<&'static Key> {
    let mut keys = keys::ROOT;
    let mut found = None;
    for name in path.split('.') {
        let name = name.split_once('[').map_or(name, |(name, _)| name);
        let key = keys.iter().find(|key| key.name == name)?;
        keys = match key.node {
            Node::Table(keys) | Node::Tables { keys, .. } => keys,
            Node::Value(_) => &[],
        };
        found = Some(key);
    }
    found
}

fn default_at(path: &str) -> Option<Value> {
    if path.contains('[') {
        return None;
    }
    let table: Table = DEFAULT_TOML.parse().ok()?;
    let mut names = path.split('.');
    let first = table.get(names.next()?)?;
    names.try_fold(first, |value, name| value.get(name)).cloned()
}

#[cfg(test)]
mod tests {
    use toml::Value;

    use super::about;

    #[test]
    fn a_key_is_known_wherever_it_stands() {
        let listen = about("keeper.listen");
        assert_eq!(listen.variable.as_deref(), Some("ABIDE_KEEPER_LISTEN"));
        assert_eq!(listen.default, Some(Value::String("127.0.0.1:7717".into())));
        let name = about("agent[1].model.name");
        assert_eq!((name.variable, name.default), (None, None));
        assert_eq!(name.what, about("model.name").what);
        assert!(!name.what.is_empty());
        assert_eq!(about("no.such"), super::About::default());
    }
}
