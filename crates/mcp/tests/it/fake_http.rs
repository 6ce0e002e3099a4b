//! A remote server and its login service in one, over real TCP, with faults to choose from. It counts what it ran.

use std::{
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};
use url::form_urlencoded;

/// A server that runs until this is dropped.
pub(crate) struct FakeServer {
    pub(crate) origin: String,
    state: Arc<Mutex<FakeState>>,
    _tasks: JoinSet<()>,
}

/// What it does and what it saw.
#[derive(Default)]
pub(crate) struct FakeState {
    /// A line for each run of `append`.
    pub(crate) effects: Vec<String>,
    /// Methods of the protocol, or of HTTP where there is none, in the order in which they came.
    pub(crate) methods: Vec<String>,
    pub(crate) heads: Vec<String>,
    /// Whether it speaks the newer lifecycle.
    pub(crate) is_modern: bool,
    pub(crate) sessions: u32,
    /// The one that it knows.
    pub(crate) session: Option<u32>,
    /// What it lets in; everybody where there is none.
    pub(crate) token: Option<String>,
    pub(crate) redirect: Option<String>,
    /// What it says to a GET.
    pub(crate) get_status: u16,
    /// Answers to questions of its own.
    pub(crate) answers: Vec<Value>,
    /// Whether it has a stream on which it speaks unasked; each one begins with a notice and stays open.
    pub(crate) announces: bool,
    pub(crate) login: FakeLogin,
}

/// The login service.
#[derive(Default)]
pub(crate) struct FakeLogin {
    pub(crate) resource: String,
    pub(crate) registered: Vec<Value>,
    /// Parameters of requests for tokens.
    pub(crate) asked: Vec<Vec<(String, String)>>,
    /// What the next requests are answered with instead of tokens.
    pub(crate) fails: Option<(u16, &'static str)>,
    pub(crate) expires_in: i64,
    tokens: u32,
    challenge: String,
}

struct Asked {
    head: String,
    body: Vec<u8>,
}

impl Asked {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    fn target(&self) -> (&str, &str) {
        let mut words = self.head.split(' ');
        (words.next().unwrap(), words.next().unwrap())
    }
}

impl FakeServer {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(FakeState::default()));
        {
            let mut state = state.lock().unwrap();
            state.session = Some(0);
            state.get_status = 405;
            state.login.resource.clone_from(&origin);
            state.login.expires_in = 3600;
        }
        let mut tasks = JoinSet::new();
        let (shared, base) = (Arc::clone(&state), origin.clone());
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                connections.spawn(serve(stream, Arc::clone(&shared), base.clone()));
            }
        });
        Self { origin, state, _tasks: tasks }
    }

    pub(crate) fn url(&self) -> String {
        format!("{}/mcp", self.origin)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, FakeState> {
        self.state.lock().unwrap()
    }

    pub(crate) fn effects(&self) -> Vec<String> {
        self.state().effects.clone()
    }

    pub(crate) fn count(&self, method: &str) -> usize {
        self.state().methods.iter().filter(|seen| *seen == method).count()
    }
}

async fn read_request(stream: &mut TcpStream) -> Option<Asked> {
    let (mut bytes, mut chunk) = (Vec::new(), [0; 8192]);
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
            let asked = Asked { head, body: bytes[end + 4..].to_vec() };
            let length: usize =
                asked.header("content-length").map_or(0, |text| text.parse().unwrap());
            if asked.body.len() >= length {
                return Some(asked);
            }
        }
        let read = stream.read(&mut chunk).await.ok()?;
        if read == 0 {
            return None;
        }
        bytes.extend_from_slice(&chunk[..read]);
    }
}

