//! A row of `abide doctor`: what the running keeper says about agents' private states that were lost or cannot be kept.

use serde_json::Value;

use crate::{
    cli::{
        client::{Call, Client},
        context::Context,
        finding::{Finding, Verdict},
        json_text::{items, text},
    },
    presence::Presence,
};

const NAME: &str = "state";
/// What the ids of all matters about private states begin with.
const PRIVATE_STATE: &str = "private_state";

/// Only a running keeper knows; none where none runs. That it could not be asked is a row of its own.
pub(super) async fn check(context: &Context) -> Option<Finding> {
    Presence::of(&context.home).filter(Presence::is_running)?;
    let asked = async { Client::find(context)?.fetch(Call::get("/attention?limit=500")).await };
    let answer = match asked.await {
        Ok(answer) => answer,
        Err(error) => {
            return Some(Finding::new(NAME, Verdict::Warn, format!("not known: {error}")));
        }
    };
    let is_told = |matter: &&Value| text(matter, "/id").starts_with(PRIVATE_STATE);
    let matters = items(&answer, "/items").iter().filter(is_told);
    let told: Vec<&str> = matters.map(|matter| text(matter, "/summary")).collect();
    Some(if told.is_empty() {
        Finding::new(NAME, Verdict::Ok, "no private state of an agent is lost or cannot be kept")
    } else {
        Finding::new(NAME, Verdict::Fail, told.join("; "))
    })
}
