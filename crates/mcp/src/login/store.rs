//! Logins at remote servers on disk: a file for each server, which only this user reads.
//!
//! A file is replaced as a whole and is on disk before anybody uses what stands in it: of a token that is good for one use, the next
//! one must never be lost. Nothing here is ever shown.

use std::{
    fmt, fs,
    io::{self, Read as _, Write as _},
    os::unix::fs::{
        DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
    },
    path::{Path, PathBuf},
    sync::Arc,
};

use abide_http::Secret;
use rustix::fs::{FlockOperation, OFlags, flock};
use serde::{Deserialize, Serialize};
use tokio::{sync::watch, task::spawn_blocking};

use crate::settings::is_server_name;

/// Longest file that is read.
const FILE_BYTES_MAX: u64 = 256 * 1024;
/// Who may read and write a file.
const FILE_MODE: u32 = 0o600;
/// What others may do with it: nothing.
const MODE_OF_OTHERS: u32 = 0o077;

/// Keeps the logins of all servers in a folder. Its clones are cheap and know of each other's changes.
#[derive(Clone, Debug)]
pub struct TokenStore {
    folder: Arc<Path>,
    changes: Arc<watch::Sender<u64>>,
}

/// Says what could not be done with the file of a login.
#[derive(Debug, thiserror::Error)]
pub enum TokenStoreError {
    /// It could not be read or written.
    #[error("could not {action} the login of the server `{server}`")]
    File {
        /// What was to be done.
        action: &'static str,
        /// The server.
        server: String,
        /// Why.
        #[source]
        cause: io::Error,
    },
    /// Others may read it.
    #[error(
        "the login of the server `{server}` may be read by others (mode {mode:o}): set its mode to 600, or log in again after removing it"
    )]
    Open {
        /// The server.
        server: String,
        /// Its mode.
        mode: u32,
    },
    /// It is no login.
    #[error("the login of the server `{server}` cannot be understood; log in again")]
    Unreadable {
        /// The server.
        server: String,
    },
}

/// What a login leaves: who this client is there, and its tokens.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredLogin {
    /// The server's address as in the settings: to another one the tokens never go.
    pub(crate) url: String,
    /// The resource, byte for byte as the server names itself.
    pub(crate) resource: String,
    /// The login service.
    pub(crate) issuer: String,
    pub(crate) token_endpoint: String,
    pub(crate) client: StoredClient,
    /// Whether the client was registered by itself.
    pub(crate) is_registered_here: bool,
    pub(crate) access_token: String,
    pub(crate) refresh_token: Option<String>,
    /// When the access token runs out, in seconds since 1970.
    pub(crate) expires_at_s: Option<i64>,
    pub(crate) scope: Option<String>,
}

/// Who this client is at a login service.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredClient {
    pub(crate) id: String,
    pub(crate) secret: Option<String>,
    /// Whether the secret goes along in a header, not in the body.
    pub(crate) uses_header: bool,
}

impl fmt::Debug for StoredLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredLogin")
            .field("resource", &self.resource)
            .field("issuer", &self.issuer)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for StoredClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredClient").field("id", &self.id).finish_non_exhaustive()
    }
}

impl StoredLogin {
    pub(crate) fn token(&self) -> Secret {
        Secret::verbatim(self.access_token.as_str())
    }
}

/// The right to change a login, which one holder has at a time, in all processes of this machine.
#[derive(Debug)]
pub(crate) struct LoginLock {
    _file: fs::File,
}

