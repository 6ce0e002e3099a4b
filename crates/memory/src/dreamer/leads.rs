//! What findings add to go by: the topic of a conversation, the kind and place of a technical matter, its files.

use abide_domain::graph::Node;

use super::cue::keywords;
use crate::{ItemBody, QueryItem};

/// Words of a remembered text that become a lead.
const TOPIC_WORDS_MAX: usize = 6;
/// Longest lead, in Unicode scalar values: a whole description as a needle finds nothing.
const LEAD_CHARS_MAX: usize = 200;
/// Files that are followed.
const FILES_MAX: usize = 3;

/// What was found so far that leads on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Leads {
    /// What was talked about.
    pub(super) topic: Option<String>,
    /// What kind of matter it is.
    pub(super) issue_type: Option<String>,
    /// Where it is.
    pub(super) component: Option<String>,
    /// What it is.
    pub(super) description: Option<String>,
    /// Its files.
    pub(super) files: Vec<String>,
}

impl Leads {
    /// Takes in what a query found, best first. What was known before stays.
    pub(super) fn learn(&mut self, items: &[QueryItem]) {
        for item in items {
            match &item.body {
                ItemBody::Node(Node::Technical(matter)) => {
                    set(&mut self.issue_type, &matter.issue_type);
                    set(&mut self.component, &matter.component);
                    set(&mut self.description, &matter.description);
                    let room = FILES_MAX.saturating_sub(self.files.len());
                    self.files.extend(matter.related_code.iter().take(room).cloned());
                }
                ItemBody::Node(Node::Conversation(talk)) => set(&mut self.topic, &talk.topic),
                ItemBody::Conversation { memory, passages } => {
                    let said = passages.first().map_or("", |passage| passage.text.as_str());
                    let topic = keywords(said, &[]);
                    let topic = topic.into_iter().take(TOPIC_WORDS_MAX).collect::<Vec<_>>();
                    let topic = topic.join(" ");
                    set(&mut self.topic, if topic.is_empty() { &memory.topic } else { &topic });
                }
                _ => {}
            }
        }
    }
}

fn set(lead: &mut Option<String>, text: &str) {
    let text: String = text.trim().chars().take(LEAD_CHARS_MAX).collect();
    if lead.is_none() && !text.is_empty() {
        *lead = Some(text);
    }
}
