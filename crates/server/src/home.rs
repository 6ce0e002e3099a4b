//! The home: the folder that holds everything a keeper has. Names of its files, and how they are written.
//!
//! Only folders of the owner (0700) and files of the owner (0600) are made here. Nothing here reads or writes the
//! ledger; its lock is the ledger's.

use std::{
    fs::{File, OpenOptions},
    io::{self, Read as _, Write as _},
    os::unix::fs::{
        DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
    },
    path::{Path, PathBuf},
};

use abide_domain::AgentId;
pub(crate) use abide_ledger::storage::{LinkRule, open_regular, require_folder};

use crate::config::Environment;

/// What the keeper makes in its home for itself: no process is granted any of it by a name in its arguments.
pub(crate) const KEEPERS_NAMES: [&str; 21] = [
    "abide.toml",
    "agents",
    "api.sock",
    "blobs",
    "cache",
    CARDS_FOLDER,
    "keeper.json",
    "keeper.lock",
    "keeper.sock",
    "ledger",
    LOGINS_FOLDER,
    "logs",
    "mcp",
    MEDIA_FOLDER,
    "memory",
    "models",
    MODULES_FOLDER,
    "sessions.json",
    SHADOWS_FOLDER,
    "token",
    "tokens.json",
];
/// Where the cards of decks lie.
const CARDS_FOLDER: &str = "cards";
/// Where logins at servers that run elsewhere lie.
const LOGINS_FOLDER: &str = "logins";
/// Where the library of music lies, and where playing stopped.
const MEDIA_FOLDER: &str = "media";
/// Where processes of modules work.
const MODULES_FOLDER: &str = "modules";
/// Where second processes of agents' programs have their own state and files.
const SHADOWS_FOLDER: &str = "shadows";
/// The name of the folder of skills, which agents read by it.
pub(crate) const SKILLS_FOLDER: &str = "skills";

/// A keeper's folder. Cheap to clone; need not exist yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Home {
    root: PathBuf,
}

/// Says that no folder was named and none can be derived.
#[derive(Debug, thiserror::Error)]
#[error("the home folder is not known: set --home, ABIDE_HOME or HOME")]
pub(crate) struct HomeError;

