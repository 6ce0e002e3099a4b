//! What is asked of a login service: a registration (RFC 7591), and tokens for a code or for the token before.
//!
//! Each request is sent once. A code and a rotating token are good for one use.

use std::time::Duration;

use abide_domain::{Timestamp, text::shortened, visible_line};
use abide_http::{Client, Request, RequestLimits, Response, Secret};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use serde::Deserialize;
use serde_json::{Value, json};
use url::form_urlencoded;

use crate::login::{
    login_error::McpLoginError,
    store::{StoredClient, StoredLogin},
};

/// Longest answer that is read.
const ANSWER_BYTES_MAX: u64 = 256 * 1024;
/// Longest words of a refusal that are shown, in Unicode scalar values.
const WORDS_CHARS_MAX: usize = 300;
/// Longest life of a token that is believed.
const LIFE_MAX: Duration = Duration::from_hours(24 * 366 * 10);

/// The tokens that a login service gives.
#[derive(Clone, Deserialize)]
pub(crate) struct TokenAnswer {
    access_token: String,
    token_type: Option<String>,
    expires_in: Option<Value>,
    refresh_token: Option<String>,
    scope: Option<String>,
}

impl TokenAnswer {
    /// Puts the tokens into a login. A refresh token that is not replaced stays good.
    pub(crate) fn put_into(self, login: &mut StoredLogin, now: Timestamp) {
        login.access_token = self.access_token;
        login.refresh_token = self.refresh_token.or_else(|| login.refresh_token.take());
        login.scope = self.scope.or_else(|| login.scope.take());
        // Some services write the number as a text.
        let seconds = self.expires_in.and_then(|life| match life {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.parse().ok(),
            _ => None,
        });
        let life = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        login.expires_at_s =
            life.map(|life| now.plus(life.min(LIFE_MAX)).as_micros().div_euclid(1_000_000));
    }
}

#[derive(Deserialize)]
struct RegistrationAnswer {
    client_id: String,
    client_secret: Option<String>,
    token_endpoint_auth_method: Option<String>,
}

/// Registers this client for one address to come back to.
pub(crate) async fn register(
    http: &Client,
    endpoint: &str,
    redirect: &str,
    scope: Option<&str>,
) -> Result<StoredClient, McpLoginError> {
    let mut wish = json!({
        "client_name": "Abide",
        "redirect_uris": [redirect],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "application_type": "native",
    });
    if let (Some(scope), Some(wish)) = (scope, wish.as_object_mut()) {
        wish.insert("scope".into(), json!(scope));
    }
    let request = Request::post_json(endpoint, wish.to_string());
    let answer: RegistrationAnswer = send(http, request).await?;
    let uses_header = match answer.token_endpoint_auth_method.as_deref() {
        Some(method) => method == "client_secret_basic",
        // What a registration means that does not say.
        None => true,
    };
    Ok(StoredClient { id: answer.client_id, secret: answer.client_secret, uses_header })
}

/// Asks for tokens.
pub(crate) async fn ask_for_tokens(
    http: &Client,
    endpoint: &str,
    client: &StoredClient,
    parameters: &[(&str, &str)],
) -> Result<TokenAnswer, McpLoginError> {
    let (form, basic) = token_form(client, parameters);
    let mut request = Request::post_json(endpoint, form)
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .accept("application/json");
    if let Some(basic) = &basic {
        request = request.secret_header(AUTHORIZATION, "Basic ", basic);
    }
    let sent: Result<TokenAnswer, McpLoginError> = send(http, request).await;
    let answer = sent.map_err(|error| redacted(error, client, parameters))?;
    let is_bearer =
        answer.token_type.as_deref().is_none_or(|kind| kind.eq_ignore_ascii_case("bearer"));
    let is_sendable =
        |token: &str| !token.is_empty() && token.bytes().all(|byte| (0x21..=0x7e).contains(&byte));
    if !is_bearer || !is_sendable(&answer.access_token) {
        let problem = "it gives no bearer token that could be sent".to_owned();
        return Err(McpLoginError::Unreadable { problem });
    }
    Ok(answer)
}

