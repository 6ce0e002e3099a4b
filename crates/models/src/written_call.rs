//! Tool calls that a model wrote into its words, in the markup of its training, because its server did not read them.
//!
//! People must never get such markup as an answer. Where the words are nothing but calls of tools on offer, they are taken
//! as calls; where prose stands beside them, or they cannot be read, the model is asked once more. What merely speaks of a
//! tool, or quotes a call within a code block, is an answer.

use abide_domain::{
    tool::ToolSpec,
    voice::{ToolCall, VoiceError},
};

mod keywords;
mod marks;
mod scanner;

use scanner::Scan;

/// Longest text that is looked through, in bytes: longer than any answer that fits.
const TEXT_BYTES_MAX: usize = 512 * 1024;

/// What the words of an answer hold.
#[derive(Debug, PartialEq)]
pub(crate) enum WrittenCalls {
    /// No call.
    None,
    /// Nothing but calls, each readable.
    Only(Vec<ToolCall>),
    /// A call that cannot be taken as it stands: what the model is told.
    Unclear(VoiceError),
}

/// Looks for calls of the tools on offer.
pub(crate) fn written_calls(text: &str, offered: &[ToolSpec]) -> WrittenCalls {
    let text = text.trim();
    let has_bracket = text.contains(['<', '[', '{', '(', ':', '=', '◁', '【', '«', '⟨', '⟦']);
    if offered.is_empty() || !has_bracket || text.len() > TEXT_BYTES_MAX {
        return WrittenCalls::None;
    }
    let whole = marks::unfenced(text);
    let marked = marks::marked_tool(text, offered).or_else(|| whole.is_call.then(String::new));
    let scan = Scan::of(whole.text, offered);
    let is_only = scan.is_explicit && !scan.is_broken && !scan.calls.is_empty();
    match marked {
        _ if is_only => WrittenCalls::Only(scan.calls),
        Some(name) => {
            let name = if name.is_empty() { "a tool".to_owned() } else { format!("`{name}`") };
            WrittenCalls::Unclear(VoiceError::new(
                "tool_calls",
                format!(
                    "the answer holds a call of {name} written as text, which nobody can run; call tools by the means of \
                     this interface alone, with nothing of it in the text, or answer in plain words"
                ),
            ))
        }
        None => WrittenCalls::None,
    }
}

/// How much of a growing text people can be shown, from a place on, and whether it stays at that until its end is known.
pub(crate) fn shown_end(text: &str, from: usize, offered: &[ToolSpec]) -> (usize, bool) {
    marks::shown_end(text, from, offered)
}

#[cfg(test)]
mod tests {
    use abide_domain::{
        tool::{EffectClass, ToolSpec},
        voice::ToolCall,
    };
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::{WrittenCalls, shown_end, written_calls};

    fn offered() -> Vec<ToolSpec> {
        let tool = |name: &str, parameters: Value| ToolSpec {
            name: name.into(),
            description: String::new(),
            parameters,
            effect: EffectClass::Read,
            idempotent: true,
        };
        let search = json!({"type": "object", "required": ["query"], "properties": {
            "query": {"type": "string"}, "limit": {"type": "integer"}}});
        vec![
            tool("memory.search_facts", search),
            tool("clock.now", json!({"type": "object", "properties": {}})),
        ]
    }

    fn search(query: &str) -> WrittenCalls {
        WrittenCalls::Only(vec![ToolCall {
            name: "memory.search_facts".into(),
            arguments: json!({"query": query}),
        }])
    }

