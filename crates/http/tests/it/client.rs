//! One behaviour a test.

use std::{
    io,
    net::{IpAddr, Ipv4Addr},
    num::NonZeroU32,
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use abide_domain::{Clock, Timestamp};
use abide_http::{
    AddressPolicy, Client, ClientSettings, Error, ErrorKind, NameLookup, Phase, Request,
    RequestLimits, RequestPace, Secret,
};
use bytes::Bytes;
use http::{StatusCode, header::AUTHORIZATION};

use crate::server::{Act, Server};

#[derive(Debug)]
struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(0)
    }

    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }
}

/// Runs with the runtime's time.
#[derive(Debug)]
struct Running(tokio::time::Instant);

impl Clock for Running {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(0)
    }

    fn monotonic(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Says of every name what it was made with.
#[derive(Debug)]
struct Names(Vec<IpAddr>);

impl NameLookup for Names {
    fn lookup(&self, _: String) -> Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>> {
        let addresses = self.0.clone();
        Box::pin(async move { Ok(addresses) })
    }
}

fn client(addresses: AddressPolicy) -> Client {
    Client::new(ClientSettings::new(addresses, Arc::new(Still)))
}

fn ok(body: &str) -> Act {
    Act::Write(format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len()))
}

fn redirect(to: &str) -> Act {
    Act::Write(format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n"))
}

async fn whole(request: Request) -> Result<Bytes, Error> {
    client(AddressPolicy::Any).send(request).await?.bytes().await
}

fn limits() -> RequestLimits {
    RequestLimits { redirects_max: 3, ..RequestLimits::default() }
}

#[tokio::test]
async fn a_request_carries_its_name_headers_and_body() {
    let server = Server::start(vec![ok("hello")]).await;
    let request = Request::post_json(server.url("/x?a=1"), "{}").secret_header(
        AUTHORIZATION,
        "Bearer ",
        &Secret::new("sk-1"),
    );
    let response = client(AddressPolicy::Any).send(request).await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.bytes().await.unwrap(), "hello");
    let asked = server.asked().concat();
    assert!(asked.starts_with("POST /x?a=1 HTTP/1.1\r\n"), "{asked}");
    assert!(asked.contains(&format!("user-agent: abide/{}\r\n", env!("CARGO_PKG_VERSION"))));
    assert!(asked.contains("authorization: Bearer sk-1\r\n"));
    assert!(asked.ends_with("\r\n\r\n{}"));
}

#[tokio::test]
async fn a_connection_serves_again() {
    let body = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok".to_owned();
    // The server answers one connection at a time: a second one would wait for ever.
    let server = Server::start(vec![Act::WriteAndServe(body)]).await;
    let client = client(AddressPolicy::Any);
    for _ in 0..3 {
        let response = client.send(Request::get(server.url("/"))).await.unwrap();
        assert_eq!(response.bytes().await.unwrap(), "ok");
    }
    assert_eq!(server.asked().len(), 3);
}

#[tokio::test]
async fn a_body_over_the_cap_is_refused_whether_announced_or_not() {
    let announced = ok(&"x".repeat(100));
    let streamed = Act::Write(format!("HTTP/1.1 200 OK\r\n\r\n{}", "x".repeat(100)));
    for act in [announced, streamed] {
        let server = Server::start(vec![act]).await;
        let limits = RequestLimits { body_bytes_max: 99, ..limits() };
        let outcome = whole(Request::get(server.url("/")).limits(limits)).await;
        assert!(matches!(outcome, Err(Error::TooLarge { bytes_max: 99, .. })), "{outcome:?}");
    }
}

