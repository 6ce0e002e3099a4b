//! Distilling by a model: one question a step and part, one repair, JSON back.
//!
//! What a model claims is checked: a fact whose words no person said in the exchanges that it names is left out (BC-29). A
//! reply that is missing, refused, cut or no JSON of the required form is a failure, never an empty result (BC-28).
//!
//! Reading order: here the question; `prompt` (its text); `answer` (what is read of the answer).

use std::time::Duration;

use abide_domain::{
    AgentId,
    event::UsageRecord,
    turn::{MindError, Thought, TurnRequest},
    voice::VoiceError,
};
use abide_memory::{DistillAnswer, DistillInput, DistillOutcome, Distiller, FoundDream, FoundFact};
use abide_models::Reasoner;
use futures_util::future::BoxFuture;

mod answer;
mod prompt;

use answer::AnswerError;
use prompt::Prompt;

use crate::side_question::SideQuestion;

/// How often a step's question is asked: the second time with what was wrong.
const ATTEMPTS_MAX: u32 = 2;
/// How long after its own deadline a question is given up.
const GRACE: Duration = Duration::from_secs(5);

/// Distils by asking a model in the keeper.
#[derive(Debug)]
pub struct ModelDistiller {
    agent: AgentId,
    reasoner: Reasoner,
    deadline: Duration,
}

impl ModelDistiller {
    /// Asks for one agent, each time so long at most.
    pub fn new(agent: AgentId, reasoner: Reasoner, deadline: Duration) -> Self {
        Self { agent, reasoner, deadline }
    }

    /// Asks until an answer can be used, or it is known that none will come.
    async fn ask<T>(
        &self,
        material: &DistillInput,
        prompt: Prompt,
        read: impl Fn(&str) -> Result<Option<T>, AnswerError>,
    ) -> DistillAnswer<T> {
        let mut usage: Option<UsageRecord> = None;
        let mut repair: Option<VoiceError> = None;
        for attempt in 1..=ATTEMPTS_MAX {
            let request = self.request(material, &prompt, attempt, repair.take());
            let asked = self.reasoner.think(&request, &|_| {});
            let answered = tokio::time::timeout(self.deadline + GRACE, asked).await;
            let problem = match answered {
                Err(_) => {
                    let seconds = self.deadline.as_secs();
                    return failed(format!("the model gave no answer within {seconds} s"), usage);
                }
                Ok(Err(MindError::BadVoice { problem, usage: spent })) => {
                    add(&mut usage, spent.into());
                    problem.to_string()
                }
                Ok(Err(error)) => {
                    if let MindError::Refused { usage: spent, .. } = &error {
                        add(&mut usage, spent.clone().into());
                    }
                    return failed(error.to_string(), usage);
                }
                Ok(Ok(Thought { voice, usage: spent, .. })) => {
                    add(&mut usage, spent.into());
                    match read(voice.final_response.as_deref().unwrap_or_default()) {
                        Ok(Some(found)) => {
                            return DistillAnswer { outcome: DistillOutcome::Found(found), usage };
                        }
                        Ok(None) => return DistillAnswer { outcome: DistillOutcome::Empty, usage },
                        Err(error) => error.to_string(),
                    }
                }
            };
            repair = Some(VoiceError::new("", problem));
        }
        let problem = repair.map_or_else(String::new, |problem| problem.to_string());
        failed(
            format!("the model's answer could not be used, even after one repair: {problem}"),
            usage,
        )
    }

    fn request(
        &self,
        material: &DistillInput,
        prompt: &Prompt,
        attempt: u32,
        repair: Option<VoiceError>,
    ) -> TurnRequest {
        let question = SideQuestion {
            agent: self.agent.clone(),
            asker: "sleep",
            system: prompt.system.as_str().into(),
            message: prompt.message.as_str().into(),
            now: material.now,
            deadline: self.deadline,
        };
        TurnRequest { attempt, repair, ..question.into_request() }
    }
}

impl Distiller for ModelDistiller {
    fn name(&self) -> String {
        self.reasoner.name()
    }

    fn is_paid(&self) -> bool {
        true
    }

    fn facts<'a>(
        &'a self,
        material: &'a DistillInput,
    ) -> BoxFuture<'a, DistillAnswer<Vec<FoundFact>>> {
        let read = |text: &str| answer::facts(text, material);
        Box::pin(self.ask(material, prompt::facts(material), read))
    }

    fn identity<'a>(&'a self, material: &'a DistillInput) -> BoxFuture<'a, DistillAnswer<String>> {
        let read = |text: &str| answer::identity(text, material);
        Box::pin(self.ask(material, prompt::identity(material), read))
    }

    fn dream<'a>(&'a self, material: &'a DistillInput) -> BoxFuture<'a, DistillAnswer<FoundDream>> {
        Box::pin(self.ask(material, prompt::dream(material), answer::dream))
    }
}

fn failed<T>(why: String, usage: Option<UsageRecord>) -> DistillAnswer<T> {
    DistillAnswer { outcome: DistillOutcome::Failed(why), usage }
}

fn add(sum: &mut Option<UsageRecord>, more: UsageRecord) {
    *sum = UsageRecord::sum(sum.take(), Some(more));
}
