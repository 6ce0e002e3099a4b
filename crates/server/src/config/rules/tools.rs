//! The rules of `[tools]`: a name that means no tool protects nothing, so it is an error; so is a folder or a command that
//! cannot be what it is meant to be.

use std::{collections::BTreeSet, path::Path};

use abide_services::AllowedHosts;
use abide_tools::{FOREIGN_PREFIX, Registry, TOOL_PARTS, pattern_means};
use abide_workspace::{CommandRules, FolderAccess, NamedFolder};

use crate::{
    agents::{keeper_tool_names, named_folder},
    config::{Config, problem::Problem},
};

/// All that is wrong in `[tools]` as a whole.
pub(super) fn check(config: &Config) -> Vec<Problem> {
    let shell = &config.settings.tools.shell;
    let rules = CommandRules::new(&shell.allow, &shell.deny).err();
    let rules = rules
        .map(|error| config.problem(&format!("tools.shell.{}", error.list), &error.describe()));
    let hosts = [
        ("tools.internet.allowed", &config.settings.tools.internet.allowed),
        ("tools.rss.allowed", &config.settings.tools.rss.allowed),
    ];
    let hosts = hosts.into_iter().filter_map(|(path, texts)| {
        let error = AllowedHosts::parse(texts).err()?;
        Some(config.problem(path, &format!("has an entry that is no host: {error}")))
    });
    unknown_names(config).into_iter().chain(folders(config)).chain(rules).chain(hosts).collect()
}

/// Folders without a name or a path, and those of which one lies in the other.
fn folders(config: &Config) -> Vec<Problem> {
    let files = &config.settings.tools.files;
    let lists =
        [("read", &files.read, FolderAccess::Read), ("write", &files.write, FolderAccess::Write)];
    let mut problems = Vec::new();
    let mut known: Vec<NamedFolder> = Vec::new();
    let texts = lists.into_iter().flat_map(|(list, texts, access)| {
        texts.iter().map(move |text| (list, text, named_folder(text, access)))
    });
    for (list, text, folder) in texts {
        let other =
            folder.as_ref().and_then(|folder| known.iter().find(|other| overlap(other, folder)));
        let message = match (&folder, other) {
            (None, _) => format!(
                "has \"{text}\"; a folder is written \"name=/absolute/path\", and \"work\" is every agent's own, as \"skills\" and \"own_skills\" are"
            ),
            (_, Some(other)) => {
                let other = &other.name;
                format!("has \"{text}\", which is or lies in the folder `{other}` or has its name")
            }
            (Some(_), None) => {
                known.extend(folder);
                continue;
            }
        };
        problems.push(config.problem(&format!("tools.files.{list}"), &message));
    }
    problems
}

fn overlap(one: &NamedFolder, other: &NamedFolder) -> bool {
    one.name == other.name || one.path.starts_with(&other.path) || other.path.starts_with(&one.path)
}

/// Patterns that mean no tool of this program.
fn unknown_names(config: &Config) -> Vec<Problem> {
    let probe = Some(&config.settings.test.probe_file).filter(|path| !path.is_empty());
    let Ok(registry) = Registry::builtin(probe.map(Path::new)) else { return Vec::new() };
    let known: BTreeSet<String> = registry
        .specs()
        .map(|spec| spec.name.clone())
        .chain(TOOL_PARTS.map(str::to_owned))
        .chain(keeper_tool_names())
        .collect();
    let means_something = |pattern: &&String| {
        known.iter().any(|name| pattern_means(pattern, name)) || names_server(config, pattern)
    };
    let known_text = known.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    let mut problems = Vec::new();
    for (path, patterns) in policy_lists(config) {
        for pattern in patterns.iter().filter(|pattern| !means_something(pattern)) {
            if may_be_made(config, &path, pattern, &known) {
                continue;
            }
            let message =
                format!("names \"{pattern}\", but there is no such tool; tools are {known_text}");
            problems.push(config.problem(&path, &message));
        }
    }
    problems
}

