//! The client against servers of the registries, where `ABIDE_TEST_MCP_SERVERS` names the folder that `scripts/mcp-servers` made.
//! Elsewhere these tests say that they did nothing.

use std::{
    io,
    path::{Path, PathBuf},
    pin::Pin,
    process::Stdio,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use abide_domain::tool::EffectClass;
use abide_mcp::{
    LaunchError, LaunchRequest, LaunchedServer, McpClient, McpClientParts, McpServerSettings,
    ServerLauncher,
};
use abide_tools::{Output, ToolError, ToolErrorKind};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWrite, BufReader},
    net::{TcpListener, TcpStream},
    process::{Child, Command},
    task::JoinSet,
};

use crate::bench::{PATIENCE, RealClock, launcher, program, run};

/// Keeps what is written to servers.
#[derive(Clone, Debug, Default)]
struct Recording(Arc<Mutex<Vec<u8>>>);

impl Recording {
    /// How many calls went out.
    fn calls(&self) -> usize {
        let bytes = self.0.lock().unwrap();
        String::from_utf8_lossy(&bytes).matches(r#""method":"tools/call""#).count()
    }
}

impl ServerLauncher for Recording {
    fn launch<'a>(
        &'a self,
        request: &'a LaunchRequest,
    ) -> BoxFuture<'a, Result<LaunchedServer, LaunchError>> {
        Box::pin(async move {
            let launched = launcher().launch(request).await?;
            let stdin = Box::new(Recorded { to: launched.stdin, kept: self.clone() });
            Ok(LaunchedServer { stdin, ..launched })
        })
    }
}

struct Recorded {
    to: Box<dyn AsyncWrite + Send + Unpin>,
    kept: Recording,
}

impl AsyncWrite for Recorded {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.to).poll_write(context, bytes);
        if let Poll::Ready(Ok(count)) = &written {
            self.kept.0.lock().unwrap().extend_from_slice(&bytes[..*count]);
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.to).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.to).poll_shutdown(context)
    }
}

/// The folder of the servers; none where there is none.
#[expect(clippy::disallowed_methods, clippy::print_stdout, reason = "tests have no configuration")]
fn servers() -> Option<PathBuf> {
    let folder = std::env::var("ABIDE_TEST_MCP_SERVERS").ok().map(PathBuf::from);
    let folder = folder.filter(|folder| folder.is_dir());
    if folder.is_none() {
        println!("did nothing: ABIDE_TEST_MCP_SERVERS names no folder");
    }
    folder
}

struct Real {
    client: McpClient,
    recording: Recording,
}

impl Real {
    async fn start(command: &Path, args: &[&str]) -> Self {
        let mut settings = McpServerSettings::new("real", command.display().to_string());
        program(&mut settings).args = args.iter().map(|arg| (*arg).to_owned()).collect();
        let recording = Recording::default();
        let parts =
            McpClientParts::new(Arc::new(recording.clone()), Arc::new(RealClock::default()));
        let client = McpClient::start(settings, parts).unwrap();
        if let Err(error) = client.ready().await {
            panic!("{error}: {:#?}", client.status());
        }
        Self { client, recording }
    }

    async fn call(&self, name: &str, arguments: Value) -> Result<Output, ToolError> {
        let tools = self.client.tools();
        let is_named = |text: &str| text == name || text.starts_with(&format!("{name}_"));
        let tool = tools
            .iter()
            .find(|tool| tool.spec().name.strip_prefix("mcp.real.").is_some_and(is_named));
        let names: Vec<&str> = tools.iter().map(|tool| tool.spec().name.as_str()).collect();
        let tool = tool.unwrap_or_else(|| panic!("no {name} in {names:?}"));
        run(tool.as_ref(), &arguments).await
    }

    /// Kills the server as soon as one more call is out; what the call says.
    async fn kill_in_call(&self, name: &str, arguments: Value) -> ToolError {
        let before = self.recording.calls();
        let pid = self.client.status().pid.unwrap();
        let killing = async {
            while self.recording.calls() == before {
                tokio::task::yield_now().await;
            }
            let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        };
        let (called, ()) = tokio::join!(self.call(name, arguments), killing);
        let error = called.expect_err("the server answered before it was killed");
        assert_eq!(self.recording.calls(), before + 1, "sent once");
        error
    }
}

