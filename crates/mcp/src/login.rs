//! The login of a person at a remote server, by OAuth 2.1: this client finds the login service, shows where to log in, and waits on a
//! page of its own for what comes back.
//!
//! It opens no browser. A registration is made anew for each login that has none of the settings: it may have been removed, and the
//! page has another port each time.

pub(crate) mod callback;
pub(crate) mod login_error;
pub(crate) mod login_tokens;
pub(crate) mod service_document;
pub(crate) mod store;
pub(crate) mod token_request;

use std::{fmt, sync::Arc, time::Duration};

use abide_domain::Clock;
use abide_http::{Client, Request};
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use http::{StatusCode, header::WWW_AUTHENTICATE};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use tokio::time::timeout;
use url::Url;

use self::{
    callback::{CallbackPage, ExpectedReturn},
    login_error::McpLoginError,
    service_document::{Challenge, LoginDiscovery, LoginPlace, read_challenge},
    store::{StoredClient, StoredLogin, TokenStore},
    token_request::{ask_for_tokens, register},
};
use crate::{
    reach::{McpReach, shown_address},
    settings::McpServerSettings,
};

/// How long a person has to come back.
const LOGIN_LIMIT: Duration = Duration::from_mins(10);
/// How many random bytes are in what must not be guessed.
const RANDOM_BYTES: usize = 32;

/// A login that has begun: a person visits [`Self::url`], and [`Self::finish`] waits for what comes of it.
pub struct McpLogin {
    url: String,
    page: CallbackPage,
    expected: ExpectedReturn,
    exchange: CodeExchange,
}

/// What it takes to make tokens of a code.
struct CodeExchange {
    http: Client,
    store: TokenStore,
    clock: Arc<dyn Clock>,
    server: String,
    /// Without tokens.
    login: StoredLogin,
    redirect: String,
    verifier: String,
}

impl fmt::Debug for McpLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpLogin")
            .field("server", &self.exchange.server)
            .field("url", &shown_address(&self.url))
            .finish_non_exhaustive()
    }
}

impl McpLogin {
    /// Finds out how to log in at a server, and opens the page to come back to.
    pub async fn begin(
        settings: &McpServerSettings,
        store: &TokenStore,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, McpLoginError> {
        settings.check()?;
        let McpReach::Http(endpoint) = &settings.reach else {
            return Err(McpLoginError::NotRemote { server: settings.name.clone() });
        };
        let unusable = |problem: String| McpLoginError::Discovery { problem };
        let address = endpoint.address().map_err(unusable)?;
        let http = endpoint.http(&clock);
        let challenge = ask_for_challenge(&http, &address).await?;
        let reader =
            LoginDiscovery { http: &http, server: &address, is_private: endpoint.is_private };
        let place = reader.find(&challenge).await?;
        let page =
            CallbackPage::open(endpoint.callback_port).await.map_err(McpLoginError::Callback)?;
        let scopes = if endpoint.scopes.is_empty() { &place.scopes } else { &endpoint.scopes };
        let scope = Some(scopes.join(" ")).filter(|scope| !scope.is_empty());
        let client = if let Some(id) = &endpoint.client_id {
            StoredClient { id: id.clone(), secret: None, uses_header: false }
        } else {
            let registration = place.service.registration_endpoint.as_deref();
            let registration = registration.ok_or(McpLoginError::NoRegistration)?;
            register(&http, registration, &page.url, scope.as_deref()).await?
        };
        let (state, verifier) = (random_word()?, random_word()?);
        let login = StoredLogin {
            url: endpoint.url.clone(),
            resource: place.resource.clone(),
            issuer: place.service.issuer.clone(),
            token_endpoint: place.service.token_endpoint.clone(),
            client,
            is_registered_here: endpoint.client_id.is_none(),
            access_token: String::new(),
            refresh_token: None,
            expires_at_s: None,
            scope,
        };
        let url = login_address(&place, &login, &page.url, &state, &verifier)?;
        let expected = ExpectedReturn {
            state,
            issuer: place.service.issuer,
            names_issuer: place.service.authorization_response_iss_parameter_supported,
        };
        let exchange = CodeExchange {
            http,
            store: store.clone(),
            clock,
            server: settings.name.clone(),
            login,
            redirect: page.url.clone(),
            verifier,
        };
        Ok(Self { url, page, expected, exchange })
    }

    /// Where the person logs in.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Waits until the person comes back, and keeps what that gives. Dropping it gives the login up.
    pub async fn finish(self) -> Result<(), McpLoginError> {
        let returned = timeout(LOGIN_LIMIT, self.page.wait(self.expected)).await;
        let minutes = LOGIN_LIMIT.as_secs() / 60;
        let code = returned.map_err(|_| McpLoginError::TimedOut { minutes })??;
        self.exchange.run(&code).await
    }
}

impl CodeExchange {
    async fn run(mut self, code: &str) -> Result<(), McpLoginError> {
        let parameters = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &self.redirect),
            ("code_verifier", &self.verifier),
            ("resource", &self.login.resource),
        ];
        let (endpoint, client) = (&self.login.token_endpoint, &self.login.client);
        let answer = ask_for_tokens(&self.http, endpoint, client, &parameters).await?;
        answer.put_into(&mut self.login, self.clock.now());
        let _lock = self.store.lock(&self.server).await?;
        self.store.save(&self.server, self.login).await?;
        Ok(())
    }
}

