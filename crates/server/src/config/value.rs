//! One value against its shape: from TOML, and from the text of a variable or flag.

use std::{net::SocketAddr, time::Duration};

use abide_domain::{AgentId, Zone};
use abide_engine::schedule::{Schedule, ScheduleError, moment};
use toml::Value;

use super::{
    chat::check_chats,
    nearest::nearest,
    shape::{Shape, Word},
    time_span::{TimeSpan, TimeSpanError},
};

/// Entries of a list at most.
const LIST_MAX: usize = 1_000;

/// Says what is wrong with a value, worded to follow its key.
pub(crate) fn check(shape: Shape, value: &Value) -> Result<(), String> {
    match (shape, value) {
        (Shape::Flag, Value::Boolean(_)) => Ok(()),
        (Shape::Flag, _) => Err(kind("true or false", value)),
        (Shape::Count(min, max), Value::Integer(n)) if (min..=max).contains(n) => Ok(()),
        (Shape::Count(min, max), Value::Integer(n)) => {
            Err(format!("is {n}; at least {min} and at most {max}"))
        }
        (Shape::Count(..), _) => Err(kind("a whole number", value)),
        (Shape::Money, Value::Float(amount)) => money(*amount),
        (Shape::Money, Value::Integer(amount)) if *amount >= 0 => Ok(()),
        (Shape::Money, Value::Integer(amount)) => Err(format!("is {amount}; at least 0")),
        (Shape::Money, _) => Err(kind("a number", value)),
        (Shape::Texts | Shape::ToolPatterns | Shape::VariableNames, Value::Array(items)) => {
            texts(shape, items)
        }
        (Shape::Chats, Value::Array(items)) => check_chats(items),
        (Shape::Texts | Shape::ToolPatterns | Shape::VariableNames | Shape::Chats, _) => {
            Err(kind("a list of strings", value))
        }
        (_, Value::String(text)) => check_text(shape, text),
        (Shape::Time(..), _) => Err(format!("{TimeSpanError}, not {}", describe(value))),
        _ => Err(kind("a string", value)),
    }
}

fn money(amount: f64) -> Result<(), String> {
    if amount.is_finite() && amount >= 0.0 {
        return Ok(());
    }
    Err(format!("is {amount}; at least 0"))
}

fn texts(shape: Shape, items: &[Value]) -> Result<(), String> {
    if items.len() > LIST_MAX {
        return Err(format!("has {} entries; at most {LIST_MAX}", items.len()));
    }
    for item in items {
        let Value::String(text) = item else {
            return Err(kind("a list of strings", item));
        };
        match shape {
            Shape::ToolPatterns if !is_tool_pattern(text) => {
                return Err(format!(
                    "has {text:?}, which is not the name of a tool such as \"memory.search_facts\" or \"memory.*\""
                ));
            }
            Shape::VariableNames if text.is_empty() => {
                return Err("has an empty name of an environment variable".into());
            }
            Shape::VariableNames => variable_name(text)?,
            _ => {}
        }
    }
    Ok(())
}

fn is_tool_pattern(text: &str) -> bool {
    abide_tools::ToolPolicy::new(&[text], &[], &[]).is_ok()
}

fn check_text(shape: Shape, text: &str) -> Result<(), String> {
    match shape {
        Shape::Text(bytes_max) if text.len() <= bytes_max && !text.contains('\0') => Ok(()),
        Shape::Text(bytes_max) => {
            Err(format!("is longer than {bytes_max} bytes or contains a zero byte"))
        }
        Shape::OneOf(words) => one_of(words, text),
        Shape::Listed(words) => one_of(&words(), text),
        Shape::Time(min_ms, max_ms) => time_span(text, min_ms, max_ms),
        Shape::AddressOrOff if text == "off" => Ok(()),
        Shape::Address | Shape::AddressOrOff => address(text),
        Shape::Url if text.is_empty() => Ok(()),
        Shape::Url => url(text),
        Shape::VariableName => variable_name(text),
        Shape::Cron => cron(text),
        Shape::Moment => {
            // Whether the clocks skip it is known with its zone.
            match moment(text, &Zone::utc()) {
                Ok(_) => Ok(()),
                Err(_) => {
                    Err(format!("is {text:?}; give a date and time such as \"2026-12-01T09:00\""))
                }
            }
        }
        Shape::Zone => Zone::named(text).map(drop).map_err(|error| format!("is {text:?}; {error}")),
        Shape::Id => {
            text.parse::<AgentId>().map(drop).map_err(|error| format!("is {text:?}; an id {error}"))
        }
        Shape::Flag => Err("must be true or false, without quotation marks".into()),
        Shape::Count(..) | Shape::Money => Err("must be a number, without quotation marks".into()),
        Shape::Texts | Shape::ToolPatterns | Shape::VariableNames | Shape::Chats => {
            Err("must be a list of strings".into())
        }
    }
}

