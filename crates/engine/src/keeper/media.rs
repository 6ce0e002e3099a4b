//! What happens to the music, written down: the queue by whoever plays it, playlists as people change them.

use abide_domain::{EntityName, event::Event};
use abide_ledger::Draft;
use abide_media::{
    MediaActor, MediaLineError, Playlist, PlaylistCommand, PlaylistError, PlaylistEvent,
    PlaylistId, QueueEvent, playlist_line, queue_line,
};

use super::{Keeper, OrderError};

/// Says why something about the music was not written down. Nothing has changed then.
#[derive(Debug, thiserror::Error)]
pub enum MediaOrderError {
    /// It could not be written.
    #[error(transparent)]
    Order(#[from] OrderError),
    /// The playlists do not allow it.
    #[error(transparent)]
    Playlist(#[from] PlaylistError),
    /// It has no form of a line.
    #[error(transparent)]
    Line(#[from] MediaLineError),
}

impl Keeper {
    /// Writes down what happened to the queue, all or nothing. Returns once it is durable and the state has it.
    pub async fn record_queue(
        &self,
        events: &[QueueEvent],
        by: &MediaActor,
    ) -> Result<(), MediaOrderError> {
        let lines = events.iter().map(|event| queue_line(event, by));
        self.write_media(lines.collect::<Result<_, _>>()?, by).await
    }

    /// Does several things to playlists in their order, all or nothing. Returns once it is durable: the playlist that the last of them
    /// is about, none where it is deleted.
    pub async fn change_playlists(
        &self,
        commands: Vec<PlaylistCommand>,
        by: &MediaActor,
    ) -> Result<Option<(PlaylistId, Playlist)>, MediaOrderError> {
        let _turn = self.edit_turn().await?;
        let mut lists = self.state().media.playlists.clone();
        let (mut lines, mut about) = (Vec::new(), None);
        for command in commands {
            for event in lists.decide(command)? {
                lists.apply(&event);
                about = Some(playlist_of(&event));
                lines.push(playlist_line(&event, by)?);
            }
        }
        self.write_media(lines, by).await?;
        Ok(about.and_then(|id| Some((id, lists.get(id)?.clone()))))
    }

    async fn write_media(&self, lines: Vec<Event>, by: &MediaActor) -> Result<(), MediaOrderError> {
        if lines.is_empty() {
            return Ok(());
        }
        let author = author(by);
        let draft = |event| {
            let (entity, author) = (EntityName::keeper(), author.clone());
            Draft { entity, author, epoch: None, event }
        };
        let services = self.services();
        let appended = services.ledger.append(lines.into_iter().map(draft).collect()).await;
        let appended = appended.map_err(OrderError::from)?;
        services.view.applied(appended.last_seq).await;
        Ok(())
    }
}

const fn playlist_of(event: &PlaylistEvent) -> PlaylistId {
    match event {
        PlaylistEvent::Created { playlist, .. }
        | PlaylistEvent::Renamed { playlist, .. }
        | PlaylistEvent::Deleted { playlist }
        | PlaylistEvent::Added { playlist, .. }
        | PlaylistEvent::Removed { playlist, .. }
        | PlaylistEvent::Moved { playlist, .. } => *playlist,
    }
}

/// The player is a part of the keeper.
fn author(by: &MediaActor) -> EntityName {
    match by {
        MediaActor::Person(name) | MediaActor::Agent(name) => {
            EntityName::sender(name).unwrap_or_else(|_| EntityName::keeper())
        }
        MediaActor::Player => EntityName::keeper(),
    }
}
