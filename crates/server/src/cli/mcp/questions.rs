//! `abide mcp questions` and `abide mcp answer`: what servers ask in the middle of calls. Their words are shown as theirs, with
//! everything hidden in them made visible; an address is shown whole and never opened. Values need not stand in a command line.

use std::io::Read as _;

use abide_domain::{visible, visible_line};
use serde_json::{Map, Value, json};

use crate::cli::{
    client::{Call, Client},
    context::Context,
    error::{CliError, Exit},
    json_text::{display, items, text, url_encode},
};

/// Longest values from stdin.
const STDIN_BYTES_MAX: u64 = 1024 * 1024;

/// What a person answers.
pub(super) struct Answer<'a> {
    pub(super) id: &'a str,
    pub(super) is_declined: bool,
    /// `key=value`, as typed.
    pub(super) pairs: &'a [String],
    pub(super) is_on_stdin: bool,
}

pub(super) async fn list(context: &Context) -> Result<Exit, CliError> {
    let found = questions(&Client::find(context)?).await?;
    if context.terminal.is_json() {
        return context.terminal.json(&found).map(|()| Exit::Ok);
    }
    let all = items(&found, "/items");
    if all.is_empty() {
        context.terminal.say("no server asks anything");
    }
    for question in all {
        context.terminal.data(&describe(question))?;
    }
    Ok(Exit::Ok)
}

pub(super) async fn answer(context: &Context, answer: Answer<'_>) -> Result<Exit, CliError> {
    let client = Client::find(context)?;
    let found = questions(&client).await?;
    let fits = |question: &&Value| text(question, "/id").starts_with(answer.id);
    let mut fitting = items(&found, "/items").iter().filter(fits);
    let (Some(question), None) = (fitting.next(), fitting.next()) else {
        let message = format!("no open question, or more than one, begins with {:?}", answer.id);
        return Err(CliError::new(message).hint("`abide mcp questions` lists them"));
    };
    let body = if answer.is_declined {
        json!({"accept": false})
    } else if question["fields"].is_null() {
        if !answer.pairs.is_empty() || answer.is_on_stdin {
            return Err(CliError::usage("the question has no form, so there are no values"));
        }
        json!({"accept": true})
    } else {
        json!({"accept": true, "values": values(question, &answer)?})
    };
    let path = format!("/mcp/questions/{}/answer", url_encode(text(question, "/id")));
    let answered = client.fetch(Call::post(&path, &body)).await?;
    if context.terminal.is_json() {
        return context.terminal.json(&answered).map(|()| Exit::Ok);
    }
    context.terminal.say(&format!(
        "{} hears that it was {}",
        text(question, "/server"),
        text(&answered, "/answer")
    ));
    Ok(Exit::Ok)
}

async fn questions(client: &Client) -> Result<Value, CliError> {
    client.fetch(Call::get("/mcp/questions?limit=500")).await
}

/// A question as a person reads it.
fn describe(question: &Value) -> String {
    let id = text(question, "/id");
    let mut lines = vec![
        format!("{id}  until {}", text(question, "/deadline")),
        format!(
            "  the server {} asks, called by {}:",
            text(question, "/server"),
            display(question, "/citizen")
        ),
    ];
    lines.extend(visible(text(question, "/message")).lines().map(|line| format!("  > {line}")));
    if let Some(url) = question["url"].as_str() {
        lines.push(format!("  It wants you to visit {}", visible_line(url)));
        lines.push(format!("  `abide mcp answer {id}` says that you did"));
    }
    for field in items(question, "/fields") {
        lines.push(format!("  {}", describe_field(field)));
    }
    if question["fields"].is_array() {
        lines.push(format!(
            "  `abide mcp answer {id} key=value …` sends it; --values-stdin reads JSON"
        ));
    }
    lines.push(format!("  `abide mcp answer {id} --decline` says no"));
    lines.join("\n")
}

