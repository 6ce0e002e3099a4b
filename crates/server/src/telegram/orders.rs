//! What people order of the bot itself: commands, and presses of its buttons. Each is answered once, now or never.

use abide_channels::telegram::{
    ApprovalChoice, BotCommand, ButtonChoice, ButtonPress, ChatCommand, MessageLocation,
    QuestionChoice,
};
use abide_domain::{
    EntityName, EpochId,
    event::{Decision, McpAnswer},
};
use abide_engine::{run_epoch::DecideError, state::EpochRecord};

use super::{
    context::{BotContext, ReplySpot},
    server_questions, texts, unanswered,
};
use crate::{api::agent_summary, mcp_servers::AnswerError};

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
        let answer = match press.choice {
            Some(ButtonChoice::Approval(choice)) => self.decide(&press, choice).await,
            Some(ButtonChoice::Question(choice)) => self.answer_server(&press, choice).await,
            None => texts::UNKNOWN_BUTTON,
        };
        if let Err(error) = self.bot.answer_button_press(&press.query, answer).await {
            tracing::info!(channel = "telegram", event = "press_not_answered", %error, "a press of a button was not answered");
        }
    }

    /// Decides, if the approval was asked for in the chat of the button: what a button carries can be forged.
    async fn decide(&self, press: &ButtonPress, choice: ApprovalChoice) -> &'static str {
        if !self.is_asked_here(press, |record| record.has_approval(choice.approval)) {
            return texts::DECIDED_BEFORE;
        }
        let (by, keeper) = (self.author_of(press), &self.keeper);
        match keeper.decide(choice.approval, choice.decision, None, by).await {
            Ok(()) if choice.decision == Decision::Approve => texts::APPROVED,
            Ok(()) => texts::DENIED,
            Err(DecideError::NotFound | DecideError::AlreadyDecided) => texts::DECIDED_BEFORE,
            Err(DecideError::Unavailable) => texts::NOT_RECORDED,
        }
    }

    /// Answers what a server asks, under the same condition.
    async fn answer_server(&self, press: &ButtonPress, choice: QuestionChoice) -> &'static str {
        let Some(servers) = self.app.servers() else { return texts::NOT_RECORDED };
        let questions = servers.questions();
        let mut waiting = questions.waiting().into_iter();
        let Some(question) = waiting.find(|question| question.id == choice.question) else {
            return texts::DECIDED_BEFORE;
        };
        let epoch = question.origin.as_ref().map(|call| call.epoch);
        if !self.is_asked_here(press, |record| epoch == Some(record.id)) {
            return texts::DECIDED_BEFORE;
        }
        let Some(answer) = server_questions::pressed(&question, choice.answer) else {
            return texts::UNKNOWN_BUTTON;
        };
        match questions.answer(question.id, answer, self.author_of(press)).await {
            Ok(McpAnswer::Accepted) => texts::ANSWERED,
            Ok(_) => texts::DECLINED,
            Err(AnswerError::Unknown | AnswerError::Over) => texts::DECIDED_BEFORE,
            Err(AnswerError::CallEnded) => texts::CALL_ENDED,
            Err(AnswerError::NotRecorded(_)) => texts::NOT_RECORDED,
            // Its form has no such answer.
            Err(AnswerError::Values(_) | AnswerError::NoForm) => texts::UNKNOWN_BUTTON,
        }
    }

    /// Whether one of the running epochs for which that is true was asked in the chat of a button.
    fn is_asked_here(&self, press: &ButtonPress, is_it: impl Fn(&EpochRecord) -> bool) -> bool {
        let state = self.keeper.state();
        state.running.values().any(|record| {
            let spot = unanswered::location_of(record);
            let is_here =
                |spot: MessageLocation| self.moved.current(spot.chat) == press.location.chat;
            is_it(record) && spot.is_some_and(is_here)
        })
    }

    /// Who pressed a button.
    fn author_of(&self, press: &ButtonPress) -> EntityName {
        let sender = self.sender_name(&press.sender);
        EntityName::sender(&sender).unwrap_or_else(|_| EntityName::keeper())
    }
}
