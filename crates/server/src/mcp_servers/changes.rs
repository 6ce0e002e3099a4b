//! What another configuration makes of the servers that run. Pure.

use std::sync::Arc;

use tokio::sync::oneshot;

use super::server::Server;
use crate::config::{Config, McpSection};

/// What was made of an order to read the configuration again, with the configuration as it was read.
pub(super) type Reloaded = Result<(McpChanges, Config), McpReloadError>;
/// Such an order: where that is said.
pub(super) type ReloadOrder = oneshot::Sender<Reloaded>;

/// What became of the servers when the configuration was read again, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct McpChanges {
    /// Those that are new.
    pub(crate) added: Vec<String>,
    /// Those that are started anew, since their section says something else.
    pub(crate) changed: Vec<String>,
    /// Those that are gone.
    pub(crate) removed: Vec<String>,
    /// Those that cannot be started, with the reason.
    pub(crate) not_started: Vec<(String, String)>,
}

/// Says why the configuration was not taken in. No server was touched then.
#[derive(Debug, thiserror::Error)]
pub(crate) enum McpReloadError {
    /// What the file says cannot be used.
    #[error("{0}")]
    Config(String),
    /// What was accepted before cannot be read.
    #[error("what was accepted of servers cannot be read: {0}")]
    NotRead(String),
    /// Too many ask for it.
    #[error("the servers are being changed; try again in a moment")]
    Busy,
    /// The keeper ends.
    #[error("the keeper is stopping; what the file says counts from its next start")]
    Stopping,
}

/// Which of the servers stay and which go, by what the file says now.
pub(super) fn staying_and_going(
    running: Vec<Arc<Server>>,
    wanted: &[McpSection],
) -> (Vec<Arc<Server>>, Vec<Arc<Server>>) {
    running.into_iter().partition(|server| wanted.contains(&server.section))
}

/// How the sections that are wanted differ from those that there were.
pub(super) fn compare(before: &[&McpSection], wanted: &[McpSection]) -> McpChanges {
    let before_of = |name: &str| before.iter().find(|section| section.name == name);
    let mut changes = McpChanges::default();
    for section in wanted {
        match before_of(&section.name) {
            None => changes.added.push(section.name.clone()),
            Some(before) if *before != section => changes.changed.push(section.name.clone()),
            Some(_) => {}
        }
    }
    let is_gone = |section: &&&McpSection| wanted.iter().all(|wanted| wanted.name != section.name);
    changes.removed = before.iter().filter(is_gone).map(|section| section.name.clone()).collect();
    changes
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{McpChanges, compare};
    use crate::config::{Config, Environment, McpSection, Sources};

    fn sections(text: &str) -> Vec<McpSection> {
        let environment = Environment::default();
        let file = Path::new("abide.toml");
        let sources = Sources { file, environment: &environment, flags: &[] };
        Config::from_text(text, sources).unwrap().settings.mcp
    }

    #[test]
    fn a_section_that_says_the_same_is_no_change_wherever_it_stands() {
        let one = "[[mcp]]\nname = \"one\"\ncommand = \"x\"\n";
        let two = "[[mcp]]\nname = \"two\"\ncommand = \"y\"\n";
        let before = sections(&format!("{one}{two}"));
        let before: Vec<_> = before.iter().collect();
        let same = sections(
            &format!("{two}{one}disk_mb = 1024\n")
                .replace("1024", &{ before[0].disk_mb.to_string() }),
        );
        assert_eq!(compare(&before, &same), McpChanges::default());
        let other = sections(&format!(
            "{}[[mcp]]\nname = \"three\"\nurl = \"https://a.test\"\n",
            two.replace('y', "z")
        ));
        let names = |name: &str| vec![name.to_owned()];
        let expected = McpChanges {
            added: names("three"),
            changed: names("two"),
            removed: names("one"),
            not_started: Vec::new(),
        };
        assert_eq!(compare(&before, &other), expected);
    }
}
