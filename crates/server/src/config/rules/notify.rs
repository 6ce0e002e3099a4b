//! The rules of `[[notify]]`: each kind of service needs some keys and takes some others. Addresses and keys stand in
//! variables; no message repeats one.

use std::collections::BTreeMap;

use abide_channels::{
    notify::{MailServer, Ntfy, is_mail_address},
    telegram::is_token,
};
use toml::Value;

use crate::config::{
    Config, Environment, NotifyKind, NotifySection, chat::ChatNumber, problem::Problem,
};

/// Services at most.
const NOTIFIERS_MAX: usize = 50;
/// Recipients of one `email` at most.
const RECIPIENTS_MAX: usize = 50;
/// Longest name, in bytes.
const NAME_BYTES_MAX: usize = 32;

/// The keys that a kind needs, and those that it takes, besides `kind` and `name`.
fn keys(kind: NotifyKind) -> (&'static [&'static str], &'static [&'static str]) {
    match kind {
        NotifyKind::Webhook => (&["url_env"], &["secret_env"]),
        NotifyKind::Ntfy => (&["url_env"], &["secret_env", "link"]),
        NotifyKind::Pagerduty => (&["secret_env"], &["url_env", "source", "link"]),
        NotifyKind::Alertmanager => (&["url_env"], &["secret_env", "source", "link"]),
        NotifyKind::Slack | NotifyKind::Discord => (&["url_env"], &["link"]),
        NotifyKind::Email => (&["server", "from", "to"], &["tls", "user", "secret_env", "link"]),
        NotifyKind::Desktop => (&[], &["program"]),
        NotifyKind::Telegram => (&["secret_env", "to"], &["url_env", "link"]),
    }
}

/// What is wrong with the services.
pub(super) fn check(config: &Config, environment: &Environment) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    let services = &config.settings.notifiers;
    for (index, notify) in services.iter().enumerate() {
        let mut checked =
            ServiceCheck { config, environment, index, notify, problems: &mut problems };
        if index == NOTIFIERS_MAX {
            let message = format!("is one of {}; at most {NOTIFIERS_MAX}", services.len());
            checked.problem("", &message);
        }
        checked.keys();
        checked.variables();
        checked.mail();
        checked.chats();
        checked.name();
        if let Some(first) = names.insert(&notify.name, index) {
            let name = &notify.name;
            checked.problem("name", &format!("is {name:?}, and so is that of notify[{first}]"));
        }
    }
    problems
}

struct ServiceCheck<'a> {
    config: &'a Config,
    environment: &'a Environment,
    index: usize,
    notify: &'a NotifySection,
    problems: &'a mut Vec<Problem>,
}

