//! The client: checks where a request goes, paces it, sends it, follows its redirects by hand.

use std::{
    fmt,
    net::IpAddr,
    sync::{Arc, OnceLock},
    time::Duration,
};

use abide_domain::Clock;
use http::{
    HeaderMap, Method, StatusCode,
    header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, LOCATION},
};
use reqwest::{Url, redirect::Policy};
use tokio::time::timeout_at;

use crate::{
    AddressPolicy, Error, NameLookup, Request, RequestPace, Response, SystemLookup,
    pace::Pacer,
    resolver::{CheckedResolver, RefusedAddressError},
    response::Deadlines,
    url::{bare_url, host_of},
};

/// The `User-Agent` header.
const USER_AGENT: &str = concat!("abide/", env!("CARGO_PKG_VERSION"));
/// Longest wait for a connection, name look-up and TLS included.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long an unused connection is kept.
const POOL_IDLE: Duration = Duration::from_secs(30);
/// Unused connections that are kept for one host.
const POOL_PER_HOST_MAX: usize = 16;

/// What a client is made from.
#[derive(Clone, Debug)]
pub struct ClientSettings {
    /// Where it may connect.
    pub addresses: AddressPolicy,
    /// A proxy's URL; none is taken from the environment. It resolves names itself, so that it works with
    /// [`AddressPolicy::Any`] only.
    pub proxy: Option<String>,
    /// Hosts whose requests are paced.
    pub paces: Vec<RequestPace>,
    /// How names are looked up.
    pub lookup: Arc<dyn NameLookup>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
}

impl ClientSettings {
    /// Settings without proxy and pace, with the system's look-up.
    pub fn new(addresses: AddressPolicy, clock: Arc<dyn Clock>) -> Self {
        Self { addresses, proxy: None, paces: Vec::new(), lookup: Arc::new(SystemLookup), clock }
    }
}

/// The outbound HTTP client: a cheap clone that shares its connections.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

struct Shared {
    settings: ClientSettings,
    pacer: Pacer,
    /// For `http:`; has no certificates, so that a keeper with local models only never loads any.
    plain: OnceLock<reqwest::Client>,
    /// For `https:`, with the system's certificates. Made at first use: loading them takes milliseconds.
    secure: OnceLock<reqwest::Client>,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("addresses", &self.shared.settings.addresses)
            .finish_non_exhaustive()
    }
}

impl Client {
    /// Makes a client. Opens nothing; connections are made when needed.
    pub fn new(settings: ClientSettings) -> Self {
        let pacer = Pacer::new(&settings.paces, &settings.clock);
        let shared = Shared { settings, pacer, plain: OnceLock::new(), secure: OnceLock::new() };
        Self { shared: Arc::new(shared) }
    }

