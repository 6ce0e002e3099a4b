//! One module that was loaded: its engine, what it declared, and the calls that it takes. It never outlives a panic of
//! its engine: whoever holds it makes it anew from its code.

use std::{sync::Arc, time::Duration};

use steel::{SteelVal, steel_vm::engine::Engine};

use super::{
    deadline::{DeadlineTimer, TimeLeft},
    declarations::{self, Declarations},
    interpreter::{Interpreter, ScriptEnd},
    passages::{self, Asker},
    source,
    tool_calls::KeeperCalls,
    usage::monotonic,
    values,
};
use crate::{
    failure::{ScriptError, ScriptErrorKind},
    kind::ModuleKind,
    message::{AnswerBody, CallInput, ModuleDeclarations},
    passage::RankRequest,
    passage_uses::PassageUses,
};

/// A module and what runs it.
pub(super) struct LoadedModule {
    interpreter: Interpreter,
    declarations: Declarations,
    asker: Asker,
    timer: Arc<DeadlineTimer>,
}

/// What a call gave, and whether the engine is still good.
pub(super) struct CallEnd {
    pub(super) result: Result<AnswerBody, ScriptError>,
    pub(super) state: EngineState,
}

/// Whether an engine may be used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EngineState {
    Good,
    /// It was interrupted, anywhere in the middle.
    Interrupted,
    /// It panicked: it cannot even be dropped safely.
    Panicked,
}

impl LoadedModule {
    /// Reads a module's code within `time`.
    pub(super) fn load(
        kind: ModuleKind,
        code: &str,
        time: Duration,
        calls: &Arc<KeeperCalls>,
        timer: &Arc<DeadlineTimer>,
    ) -> Result<(Self, ModuleDeclarations), ScriptError> {
        let began = monotonic();
        let code = source::check(code)?;
        let uses = PassageUses::of(&code);
        if kind != ModuleKind::Memory {
            source::check_stateless(&code)?;
        }
        let declarations = Declarations::default();
        let asker = Asker::default();
        let interpreter = Interpreter::new(|engine: &mut Engine| {
            passages::install_helpers(engine);
            match kind {
                ModuleKind::Memory => {
                    passages::install(engine, &asker);
                    ""
                }
                ModuleKind::Tools => {
                    declarations::install_tools(engine, &declarations);
                    calls.install(engine);
                    declarations::TOOLS_SCHEME
                }
                ModuleKind::Dsl => {
                    declarations::install_commands(engine, &declarations);
                    declarations::COMMANDS_SCHEME
                }
            }
        })?;
        let timer = Arc::clone(timer);
        let mut module = Self { interpreter, declarations, asker, timer };
        let left = time.saturating_sub(monotonic().saturating_sub(began));
        module.within(left, |interpreter| interpreter.run(code)).map_err(|(error, _)| error)?;
        if kind == ModuleKind::Memory {
            module.rank_procedure()?;
        }
        let mut declared = module.declarations.close();
        if kind == ModuleKind::Memory {
            declared.uses = Some(uses);
        }
        Ok((module, declared))
    }

    pub(super) fn interpreter(&self) -> &Interpreter {
        &self.interpreter
    }

    /// Calls the module within `time`.
    pub(super) fn call(&mut self, input: CallInput, time: Duration) -> CallEnd {
        let called = match input {
            CallInput::Rank(request) => self.rank(request, time),
            CallInput::Tool { tool, arguments } => self
                .apply(&tool, "tool", values::to_scheme(&arguments), time)
                .and_then(|value| good(tool_result(&value))),
            CallInput::Command { command, text } => self
                .apply(&command, "command", SteelVal::StringV(text.into()), time)
                .and_then(|value| good(values::to_text(&value, "the text of a command")))
                .map(AnswerBody::Text),
        };
        match called {
            Ok(body) => CallEnd { result: Ok(body), state: EngineState::Good },
            Err((error, state)) => CallEnd { result: Err(error), state },
        }
    }

    fn rank(&mut self, mut request: RankRequest, time: Duration) -> Result<AnswerBody, Ended> {
        good(request.check().map_err(values::shape))?;
        let rank = good(self.rank_procedure())?;
        self.asker.set(request.asker.take());
        let arguments = passages::arguments(&mut request);
        let arguments = good(arguments.map_err(|error| values::shape(error.to_string())))?;
        let value = self.within(time, |interpreter| interpreter.call(rank, arguments))?;
        let ids = good(ids(&value))?;
        good(request.check_order(&ids).map_err(values::shape))?;
        Ok(AnswerBody::Ids(ids))
    }

    fn apply(
        &mut self,
        name: &str,
        what: &str,
        argument: SteelVal,
        time: Duration,
    ) -> Result<SteelVal, Ended> {
        let body = match self.interpreter.defined(declarations::BODIES) {
            Some(SteelVal::HashMapV(bodies)) => {
                bodies.get(&SteelVal::StringV(name.into())).cloned()
            }
            _ => None,
        };
        let body =
            body.ok_or_else(|| values::shape(format!("the module declared no {what} `{name}`")));
        let body = good(body)?;
        self.within(time, |interpreter| interpreter.call(body, vec![argument]))
    }

    fn rank_procedure(&self) -> Result<SteelVal, ScriptError> {
        match self.interpreter.defined("rank") {
            Some(rank @ SteelVal::Closure(_)) => Ok(rank),
            _ => Err(values::shape(
                "a memory module must define (rank question passages now)".to_owned(),
            )),
        }
    }

    fn within<T>(
        &mut self,
        time: Duration,
        run: impl FnOnce(&mut Interpreter) -> Result<T, ScriptEnd>,
    ) -> Result<T, Ended> {
        self.timer.arm(self.interpreter.controller(), time);
        let ran = run(&mut self.interpreter);
        if self.timer.disarm() == TimeLeft::Up {
            let line = match &ran {
                Err(ScriptEnd::Failed(error) | ScriptEnd::Panicked(error)) => error.line,
                Ok(_) => None,
            };
            let message = format!("not done within {} ms", time.as_millis());
            let error = ScriptError::new(ScriptErrorKind::Time, message).on_line(line);
            let panicked = matches!(ran, Err(ScriptEnd::Panicked(_)));
            let state = if panicked { EngineState::Panicked } else { EngineState::Interrupted };
            return Err((error, state));
        }
        ran.map_err(|end| match end {
            ScriptEnd::Failed(error) => (error, EngineState::Good),
            ScriptEnd::Panicked(error) => (error, EngineState::Panicked),
        })
    }
}

type Ended = (ScriptError, EngineState);

/// A failure that says nothing about the engine.
fn good<T>(result: Result<T, ScriptError>) -> Result<T, Ended> {
    result.map_err(|error| (error, EngineState::Good))
}

/// A tool gives a text or a map; a number, a boolean or a list is as good.
fn tool_result(value: &SteelVal) -> Result<AnswerBody, ScriptError> {
    values::to_json(value).map(AnswerBody::Value)
}

fn ids(value: &SteelVal) -> Result<Vec<u64>, ScriptError> {
    let SteelVal::ListV(items) = value else {
        return Err(values::shape("rank must give a list of passage ids".to_owned()));
    };
    let id = |item: &SteelVal| match item {
        SteelVal::IntV(id) => u64::try_from(*id).ok(),
        _ => None,
    };
    items
        .iter()
        .map(|item| {
            id(item).ok_or_else(|| {
                let mut shown = item.to_string();
                shown.truncate(shown.floor_char_boundary(60));
                values::shape(format!("rank must give passage ids, not {shown}"))
            })
        })
        .collect()
}
