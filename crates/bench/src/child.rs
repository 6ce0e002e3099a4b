//! The real binary as a child process: started in a home of its own, asked over HTTP, killed without warning.

use std::{
    fs::{self, File},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
    time::Duration,
};

use abide_http::{AddressPolicy, Client, ClientSettings, Request, Secret};
use http::header::AUTHORIZATION;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt as _, BufReader, Lines},
    process::{Child, ChildStdout, Command},
};

use crate::{
    error::BenchError,
    machine::number,
    spread::float,
    system::{Stopwatch, SystemClock},
};

/// Longest wait for a start: a keeper that needs longer has failed.
const START_MAX: Duration = Duration::from_secs(20);

/// What a home is made with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HomePlan<'a> {
    /// The program.
    pub(crate) binary: &'a Path,
    /// The home.
    pub(crate) home: &'a Path,
    /// Its `abide.toml`.
    pub(crate) config: &'a str,
}

/// A running keeper.
#[derive(Debug)]
pub(crate) struct ChildKeeper {
    child: Child,
    pid: u32,
    address: SocketAddr,
    token: Secret,
    client: Client,
    /// Held open, so that the keeper can go on printing.
    output: Lines<BufReader<ChildStdout>>,
    /// From the start of the process to the answer 200 of `/ready`, in milliseconds.
    pub(crate) ready_ms: f64,
}

impl HomePlan<'_> {
    /// Makes the home.
    pub(crate) fn make(&self) -> Result<(), BenchError> {
        fs::create_dir_all(self.home).map_err(BenchError::io("make a home"))?;
        let written = fs::write(self.home.join("abide.toml"), self.config);
        written.map_err(BenchError::io("write a configuration"))
    }

    /// Starts a keeper in the home and waits until it takes stimuli.
    pub(crate) async fn start(&self) -> Result<ChildKeeper, BenchError> {
        let started = tokio::time::timeout(START_MAX, self.begin()).await;
        started.map_err(|_| BenchError::Wrong(format!("not ready: {}", self.last_words())))?
    }

    async fn begin(&self) -> Result<ChildKeeper, BenchError> {
        let words = File::create(self.words()).map_err(BenchError::io("make a file"))?;
        let mut command = Command::new(self.binary);
        command
            .args(["up", "--json", "--home"])
            .arg(self.home)
            .env_clear()
            .env("ABIDE_TEST", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(words)
            .kill_on_drop(true);
        let client = ClientSettings::new(AddressPolicy::Any, Arc::new(SystemClock::new()));
        let client = Client::new(client);
        let watch = Stopwatch::start();
        let mut child = command.spawn().map_err(BenchError::io("start the binary"))?;
        let output = child.stdout.take().ok_or_else(|| self.gone())?;
        let mut output = BufReader::new(output).lines();
        let address = self.wait_for_ready(&mut output).await?;
        let token = fs::read_to_string(self.home.join("token"));
        let token = Secret::new(token.map_err(BenchError::io("read the token"))?.trim());
        let pid = child.id().ok_or_else(|| self.gone())?;
        let ready_ms = 0.0;
        let mut keeper = ChildKeeper { child, pid, address, token, client, output, ready_ms };
        keeper.get("/ready").await?;
        keeper.ready_ms = watch.millis();
        Ok(keeper)
    }

    /// Reads what the keeper says until it is ready, and gives its address.
    async fn wait_for_ready(
        &self,
        output: &mut Lines<BufReader<ChildStdout>>,
    ) -> Result<SocketAddr, BenchError> {
        let mut address = None;
        while let Some(line) =
            output.next_line().await.map_err(BenchError::io("read the binary's output"))?
        {
            let news: Value = serde_json::from_str(&line).unwrap_or_default();
            match news.get("event").and_then(Value::as_str) {
                Some("listening") => address = news.get("address").cloned(),
                Some("ready") => break,
                _ => {}
            }
        }
        let address = address.as_ref().and_then(Value::as_str).and_then(|text| text.parse().ok());
        address.ok_or_else(|| self.gone())
    }

    fn gone(&self) -> BenchError {
        BenchError::Wrong(format!("the binary does not serve: {}", self.last_words()))
    }

    fn words(&self) -> PathBuf {
        self.home.join("words.txt")
    }

    fn last_words(&self) -> String {
        fs::read_to_string(self.words()).unwrap_or_default().trim().to_owned()
    }
}

