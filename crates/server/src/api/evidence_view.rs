//! The shapes of evidence in the document. Entries have the specification's field names and are read and written in `domain`.

use serde_json::Value;
use utoipa::ToSchema;

/// What an entry is about.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "entries are written in `domain`; this says how they look")]
pub(crate) struct EvidenceSubject {
    /// The kind of thing, such as `agent`, `epoch` or `session`.
    #[schema(rename = "ref/type")]
    ref_type: String,
    /// Which one.
    #[schema(rename = "ref/id")]
    ref_id: String,
}

/// An entry of the evidence.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "entries are written in `domain`; this says how they look")]
pub(crate) struct EvidenceView {
    /// Its id; `seq-<n>` is the view of the ledger's line n.
    id: String,
    subject: EvidenceSubject,
    /// Such as `reflection` or `coordination`.
    #[schema(rename = "type")]
    kind: String,
    /// Such as `observation` or `step`.
    #[schema(rename = "claim-type")]
    claim_type: String,
    /// Whose it is.
    author: String,
    /// When it was so.
    at: String,
    /// Whatever its author says.
    body: Value,
    tags: Vec<String>,
    #[schema(rename = "pattern-id", required = false)]
    pattern_id: String,
    #[schema(rename = "session-id", required = false)]
    session_id: String,
    #[schema(rename = "in-reply-to", required = false)]
    in_reply_to: String,
    #[schema(rename = "fork-of", required = false)]
    fork_of: String,
    #[schema(rename = "conjecture?")]
    conjecture: bool,
    #[schema(rename = "ephemeral?")]
    ephemeral: bool,
}

/// An entry to record. Names may be written with `_` in place of `-`, and without the `?`.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "entries are read in `domain`; this says how they look")]
pub(crate) struct EvidenceBody {
    /// Default: a new one.
    id: Option<String>,
    subject: EvidenceSubject,
    /// Such as `reflection` or `coordination`.
    #[schema(rename = "type")]
    kind: String,
    /// Such as `observation` or `step`.
    #[schema(rename = "claim-type")]
    claim_type: String,
    /// Default: the name of the token, the only one that it may be unless the token is an administrator's.
    author: Option<String>,
    /// When it was so; default: now.
    at: Option<String>,
    /// Whatever there is to say.
    body: Value,
    tags: Option<Vec<String>>,
    #[schema(rename = "pattern-id")]
    pattern_id: Option<String>,
    #[schema(rename = "session-id")]
    session_id: Option<String>,
    /// The entry that it answers.
    #[schema(rename = "in-reply-to")]
    in_reply_to: Option<String>,
    /// The entry that it goes on from.
    #[schema(rename = "fork-of")]
    fork_of: Option<String>,
    #[schema(rename = "conjecture?")]
    conjecture: Option<bool>,
    #[schema(rename = "ephemeral?")]
    ephemeral: Option<bool>,
}
