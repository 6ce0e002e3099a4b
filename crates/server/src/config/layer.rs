//! One TOML text to checked values, each with its place. Goes on after a problem, so that all are found.

use std::path::Path;

use toml::{
    Spanned, Table, Value,
    de::{DeTable, DeValue},
};

use super::{
    keys::{self, Key, Node},
    nearest::nearest,
    problem::{Place, Problem},
    value,
};

/// Values, places and problems of one TOML text.
#[derive(Debug, Default)]
pub(crate) struct Layer {
    /// What it says, as far as it fits.
    pub(crate) table: Table,
    /// Where each key stands, by its path.
    pub(crate) places: Vec<(String, Place)>,
    /// What does not fit.
    pub(crate) problems: Vec<Problem>,
}

/// Reads a TOML text; `path` is the file's name in places, none for the defaults.
pub(crate) fn read(text: &str, path: Option<&Path>) -> Layer {
    let mut reader = Reader { text, path, layer: Layer::default() };
    let (root, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let start = error.span().map_or(0, |span| span.start);
        reader.problem(start, format!("not TOML: {}", error.message()));
    }
    let table = reader.table(root.get_ref(), keys::ROOT, "");
    reader.layer.table = table;
    reader.layer
}

struct Reader<'a> {
    text: &'a str,
    path: Option<&'a Path>,
    layer: Layer,
}

impl Reader<'_> {
    fn table(&mut self, table: &DeTable<'_>, keys: &'static [Key], path: &str) -> Table {
        let mut checked = Table::new();
        for (name, value) in table {
            let start = name.span().start;
            let full = join(path, name.get_ref());
            let Some(key) = keys.iter().find(|key| key.name == name.get_ref().as_ref()) else {
                self.unknown(start, name.get_ref(), keys, path);
                continue;
            };
            self.layer.places.push((full.clone(), self.place(start)));
            if let Some(value) = self.node(value, key.node, &full) {
                checked.insert(key.name.into(), value);
            }
        }
        checked
    }

    fn node(&mut self, value: &Spanned<DeValue<'_>>, node: Node, path: &str) -> Option<Value> {
        let start = value.span().start;
        match (node, value.get_ref()) {
            (Node::Value(shape), found) => {
                let found = plain(found);
                match value::check(shape, &found) {
                    Ok(()) => return Some(found),
                    Err(message) => self.problem(start, format!("{path} {message}")),
                }
            }
            (Node::Table(keys), DeValue::Table(table)) => {
                return Some(Value::Table(self.table(table, keys, path)));
            }
            (Node::Tables { keys, required }, DeValue::Array(items)) => {
                return Some(Value::Array(self.tables(items, (keys, required), path)));
            }
            (Node::Table(_), _) => self.problem(start, format!("{path} must be a table, [{path}]")),
            (Node::Tables { .. }, _) => {
                self.problem(start, format!("{path} must be a list of tables, [[{path}]]"));
            }
        }
        None
    }

    fn tables(
        &mut self,
        items: &toml::de::DeArray<'_>,
        (keys, required): (&'static [Key], &'static [&'static str]),
        path: &str,
    ) -> Vec<Value> {
        let mut checked = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let start = item.span().start;
            let path = format!("{path}[{index}]");
            let DeValue::Table(table) = item.get_ref() else {
                self.problem(start, format!("{path} must be a table"));
                continue;
            };
            self.layer.places.push((path.clone(), self.place(start)));
            let table = self.table(table, keys, &path);
            for name in required.iter().filter(|name| table.get(**name).is_none()) {
                // What was there and wrong is told already.
                if !self.layer.problems.iter().any(|p| p.message.contains(&path)) {
                    self.problem(start, format!("{path} has no {name}"));
                }
            }
            checked.push(Value::Table(table));
        }
        checked
    }

    fn unknown(&mut self, start: usize, name: &str, keys: &'static [Key], path: &str) {
        let what = if path.is_empty() { "section" } else { "key" };
        let near = nearest(name, keys.iter().map(|key| key.name)).unwrap_or_default();
        let elsewhere = keys::leaves().find(|(_, key, _)| key.name == name && near != name);
        let near = elsewhere.map_or_else(
            || join(path, near),
            |(section, key, _)| format!("{section}.{}", key.name),
        );
        let full = join(path, &name.chars().take(64).collect::<String>());
        self.problem(start, format!("unknown {what} `{full}`; the nearest is `{near}`"));
    }

    fn problem(&mut self, start: usize, message: String) {
        let place = self.place(start);
        self.layer.problems.push(Problem { place, message });
    }

    fn place(&self, start: usize) -> Place {
        let Some(path) = self.path else {
            return Place::Default;
        };
        let before = self.text.get(..start).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count() + 1;
        let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
        Place::File { path: path.into(), line, column }
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.into() } else { format!("{path}.{name}") }
}

/// A value without its spans. A number that no machine can hold becomes text, which no number's shape accepts.
fn plain(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(n) => i64::from_str_radix(n.as_str(), n.radix())
            .map_or_else(|_| Value::String(n.to_string()), Value::Integer),
        DeValue::Float(n) => {
            n.as_str().parse().map_or_else(|_| Value::String(n.to_string()), Value::Float)
        }
        DeValue::Boolean(flag) => Value::Boolean(*flag),
        DeValue::Datetime(date) => Value::Datetime(*date),
        DeValue::Array(items) => {
            Value::Array(items.iter().map(|item| plain(item.get_ref())).collect())
        }
        DeValue::Table(table) => Value::Table(
            table
                .iter()
                .map(|(name, value)| (name.get_ref().to_string(), plain(value.get_ref())))
                .collect(),
        ),
    }
}