impl ChildKeeper {
    /// Reads; any status but success is an error.
    pub(crate) async fn get(&self, path: &str) -> Result<Value, BenchError> {
        self.ask(Request::get(self.url(path))).await
    }

    /// Gives a stimulus, and waits for the reply if told so.
    pub(crate) async fn stimulate(&self, message: &str, path: &str) -> Result<Value, BenchError> {
        let body = json!({"message": message, "sender": "nicolas"}).to_string();
        self.ask(Request::post_json(self.url(path), body)).await
    }

    /// Sends a body; any status but success is an error.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Result<Value, BenchError> {
        self.ask(Request::post_json(self.url(path), body.to_string())).await
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    async fn ask(&self, request: Request) -> Result<Value, BenchError> {
        let request = request.secret_header(AUTHORIZATION, "Bearer ", &self.token);
        let response = self.client.send(request).await.map_err(BenchError::of("ask the binary"))?;
        let status = response.status();
        let body = response.bytes().await.map_err(BenchError::of("ask the binary"))?;
        if status.is_success() {
            return Ok(serde_json::from_slice(&body).unwrap_or_default());
        }
        let body = String::from_utf8_lossy(&body);
        Err(BenchError::Wrong(format!("the binary answered {status}: {body}")))
    }

    /// Resident memory, in MiB.
    pub(crate) fn rss_mib(&self) -> f64 {
        rss_mib_of(self.pid)
    }

    /// The same of the keeper and of all that it started.
    pub(crate) fn tree_rss_mib(&self) -> f64 {
        let pids: Vec<u32> = fs::read_dir("/proc")
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .collect();
        let is_below = |pid: &u32| {
            let mut above = Some(*pid);
            // No chain of parents is longer than there are processes.
            for _ in 0..pids.len() {
                match above {
                    Some(pid) if pid == self.pid => return true,
                    Some(pid) => above = parent_of(pid),
                    None => return false,
                }
            }
            false
        };
        pids.iter().filter(|pid| is_below(pid)).map(|pid| rss_mib_of(*pid)).sum()
    }

    /// How often any of its threads was put on a processor so far.
    pub(crate) fn switches(&self) -> u64 {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.pid));
        let tasks = tasks.into_iter().flatten().filter_map(Result::ok);
        let switches = |path: PathBuf| {
            let path = path.join("status").to_string_lossy().into_owned();
            number(&path, "voluntary_ctxt_switches").unwrap_or_default()
                + number(&path, "nonvoluntary_ctxt_switches").unwrap_or_default()
        };
        tasks.map(|task| switches(task.path())).sum()
    }

    /// SIGKILL, and waits for the end.
    pub(crate) async fn kill(self) -> Result<(), BenchError> {
        let Self { mut child, output, .. } = self;
        let killed = child.kill().await;
        drop(output);
        killed.map_err(BenchError::io("kill the binary"))
    }
}

fn rss_mib_of(pid: u32) -> f64 {
    let kib = number(&format!("/proc/{pid}/status"), "VmRSS");
    float(kib.unwrap_or_default()) / 1024.0
}

fn parent_of(pid: u32) -> Option<u32> {
    number(&format!("/proc/{pid}/status"), "PPid").and_then(|parent| parent.try_into().ok())
}

/// From the start of a program that does nothing to its end, in milliseconds: what a process costs by itself.
pub(crate) async fn bare_start() -> Result<f64, BenchError> {
    let watch = Stopwatch::start();
    let status = Command::new("true").status().await;
    status.map_err(BenchError::io("run `true`"))?;
    Ok(watch.millis())
}
