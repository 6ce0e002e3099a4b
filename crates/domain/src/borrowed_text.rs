//! A text that serde borrows from its input where it can: a start reads many names and times from every line of the ledger.

use std::borrow::Cow;

use serde::Deserialize;

/// A text on its way to a type that is parsed from text, without a copy where its JSON has no escapes.
#[derive(Deserialize)]
pub(crate) struct BorrowedText<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);
