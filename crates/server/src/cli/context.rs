//! What every command works with.

use abide_domain::EntityName;

use super::{error::CliError, short_name::short_name, terminal::Terminal};
use crate::{
    config::{Config, Environment, Sources},
    home::Home,
};

/// What every command works with.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) home: Home,
    pub(crate) environment: Environment,
    pub(crate) terminal: Terminal,
}

impl Context {
    /// The configuration of the home folder.
    pub(crate) fn config(&self) -> Result<Config, CliError> {
        let file = self.home.config_file();
        let sources = Sources { file: &file, environment: &self.environment, flags: &[] };
        Ok(Config::load(sources)?)
    }

    /// The name of whoever uses this home: the one that was given, else that of an agent's owner, else `user`.
    pub(crate) fn sender(&self, given: Option<&str>) -> Result<String, CliError> {
        if let Some(given) = given {
            return match EntityName::sender(given) {
                Ok(_) => Ok(given.to_owned()),
                Err(_) => Err(not_a_name(given)),
            };
        }
        let config = self.config().ok();
        let partners = config.iter().flat_map(|config| &config.settings.agents);
        let mut partners = partners.flat_map(|agent| &agent.partners);
        let owner = partners.find(|partner| partner.role == "owner");
        Ok(owner.map_or_else(|| "user".to_owned(), |owner| owner.id.to_lowercase()))
    }

    /// Creates the home folder, where it does not exist.
    pub(crate) fn create_home(&self) -> Result<(), CliError> {
        self.home.create().map_err(|error| {
            CliError::new(format!("{} cannot be created", self.home.root().display()))
                .caused_by(&error)
        })
    }
}

/// People type their whole name; what is kept of somebody is kept under a short one.
fn not_a_name(given: &str) -> CliError {
    let error = CliError::new(format!(
        "{given:?} cannot be a sender: a sender is a short name of a-z, 0-9, `.`, `_` and `-`"
    ));
    match short_name(given) {
        name if name.is_empty() => error,
        name => error.hint(format!("for example --sender {name}")),
    }
}
