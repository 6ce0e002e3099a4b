//! Calls that wait for whoever chats: those of the awaited epoch are answered by the next line, y or n; those of other epochs by a
//! command that names them, so that no line which was meant for the agent decides anything.

use std::sync::atomic::Ordering;

use abide_domain::{Clock as _, visible, visible_line};
use serde_json::{Value, json};

use super::{AskedApproval, ChatSession, TypedLine};
use crate::{
    cli::{
        client::{Call, Client},
        error::CliError,
        json_text::{display, items, text},
        moment::relative_text,
    },
    system::SystemClock,
};

/// Characters of an approval's id that name it here: the last ones, for the first are those of the time.
const SHORT_ID_CHARS: usize = 6;

impl ChatSession<'_> {
    /// Shows what waits already when the conversation begins.
    pub(super) async fn show_waiting(&mut self) -> Result<(), CliError> {
        if !self.context.terminal.is_interactive() {
            return Ok(());
        }
        let answer = Client::find(self.context)?.fetch(Call::get("/approvals")).await?;
        let all = items(&answer, "/items").iter();
        let own = all.filter(|approval| text(approval, "/citizen") == self.agent);
        let ids: Vec<String> = own.map(|approval| text(approval, "/id").to_owned()).collect();
        for id in ids {
            self.show_approval_of_another(&id).await?;
        }
        Ok(())
    }

    /// Asks about a call of the awaited epoch.
    pub(super) async fn ask_approval(&mut self, id: &str) -> Result<(), CliError> {
        let Some(approval) = self.waiting(id).await? else { return Ok(()) };
        let until = self.show_wanted(&approval)?;
        self.context.terminal.say_part(&format!("allow it ({until})? y or n: "));
        let question = self.questions.fetch_add(1, Ordering::SeqCst) + 1;
        self.approvals.push_back(AskedApproval { approval, question });
        Ok(())
    }

    /// Shows a call of another epoch, and how to decide about it.
    pub(super) async fn show_approval_of_another(&mut self, id: &str) -> Result<(), CliError> {
        let Some(approval) = self.waiting(id).await? else { return Ok(()) };
        let until = self.show_wanted(&approval)?;
        let short = short_id(&approval);
        self.context.terminal.say(&format!(
            "that is of another conversation and {until}: `/approve {short}` or `/deny {short}` decides"
        ));
        self.others.push(approval);
        Ok(())
    }

    /// Whether the line answered the question that stands last on the screen.
    pub(super) async fn take_answer(&mut self, line: &TypedLine) -> Result<bool, CliError> {
        let Some(AskedApproval { approval, question }) = self.approvals.front() else {
            return Ok(false);
        };
        // Through a pipe everything is there from the start.
        if line.questions < *question && self.context.terminal.is_interactive() {
            self.context.terminal.say_part(
                "a line that was typed before the question is no answer to it; allow it? y or n: ",
            );
            return Ok(true);
        }
        let decision = match line.text.trim().to_lowercase().as_str() {
            "y" | "yes" => "approve",
            "n" | "no" => "deny",
            _ => {
                self.context.terminal.say_part("please answer y or n: ");
                return Ok(true);
            }
        };
        let id = text(approval, "/id").to_owned();
        self.approvals.pop_front();
        self.decide(&id, decision).await?;
        Ok(true)
    }

    /// Whether the line was a decision about a call of another epoch.
    pub(super) async fn take_decision(&mut self, line: &str) -> Result<bool, CliError> {
        let mut words = line.split_whitespace();
        let decision = match words.next() {
            Some("/approve") => "approve",
            Some("/deny") => "deny",
            _ => return Ok(false),
        };
        let (named, rest) = (words.next().unwrap_or_default(), words.next());
        let found = self.others.iter().position(|approval| short_id(approval) == named);
        if let Some(position) = found.filter(|_| rest.is_none()) {
            let id = text(&self.others.remove(position), "/id").to_owned();
            self.decide(&id, decision).await?;
            return Ok(true);
        }
        let shorts: Vec<&str> = self.others.iter().map(short_id).collect();
        let waiting = match &*shorts.join(", ") {
            "" => "none of another conversation waits".to_owned(),
            shorts => format!("those that wait: {shorts}"),
        };
        self.context.terminal.say(&format!("which call? {waiting}"));
        Ok(true)
    }

    /// A decision was made, here or elsewhere.
    pub(super) fn note_decided(&mut self, event: &Value) {
        let id = text(event, "/data/approval_id");
        let before = self.approvals.len();
        self.approvals.retain(|asked| text(&asked.approval, "/id") != id);
        if self.approvals.len() < before {
            // What is decided here was taken off before.
            self.context.terminal.say("that was decided elsewhere");
        }
        self.others.retain(|approval| text(approval, "/id") != id);
    }

    async fn decide(&self, id: &str, decision: &str) -> Result<(), CliError> {
        let path = format!("/approvals/{id}");
        let client = Client::find(self.context)?;
        let decided = client.fetch(Call::post(&path, &json!({"decision": decision}))).await;
        if let Err(error) = decided {
            self.context.terminal.say(&error.to_string());
        }
        Ok(())
    }

    /// The approval of that id, if it still waits.
    async fn waiting(&self, id: &str) -> Result<Option<Value>, CliError> {
        let client = Client::find(self.context)?;
        let answer = client.fetch(Call::get("/approvals")).await?;
        let mut all = items(&answer, "/items").iter();
        Ok(all.find(|approval| text(approval, "/id") == id).cloned())
    }

    /// Shows what is to run and what it would change; gives how long that waits.
    fn show_wanted(&mut self, approval: &Value) -> Result<String, CliError> {
        self.leave_prompt();
        self.end_line()?;
        // On one line: a title of several could look like a question that was answered.
        let arguments = display(approval, "/arguments");
        let (tool, arguments) = (visible_line(text(approval, "/tool")), visible_line(&arguments));
        self.context.terminal.say(&format!("{} wants to run {tool} {arguments}", self.agent));
        // Behind a bar, so that no line of it passes for one of this program's.
        let preview = visible(text(approval, "/preview"));
        preview.lines().for_each(|line| self.context.terminal.say(&format!("  | {line}")));
        let deadline = text(approval, "/deadline");
        let soon = relative_text(deadline, SystemClock::new().now());
        Ok(soon.map_or_else(|| format!("until {deadline}"), |soon| format!("ends {soon}")))
    }
}

fn short_id(approval: &Value) -> &str {
    let id = text(approval, "/id");
    id.get(id.len().saturating_sub(SHORT_ID_CHARS)..).unwrap_or(id)
}
