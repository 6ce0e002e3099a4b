//! What every command works with.

use super::{error::CliError, terminal::Terminal};
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
    pub(crate) fn sender(&self, given: Option<&str>) -> String {
        if let Some(given) = given {
            return given.to_owned();
        }
        let config = self.config().ok();
        let partners = config.iter().flat_map(|config| &config.settings.agents);
        let mut partners = partners.flat_map(|agent| &agent.partners);
        let owner = partners.find(|partner| partner.role == "owner");
        owner.map_or_else(|| "user".to_owned(), |owner| owner.id.to_lowercase())
    }

    /// Creates the home folder, where it does not exist.
    pub(crate) fn create_home(&self) -> Result<(), CliError> {
        self.home.create().map_err(|error| {
            CliError::new(format!("{} cannot be created", self.home.root().display()))
                .caused_by(&error)
        })
    }
}
