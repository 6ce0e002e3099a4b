//! The tools that minds are given: those that are built in, and those that the configuration gives folders and commands.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use abide_deck::CardTable;
use abide_domain::{AgentId, Clock};
use abide_http::{AddressPolicy, ClientSettings, Secret};
use abide_services::{
    AllowedHosts, AllowedHostsError, EdhrecSettings, InternetSettings, MEDIA_TOOL_NAMES,
    MusicControl, RssSettings, ScryfallSettings, ServiceCheck, SteamSettings, check_edhrec,
    check_internet, check_rss, check_scryfall, check_steam, edhrec_tools, internet_tools,
    media_tools, rss_tools, scryfall_tools, steam_tools,
};
use abide_tools::{
    CardSource, PROPOSE_TOOL_NAME, ProposeEvolution, Registry, RegistryError, Tool,
    deck_tool_names, deck_tools,
};
use abide_workspace::{
    CommandRules, CommandRulesError, FileToolSettings, FolderAccess, FolderResolver, NamedFolder,
    ReadSkill, RunCommand, ShellSettings, Skills, UndoLimits, file_tools,
};

use futures_util::future::BoxFuture;

use super::{command_runner::SandboxedCommands, grants::refusal, sandbox_probe::SandboxProbe};
use crate::{
    cards::CardStore,
    config::{Environment, FilesSection, Settings},
    home::{Home, SKILLS_FOLDER},
};

/// The name of an agent's own folder.
const OWN_FOLDER: &str = "work";
/// The name by which an agent reads the folder of its own skills.
const OWN_SKILLS_FOLDER: &str = "own_skills";
/// Where in an agent's folder lies what can be taken back; its process cannot reach it.
const UNDO_FOLDER: &str = "undo";
/// The tool that says what others play with a commander.
const RECOMMENDATIONS: &str = "edhrec.get_recommendations";
/// The names of the tools for services.
const SERVICE_TOOL_NAMES: [&str; 17] = [
    "edhrec.get_recommendations",
    "internet.fetch",
    "internet.list_allowed",
    "internet.search",
    "rss.check",
    "rss.export_opml",
    "rss.fetch",
    "rss.import_opml",
    "rss.list",
    "rss.subscribe",
    "rss.unsubscribe",
    "scryfall.get_card_details",
    "scryfall.search",
    "steam.get_installed",
    "steam.get_library",
    "steam.get_recent_games",
    "steam.resolve_id",
];

/// The names of all tools that are the keeper's own, also of those that a configuration or a folder of skills must first bring; but for
/// those of tests.
pub(crate) fn keeper_tool_names() -> impl Iterator<Item = String> {
    let builtin = Registry::builtin(None).unwrap_or_default();
    let builtin: Vec<String> = builtin.specs().map(|spec| spec.name.clone()).collect();
    let others = abide_workspace::TOOL_NAMES.into_iter().chain(SERVICE_TOOL_NAMES);
    let others = others.chain([PROPOSE_TOOL_NAME]).map(str::to_owned);
    let media = MEDIA_TOOL_NAMES.into_iter().map(str::to_owned);
    builtin.into_iter().chain(others).chain(media).chain(deck_tool_names())
}

