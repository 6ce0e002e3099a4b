//! The modules of one process and the messages about them: one code of each kind, replaced whole or not at all. What
//! cannot be understood ends the process; what a program does wrong is an answer.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use super::{
    channel::{Channel, ServeError},
    deadline::DeadlineTimer,
    loaded::{CallEnd, EngineState, LoadedModule},
    tool_calls::{KeeperCalls, SharedChannel, lock},
    usage::{UsageMark, UsageMeter},
    values,
};
use crate::{
    failure::ScriptError,
    kind::ModuleKind,
    limits::{DEADLINE_MAX, RENEWAL_TIME_MAX},
    message::{Answer, AnswerBody, CallRequest, LoadRequest, Request},
};

/// What the engine's thread holds.
pub(super) struct ModuleHost {
    channel: SharedChannel,
    timer: Arc<DeadlineTimer>,
    calls: Arc<KeeperCalls>,
    meter: UsageMeter,
    modules: HashMap<ModuleKind, Loaded>,
}

/// A module, and the code that it can be made from again.
struct Loaded {
    code: String,
    /// `None` where an engine was spent and could not be made anew.
    module: Option<LoadedModule>,
}

type Outcome = Result<AnswerBody, ScriptError>;

impl ModuleHost {
    pub(super) fn new(channel: Channel, timer: Arc<DeadlineTimer>) -> Self {
        let channel = Arc::new(Mutex::new(channel));
        let calls = KeeperCalls::new(Arc::clone(&channel), Arc::clone(&timer));
        Self { channel, timer, calls, meter: UsageMeter::new(), modules: HashMap::new() }
    }

    /// Answers until the input ends between two messages.
    pub(super) fn run(&mut self) -> Result<(), ServeError> {
        let channel = Arc::clone(&self.channel);
        loop {
            let mark;
            let (id, work) = {
                let mut channel = lock(&channel);
                let Some(line) = channel.read()? else { return Ok(()) };
                mark = UsageMeter::mark();
                work(line)?
            };
            match work {
                Work::Load { kind, code, time } => {
                    let outcome = self.load(kind, code, time);
                    self.answer(id, outcome, mark)?;
                }
                Work::Call(call) => {
                    let kind = call.input.kind();
                    let end = self.call(id, call)?;
                    self.answer(id, end.result, mark)?;
                    self.renew(kind, end.state);
                }
            }
        }
    }

    fn answer(&self, id: u64, outcome: Outcome, mark: UsageMark) -> Result<(), ServeError> {
        let usage = self.meter.since(mark);
        let (ok, error) = match outcome {
            Ok(body) => (Some(body), None),
            Err(error) => (None, Some(error)),
        };
        lock(&self.channel).write(&Answer {
            id,
            ok,
            error,
            tool_call: None,
            wall_us: usage.wall_us,
            cpu_us: usage.cpu_us,
            memory_bytes: usage.memory_bytes,
        })
    }

    fn load(&mut self, kind: ModuleKind, code: String, time: Duration) -> Outcome {
        let (module, declared) = LoadedModule::load(kind, &code, time, &self.calls, &self.timer)?;
        self.modules.insert(kind, Loaded { code, module: Some(module) });
        Ok(AnswerBody::Loaded(declared))
    }

    fn call(&mut self, id: u64, call: CallRequest) -> Result<CallEnd, ServeError> {
        let kind = call.input.kind();
        let module = match self.modules.get_mut(&kind) {
            Some(Loaded { module: Some(module), .. }) => module,
            Some(_) => return Ok(no_module(kind, "could not be made anew")),
            None => return Ok(no_module(kind, "is not loaded")),
        };
        self.calls.begin(id, module.interpreter().controller().clone());
        let end = module.call(call.input, time(call.deadline_ms));
        self.calls.end()?;
        Ok(end)
    }

    /// Makes a module anew where its engine cannot be used again.
    fn renew(&mut self, kind: ModuleKind, state: EngineState) {
        let Some(loaded) = self.modules.get_mut(&kind).filter(|_| state != EngineState::Good)
        else {
            return;
        };
        let old = loaded.module.take();
        if state == EngineState::Panicked {
            // What a panic left behind may panic again when it is dropped.
            std::mem::forget(old);
        } else {
            drop(old);
        }
        let made =
            LoadedModule::load(kind, &loaded.code, RENEWAL_TIME_MAX, &self.calls, &self.timer);
        loaded.module = made.ok().map(|(module, _)| module);
    }
}

fn no_module(kind: ModuleKind, why: &str) -> CallEnd {
    let error = values::shape(format!("the {} module {why}", kind.name()));
    CallEnd { result: Err(error), state: EngineState::Good }
}

/// What a message asks for.
enum Work {
    Load { kind: ModuleKind, code: String, time: Duration },
    Call(CallRequest),
}

fn work(line: &[u8]) -> Result<(u64, Work), ServeError> {
    let request: Request<'_> =
        serde_json::from_slice(line).map_err(|error| ServeError::Message(error.to_string()))?;
    let work = match request {
        Request {
            load: Some(LoadRequest { module, code, deadline_ms }),
            call: None,
            tool_result: None,
            ..
        } => Work::Load { kind: module, code: code.into_owned(), time: time(deadline_ms) },
        Request { call: Some(call), load: None, tool_result: None, .. } => Work::Call(call),
        _ => return Err(ServeError::Message("neither a load nor a call".to_owned())),
    };
    Ok((request.id, work))
}

fn time(deadline_ms: u64) -> Duration {
    Duration::from_millis(deadline_ms.max(1)).min(DEADLINE_MAX)
}
