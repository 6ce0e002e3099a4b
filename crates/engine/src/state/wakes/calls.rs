//! The functions of a wake's condition: which there are, what they wait for, and which inputs fulfil them.
//!
//! The only place that knows their names. Pure.

use std::time::Duration;

use abide_domain::SpaceName;
use abide_grammar::{Condition, FunctionCall, Literal, Unit};

use super::input::WakeInput;

/// Whether an input is what a call waits for.
pub(super) fn is_fulfilled(call: &FunctionCall, input: WakeInput<'_>) -> bool {
    match (call.name.as_str(), call.args.first()) {
        ("from", Some(Literal::Entity(name))) => input.is_said && input.from.bare() == name.lower(),
        ("from", Some(Literal::Space(name))) => {
            let wanted = SpaceName::named(&name.lower()).ok();
            input.space.is_some() && input.space == wanted.as_ref()
        }
        ("response", Some(Literal::Entity(name))) => {
            input.is_response && input.from.bare() == name.lower()
        }
        _ => false,
    }
}

/// The length of a call `sleep(…)`.
pub(super) enum SleepLength {
    Ticks(u64),
    Time(Duration),
}

/// The length that a call waits for, if it is a `sleep(…)`.
pub(super) fn sleep_length(call: &FunctionCall) -> Option<SleepLength> {
    let (true, Some(Literal::Duration(length))) = (call.name == "sleep", call.args.first()) else {
        return None;
    };
    Some(match (length.unit, length.seconds()) {
        (Unit::Ticks, _) | (_, None) => SleepLength::Ticks(length.amount),
        (_, Some(seconds)) => SleepLength::Time(Duration::from_secs(seconds)),
    })
}

/// Says what of a condition's functions cannot be waited for: unknown ones, wrong arguments.
pub fn check_calls(condition: &Condition) -> Result<(), Box<abide_grammar::ParseError>> {
    for call in condition.calls() {
        let fits = match (call.name.as_str(), call.args.as_slice()) {
            ("from", [Literal::Entity(_) | Literal::Space(_)])
            | ("response", [Literal::Entity(_)])
            | ("sleep", [Literal::Duration(_)]) => true,
            ("from" | "response" | "sleep", _) => false,
            (name, _) => {
                let message = format!(
                    "there is no function `{name}`; there are from(@x), from(#space), response(@x), sleep(10 ticks), sleep(5m)"
                );
                return Err(Box::new(condition.refuse(call.span, message)));
            }
        };
        if !fits {
            let message = match call.name.as_str() {
                "sleep" => {
                    "sleep takes a length: sleep(10 ticks), sleep(90s), sleep(5m), sleep(2h)"
                }
                "response" => "response takes an entity: response(@x)",
                _ => "from takes an entity or a space: from(@x), from(#space)",
            };
            return Err(Box::new(condition.refuse(call.span, message)));
        }
    }
    Ok(())
}