async fn reply(stream: &mut TcpStream, status: u16, headers: &str, body: &str) {
    let head = format!(
        "HTTP/1.1 {status} X\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    // The client may have had enough.
    drop(stream.write_all(head.as_bytes()).await);
    drop(stream.write_all(body.as_bytes()).await);
    drop(stream.shutdown().await);
}

const JSON: &str = "content-type: application/json\r\n";
const STREAM: &str =
    "HTTP/1.1 200 X\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

async fn serve(mut stream: TcpStream, state: Arc<Mutex<FakeState>>, base: String) {
    let Some(asked) = read_request(&mut stream).await else { return };
    let (method, target) = asked.target();
    let (method, target) = (method.to_owned(), target.to_owned());
    state.lock().unwrap().heads.push(asked.head.clone());
    if target.starts_with("/mcp") {
        return mcp(stream, &method, &asked, state, &base).await;
    }
    let (status, headers, body) = login(&state, &base, &target, &asked);
    reply(&mut stream, status, &headers, &body).await;
}

async fn mcp(
    mut stream: TcpStream,
    method: &str,
    asked: &Asked,
    state: Arc<Mutex<FakeState>>,
    base: &str,
) {
    let message: Value = serde_json::from_slice(&asked.body).unwrap_or_default();
    let name = message["method"].as_str().unwrap_or(method).to_owned();
    let (is_let_in, redirect, knows_session, announces) = {
        let mut state = state.lock().unwrap();
        state.methods.push(name.clone());
        let token = state.token.as_ref().map(|token| format!("Bearer {token}"));
        let is_let_in = token.is_none() || asked.header("authorization") == token.as_deref();
        let knows_session = state.session.is_some() || state.is_modern;
        (is_let_in, state.redirect.clone(), knows_session, state.announces)
    };
    if let Some(to) = redirect.filter(|_| !asked.head.contains("/mcp/moved")) {
        return reply(&mut stream, 307, &format!("location: {to}\r\n"), "").await;
    }
    if !is_let_in {
        let header = format!(
            "www-authenticate: Bearer resource_metadata=\"{base}/.well-known/oauth-protected-resource/mcp\", scope=\"lines\"\r\n"
        );
        return reply(&mut stream, 401, &header, "").await;
    }
    if method == "POST" && !knows_session && name != "initialize" && name != "server/discover" {
        return reply(&mut stream, 404, "", "").await;
    }
    match (method, asked.header("last-event-id")) {
        ("GET", Some("e1")) => {
            let answer = text_answer(&json!(state.lock().unwrap().sessions_call()), "read on");
            drop(stream.write_all(format!("{STREAM}id: e2\ndata: {answer}\n\n").as_bytes()).await);
        }
        ("GET", _) if announces => {
            let notice = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
            drop(stream.write_all(format!("{STREAM}data: {notice}\n\n").as_bytes()).await);
            drop(stream.read(&mut [0; 1]).await);
        }
        ("GET", _) => {
            let status = state.lock().unwrap().get_status;
            reply(&mut stream, status, "", "Cannot GET /mcp").await;
        }
        ("DELETE", _) => reply(&mut stream, 200, "", "").await,
        _ => post(stream, &name, &message, state).await,
    }
}

impl FakeState {
    /// The id of the call that was last.
    fn sessions_call(&self) -> i64 {
        self.effects.last().and_then(|line| line.rsplit('#').next()?.parse().ok()).unwrap_or(-1)
    }
}

fn text_answer(id: &Value, words: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": {"content": [{"type": "text", "text": words}], "resultType": "complete"}})
}

async fn post(mut stream: TcpStream, name: &str, message: &Value, state: Arc<Mutex<FakeState>>) {
    let id = &message["id"];
    let is_modern = state.lock().unwrap().is_modern;
    let result = match name {
        "server/discover" if is_modern => json!({
            "resultType": "complete",
            "supportedVersions": ["2026-07-28"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "fake", "version": "2.0"},
            "ttlMs": 0,
            "cacheScope": "private",
        }),
        "server/discover" => {
            return reply(&mut stream, 400, "", "Bad Request: no initialize").await;
        }
        "initialize" => {
            let session = {
                let mut state = state.lock().unwrap();
                state.sessions += 1;
                state.session = Some(state.sessions);
                state.sessions
            };
            let answer = json!({"jsonrpc": "2.0", "id": id, "result": {
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": {"tools": {"listChanged": true}},
                "serverInfo": {"name": "fake", "version": "1.0"},
            }});
            let headers = format!("{JSON}mcp-session-id: session-{session}\r\n");
            return reply(&mut stream, 200, &headers, &answer.to_string()).await;
        }
        "tools/list" => json!({"tools": [{
            "name": "append",
            "description": "Appends a line.",
            "inputSchema": {"type": "object", "properties": {
                "then": {"type": "string", "x-mcp-header": "Then"},
            }},
        }], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}),
        "tools/call" => return call(stream, message, state).await,
        _ => {
            if message.get("result").is_some() {
                state.lock().unwrap().answers.push(message.clone());
            }
            return reply(&mut stream, 202, "", "").await;
        }
    };
    let answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
    reply(&mut stream, 200, JSON, &answer.to_string()).await;
}

/// Runs `append`, which has its effect before anything else.
async fn call(mut stream: TcpStream, message: &Value, state: Arc<Mutex<FakeState>>) {
    let then = message["params"]["arguments"]["then"].as_str().unwrap().to_owned();
    state.lock().unwrap().effects.push(format!("{then}#{}", message["id"]));
    let answer = text_answer(&message["id"], "done").to_string();
    let written = match then.as_str() {
        "answer" => return reply(&mut stream, 200, JSON, &answer).await,
        "stream" => {
            // In pieces that respect nothing.
            for piece in format!("{STREAM}: alive\n\nevent: message\ndata: {answer}\n\n")
                .as_bytes()
                .chunks(11)
            {
                stream.write_all(piece).await.unwrap();
                tokio::task::yield_now().await;
            }
            Ok(())
        }
        "cut" => Ok(()),
        "cut_stream" => stream.write_all(format!("{STREAM}: alive\n\n").as_bytes()).await,
        "cut_body" => {
            let head = format!("HTTP/1.1 200 X\r\n{JSON}content-length: 999\r\n\r\n{{\"jsonrpc\"");
            stream.write_all(head.as_bytes()).await
        }
        "named_stream" => {
            let begun = format!("{STREAM}id: e1\nretry: 10\ndata:\n\n");
            stream.write_all(begun.as_bytes()).await
        }
        "forget" => {
            state.lock().unwrap().session = None;
            return reply(&mut stream, 404, "", "").await;
        }
        "ask" => {
            let question = json!({"jsonrpc": "2.0", "id": "q1", "method": "elicitation/create", "params": {
                "message": "Go on?",
                "requestedSchema": {"type": "object", "properties": {}},
            }});
            stream.write_all(format!("{STREAM}data: {question}\n\n").as_bytes()).await.unwrap();
            while state.lock().unwrap().answers.is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            stream.write_all(format!("data: {answer}\n\n").as_bytes()).await
        }
        "repeat" => {
            let token = state.lock().unwrap().token.clone().unwrap();
            return reply(&mut stream, 422, "", &format!("not with {token}")).await;
        }
        "503" => return reply(&mut stream, 503, "", "try later").await,
        "refuse" => {
            let error = json!({"code": -32602, "message": "no such line"});
            let error = json!({"jsonrpc": "2.0", "id": null, "error": error});
            return reply(&mut stream, 400, JSON, &error.to_string()).await;
        }
        "page" => return reply(&mut stream, 200, "content-type: text/html\r\n", "<html>").await,
        "huge" => {
            let huge = text_answer(&message["id"], &"x".repeat(50_000_000)).to_string();
            return reply(&mut stream, 200, JSON, &huge).await;
        }
        "huge_stream" => {
            let huge = text_answer(&message["id"], &"x".repeat(50_000_000)).to_string();
            stream.write_all(format!("{STREAM}data: {huge}\n\n").as_bytes()).await
        }
        "hang" => {
            let begun = stream.write_all(format!("{STREAM}: alive\n\n").as_bytes()).await;
            // Until the client has had enough.
            drop(stream.read(&mut [0; 1]).await);
            begun
        }
        other => panic!("unknown: {other}"),
    };
    // The client may have had enough.
    drop(written);
    drop(stream.shutdown().await);
}

fn login(
    state: &Arc<Mutex<FakeState>>,
    base: &str,
    target: &str,
    asked: &Asked,
) -> (u16, String, String) {
    let mut state = state.lock().unwrap();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let ok = |body: Value| (200, JSON.to_owned(), body.to_string());
    let read = |text: &[u8]| -> Vec<(String, String)> {
        form_urlencoded::parse(text).map(|(k, v)| (k.into_owned(), v.into_owned())).collect()
    };
    let of = |pairs: &[(String, String)], key: &str| {
        pairs.iter().find(|(name, _)| name == key).map(|(_, v)| v.clone()).unwrap_or_default()
    };
    match path {
        "/.well-known/oauth-protected-resource/mcp" => ok(json!({
            "resource": state.login.resource,
            "authorization_servers": [format!("{base}/tenant")],
        })),
        "/.well-known/oauth-authorization-server/tenant" => ok(json!({
            "issuer": format!("{base}/tenant"),
            "authorization_endpoint": format!("{base}/authorize?resource=wrong"),
            "token_endpoint": format!("{base}/token"),
            "registration_endpoint": format!("{base}/register"),
            "code_challenge_methods_supported": ["S256"],
        })),
        "/register" => {
            let wish: Value = serde_json::from_slice(&asked.body).unwrap();
            state.login.registered.push(wish);
            let id = format!("client-{}", state.login.registered.len());
            (201, JSON.to_owned(), json!({"client_id": id}).to_string())
        }
        "/authorize" => {
            let pairs = read(query.as_bytes());
            state.login.challenge = of(&pairs, "code_challenge");
            state.login.asked.push(pairs.clone());
            let mut back = form_urlencoded::Serializer::new(String::new());
            back.append_pair("code", "code-1").append_pair("state", &of(&pairs, "state"));
            let to = format!("{}?{}", of(&pairs, "redirect_uri"), back.finish());
            (302, format!("location: {to}\r\n"), String::new())
        }
        "/token" => token(&mut state, &read(&asked.body)),
        _ => (404, String::new(), String::new()),
    }
}

/// Gives tokens for the code, or for the newest refresh token.
fn token(state: &mut FakeState, pairs: &[(String, String)]) -> (u16, String, String) {
    use base64::Engine as _;
    use sha2::Digest as _;
    let of = |key: &str| pairs.iter().find(|(name, _)| name == key).map_or("", |(_, v)| v);
    let error = |status, code: &str| (status, JSON.to_owned(), json!({"error": code}).to_string());
    let is_good = match of("grant_type") {
        "authorization_code" => {
            let digest = sha2::Sha256::digest(of("code_verifier").as_bytes());
            let challenge = base64::prelude::BASE64_URL_SAFE_NO_PAD.encode(digest);
            of("code") == "code-1" && challenge == state.login.challenge
        }
        _ => of("refresh_token") == format!("refresh-{}", state.login.tokens),
    };
    state.login.asked.push(pairs.to_vec());
    if let Some((status, code)) = state.login.fails {
        return error(status, code);
    }
    if !is_good {
        return error(400, "invalid_grant");
    }
    state.login.tokens += 1;
    let count = state.login.tokens;
    state.token = Some(format!("access-{count}"));
    let answer = json!({
        "access_token": format!("access-{count}"),
        "refresh_token": format!("refresh-{count}"),
        "token_type": "bearer",
        "expires_in": state.login.expires_in,
    });
    (200, JSON.to_owned(), answer.to_string())
}

/// Asks for a page as a browser does; its whole answer.
pub(crate) async fn visit(url: &str) -> String {
    let rest = url.strip_prefix("http://").unwrap();
    let (host, path) = rest.split_once('/').unwrap();
    let mut stream = TcpStream::connect(host).await.unwrap();
    let request = format!("GET /{path} HTTP/1.1\r\nhost: {host}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}
