//! Steam's service for players. The key is a part of each request's query, so that no URL may leave this file.

use abide_http::{ClientSettings, Request, Secret};
use abide_tools::{ToolError, ToolErrorKind};
use serde_json::Value;

use super::settings::SteamSettings;
use crate::{
    answer::status_error,
    foreign_text::short,
    service_client::{ServiceClient, client_for, service_url},
};

const NAME: &str = "Steam";
/// Digits of the number of a player.
const ID_DIGITS: usize = 17;
/// Longest name of a player, in bytes.
const NAME_BYTES_MAX: usize = 64;

/// The service.
#[derive(Debug)]
pub(super) struct PlayerService {
    url: String,
    key: Option<Secret>,
    missing_key: String,
    own_id: Option<String>,
    service: ServiceClient,
}

impl PlayerService {
    pub(super) fn new(settings: &SteamSettings, http: &ClientSettings) -> Self {
        let client = client_for(http, settings.addresses, Vec::new());
        Self {
            url: settings.url.clone(),
            key: settings.key.clone(),
            missing_key: settings.missing_key(),
            own_id: settings.steam_id.clone(),
            service: ServiceClient { name: NAME, client },
        }
    }

    /// Asks for one of the service's methods; gives the `response` of its answer.
    pub(super) async fn ask(&self, path: &str, query: &[(&str, &str)]) -> Result<Value, ToolError> {
        let Some(key) = &self.key else {
            return Err(ToolError::of(ToolErrorKind::Blocked, &*self.missing_key));
        };
        let mut pairs = vec![("key", key.expose()), ("format", "json")];
        pairs.extend(query);
        let answer = self
            .send(path, &pairs)
            .await
            .map_err(|error| ToolError { message: key.redact(&error.message), ..error })?;
        Ok(answer.get("response").cloned().unwrap_or_default())
    }

    async fn send(&self, path: &str, pairs: &[(&str, &str)]) -> Result<Value, ToolError> {
        let request = Request::get(service_url(&self.url, path, pairs)?);
        let answer = self.service.send(request.accept("application/json")).await?;
        match answer.status.as_u16() {
            200 => self.service.parse(answer.body).await,
            401 | 403 => {
                let message = "Steam refuses the key: see `key_env` in [tools.steam]";
                Err(ToolError::of(ToolErrorKind::Forbidden, message))
            }
            _ => Err(status_error(NAME, &answer, self.service.now())),
        }
    }

    /// The number of a player: given as it is, as an address of a profile, or as a name, else the one of the settings.
    pub(super) async fn player(&self, given: Option<&str>) -> Result<String, ToolError> {
        let own = || self.own_id.as_deref();
        let Some(given) = given.or_else(own) else {
            let message = "steam_id: whose games? Give a number or a name; `id` in [tools.steam] would be the default";
            return Err(ToolError::new(message));
        };
        match parse_player(given)? {
            Player::Number(id) => Ok(id),
            Player::Name(name) => self.resolve(&name).await,
        }
    }

    async fn resolve(&self, name: &str) -> Result<String, ToolError> {
        let query = [("vanityurl", name), ("url_type", "1")];
        let found = self.ask("ISteamUser/ResolveVanityURL/v1/", &query).await?;
        let id = found.get("steamid").and_then(Value::as_str).filter(|id| is_number(id));
        id.map(str::to_owned).ok_or_else(|| {
            let message = format!("Steam knows no player with the profile name `{}`", short(name));
            ToolError::of(ToolErrorKind::NotFound, message)
        })
    }
}

/// How a player is named.
#[derive(Debug, PartialEq, Eq)]
enum Player {
    Number(String),
    Name(String),
}

/// Reads a number, a name, or the address of a profile: `…/profiles/7656…`, `…/id/name`.
fn parse_player(text: &str) -> Result<Player, ToolError> {
    let text = text.trim().trim_end_matches('/');
    let after = |mark: &str| {
        text.split_once(mark)
            .map(|(_, rest)| rest.split(['/', '?', '#']).next().unwrap_or_default())
    };
    let word = after("/profiles/").or_else(|| after("/id/")).unwrap_or(text);
    if is_number(word) {
        return Ok(Player::Number(word.to_owned()));
    }
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if word.is_empty() || word.len() > NAME_BYTES_MAX || !word.chars().all(is_word) {
        let message =
            "steam_id: give a number of 17 digits, a profile name, or the address of a profile";
        return Err(ToolError::new(message));
    }
    Ok(Player::Name(word.to_owned()))
}

fn is_number(text: &str) -> bool {
    text.len() == ID_DIGITS && text.starts_with("7656") && text.bytes().all(|b| b.is_ascii_digit())
}

/// The games of an answer. One without a count is of a profile that is private, which is not the same as no games.
pub(super) fn games_of<'a>(found: &'a Value, count: &str) -> Result<&'a [Value], ToolError> {
    if found.get(count).is_none() && found.get("games").is_none() {
        let message = "the profile is private, or its games are: whoever owns it can make “game details” public at Steam";
        return Err(ToolError::of(ToolErrorKind::Forbidden, message));
    }
    let games = found.get("games").and_then(Value::as_array);
    Ok(games.map(Vec::as_slice).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::{Player, parse_player};

    #[test]
    fn a_player_is_named_in_several_ways() {
        let number = || Player::Number("76561197960287930".into());
        let name = || Player::Name("some_one".into());
        let cases = [
            ("76561197960287930", number()),
            ("https://steamcommunity.com/profiles/76561197960287930/games?x", number()),
            ("steamcommunity.com/id/some_one/", name()),
            (" some_one ", name()),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_player(text).unwrap(), expected, "{text}");
        }
        for text in ["", "a b", "https://evil.test/x", "../x", "a&key=1", &"x".repeat(65)] {
            assert!(parse_player(text).is_err(), "{text}");
        }
    }
}
