//! A person dismisses what an epoch left unanswered: it is asked again by nobody, and reminds nobody any more.

use abide_domain::{EntityName, EpochId, event::EpochDismissed};
use abide_ledger::Draft;

use super::{Keeper, OrderError};

impl Keeper {
    /// Takes an epoch that ended without a reply off the list of what needs a person; what it is stays as it was. Returns once
    /// that is durable.
    pub async fn dismiss(&self, id: EpochId, by: EntityName) -> Result<(), OrderError> {
        let agent = self.span(id)?.agent;
        // Of two who dismiss it at once the second finds it gone.
        let _turn = self.edit_turn().await?;
        if !self.state().failed.iter().any(|failed| failed.epoch == id) {
            return Err(OrderError::NothingWaits(id));
        }
        let event = EpochDismissed {}.into();
        let draft = Draft { entity: agent.entity(), author: by, epoch: Some(id), event };
        let services = self.services();
        let appended = services.ledger.append(vec![draft]).await?;
        services.view.applied(appended.last_seq).await;
        Ok(())
    }
}