impl TokenStore {
    /// A store in a folder, which is made when it is needed.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into().into(), changes: Arc::default() }
    }

    /// Whether there is a login of that server, without a look at whether it still holds.
    pub fn has(&self, server: &str) -> bool {
        is_server_name(server) && self.path(server, "json").exists()
    }

    /// Forgets a login. The server does not hear of it. A renewal that is under way ends first, so that it brings nothing back.
    pub async fn remove(&self, server: &str) -> Result<(), TokenStoreError> {
        if !self.has(server) {
            return Ok(());
        }
        let _lock = self.lock(server).await?;
        let (store, name) = (self.clone(), server.to_owned());
        run_blocking(move || {
            let failed = |cause| file_error("remove", &name, cause);
            match fs::remove_file(store.path(&name, "json")) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
                _ => store.sync_folder().map_err(failed),
            }
        })
        .await?;
        self.changes.send_modify(|count| *count += 1);
        Ok(())
    }

    /// Reads a login.
    pub(crate) async fn load(&self, server: &str) -> Result<Option<StoredLogin>, TokenStoreError> {
        let (store, server) = (self.clone(), server.to_owned());
        run_blocking(move || store.load_now(&server)).await
    }

    /// Writes a login; when it returns, it is on disk.
    pub(crate) async fn save(
        &self,
        server: &str,
        login: StoredLogin,
    ) -> Result<(), TokenStoreError> {
        let (store, server) = (self.clone(), server.to_owned());
        run_blocking(move || {
            store.save_now(&server, &login).map_err(|cause| file_error("write", &server, cause))
        })
        .await?;
        self.changes.send_modify(|count| *count += 1);
        Ok(())
    }

    /// Waits for the right to change a login.
    pub(crate) async fn lock(&self, server: &str) -> Result<LoginLock, TokenStoreError> {
        let (store, server) = (self.clone(), server.to_owned());
        run_blocking(move || {
            let locked = || -> io::Result<LoginLock> {
                store.make_folder()?;
                let mut options = fs::OpenOptions::new();
                options.write(true).create(true).truncate(false).mode(FILE_MODE);
                let file = options.open(store.path(&server, "lock"))?;
                flock(&file, FlockOperation::LockExclusive)?;
                Ok(LoginLock { _file: file })
            };
            locked().map_err(|cause| file_error("lock", &server, cause))
        })
        .await
    }

    /// Counts the changes of this store and its clones.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// What tells one state of a file from the next, whoever wrote it; none where there is no file.
    pub(crate) fn mark(&self, server: &str) -> Option<(u64, i64, i64)> {
        let meta = fs::metadata(self.path(server, "json")).ok()?;
        Some((meta.ino(), meta.mtime(), meta.mtime_nsec()))
    }

    fn path(&self, server: &str, kind: &str) -> PathBuf {
        self.folder.join(format!("{server}.{kind}"))
    }

    fn load_now(&self, server: &str) -> Result<Option<StoredLogin>, TokenStoreError> {
        let failed = |cause| file_error("read", server, cause);
        let mut options = fs::OpenOptions::new();
        // Neither a link nor something that keeps whoever opens it waiting.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        options.read(true).custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
        let file = match options.open(self.path(server, "json")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(failed)?,
        };
        let meta = file.metadata().map_err(failed)?;
        if !meta.is_file() {
            return Err(failed(io::Error::other("it is no regular file")));
        }
        let mode = meta.permissions().mode() & 0o777;
        if mode & MODE_OF_OTHERS != 0 {
            return Err(TokenStoreError::Open { server: server.to_owned(), mode });
        }
        let mut bytes = Vec::new();
        file.take(FILE_BYTES_MAX).read_to_end(&mut bytes).map_err(failed)?;
        // The message of the parser may show what stands there.
        let read = serde_json::from_slice(&bytes);
        read.map(Some).map_err(|_| TokenStoreError::Unreadable { server: server.to_owned() })
    }

    fn save_now(&self, server: &str, login: &StoredLogin) -> io::Result<()> {
        self.make_folder()?;
        let bytes = serde_json::to_vec(login)?;
        let new = self.path(server, "new");
        // One that was left half-written; whoever writes holds the lock.
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut options = fs::OpenOptions::new();
        let mut file = options.write(true).create_new(true).mode(FILE_MODE).open(&new)?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        drop(file);
        fs::rename(&new, self.path(server, "json"))?;
        self.sync_folder()
    }

    fn make_folder(&self) -> io::Result<()> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)
    }

    fn sync_folder(&self) -> io::Result<()> {
        match fs::File::open(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            opened => opened?.sync_all(),
        }
    }
}

async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, TokenStoreError> + Send + 'static,
) -> Result<T, TokenStoreError> {
    spawn_blocking(work)
        .await
        .unwrap_or_else(|error| Err(file_error("reach", "", io::Error::other(error.to_string()))))
}

fn file_error(action: &'static str, server: &str, cause: io::Error) -> TokenStoreError {
    TokenStoreError::File { action, server: server.to_owned(), cause }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use super::{StoredClient, StoredLogin, TokenStore, TokenStoreError};

    pub(crate) fn login(token: &str) -> StoredLogin {
        StoredLogin {
            url: "https://mcp.example/mcp".into(),
            resource: "https://mcp.example".into(),
            issuer: "https://login.example".into(),
            token_endpoint: "https://login.example/token".into(),
            client: StoredClient { id: "client-1".into(), secret: None, uses_header: false },
            is_registered_here: true,
            access_token: token.into(),
            refresh_token: Some("refresh-word".into()),
            expires_at_s: None,
            scope: None,
        }
    }

    #[tokio::test]
    async fn a_login_is_kept_in_a_file_for_this_user_alone_and_leaves_no_litter() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("logins");
        let store = TokenStore::new(&folder);
        assert_eq!(store.load("far").await.unwrap(), None);
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("far.new"), "half").unwrap();
        for token in ["first-word", "second-word"] {
            store.save("far", login(token)).await.unwrap();
        }
        assert_eq!(store.load("far").await.unwrap(), Some(login("second-word")));
        let names: Vec<_> =
            fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["far.json"]);
        let path = folder.join("far.json");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(!format!("{:?}", login("first-word")).contains("word"));

        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let open = store.load("far").await;
        assert!(matches!(open, Err(TokenStoreError::Open { mode: 0o640, .. })), "{open:?}");
        fs::write(&path, "{\"access_token\": \"first-word\"}").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let error = store.load("far").await.unwrap_err();
        assert!(!format!("{error:?}{error}").contains("first-word"), "{error:?}");
        store.remove("far").await.unwrap();
        assert!(!store.has("far"));
    }
}
