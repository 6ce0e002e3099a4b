//! `[telegram]`: its types, and what its keys say together. The token is named by its variable and never shown.

use std::collections::BTreeSet;

use abide_channels::telegram::is_token;
use abide_domain::AgentId;
use serde::{Deserialize, Deserializer, de::Error as _};
use toml::Value;

use super::{Config, Environment, Settings, problem::Problem};

/// Chats at most.
const CHATS_MAX: usize = 1_000;

/// `[telegram]`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct TelegramSettings {
    /// The variable that holds the bot's token; empty: there is no bot.
    pub(crate) token_env: String,
    chats: Vec<Chat>,
    agent: String,
    /// Where the Bot API is; empty: Telegram's own.
    pub(crate) base_url: String,
}

impl TelegramSettings {
    /// The chats that are heard.
    pub(crate) fn chats(&self) -> BTreeSet<i64> {
        self.chats.iter().map(|Chat(id)| *id).collect()
    }
}

impl Settings {
    /// The agent that Telegram speaks to: the named one, else the only one.
    pub(crate) fn telegram_agent(&self) -> Option<AgentId> {
        let mut ids = self.agents.iter().map(|agent| &agent.id);
        let named = &self.telegram.agent;
        let found = match (named.is_empty(), self.agents.as_slice()) {
            (true, [only]) => Some(&only.id),
            (true, _) => None,
            (false, _) => ids.find(|id| id.as_str() == named.to_lowercase()),
        };
        found.cloned()
    }
}

/// A chat's number. Messengers show it as a number, and people write it as a text.
#[derive(Clone, Copy, Debug)]
struct Chat(i64);

impl<'de> Deserialize<'de> for Chat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        chat(&value).map(Self).ok_or_else(|| D::Error::custom("is no number of a chat"))
    }
}

