//! Where `internet.fetch` does not go: addresses in every form, redirects, names that change their mind.

use std::{
    io,
    net::IpAddr,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use abide_http::{AddressPolicy, ClientSettings, NameLookup};
use abide_services::{AllowedHosts, InternetSettings, internet_tools};
use abide_tools::ToolErrorKind;
use serde_json::json;

use crate::{
    call::{Caller, TestClock, http},
    server::{Reply, Server},
};

const FETCH: &str = "internet.fetch";

fn reader(rules: &[&str], addresses: AddressPolicy, lookup: Option<Arc<dyn NameLookup>>) -> Caller {
    let clock = TestClock::start();
    let allowed = AllowedHosts::parse(rules).unwrap();
    let settings = InternetSettings { allowed, addresses, ..InternetSettings::default() };
    let mut http: ClientSettings = http(&clock);
    if let Some(lookup) = lookup {
        http.lookup = lookup;
    }
    Caller::new(internet_tools(&settings, &http), &clock)
}

/// Answers the n-th look-up with the n-th list, and with the last ever after.
#[derive(Debug)]
struct Names {
    answers: Vec<Vec<&'static str>>,
    asked: AtomicUsize,
}

impl Names {
    fn new(answers: Vec<Vec<&'static str>>) -> Arc<Self> {
        Arc::new(Self { answers, asked: AtomicUsize::new(0) })
    }
}

impl NameLookup for Names {
    fn lookup(&self, _: String) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>> {
        let n = self.asked.fetch_add(1, Ordering::SeqCst).min(self.answers.len() - 1);
        let answer = self.answers[n].iter().map(|address| address.parse().unwrap()).collect();
        Box::pin(std::future::ready(Ok(answer)))
    }
}

/// HB-36.
#[tokio::test]
async fn no_form_of_a_local_address_is_reached_even_where_its_host_is_listed() {
    let hosts = [
        "0.0.0.0",
        "10.0.0.1",
        "100.64.0.1",
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "192.0.0.1",
        "192.168.1.1",
        "198.18.0.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "[::]",
        "[::1]",
        "[fc00::1]",
        "[fe80::1]",
        "[ff02::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:10.0.0.1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::1]",
        "[2001:db8::1]",
        "[::ffff:a9fe:a9fe]",
    ];
    for host in hosts {
        let mut caller = reader(&[host], AddressPolicy::Public, None);
        let (kind, message) =
            caller.refused(FETCH, json!({"url": format!("http://{host}/")})).await;
        assert!(
            kind == ToolErrorKind::Blocked && message.contains("not allowed"),
            "{host}: {message}"
        );
    }
}

#[tokio::test]
async fn a_listed_name_at_a_local_address_is_not_reached() {
    let names = [
        vec!["127.0.0.1"],
        vec!["93.184.216.34", "10.0.0.7"],
        vec!["::ffff:127.0.0.1"],
        vec!["169.254.169.254"],
    ];
    for answer in names {
        let lookup = Names::new(vec![answer.clone()]);
        let mut caller = reader(&["inward.test"], AddressPolicy::Public, Some(lookup));
        let (kind, message) = caller.refused(FETCH, json!({"url": "http://inward.test/"})).await;
        assert!(
            kind == ToolErrorKind::Blocked && message.contains("not allowed"),
            "{answer:?}: {message}"
        );
    }
}

/// HB-36.
#[tokio::test]
async fn a_name_that_changes_its_mind_is_looked_up_once_and_checked_at_each_hop() {
    // The first look-up is allowed (this machine, in this test), the second is not.
    let server = Server::start(|asked| match asked.path.as_str() {
        "/again" => Reply::redirect(302, "/next"),
        _ => Reply::html("<html><body><p>reached</p></body></html>"),
    })
    .await;
    let rule = format!("rebind.test:{}", server.address.port());
    let lookup = Names::new(vec![vec!["127.0.0.1"], vec!["10.0.0.1"]]);
    let mut caller = reader(&[&rule], AddressPolicy::PublicOrLoopback, Some(lookup.clone()));
    let page = caller.json(FETCH, json!({"url": format!("http://{rule}/")})).await;
    assert!(page["text"].as_str().unwrap().contains("reached"));
    assert_eq!(lookup.asked.load(Ordering::SeqCst), 1, "what was checked is what is connected to");
    let (kind, message) =
        caller.refused(FETCH, json!({"url": format!("http://{rule}/again")})).await;
    assert!(kind == ToolErrorKind::Blocked && message.contains("10.0.0.1"), "{message}");
    assert_eq!(server.paths(), ["/"], "nothing was sent to the second address");
}

/// HB-42.
#[tokio::test]
async fn a_redirect_to_an_unlisted_host_names_the_address_and_gives_no_body() {
    let other = Server::start(|_| Reply::html("the other host's words")).await;
    let target = format!("http://someone:secret@{}/there?q=1", other.address);
    let plain = other.url("/plain");
    let inward = "http://169.254.169.254/latest/meta-data".to_owned();
    let server = Server::start(move |asked| match asked.path.as_str() {
        "/1" => Reply::redirect(302, &target),
        "/2" => Reply::redirect(301, &plain),
        "/3" => Reply::redirect(307, &inward),
        "/4" => Reply::redirect(302, "file:///etc/passwd"),
        _ => Reply::redirect(302, "javascript:alert(1)"),
    })
    .await;
    let mut caller = reader(&[&server.address.to_string()], AddressPolicy::PublicOrLoopback, None);
    let shown = [
        other.url("/there?q=1"),
        other.url("/plain"),
        "http://169.254.169.254/latest/meta-data".into(),
        "file:///etc/passwd".into(),
    ];
    for (n, shown) in shown.iter().enumerate() {
        let (kind, message) =
            caller.refused(FETCH, json!({"url": server.url(&format!("/{}", n + 1))})).await;
        assert_eq!(kind, ToolErrorKind::Blocked, "{message}");
        assert!(
            message.contains(shown) && !message.contains("secret") && !message.contains("words"),
            "{message}"
        );
    }
    assert_eq!(
        caller.refused(FETCH, json!({"url": server.url("/5")})).await.0,
        ToolErrorKind::Blocked
    );
    assert!(other.asked().is_empty(), "nobody was sent there");
}

#[tokio::test]
async fn three_redirects_are_followed_and_no_more() {
    let server = Server::start(|asked| {
        let n: u32 = asked.path.trim_start_matches('/').parse().unwrap();
        if n == 0 {
            Reply::html("<p>arrived</p>")
        } else {
            Reply::redirect(303, &format!("/{}", n - 1))
        }
    })
    .await;
    let mut caller = reader(&[&server.address.to_string()], AddressPolicy::PublicOrLoopback, None);
    let page = caller.json(FETCH, json!({"url": server.url("/3")})).await;
    assert_eq!(page["url"], server.url("/0"));
    let (kind, message) = caller.refused(FETCH, json!({"url": server.url("/4")})).await;
    assert!(kind == ToolErrorKind::Upstream && message.contains("more than 3"), "{message}");
}

#[tokio::test]
async fn urls_that_are_not_for_the_web_are_refused_before_anything_is_asked() {
    let server = Server::start(|_| Reply::html("x")).await;
    let listed = server.address.to_string();
    let mut caller = reader(&[&listed], AddressPolicy::PublicOrLoopback, None);
    let wrong = [
        "file:///etc/passwd".to_owned(),
        "ftp://example.org/".into(),
        "example.org".into(),
        String::new(),
        format!("http://me@{listed}/"),
        format!("http://:pw@{listed}/"),
        format!("http://{listed}/{}", "a".repeat(3_000)),
    ];
    for url in wrong {
        let (kind, message) = caller.refused(FETCH, json!({"url": url})).await;
        assert_eq!(kind, ToolErrorKind::Invalid, "{url}: {message}");
    }
    let unlisted = ["https://example.org/", "http://127.0.0.1/", "http://localhost/"];
    for url in unlisted {
        let (kind, message) = caller.refused(FETCH, json!({"url": url})).await;
        assert!(kind == ToolErrorKind::Blocked && message.contains(&listed), "{url}: {message}");
    }
    assert!(server.asked().is_empty());
}
