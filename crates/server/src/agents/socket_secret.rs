//! The secret of an agent that connects by itself: a file in its folder, made by the keeper, given to whoever starts the
//! agent. It opens the place of this one agent and nothing else of the keeper.

use std::{
    fs::{DirBuilder, OpenOptions},
    io,
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _},
    path::{Path, PathBuf},
};

use abide_domain::AgentId;
use abide_wire::Secret;

use crate::{
    auth::Token,
    home::{Home, LinkRule, is_private, open_regular, read_opened, write_atomically},
};

/// A longer file was not made here.
const FILE_BYTES_MAX: u64 = 1024;
/// A shorter secret was not made here and is too easy to guess.
const SECRET_BYTES_MIN: usize = 32;

/// Says why an agent's secret cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the file {} does not hold a secret of its owner's alone; delete it to have a new one made", path.display())]
pub(crate) struct SocketSecretError {
    /// The file.
    pub(crate) path: PathBuf,
    /// Why.
    pub(crate) source: io::Error,
}

/// The secret of an agent; made where there is none. Its folder is made with it. Blocking.
pub(super) fn load_or_create(home: &Home, agent: &AgentId) -> Result<Secret, SocketSecretError> {
    let path = home.socket_secret_file(agent);
    let loaded = match read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => create(&path),
        other => other,
    };
    loaded.map(|text| Secret::new(&text)).map_err(|source| SocketSecretError { path, source })
}

fn create(path: &Path) -> io::Result<String> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let secret = Token::generate();
    write_atomically(path, format!("{}\n", secret.expose()).as_bytes())?;
    Ok(secret.expose().to_owned())
}

/// Only a regular file of mode 0600 that is named once: a link, or a file that others may read, is no secret.
fn read(path: &Path) -> io::Result<String> {
    let file = open_regular(OpenOptions::new().read(true), path, LinkRule::Refuse)?;
    let found = file.metadata()?;
    if !is_private(found.mode() & 0o777) || found.nlink() != 1 {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is no private file"));
    }
    let text = read_opened(file, FILE_BYTES_MAX)?;
    let secret = text.trim();
    if secret.len() < SECRET_BYTES_MIN || !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it is too short, or no text"));
    }
    Ok(secret.to_owned())
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use super::load_or_create;
    use crate::{config::Environment, home::Home};

    #[test]
    fn a_secret_is_made_once_differs_between_agents_and_is_refused_where_it_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::resolve(Some(folder.path().into()), &Environment::default()).unwrap();
        let [ann, ben] = ["ann", "ben"].map(|id| id.parse().unwrap());
        let first = load_or_create(&home, &ann).unwrap();
        assert_eq!(first.expose(), load_or_create(&home, &ann).unwrap().expose());
        assert_ne!(first.expose(), load_or_create(&home, &ben).unwrap().expose());
        let path = home.socket_secret_file(&ann);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(load_or_create(&home, &ann).is_err(), "others can read it");
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink(home.socket_secret_file(&ben), &path).unwrap();
        assert!(load_or_create(&home, &ann).is_err(), "it is a link to another agent's");
    }
}
