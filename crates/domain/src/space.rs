//! Names of the spaces in which entities talk: a named one, or the one between two entities.

use std::{fmt, str::FromStr, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::{EntityName, IdError, borrowed_text::BorrowedText};

/// `#name`, or `@a+@b` for what two say to one another (their names in order).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpaceName(Arc<str>);

impl SpaceName {
    /// The space of that name, which follows the rules of ids.
    pub fn named(name: &str) -> Result<Self, IdError> {
        // A sender's id has the same form.
        EntityName::sender(name).map(|name| Self(format!("#{}", name.bare()).into()))
    }

    /// The space between two entities, which may be the same one twice.
    pub fn between(one: &EntityName, other: &EntityName) -> Self {
        let (first, second) = if one <= other { (one, other) } else { (other, one) };
        Self(format!("{first}+{second}").into())
    }

    /// The two entities of a space between two; `None` for a named one.
    pub fn pair(&self) -> Option<(EntityName, EntityName)> {
        let (first, second) = self.0.split_once('+')?;
        Some((first.parse().ok()?, second.parse().ok()?))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for SpaceName {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(name) = text.strip_prefix('#') {
            return Self::named(name);
        }
        let (first, second) = text.split_once('+').ok_or(IdError)?;
        Ok(Self::between(&first.parse()?, &second.parse()?))
    }
}

impl fmt::Display for SpaceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for SpaceName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SpaceName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let BorrowedText(text) = BorrowedText::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::SpaceName;

    #[test]
    fn a_space_has_a_name_or_is_between_two_in_order() {
        let (ada, bob) = ("@ada".parse().unwrap(), "@bob".parse().unwrap());
        let between = SpaceName::between(&bob, &ada);
        assert_eq!(between.as_str(), "@ada+@bob");
        assert_eq!(between.pair(), Some((ada, bob)));
        assert_eq!("@bob+@ada".parse(), Ok(between));
        assert_eq!("#Lab.2".parse::<SpaceName>().map(|s| s.to_string()), Ok("#lab.2".into()));
        for text in ["lab", "#", "#-x", "@ada", "@ada+", "#a b"] {
            assert!(text.parse::<SpaceName>().is_err(), "{text}");
        }
    }
}
