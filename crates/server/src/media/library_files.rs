//! Where the files of tracks lie, by the library. Only what a scan found below a folder of the configuration is ever played.

use std::{path::PathBuf, sync::Arc};

use abide_media::{FilePresence, Library, TrackFiles, TrackKey};
use futures_util::future::{BoxFuture, FutureExt as _};

/// The library, as who plays the queue needs it.
#[derive(Debug)]
pub(super) struct LibraryFiles(pub(super) Arc<Library>);

impl TrackFiles for LibraryFiles {
    fn path(&self, track: TrackKey) -> BoxFuture<'_, Option<PathBuf>> {
        let library = Arc::clone(&self.0);
        async move {
            let looked = tokio::task::spawn_blocking(move || {
                let found = library.track_by_key(track).ok().flatten()?;
                let is_there = found.presence == FilePresence::Present && found.path.is_file();
                is_there.then_some(found.path)
            });
            looked.await.ok().flatten()
        }
        .boxed()
    }
}
