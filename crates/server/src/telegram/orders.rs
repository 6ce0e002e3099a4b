//! What people order of the bot itself: commands, and presses of its buttons. Each is answered once, now or never.

use abide_channels::telegram::{BotCommand, ButtonPress, ChatCommand, MessageLocation};
use abide_domain::{EntityName, EpochId, event::Decision};
use abide_engine::run_epoch::DecideError;

use super::{
    context::{BotContext, ReplySpot},
    texts, unanswered,
};
use crate::api::agent_summary;

/// Answers that `/again` looks at for the one that is meant.
const AGAIN_LOOKS_MAX: usize = 50;

impl BotContext {
    /// Carries out a command.
    pub(super) async fn run_command(&self, order: ChatCommand) {
        let ChatCommand { location, topic, about, is_group, command } = order;
        let spot = ReplySpot { location, topic };
        let answer = match command {
            BotCommand::Help => {
                texts::format_help(&self.agent, Some(&*self.name).filter(|_| is_group))
            }
            BotCommand::Status => agent_summary(&self.app, &self.keeper.state(), &self.agent),
            // What was stopped says so itself, where it was asked.
            BotCommand::Stop if self.stop(location, topic).await > 0 => return,
            BotCommand::Stop => texts::NOTHING_TO_STOP.to_owned(),
            BotCommand::Again => return self.show_again(spot, about).await,
        };
        self.reply_now(spot, &answer).await;
    }

    /// Shows an answer once more, because somebody asks for it: the newest in the conversation, or the one to a message.
    async fn show_again(&self, spot: ReplySpot, about: Option<i64>) {
        let keeper = &self.keeper;
        let chat = spot.location.chat;
        // An answer to what is no question of this chat, such as to the bot's own remark, means the newest.
        let mut candidates = unanswered::ended_answers(keeper, chat, about);
        if candidates.is_empty() {
            candidates = unanswered::ended_answers(keeper, chat, None);
        }
        for epoch in candidates.into_iter().take(AGAIN_LOOKS_MAX) {
            let Ok(Some(record)) = keeper.epoch(epoch.0).await else { continue };
            if unanswered::topic_of(&record) != spot.topic {
                continue;
            }
            for text in texts::format_answer_messages(&record) {
                self.reply_now(spot, &text).await;
            }
            return;
        }
        self.reply_now(spot, texts::NOTHING_AGAIN).await;
    }

    /// Aborts what was asked in a chat, or a topic of it, before a message, and counts it: a command that comes again aborts
    /// nothing that came after it.
    async fn stop(&self, location: MessageLocation, topic: Option<i64>) -> usize {
        let MessageLocation { chat, message: before } = location;
        let epochs: Vec<EpochId> = {
            let state = self.keeper.state();
            let epochs = state.running.values().filter_map(|record| {
                let spot = unanswered::location_of(record)?;
                let is_here = spot.chat == chat && unanswered::topic_of(record) == topic;
                (is_here && spot.message < before).then_some(record.id)
            });
            epochs.collect()
        };
        let mut stopped = 0;
        for epoch in epochs {
            match self.keeper.abort(epoch, "stopped on Telegram".to_owned()).await {
                Ok(()) => stopped += 1,
                Err(error) => {
                    tracing::info!(%epoch, channel = "telegram", event = "stop_refused", %error, "an epoch could not be stopped; it has probably ended");
                }
            }
        }
        stopped
    }

    /// Decides by a pressed button, and tells who pressed it.
    pub(super) async fn answer_press(&self, press: ButtonPress) {
        let answer = self.decide(&press).await;
        if let Err(error) = self.bot.answer_button_press(&press.query, answer).await {
            tracing::info!(channel = "telegram", event = "press_not_answered", %error, "a press of a button was not answered");
        }
    }

    /// Decides, if the approval was asked for in the chat of the button: what a button carries can be forged.
    async fn decide(&self, press: &ButtonPress) -> &'static str {
        let Some(choice) = press.choice else { return texts::UNKNOWN_BUTTON };
        let is_here = {
            let (state, moved) = (self.keeper.state(), &self.moved);
            let mut records = state.running.values();
            records.any(|record| {
                record.has_approval(choice.approval)
                    && unanswered::location_of(record)
                        .is_some_and(|spot| moved.current(spot.chat) == press.location.chat)
            })
        };
        if !is_here {
            return texts::DECIDED_BEFORE;
        }
        let sender = self.sender_name(&press.sender);
        let by = EntityName::sender(&sender).unwrap_or_else(|_| EntityName::keeper());
        let keeper = &self.keeper;
        match keeper.decide(choice.approval, choice.decision, None, by).await {
            Ok(()) if choice.decision == Decision::Approve => texts::APPROVED,
            Ok(()) => texts::DENIED,
            Err(DecideError::NotFound | DecideError::AlreadyDecided) => texts::DECIDED_BEFORE,
            Err(DecideError::Unavailable) => texts::NOT_RECORDED,
        }
    }
}