    /// The client's clock.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.shared.settings.clock
    }

    /// Sends a request and waits for the answer's head. An error status is an answer.
    ///
    /// Redirects are followed only as far as the request's limits say. Each hop's address is checked like the first,
    /// and a hop to another origin carries no secret on.
    pub async fn send(&self, request: Request) -> Result<Response, Error> {
        let Request { mut method, url, mut headers, mut body, limits, problem } = request;
        let mut url = self.checked_url(&url)?;
        if let Some(problem) = problem {
            return Err(Error::InvalidRequest { target: bare_url(&url), problem });
        }
        let deadlines = Deadlines::start(&limits);
        let mut redirects: u32 = 0;
        loop {
            let mut hop = reqwest::Request::new(method.clone(), url.clone());
            *hop.headers_mut() = headers.clone();
            *hop.body_mut() = body.clone().map(reqwest::Body::from);
            let response = self.send_hop(hop, &deadlines, limits.body_bytes_max).await?;
            let Some(next) = next_hop(&response, &url).filter(|_| limits.redirects_max > 0) else {
                return Ok(response);
            };
            redirects = redirects.saturating_add(1);
            if redirects > limits.redirects_max {
                let (host, redirects_max) = (response.host, limits.redirects_max);
                return Err(Error::TooManyRedirects { host, redirects_max });
            }
            let next = self.checked_url(&next)?;
            if next.origin() != url.origin() {
                drop_secrets(&mut headers);
            }
            if turns_to_get(response.status(), &method) {
                method = Method::GET;
                body = None;
                headers.remove(CONTENT_TYPE);
            }
            url = next;
        }
    }

    async fn send_hop(
        &self,
        request: reqwest::Request,
        deadlines: &Deadlines,
        bytes_max: u64,
    ) -> Result<Response, Error> {
        let host = host_of(request.url());
        let client = self.connection_pool(request.url())?;
        let (at, phase, after) = deadlines.next(false);
        let sending = async {
            self.shared.pacer.wait(&host).await;
            client.execute(request).await
        };
        let inner = match timeout_at(at, sending).await {
            Err(_) => return Err(Error::TimedOut { host, phase, after }),
            Ok(Err(error)) => return Err(self.connect_error(host, error)),
            Ok(Ok(response)) => response,
        };
        if inner.content_length().is_some_and(|length| length > bytes_max) {
            return Err(Error::TooLarge { host, bytes_max });
        }
        Ok(Response { inner, host, deadlines: *deadlines, bytes_max, received: 0 })
    }

    /// Reads a URL and checks what can be checked before a connection: scheme, user info, literal address.
    fn checked_url(&self, text: &str) -> Result<Url, Error> {
        let invalid = |target: String, problem: &str| {
            Err(Error::InvalidRequest { target, problem: problem.to_owned() })
        };
        let Ok(url) = Url::parse(text) else {
            let target = text.split(['?', '#', '@']).next().unwrap_or_default();
            return invalid(format!("`{target}`"), "it is not a valid URL");
        };
        let target = bare_url(&url);
        if !matches!(url.scheme(), "http" | "https") {
            return invalid(target, "only http and https are supported");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return invalid(target, "a URL must not contain a user name or a password");
        }
        let host = host_of(&url);
        let policy = self.shared.settings.addresses;
        match host.parse::<IpAddr>() {
            Ok(address) if !policy.permits(address) => {
                Err(Error::AddressRefused { host, address, policy })
            }
            _ => Ok(url),
        }
    }

    fn connection_pool(&self, url: &Url) -> Result<&reqwest::Client, Error> {
        let is_secure = url.scheme() == "https" || self.shared.settings.proxy.is_some();
        let slot = if is_secure { &self.shared.secure } else { &self.shared.plain };
        if let Some(client) = slot.get() {
            return Ok(client);
        }
        let client = build(&self.shared.settings, is_secure)?;
        Ok(slot.get_or_init(|| client))
    }

    fn connect_error(&self, host: String, error: reqwest::Error) -> Error {
        let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
        while let Some(inner) = cause {
            if let Some(&RefusedAddressError { address }) =
                inner.downcast_ref::<RefusedAddressError>()
            {
                let policy = self.shared.settings.addresses;
                return Error::AddressRefused { host, address, policy };
            }
            cause = inner.source();
        }
        Error::Unreachable { host, source: error.without_url().into() }
    }
}

fn build(settings: &ClientSettings, is_secure: bool) -> Result<reqwest::Client, Error> {
    // Another part of the program may have installed a provider first; any will do, so the result does not matter.
    drop(rustls::crypto::ring::default_provider().install_default());
    let resolver =
        CheckedResolver { policy: settings.addresses, lookup: Arc::clone(&settings.lookup) };
    let mut builder = reqwest::Client::builder()
        .user_agent(USER_AGENT)
        .redirect(Policy::none())
        .no_proxy()
        .referer(false)
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(POOL_IDLE)
        .pool_max_idle_per_host(POOL_PER_HOST_MAX)
        .dns_resolver(Arc::new(resolver));
    if !is_secure {
        builder = builder.tls_certs_only(Vec::<reqwest::Certificate>::new());
    }
    if let Some(proxy) = &settings.proxy {
        if settings.addresses != AddressPolicy::Any {
            let source =
                "a proxy resolves names itself, so addresses cannot be checked: use it with the policy for any address only".into();
            return Err(Error::Setup { source });
        }
        builder = builder.proxy(reqwest::Proxy::all(proxy).map_err(setup_error)?);
    }
    builder.build().map_err(setup_error)
}

fn setup_error(error: reqwest::Error) -> Error {
    Error::Setup { source: error.without_url().into() }
}

fn next_hop(response: &Response, url: &Url) -> Option<String> {
    let is_redirect = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let location = response.headers().get(LOCATION).filter(|_| is_redirect)?.to_str().ok()?;
    url.join(location).ok().map(String::from)
}

fn turns_to_get(status: StatusCode, method: &Method) -> bool {
    status == StatusCode::SEE_OTHER
        || (*method == Method::POST && matches!(status.as_u16(), 301 | 302))
}

fn drop_secrets(headers: &mut HeaderMap) {
    let secret: Vec<_> = headers
        .iter()
        .filter(|(name, value)| value.is_sensitive() || **name == AUTHORIZATION || **name == COOKIE)
        .map(|(name, _)| name.clone())
        .collect();
    for name in secret {
        headers.remove(name);
    }
}
