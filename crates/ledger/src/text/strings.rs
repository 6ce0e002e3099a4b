//! Searches the decoded data of a line: whether a text is in one of its strings. Names of fields do not count.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::needle::Needle;

/// Whether a text stands in a string of a JSON value.
pub(super) fn contain(json: &str, needle: &Needle) -> Result<bool, serde_json::Error> {
    let mut is_found = false;
    let mut deserializer = serde_json::Deserializer::from_str(json);
    StringSearch { needle, is_found: &mut is_found }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(is_found)
}

struct StringSearch<'a> {
    needle: &'a Needle,
    is_found: &'a mut bool,
}

impl StringSearch<'_> {
    fn reborrow(&mut self) -> StringSearch<'_> {
        StringSearch { needle: self.needle, is_found: self.is_found }
    }
}

impl<'de> DeserializeSeed<'de> for StringSearch<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StringSearch<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        *self.is_found |= self.needle.is_in(text);
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element_seed(self.reborrow())?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while map.next_key::<IgnoredAny>()?.is_some() {
            map.next_value_seed(self.reborrow())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Needle, contain};

    #[test]
    fn strings_count_wherever_they_stand_and_names_do_not() {
        let needle = Needle::new("disk \"A\"").unwrap();
        let cases = [
            (r#"{"x":"the Disk \"a\" is full"}"#, Some(true)),
            (r#"{"x":[1,-2,0.5,null,true,{"y":["disk \"A\""]}]}"#, Some(true)),
            (r#"{"x":"d\u0069sk \"A\""}"#, Some(true)),
            (r#"{"disk \"A\"":1}"#, Some(false)),
            (r#"{"x":"disk"}"#, Some(false)),
            (r#"{"x":"disk"#, None),
            (r#"{"x":1} 2"#, None),
        ];
        for (json, contains) in cases {
            assert_eq!(contain(json, &needle).ok(), contains, "{json}");
        }
    }
}