impl ServiceCheck<'_> {
    fn problem(&mut self, key: &str, message: &str) {
        let table = format!("notify[{}]", self.index);
        let path = if key.is_empty() { table.clone() } else { format!("{table}.{key}") };
        let origin = self.config.origin(if self.is_set(key) { &path } else { &table });
        self.problems.push(Problem { origin, message: format!("{path} {message}") });
    }

    /// Whether a key stands there with a value.
    fn is_set(&self, key: &str) -> bool {
        let tables = self.config.table.get("notify").and_then(Value::as_array);
        let table = tables.and_then(|tables| tables.get(self.index)).and_then(Value::as_table);
        table.and_then(|table| table.get(key)).is_some_and(|value| match value {
            Value::String(text) => !text.is_empty(),
            Value::Array(items) => !items.is_empty(),
            _ => true,
        })
    }

    /// What is missing, and what has no use.
    fn keys(&mut self) {
        let kind = self.notify.kind;
        let (needed, taken) = keys(self.notify.kind);
        for key in needed.iter().filter(|key| !self.is_set(key)).copied().collect::<Vec<_>>() {
            self.problem(key, &format!("is missing: kind \"{kind}\" needs {}", needed.join(", ")));
        }
        let known: Vec<_> = ["kind", "name"].iter().chain(needed).chain(taken).copied().collect();
        let all = NotifySection::KEYS.iter().map(|key| key.name);
        for key in all.filter(|key| !known.contains(key) && self.is_set(key)).collect::<Vec<_>>() {
            let known = known.join(", ");
            self.problem(key, &format!("is not used by kind \"{kind}\", which takes {known}"));
        }
    }

    /// Whether the variables are set, and hold what they should.
    fn variables(&mut self) {
        let (needed, taken) = keys(self.notify.kind);
        for (key, name) in
            [("url_env", &self.notify.url_env), ("secret_env", &self.notify.secret_env)]
        {
            let is_meant = needed.contains(&key) || taken.contains(&key);
            if !is_meant || name.is_empty() {
                continue;
            }
            let value = self.environment.get(name).map(str::trim).filter(|value| !value.is_empty());
            let problem = match value {
                None => Some("is not set in the environment"),
                Some(value) if key == "url_env" => self.address_problem(value),
                Some(value) if self.notify.kind == NotifyKind::Telegram => {
                    (!is_token(value)).then_some("does not hold a bot's token")
                }
                Some(_) => None,
            };
            if let Some(problem) = problem {
                self.problem(key, &format!("names {name}, which {problem}"));
            }
        }
    }

    fn address_problem(&self, value: &str) -> Option<&'static str> {
        if self.notify.kind == NotifyKind::Ntfy {
            return Ntfy::check(value).err();
        }
        let is_address = value.starts_with("https://") || value.starts_with("http://");
        (!is_address).then_some("does not hold an http(s) address")
    }

    fn mail(&mut self) {
        if self.notify.kind != NotifyKind::Email {
            return;
        }
        let notify = self.notify;
        if let Err(problem) = MailServer::new(&notify.server, notify.tls.into())
            && !notify.server.is_empty()
        {
            self.problem("server", problem);
        }
        let wrong = "is not a plain address such as ada@example.org";
        if !notify.from.is_empty() && !is_mail_address(&notify.from) {
            self.problem("from", &format!("is {:?}, which {wrong}", notify.from));
        }
        if let Some(to) = notify.to.iter().find(|to| !is_mail_address(to)) {
            self.problem("to", &format!("holds {to:?}, which {wrong}"));
        }
        if notify.to.len() > RECIPIENTS_MAX {
            let message = format!("has {} entries; at most {RECIPIENTS_MAX}", notify.to.len());
            self.problem("to", &message);
        }
        match (notify.user.is_empty(), notify.secret_env.is_empty()) {
            (true, false) => self
                .problem("secret_env", "is set and user is not; name the user that it belongs to"),
            (false, true) => {
                self.problem("user", "is set and secret_env is not; name the password's variable");
            }
            _ => {}
        }
    }

    /// The chats of a bot.
    fn chats(&mut self) {
        let is_chat = |text: &String| ChatNumber::of(&Value::String(text.clone())).is_some();
        if self.notify.kind != NotifyKind::Telegram {
            return;
        }
        let notify = self.notify;
        if let Some(to) = notify.to.iter().find(|to| !is_chat(to)) {
            self.problem("to", &format!("holds {to:?}, which is not the number of a chat"));
        }
        if notify.to.len() > RECIPIENTS_MAX {
            let message = format!("has {} entries; at most {RECIPIENTS_MAX}", notify.to.len());
            self.problem("to", &message);
        }
    }

    fn name(&mut self) {
        let name = &self.notify.name;
        let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-';
        let is_sound = (1..=NAME_BYTES_MAX).contains(&name.len())
            && name.bytes().all(fits)
            && name.starts_with(|c: char| c.is_ascii_alphanumeric());
        if !is_sound {
            let rule = "1 to 32 of a-z, 0-9, `_` and `-`, beginning with a letter or digit";
            self.problem("name", &format!("is {name:?}; {rule}"));
        }
    }
}

#[cfg(test)]
mod tests;
