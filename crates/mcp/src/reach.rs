//! How a server is reached: as a process that is started here, or over HTTP.
//!
//! An address may hold a secret in its query, so nothing here shows more of one than scheme, host, port and path.

use std::{collections::BTreeMap, fmt, net::IpAddr, sync::Arc};

use abide_domain::Clock;
use abide_http::{AddressPolicy, Client, ClientSettings};
use url::{Host, Url};

use crate::limits::ADDRESS_BYTES_MAX;

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum McpReach {
    /// A process that is started here; messages go through its pipes.
    Process(McpProgram),
    /// A server that runs elsewhere; messages go by Streamable HTTP.
    Http(McpEndpoint),
}

/// What is started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct McpProgram {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Names of the variables that it gets beside `PATH`, `HOME` and `LANG`.
    pub environment: Vec<String>,
}

/// Where a server is, and how one logs in there.
#[derive(Clone, PartialEq, Eq)]
pub struct McpEndpoint {
    /// Its address: `https`, or `http` on this machine.
    pub url: String,
    /// Whether it may be at an address that is not public, and `http` elsewhere than on this machine.
    pub is_private: bool,
    /// The name of the variable that holds its token; without one, a login is used where there is one.
    pub token_env: Option<String>,
    /// Names of variables by the headers in which their values go along.
    pub headers_env: BTreeMap<String, String>,
    /// The client that was registered at its login service by hand; without one, it is registered at each login.
    pub client_id: Option<String>,
    /// What a login asks for; without any, what the server says that it needs.
    pub scopes: Vec<String>,
    /// The port on which a login comes back, where the registration by hand names one; otherwise a free one.
    pub callback_port: Option<u16>,
}

impl McpEndpoint {
    /// An endpoint without anything but its address.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            is_private: false,
            token_env: None,
            headers_env: BTreeMap::new(),
            client_id: None,
            scopes: Vec::new(),
            callback_port: None,
        }
    }

    /// Its address, or what is wrong with it.
    pub(crate) fn address(&self) -> Result<Url, String> {
        read_server_address(&self.url, self.is_private)
    }

    /// The client for everything that has to do with this server: its own rule for addresses holds for what it names, too.
    pub(crate) fn http(&self, clock: &Arc<dyn Clock>) -> Client {
        Client::new(ClientSettings::new(self.policy(), Arc::clone(clock)))
    }

    fn policy(&self) -> AddressPolicy {
        if self.is_private {
            return AddressPolicy::Any;
        }
        match Url::parse(&self.url) {
            Ok(url) if is_this_machine(&url) => AddressPolicy::PublicOrLoopback,
            _ => AddressPolicy::Public,
        }
    }
}

impl fmt::Debug for McpEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpEndpoint")
            .field("url", &shown_address(&self.url))
            .field("is_private", &self.is_private)
            .field("token_env", &self.token_env)
            .field("headers_env", &self.headers_env)
            .field("client_id", &self.client_id)
            .field("scopes", &self.scopes)
            .field("callback_port", &self.callback_port)
            .finish()
    }
}

/// Reads an address that a request may go to, or says what is wrong with it.
pub(crate) fn read_server_address(text: &str, is_private: bool) -> Result<Url, String> {
    if text.len() > ADDRESS_BYTES_MAX {
        return Err(format!("it is longer than {ADDRESS_BYTES_MAX} bytes"));
    }
    let url = Url::parse(text).map_err(|_| "it is not an address".to_owned())?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a user name or a password in it would be shown and logged".to_owned());
    }
    if url.fragment().is_some() {
        return Err("it has a fragment".to_owned());
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if is_private || is_this_machine(&url) => Ok(url),
        "http" => Err("without encryption only this machine may be reached: use https".to_owned()),
        _ => Err("only http and https are supported".to_owned()),
    }
}

/// Scheme, host, port and path of an address; nothing of what cannot be read.
pub(crate) fn shown_address(text: &str) -> String {
    let Ok(mut url) = Url::parse(text) else { return "an address that cannot be read".to_owned() };
    url.set_query(None);
    url.set_fragment(None);
    // They fail for addresses without a host, which have neither.
    let _ = (url.set_username(""), url.set_password(None));
    url.into()
}

fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::V6(address).to_canonical().is_loopback(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use abide_http::AddressPolicy;

    use super::{McpEndpoint, read_server_address, shown_address};

    #[test]
    fn encryption_is_needed_beyond_this_machine_and_secrets_have_no_place() {
        let good = [
            "https://mcp.example/mcp",
            "http://127.0.0.1:80/",
            "http://[::1]:9/x",
            "http://localhost/",
        ];
        for url in good {
            assert!(read_server_address(url, false).is_ok(), "{url}");
        }
        let bad = [
            "http://mcp.example/mcp",
            "http://10.0.0.7/",
            "https://user@mcp.example/",
            "https://user:word@mcp.example/",
            "https://mcp.example/#x",
            "ftp://mcp.example/",
            "/mcp",
        ];
        for url in bad {
            assert!(read_server_address(url, false).is_err(), "{url}");
        }
        assert!(read_server_address("http://10.0.0.7/", true).is_ok());
    }

    #[test]
    fn an_address_is_shown_without_what_may_be_secret() {
        assert_eq!(shown_address("https://u:p@a.example:8/mcp?key=s#f"), "https://a.example:8/mcp");
        let endpoint = McpEndpoint::new("https://a.example/mcp?key=secret");
        assert!(!format!("{endpoint:?}").contains("secret"), "{endpoint:?}");
    }

    #[test]
    fn what_may_be_connected_to_follows_from_the_address() {
        let policy = |url: &str| McpEndpoint::new(url).policy();
        assert_eq!(policy("https://mcp.example/"), AddressPolicy::Public);
        assert_eq!(policy("http://127.0.0.1:7/"), AddressPolicy::PublicOrLoopback);
        let private =
            McpEndpoint { is_private: true, ..McpEndpoint::new("https://intern.example/") };
        assert_eq!(private.policy(), AddressPolicy::Any);
    }
}