fn describe_field(field: &Value) -> String {
    let mut words = vec![text(field, "/kind").to_owned()];
    words.extend(field["format"].as_str().map(str::to_owned));
    for (key, word) in [("min", "at least"), ("max", "at most")] {
        if !field[key].is_null() {
            words.push(format!("{word} {}", field[key]));
        }
    }
    let choices = items(field, "/choices");
    let is_plain = |choice: &Value| {
        let value = text(choice, "/value");
        text(choice, "/title") == value && shown_value(value) == value
    };
    // In one line they are read only where none has a title or a comma of its own.
    let in_one_line = choices.iter().all(is_plain);
    if in_one_line && !choices.is_empty() {
        let values: Vec<_> = choices.iter().map(|choice| text(choice, "/value")).collect();
        words.push(format!("of {}", values.join(", ")));
    }
    if field["required"] == true {
        words.push("required".to_owned());
    }
    // What is suggested for a secret is one.
    if field["secret"] != true && !field["default"].is_null() {
        words.push(format!("suggested {}", suggested(&field["default"])));
    }
    let about = [text(field, "/title"), text(field, "/description")];
    let about: Vec<_> =
        about.into_iter().filter(|text| !text.is_empty()).map(visible_line).collect();
    let name = visible_line(text(field, "/name"));
    let mut lines =
        vec![format!("{name} ({}) {}", words.join(", "), about.join(": ")).trim_end().to_owned()];
    for choice in choices.iter().filter(|_| !in_one_line) {
        let (value, title) = (text(choice, "/value"), visible_line(text(choice, "/title")));
        let title = if title == value { "" } else { &title };
        lines.push(format!("    {}  {title}", shown_value(value)).trim_end().to_owned());
    }
    if field["kind"] == "choices" {
        lines.push(format!("    several: {name}=… {name}=…, or {name}=…,… with commas"));
    }
    lines.join("\n  ")
}

/// A choice as it is typed: in quotation marks where it is more than a word.
fn shown_value(value: &str) -> String {
    let is_word = !value.is_empty() && !value.contains([',', ' ', '"', '\'', '\\']);
    let value = visible_line(value);
    if is_word { value.into_owned() } else { format!("{value:?}") }
}

fn suggested(default: &Value) -> String {
    match default {
        Value::String(value) => shown_value(value),
        Value::Array(values) => values.iter().map(suggested).collect::<Vec<_>>().join(" and "),
        other => other.to_string(),
    }
}

/// The values of the form: of stdin, then what is typed.
fn values(question: &Value, answer: &Answer<'_>) -> Result<Map<String, Value>, CliError> {
    let mut values = if answer.is_on_stdin { read_stdin()? } else { Map::new() };
    values.extend(typed_values(items(question, "/fields"), answer.pairs)?);
    Ok(values)
}

/// What is typed for the fields; of several choices each may be typed by itself, because one may have a comma in it.
fn typed_values(fields: &[Value], pairs: &[String]) -> Result<Map<String, Value>, CliError> {
    let mut values = Map::new();
    for pair in pairs {
        let Some((name, typed)) = pair.split_once('=') else {
            // What stands there may be a secret.
            return Err(CliError::usage("each value is written key=value"));
        };
        let field = fields.iter().find(|field| text(field, "/name") == name);
        let field =
            field.ok_or_else(|| CliError::new(format!("the form has no field {name:?}")))?;
        let mut value = typed_value(field, typed);
        if let (Some(Value::Array(before)), Value::Array(more)) = (values.get(name), &mut value) {
            more.splice(..0, before.iter().cloned());
        }
        values.insert(name.to_owned(), value);
    }
    Ok(values)
}

/// What is typed, as the kind of its field has it. What it is not stays a text, and the keeper says what is wrong with it.
fn typed_value(field: &Value, typed: &str) -> Value {
    let read = |is_it: fn(&Value) -> bool| serde_json::from_str(typed).ok().filter(is_it);
    let value = match text(field, "/kind") {
        "number" | "integer" => read(Value::is_number),
        "flag" => read(Value::is_boolean),
        "choices" => Some(Value::Array(typed_choices(items(field, "/choices"), typed))),
        _ => None,
    };
    value.unwrap_or_else(|| json!(typed))
}

/// One choice where it is typed whole, commas and all; else what stands between the commas.
fn typed_choices(choices: &[Value], typed: &str) -> Vec<Value> {
    if choices.iter().any(|choice| text(choice, "/value") == typed) {
        return vec![json!(typed)];
    }
    typed.split(',').filter(|one| !one.is_empty()).map(|one| json!(one)).collect()
}

