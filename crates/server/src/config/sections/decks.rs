//! `[decks]`: the cards of decks.

use crate::config::shape::{FLAG, section, words};

section! {
    /// `[decks]`.
    pub(crate) struct DecksSection {
        /// Which of Scryfall's files `abide cards pull` fetches.
        pub(crate) bulk: CardBulk = "default_cards", CardBulk::NODE;
        /// Whether the keeper fetches pictures of cards for whoever looks at a deck. It asks Scryfall's hosts, and keeps them on disk.
        pub(crate) images: bool = true, FLAG;
    }
}

words! {
    /// A file of cards.
    pub(crate) enum CardBulk {
        /// Every printing in English: sets, numbers and prices of printings, names of single printings; about 80 MB to fetch.
        DefaultCards = "default_cards",
        /// One printing of each card: a third of the memory, and no other printing is known.
        OracleCards = "oracle_cards",
    }
}
