//! What a module declares while it is loaded: tools or commands, with their bodies. After the load nothing more is
//! declared, and nothing is declared that the keeper could not offer as it stands.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use abide_domain::{limits::TOOL_NAME_BYTES_MAX, tool::EffectClass};
use serde_json::Value;
use steel::{
    SteelErr, SteelVal,
    steel_vm::{engine::Engine, register_fn::RegisterFn as _},
};

use super::passages::wrong;
use crate::{
    limits::{COMMAND_NAME_BYTES_MAX, DECLARATIONS_MAX, DESCRIPTION_BYTES_MAX, SCHEMA_BYTES_MAX},
    message::{DeclaredCommand, DeclaredTool, ModuleDeclarations},
};

/// The declarations of one engine, shared by its functions and whoever calls the bodies. The bodies themselves stay with
/// the engine, in the map [`BODIES`].
#[derive(Clone, Default)]
pub(super) struct Declarations(Arc<Mutex<DeclarationList>>);

#[derive(Default)]
struct DeclarationList {
    listed: ModuleDeclarations,
    is_closed: bool,
}

/// The global of the engine that holds the bodies by name.
pub(super) const BODIES: &str = "#%bodies";
/// The part of `deftool` and `defcommand` that is Scheme: a body must stay where the engine sees it, or what it holds on
/// to would be collected as garbage.
pub(super) const TOOLS_SCHEME: &str = "
(define #%bodies (hash))
(define (deftool name description schema effect body)
  (#%declare-tool name description schema effect body)
  (set! #%bodies (hash-insert #%bodies name body))
  void)";
/// The same for commands.
pub(super) const COMMANDS_SCHEME: &str = "
(define #%bodies (hash))
(define (defcommand name help body)
  (#%declare-command name help body)
  (set! #%bodies (hash-insert #%bodies name body))
  void)";

impl Declarations {
    /// The load is over.
    pub(super) fn close(&self) -> ModuleDeclarations {
        let mut list = self.lock();
        list.is_closed = true;
        list.listed.clone()
    }

    fn lock(&self) -> MutexGuard<'_, DeclarationList> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DeclarationList {
    fn admit(&self, name: &str, body: &SteelVal) -> Result<(), SteelErr> {
        if self.is_closed {
            return Err(wrong("nothing can be declared after the module was loaded"));
        }
        let ModuleDeclarations { tools, commands, .. } = &self.listed;
        if tools.len() + commands.len() >= DECLARATIONS_MAX {
            return Err(wrong(format!("a module declares at most {DECLARATIONS_MAX}")));
        }
        let is_declared = tools.iter().any(|tool| tool.name == name)
            || commands.iter().any(|command| command.name == name);
        if is_declared {
            return Err(wrong(format!("`{name}` is declared twice")));
        }
        match body {
            SteelVal::Closure(_) => Ok(()),
            _ => Err(wrong(format!("the body of `{name}` must be a (lambda …) of one argument"))),
        }
    }
}

/// Gives an engine the part of `deftool` that is Rust.
pub(super) fn install_tools(engine: &mut Engine, declarations: &Declarations) {
    let declarations = declarations.clone();
    engine.register_fn(
        "#%declare-tool",
        move |name: String,
              description: String,
              schema: String,
              effect: SteelVal,
              body: SteelVal| {
            let mut list = declarations.lock();
            list.admit(&name, &body)?;
            list.listed.tools.push(tool(name, description, &schema, &effect)?);
            Ok::<_, SteelErr>(SteelVal::Void)
        },
    );
}

/// Gives an engine the part of `defcommand` that is Rust.
pub(super) fn install_commands(engine: &mut Engine, declarations: &Declarations) {
    let declarations = declarations.clone();
    engine.register_fn("#%declare-command", move |name: String, help: String, body: SteelVal| {
        let mut list = declarations.lock();
        list.admit(&name, &body)?;
        list.listed.commands.push(command(name, help)?);
        Ok::<_, SteelErr>(SteelVal::Void)
    });
}

fn command(name: String, help: String) -> Result<DeclaredCommand, SteelErr> {
    if !is_command_name(&name) {
        return Err(wrong(format!(
            "`{name}` is no name of a command: lower case letters, digits, _ and - between them, at \
             most {COMMAND_NAME_BYTES_MAX} bytes"
        )));
    }
    check_description(&name, &help)?;
    Ok(DeclaredCommand { name, help })
}

fn tool(
    name: String,
    description: String,
    schema: &str,
    effect: &SteelVal,
) -> Result<DeclaredTool, SteelErr> {
    if !is_tool_name(&name) {
        return Err(wrong(format!(
            "`{name}` is no name of a tool: namespace.verb, lower case letters, digits and _, at most \
             {TOOL_NAME_BYTES_MAX} bytes"
        )));
    }
    check_description(&name, &description)?;
    let schema =
        read_schema(schema).map_err(|reason| wrong(format!("the schema of `{name}` {reason}")))?;
    let effect = effect_class(effect)
        .ok_or_else(|| wrong(format!("the effect of `{name}` must be 'read, 'state or 'world")))?;
    Ok(DeclaredTool { name, description, schema, effect })
}

fn check_description(name: &str, text: &str) -> Result<(), SteelErr> {
    if text.trim().is_empty() || text.len() > DESCRIPTION_BYTES_MAX {
        return Err(wrong(format!(
            "`{name}` needs 1 to {DESCRIPTION_BYTES_MAX} bytes that describe it"
        )));
    }
    Ok(())
}

fn read_schema(text: &str) -> Result<Value, String> {
    if text.len() > SCHEMA_BYTES_MAX {
        return Err(format!("has more than {SCHEMA_BYTES_MAX} bytes"));
    }
    let schema: Value =
        serde_json::from_str(text).map_err(|error| format!("is no JSON: {error}"))?;
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => Ok(schema),
        _ => Err("must be of an object: {\"type\": \"object\", …}".to_owned()),
    }
}

fn effect_class(value: &SteelVal) -> Option<EffectClass> {
    let (SteelVal::SymbolV(name) | SteelVal::StringV(name)) = value else { return None };
    match name.as_str() {
        "read" => Some(EffectClass::Read),
        "state" => Some(EffectClass::State),
        "world" => Some(EffectClass::World),
        _ => None,
    }
}

/// `namespace.verb` in `[a-z0-9_.]`: at least one dot, and something on both sides of each.
fn is_tool_name(name: &str) -> bool {
    let fits = |part: &str| !part.is_empty() && part.bytes().all(is_word_byte);
    name.len() <= TOOL_NAME_BYTES_MAX && name.contains('.') && name.split('.').all(fits)
}

/// A letter first; a hyphen only between two of the others, as the command language reads it.
fn is_command_name(name: &str) -> bool {
    let fits = |part: &str| !part.is_empty() && part.bytes().all(is_word_byte);
    name.len() <= COMMAND_NAME_BYTES_MAX
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.split('-').all(fits)
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::{is_command_name, is_tool_name};

    #[test]
    fn names_of_tools_and_commands_are_those_that_the_keeper_could_offer() {
        let long = format!("a.{}", "b".repeat(63));
        for (name, is_tool, is_command) in [
            ("recipes.scale", true, false),
            ("a.b.c_1", true, false),
            ("remind", false, true),
            ("remind-me", false, true),
            ("remind--me", false, false),
            ("remind-", false, false),
            ("1st", false, false),
            ("", false, false),
            (".x", false, false),
            ("x.", false, false),
            ("Recipes.scale", false, false),
            ("recipes.scäle", false, false),
            (&long, false, false),
        ] {
            assert_eq!(
                (is_tool_name(name), is_command_name(name)),
                (is_tool, is_command),
                "{name}"
            );
        }
    }
}