fn chat(value: &Value) -> Option<i64> {
    let id = match value {
        Value::Integer(id) => Some(*id),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    id.filter(|id| *id != 0)
}

/// The chat that a text names.
pub(super) fn chat_of(text: &str) -> Option<i64> {
    chat(&Value::String(text.to_owned()))
}

/// Says what is wrong with a list of chats, worded to follow its key.
pub(super) fn check_chats(items: &[Value]) -> Result<(), String> {
    if items.len() > CHATS_MAX {
        return Err(format!("has {} entries; at most {CHATS_MAX}", items.len()));
    }
    match items.iter().find(|item| chat(item).is_none()) {
        None => Ok(()),
        Some(item) => Err(format!(
            "has {item}, which is no number of a chat such as 123456789, or -1001234567890 for a group; a name does \
             not do, for names change hands"
        )),
    }
}

/// The rules of `[telegram]`.
pub(super) fn check(config: &Config, environment: &Environment) -> Vec<Problem> {
    let settings = &config.settings;
    let telegram = &settings.telegram;
    let mut problems = Vec::new();
    let mut problem = |key: &str, message: String| {
        let path = format!("telegram.{key}");
        let place = config.place(&path);
        problems.push(Problem { place, message: format!("{path} {message}") });
    };
    let name = &telegram.token_env;
    if name.is_empty() {
        if !telegram.chats.is_empty() {
            problem(
                "chats",
                "is set and telegram.token_env is empty; name the variable that holds the bot's token".to_owned(),
            );
        }
        return problems;
    }
    match environment.get(name).map(str::trim) {
        None => problem("token_env", format!("names {name}, which is not set in the environment")),
        Some(token) if !is_token(token) => problem(
            "token_env",
            format!(
                "names {name}, which holds no bot's token; BotFather gives one, such as 123456:ABC-DEF…"
            ),
        ),
        Some(_) => {}
    }
    if settings.telegram_agent().is_none() {
        let ids: Vec<_> = settings.agents.iter().map(|agent| agent.id.as_str()).collect();
        let ids = ids.join(", ");
        let message = if telegram.agent.is_empty() {
            format!("is empty and there are several agents; name one of {ids}")
        } else {
            format!("is {:?}, which is no agent; one of {ids}", telegram.agent)
        };
        problem("agent", message);
    }
    problems
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{Config, Environment, Sources};

    const TOKEN: &str = "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11";

    fn load(text: &str, variables: &[(&str, &str)]) -> Result<Config, String> {
        let environment: Environment = variables.iter().copied().collect();
        let sources =
            Sources { file: Path::new("abide.toml"), environment: &environment, flags: &[] };
        Config::from_text(text, sources).map_err(|error| format!("{error:?}"))
    }

    fn refused(text: &str, variables: &[(&str, &str)], words: &str) {
        let error = load(text, variables).expect_err(text);
        assert!(error.contains(words), "{text}: {error}");
        assert!(!error.contains("ABC-DEF1234"), "the token is shown: {error}");
    }

    #[test]
    fn without_a_token_there_is_no_bot_and_chats_are_numbers_or_texts() {
        assert!(load("", &[]).unwrap().settings.telegram.token_env.is_empty());
        let text = "[telegram]\ntoken_env = \"T\"\nchats = [42, \"-1001\", \" 7 \"]\n";
        let config = load(text, &[("T", TOKEN)]).unwrap();
        assert_eq!(config.settings.telegram.chats(), [42, -1001, 7].into());
        assert_eq!(config.settings.telegram_agent().unwrap().as_str(), "felix");
        let by_variable = load(
            "",
            &[
                ("ABIDE_TELEGRAM_TOKEN_ENV", "T"),
                ("ABIDE_TELEGRAM_CHATS", "42,-1001"),
                ("T", TOKEN),
            ],
        );
        assert_eq!(by_variable.unwrap().settings.telegram.chats(), [42, -1001].into());
    }

    #[test]
    fn a_notifier_needs_a_token_and_numbers_of_chats() {
        let notify =
            |to: &str| format!("[[notify]]\nkind = \"telegram\"\nsecret_env = \"T\"\nto = {to}\n");
        assert!(load(&notify("[\"42\", \"-1001\"]"), &[("T", TOKEN)]).is_ok());
        refused(&notify("[]"), &[("T", TOKEN)], "to is missing");
        refused(&notify("[\"@nicolas\"]"), &[("T", TOKEN)], "no number of a chat");
        refused(&notify("[\"42\"]"), &[], "is not set in the environment");
        refused(&notify("[\"42\"]"), &[("T", "ABC-DEF1234")], "holds no bot's token");
    }

    #[test]
    fn what_could_not_work_is_said_at_the_start() {
        let on = "[telegram]\ntoken_env = \"T\"\nchats = [42]\n";
        refused("[telegram]\nchats = [42]\n", &[], "telegram.token_env is empty");
        refused(on, &[], "names T, which is not set");
        refused(on, &[("T", "https://api.telegram.org/botABC-DEF1234")], "holds no bot's token");
        refused("[telegram]\nchats = [\"@nicolas\"]\n", &[], "no number of a chat");
        refused("[telegram]\nchats = [0]\n", &[], "no number of a chat");
        refused("[telegram]\nchats = 42\n", &[], "must be a list");
        refused(&format!("[telegram]\ntoken_env = \"{TOKEN}\"\n"), &[], "never the key itself");
        let two = "[[agent]]\nid = \"a\"\n[[agent]]\nid = \"b\"\n";
        refused(&format!("{on}{two}"), &[("T", TOKEN)], "name one of a, b");
        refused(&format!("{on}agent = \"c\"\n{two}"), &[("T", TOKEN)], "is no agent; one of a, b");
        let named = load(&format!("{on}agent = \"B\"\n{two}"), &[("T", TOKEN)]).unwrap();
        assert_eq!(named.settings.telegram_agent().unwrap().as_str(), "b");
    }
}