/// A refusal may repeat what was sent.
fn redacted(
    error: McpLoginError,
    client: &StoredClient,
    parameters: &[(&str, &str)],
) -> McpLoginError {
    let McpLoginError::Refused { code, mut words } = error else { return error };
    let is_secret = |key: &str| matches!(key, "code" | "refresh_token" | "code_verifier");
    let sent = parameters.iter().filter(|(key, _)| is_secret(key)).map(|(_, value)| *value);
    for secret in sent.chain(client.secret.as_deref()) {
        words = Secret::verbatim(secret).redact(&words);
    }
    McpLoginError::Refused { code, words }
}

/// What is asked, and what a client with a secret shows beside it.
fn token_form(client: &StoredClient, parameters: &[(&str, &str)]) -> (String, Option<Secret>) {
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.extend_pairs(parameters);
    let mut basic = None;
    match &client.secret {
        Some(secret) if client.uses_header => {
            let encoded = |text: &str| -> String {
                form_urlencoded::byte_serialize(text.as_bytes()).collect()
            };
            let pair = format!("{}:{}", encoded(&client.id), encoded(secret));
            basic = Some(Secret::verbatim(BASE64_STANDARD.encode(pair)));
        }
        Some(secret) => {
            form.append_pair("client_id", &client.id).append_pair("client_secret", secret);
        }
        None => {
            form.append_pair("client_id", &client.id);
        }
    }
    (form.finish(), basic)
}

async fn send<T: serde::de::DeserializeOwned>(
    http: &Client,
    request: Request,
) -> Result<T, McpLoginError> {
    // A redirect would send what is secret elsewhere.
    let limits = RequestLimits {
        body_bytes_max: ANSWER_BYTES_MAX,
        redirects_max: 0,
        ..RequestLimits::default()
    };
    let response = http.send(request.limits(limits)).await.map_err(McpLoginError::Network)?;
    if !response.status().is_success() {
        return Err(refusal(response).await);
    }
    let bytes = response.bytes().await.map_err(McpLoginError::Network)?;
    // The message of the parser could show a part of a token.
    serde_json::from_slice(&bytes).map_err(|_| McpLoginError::Unreadable {
        problem: "it lacks what it should have".to_owned(),
    })
}

async fn refusal(response: Response) -> McpLoginError {
    let status = response.status();
    let body = response.excerpt(16 * 1024).await;
    let said = serde_json::from_str::<Value>(&body).unwrap_or_default();
    let text = |key: &str| {
        let text = said.get(key).and_then(Value::as_str)?;
        Some(shortened(&visible_line(text), WORDS_CHARS_MAX))
    };
    let words = text("error_description").map(|words| format!(": {words}")).unwrap_or_default();
    McpLoginError::Refused {
        code: text("error").unwrap_or_else(|| format!("HTTP {status}")),
        words,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::TokenAnswer;
    use crate::login::store::tests::login;

    #[test]
    fn what_an_answer_leaves_out_stays_and_its_life_is_read_in_all_spellings() {
        let now: abide_domain::Timestamp = "2026-11-28T09:30:00Z".parse().unwrap();
        let seconds = now.as_micros() / 1_000_000;
        let cases = [
            (json!(3600), Some(seconds + 3600)),
            (json!("60"), Some(seconds + 60)),
            (json!(null), None),
            (json!("soon"), None),
            (json!(-5), None),
        ];
        for (life, expected) in cases {
            let answer = json!({"access_token": "next", "expires_in": life});
            let answer: TokenAnswer = serde_json::from_value(answer).unwrap();
            let mut login = login("first");
            answer.put_into(&mut login, now);
            assert_eq!((login.access_token.as_str(), login.expires_at_s), ("next", expected));
            assert_eq!(login.refresh_token.as_deref(), Some("refresh-word"), "it was not rotated");
        }
    }
}
