//! The time zone of this machine: the variable TZ, else what the system is set to, else UTC.

use std::path::Path;

use abide_domain::Zone;

use super::environment::Environment;
use crate::home::{LinkRule, read_regular};

/// Longest file with the name of a zone.
const NAME_FILE_BYTES_MAX: u64 = 256;
/// What stands before a zone's name in the path of its file.
const DATABASE: &str = "zoneinfo/";

/// The zone that the user or this machine is set to. A zone that the database does not know is none.
pub(crate) fn system_zone(environment: &Environment) -> Zone {
    if let Some(set) = environment.get("TZ") {
        let name = set.trim_start_matches(':');
        let name = name.split_once(DATABASE).map_or(name, |(_, name)| name);
        return Zone::named(name).unwrap_or_default();
    }
    linked(Path::new("/etc/localtime"))
        .or_else(|| written(Path::new("/etc/timezone")))
        .unwrap_or_default()
}

/// The zone whose file a link leads to.
fn linked(path: &Path) -> Option<Zone> {
    let target = std::fs::read_link(path).ok()?;
    let (_, name) = target.to_str()?.split_once(DATABASE)?;
    let name = name.trim_start_matches("posix/").trim_start_matches("right/");
    Zone::named(name).ok()
}

/// The zone whose name stands in a file.
fn written(path: &Path) -> Option<Zone> {
    let text = read_regular(path, LinkRule::Follow, NAME_FILE_BYTES_MAX).ok()??;
    Zone::named(text.trim()).ok()
}

#[cfg(test)]
mod tests {
    use super::{linked, system_zone, written};
    use crate::config::Environment;

    #[test]
    fn the_variable_wins_over_what_the_system_is_set_to() {
        for (set, zone) in [
            ("Europe/Berlin", "Europe/Berlin"),
            (":Asia/Tokyo", "Asia/Tokyo"),
            (":/usr/share/zoneinfo/America/New_York", "America/New_York"),
            ("UTC", "UTC"),
            ("Mars/Olympus", "UTC"),
        ] {
            let environment: Environment = [("TZ", set)].into_iter().collect();
            assert_eq!(system_zone(&environment).name(), zone, "{set}");
        }
    }

    #[test]
    fn a_link_or_a_file_names_the_zone() {
        let folder = tempfile::tempdir().unwrap();
        let (link, file) = (folder.path().join("localtime"), folder.path().join("timezone"));
        assert!(linked(&link).is_none() && written(&file).is_none());
        std::os::unix::fs::symlink("/usr/share/zoneinfo/Europe/Paris", &link).unwrap();
        std::fs::write(&file, "Europe/Madrid\n").unwrap();
        assert_eq!(linked(&link).unwrap().name(), "Europe/Paris");
        assert_eq!(written(&file).unwrap().name(), "Europe/Madrid");
    }
}
