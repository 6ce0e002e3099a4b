//! From `{query, params}` to a query. Nothing is guessed: an unknown name, an unknown parameter or a value that does not
//! fit is a problem that says where and what, and becomes a failed result, never an empty one.

use abide_domain::graph::Severity;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use super::query::{GraphQuery, QUERY_ITEMS_MAX, QUERY_KEYWORDS_MAX, QUERY_TEXT_CHARS_MAX};

/// Why something is not one of the eight queries.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphQueryError {
    /// There is no such query.
    #[error("there is no query `{name}`; use one of {}", GraphQuery::NAMES.join(", "))]
    Unknown {
        /// What was asked for, cut to 64 characters.
        name: String,
    },
    /// A parameter is missing, unknown or does not fit.
    #[error("`{query}`: {message}")]
    Params {
        /// The name of the query.
        query: &'static str,
        /// Which parameter and what is wrong with it.
        message: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Partnerships {
    partner_id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Conversations {
    partner_id: String,
    keywords: Option<Vec<String>>,
    limit: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Technical {
    term: String,
    issue_type: Option<String>,
    limit: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Emotional {
    context_similar_to: String,
    emotion: Option<String>,
    limit: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Strategies {
    situation_type: String,
    min_success_rate: Option<f64>,
    limit: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Code {
    filename: String,
    include_dependencies: Option<bool>,
    limit: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Failures {
    context: String,
    limit: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Constraints {
    constraint_type: Option<String>,
    min_severity: Option<Severity>,
    limit: Option<u64>,
}

fn read(name: &str, params: &Value) -> Result<GraphQuery, String> {
    Ok(match name {
        "query_partnerships" => {
            let Partnerships { partner_id } = fields(params)?;
            GraphQuery::Partnerships { partner_id }
        }
        "query_conversations" => {
            let Conversations { partner_id, keywords, limit } = fields(params)?;
            let keywords = keywords.unwrap_or_default();
            GraphQuery::Conversations { partner_id, keywords, limit: count(limit, 5)? }
        }
        "query_technical_context" => {
            let Technical { term, issue_type, limit } = fields(params)?;
            GraphQuery::TechnicalContext { term, issue_type, limit: count(limit, 5)? }
        }
        "query_emotional_state" => {
            let Emotional { context_similar_to, emotion, limit } = fields(params)?;
            GraphQuery::EmotionalState { context_similar_to, emotion, limit: count(limit, 3)? }
        }
        "query_strategy_patterns" => {
            let Strategies { situation_type, min_success_rate, limit } = fields(params)?;
            let min_success_rate = min_success_rate.unwrap_or(0.5);
            let limit = count(limit, 3)?;
            GraphQuery::StrategyPatterns { situation_type, min_success_rate, limit }
        }
        "query_related_code" => {
            let Code { filename, include_dependencies, limit } = fields(params)?;
            let include_dependencies = include_dependencies.unwrap_or(true);
            GraphQuery::RelatedCode { filename, include_dependencies, limit: count(limit, 5)? }
        }
        "query_failed_attempts" => {
            let Failures { context, limit } = fields(params)?;
            GraphQuery::FailedAttempts { context, limit: count(limit, 5)? }
        }
        _ => {
            let Constraints { constraint_type, min_severity, limit } = fields(params)?;
            let min_severity = min_severity.unwrap_or_default();
            let limit = count(limit, 10)?;
            GraphQuery::ActiveConstraints { constraint_type, min_severity, limit }
        }
    })
}

fn fields<T: DeserializeOwned>(params: &Value) -> Result<T, String> {
    let params = match params {
        Value::Null => Value::Object(Map::new()),
        other => other.clone(),
    };
    abide_domain::strict_json::read_shape(params).map_err(|error| format!("params: {error}"))
}

fn count(limit: Option<u64>, default: usize) -> Result<usize, String> {
    match limit.map(usize::try_from) {
        None => Ok(default),
        Some(Ok(limit @ 1..=QUERY_ITEMS_MAX)) => Ok(limit),
        Some(_) => Err(format!("params.limit must be 1 to {QUERY_ITEMS_MAX}")),
    }
}

impl GraphQuery {
    /// Reads a query by its name and parameters, as tools, the API and a model write it. Absent parameters have their
    /// defaults; unknown ones are refused.
    pub fn parse(query: &str, params: &Value) -> Result<Self, GraphQueryError> {
        let Some(&name) = Self::NAMES.iter().find(|name| **name == query) else {
            return Err(GraphQueryError::Unknown { name: query.chars().take(64).collect() });
        };
        let parsed = read(name, params).and_then(|query| query.check().map(|()| query));
        parsed.map_err(|message| GraphQueryError::Params { query: name, message })
    }

    /// Says what is wrong with a query, also one that was not parsed.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self {
            Self::Partnerships { partner_id } => text("partner_id", partner_id),
            Self::Conversations { partner_id, keywords, .. } => {
                if keywords.len() > QUERY_KEYWORDS_MAX {
                    return Err(format!(
                        "params.keywords holds more than {QUERY_KEYWORDS_MAX} keywords"
                    ));
                }
                keywords.iter().try_for_each(|keyword| text("keywords", keyword))?;
                text("partner_id", partner_id)
            }
            Self::TechnicalContext { term, issue_type, .. } => {
                optional("issue_type", issue_type.as_deref())?;
                text("term", term)
            }
            Self::EmotionalState { context_similar_to, emotion, .. } => {
                optional("emotion", emotion.as_deref())?;
                text("context_similar_to", context_similar_to)
            }
            Self::StrategyPatterns { situation_type, min_success_rate, .. } => {
                if !(0.0..=1.0).contains(min_success_rate) {
                    return Err("params.min_success_rate must be 0 to 1".into());
                }
                text("situation_type", situation_type)
            }
            Self::RelatedCode { filename, .. } => text("filename", filename),
            Self::FailedAttempts { context, .. } => text("context", context),
            Self::ActiveConstraints { constraint_type, .. } => {
                optional("constraint_type", constraint_type.as_deref())
            }
        }
    }

    /// At most so many items.
    pub(crate) fn limit(&self) -> usize {
        let limit = match self {
            Self::Partnerships { .. } => QUERY_ITEMS_MAX,
            Self::Conversations { limit, .. }
            | Self::TechnicalContext { limit, .. }
            | Self::EmotionalState { limit, .. }
            | Self::StrategyPatterns { limit, .. }
            | Self::RelatedCode { limit, .. }
            | Self::FailedAttempts { limit, .. }
            | Self::ActiveConstraints { limit, .. } => *limit,
        };
        limit.clamp(1, QUERY_ITEMS_MAX)
    }
}

fn text(name: &str, value: &str) -> Result<(), String> {
    if value.trim().is_empty() {
        return Err(format!("params.{name} must not be blank"));
    }
    if value.chars().count() > QUERY_TEXT_CHARS_MAX {
        return Err(format!("params.{name} is longer than {QUERY_TEXT_CHARS_MAX} characters"));
    }
    Ok(())
}

fn optional(name: &str, value: Option<&str>) -> Result<(), String> {
    value.map_or(Ok(()), |value| text(name, value))
}

#[cfg(test)]
mod tests {
    use abide_domain::graph::Severity;
    use serde_json::{Value, json};

    use super::{GraphQuery, GraphQueryError};

    fn message(query: &str, params: &Value) -> String {
        GraphQuery::parse(query, params).unwrap_err().to_string()
    }

    #[test]
    fn absent_parameters_have_their_defaults() {
        assert_eq!(
            GraphQuery::parse("query_active_constraints", &Value::Null),
            Ok(GraphQuery::ActiveConstraints {
                constraint_type: None,
                min_severity: Severity::Medium,
                limit: 10
            })
        );
        assert_eq!(
            GraphQuery::parse("query_conversations", &json!({"partner_id": "nicolas"})),
            Ok(GraphQuery::Conversations {
                partner_id: "nicolas".into(),
                keywords: vec![],
                limit: 5
            })
        );
        for name in GraphQuery::NAMES {
            let asked = GraphQuery::parse(name, &json!({"nonsense": 1}));
            assert!(matches!(asked, Err(GraphQueryError::Params { .. })), "{name}: {asked:?}");
        }
    }

    #[test]
    fn what_does_not_fit_says_where() {
        assert!(message("query_everything", &json!({})).contains("query_partnerships"));
        let cases = [
            ("query_partnerships", json!({}), "partner_id"),
            ("query_partnerships", json!({"partner_id": " "}), "partner_id must not be blank"),
            ("query_failed_attempts", json!({"context": "x", "limit": 0}), "limit must be 1 to"),
            ("query_failed_attempts", json!({"context": "x", "limit": -1}), "params:"),
            (
                "query_strategy_patterns",
                json!({"situation_type": "x", "min_success_rate": 2}),
                "min_success_rate",
            ),
            ("query_active_constraints", json!({"min_severity": "huge"}), "must be one of low"),
            ("query_technical_context", json!([]), "params:"),
            ("query_related_code", json!({"filename": "x".repeat(10_001)}), "filename is longer"),
        ];
        for (query, params, part) in cases {
            let message = message(query, &params);
            assert!(message.contains(part), "{query} {params}: {message}");
        }
    }
}
