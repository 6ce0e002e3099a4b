//! The dead man's switch: an address outside that wants to hear of every good scan, and calls a person when it does not.
//!
//! Made for services in the manner of healthchecks: a GET says that all is well, a POST to the same address with `/fail`
//! behind its path that it is not. A service that knows no `/fail` misses the pings instead. It never holds a scan up.

use abide_http::{Client, Request, Secret};
use abide_watchdog::{DeadManPing, Delivery, Pulse};
use futures_util::future::BoxFuture;
use http::Method;
use serde_json::json;

use super::http_service::HttpService;

/// A switch at one address.
#[derive(Clone, Debug)]
pub struct DeadManSwitch {
    post: HttpService,
    url: Secret,
}

impl DeadManSwitch {
    /// Pings this address, which is a secret and is shown to nobody.
    pub fn new(client: Client, url: Secret) -> Self {
        let secrets = vec![url.clone()];
        Self { post: HttpService::new(client, "the dead man's switch", secrets), url }
    }

    fn request(&self, pulse: &Pulse) -> Request {
        let url = self.url.expose();
        match pulse {
            Pulse::Good => Request::new(Method::GET, url),
            Pulse::Blind(why) => {
                let reason = format!("agents cannot be judged: {why}");
                Request::post_json(fail_address(url), json!({"reason": reason}).to_string())
            }
        }
    }
}

impl DeadManPing for DeadManSwitch {
    fn ping(&self, pulse: Pulse) -> BoxFuture<'_, Delivery> {
        Box::pin(async move { self.post.deliver(self.request(&pulse)).await })
    }
}

/// The address with `/fail` behind its path.
fn fail_address(url: &str) -> String {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let (path, rest) = url.split_at(end);
    format!("{}/fail{rest}", path.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::fail_address;

    #[test]
    fn fail_stands_behind_the_path() {
        for (url, expected) in [
            ("https://hc.test/ping/1f0c", "https://hc.test/ping/1f0c/fail"),
            ("https://hc.test/ping/1f0c/", "https://hc.test/ping/1f0c/fail"),
            ("https://hc.test/ping/1f0c?rid=7", "https://hc.test/ping/1f0c/fail?rid=7"),
        ] {
            assert_eq!(fail_address(url), expected);
        }
    }
}
