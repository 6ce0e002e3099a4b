//! `(call-tool name arguments)`: a module's tool asks the keeper for another one and waits. The keeper decides whether it
//! may; nothing runs here. While it waits, the call's own time stands still: the keeper's tools have limits of their own.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use steel::{
    SteelErr, SteelVal,
    steel_vm::{ThreadStateController, engine::Engine, register_fn::RegisterFn as _},
};

use super::{
    channel::{Channel, ServeError},
    deadline::{DeadlineTimer, TimeLeft},
    passages::wrong,
    values,
};
use crate::{
    limits::TOOL_CALLS_MAX,
    message::{Answer, Request, ToolCall, ToolResult},
};

/// What the calls of one process go through.
pub(super) struct KeeperCalls {
    channel: SharedChannel,
    timer: Arc<DeadlineTimer>,
    current: Mutex<Option<CurrentCall>>,
    broken: Mutex<Option<ServeError>>,
}

/// The pipes, between the loop that answers and the tools that ask. One thread uses them; the engine's functions must be
/// ready for more.
pub(super) type SharedChannel = Arc<Mutex<Channel>>;

/// The call that runs, while its tool may ask.
struct CurrentCall {
    id: u64,
    controller: ThreadStateController,
    made: u32,
}

impl KeeperCalls {
    pub(super) fn new(channel: SharedChannel, timer: Arc<DeadlineTimer>) -> Arc<Self> {
        let (current, broken) = (Mutex::default(), Mutex::default());
        Arc::new(Self { channel, timer, current, broken })
    }

    /// From now on the tool that runs may ask.
    pub(super) fn begin(&self, id: u64, controller: ThreadStateController) {
        *lock(&self.current) = Some(CurrentCall { id, controller, made: 0 });
    }

    /// The call is over. An error says that the pipe broke in it.
    pub(super) fn end(&self) -> Result<(), ServeError> {
        *lock(&self.current) = None;
        lock(&self.broken).take().map_or(Ok(()), Err)
    }

    /// Gives an engine `call-tool`.
    pub(super) fn install(self: &Arc<Self>, engine: &mut Engine) {
        let calls = Arc::clone(self);
        engine.register_fn("call-tool", move |name: String, arguments: SteelVal| {
            calls.call(&name, &arguments)
        });
    }

    fn call(&self, name: &str, arguments: &SteelVal) -> Result<SteelVal, SteelErr> {
        let mut current = lock(&self.current);
        let Some(current) = current.as_mut() else {
            return Err(wrong("call-tool works only within the body of a tool that was called"));
        };
        let n = current.made + 1;
        if usize::try_from(n).unwrap_or(usize::MAX) > TOOL_CALLS_MAX {
            return Err(wrong(format!("a call may ask for at most {TOOL_CALLS_MAX} tools")));
        }
        let arguments = values::to_json(arguments).map_err(|error| wrong(error.message))?;
        current.made = n;
        let TimeLeft::Left(left) = self.timer.disarm() else {
            return Err(wrong("the time is up"));
        };
        let result = self.exchange(current.id, ToolCall { n, name: name.to_owned(), arguments });
        self.timer.arm(&current.controller, left);
        match result {
            Ok(ToolResult { ok: Some(value), error: None, .. }) => Ok(values::to_scheme(&value)),
            Ok(ToolResult { ok: None, error: Some(error), .. }) => {
                Err(wrong(format!("{name} failed: {error}")))
            }
            Ok(_) => {
                Err(self.broke(ServeError::Message("neither a result nor an error".to_owned())))
            }
            Err(error) => Err(self.broke(error)),
        }
    }

    fn exchange(&self, id: u64, call: ToolCall) -> Result<ToolResult, ServeError> {
        let n = call.n;
        let mut channel = lock(&self.channel);
        channel.write(&Answer { id, tool_call: Some(call), ..Answer::default() })?;
        let line = channel.read()?.ok_or(ServeError::Line)?;
        let request: Request<'_> =
            serde_json::from_slice(line).map_err(|error| ServeError::Message(error.to_string()))?;
        match request {
            Request { id: same, tool_result: Some(result), load: None, call: None }
                if same == id && result.n == n =>
            {
                Ok(result)
            }
            _ => Err(ServeError::Message("the result of a tool was due".to_owned())),
        }
    }

    fn broke(&self, error: ServeError) -> SteelErr {
        *lock(&self.broken) = Some(error);
        wrong("the keeper is gone")
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
