//! What a remote server and its login service say about logins (RFC 9728, RFC 8414, OpenID Connect Discovery).
//!
//! All of it is data of others: each address in it is judged by the rule of the server's own, and the resource that a token is
//! asked for is taken byte for byte.

use abide_http::{Client, Request, RequestLimits};
use serde::{Deserialize, de::DeserializeOwned};
use url::Url;

use crate::{
    login::login_error::McpLoginError,
    reach::{read_server_address, shown_address},
};

/// Longest document that is read.
const DOCUMENT_BYTES_MAX: u64 = 256 * 1024;

/// What the server says about itself.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ResourceDocument {
    pub(crate) resource: String,
    #[serde(default)]
    pub(crate) authorization_servers: Vec<String>,
    #[serde(default)]
    pub(crate) scopes_supported: Vec<String>,
}

/// What the login service says about itself.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ServiceDocument {
    pub(crate) issuer: String,
    pub(crate) authorization_endpoint: String,
    pub(crate) token_endpoint: String,
    pub(crate) registration_endpoint: Option<String>,
    #[serde(default)]
    pub(crate) code_challenge_methods_supported: Vec<String>,
    #[serde(default)]
    pub(crate) authorization_response_iss_parameter_supported: bool,
}

/// What a challenge of the server names (`WWW-Authenticate`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Challenge {
    pub(crate) document: Option<String>,
    pub(crate) scope: Option<String>,
}

/// Where a login goes.
#[derive(Clone, Debug)]
pub(crate) struct LoginPlace {
    /// What the token is for, as the server writes it.
    pub(crate) resource: String,
    pub(crate) service: ServiceDocument,
    /// What to ask for, where the settings do not say.
    pub(crate) scopes: Vec<String>,
}

/// Finds out how one logs in at one server.
pub(crate) struct LoginDiscovery<'a> {
    pub(crate) http: &'a Client,
    pub(crate) server: &'a Url,
    pub(crate) is_private: bool,
}

impl LoginDiscovery<'_> {
    /// Finds out where a login at the server goes.
    pub(crate) async fn find(&self, challenge: &Challenge) -> Result<LoginPlace, McpLoginError> {
        let found = self.resource(challenge).await?;
        let (resource, issuers, mut scopes) = match found {
            Some(found) => (found.resource, found.authorization_servers, found.scopes_supported),
            // Older servers are their own login service and name nothing.
            None => (self.server.as_str().to_owned(), Vec::new(), Vec::new()),
        };
        let issuer = issuers.into_iter().next();
        let issuer = issuer.unwrap_or_else(|| self.server.origin().ascii_serialization());
        if let Some(scope) = &challenge.scope {
            scopes = scope.split_whitespace().map(str::to_owned).collect();
        }
        let service = self.service(&issuer).await?;
        Ok(LoginPlace { resource, service, scopes })
    }

    async fn resource(
        &self,
        challenge: &Challenge,
    ) -> Result<Option<ResourceDocument>, McpLoginError> {
        let places = match &challenge.document {
            Some(place) => vec![place.clone()],
            None => resource_places(self.server),
        };
        let is_named = challenge.document.is_some();
        for place in places {
            let Some(document) = self.read::<ResourceDocument>(&place, is_named).await? else {
                continue;
            };
            if covers(&document.resource, self.server) {
                return Ok(Some(document));
            }
            if is_named {
                let named = shown_address(&document.resource);
                return Err(McpLoginError::Discovery {
                    problem: format!(
                        "the server says that it is `{named}`, which is not its address"
                    ),
                });
            }
        }
        Ok(None)
    }

    async fn service(&self, issuer: &str) -> Result<ServiceDocument, McpLoginError> {
        let refused = |problem: String| McpLoginError::Discovery {
            problem: format!("the login service {} {problem}", shown_address(issuer)),
        };
        let url = self.checked(issuer)?;
        for place in service_places(&url) {
            let Some(document) = self.read::<ServiceDocument>(&place, false).await? else {
                continue;
            };
            if document.issuer.trim_end_matches('/') != issuer.trim_end_matches('/') {
                let other = shown_address(&document.issuer);
                return Err(refused(format!("says that it is `{other}`")));
            }
            if !document.code_challenge_methods_supported.iter().any(|method| method == "S256") {
                return Err(refused("does not say that it knows PKCE with S256".to_owned()));
            }
            let mut endpoints = vec![&document.authorization_endpoint, &document.token_endpoint];
            endpoints.extend(&document.registration_endpoint);
            for endpoint in endpoints {
                self.checked(endpoint)?;
            }
            return Ok(document);
        }
        Err(refused("says nothing about itself where it should".to_owned()))
    }

    fn checked(&self, address: &str) -> Result<Url, McpLoginError> {
        read_server_address(address, self.is_private).map_err(|problem| McpLoginError::Discovery {
            problem: format!("the address {} cannot be used: {problem}", shown_address(address)),
        })
    }

    /// A document; none where there is none, unless there must be one.
    async fn read<T: DeserializeOwned>(
        &self,
        place: &str,
        must_exist: bool,
    ) -> Result<Option<T>, McpLoginError> {
        self.checked(place)?;
        let limits = RequestLimits {
            body_bytes_max: DOCUMENT_BYTES_MAX,
            redirects_max: 3,
            ..RequestLimits::default()
        };
        let request = Request::get(place).accept("application/json").limits(limits);
        let problem = |what: &str| McpLoginError::Discovery {
            problem: format!("{} {what}", shown_address(place)),
        };
        let response = self.http.send(request).await.map_err(McpLoginError::Network)?;
        if !response.status().is_success() {
            if must_exist || response.status().is_server_error() {
                return Err(problem(&format!("answers with HTTP {}", response.status())));
            }
            return Ok(None);
        }
        let bytes = response.bytes().await.map_err(McpLoginError::Network)?;
        match serde_json::from_slice(&bytes) {
            Ok(document) => Ok(Some(document)),
            // A page for people stands there.
            Err(_) if !must_exist => Ok(None),
            Err(error) => Err(problem(&format!("is not what it should be: {error}"))),
        }
    }
}