/// What the server says to a request without a token. It runs nothing.
async fn ask_for_challenge(http: &Client, address: &Url) -> Result<Challenge, McpLoginError> {
    let ping = json!({"jsonrpc": "2.0", "id": "login", "method": "ping"});
    let request = Request::post_json(address.as_str(), ping.to_string());
    let request = request.accept("application/json, text/event-stream");
    let response = http.send(request).await.map_err(McpLoginError::Network)?;
    let header = response.headers().get(WWW_AUTHENTICATE).and_then(|value| value.to_str().ok());
    let header = header.filter(|_| response.status() == StatusCode::UNAUTHORIZED);
    Ok(header.map(read_challenge).unwrap_or_default())
}

/// The address of the login page, with exactly one of each parameter of ours, whatever it had before.
fn login_address(
    place: &LoginPlace,
    login: &StoredLogin,
    redirect: &str,
    state: &str,
    verifier: &str,
) -> Result<String, McpLoginError> {
    let challenge = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()));
    let mut ours = vec![
        ("response_type", "code"),
        ("client_id", &login.client.id),
        ("redirect_uri", redirect),
        ("state", state),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
        ("resource", &place.resource),
    ];
    if let Some(scope) = &login.scope {
        ours.push(("scope", scope));
    }
    let problem = "the address of the login page cannot be read".to_owned();
    let mut url = Url::parse(&place.service.authorization_endpoint)
        .map_err(|_| McpLoginError::Discovery { problem })?;
    let kept: Vec<(String, String)> = url
        .query_pairs()
        .filter(|(key, _)| !ours.iter().any(|(own, _)| own == key))
        .map(|(key, value)| (key.into_owned(), value.into_owned()))
        .collect();
    url.query_pairs_mut().clear().extend_pairs(kept).extend_pairs(ours);
    Ok(url.into())
}

fn random_word() -> Result<String, McpLoginError> {
    let mut bytes = [0; RANDOM_BYTES];
    getrandom::fill(&mut bytes).map_err(|_| McpLoginError::Random)?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use url::Url;

    use super::{LoginPlace, login_address, random_word};
    use crate::login::store::tests::login;

    /// HB-18.
    #[test]
    fn the_resource_goes_along_once_and_byte_for_byte() {
        for resource in ["https://a.example", "https://a.example/", "https://A.example/mcp"] {
            let service = json!({
                "issuer": "https://login.example",
                "authorization_endpoint": "https://login.example/go?resource=https://other.example&tenant=7",
                "token_endpoint": "https://login.example/token",
            });
            let service = serde_json::from_value(service).unwrap();
            let place = LoginPlace { resource: resource.into(), service, scopes: Vec::new() };
            let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
            let url =
                login_address(&place, &login(""), "http://127.0.0.1:7/callback", "s", verifier);
            let url = Url::parse(&url.unwrap()).unwrap();
            let all = |key: &str| -> Vec<String> {
                let pairs = url.query_pairs().filter(|(name, _)| name == key);
                pairs.map(|(_, value)| value.into_owned()).collect()
            };
            assert_eq!(all("resource"), [resource]);
            assert_eq!(all("tenant"), ["7"]);
            // The example of RFC 7636.
            assert_eq!(all("code_challenge"), ["E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"]);
        }
    }

    #[test]
    fn random_words_are_long_and_never_the_same() {
        let words = [random_word().unwrap(), random_word().unwrap()];
        assert!(words[0] != words[1] && words.iter().all(|word| word.len() == 43));
    }
}
