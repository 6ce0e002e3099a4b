//! The registry that holds now. Tools of other programs come and go while agents work: what uses several tools in a row takes
//! one registry and keeps it until it is done. What one agent alone has by the configuration is laid over it, and what an agent made
//! for itself lies beneath: it takes the place of nothing.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use arc_swap::ArcSwap;
use tokio::sync::watch;

use abide_domain::{AgentId, tool::ToolSpec};

use crate::{OwnParts, Registry, ToolMeanings, own_parts::AllOwnParts};

/// A registry that can be replaced: what all agents of a keeper have.
#[derive(Debug)]
pub struct SharedRegistry {
    current: ArcSwap<Registry>,
    meanings: Option<ToolMeanings>,
    made: ArcSwap<AllOwnParts>,
    /// False while it is known that agents made something and not yet what.
    is_made_known: watch::Sender<bool>,
}

impl SharedRegistry {
    /// One that begins with the given registry.
    pub fn new(registry: Registry) -> Self {
        Self {
            current: ArcSwap::from_pointee(registry),
            meanings: None,
            made: ArcSwap::default(),
            is_made_known: watch::Sender::new(true),
        }
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

    /// From now on, until it is set, what agents made is waited for.
    pub fn expect_own_parts(&self) {
        self.is_made_known.send_replace(false);
    }

    /// Puts what agents made for themselves in force, in place of all that they had made before.
    pub fn set_own_parts(&self, made: impl IntoIterator<Item = (AgentId, OwnParts)>) {
        let made = made.into_iter().map(|(agent, parts)| (agent, Arc::new(parts)));
        self.made.store(Arc::new(made.collect()));
        self.is_made_known.send_replace(true);
    }
}

/// The tools that exist for one agent: those of all, and its own in place of those of the same names. A cheap clone.
#[derive(Clone, Debug)]
pub struct AgentTools {
    shared: Arc<SharedRegistry>,
    own: Arc<Registry>,
    agent: Option<AgentId>,
}

impl AgentTools {
    /// Those of all, and its own.
    pub fn new(shared: Arc<SharedRegistry>, own: Registry) -> Self {
        Self { shared, own: Arc::new(own), agent: None }
    }

    /// The same with what that agent made for itself.
    #[must_use]
    pub fn of_agent(self, agent: AgentId) -> Self {
        Self { agent: Some(agent), ..self }
    }

    /// What the agent made for itself, as it is in force now.
    pub fn own_parts(&self) -> Option<Arc<OwnParts>> {
        self.shared.made.load().get(self.agent.as_ref()?).filter(|made| !made.is_empty()).cloned()
    }

    /// Waits until it is known what the agent made, at most so long: after a start its code is loaded first.
    pub async fn settled(&self, within: Duration) {
        let mut known = self.shared.is_made_known.subscribe();
        // Without it the agent does what it can by itself.
        drop(tokio::time::timeout(within, known.wait_for(|is_known| *is_known)).await);
    }

    /// The names of the tools that the agent made and that no other tool has.
    pub fn made_names(&self) -> BTreeSet<String> {
        let Some(made) = self.own_parts() else { return BTreeSet::new() };
        let given = self.given();
        let is_free = |name: &String| given.get(name).is_err();
        made.tools().specs().map(|spec| spec.name.clone()).filter(is_free).collect()
    }

    /// How like each of these tools is to a text by meaning, in their order; empty where that is not known.
    pub async fn likeness(&self, specs: &[ToolSpec], text: &str) -> Vec<f64> {
        self.shared.likeness(specs, text).await
    }

    /// Its tools now.
    pub fn current(&self) -> Arc<Registry> {
        let given = self.given();
        match self.own_parts() {
            Some(made) => Arc::new(made.tools().overlaid(&given)),
            None => given,
        }
    }

    /// Those that it did not make itself.
    pub fn given(&self) -> Arc<Registry> {
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
    use crate::{Now, OwnParts, Recall, Registry, Stdout, Tool};

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

    #[test]
    fn what_an_agent_made_is_there_for_it_alone_and_takes_the_place_of_nothing() {
        let shared = Arc::new(SharedRegistry::new(registry(vec![Arc::new(Now::new())])));
        let felix = AgentTools::new(Arc::clone(&shared), Registry::default());
        let iris = felix.clone().of_agent("iris".parse().unwrap());
        let felix = felix.of_agent("felix".parse().unwrap());
        let made = registry(vec![Arc::new(Recall::new())]);
        shared.set_own_parts([("felix".parse().unwrap(), OwnParts::new(made, []))]);
        let names = |tools: &AgentTools| -> Vec<String> {
            tools.current().specs().map(|spec| spec.name.clone()).collect()
        };
        assert_eq!(names(&felix), ["clock.now", "memory.recall"]);
        assert_eq!(names(&iris), ["clock.now"]);
        assert!(felix.made_names().contains("memory.recall"));
        shared.replace(registry(vec![Arc::new(Recall::new())]));
        assert_eq!(names(&felix), ["memory.recall"]);
        assert!(felix.made_names().is_empty(), "the keeper's own of that name holds");
        shared.set_own_parts([]);
        assert!(felix.own_parts().is_none());
    }
}