/// Whether a resource is the server at that address, or a part of its host that it lies in.
fn covers(resource: &str, server: &Url) -> bool {
    let Ok(resource) = Url::parse(resource) else { return false };
    let (path, whole) = (resource.path().trim_end_matches('/'), server.path());
    let lies_within =
        whole.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    resource.origin() == server.origin() && lies_within
}

/// Where a server's document lies: for its path first, then for its host.
fn resource_places(server: &Url) -> Vec<String> {
    let origin = server.origin().ascii_serialization();
    let path = server.path().trim_end_matches('/');
    let known = "/.well-known/oauth-protected-resource";
    let mut places = vec![format!("{origin}{known}{path}")];
    if !path.is_empty() {
        places.push(format!("{origin}{known}"));
    }
    places
}

/// Where a login service's document lies.
fn service_places(issuer: &Url) -> Vec<String> {
    let origin = issuer.origin().ascii_serialization();
    let path = issuer.path().trim_end_matches('/');
    let (oauth, openid) =
        ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration");
    let mut places = vec![format!("{origin}{oauth}{path}"), format!("{origin}{openid}{path}")];
    if !path.is_empty() {
        places.push(format!("{origin}{path}{openid}"));
    }
    places
}

/// Reads what a challenge names.
pub(crate) fn read_challenge(header: &str) -> Challenge {
    Challenge {
        document: parameter(header, "resource_metadata"),
        scope: parameter(header, "scope"),
    }
}

fn parameter(header: &str, key: &str) -> Option<String> {
    let mut rest = header;
    while let Some((before, behind)) = rest.split_once(key) {
        let begins = before.chars().next_back().is_none_or(|c| c == ' ' || c == ',');
        rest = behind;
        let Some(value) = behind.trim_start().strip_prefix('=').filter(|_| begins) else {
            continue;
        };
        let value = value.trim_start();
        return match value.strip_prefix('"') {
            Some(quoted) => Some(quoted.split('"').next()?.to_owned()),
            None => Some(value.split([',', ' ']).next()?.to_owned()),
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::{Challenge, covers, read_challenge, resource_places, service_places};

    #[test]
    fn a_challenge_names_its_document_and_its_scope() {
        let header = r#"Bearer realm="x", xscope="no", resource_metadata="https://a.example/r", scope="a b""#;
        let expected =
            Challenge { document: Some("https://a.example/r".into()), scope: Some("a b".into()) };
        assert_eq!(read_challenge(header), expected);
        assert_eq!(read_challenge("Bearer"), Challenge::default());
        assert_eq!(read_challenge("Bearer scope=a, x=y").scope.as_deref(), Some("a"));
    }

    #[test]
    fn documents_are_looked_for_where_the_standards_put_them() {
        let url = |text: &str| Url::parse(text).unwrap();
        assert_eq!(
            resource_places(&url("https://a.example:8/one/mcp")),
            [
                "https://a.example:8/.well-known/oauth-protected-resource/one/mcp",
                "https://a.example:8/.well-known/oauth-protected-resource",
            ]
        );
        assert_eq!(resource_places(&url("https://a.example/")).len(), 1);
        assert_eq!(
            service_places(&url("https://a.example/t1")),
            [
                "https://a.example/.well-known/oauth-authorization-server/t1",
                "https://a.example/.well-known/openid-configuration/t1",
                "https://a.example/t1/.well-known/openid-configuration",
            ]
        );
    }

    /// HB-18.
    #[test]
    fn of_two_servers_on_a_host_each_has_its_own_resource() {
        let server = Url::parse("https://a.example/one/mcp").unwrap();
        let own = [
            "https://a.example",
            "https://a.example/",
            "https://a.example/one/mcp",
            "https://a.example/one/",
        ];
        assert!(own.iter().all(|resource| covers(resource, &server)));
        let others = ["https://a.example/two", "https://a.example/on", "https://b.example/", "x"];
        assert!(!others.iter().any(|resource| covers(resource, &server)));
    }
}
