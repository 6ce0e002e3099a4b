//! `\wake ?(condition) prompt ---`: to be woken once (decision 50); `\wake ---` lists, `\wake cancel: id ---` takes back.

use std::fmt::Write as _;

use abide_domain::{
    SpaceName, WakeId,
    event::{WakeCancelled, WakeSet},
    limits::{WAKE_CONDITION_CHARS_MAX, WAKE_PROMPT_CHARS_MAX, WAKES_MAX},
    text::indented,
};
use abide_grammar::{BodyNode, Command, Condition, Field, Literal, Operand};

use super::{error::ConsoleError, run::CommandRun};
use crate::state::check_calls;

impl CommandRun<'_> {
    pub(super) fn wake(&mut self, command: &Command) -> Result<String, ConsoleError> {
        let text = command.text();
        if text.is_empty() || text.eq_ignore_ascii_case("list:") {
            return Ok(self.list_wakes());
        }
        if let Some(id) = argument(&text, "cancel") {
            return self.cancel_wake(id);
        }
        let mut content = command.content();
        let Some(BodyNode::Condition(mut condition)) = content.take_form()? else {
            let text = r"No condition. Usage: \wake ?(from(@bob) or sleep(2h)) what to do then ---";
            return Err(ConsoleError::refused(text));
        };
        let prompt = content.rest();
        if self.agent(self.me()).is_none() {
            let text = format!("{} is no agent here: only agents can be woken", self.me());
            return Err(ConsoleError::refused(text));
        }
        if let Ok(me) = self.me().bare().parse() {
            condition.bind_me(&me);
        }
        check_calls(&condition).map_err(|error| ConsoleError::from(*error))?;
        check_questions(&condition)?;
        self.check_steps()?;
        self.check_places(&condition)?;
        let chars = prompt.chars().count();
        if prompt.is_empty() || chars > WAKE_PROMPT_CHARS_MAX {
            let text = format!(
                r"The prompt has {chars} characters; 1 to {WAKE_PROMPT_CHARS_MAX}. Usage: \wake ?(condition) prompt ---"
            );
            return Err(ConsoleError::refused(text));
        }
        self.set_wake(&condition, prompt)
    }

    fn set_wake(&mut self, condition: &Condition, prompt: String) -> Result<String, ConsoleError> {
        let staged = self.staged.iter().filter(|event| event.kind().name == "wake.set").count();
        let staged = staged + self.before.wakes_set;
        let waiting = self.services.view.read().entities.wakes.of(self.me()).len();
        if waiting + staged >= WAKES_MAX {
            let text = format!(
                r"You wait for {} things already; at most {WAKES_MAX}. Take one back: \wake cancel: id ---",
                waiting + staged
            );
            return Err(ConsoleError::refused(text));
        }
        let wake_id = WakeId::new(&*self.services.ids, self.now());
        let condition = condition.to_string();
        let chars = condition.chars().count();
        if chars > WAKE_CONDITION_CHARS_MAX {
            return Err(ConsoleError::refused(format!(
                "The condition has {chars} characters; at most {WAKE_CONDITION_CHARS_MAX}"
            )));
        }
        let answer = format!("You will be woken once when {condition} holds [wake {wake_id}]");
        self.stage(WakeSet { wake_id, condition, prompt: prompt.into() })?;
        Ok(answer)
    }

    /// Agents that wake each other without end are stopped like those that talk without end.
    fn check_steps(&self) -> Result<(), ConsoleError> {
        let hops = self.services.settings.limits.hops;
        if self.hop() <= hops {
            return Ok(());
        }
        Err(ConsoleError::refused(format!(
            "{hops} times one agent led to the next without a person between them: nothing more is waited for (limits.hops)"
        )))
    }

    /// A space that is waited on must be one's own.
    fn check_places(&self, condition: &Condition) -> Result<(), ConsoleError> {
        let spaces = condition.calls().into_iter().filter_map(|call| match call.args.first() {
            Some(Literal::Space(name)) => SpaceName::named(&name.lower()).ok(),
            _ => None,
        });
        spaces.into_iter().try_for_each(|space| self.members_of_mine(&space).map(|_| ()))
    }

    fn list_wakes(&self) -> String {
        let (me, now) = (self.me(), self.now());
        let state = self.services.view.read();
        let wakes = state.entities.wakes.of(me);
        if wakes.is_empty() {
            return format!("{me} waits for nothing");
        }
        let mut text = format!("{me} waits for:");
        for wake in wakes {
            let (_, inputs) = wake.recent_inputs();
            let age = wake.age(now);
            let (id, condition, prompt) = (wake.id, &wake.condition, &wake.prompt);
            let prompt = indented(prompt);
            // Writing into a String cannot fail.
            let _ = write!(text, "\n  [{id}] {condition} {prompt} (set {age}; {inputs} heard)");
        }
        text
    }

    fn cancel_wake(&mut self, id: &str) -> Result<String, ConsoleError> {
        let id = id.trim().to_ascii_lowercase();
        let found: Vec<WakeId> = {
            let state = self.services.view.read();
            let wakes = state.entities.wakes.of(self.me()).iter();
            // Ids begin with their time and are alike there; their ends tell them apart as well.
            let fits = |wake: &WakeId| {
                let text = wake.to_string();
                !id.is_empty() && (text.starts_with(&id) || text.ends_with(&id))
            };
            wakes.map(|wake| wake.id).filter(fits).collect()
        };
        let [wake_id] = found.as_slice() else {
            let problem = if found.is_empty() { "No wake" } else { "More than one wake" };
            return Err(ConsoleError::refused(format!(r"{problem} '{id}'. Try: \wake ---")));
        };
        self.stage(WakeCancelled { wake_id: *wake_id, reason: None })?;
        Ok(format!("Wake {wake_id} is taken back"))
    }
}

/// An entry is evaluated when it comes, a question is asked when the wake is judged: one comparison cannot hold both.
fn check_questions(condition: &Condition) -> Result<(), ConsoleError> {
    let mut mixed = None;
    condition.visit(&mut |expr| {
        let asks = expr.operands().any(|operand| matches!(operand, Operand::Query(_)));
        mixed = mixed.or_else(|| expr.fields().find(|field| asks && *field != Field::Tick));
    });
    mixed.map_or(Ok(()), |field| {
        let field = field.as_str();
        Err(ConsoleError::refused(format!(
            "`{field}` of an entry cannot be compared with what $(…) answers: the entry is evaluated when it comes, the question is asked later. Compare it with a text"
        )))
    })
}

/// What an operation is argument, if the text is that operation.
fn argument<'t>(text: &'t str, operation: &str) -> Option<&'t str> {
    let (word, argument) = text.split_once(':')?;
    word.trim().eq_ignore_ascii_case(operation).then_some(argument)
}
