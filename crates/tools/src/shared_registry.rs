//! The registry that holds now. Tools of other programs come and go while agents work: what uses several tools in a row takes
//! one registry and keeps it until it is done. What one agent alone has is laid over it.

use std::sync::Arc;

use arc_swap::ArcSwap;

use abide_domain::tool::ToolSpec;

use crate::{Registry, ToolMeanings};

/// A registry that can be replaced: what all agents of a keeper have.
#[derive(Debug)]
pub struct SharedRegistry {
    current: ArcSwap<Registry>,
    meanings: Option<ToolMeanings>,
}

impl SharedRegistry {
    /// One that begins with the given registry.
    pub fn new(registry: Registry) -> Self {
        Self { current: ArcSwap::from_pointee(registry), meanings: None }
    }

    /// The same, whose tools are found by meaning too.
    #[must_use]
    pub fn with_meanings(self, meanings: Option<ToolMeanings>) -> Self {
        Self { meanings, ..self }
    }

    /// How like each of these tools is to a text by meaning, in their order; empty where that is not known.
    pub async fn likeness(&self, specs: &[ToolSpec], text: &str) -> Vec<f64> {
        match &self.meanings {
            Some(meanings) => meanings.likeness(specs, text).await,
            None => Vec::new(),
        }
    }

    /// The registry that holds now.
    pub fn current(&self) -> Arc<Registry> {
        self.current.load_full()
    }

    /// Puts another one in its place, for all that is begun from now on.
    pub fn replace(&self, registry: Registry) {
        self.current.store(Arc::new(registry));
    }
}

/// The tools that exist for one agent: those of all, and its own in place of those of the same names. A cheap clone.
#[derive(Clone, Debug)]
pub struct AgentTools {
    shared: Arc<SharedRegistry>,
    own: Arc<Registry>,
}

impl AgentTools {
    /// Those of all, and its own.
    pub fn new(shared: Arc<SharedRegistry>, own: Registry) -> Self {
        Self { shared, own: Arc::new(own) }
    }

    /// How like each of these tools is to a text by meaning, in their order; empty where that is not known.
    pub async fn likeness(&self, specs: &[ToolSpec], text: &str) -> Vec<f64> {
        self.shared.likeness(specs, text).await
    }

    /// Its tools now.
    pub fn current(&self) -> Arc<Registry> {
        let shared = self.shared.current();
        if self.own.is_empty() { shared } else { Arc::new(shared.overlaid(&self.own)) }
    }
}

impl From<SharedRegistry> for AgentTools {
    /// An agent that has no tools of its own.
    fn from(shared: SharedRegistry) -> Self {
        Self::new(Arc::new(shared), Registry::default())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{AgentTools, SharedRegistry};
    use crate::{Now, Recall, Registry, Stdout, Tool};

    fn registry(tools: Vec<Arc<dyn Tool>>) -> Registry {
        Registry::new(tools).unwrap()
    }

    #[test]
    fn an_agent_s_own_tool_is_there_for_it_alone_and_stays_when_those_of_all_change() {
        let shared = Arc::new(SharedRegistry::new(registry(vec![Arc::new(Now::new())])));
        let own = AgentTools::new(Arc::clone(&shared), registry(vec![Arc::new(Recall::new())]));
        let other = AgentTools::new(Arc::clone(&shared), Registry::default());
        let names = |tools: &AgentTools| -> Vec<String> {
            tools.current().specs().map(|spec| spec.name.clone()).collect()
        };
        assert_eq!(names(&own), ["clock.now", "memory.recall"]);
        assert_eq!(names(&other), ["clock.now"]);
        shared.replace(registry(vec![Arc::new(Stdout::new())]));
        assert_eq!(names(&own), ["memory.recall", "stdout"]);
        assert_eq!(names(&other), ["stdout"]);
    }
}
