//! The command language as a person uses it, through the API and the command line.

use abide_domain::EntityName;

use super::Keeper;
use crate::console::{ConsoleError, run_as};

impl Keeper {
    /// Carries commands out as an entity, for a person who may do so. What they change is durable when this returns.
    pub async fn command(
        &self,
        entity: EntityName,
        by: EntityName,
        input: &str,
    ) -> Result<String, ConsoleError> {
        run_as(self.services(), entity, by, input).await
    }
}