#[tokio::test]
async fn each_time_out_says_what_was_waited_for() {
    let short = Duration::from_millis(40);
    let head = "HTTP/1.1 200 OK\r\n\r\n";
    let cases = [
        (String::new(), RequestLimits { first_byte: short, ..limits() }, Phase::FirstByte),
        (head.to_owned(), RequestLimits { first_byte: short, ..limits() }, Phase::FirstByte),
        (format!("{head}a"), RequestLimits { idle: short, ..limits() }, Phase::Idle),
        (format!("{head}a"), RequestLimits { total: short, ..limits() }, Phase::Total),
    ];
    for (text, limits, expected) in cases {
        let server = Server::start(vec![Act::WriteAndHang(text.clone())]).await;
        let outcome = whole(Request::get(server.url("/")).limits(limits)).await;
        let Err(Error::TimedOut { phase, .. }) = outcome else {
            panic!("{text:?} gave {outcome:?}");
        };
        assert_eq!(phase, expected, "{text:?}");
    }
}

#[tokio::test]
async fn a_body_that_ends_early_is_told_from_one_that_ended() {
    let cut = Act::Write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc".into());
    let server = Server::start(vec![cut]).await;
    let response = client(AddressPolicy::Any).send(Request::get(server.url("/"))).await.unwrap();
    let error = response.bytes().await.unwrap_err();
    assert!(matches!(error, Error::Interrupted { bytes: 3, .. }), "{error:?}");
    assert_eq!(error.kind(), ErrorKind::Unavailable);
}

#[tokio::test]
async fn a_closed_port_and_a_closed_connection_are_unreachable() {
    let server = Server::start(vec![Act::Close]).await;
    let nobody = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        format!("http://{}/", listener.local_addr().unwrap())
    };
    for (url, is_connect_failure) in [(server.url("/"), false), (nobody, true)] {
        let error = client(AddressPolicy::Any).send(Request::get(url)).await.unwrap_err();
        assert!(matches!(error, Error::Unreachable { .. }), "{error:?}");
        assert!(error.chain().starts_with("could not reach 127.0.0.1: "), "{}", error.chain());
        assert_eq!(error.is_connect_failure(), is_connect_failure, "{error:?}");
    }
}

#[tokio::test]
async fn a_server_without_tls_is_no_https_server() {
    let server = Server::start(vec![ok("plain")]).await;
    let url = format!("https://{}/", server.address);
    let error = client(AddressPolicy::Any).send(Request::get(url)).await.unwrap_err();
    // A machine without certificates says so instead; neither panics for want of a TLS provider.
    assert!(matches!(error, Error::Unreachable { .. } | Error::Setup { .. }), "{error:?}");
}

#[tokio::test]
async fn a_redirect_is_followed_only_where_asked_and_only_so_often() {
    let server = Server::start(vec![redirect("/b"), ok("there")]).await;
    let request = Request::get(server.url("/a")).limits(limits());
    let response = client(AddressPolicy::Any).send(request).await.unwrap();
    assert_eq!(response.url(), server.url("/b"));
    assert_eq!(response.bytes().await.unwrap(), "there");

    let server = Server::start(vec![redirect("/b")]).await;
    let response = client(AddressPolicy::Any).send(Request::get(server.url("/a"))).await.unwrap();
    assert_eq!(response.status(), StatusCode::FOUND, "unasked, it is an answer");

    let request = Request::get(server.url("/a")).limits(limits());
    let error = client(AddressPolicy::Any).send(request).await.unwrap_err();
    assert!(matches!(error, Error::TooManyRedirects { redirects_max: 3, .. }), "{error:?}");
}

#[tokio::test]
async fn a_redirect_to_another_origin_carries_no_secret_and_no_body() {
    let target = Server::start(vec![ok("there")]).await;
    let server = Server::start(vec![redirect(&target.url("/"))]).await;
    let request = Request::post_json(server.url("/"), "{\"a\":1}").limits(limits()).secret_header(
        AUTHORIZATION,
        "Bearer ",
        &Secret::new("sk-1"),
    );
    client(AddressPolicy::Any).send(request).await.unwrap();
    assert!(server.asked().concat().contains("sk-1"));
    let asked = target.asked().concat();
    assert!(asked.starts_with("GET / "), "{asked}");
    assert!(!asked.contains("sk-1") && !asked.contains("\"a\""), "{asked}");
}

