//! What is known of each key, for people: one key by its path, and all of them as `docs/configuration.md`.

use std::fmt::Write as _;

use toml::Value;

use super::{
    environment::variable_of,
    sections::{Settings, leaf},
    shape::{Key, KeyDefault, Node, Shape},
    time_span::TimeSpan,
};

/// What is known of a key.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct KeyReference {
    /// One line.
    pub(crate) about: &'static str,
    /// The variable that sets it; none for what stands in a list or deeper than in a section.
    pub(crate) variable: Option<String>,
    /// Its value where nothing sets it; none where it has none, or stands in a list.
    pub(crate) default: Option<Value>,
}

/// What is known of a key by its path, such as `keeper.listen` or `agent[0].model.name`.
pub(crate) fn key_reference(path: &str) -> KeyReference {
    let leaf = leaf(path);
    KeyReference {
        about: find_key(path).map(|key| key.about).unwrap_or_default(),
        variable: leaf.map(|_| variable_of(path)),
        default: leaf.and_then(|(key, _)| key.default_value()),
    }
}

fn find_key(path: &str) -> Option<&'static Key> {
    let mut keys = Settings::KEYS;
    let mut found = None;
    for name in path.split('.') {
        let name = name.split_once('[').map_or(name, |(name, _)| name);
        let key = keys.iter().find(|key| key.name == name)?;
        keys = match key.node {
            Node::Table(keys) | Node::Tables(keys) => keys,
            Node::Value(_) => &[],
        };
        found = Some(key);
    }
    found
}

const HEAD: &str = "# Configuration

<!-- Written by `abide config schema --markdown`. -->

`<home>/abide.toml` holds what differs from the defaults below. What comes later wins: the defaults, the file, the
variable `ABIDE_<SECTION>_<KEY>` (such as `ABIDE_KEEPER_LISTEN`), a flag of `abide up`. Keys in `[[lists]]` and in
`[agent.model]` are set in the file only. An unknown key, a wrong type or a value out of bounds is an error at start,
with its place and the nearest right name. Keys and passwords are never written into the file: a key whose name ends in
`_env` names the environment variable that holds one.

`abide config print` shows the values in force and where each comes from, `abide config set section.key VALUE` changes
one in the file, or several at once (`section.key VALUE other.key VALUE`), and keeps its comments, `abide config schema` prints the JSON schema of the file.
";

/// The page `docs/configuration.md`.
pub(crate) fn markdown() -> String {
    let mut page = HEAD.to_owned();
    section(&mut page, "", Settings::KEYS);
    page
}

/// One part of the page for each table among the keys. Writing to a string cannot fail.
fn section(page: &mut String, above: &str, keys: &[Key]) {
    for key in keys {
        let (title, keys) = match key.node {
            Node::Value(_) => continue,
            Node::Table(keys) => (format!("[{above}{}]", key.name), keys),
            Node::Tables(keys) => (format!("[[{above}{}]]", key.name), keys),
        };
        let _ = writeln!(page, "\n## `{title}`\n\n{}", key.about);
        if let (KeyDefault::Toml(text), true) = (key.default, matches!(key.node, Node::Tables(_)))
            && text != "[]"
        {
            // Rust breaks long token lists into lines.
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let _ = writeln!(page, "\nDefault: `{text}`");
        }
        // The keys of an agent's own model are those of [model].
        if title != "[agent.model]" {
            table(page, keys);
            section(page, &format!("{above}{}.", key.name), keys);
        }
    }
}

fn table(page: &mut String, keys: &[Key]) {
    let _ = writeln!(page, "\n| key | default | value | |\n|---|---|---|---|");
    for key in keys {
        let Node::Value(shape) = key.node else { continue };
        let default = match key.default {
            KeyDefault::Required => "required".to_owned(),
            KeyDefault::Unset => String::new(),
            KeyDefault::Toml(text) => format!("`{text}`"),
        };
        let (name, value, about) = (key.name, format_shape(shape), key.about.replace('|', "\\|"));
        let _ = writeln!(page, "| `{name}` | {default} | {value} | {about} |");
    }
}

fn format_words(words: &[super::shape::Word]) -> String {
    let word = |word: &super::shape::Word| format!("`{}`: {}", word.word, word.about);
    words.iter().map(word).collect::<Vec<_>>().join("<br>")
}

fn format_shape(shape: Shape) -> String {
    let span = |ms| TimeSpan(std::time::Duration::from_millis(ms)).to_string();
    match shape {
        Shape::Flag => "true or false".into(),
        Shape::Count(min, max) => format!("{min} to {max}"),
        Shape::Money => "a number from 0".into(),
        Shape::Text(max) => format!("a text of at most {max} bytes"),
        Shape::OneOf(words) => format_words(words),
        Shape::Listed(words) => format_words(&words()),
        Shape::Time(min, max) => format!("a time from {} to {}", span(min), span(max)),
        Shape::Texts => "a list of texts".into(),
        Shape::ToolPatterns => "a list of tools' names".into(),
        Shape::Address => "IP address and port".into(),
        Shape::AddressOrOff => "IP address and port, or `off`".into(),
        Shape::Url => "empty, or an http(s) address".into(),
        Shape::VariableName => "the name of a variable".into(),
        Shape::VariableNames => "a list of variables' names".into(),
        Shape::Cron => "five cron fields".into(),
        Shape::Moment => "date and time".into(),
        Shape::Zone => "the name of a time zone".into(),
        Shape::Id => "an id".into(),
        Shape::Chats => "a list of chats' numbers".into(),
    }
}

#[cfg(test)]
mod tests {
    use toml::Value;

    use super::{KeyReference, key_reference, markdown};

    #[test]
    fn a_key_is_found_wherever_it_stands() {
        let listen = key_reference("keeper.listen");
        assert_eq!(listen.variable.as_deref(), Some("ABIDE_KEEPER_LISTEN"));
        assert_eq!(listen.default, Some(Value::String("127.0.0.1:7717".into())));
        let name = key_reference("agent[1].model.name");
        assert_eq!((name.variable, name.default), (None, None));
        assert_eq!(name.about, key_reference("model.name").about);
        assert!(!name.about.is_empty());
        assert_eq!(key_reference("no.such"), KeyReference::default());
    }

    #[test]
    fn the_page_about_the_configuration_is_what_the_code_says() {
        assert!(
            include_str!("../../../../docs/configuration.md") == markdown(),
            "docs/configuration.md is not up to date: \
             cargo run -p abide-server -- config schema --markdown > docs/configuration.md"
        );
    }
}
