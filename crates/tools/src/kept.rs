//! What tools keep for an agent, such as its subscriptions: small values by namespace and key, from the ledger (`tool.kept`).
//!
//! A tool reads them from its call and changes them by what it stages, so that they count when the epoch commits and come
//! back after any restart. They are no cache: what can be fetched again does not belong here.

use std::{collections::BTreeMap, sync::Arc};

use abide_domain::{
    event::{Event, ToolEvent, ToolKept},
    limits::{KEPT_KEY_BYTES_MAX, KEPT_VALUE_BYTES_MAX, KEPT_VALUES_MAX},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ToolError, ToolErrorKind};

/// The values of one agent. A cheap clone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KeptValues {
    by_namespace: Arc<BTreeMap<String, BTreeMap<String, Value>>>,
}

impl KeptValues {
    /// The value of a key.
    pub fn get(&self, namespace: &str, key: &str) -> Option<&Value> {
        self.by_namespace.get(namespace)?.get(key)
    }

    /// All values of a namespace, in the order of their keys.
    pub fn all(&self, namespace: &str) -> impl Iterator<Item = (&str, &Value)> {
        let values = self.by_namespace.get(namespace).into_iter().flatten();
        values.map(|(key, value)| (key.as_str(), value))
    }

    /// All of them in canonical form: the same values always give the same JSON.
    pub fn to_json(&self) -> Value {
        serde_json::json!(*self.by_namespace)
    }

    /// Takes a change in.
    pub fn apply(&mut self, kept: &ToolKept) {
        let all = Arc::make_mut(&mut self.by_namespace);
        let values = all.entry(kept.namespace.clone()).or_default();
        match &kept.value {
            Some(value) => values.insert(kept.key.clone(), value.clone()),
            None => values.remove(&kept.key),
        };
        if values.is_empty() {
            all.remove(&kept.namespace);
        }
    }

    /// Takes in what a call wants staged, or says what there is too much of.
    pub fn stage(&mut self, staged: &[Event]) -> Result<(), ToolError> {
        for event in staged {
            if let Event::Tool(ToolEvent::Kept(kept)) = event {
                self.check(kept)?;
                self.apply(kept);
            }
        }
        Ok(())
    }

    fn check(&self, kept: &ToolKept) -> Result<(), ToolError> {
        let ToolKept { namespace, key, value } = kept;
        let Some(value) = value else { return Ok(()) };
        let bytes = value.to_string().len();
        let is_new = self.get(namespace, key).is_none();
        let problem = if key.len() > KEPT_KEY_BYTES_MAX {
            format!("a key has {} bytes; at most {KEPT_KEY_BYTES_MAX}", key.len())
        } else if bytes > KEPT_VALUE_BYTES_MAX {
            format!("a value has {bytes} bytes; at most {KEPT_VALUE_BYTES_MAX}")
        } else if is_new && self.all(namespace).count() >= KEPT_VALUES_MAX {
            format!(
                "`{namespace}` keeps {KEPT_VALUES_MAX} values, which is all that it may; drop some first"
            )
        } else {
            return Ok(());
        };
        Err(ToolError::of(ToolErrorKind::Blocked, problem))
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::{
        event::{Event, ToolEvent, ToolKept},
        limits::{KEPT_VALUE_BYTES_MAX, KEPT_VALUES_MAX},
    };
    use serde_json::{Value, json};

    use super::KeptValues;

    fn kept(key: &str, value: Option<Value>) -> Event {
        let (namespace, key) = ("rss".to_owned(), key.to_owned());
        Event::Tool(ToolEvent::Kept(ToolKept { namespace, key, value }))
    }

    #[test]
    fn the_newest_value_of_a_key_counts_and_a_dropped_one_is_gone() {
        let mut values = KeptValues::default();
        let before = values.clone();
        let staged =
            [kept("a", Some(json!(1))), kept("b", Some(json!(2))), kept("a", Some(json!(3)))];
        values.stage(&staged).unwrap();
        assert_eq!(values.all("rss").collect::<Vec<_>>(), [("a", &json!(3)), ("b", &json!(2))]);
        values.stage(&[kept("a", None), kept("b", None), kept("c", None)]).unwrap();
        assert_eq!(values, before, "nothing is left of it");
        assert_eq!(values.to_json(), json!({}));
        values.stage(&[kept("b", Some(json!(2))), kept("a", Some(json!([1])))]).unwrap();
        assert_eq!(values.to_json().to_string(), r#"{"rss":{"a":[1],"b":2}}"#);
    }

    #[test]
    fn no_more_is_kept_than_may_be() {
        let mut values = KeptValues::default();
        let large = kept("x", Some(json!("x".repeat(KEPT_VALUE_BYTES_MAX))));
        assert!(values.stage(&[large]).unwrap_err().message.contains("at most"));
        for index in 0..KEPT_VALUES_MAX {
            values.stage(&[kept(&index.to_string(), Some(json!(1)))]).unwrap();
        }
        assert!(values.stage(&[kept("one more", Some(json!(1)))]).is_err());
        values.stage(&[kept("0", Some(json!(2)))]).unwrap();
        values.stage(&[kept("1", None), kept("one more", Some(json!(1)))]).unwrap();
    }
}