fn one_of(words: &[Word], text: &str) -> Result<(), String> {
    let words: Vec<_> = words.iter().map(|word| word.word).collect();
    if words.contains(&text) {
        return Ok(());
    }
    let near = nearest(text, words.iter().copied()).unwrap_or_default();
    Err(format!("is {text:?}; one of {} (the nearest is \"{near}\")", words.join(", ")))
}

fn time_span(text: &str, min_ms: u64, max_ms: u64) -> Result<(), String> {
    let span: TimeSpan = text.parse().map_err(|error| format!("is {text:?}, which {error}"))?;
    let bound = |ms| TimeSpan(Duration::from_millis(ms));
    if span.0 < bound(min_ms).0 || span.0 > bound(max_ms).0 {
        return Err(format!("is {text}; at least {} and at most {}", bound(min_ms), bound(max_ms)));
    }
    Ok(())
}

fn address(text: &str) -> Result<(), String> {
    text.parse::<SocketAddr>().map(drop).map_err(|_| {
        format!(
            "is {text:?}; give an IP address and a port, such as \"127.0.0.1:7717\" or \"[::1]:7717\""
        )
    })
}

fn url(text: &str) -> Result<(), String> {
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    let fits = rest.is_some_and(|rest| {
        !rest.is_empty()
            && !rest.starts_with('/')
            && text.chars().all(|c| c.is_ascii_graphic())
            && text.len() <= 2_048
    });
    if !fits {
        return Err(format!("is {text:?}; give an address that begins with http:// or https://"));
    }
    if rest
        .is_some_and(|rest| rest.split('/').next().is_some_and(|authority| authority.contains('@')))
    {
        return Err(
            "contains a user or password; name the key's variable in api_key_env instead".into()
        );
    }
    Ok(())
}

fn variable_name(text: &str) -> Result<(), String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if text.len() <= 256
        && text.chars().all(fits)
        && !text.starts_with(|c: char| c.is_ascii_digit())
    {
        return Ok(());
    }
    // The text is not repeated: a person may have written the key itself here.
    Err("must be the name of an environment variable such as \"OPENAI_API_KEY\", never the key itself"
        .into())
}

fn cron(text: &str) -> Result<(), String> {
    if text.is_empty() {
        return Ok(());
    }
    match text.parse::<Schedule>() {
        Ok(_) => Ok(()),
        Err(ScheduleError::Never { .. }) => {
            Err(format!("is {text:?}, which never comes: there is no such day"))
        }
        Err(_) => Err(format!("is {text:?}; give five cron fields such as \"30 3 * * *\"")),
    }
}

/// Reads the text of a variable or flag as a value of a shape. Lists are separated by commas, or written as in TOML.
pub(crate) fn parse(shape: Shape, text: &str) -> Result<Value, String> {
    let value = match shape {
        Shape::Flag => text
            .parse()
            .map(Value::Boolean)
            .map_err(|_| format!("is {text:?}; give true or false"))?,
        Shape::Count(..) => text
            .parse()
            .map(Value::Integer)
            .map_err(|_| format!("is {text:?}; give a whole number"))?,
        Shape::Money => {
            text.parse().map(Value::Float).map_err(|_| format!("is {text:?}; give a number"))?
        }
        Shape::Texts | Shape::ToolPatterns | Shape::VariableNames | Shape::Chats => list(text)?,
        _ => Value::String(text.into()),
    };
    check(shape, &value)?;
    Ok(value)
}

fn list(text: &str) -> Result<Value, String> {
    if text.trim_start().starts_with('[') {
        let parsed: Result<toml::Table, _> = toml::from_str(&format!("list = {text}"));
        let list = parsed.ok().and_then(|mut table| table.remove("list"));
        return list.ok_or_else(|| "is not a list of strings".into());
    }
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    Ok(Value::Array(items.map(|item| Value::String(item.into())).collect()))
}

fn kind(wanted: &str, found: &Value) -> String {
    format!("must be {wanted}, not {}", describe(found))
}

fn describe(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a string",
        Value::Integer(_) | Value::Float(_) => "a number",
        Value::Boolean(_) => "a boolean",
        Value::Datetime(_) => "a date",
        Value::Array(_) => "a list",
        Value::Table(_) => "a table",
    }
}
