//! The side of the keeper: asks a process of modules, each time with a deadline, and knows when it can be asked no more.
//! It starts no process and ends none: whoever does hands in the pipes, and reads here that they are of no more use.

use std::{fmt, future::Future, time::Duration};

use serde_json::Value;
use tokio::{
    io::{
        AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _,
        BufReader,
    },
    time::{Instant, timeout_at},
};

use crate::{
    failure::{ScriptError, ScriptErrorKind},
    kind::ModuleKind,
    limits::{ANSWER_SHARE, ANSWER_TIME_MAX, CODE_BYTES_MAX, MESSAGE_BYTES_MAX, TOOL_CALLS_MAX},
    message::{
        Answer, AnswerBody, CallInput, CallRequest, LoadRequest, ModuleDeclarations, Request,
        ToolCall, ToolResult,
    },
    passage::RankRequest,
    passage_uses::PassageUses,
};

/// Bytes that are read from the process at once.
const READ_BYTES: usize = 64 << 10;

/// A link to one process of modules.
///
/// One request at a time. A request that is dropped before it is answered ends the link, for its answer would be taken
/// for that of the next.
pub struct ModuleClient<R, W> {
    reader: BufReader<R>,
    writer: W,
    last_id: u64,
    line: Vec<u8>,
    /// What the loaded memory module looks at.
    uses: Option<PassageUses>,
    /// Why the process can be asked no more. Set while a request is under way, so that one that is dropped leaves it so.
    ended: Option<ModuleEndedError>,
}

/// Tools of the keeper, for a module's tool that asks for them. Whether it may is decided there, as for any other call.
pub trait KeeperTools {
    /// Runs a tool; the error says in words why it gave nothing. It has limits of its own: its time is not the module's.
    fn call(
        &mut self,
        name: &str,
        arguments: Value,
    ) -> impl Future<Output = Result<Value, String>> + Send;
}

/// What a call gave, and what it cost the process.
#[derive(Clone, Debug, PartialEq)]
pub struct ModuleReply<T> {
    /// The result.
    pub value: T,
    /// The cost.
    pub cost: ModuleCost,
}

/// What a call cost, as the process measured it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModuleCost {
    /// From the message read to the answer ready, in microseconds; a wait for the keeper's tools counts.
    pub wall_us: u64,
    /// Time of the processor that the engine's thread took, in microseconds.
    pub cpu_us: u64,
    /// Resident memory of the process afterwards, in bytes; 0 where its system does not say.
    pub memory_bytes: u64,
}

/// Why a call gave nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModuleCallError {
    /// The program failed; the process can be asked again.
    #[error("the module failed: {error}")]
    Script {
        /// What the program did wrong.
        #[source]
        error: ScriptError,
        /// What it cost.
        cost: ModuleCost,
    },
    /// The request cannot be sent as it is: the caller's mistake. Nothing was asked.
    #[error("the module cannot be asked: {0}")]
    Request(String),
    /// The process can be asked no more.
    #[error(transparent)]
    Ended(#[from] ModuleEndedError),
}

/// Why a process can be asked no more; every later call says the same.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModuleEndedError {
    /// It did not answer in time.
    #[error("the process of the modules did not answer within {} ms", .0.as_millis())]
    Deadline(Duration),
    /// Its pipe ended, or failed with these words.
    #[error("the process of the modules is gone: {0}")]
    Gone(String),
    /// It sent what is no answer to the request.
    #[error("the process of the modules sent no answer: {0}")]
    Broken(String),
    /// A request was dropped before it was answered.
    #[error("a request to the process of the modules was given up")]
    GivenUp,
}

/// A module's tool that may ask for no other.
struct NoTools;

impl KeeperTools for NoTools {
    async fn call(&mut self, name: &str, _: Value) -> Result<Value, String> {
        Err(format!("{name} cannot be called here"))
    }
}

