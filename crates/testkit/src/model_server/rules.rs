//! Ready rules: ways of answering that need no script.
//!
//! A rule is a pure function of the request. All of them answer in the form that was asked for, native or JSON.

use serde_json::{Value, json};

use super::{
    FakeDialect, Reply, SeenRequest, render,
    reply::{Answer, AnswerCall, Body},
};

mod sleeping;

pub use sleeping::{asked_step, sleeping};

/// Longest part of results that an answer quotes, in characters.
const QUOTE_CHARS_MAX: usize = 4000;

/// Says back what the person said last.
pub fn echo() -> impl Fn(&SeenRequest) -> Reply + Send + Sync + 'static {
    |request| Reply::text(format!("you said: {}", quote(request.user_text()))).in_form_of(request)
}

/// Calls one tool in each epoch, then answers with what it gave.
pub fn tool_then_answer(
    tool: &str,
    arguments: Value,
) -> impl Fn(&SeenRequest) -> Reply + Send + Sync + 'static {
    let tool = tool.to_owned();
    move |request| {
        let reply = match request.finished_calls() {
            Some((_, results)) => {
                Reply::text(format!("the tool said: {}", quote(&results.join("; "))))
            }
            None => Reply::calls([(request.spelling(&tool), arguments.clone())]),
        };
        reply.in_form_of(request)
    }
}

/// Remembers what it is told to ("remember that X" calls `memory.remember_fact`), and looks questions up
/// (`memory.search_facts`) before it answers them with what was found.
pub fn remember() -> impl Fn(&SeenRequest) -> Reply + Send + Sync + 'static {
    |request| {
        let reply = match request.finished_calls() {
            Some((calls, results)) => {
                let has_stored = calls.iter().any(|call| call.name.ends_with("remember_fact"));
                answer_from(has_stored, &results)
            }
            None => begin_remembering(request),
        };
        reply.in_form_of(request)
    }
}

/// Answers from the context object alone, as a model would that reads it and adds nothing: who is spoken to, and each
/// memory that it lists.
pub fn from_context() -> impl Fn(&SeenRequest) -> Reply + Send + Sync + 'static {
    |request| {
        let mut sections = request.object().split("\n## ").skip(1);
        let memories = sections.by_ref().skip(1).flat_map(str::lines);
        let listed: Vec<&str> = memories.filter_map(|line| line.strip_prefix("- ")).collect();
        let reply = if listed.is_empty() {
            Reply::text("I do not know that.")
        } else {
            Reply::text(quote(&format!("This is where we stand. {}", listed.join(" "))))
        };
        reply.in_form_of(request)
    }
}

fn begin_remembering(request: &SeenRequest) -> Reply {
    let text = request.user_text();
    if let Some(fact) = stated_fact(text) {
        return Reply::calls([(
            request.spelling("memory.remember_fact"),
            json!({"content": fact}),
        )]);
    }
    match text.lines().rev().find(|line| line.contains('?')) {
        Some(question) => {
            let arguments = json!({"query": question.trim()});
            Reply::calls([(request.spelling("memory.search_facts"), arguments)])
        }
        None => Reply::text(format!("you said: {}", quote(text))),
    }
}

/// What stands after the last "remember that", to the end of its line.
fn stated_fact(text: &str) -> Option<&str> {
    const CUE: &str = "remember that ";
    // ASCII lower case keeps every byte in its place.
    let start = text.to_ascii_lowercase().rfind(CUE)? + CUE.len();
    let fact = text.get(start..)?.lines().next()?.trim();
    (!fact.is_empty() && !fact.ends_with('?')).then_some(fact)
}

fn answer_from(has_stored: bool, results: &[String]) -> Reply {
    if has_stored {
        return Reply::text("I will remember that.");
    }
    let mut found = Vec::new();
    for result in results {
        match serde_json::from_str(result) {
            Ok(value) => contents(&value, &mut found),
            Err(_) => found.push(result.clone()),
        }
    }
    if found.is_empty() {
        return Reply::text("I do not know that.");
    }
    Reply::text(format!("I remember: {}", quote(&found.join("; "))))
}

/// All texts that stand under a key `content`, at any depth.
fn contents(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| contents(item, found)),
        Value::Object(object) => {
            for (key, value) in object {
                match value {
                    Value::String(text) if key == "content" => found.push(text.clone()),
                    value => contents(value, found),
                }
            }
        }
        _ => {}
    }
}

fn quote(text: &str) -> String {
    text.chars().take(QUOTE_CHARS_MAX).collect()
}

/// Answers prepared once, for benchmarks: each epoch calls one tool and then answers with a fixed text.
///
/// Looks for a single marker in the prompt instead of reading it, so that the fake costs next to nothing.
#[derive(Clone, Debug)]
pub struct Canned {
    /// By dialect, then by stream, then by whether results stand in the prompt.
    answers: [[[Vec<u8>; 2]; 2]; 4],
    delay: std::time::Duration,
}

impl Canned {
    /// Calls `tool`, in the provider's spelling, with these arguments; then answers `text`.
    pub fn tool_then_text(tool: &str, arguments: &Value, text: &str) -> Self {
        let call = AnswerCall { id: None, name: tool.to_owned(), arguments: arguments.to_string() };
        let calling = Answer { calls: vec![call], ..said("") };
        let answering = said(text);
        let answers = FakeDialect::ALL.map(|dialect| {
            [false, true].map(|stream| {
                [&calling, &answering].map(|said| render::prepared(&blank(dialect, stream), said))
            })
        });
        Self { answers, delay: std::time::Duration::ZERO }
    }

    /// Thinks so long before each answer, in real time.
    #[must_use]
    pub const fn thinking(mut self, delay: std::time::Duration) -> Self {
        self.delay = delay;
        self
    }

    pub(super) const fn delay(&self) -> std::time::Duration {
        self.delay
    }

    /// The prepared response to a body.
    pub(super) fn answer(&self, dialect: FakeDialect, body: &[u8]) -> &[u8] {
        // Inside a JSON string quotes are escaped, so that none of these can be met in what people say.
        let result: &[u8] = match dialect {
            FakeDialect::OpenAiChat | FakeDialect::Ollama => br#""role":"tool""#,
            FakeDialect::OpenAiResponses => br#""type":"function_call_output""#,
            FakeDialect::Anthropic => br#""type":"tool_result""#,
        };
        let says = |needle: &[u8]| memchr::memmem::rfind(body, needle).is_some();
        let stream = says(br#""stream":true"#)
            || dialect == FakeDialect::Ollama && !says(br#""stream":false"#);
        let Some([whole, streamed]) = self.answers.get(dialect.index()) else { return &[] };
        let [calling, answering] = if stream { streamed } else { whole };
        if says(result) { answering } else { calling }
    }
}

fn said(text: &str) -> Answer {
    match Reply::text(text).body {
        Body::Answer(answer) => answer,
        Body::Failure(_) | Body::Raw(_) => Answer::default(),
    }
}

/// A request that only says how it wants to be answered.
fn blank(dialect: FakeDialect, stream: bool) -> SeenRequest {
    SeenRequest {
        number: 1,
        dialect,
        model: String::new(),
        system: String::new(),
        messages: Vec::new(),
        tools: Vec::new(),
        format: None,
        tokens_max: None,
        stream,
        headers: Vec::new(),
        auth_ok: true,
        bytes: 0,
        body: json!({"stream_options": {"include_usage": true}}),
    }
}
