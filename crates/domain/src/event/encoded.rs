//! An event within other data: the kind, the version and the JSON data of a ledger line, in this order. Whatever a format does with
//! maps, numbers and absent fields, an event is read back as it would be from the ledger.

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::Error as _,
    ser::{Error as _, SerializeTuple as _},
};

use super::{Encoded, Event, Kind};

/// Writes an event of a kind, whose data is this.
pub(super) fn serialize<S: Serializer>(
    kind: Kind,
    data: Result<Encoded, serde_json::Error>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let data = data.map_err(S::Error::custom)?;
    let mut parts = serializer.serialize_tuple(3)?;
    parts.serialize_element(kind.name)?;
    parts.serialize_element(&kind.version)?;
    parts.serialize_element(data.get())?;
    parts.end()
}

/// Reads an event of a group.
pub(super) fn deserialize<'de, D: Deserializer<'de>, G>(
    from: D,
    decode: impl Fn(&str, &str) -> Option<Result<G, serde_json::Error>>,
) -> Result<G, D::Error> {
    let (kind, _, data) = <(String, u32, String)>::deserialize(from)?;
    let decoded = decode(&kind, &data);
    let decoded = decoded.ok_or_else(|| D::Error::custom(format!("`{kind}` is of no such group")));
    decoded?.map_err(D::Error::custom)
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(self.kind(), self.encode_data(), serializer)
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (kind, version, data) = <(String, u32, String)>::deserialize(deserializer)?;
        Self::decode(&kind, version, &data).map_err(D::Error::custom)
    }
}