fn read_stdin() -> Result<Map<String, Value>, CliError> {
    let mut typed = String::new();
    std::io::stdin()
        .take(STDIN_BYTES_MAX)
        .read_to_string(&mut typed)
        .map_err(|error| CliError::new("stdin cannot be read").caused_by(&error))?;
    // What is wrong with it may be a piece of a secret.
    serde_json::from_str(&typed).map_err(|_| CliError::new("stdin is no JSON object of values"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{describe, typed_values};

    fn typed(field: Value, pairs: &[&str]) -> Value {
        let pairs: Vec<_> = pairs.iter().map(|pair| format!("f={pair}")).collect();
        let mut field = field;
        field["name"] = json!("f");
        typed_values(&[field], &pairs).unwrap()["f"].take()
    }

    #[test]
    fn what_is_typed_becomes_what_its_field_is_for() {
        for (kind, text, value) in [
            ("integer", "7", json!(7)),
            ("number", "0.5", json!(0.5)),
            ("flag", "true", json!(true)),
            ("text", "7", json!("7")),
            ("text", "a=b,c", json!("a=b,c")),
            ("choice", "a, b", json!("a, b")),
            ("choices", "a,b", json!(["a", "b"])),
            ("integer", "many", json!("many")),
        ] {
            assert_eq!(typed(json!({"kind": kind}), &[text]), value, "{kind} {text}");
        }
    }

    #[test]
    fn of_several_choices_each_can_be_given_also_one_with_a_comma_in_it() {
        let choice = |value: &str| json!({"value": value, "title": value});
        let choices: Vec<_> = ["a", "b", "a,b", "Rome, Italy"].into_iter().map(choice).collect();
        let field = json!({"kind": "choices", "choices": choices});
        let cases: [(&[&str], Value); 5] = [
            (&["a,b"], json!(["a,b"])),
            (&["a", "b"], json!(["a", "b"])),
            (&["Rome, Italy", "b,a"], json!(["Rome, Italy", "b", "a"])),
            (&["b,a,"], json!(["b", "a"])),
            (&[""], json!([])),
        ];
        for (pairs, value) in cases {
            assert_eq!(typed(field.clone(), pairs), value, "{pairs:?}");
        }
    }

    #[test]
    fn choices_are_shown_with_their_titles_and_what_is_suggested() {
        let shown = |field: Value| {
            describe(&json!({"id": "1", "server": "s", "message": "?", "fields": [field]}))
        };
        let plain = json!({"name": "size", "kind": "choice", "default": "m", "choices": [
            {"value": "s", "title": "s"}, {"value": "m", "title": "m"}]});
        assert!(shown(plain).contains("  size (choice, of s, m, suggested m)\n"));
        let titled = json!({"name": "days", "kind": "choices", "title": "Days", "default": ["mo", "a, b"],
            "choices": [{"value": "mo", "title": "Mon\u{202e}day"}, {"value": "a, b", "title": "a, b"}]});
        let titled = shown(titled);
        let expected = "  days (choices, suggested mo and \"a, b\") Days\n      mo  Mon⟦U+202E⟧day\n      \"a, b\"\n      several: days=… days=…";
        assert!(titled.contains(expected), "{titled}");
        let secret = json!({"name": "pin", "kind": "text", "default": "1234", "secret": true});
        assert!(!shown(secret).contains("1234"));
    }

    #[test]
    fn a_question_is_shown_as_the_servers_words() {
        let field = json!({"name": "age", "title": "Age", "description": null, "required": true, "kind": "integer",
            "format": null, "min": 1, "max": null, "choices": [], "default": null, "secret": false});
        let question = json!({"id": "1", "server": "files", "citizen": null, "message": "How\u{202e} old?\nSay.",
            "url": null, "fields": [field], "deadline": "2026-11-30T10:00:00Z"});
        let shown = describe(&question);
        assert!(shown.contains("  > How⟦U+202E⟧ old?\n  > Say.\n"), "{shown}");
        assert!(shown.contains("age (integer, at least 1, required) Age"), "{shown}");
        let visit = json!({"id": "1", "server": "files", "message": "Log in", "fields": null,
            "url": "https://a.example/x?y=1", "deadline": ""});
        assert!(describe(&visit).contains("visit https://a.example/x?y=1"), "whole");
    }
}
