//! The files of searches: for each agent one with its search, written after generations, and one with its cases, written once.
//!
//! A file says its version and the SHA-256 of what follows; one that says it wrongly is set aside and never read as something else.
//! All of it may be deleted. A case holds numbers and places, never what was said.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use abide_domain::AgentId;
use abide_evolution::search::RankedCase;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use sha2::{Digest as _, Sha256};

use super::record::SearchRecord;
use crate::home::{LinkRule, read_regular, write_atomically};

/// The version of both kinds of files.
const VERSION: u32 = 1;
/// Longest file that is read: 500 cases of 100 passages take some 30 MB.
const FILE_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// How the name of a search's file ends, and that of its cases.
const SEARCH_SUFFIX: &str = ".search.json";
const CASES_SUFFIX: &str = ".cases.json";
/// What is put behind the name of a file that is set aside.
const ASIDE_SUFFIX: &str = ".damaged";

/// The first line of a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FileHead {
    version: u32,
    sha256: String,
}

/// Where searches lie.
#[derive(Clone, Debug)]
pub(super) struct SearchFolder(PathBuf);

/// What stands in a file.
#[derive(Debug, PartialEq)]
pub(super) enum SearchFileContent<T> {
    /// There is none.
    Absent,
    /// What was written.
    Whole(T),
    /// It was not what was written; it is set aside. Why, in words for people.
    SetAside(String),
}

impl SearchFolder {
    pub(super) const fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// The agents that have a search here, in the order of names.
    pub(super) fn agents(&self) -> Vec<AgentId> {
        let found = fs::read_dir(&self.0).into_iter().flatten().flatten();
        let agent = |entry: fs::DirEntry| {
            entry.file_name().to_str()?.strip_suffix(SEARCH_SUFFIX)?.parse().ok()
        };
        let mut agents: Vec<AgentId> = found.filter_map(agent).collect();
        agents.sort();
        agents
    }

    /// The search of an agent.
    pub(super) fn read_search(&self, agent: &AgentId) -> SearchFileContent<SearchRecord> {
        let content = self.read::<SearchRecord>(&self.search_file(agent));
        match content {
            SearchFileContent::Whole((record, _)) if record.agent == *agent => {
                SearchFileContent::Whole(record)
            }
            SearchFileContent::Whole(_) => {
                self.set_aside(&self.search_file(agent), "it is another agent's")
            }
            SearchFileContent::Absent => SearchFileContent::Absent,
            SearchFileContent::SetAside(why) => SearchFileContent::SetAside(why),
        }
    }

    /// Writes a search.
    pub(super) fn write_search(&self, record: &SearchRecord) -> io::Result<()> {
        self.write(&self.search_file(&record.agent), record).map(drop)
    }

    /// The cases of an agent's search, with the SHA-256 of what holds them.
    pub(super) fn read_cases(
        &self,
        agent: &AgentId,
    ) -> SearchFileContent<(Vec<RankedCase>, String)> {
        self.read(&self.cases_file(agent))
    }

    /// Writes cases and reads them back: a search that goes on after a death has the very same numbers.
    pub(super) fn write_cases(
        &self,
        agent: &AgentId,
        cases: &[RankedCase],
    ) -> io::Result<(Vec<RankedCase>, String)> {
        self.write(&self.cases_file(agent), &cases)?;
        match self.read_cases(agent) {
            SearchFileContent::Whole(read) => Ok(read),
            SearchFileContent::Absent => Err(io::ErrorKind::NotFound.into()),
            SearchFileContent::SetAside(why) => Err(io::Error::other(why)),
        }
    }

