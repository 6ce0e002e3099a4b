//! What `abide chat` shows of a call that runs: on one line, the newest of what it says. Pure.

use abide_domain::visible_line;
use serde_json::Value;

use super::super::json_text::{items, text};

/// A longer line of a command is shown from what came last of it.
const LINE_BYTES_MAX: usize = 4 * 1024;

/// A call that runs, and the newest of what it said.
#[derive(Debug, Default)]
pub(super) struct RunningCall {
    id: String,
    /// The last line that its command wrote, with its end where it has one.
    line: String,
    step: String,
}

impl RunningCall {
    /// A call that has said nothing yet.
    pub(super) fn new(id: &str) -> Self {
        Self { id: id.to_owned(), ..Self::default() }
    }

    /// Takes in a `tool.progress` and gives the line that shows the call now; none where it is of another call.
    pub(super) fn take(&mut self, update: &Value) -> Option<String> {
        if text(update, "/call_id") != self.id {
            return None;
        }
        for piece in items(update, "/output") {
            self.note_output(text(piece, "/text"));
        }
        if let Some(step) = update.get("step") {
            self.step = format_step(step);
        }
        let line = self.line.trim_end().replace('\t', " ");
        let line = visible_line(&line);
        let parts = [self.step.as_str(), &line].into_iter().filter(|part| !part.is_empty());
        Some(format!("  {}", parts.collect::<Vec<_>>().join(" · ")))
    }

    fn note_output(&mut self, written: &str) {
        if self.line.len() > LINE_BYTES_MAX {
            self.line.clear();
        }
        self.line.push_str(written);
        let start = self.line.trim_end().rfind(['\n', '\r']).map_or(0, |end| end + 1);
        self.line.drain(..start);
    }
}

/// `3 of 10 · reading`; a percentage where the steps are no whole numbers.
fn format_step(step: &Value) -> String {
    let number = |name: &str| step.get(name).and_then(Value::as_f64);
    let done = number("done").unwrap_or(0.0);
    let is_whole = |number: f64| number.fract() == 0.0;
    let counted = match number("total") {
        Some(total) if is_whole(done) && is_whole(total) => format!("{done} of {total}"),
        Some(total) => format!("{:.0} %", (done / total * 100.0).floor()),
        None if is_whole(done) => done.to_string(),
        None => format!("{done:.1}"),
    };
    match text(step, "/message") {
        "" => counted,
        message => format!("{counted} · {}", visible_line(message)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::RunningCall;

    fn wrote(words: &str) -> Value {
        json!({"call_id": "a", "output": [{"stream": "stdout", "left_out_bytes": 0, "text": words}]})
    }

    fn is_at(step: &Value) -> Value {
        json!({"call_id": "a", "step": step})
    }

    #[test]
    fn the_last_line_of_what_was_written_is_shown_as_it_grows() {
        let mut call = RunningCall::new("a");
        let mut shown = |words: &str| call.take(&wrote(words)).unwrap();
        assert_eq!(shown("one\ntw"), "  tw");
        assert_eq!(shown("o\n"), "  two");
        assert_eq!(shown("\n"), "  two", "an empty line shows nothing");
        assert_eq!(shown("10 %\r20 %\r"), "  20 %");
        assert_eq!(shown("x\u{1b}[2Jy"), "  x⟦U+001B⟧[2Jy");
        assert!(shown(&"z".repeat(10_000)).len() < 11_000);
        assert_eq!(shown("\nend"), "  end", "however long the line before was");
    }

    #[test]
    fn steps_stand_before_what_was_written_and_other_calls_show_nothing() {
        let mut call = RunningCall::new("a");
        assert_eq!(call.take(&json!({"call_id": "b", "step": {"done": 1}})), None);
        let cases = [
            (json!({"done": 3.0, "total": 10.0, "message": "reading"}), "  3 of 10 · reading"),
            (json!({"done": 0.4, "total": 1.0}), "  40 %"),
            (json!({"done": 7.0}), "  7"),
            (json!({"done": 7.25, "message": "x"}), "  7.2 · x"),
        ];
        for (step, expected) in cases {
            assert_eq!(call.take(&is_at(&step)).unwrap(), expected);
        }
        assert_eq!(call.take(&wrote("words")).unwrap(), "  7.2 · x · words");
    }
}