/// How much of a call's time is left; the waits for the keeper's tools do not count.
struct TimeLeft {
    whole: Duration,
    until: Instant,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> ModuleClient<R, W> {
    /// A link over the pipes of a process that was just started.
    pub fn new(reader: R, writer: W) -> Self {
        let reader = BufReader::with_capacity(READ_BYTES, reader);
        Self { reader, writer, last_id: 0, line: Vec::new(), uses: None, ended: None }
    }

    /// Why the process can be asked no more, where that is so.
    pub fn ended(&self) -> Option<&ModuleEndedError> {
        self.ended.as_ref()
    }

    /// Gives the process a module's code in place of what it had of that kind. A failed load leaves the old one.
    pub async fn load(
        &mut self,
        module: ModuleKind,
        code: &str,
        deadline: Duration,
    ) -> Result<ModuleReply<ModuleDeclarations>, ModuleCallError> {
        if code.len() > CODE_BYTES_MAX {
            let message = format!("the code has {} bytes, more than {CODE_BYTES_MAX}", code.len());
            let error = ScriptError::new(ScriptErrorKind::TooLarge, message);
            return Err(ModuleCallError::Script { error, cost: ModuleCost::default() });
        }
        let deadline_ms = process_time_ms(deadline);
        let load = LoadRequest { module, code: code.into(), deadline_ms };
        let request = Request { load: Some(load), ..Request::default() };
        let mut tools = NoTools;
        let loaded = self.ask(request, deadline, &mut tools, |body| match body {
            AnswerBody::Loaded(declared) => Ok(declared),
            _ => Err("not what was declared".to_owned()),
        });
        let loaded = loaded.await?;
        if module == ModuleKind::Memory {
            self.uses.clone_from(&loaded.value.uses);
        }
        Ok(loaded)
    }

    /// Asks the memory module for an order of passages: a permutation of the ids that were offered.
    pub async fn rank(
        &mut self,
        mut request: RankRequest,
        deadline: Duration,
    ) -> Result<ModuleReply<Vec<u64>>, ModuleCallError> {
        request.check().map_err(ModuleCallError::Request)?;
        if let Some(uses) = &self.uses {
            uses.keep(&mut request);
        }
        let offered = request.passages.iter().map(|passage| passage.id).collect::<Vec<_>>();
        self.call(CallInput::Rank(request), deadline, &mut NoTools, move |body| match body {
            // The process has looked; what it sends is judged here all the same.
            AnswerBody::Ids(ids) if is_permutation(&offered, &ids) => Ok(ids),
            _ => Err("no order of the passages that were offered".to_owned()),
        })
        .await
    }

    /// Calls a tool that the tools module declared. `tools` answers what its body asks for.
    pub async fn call_tool(
        &mut self,
        tool: &str,
        arguments: Value,
        tools: &mut impl KeeperTools,
        deadline: Duration,
    ) -> Result<ModuleReply<Value>, ModuleCallError> {
        let input = CallInput::Tool { tool: tool.to_owned(), arguments };
        self.call(input, deadline, tools, |body| match body {
            AnswerBody::Value(value) => Ok(value),
            _ => Err("not the value of a tool".to_owned()),
        })
        .await
    }

    /// Has a command that the dsl module declared written out: the text of one command that stands in its place.
    pub async fn expand_command(
        &mut self,
        command: &str,
        text: &str,
        deadline: Duration,
    ) -> Result<ModuleReply<String>, ModuleCallError> {
        let input = CallInput::Command { command: command.to_owned(), text: text.to_owned() };
        self.call(input, deadline, &mut NoTools, |body| match body {
            AnswerBody::Text(text) => Ok(text),
            _ => Err("not the text of a command".to_owned()),
        })
        .await
    }

    async fn call<T>(
        &mut self,
        input: CallInput,
        deadline: Duration,
        tools: &mut impl KeeperTools,
        read: impl FnOnce(AnswerBody) -> Result<T, String>,
    ) -> Result<ModuleReply<T>, ModuleCallError> {
        let call = CallRequest { deadline_ms: process_time_ms(deadline), input };
        let request = Request { call: Some(call), ..Request::default() };
        self.ask(request, deadline, tools, read).await
    }

    async fn ask<T>(
        &mut self,
        mut request: Request<'_>,
        deadline: Duration,
        tools: &mut impl KeeperTools,
        read: impl FnOnce(AnswerBody) -> Result<T, String>,
    ) -> Result<ModuleReply<T>, ModuleCallError> {
        if let Some(ended) = &self.ended {
            return Err(ended.clone().into());
        }
        self.last_id += 1;
        request.id = self.last_id;
        let line = encode(&request).map_err(ModuleCallError::Request)?;
        self.ended = Some(ModuleEndedError::GivenUp);
        let mut time = TimeLeft { whole: deadline, until: Instant::now() + deadline };
        let answered = self.exchange(line, &mut time, tools).await;
        let answered = answered.and_then(|answer| read_answer(answer, read));
        match answered {
            Ok(answered) => {
                self.ended = None;
                answered
            }
            Err(ended) => {
                self.ended = Some(ended.clone());
                Err(ended.into())
            }
        }
    }

    /// Sends a request and answers what comes back until the answer to it comes.
    async fn exchange(
        &mut self,
        line: Vec<u8>,
        time: &mut TimeLeft,
        tools: &mut impl KeeperTools,
    ) -> Result<Answer, ModuleEndedError> {
        self.send(line, time).await?;
        let mut calls = 0;
        loop {
            let mut answer = self.receive(time).await?;
            if answer.id != self.last_id {
                let words = format!("an answer to {} where {} was due", answer.id, self.last_id);
                return Err(ModuleEndedError::Broken(words));
            }
            let Some(call) = answer.tool_call.take() else { return Ok(answer) };
            calls += 1;
            if calls > TOOL_CALLS_MAX || answer.ok.is_some() || answer.error.is_some() {
                return Err(ModuleEndedError::Broken("a call of a tool was not due".to_owned()));
            }
            let line = self.run_tool(call, time, tools).await?;
            self.send(line, time).await?;
        }
    }

    async fn run_tool(
        &mut self,
        call: ToolCall,
        time: &mut TimeLeft,
        tools: &mut impl KeeperTools,
    ) -> Result<Vec<u8>, ModuleEndedError> {
        let began = Instant::now();
        let result = tools.call(&call.name, call.arguments).await;
        time.until += began.elapsed();
        let reply = |result: Result<Value, String>| {
            let (ok, error) = match result {
                Ok(value) => (Some(value), None),
                Err(words) => (None, Some(words)),
            };
            let tool_result = Some(ToolResult { n: call.n, ok, error });
            encode(&Request { id: self.last_id, tool_result, ..Request::default() })
        };
        // A result that cannot be sent is a failure of that tool, not of the link.
        reply(result).or_else(|words| reply(Err(words))).map_err(ModuleEndedError::Broken)
    }

    async fn send(&mut self, line: Vec<u8>, time: &TimeLeft) -> Result<(), ModuleEndedError> {
        let sent = async {
            self.writer.write_all(&line).await?;
            self.writer.flush().await
        };
        let sent = timeout_at(time.until, sent).await;
        sent.map_err(|_| time.up())?.map_err(|error| gone(&error))
    }

    async fn receive(&mut self, time: &TimeLeft) -> Result<Answer, ModuleEndedError> {
        self.line.clear();
        let most = u64::try_from(MESSAGE_BYTES_MAX).unwrap_or(u64::MAX) + 1;
        let mut reader = (&mut self.reader).take(most);
        let read = timeout_at(time.until, reader.read_until(b'\n', &mut self.line)).await;
        let count = read.map_err(|_| time.up())?.map_err(|error| gone(&error))?;
        if count == 0 {
            return Err(ModuleEndedError::Gone("its output ended".to_owned()));
        }
        if self.line.pop() != Some(b'\n') {
            return Err(ModuleEndedError::Broken("a line is too long or breaks off".to_owned()));
        }
        let answer = serde_json::from_slice(&self.line);
        answer.map_err(|error| ModuleEndedError::Broken(error.to_string()))
    }
}

impl TimeLeft {
    fn up(&self) -> ModuleEndedError {
        ModuleEndedError::Deadline(self.whole)
    }
}

impl<R, W> fmt::Debug for ModuleClient<R, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModuleClient").field("ended", &self.ended).finish_non_exhaustive()
    }
}

