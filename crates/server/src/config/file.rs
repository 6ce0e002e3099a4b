//! One TOML text to checked values, each with its origin. Goes on after a problem, so that all are found.

use std::path::Path;

use toml::{
    Spanned, Table, Value,
    de::{DeTable, DeValue},
};

use super::{
    nearest::nearest,
    problem::{Origin, Problem},
    sections::{Settings, leaves},
    shape::{Key, KeyDefault, Node},
    value,
};

/// Values, origins and problems of one TOML text.
#[derive(Debug, Default)]
pub(crate) struct ParsedFile {
    /// The values that fit.
    pub(crate) table: Table,
    /// Where each key stands, by its path.
    pub(crate) origins: Vec<(String, Origin)>,
    pub(crate) problems: Vec<Problem>,
}

/// Parses the text of a file.
pub(crate) fn parse(text: &str, path: &Path) -> ParsedFile {
    let mut reader = Reader { text, path, parsed: ParsedFile::default() };
    let (root, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let start = error.span().map_or(0, |span| span.start);
        reader.problem(start, format!("not TOML: {}", error.message()));
    }
    let table = reader.table(root.get_ref(), Settings::KEYS, "");
    reader.parsed.table = table;
    reader.parsed
}

struct Reader<'a> {
    text: &'a str,
    path: &'a Path,
    parsed: ParsedFile,
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
            self.parsed.origins.push((full.clone(), self.origin(start)));
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
            (Node::Tables(keys), DeValue::Array(items)) => {
                return Some(Value::Array(self.tables(items, keys, path)));
            }
            (Node::Table(_), _) => self.problem(start, format!("{path} must be a table, [{path}]")),
            (Node::Tables(_), _) => {
                self.problem(start, format!("{path} must be a list of tables, [[{path}]]"));
            }
        }
        None
    }

    fn tables(
        &mut self,
        items: &toml::de::DeArray<'_>,
        keys: &'static [Key],
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
            self.parsed.origins.push((path.clone(), self.origin(start)));
            let table = self.table(table, keys, &path);
            let is_required = |key: &&Key| matches!(key.default, KeyDefault::Required);
            for key in keys.iter().filter(is_required).filter(|key| !table.contains_key(key.name)) {
                // A key that is there and wrong has been reported already.
                if !self.parsed.problems.iter().any(|p| p.message.contains(&path)) {
                    self.problem(start, format!("{path} has no {}", key.name));
                }
            }
            checked.push(Value::Table(table));
        }
        checked
    }

    fn unknown(&mut self, start: usize, name: &str, keys: &'static [Key], path: &str) {
        let what = if path.is_empty() { "section" } else { "key" };
        let near = nearest(name, keys.iter().map(|key| key.name)).unwrap_or_default();
        let elsewhere = leaves().find(|(_, key, _)| key.name == name && near != name);
        let near = elsewhere.map_or_else(
            || join(path, near),
            |(section, key, _)| format!("{section}.{}", key.name),
        );
        let full = join(path, &name.chars().take(64).collect::<String>());
        self.problem(start, format!("unknown {what} `{full}`; the nearest is `{near}`"));
    }

    fn problem(&mut self, start: usize, message: String) {
        let origin = self.origin(start);
        self.parsed.problems.push(Problem { origin, message });
    }

    fn origin(&self, start: usize) -> Origin {
        let before = self.text.get(..start).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count() + 1;
        let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
        Origin::File { path: self.path.into(), line, column }
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
