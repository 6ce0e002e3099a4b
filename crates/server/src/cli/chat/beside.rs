//! What happens beside the conversation: other epochs of the agent, and servers that ask something.

use abide_domain::{envelope::Channel, visible_line};
use serde_json::Value;

use super::{ChatSession, LastLine};
use crate::cli::{
    client::{Call, Client},
    error::CliError,
    json_text::text,
    stream::StreamEvent,
};

impl ChatSession<'_> {
    /// An event of an epoch that was not begun here. Whoever sits at the terminal counts as somebody who can be asked, so that
    /// approvals are shown, and answers that nobody waits for anywhere: those to a schedule or a wake.
    pub(super) async fn handle_event_of_another(
        &mut self,
        event: &StreamEvent,
    ) -> Result<(), CliError> {
        if event.name == "approval.decided" {
            self.note_decided(&event.data);
        }
        if !self.context.terminal.is_interactive() {
            return Ok(());
        }
        match event.name.as_str() {
            "approval.requested" => {
                self.show_approval_of_another(text(&event.data, "/data/approval_id")).await
            }
            "epoch.aborted" => {
                let ended = text(&event.data, "/epoch");
                self.others.retain(|approval| text(approval, "/epoch_id") != ended);
                Ok(())
            }
            "mcp.question_asked" => self.note_question(&event.data),
            "epoch.committed" => self.show_unasked(text(&event.data, "/epoch")).await,
            _ => Ok(()),
        }
    }

    /// A server asks something of a person.
    pub(super) fn note_question(&mut self, event: &Value) -> Result<(), CliError> {
        self.end_line()?;
        self.leave_prompt();
        let server = visible_line(text(event, "/data/server"));
        self.context.terminal.say(&format!(
            "the server {server} asks you something, and its call waits: `abide mcp questions` shows it"
        ));
        Ok(())
    }

    /// Shows the answer to a stimulus of the keeper's own.
    async fn show_unasked(&mut self, epoch: &str) -> Result<(), CliError> {
        let client = Client::find(self.context)?;
        let epoch = client.fetch(Call::get(&format!("/epochs/{epoch}"))).await?;
        let reply = text(&epoch, "/final_response");
        if text(&epoch, "/stimulus/channel") != Channel::System.as_str() || reply.is_empty() {
            return Ok(());
        }
        self.end_line()?;
        self.leave_prompt();
        let (agent, asked) = (&self.agent, visible_line(text(&epoch, "/session_id")));
        self.context.terminal.say_dimmed(&format!("{agent}, unasked ({asked}):"));
        self.show_reply(reply)
    }

    /// Goes on below the prompt, where that is the last thing on the screen.
    pub(super) fn leave_prompt(&mut self) {
        if self.events.last_line == LastLine::Prompt {
            self.context.terminal.say("");
            self.events.last_line = LastLine::Ended;
        }
    }
}