#[tokio::test]
async fn a_literal_address_that_is_not_allowed_is_never_connected_to() {
    let server = Server::start(vec![ok("secret")]).await;
    let port = server.address.port();
    for host in ["127.0.0.1", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]"] {
        let request = Request::get(format!("http://{host}:{port}/"));
        let error = client(AddressPolicy::Public).send(request).await.unwrap_err();
        assert!(matches!(error, Error::AddressRefused { .. }), "{host}: {error:?}");
        assert_eq!(error.kind(), ErrorKind::Invalid);
    }
    assert_eq!(server.asked(), Vec::<String>::new());
}

#[tokio::test]
async fn a_name_with_one_refused_address_is_never_connected_to() {
    let server = Server::start(vec![ok("secret")]).await;
    let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let public = IpAddr::V4(Ipv4Addr::new(8, 8, 8, 8));
    let ask = |policy, names: Vec<IpAddr>| {
        let mut settings = ClientSettings::new(policy, Arc::new(Still));
        settings.lookup = Arc::new(Names(names));
        let url = format!("http://innocent.example:{}/", server.address.port());
        async move { Client::new(settings).send(Request::get(url)).await }
    };
    for names in [vec![loopback], vec![public, loopback]] {
        let error = ask(AddressPolicy::Public, names).await.unwrap_err();
        assert!(
            matches!(&error, Error::AddressRefused { address, .. } if *address == loopback),
            "{error:?}"
        );
    }
    assert_eq!(server.asked(), Vec::<String>::new());
    let allowed = ask(AddressPolicy::PublicOrLoopback, vec![loopback]).await.unwrap();
    assert_eq!(allowed.bytes().await.unwrap(), "secret");
}

#[tokio::test]
async fn a_redirect_to_this_machine_is_refused() {
    let inside = Server::start(vec![ok("metadata")]).await;
    let server = Server::start(vec![redirect("http://169.254.169.254/latest")]).await;
    let request = Request::get(server.url("/")).limits(limits());
    let error = client(AddressPolicy::PublicOrLoopback).send(request).await.unwrap_err();
    assert!(matches!(error, Error::AddressRefused { .. }), "{error:?}");
    assert_eq!(inside.asked(), Vec::<String>::new());
}

#[tokio::test]
async fn what_is_no_web_address_is_refused_without_its_secrets() {
    let client = client(AddressPolicy::Any);
    for url in
        ["file:///etc/passwd", "ftp://a.example/", "http://u:hunter2@a.example/?k=hunter2", "::"]
    {
        let error = client.send(Request::get(url)).await.unwrap_err();
        assert!(matches!(error, Error::InvalidRequest { .. }), "{url}: {error:?}");
        assert!(!format!("{error:?}{error}").contains("hunter2"), "{error:?}");
    }
    let bad =
        Request::get("http://127.0.0.1/").secret_header(AUTHORIZATION, "", &Secret::new("a\nb"));
    let error = client.send(bad).await.unwrap_err();
    assert!(error.to_string().contains("authorization"), "{error}");
}

#[tokio::test]
async fn a_proxy_is_refused_where_addresses_are_checked() {
    let mut settings = ClientSettings::new(AddressPolicy::Public, Arc::new(Still));
    settings.proxy = Some("http://127.0.0.1:1".into());
    let sent = Client::new(settings).send(Request::get("http://8.8.8.8/")).await;
    assert!(matches!(sent, Err(Error::Setup { .. })), "{sent:?}");
}

#[tokio::test]
async fn a_paced_host_is_asked_no_faster_than_its_pace() {
    let server = Server::start(vec![ok("")]).await;
    let began = tokio::time::Instant::now();
    let mut settings = ClientSettings::new(AddressPolicy::Any, Arc::new(Running(began)));
    let interval = Duration::from_millis(20);
    settings.paces =
        vec![RequestPace { host: "127.0.0.1".into(), interval, burst: NonZeroU32::MIN }];
    let client = Client::new(settings);
    for _ in 0..4 {
        client.send(Request::get(server.url("/"))).await.unwrap();
    }
    assert!(began.elapsed() >= interval * 3, "a lower bound only: a slow machine cannot break it");
}