/// Says why a home folder cannot be used by a keeper.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ClaimError {
    /// It cannot be made.
    #[error("{} cannot be created", path.display())]
    Create {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another user owns it.
    #[error(
        "{} belongs to user {owner} and this is user {user}: its owner could replace the ledger and the token; \
         run as that user, or `chown -R {user} {}`",
        path.display(),
        path.display()
    )]
    Owner {
        /// The folder.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
        /// Who runs this.
        user: u32,
    },
    /// Others may use it, and that cannot be changed.
    #[error("{} cannot be made its owner's alone", path.display())]
    Private {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl Home {
    /// The folder that was named, else `~/.abide`.
    pub(crate) fn resolve(
        named: Option<PathBuf>,
        environment: &Environment,
    ) -> Result<Self, HomeError> {
        let own = environment.get("HOME").map(Path::new);
        // A shell resolves `~` where it stands bare; in quotes, in a unit or an env file nobody does.
        let named = named.map(|named| match (named.strip_prefix("~"), own) {
            (Ok(below), Some(own)) => own.join(below),
            _ => named,
        });
        let by_default = || own.map(|own| own.join(".abide"));
        let root = named.or_else(by_default).ok_or(HomeError)?;
        let root = std::path::absolute(&root).unwrap_or(root);
        Ok(Self { root })
    }

    /// Makes the folder, for its owner alone.
    pub(crate) fn create(&self) -> io::Result<()> {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.root)
    }

    /// Makes the folder, or makes the one that is there its owner's alone; says which mode it had, where that was another.
    /// Only a folder of this very user: its owner could replace everything in it.
    pub(crate) fn claim(&self) -> Result<Option<u32>, ClaimError> {
        let path = || self.root.clone();
        self.create().map_err(|source| ClaimError::Create { path: path(), source })?;
        let failed = |source| ClaimError::Private { path: path(), source };
        let found = std::fs::metadata(&self.root).map_err(failed)?;
        let (owner, user) = (found.uid(), rustix::process::geteuid().as_raw());
        if owner != user {
            return Err(ClaimError::Owner { path: path(), owner, user });
        }
        let mode = found.permissions().mode() & 0o777;
        if is_private(mode) {
            return Ok(None);
        }
        make_private(&self.root).map_err(failed)?;
        Ok(Some(mode))
    }

    /// The folder itself.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// `abide.toml`.
    pub(crate) fn config_file(&self) -> PathBuf {
        self.root.join("abide.toml")
    }

    /// The keeper's token.
    pub(crate) fn token_file(&self) -> PathBuf {
        self.root.join("token")
    }

    /// Digests of further tokens.
    pub(crate) fn tokens_file(&self) -> PathBuf {
        self.root.join("tokens.json")
    }

    /// Browsers that are signed in.
    pub(crate) fn sessions_file(&self) -> PathBuf {
        self.root.join("sessions.json")
    }

    /// Where the running keeper answers its own command line.
    pub(crate) fn api_socket(&self) -> PathBuf {
        self.root.join("api.sock")
    }

    /// Where the running keeper says what it is.
    pub(crate) fn presence_file(&self) -> PathBuf {
        self.root.join("keeper.json")
    }

    /// Where an agent's projections and its process's private state lie.
    pub(crate) fn agent_folder(&self, agent: &AgentId) -> PathBuf {
        abide_engine::agent_folder(&self.root, agent)
    }

    /// The folder of all agents.
    pub(crate) fn agents_folder(&self) -> PathBuf {
        self.root.join("agents")
    }

    /// The folders of the home in which the keeper makes files and removes them, besides the ledger and those of each agent.
    pub(crate) fn shared_folders(&self) -> [PathBuf; 5] {
        [
            self.agents_folder(),
            self.root.join("memory"),
            self.logs_folder(),
            self.blobs_folder(),
            self.snapshots_folder(),
        ]
    }

    /// Whether an agent has a folder here.
    ///
    /// Errors: something else stands in its place or above it, such as a link, which is not followed; those of the system.
    pub(crate) fn require_agent_folder(&self, agent: &AgentId) -> io::Result<bool> {
        Ok(require_folder(&self.agents_folder())? && require_folder(&self.agent_folder(agent))?)
    }

    /// What is a folder in the folder of all agents, in the order of names. No link is followed.
    pub(crate) fn agent_folders(&self) -> Vec<PathBuf> {
        let agents = self.agents_folder();
        if !require_folder(&agents).unwrap_or_default() {
            return Vec::new();
        }
        let found = std::fs::read_dir(agents).into_iter().flatten().flatten();
        let folders = found.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let mut folders: Vec<_> = folders.map(|entry| entry.path()).collect();
        folders.sort();
        folders
    }

    /// Whether an agent has ever lived here: it has a database of what it remembers.
    pub(crate) fn has_memories(&self) -> bool {
        let folders = self.agent_folders();
        folders.iter().any(|agent| agent.join("knowledge.db").symlink_metadata().is_ok())
    }

    /// Where the skills of all agents lie.
    pub(crate) fn skills_folder(&self) -> PathBuf {
        self.root.join(SKILLS_FOLDER)
    }

    /// Where the skills of one agent lie; out of its process's reach.
    pub(crate) fn agent_skills_folder(&self, agent: &AgentId) -> PathBuf {
        self.agent_folder(agent).join(SKILLS_FOLDER)
    }

    /// Where logins at servers that run elsewhere lie; no agent reaches it.
    pub(crate) fn logins_folder(&self) -> PathBuf {
        self.root.join(LOGINS_FOLDER)
    }

    /// What a server that is started here has for its own.
    pub(crate) fn server_folder(&self, server: &str) -> PathBuf {
        self.root.join("mcp").join(server)
    }

    /// Where answers of services are kept for a while.
    pub(crate) fn cache_folder(&self) -> PathBuf {
        self.root.join("cache")
    }

    /// Where the cards of decks lie.
    pub(crate) fn cards_folder(&self) -> PathBuf {
        self.root.join(CARDS_FOLDER)
    }

    /// Where the library of music and its covers lie, and where playing stopped.
    pub(crate) fn media_folder(&self) -> PathBuf {
        self.root.join(MEDIA_FOLDER)
    }

    /// Where an agent's process works unless its configuration names another folder: nothing of the keeper's lies there.
    pub(crate) fn work_folder(&self, agent: &AgentId) -> PathBuf {
        self.agent_folder(agent).join("work")
    }

    /// What an agent shows that connects by itself.
    pub(crate) fn socket_secret_file(&self, agent: &AgentId) -> PathBuf {
        self.agent_folder(agent).join("socket-secret")
    }

    /// Where a confined process of an agent puts its temporary files.
    pub(crate) fn temporary_folder(&self, agent: &AgentId) -> PathBuf {
        self.agent_folder(agent).join("tmp")
    }

    /// Where the weights of embedders lie, a folder a model.
    pub(crate) fn models_folder(&self) -> PathBuf {
        self.root.join("models")
    }

    /// Where processes of modules work: nothing ever lies there.
    pub(crate) fn modules_folder(&self) -> PathBuf {
        self.root.join(MODULES_FOLDER)
    }

    /// Where second processes of agents' programs have their own state and files, a folder a process, while a trial is under way.
    pub(crate) fn shadows_folder(&self) -> PathBuf {
        self.root.join(SHADOWS_FOLDER)
    }

    /// Where the ethereal results of open epochs lie.
    pub(crate) fn blobs_folder(&self) -> PathBuf {
        self.root.join("blobs")
    }

    /// Where the logs of `\stdout` lie, a file an entity.
    pub(crate) fn logs_folder(&self) -> PathBuf {
        self.root.join("memory").join("stdout")
    }

    /// Where snapshots of the folded state lie. They can be deleted.
    pub(crate) fn snapshots_folder(&self) -> PathBuf {
        self.root.join("snapshots")
    }

    /// The ledger's folder.
    pub(crate) fn ledger_folder(&self) -> PathBuf {
        self.root.join("ledger")
    }
}