    #[test]
    fn words_that_are_nothing_but_calls_are_taken_as_calls() {
        let name = "memory-search_facts";
        let args = r#"{"query": "tea"}"#;
        let named = format!(r#"{{"name": "{name}", "arguments": {args}}}"#);
        let texts = [
            format!("<tool_call>\n{named}\n</tool_call>"),
            format!("<|tool_call|>[{named}]<|/tool_call|>"),
            format!("[TOOL_CALLS][{named}]"),
            format!("[TOOL_CALLS]{name}[ARGS]{args}"),
            format!("<function={name}>{args}</function>"),
            format!(
                "<tool_call>\n<function={name}>\n<parameter=query>\ntea\n</parameter>\n</function>\n</tool_call>"
            ),
            format!(
                "<function_calls>\n<invoke name=\"{name}\">\n<parameter name=\"query\">tea</parameter>\n</invoke>\n</function_calls>"
            ),
            format!(
                "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n{args}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
            ),
            format!(
                "<|tool_calls_section_begin|><|tool_call_begin|>functions.{name}:0<|tool_call_argument_begin|>{args}<|tool_call_end|><|tool_calls_section_end|>"
            ),
            format!("<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>{args}"),
            format!(
                "<tool_call>{name}\n<arg_key>query</arg_key>\n<arg_value>tea</arg_value>\n</tool_call>"
            ),
            format!("<{name}>\n<query>tea</query>\n</{name}>"),
            format!("<|python_tag|>{named}"),
            format!("Action: {name}\nAction Input: {args}"),
            named.clone(),
            format!("```json\n{named}\n```"),
            "```tool_code\nprint(default_api.memory_search_facts(query='tea'))\n```".to_owned(),
            "[memory.search_facts(query=\"tea\")]".to_owned(),
            format!(r#"{{"tool": "{name}", "parameters": {args}}}"#),
            format!(
                r#"{{"tool_calls": [{{"type": "function", "function": {{"name": "{name}", "arguments": "{{\"query\": \"tea\"}}"}}}}]}}"#
            ),
            format!("◁tool_call▷{named}◁/tool_call▷"),
        ];
        for text in texts {
            assert_eq!(written_calls(&text, &offered()), search("tea"), "{text}");
        }
        let two = "<tool_call>{\"name\":\"clock.now\",\"arguments\":{}}</tool_call>\n<tool_call>{\"name\":\"clock.now\"}</tool_call>";
        assert!(
            matches!(written_calls(two, &offered()), WrittenCalls::Only(calls) if calls.len() == 2)
        );
    }

    #[test]
    fn a_call_beside_prose_or_one_that_cannot_be_read_is_asked_for_again() {
        for text in [
            "Let me look.\n<tool_call>{\"name\": \"clock.now\", \"arguments\": {}}</tool_call>",
            "<tool_call>{\"name\": \"clock.now\", \"argum",
            "<function=memory.search_facts>{query: tea}</function>",
            "<tool_call>memory.search_facts</tool_call>",
            "I will check. <invoke name=\"clock-now\"></invoke> It is noon.",
            "Thought: I need the time.\nAction: clock.now\nAction Input: {}",
            "Sure!\n```tool_call\nclock.now()\n```",
            "One moment [TOOL_CALLS]clock-now{}",
            "One moment [functions.clock-now]{}",
        ] {
            let found = written_calls(text, &offered());
            assert!(matches!(&found, WrittenCalls::Unclear(_)), "{text}: {found:?}");
        }
    }

    #[test]
    fn what_speaks_of_tools_is_an_answer() {
        for text in [
            "I looked with memory.search_facts and found nothing.",
            "Call it like this: `<tool_call>{\"name\": \"clock.now\"}</tool_call>`",
            "An example:\n```xml\n<tool_call>{\"name\": \"clock.now\", \"arguments\": {}}</tool_call>\n```\nThat is all.",
            "clock.now",
            "Here is JSON: {\"name\": \"tea\", \"arguments\": {}}",
            "{\"name\": \"tea\", \"arguments\": {}}",
            "<tool_call>{\"name\": \"unknown_tool\"}</tool_call> is how some models write",
            "The [call](https://example.org) is at 5 < 6 and (clock) now.",
            "<details><summary>clock.now</summary>text</details>",
            "It is noon (see clock.now).",
            "Set `key_env` in [tools.memory]; clock.now works without",
            "Write [tool.clock-2] above clock.now",
            "The functions of [functions.net] go before clock.now",
        ] {
            assert_eq!(written_calls(text, &offered()), WrittenCalls::None, "{text}");
        }
    }

    #[test]
    fn markup_is_held_back_while_it_grows() {
        let text = "It is 5 < 6. Let me look <b>now</b>.\n<tool_call>{}";
        let mark = text.find("<tool_call>").unwrap();
        assert_eq!(shown_end(text, 0, &offered()), (mark, true));
        assert_eq!(shown_end("a <tool", 0, &offered()), (2, false), "it may become one");
        assert_eq!(shown_end("a < b\nc", 0, &offered()), (7, false));
        assert_eq!(shown_end("[link](x) é", 0, &offered()), ("[link](x) é".len(), false));
        assert_eq!(shown_end("[tools.steam] é", 0, &offered()), ("[tools.steam] é".len(), false));
        assert_eq!(shown_end("a [functions.clock.now]", 0, &offered()), (2, true));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "(\\PC|<tool_call>|clock.now|\\{\"name\":|\\[|\\(|'|\"|</|=|>){0,60}") {
            drop(written_calls(&text, &offered()));
            let (end, _) = shown_end(&text, 0, &offered());
            prop_assert!(text.is_char_boundary(end));
        }
    }
}
