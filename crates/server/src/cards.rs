//! The cards of decks: `<home>/cards/`, a table that `abide cards pull` makes of Scryfall's bulk data, and their pictures.
//!
//! One small file, `cards.json`, says which table is the present one; it is replaced by renaming, so that a reader finds the old
//! cards or the new ones, whole, whatever ended the writer. Nothing is read before somebody asks for a card, and no table is
//! fetched unless a person asks for it.
//!
//! Reading order: `limits`, `manifest` (what the folder says of itself), `folder` (its names, its lock, how a table gets in and
//! out of it), `store` (the cards in the memory of a keeper); `pull` with `source` (which hosts), `bulk_index`, `download`, `tags`
//! and `error`; `images` with `image_cache`.

mod bulk_index;
mod download;
mod error;
mod folder;
mod image_cache;
mod images;
mod limits;
mod manifest;
mod pull;
mod source;
mod status;
mod store;
mod tags;
#[cfg(test)]
mod test_server;

pub(crate) use self::{
    download::DownloadLimits,
    error::CardPullError,
    folder::CardFolder,
    images::{CardImageError, CardImages, CardPicture},
    manifest::CardManifest,
    pull::{CardPull, PullOutcome},
    source::CardSource,
    status::{CardsStatus, status_of},
    store::StoredCards,
    store::{CardStore, CardsMissingError},
};