/// Reads a regular file of at most so many bytes; none where there is no file. It never waits, whatever is in its place: a
/// pipe, a device, a socket or a folder is an error, and so is a longer file.
pub(crate) fn read_regular(
    path: &Path,
    links: LinkRule,
    bytes_max: u64,
) -> io::Result<Option<String>> {
    match open_regular(OpenOptions::new().read(true), path, links) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        opened => read_opened(opened?, bytes_max).map(Some),
    }
}

/// Reads an open file as text, of at most so many bytes.
pub(crate) fn read_opened(file: File, bytes_max: u64) -> io::Result<String> {
    let mut text = String::new();
    let read = file.take(bytes_max.saturating_add(1)).read_to_string(&mut text)?;
    if u64::try_from(read).is_ok_and(|read| read > bytes_max) {
        let message = format!("it is longer than {bytes_max} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(text)
}

/// The permission bits of a file or folder.
pub(crate) fn mode_of(path: &Path) -> io::Result<u32> {
    Ok(std::fs::metadata(path)?.permissions().mode() & 0o777)
}

/// Whether permission bits give nothing to anybody but the owner.
pub(crate) const fn is_private(mode: u32) -> bool {
    mode.trailing_zeros() >= 6
}

/// Makes a folder with all above it, for its owner alone.
pub(crate) fn create_private_folder(path: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Takes a file or folder away from everybody but its owner.
pub(crate) fn make_private(path: &Path) -> io::Result<()> {
    let mode = mode_of(path)? & 0o700;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
}

/// Replaces a file whole: new file (0600), sync, rename, sync of the folder. A reader sees the old or the new one.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut part = std::ffi::OsString::from(".");
    part.push(name);
    part.push(format!(".{}.part", std::process::id()));
    let part = folder.join(part);
    let written = write_new(&part, bytes).and_then(|()| std::fs::rename(&part, path));
    if written.is_err() {
        drop(std::fs::remove_file(&part));
    }
    written?;
    File::open(folder)?.sync_all()
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    drop(std::fs::remove_file(path));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::{Environment, Home, LinkRule, Path, read_regular};

    #[test]
    fn a_tilde_is_the_folder_of_the_user_and_a_name_with_one_is_a_name() {
        let environment: Environment =
            [("HOME".to_owned(), "/home/ann".to_owned())].into_iter().collect();
        let resolved = |named: &str, environment: &Environment| {
            Home::resolve(Some(named.into()), environment).unwrap().root().to_owned()
        };
        for (named, folder) in [
            ("~/.abide", "/home/ann/.abide"),
            ("~", "/home/ann"),
            ("/srv/~/x", "/srv/~/x"),
            ("/srv/~ann", "/srv/~ann"),
        ] {
            assert_eq!(resolved(named, &environment), Path::new(folder), "{named}");
        }
        assert!(resolved("~/x", &Environment::default()).ends_with("~/x"), "no HOME to put there");
        assert!(resolved("~ann/x", &environment).ends_with("~ann/x"), "another's is not known");
    }

    #[test]
    fn only_a_regular_file_is_read_and_nothing_makes_the_reader_wait() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("file"), "12345678").unwrap();
        symlink(path("file"), path("link")).unwrap();
        symlink(path("pipe"), path("to-pipe")).unwrap();
        std::fs::create_dir(path("folder")).unwrap();
        mknodat(CWD, path("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        drop(std::os::unix::net::UnixListener::bind(path("socket")).unwrap());
        let read = |name: &str, rule| read_regular(&path(name), rule, 8);
        for rule in [LinkRule::Refuse, LinkRule::Follow] {
            assert_eq!(read("file", rule).unwrap().as_deref(), Some("12345678"));
            assert_eq!(read("nothing", rule).unwrap(), None);
            for name in ["pipe", "to-pipe", "folder", "socket"] {
                assert!(read(name, rule).is_err(), "{name}");
            }
            assert!(read_regular(&path("file"), rule, 7).is_err(), "too long");
        }
        assert!(read("link", LinkRule::Follow).is_ok_and(|text| text.is_some()));
        let refused = read("link", LinkRule::Refuse).unwrap_err();
        assert!(refused.to_string().contains("symbolic link"), "{refused}");
    }
}
