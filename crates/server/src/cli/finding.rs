//! One check of `abide doctor` and how it ended.

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Fine.
    Ok,
    /// Works, with something that a person should know.
    Warn,
    /// Does not work.
    Fail,
}

/// One check.
#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) name: &'static str,
    pub(crate) verdict: Verdict,
    pub(crate) detail: String,
}

impl Finding {
    /// A check and how it ended.
    pub(crate) fn new(name: &'static str, verdict: Verdict, detail: impl Into<String>) -> Self {
        Self { name, verdict, detail: detail.into() }
    }

    /// The verdict in one word.
    pub(crate) fn word(&self) -> &'static str {
        match self.verdict {
            Verdict::Ok => "ok",
            Verdict::Warn => "warn",
            Verdict::Fail => "fail",
        }
    }
}