#[tokio::test]
async fn the_server_of_everything_answers_and_dies_without_a_second_call() {
    let Some(folder) = servers() else { return };
    let real = Real::start(&folder.join("node_modules/.bin/mcp-server-everything"), &[]).await;
    let echo = real.call("echo", json!({"message": "hello"})).await.unwrap();
    assert!(echo.content.contains("hello"), "{}", echo.content);
    let image = real.call("get_tiny_image", json!({})).await.unwrap();
    assert!(image.content.contains("[image: image/png, "), "{}", image.content);
    let slow = json!({"duration": 1, "steps": 4});
    let done = real.call("trigger_long_running_operation", slow).await.unwrap();
    assert!(done.content.contains("completed"), "{}", done.content);
    let slow = json!({"duration": 30, "steps": 30});
    let error = real.kill_in_call("trigger_long_running_operation", slow).await;
    assert_eq!(error.kind, ToolErrorKind::Unknown, "{error}");
    let echo = real.call("echo", json!({"message": "again"})).await.unwrap();
    assert!(echo.content.contains("again"));
    let status = real.client.status();
    assert_eq!((status.starts, status.dropped.len()), (2, 0), "{status:#?}");
    real.client.stop().await;
}

/// A server that listens for HTTP, and how many messages it has got.
struct Listening {
    process: Child,
    posts: Arc<AtomicUsize>,
    _reading: JoinSet<()>,
}