/// Whether a pattern of `ask` or `deny` may mean tools that agents make for themselves: those stand in namespaces that no other tool has.
fn may_be_made(config: &Config, path: &str, pattern: &str, known: &BTreeSet<String>) -> bool {
    let space = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    let is_known = known.iter().any(|name| space(name) == space(pattern));
    let is_strict = matches!(path.rsplit('.').next(), Some("ask" | "deny"));
    is_strict
        && config.settings.evolution.enabled
        && !is_known
        && !pattern.starts_with(FOREIGN_PREFIX)
}

/// The lists of tools: those of all agents, and those of single ones.
fn policy_lists(config: &Config) -> Vec<(String, &[String])> {
    let tools = &config.settings.tools;
    let mut lists = vec![
        ("tools.allow".to_owned(), &*tools.allow),
        ("tools.ask".to_owned(), &*tools.ask),
        ("tools.deny".to_owned(), &*tools.deny),
    ];
    for (index, agent) in config.settings.agents.iter().enumerate() {
        let own = &agent.tools;
        let own = [("allow", &own.allow), ("ask", &own.ask), ("deny", &own.deny)];
        let given = own.into_iter().filter_map(|(name, list)| Some((name, list.as_deref()?)));
        lists.extend(given.map(|(name, list)| (format!("agent[{index}].tools.{name}"), list)));
    }
    lists
}

/// Whether a pattern means tools of the servers of `[[mcp]]`. Which tools those have is not known before they are started.
fn names_server(config: &Config, pattern: &str) -> bool {
    let servers = &config.settings.mcp;
    pattern == "mcp.*"
        || servers.iter().any(|server| pattern.starts_with(&format!("mcp.{}.", server.name)))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::config::{Config, Environment, Sources};

    #[test]
    fn a_name_that_means_no_tool_is_an_error() {
        let environment = Environment::default();
        let read = |list: &str| {
            let sources =
                Sources { file: Path::new("abide.toml"), environment: &environment, flags: &[] };
            Config::from_text(&format!("[tools]\n{list}\n"), sources)
        };
        for list in [
            "allow = [\"*\"]",
            "ask = [\"memory.remember_fact\", \"clock.*\"]",
            "deny = [\"stdout.grant\", \"stdout.*\", \"stdout\"]",
            "ask = [\"files.*\", \"shell.run\"]",
            "[tools.files]\nread = [\"docs=/srv/docs\"]\nwrite = [\"site=/srv/site\"]",
            "allow = [\"rss.*\", \"internet.fetch\"]\n[tools.internet]\nallowed = [\"*.example.org\"]",
            "[[agent]]\nid = \"a\"\n[agent.tools]\nallow = [\"memory.*\"]\ndeny = []",
            "[tools.shell]\nallow = [\"cargo test\", \"git log *\"]\ndeny = [\"git push\"]",
        ] {
            assert!(read(list).is_ok(), "{list}: {:?}", read(list));
        }
        for (list, problem) in [
            ("ask = [\"memory.remember_facts\"]", "tools.ask names \"memory.remember_facts\""),
            ("deny = [\"stdouts\"]", "tools.deny names \"stdouts\""),
            ("allow = [\"memmory.*\"]", "tools.allow names \"memmory.*\""),
            (
                "[[agent]]\nid = \"a\"\n[agent.tools]\nask = [\"clock.nwo\"]",
                "agent[0].tools.ask names \"clock.nwo\"",
            ),
            ("[tools.files]\nread = [\"docs=srv\"]", "tools.files.read has \"docs=srv\""),
            ("[tools.files]\nwrite = [\"work=/srv\"]", "\"work\" is every agent's own"),
            ("[tools.files]\nwrite = [\"own_skills=/srv\"]", "\"own_skills\" are"),
            (
                "[tools.files]\nread = [\"a=/srv\"]\nwrite = [\"b=/srv/b\"]",
                "lies in the folder `a`",
            ),
            ("[tools.internet]\nallowed = [\"http://x\"]", "tools.internet.allowed has an entry"),
            ("[tools.shell]\nallow = [\"bash *\"]", "tools.shell.allow has \"bash *\""),
            ("[tools.shell]\ndeny = [\"a; b\"]", "tools.shell.deny has \"a; b\""),
        ] {
            let error = read(list).unwrap_err().to_string();
            assert!(error.contains(problem), "{list}: {error}");
        }
    }
}
