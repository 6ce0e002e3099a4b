//! A tool that a test describes: its class, how long it takes, what it gives. Every execution is noted in the [`ToolRuns`].

use std::{fmt, sync::Arc, time::Duration};

use abide_domain::{
    AgentId,
    tool::{EffectClass, ToolSpec},
};
use abide_tools::{Call, CallProgress, Output, Tool, ToolError};
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::ToolRuns;

type PropWords = Arc<dyn Fn(&CallProgress, u32) + Send + Sync>;
type PropResult = Arc<dyn Fn(&Call<'_>, u32) -> Result<Output, ToolError> + Send + Sync>;

/// A tool on a test's stage. Its effect happens between two waits, so that a death can fall on either side of it.
#[derive(Clone)]
pub struct TestTool {
    spec: ToolSpec,
    before: Duration,
    after: Duration,
    says: Option<(Duration, PropWords)>,
    gives: PropResult,
    preview: Result<Option<String>, ToolError>,
    preview_reads_as: Option<&'static str>,
}

impl TestTool {
    /// A tool that only reads; it gives how often it ran.
    pub fn read(name: &str) -> Self {
        Self::new(name, EffectClass::Read)
    }

    /// A tool that changes the world; it gives how often it ran.
    pub fn world(name: &str) -> Self {
        Self::new(name, EffectClass::World)
    }

    fn new(name: &str, effect: EffectClass) -> Self {
        let spec = ToolSpec {
            name: name.to_owned(),
            description: "A prop of a test.".to_owned(),
            parameters: json!({"type": "object"}),
            effect,
            idempotent: false,
        };
        let gives: PropResult = Arc::new(|call, count| {
            let content = format!("{} done {count}", call.call_id);
            Ok(Output { content, ..Output::default() })
        });
        let (before, after) = (Duration::ZERO, Duration::ZERO);
        Self { spec, before, after, says: None, gives, preview: Ok(None), preview_reads_as: None }
    }

    /// The same, declared safe to run again.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.spec.idempotent = true;
        self
    }

    /// The same with a schema for its arguments.
    #[must_use]
    pub fn taking(mut self, parameters: Value) -> Self {
        self.spec.parameters = parameters;
        self
    }

    /// The same, waiting before and after its effect.
    #[must_use]
    pub fn lasting(mut self, before: Duration, after: Duration) -> Self {
        (self.before, self.after) = (before, after);
        self
    }

    /// The same, saying something so often after its effect; the function is given how often it was said before.
    #[must_use]
    pub fn saying(
        mut self,
        every: Duration,
        says: impl Fn(&CallProgress, u32) + Send + Sync + 'static,
    ) -> Self {
        self.says = Some((every, Arc::new(says)));
        self
    }

    /// The same, giving what a function makes of the call and of how often it ran.
    #[must_use]
    pub fn giving(
        mut self,
        gives: impl Fn(&Call<'_>, u32) -> Result<Output, ToolError> + Send + Sync + 'static,
    ) -> Self {
        self.gives = Arc::new(gives);
        self
    }

    /// The same with what it says beforehand, and the tool that lets an agent see what it looks at for that.
    #[must_use]
    pub fn previewing(
        mut self,
        preview: Result<Option<String>, ToolError>,
        reads_as: Option<&'static str>,
    ) -> Self {
        (self.preview, self.preview_reads_as) = (preview, reads_as);
        self
    }

    /// The same, giving a text.
    #[must_use]
    pub fn giving_text(self, text: impl Into<String>) -> Self {
        let text = text.into();
        self.giving(move |_, _| Ok(Output { content: text.clone(), ..Output::default() }))
    }

    pub(super) fn on_stage(self, world: Arc<ToolRuns>) -> Arc<dyn Tool> {
        Arc::new(BoundTestTool { prop: self, world })
    }

    pub(super) fn name(&self) -> &str {
        &self.spec.name
    }
}

impl fmt::Debug for TestTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prop").field("spec", &self.spec).finish_non_exhaustive()
    }
}

/// A prop with the world that it changes.
#[derive(Debug)]
struct BoundTestTool {
    prop: TestTool,
    world: Arc<ToolRuns>,
}

impl BoundTestTool {
    /// Says what it is to say, as long as it is polled.
    async fn speak(&self, progress: &CallProgress) {
        let Some((every, says)) = &self.prop.says else { return std::future::pending().await };
        for times in 0.. {
            says(progress, times);
            tokio::time::sleep(*every).await;
        }
    }
}

impl Tool for BoundTestTool {
    fn spec(&self) -> &ToolSpec {
        &self.prop.spec
    }

    fn preview<'a>(
        &'a self,
        _: &'a AgentId,
        _: &'a Value,
    ) -> BoxFuture<'a, Result<Option<String>, ToolError>> {
        Box::pin(std::future::ready(self.prop.preview.clone()))
    }

    fn preview_reads_as(&self) -> Option<&'static str> {
        self.prop.preview_reads_as
    }

    fn run<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Output, ToolError>> {
        Box::pin(async move {
            tokio::time::sleep(self.prop.before).await;
            let count = self.world.note(&call, self.prop.spec.idempotent);
            tokio::select! {
                biased;
                () = self.speak(call.progress) => {}
                () = tokio::time::sleep(self.prop.after) => {}
            }
            (self.prop.gives)(&call, count)
        })
    }
}
