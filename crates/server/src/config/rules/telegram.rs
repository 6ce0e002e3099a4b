//! The rules of `[telegram]`. The token is named by its variable and never shown.

use abide_channels::telegram::is_token;

use crate::config::{Config, Environment, problem::Problem};

/// What is wrong with `[telegram]`.
pub(super) fn check(config: &Config, environment: &Environment) -> Vec<Problem> {
    let settings = &config.settings;
    let telegram = &settings.telegram;
    let name = &telegram.token_env;
    if name.is_empty() {
        let message =
            "is set and telegram.token_env is empty; name the variable that holds the bot's token";
        let is_meant = !telegram.chats.is_empty();
        return is_meant.then(|| config.problem("telegram.chats", message)).into_iter().collect();
    }
    let token_problem = match environment.get(name).map(str::trim) {
        None => Some("is not set in the environment"),
        Some(token) if !is_token(token) => {
            Some("does not hold a bot's token; BotFather gives one, such as 123456:ABC-DEF…")
        }
        Some(_) => None,
    };
    let token_problem = token_problem
        .map(|what| config.problem("telegram.token_env", &format!("names {name}, which {what}")));
    let agent_problem = settings.telegram_agent().is_none().then(|| {
        let ids: Vec<_> = settings.agents.iter().map(|agent| agent.id.as_str()).collect();
        let ids = ids.join(", ");
        let message = if telegram.agent.is_empty() {
            format!("is empty and there are several agents; name one of {ids}")
        } else {
            format!("is {:?}, which is not an agent; one of {ids}", telegram.agent)
        };
        config.problem("telegram.agent", &message)
    });
    token_problem.into_iter().chain(agent_problem).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::config::{Config, Environment, Sources};

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
        refused(&notify("[\"@nicolas\"]"), &[("T", TOKEN)], "not the number of a chat");
        refused(&notify("[\"42\"]"), &[], "is not set in the environment");
        refused(&notify("[\"42\"]"), &[("T", "ABC-DEF1234")], "does not hold a bot's token");
    }

    #[test]
    fn what_could_not_work_is_said_at_the_start() {
        let on = "[telegram]\ntoken_env = \"T\"\nchats = [42]\n";
        refused("[telegram]\nchats = [42]\n", &[], "telegram.token_env is empty");
        refused(on, &[], "names T, which is not set");
        refused(
            on,
            &[("T", "https://api.telegram.org/botABC-DEF1234")],
            "does not hold a bot's token",
        );
        refused("[telegram]\nchats = [\"@nicolas\"]\n", &[], "not the number of a chat");
        refused("[telegram]\nchats = [0]\n", &[], "not the number of a chat");
        refused("[telegram]\nchats = 42\n", &[], "must be a list");
        refused(&format!("[telegram]\ntoken_env = \"{TOKEN}\"\n"), &[], "never the key itself");
        let two = "[[agent]]\nid = \"a\"\n[[agent]]\nid = \"b\"\n";
        refused(&format!("{on}{two}"), &[("T", TOKEN)], "name one of a, b");
        refused(
            &format!("{on}agent = \"c\"\n{two}"),
            &[("T", TOKEN)],
            "is not an agent; one of a, b",
        );
        let named = load(&format!("{on}agent = \"B\"\n{two}"), &[("T", TOKEN)]).unwrap();
        assert_eq!(named.settings.telegram_agent().unwrap().as_str(), "b");
    }
}
