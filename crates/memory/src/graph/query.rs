//! The eight queries and their limits.

use abide_domain::graph::Severity;

/// Most items that one query gives.
pub const QUERY_ITEMS_MAX: usize = 50;
/// Longest text in a query, in Unicode scalar values.
pub const QUERY_TEXT_CHARS_MAX: usize = 10_000;
/// Most keywords in a query.
pub const QUERY_KEYWORDS_MAX: usize = 64;

/// One of the eight queries; there are no others. Limits are cut to [`QUERY_ITEMS_MAX`].
#[derive(Clone, Debug, PartialEq)]
pub enum GraphQuery {
    /// `query_partnerships`: how the agent works with somebody, and what it knows of them.
    Partnerships {
        /// The sender's id or the name of the partner; case does not count.
        partner_id: String,
    },
    /// `query_conversations`: what was talked about.
    Conversations {
        /// With whom; `*` for anybody.
        partner_id: String,
        /// What it was about; without any, the newest.
        keywords: Vec<String>,
        /// At most so many.
        limit: usize,
    },
    /// `query_technical_context`: what is known of a technical matter.
    TechnicalContext {
        /// The matter in words.
        term: String,
        /// Only this kind of matter; case does not count.
        issue_type: Option<String>,
        /// At most so many.
        limit: usize,
    },
    /// `query_emotional_state`: how something like it felt.
    EmotionalState {
        /// The situation in words.
        context_similar_to: String,
        /// Only this emotion; case does not count.
        emotion: Option<String>,
        /// At most so many.
        limit: usize,
    },
    /// `query_strategy_patterns`: what works in such a situation.
    StrategyPatterns {
        /// The situation in words.
        situation_type: String,
        /// Only what succeeds at least so often, 0 to 1.
        min_success_rate: f64,
        /// At most so many.
        limit: usize,
    },
    /// `query_related_code`: a file and what hangs on it.
    RelatedCode {
        /// Its path, or the end of it.
        filename: String,
        /// Whether to follow `DEPENDS_ON`, both ways.
        include_dependencies: bool,
        /// At most so many.
        limit: usize,
    },
    /// `query_failed_attempts`: what did not work in such a situation.
    FailedAttempts {
        /// The situation in words.
        context: String,
        /// At most so many.
        limit: usize,
    },
    /// `query_active_constraints`: what binds.
    ActiveConstraints {
        /// Only this kind; case does not count.
        constraint_type: Option<String>,
        /// Only what binds at least so much.
        min_severity: Severity,
        /// At most so many.
        limit: usize,
    },
}

impl GraphQuery {
    /// The names of the eight.
    pub const NAMES: [&str; 8] = [
        "query_partnerships",
        "query_conversations",
        "query_technical_context",
        "query_emotional_state",
        "query_strategy_patterns",
        "query_related_code",
        "query_failed_attempts",
        "query_active_constraints",
    ];

    /// The name of the query, as tools and the API call it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Partnerships { .. } => "query_partnerships",
            Self::Conversations { .. } => "query_conversations",
            Self::TechnicalContext { .. } => "query_technical_context",
            Self::EmotionalState { .. } => "query_emotional_state",
            Self::StrategyPatterns { .. } => "query_strategy_patterns",
            Self::RelatedCode { .. } => "query_related_code",
            Self::FailedAttempts { .. } => "query_failed_attempts",
            Self::ActiveConstraints { .. } => "query_active_constraints",
        }
    }
}