fn read_answer<T>(
    answer: Answer,
    read: impl FnOnce(AnswerBody) -> Result<T, String>,
) -> Result<Result<ModuleReply<T>, ModuleCallError>, ModuleEndedError> {
    let cost = ModuleCost {
        wall_us: answer.wall_us,
        cpu_us: answer.cpu_us,
        memory_bytes: answer.memory_bytes,
    };
    match (answer.ok, answer.error) {
        (Some(body), None) => {
            let value = read(body).map_err(ModuleEndedError::Broken)?;
            Ok(Ok(ModuleReply { value, cost }))
        }
        (None, Some(error)) => Ok(Err(ModuleCallError::Script { error, cost })),
        _ => Err(ModuleEndedError::Broken("neither a result nor an error".to_owned())),
    }
}

/// A message as a line, unless it is longer than the process would read.
fn encode(request: &Request<'_>) -> Result<Vec<u8>, String> {
    let mut line = serde_json::to_vec(request).map_err(|error| error.to_string())?;
    if line.len() > MESSAGE_BYTES_MAX {
        return Err(format!("{} bytes are more than {MESSAGE_BYTES_MAX}", line.len()));
    }
    line.push(b'\n');
    Ok(line)
}

/// What the process hears of a deadline: less, so that its answer that the time is up comes before the time is up.
fn process_time_ms(deadline: Duration) -> u64 {
    let kept = (deadline / ANSWER_SHARE).min(ANSWER_TIME_MAX);
    u64::try_from(deadline.saturating_sub(kept).as_millis()).unwrap_or(u64::MAX).max(1)
}

fn is_permutation(offered: &[u64], ids: &[u64]) -> bool {
    let sorted = |ids: &[u64]| {
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        ids
    };
    sorted(offered) == sorted(ids)
}

fn gone(error: &std::io::Error) -> ModuleEndedError {
    ModuleEndedError::Gone(error.to_string())
}
