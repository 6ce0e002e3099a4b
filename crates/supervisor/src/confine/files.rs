//! Which files a confined program reaches, by Landlock: those of the system that every program needs, and those that it was
//! granted. With them what Landlock knows besides files: signals, abstract sockets, TCP ports.
//!
//! What is not granted cannot be opened, whoever owns it. The names, sizes and modes of files can be seen all the same, and
//! a file's owner can change its mode: at level 2 the files are not there at all. It never grants a folder that is shared
//! for writing, such as `/tmp`.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, LandlockStatus,
    PathBeneath, PathFd, RestrictionStatus, Ruleset, RulesetAttr as _, RulesetCreated,
    RulesetCreatedAttr as _, RulesetStatus, Scope,
};

use super::error::ConfineError;
use crate::confinement::{Confinement, ConfinementLevel, NetworkAccess};

/// The oldest version that is a boundary: before it, any file could be truncated (Linux 6.2).
const NEEDED: ABI = ABI::V3;
/// The newest version that this program was written for; what an older kernel lacks of it is left out, and told.
const WANTED: ABI = ABI::V9;

/// Programs and their libraries, and what of the kernel's own files they ask for.
const SYSTEM: &[&str] = &[
    "/bin",
    "/sbin",
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/nix/store",
    "/var/lib/ca-certificates",
    "/gnu/store",
    "/proc",
    "/sys/devices/system",
    "/sys/fs/cgroup",
    "/sys/kernel/mm/transparent_hugepage",
];
/// Of `/etc` what programs need to run, to resolve names and to trust certificates; not its secrets.
const SETTINGS: &[&str] = &[
    "alternatives",
    "bash.bashrc",
    "bashrc",
    "ca-certificates",
    "ca-certificates.conf",
    "crypto-policies",
    "debian_version",
    "fonts",
    "gai.conf",
    "group",
    "host.conf",
    "hostname",
    "hosts",
    "inputrc",
    "java",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "locale.alias",
    "locale.conf",
    "localtime",
    "machine-id",
    "magic",
    "mime.types",
    "networks",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "perl",
    "pki/ca-trust",
    "pki/tls",
    "profile",
    "profile.d",
    "protocols",
    "python3",
    "resolv.conf",
    "services",
    "shells",
    "ssl/certs",
    "ssl/cert.pem",
    "ssl/openssl.cnf",
    "static",
    "terminfo",
    "timezone",
    "xdg",
];
/// Devices that are no way out.
const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// What a namespace of level 2 has for itself.
const OWN: &[&str] = &["/tmp", "/dev/shm", "/dev/pts"];

/// Rules whose files are open, to be applied.
pub(super) struct FileRules {
    ruleset: RulesetCreated,
}

/// What of a confined program's files is the system's: paths that it reads and executes.
pub(super) fn system_paths() -> impl Iterator<Item = PathBuf> {
    let settings = SETTINGS.iter().map(|name| Path::new("/etc").join(name));
    SYSTEM.iter().map(PathBuf::from).chain(settings)
}

/// Devices that a confined program reads and writes.
pub(super) fn devices() -> &'static [&'static str] {
    DEVICES
}

impl FileRules {
    /// Opens what is granted. What of the system is missing is left out; what was granted for writing must be there.
    pub(super) fn open(confinement: &Confinement) -> Result<Self, ConfineError> {
        let read = AccessFs::from_read(WANTED);
        let device =
            AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::IoctlDev | AccessFs::Truncate;
        let mut rules = Self { ruleset: ruleset(confinement.network)? };
        for path in system_paths().chain(confinement.read.iter().cloned()) {
            rules = rules.grant_if_there(&path, read)?;
        }
        for path in devices() {
            rules = rules.grant_if_there(Path::new(path), device)?;
        }
        if confinement.level == ConfinementLevel::Isolated {
            // Nothing else is there to be listed or written.
            rules = rules.grant_if_there(Path::new("/"), AccessFs::ReadDir.into())?;
            for path in OWN {
                rules = rules.grant_if_there(Path::new(path), AccessFs::from_all(WANTED))?;
            }
        }
        for path in &confinement.write {
            let step = format!("use the folder {}", path.display());
            let opened = PathFd::new(path).map_err(ConfineError::at(step))?;
            rules = rules.grant(opened, path, AccessFs::from_all(WANTED))?;
        }
        Ok(rules)
    }

    fn grant_if_there(self, path: &Path, access: BitFlags<AccessFs>) -> Result<Self, ConfineError> {
        match PathFd::new(path) {
            Ok(opened) => self.grant(opened, path, access),
            Err(_) => Ok(self),
        }
    }

    fn grant(
        self,
        opened: PathFd,
        path: &Path,
        access: BitFlags<AccessFs>,
    ) -> Result<Self, ConfineError> {
        let is_folder = rustix::fs::fstat(&opened)
            .is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode).is_dir());
        let access = if is_folder { access } else { access & AccessFs::from_file(WANTED) };
        let added = self.ruleset.add_rule(PathBeneath::new(opened, access));
        let step = format!("grant {}", path.display());
        Ok(Self { ruleset: added.map_err(ConfineError::at(step))? })
    }

    /// Holds this thread to the rules; gives the version of Landlock in force.
    pub(super) fn apply(self) -> Result<ABI, ConfineError> {
        let status = self.ruleset.restrict_self().map_err(ConfineError::at("apply Landlock"))?;
        in_force(&status).ok_or_else(|| {
            ConfineError::at("apply Landlock")(format!("it is not in force: {:?}", status.ruleset))
        })
    }
}

/// An error that is not seen would be no boundary at all: the status is read.
fn in_force(status: &RestrictionStatus) -> Option<ABI> {
    match status.landlock {
        LandlockStatus::Available { effective_abi, .. }
            if status.ruleset != RulesetStatus::NotEnforced && effective_abi >= NEEDED =>
        {
            Some(effective_abi)
        }
        _ => None,
    }
}

fn ruleset(network: NetworkAccess) -> Result<RulesetCreated, ConfineError> {
    let step = "prepare Landlock (version 3 is needed: Linux 6.2, with `landlock` among the security modules)";
    let needed = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(NEEDED))
        .map_err(ConfineError::at(step))?
        .set_compatibility(CompatLevel::BestEffort);
    let wanted = needed
        .handle_access(AccessFs::from_all(WANTED))
        .and_then(|ruleset| ruleset.scope(Scope::from_all(WANTED)))
        .map_err(ConfineError::at(step))?;
    let wanted = match network {
        NetworkAccess::Open => wanted,
        NetworkAccess::None => {
            wanted.handle_access(AccessNet::from_all(WANTED)).map_err(ConfineError::at(step))?
        }
    };
    wanted.create().map_err(ConfineError::at(step))
}