/// Says why the tools cannot be set up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ToolSetupError {
    /// A tool cannot be registered.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// A folder of `[tools.files]` that is given to no agent.
    #[error("the folder `{name}` of [tools.files] cannot be given to agents: {why}")]
    Folder {
        /// Its name.
        name: String,
        /// Why.
        why: &'static str,
    },
    /// A rule of `[tools.shell]`.
    #[error(transparent)]
    Rules(#[from] CommandRulesError),
    /// A host of `[tools.internet]` or `[tools.rss]`.
    #[error(transparent)]
    Hosts(#[from] AllowedHostsError),
    /// This program's own file is not known.
    #[error("the path of this program cannot be determined")]
    Program(#[from] io::Error),
}

/// What of the keeper tools are made with.
pub(crate) struct ToolParts<'a> {
    /// The present.
    pub(crate) clock: &'a Arc<dyn Clock>,
    /// What confines commands.
    pub(crate) probe: &'a Arc<SandboxProbe>,
    /// The cards of decks.
    pub(crate) cards: CardStore,
    /// What is played.
    pub(crate) music: Arc<dyn MusicControl>,
}

/// All tools of a keeper but those of servers. Makes nothing and starts nothing.
pub(crate) fn registry(
    home: &Home,
    settings: &Settings,
    environment: &Environment,
    parts: ToolParts<'_>,
) -> Result<Registry, ToolSetupError> {
    let ToolParts { clock, probe, cards, music } = parts;
    let probe_file = Some(&settings.test.probe_file).filter(|file| !file.is_empty());
    let mut registry = Registry::builtin(probe_file.map(Path::new))?;
    let user = environment.get("HOME").map(Path::new).filter(|user| user.is_absolute());
    let folders: Arc<dyn FolderResolver> =
        Arc::new(AgentFolders::new(home, user, &settings.tools.files)?);
    let commands = SandboxedCommands::new(
        home,
        settings,
        environment,
        (Arc::clone(clock), Arc::clone(probe)),
    )?;
    let files = FileToolSettings {
        resolver: Arc::clone(&folders),
        clock: Arc::clone(clock),
        undo: UndoLimits::default(),
    };
    let mut tools: Vec<Arc<dyn Tool>> = file_tools(files);
    let shell = shell_settings(settings)?;
    tools.push(Arc::new(RunCommand::new(shell, folders, Arc::new(commands))));
    let skills = Skills::read(&[home.skills_folder()]);
    warn_of_problems(&skills);
    tools.extend(ReadSkill::new(skills).map(|tool| Arc::new(tool) as Arc<dyn Tool>));
    tools.extend(service_tools(home, settings, environment, clock)?);
    // Where nobody turned EDHREC on, what fits a commander is looked up in the card table alone.
    let is_edhrec = |tool: &&Arc<dyn Tool>| tool.spec().name == RECOMMENDATIONS;
    let recommendations = tools.iter().find(is_edhrec).filter(|_| settings.tools.edhrec.enabled);
    let recommendations = recommendations.map(Arc::clone);
    tools.extend(deck_tools(Arc::new(DeckCards(cards)), recommendations));
    // Without folders there is nothing to hear.
    if !settings.media.folders.is_empty() {
        tools.extend(media_tools(&music));
    }
    if settings.evolution.enabled {
        tools.push(Arc::new(ProposeEvolution::new()));
    }
    tools.into_iter().try_for_each(|tool| registry.add(tool))?;
    Ok(registry)
}

/// The cards of the keeper, as tools ask for them.
#[derive(Debug)]
struct DeckCards(CardStore);

impl CardSource for DeckCards {
    fn table(&self) -> BoxFuture<'_, Result<Arc<CardTable>, String>> {
        Box::pin(async move { self.0.table().await.map_err(|error| error.to_string()) })
    }
}

/// What one agent alone has: where it has skills of its own, the tool that reads those with the skills of all. Makes nothing.
pub(super) fn own_registry(home: &Home, agent: &AgentId) -> Result<Registry, RegistryError> {
    let own = home.agent_skills_folder(agent);
    let skills = Skills::read(std::slice::from_ref(&own));
    warn_of_problems(&skills);
    if skills.found.is_empty() {
        return Ok(Registry::default());
    }
    let tool = ReadSkill::new(Skills::read(&[home.skills_folder(), own]));
    Registry::new(tool.map(|tool| Arc::new(tool) as Arc<dyn Tool>))
}

fn warn_of_problems(skills: &Skills) {
    for problem in &skills.problems {
        tracing::warn!(event = "skill_left_out", error = %problem, "a skill cannot be used");
    }
}

/// Tools for services outside.
fn service_tools(
    home: &Home,
    settings: &Settings,
    environment: &Environment,
    clock: &Arc<dyn Clock>,
) -> Result<Vec<Arc<dyn Tool>>, AllowedHostsError> {
    let http = ClientSettings::new(AddressPolicy::Public, Arc::clone(clock));
    let cache = home.cache_folder();
    let mut tools = internet_tools(&internet_settings(settings, environment)?, &http);
    tools.extend(rss_tools(&rss_settings(settings, &cache)?, &http));
    tools.extend(scryfall_tools(&scryfall_settings(settings, &cache), &http));
    tools.extend(edhrec_tools(&edhrec_settings(settings, &cache), &http));
    tools.extend(steam_tools(&steam_settings(settings, environment), &http));
    Ok(tools)
}

/// What works of the services, and what a key would add, for `doctor`. Asks a SearXNG that is named one small question.
pub(crate) async fn check_services(
    home: &Home,
    settings: &Settings,
    environment: &Environment,
    clock: Arc<dyn Clock>,
) -> Result<Vec<ServiceCheck>, AllowedHostsError> {
    let http = ClientSettings::new(AddressPolicy::Any, clock);
    let cache = home.cache_folder();
    let mut checks = check_internet(&internet_settings(settings, environment)?, &http).await;
    checks.extend(check_rss(&rss_settings(settings, &cache)?));
    checks.extend(check_scryfall(&scryfall_settings(settings, &cache)));
    checks.extend(check_edhrec(&edhrec_settings(settings, &cache)));
    checks.extend(check_steam(&steam_settings(settings, environment)).await);
    Ok(checks)
}

fn addresses(private: bool) -> AddressPolicy {
    if private { AddressPolicy::Any } else { AddressPolicy::Public }
}

/// The value of a variable that the configuration names.
fn secret(environment: &Environment, name: &str) -> Option<Secret> {
    let value = Some(name).filter(|name| !name.is_empty()).and_then(|name| environment.get(name));
    value.map(Secret::new)
}