    /// Removes the cases of a search that has ended.
    pub(super) fn remove_cases(&self, agent: &AgentId) -> io::Result<()> {
        match fs::remove_file(self.cases_file(agent)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn search_file(&self, agent: &AgentId) -> PathBuf {
        self.0.join(format!("{agent}{SEARCH_SUFFIX}"))
    }

    fn cases_file(&self, agent: &AgentId) -> PathBuf {
        self.0.join(format!("{agent}{CASES_SUFFIX}"))
    }

    fn write(&self, path: &Path, content: &impl Serialize) -> io::Result<()> {
        let body = serde_json::to_vec(content)?;
        let head = FileHead { version: VERSION, sha256: hex::encode(Sha256::digest(&body)) };
        let mut text = serde_json::to_vec(&head)?;
        text.push(b'\n');
        text.extend(body);
        fs::create_dir_all(&self.0)?;
        write_atomically(path, &text)
    }

    fn read<T: DeserializeOwned>(&self, path: &Path) -> SearchFileContent<(T, String)> {
        let text = match read_regular(path, LinkRule::Refuse, FILE_BYTES_MAX) {
            Ok(None) => return SearchFileContent::Absent,
            Ok(Some(text)) => text,
            Err(error) => return self.set_aside(path, &error.to_string()),
        };
        let Some((head, body)) = text.split_once('\n') else {
            return self.set_aside(path, "it has no first line");
        };
        let head: FileHead = match serde_json::from_str(head) {
            Ok(head) => head,
            Err(error) => return self.set_aside(path, &error.to_string()),
        };
        if head.version != VERSION {
            let why = format!("it has version {}, and this keeper knows {VERSION}", head.version);
            return self.set_aside(path, &why);
        }
        if head.sha256 != hex::encode(Sha256::digest(body)) {
            return self.set_aside(path, "its checksum does not fit");
        }
        match serde_json::from_str(body) {
            Ok(content) => SearchFileContent::Whole((content, head.sha256)),
            Err(error) => self.set_aside(path, &error.to_string()),
        }
    }

    /// Puts a file out of the way; an earlier one that was is replaced.
    fn set_aside<T>(&self, path: &Path, why: &str) -> SearchFileContent<T> {
        let mut aside = path.as_os_str().to_owned();
        aside.push(ASIDE_SUFFIX);
        let moved = fs::rename(path, &aside);
        let (name, folder) = (Path::new(&aside).file_name().unwrap_or_default(), self.0.display());
        let name = name.display();
        let said = match &moved {
            Ok(()) => format!("{why}; it is set aside as {name} in {folder}"),
            Err(error) => format!("{why}; it cannot be set aside as {name} in {folder}: {error}"),
        };
        tracing::warn!(event = "search_file_set_aside", path = %path.display(), why = said,
            "a file of a search is not what was written");
        SearchFileContent::SetAside(said)
    }
}

#[cfg(test)]
mod tests {
    use abide_domain::{EntityName, Timestamp};
    use abide_evolution::search::{FeatureRow, RankedCase, SearchBudget, SearchKind, SearchRun};

    use super::{SearchFileContent, SearchFolder, SearchRecord};

    fn record() -> SearchRecord {
        let budget = SearchBudget {
            kind: SearchKind::Structure,
            generations: 3,
            population: 12,
            seed: u64::MAX,
        };
        SearchRecord {
            agent: "felix".parse().unwrap(),
            by: EntityName::keeper(),
            started_at: Timestamp::from_micros(1_700_000_000_000_001),
            budget,
            record_seq: 7,
            cases: None,
            run: Some(SearchRun::new(budget).unwrap()),
            worked_ms: 12,
            report: None,
            outcome: None,
        }
    }

    #[test]
    fn what_was_written_is_read_and_what_is_damaged_is_set_aside() {
        let home = tempfile::tempdir().unwrap();
        let folder = SearchFolder::new(home.path().join("searches"));
        let (record, path) = (record(), home.path().join("searches/felix.search.json"));
        assert_eq!(folder.read_search(&record.agent), SearchFileContent::Absent);
        folder.write_search(&record).unwrap();
        assert_eq!(folder.agents(), std::slice::from_ref(&record.agent));
        assert_eq!(folder.read_search(&record.agent), SearchFileContent::Whole(record.clone()));
        let text = std::fs::read_to_string(&path).unwrap();
        for (damaged, why) in [
            (text.replace("\"worked_ms\":12", "\"worked_ms\":13"), "checksum"),
            (text.replace("\"version\":1", "\"version\":2"), "version 2"),
            (text[..text.len() / 2].to_owned(), "checksum"),
            (String::new(), "first line"),
        ] {
            std::fs::write(&path, damaged).unwrap();
            let SearchFileContent::SetAside(said) = folder.read_search(&record.agent) else {
                panic!("{why}: it was read");
            };
            assert!(said.contains(why) && said.contains("felix.search.json.damaged"), "{said}");
            assert_eq!(folder.read_search(&record.agent), SearchFileContent::Absent);
        }
        std::fs::write(home.path().join("searches/ivy.search.json"), &text).unwrap();
        let other = folder.read_search(&"ivy".parse().unwrap());
        assert!(matches!(other, SearchFileContent::SetAside(why) if why.contains("another agent")));
    }

    #[test]
    fn cases_are_the_same_each_time_they_are_read() {
        let home = tempfile::tempdir().unwrap();
        let folder = SearchFolder::new(home.path().to_owned());
        let rows = [0.0, 0.1, 0.3, 0.7].map(|score| FeatureRow::named(&[("score", score)]));
        let case = RankedCase::new(1.7e9, rows.to_vec(), vec![3]).unwrap();
        let case = case.with_today(vec![3, 2, 1, 0]).unwrap();
        let agent = "felix".parse().unwrap();
        let written = folder.write_cases(&agent, &[case]).unwrap();
        assert_eq!(folder.read_cases(&agent), SearchFileContent::Whole(written));
        folder.remove_cases(&agent).unwrap();
        folder.remove_cases(&agent).unwrap();
        assert_eq!(folder.read_cases(&agent), SearchFileContent::Absent);
        assert!(folder.agents().is_empty());
    }
}