impl Listening {
    async fn start(command: &Path, port: u16) -> Self {
        let mut process = Command::new(command)
            .arg("streamableHttp")
            .env("PORT", port.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let posts = Arc::new(AtomicUsize::new(0));
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let (mut reading, count) = (JoinSet::new(), Arc::clone(&posts));
        reading.spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                if line.contains("Received MCP POST") {
                    count.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        let began = tokio::time::Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            assert!(began.elapsed() < PATIENCE, "it does not listen");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Self { process, posts, _reading: reading }
    }
}

#[tokio::test]
async fn the_server_of_everything_answers_over_http_and_dies_without_a_second_call() {
    let Some(folder) = servers() else { return };
    let command = folder.join("node_modules/.bin/mcp-server-everything");
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let mut server = Listening::start(&command, port).await;
    let settings = McpServerSettings::remote("real", format!("http://127.0.0.1:{port}/mcp"));
    let recording = Recording::default();
    let parts = McpClientParts::new(Arc::new(recording.clone()), Arc::new(RealClock::default()));
    let real = Real { client: McpClient::start(settings, parts).unwrap(), recording };
    if let Err(error) = real.client.ready().await {
        panic!("{error}: {:#?}", real.client.status());
    }
    let echo = real.call("echo", json!({"message": "hello"})).await.unwrap();
    assert!(echo.content.contains("hello"), "{}", echo.content);
    let slow = json!({"duration": 1, "steps": 4});
    let done = real.call("trigger_long_running_operation", slow).await.unwrap();
    assert!(done.content.contains("completed"), "{}", done.content);

    let before = server.posts.load(Ordering::Relaxed);
    let slow = json!({"duration": 30, "steps": 30});
    let killing = async {
        while server.posts.load(Ordering::Relaxed) == before {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        server.process.kill().await.unwrap();
        Listening::start(&command, port).await
    };
    let (called, again) = tokio::join!(real.call("trigger_long_running_operation", slow), killing);
    let error = called.unwrap_err();
    assert_eq!(error.kind, ToolErrorKind::Unknown, "{error}");
    real.client.ready().await.unwrap();
    while real.client.status().listings < 2 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let echo = real.call("echo", json!({"message": "again"})).await.unwrap();
    assert!(echo.content.contains("again"));
    real.client.stop().await;
    drop(again);
}

#[tokio::test]
async fn the_servers_of_files_and_memory_change_things_once() {
    let Some(folder) = servers() else { return };
    let own = tempfile::tempdir().unwrap();
    let root = own.path().canonicalize().unwrap();
    let files = Real::start(
        &folder.join("node_modules/.bin/mcp-server-filesystem"),
        &[&root.display().to_string()],
    )
    .await;
    let path = root.join("a.txt").display().to_string();
    files.call("write_file", json!({"path": path, "content": "once\n"})).await.unwrap();
    let text = files.call("read_text_file", json!({"path": path})).await.unwrap();
    assert_eq!(text.content, "once\n");
    let outside = files.call("read_text_file", json!({"path": "/etc/passwd"})).await.unwrap_err();
    assert_eq!(outside.kind, ToolErrorKind::Upstream, "{outside}");
    files.client.stop().await;

    let memory = Real::start(&folder.join("node_modules/.bin/mcp-server-memory"), &[]).await;
    let graph = memory.call("read_graph", json!({})).await.unwrap();
    assert!(graph.content.contains("entities"), "{}", graph.content);
    memory.client.stop().await;
}

#[tokio::test]
async fn the_servers_of_time_git_and_fetch_are_read() {
    let Some(folder) = servers() else { return };
    let bin = folder.join("venv/bin");
    let time = Real::start(&bin.join("mcp-server-time"), &[]).await;
    let now = time.call("get_current_time", json!({"timezone": "Europe/Berlin"})).await.unwrap();
    assert!(now.content.contains("Europe/Berlin"), "{}", now.content);
    let odd = time.call("get_current_time", json!({"timezone": "Moon"})).await.unwrap_err();
    assert_eq!(odd.kind, ToolErrorKind::Upstream, "{odd}");
    time.client.stop().await;

    let git = Real::start(&bin.join("mcp-server-git"), &[]).await;
    let outside = json!({"repo_path": "/nowhere"});
    let error = git.call("git_status", outside).await.unwrap_err();
    assert_eq!(error.kind, ToolErrorKind::Upstream, "{error}");
    git.client.stop().await;

    let fetch = Real::start(&bin.join("mcp-server-fetch"), &[]).await;
    let tools = fetch.client.tools();
    let tool = tools.iter().find(|tool| tool.spec().name == "mcp.real.fetch").unwrap();
    assert_eq!(tool.spec().effect, EffectClass::World);
    fetch.client.stop().await;
}

#[tokio::test]
async fn each_server_that_is_killed_in_a_call_leaves_it_unknown() {
    let Some(folder) = servers() else { return };
    let own = tempfile::tempdir().unwrap();
    let root = own.path().canonicalize().unwrap();
    let (bin, venv) = (folder.join("node_modules/.bin"), folder.join("venv/bin"));
    let root_text = root.display().to_string();
    let path = root.join("b.txt").display().to_string();
    let cases = [
        (
            bin.join("mcp-server-filesystem"),
            vec![root_text.as_str()],
            "write_file",
            json!({"path": path, "content": "x".repeat(200_000)}),
        ),
        (bin.join("mcp-server-memory"), vec![], "read_graph", json!({})),
        (
            venv.join("mcp-server-time"),
            vec![],
            "get_current_time",
            json!({"timezone": "Europe/Berlin"}),
        ),
        (venv.join("mcp-server-git"), vec![], "git_status", json!({"repo_path": root_text})),
        (venv.join("mcp-server-fetch"), vec![], "fetch", json!({"url": "http://127.0.0.1:1/"})),
    ];
    for (command, args, tool, arguments) in cases {
        let real = Real::start(&command, &args).await;
        let error = real.kill_in_call(tool, arguments).await;
        assert_eq!(error.kind, ToolErrorKind::Unknown, "{}: {error}", command.display());
        let ready = tokio::time::timeout(PATIENCE, real.client.ready()).await;
        ready.unwrap().unwrap();
        assert_eq!(real.recording.calls(), 1, "not sent again after the restart");
        real.client.stop().await;
    }
}