fn internet_settings(
    settings: &Settings,
    environment: &Environment,
) -> Result<InternetSettings, AllowedHostsError> {
    let section = &settings.tools.internet;
    Ok(InternetSettings {
        allowed: AllowedHosts::parse(&section.allowed)?,
        addresses: addresses(section.private),
        searxng_url: Some(section.searxng_url.clone()).filter(|url| !url.is_empty()),
        brave_key: secret(environment, &section.brave_key_env),
        brave_key_env: section.brave_key_env.clone(),
        ..InternetSettings::default()
    })
}

fn rss_settings(settings: &Settings, cache: &Path) -> Result<RssSettings, AllowedHostsError> {
    let section = &settings.tools.rss;
    Ok(RssSettings {
        allowed: AllowedHosts::parse(&section.allowed)?,
        addresses: addresses(section.private),
        ..RssSettings::new(cache.join("rss"))
    })
}

fn scryfall_settings(settings: &Settings, cache: &Path) -> ScryfallSettings {
    let found = ScryfallSettings::new(cache.join("scryfall"));
    match settings.tools.scryfall.url.as_str() {
        "" => found,
        // A person wrote it down.
        url => ScryfallSettings { url: url.to_owned(), addresses: AddressPolicy::Any, ..found },
    }
}

fn edhrec_settings(settings: &Settings, cache: &Path) -> EdhrecSettings {
    let enabled = settings.tools.edhrec.enabled;
    EdhrecSettings { enabled, ..EdhrecSettings::new(cache.join("edhrec")) }
}

fn steam_settings(settings: &Settings, environment: &Environment) -> SteamSettings {
    let section = &settings.tools.steam;
    let usual = || environment.get("HOME").map(|home| SteamSettings::usual_roots(Path::new(home)));
    let roots = match section.roots.as_slice() {
        [] => usual().unwrap_or_default(),
        roots => roots.iter().map(PathBuf::from).collect(),
    };
    let found = SteamSettings {
        key: secret(environment, &section.key_env),
        key_env: section.key_env.clone(),
        steam_id: Some(section.id.clone()).filter(|id| !id.is_empty()),
        roots,
        ..SteamSettings::default()
    };
    match section.url.as_str() {
        "" => found,
        // A person wrote it down.
        url => SteamSettings { url: url.to_owned(), addresses: AddressPolicy::Any, ..found },
    }
}

fn shell_settings(settings: &Settings) -> Result<ShellSettings, CommandRulesError> {
    let shell = &settings.tools.shell;
    Ok(ShellSettings {
        rules: CommandRules::new(&shell.allow, &shell.deny)?,
        network: shell.network,
        seconds: shell.seconds,
        seconds_max: shell.seconds_max,
    })
}

/// The folders of each agent: its own, and those of the configuration.
#[derive(Debug)]
struct AgentFolders {
    home: Home,
    configured: Vec<NamedFolder>,
}

impl AgentFolders {
    fn new(
        home: &Home,
        user: Option<&Path>,
        section: &FilesSection,
    ) -> Result<Self, ToolSetupError> {
        let lists = [(&section.read, FolderAccess::Read), (&section.write, FolderAccess::Write)];
        let configured = lists.into_iter().flat_map(|(list, access)| {
            list.iter().filter_map(move |text| named_folder(text, access))
        });
        let configured: Vec<NamedFolder> = configured.collect();
        for folder in &configured {
            if let Some(why) = refusal(home.root(), user, &folder.path) {
                return Err(ToolSetupError::Folder { name: folder.name.clone(), why });
            }
        }
        Ok(Self { home: home.clone(), configured })
    }
}

/// A folder of the configuration, as `name=/path`.
pub(crate) fn named_folder(text: &str, access: FolderAccess) -> Option<NamedFolder> {
    let (name, path) = text.split_once('=')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_fine = !name.is_empty()
        && ![OWN_FOLDER, SKILLS_FOLDER, OWN_SKILLS_FOLDER].contains(&name)
        && name.chars().all(is_name)
        && !name.starts_with('.')
        && path.starts_with('/');
    is_fine.then(|| NamedFolder { name: name.to_owned(), path: PathBuf::from(path), access })
}

impl FolderResolver for AgentFolders {
    fn folders(&self, agent: &AgentId) -> Arc<[NamedFolder]> {
        let (name, path) = (OWN_FOLDER.to_owned(), self.home.work_folder(agent));
        let own = NamedFolder { name, path, access: FolderAccess::Write };
        let skills = [
            (SKILLS_FOLDER, self.home.skills_folder()),
            (OWN_SKILLS_FOLDER, self.home.agent_skills_folder(agent)),
        ];
        // People's words alone: no agent changes what tells it how to work.
        let skills = skills.into_iter().filter(|(_, path)| path.is_dir());
        let skills = skills.map(|(name, path)| NamedFolder {
            name: name.to_owned(),
            path,
            access: FolderAccess::Read,
        });
        [own].into_iter().chain(skills).chain(self.configured.iter().cloned()).collect()
    }

    fn undo_folder(&self, agent: &AgentId) -> PathBuf {
        self.home.agent_folder(agent).join(UNDO_FOLDER)
    }
}
