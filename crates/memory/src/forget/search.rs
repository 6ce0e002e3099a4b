//! Where a matter was said: facts, exchanges, nodes. Reads everything that one agent remembers, which is done seldom.

use std::collections::{BTreeSet, HashMap};

use abide_domain::{EntityName, EpochId, FactId, graph::Node, limits::FORGET_EPOCHS_MAX};

use super::{
    ForgetAuthority, ForgetError, ForgetPlan, ForgetRequest, ForgetTarget, matter::Matter,
};
use crate::{
    Fact, KnowledgeHandle, NodeFilter, NodeState, PAGE_FACTS_MAX,
    distill::{SLOT_TAG, claims_of},
    graph::searchable_text,
    normalise,
    timeline::AttributeQuestion,
};

/// What is looked for, while it is looked for.
struct Search<'a> {
    authority: ForgetAuthority<'a>,
    matter: Matter,
    /// What the request states, as the rules of sleep read it.
    claims: BTreeSet<String>,
    /// Whose words are meant; none for anybody's.
    owner: Option<String>,
    /// Epochs that say it, whatever their words are: those that were named, and the sources of facts that say it.
    named: BTreeSet<EpochId>,
    /// What was named.
    kind: SearchKind,
    /// Facts that say it but are not for whoever asks.
    of_others: BTreeSet<FactId>,
    /// Whether an attribute is meant, whatever its value: `my phone number`.
    takes_slots: bool,
    /// The attribute, as it may be spoken of in other words: `who my dentist is`.
    attribute: Option<AttributeQuestion>,
}

impl KnowledgeHandle {
    /// Everything that a request takes back. It writes nothing.
    pub fn plan_forgetting(&self, request: ForgetRequest<'_>) -> Result<ForgetPlan, ForgetError> {
        let facts = self.all_facts()?;
        let (mut search, mut plan) = self.begin(request, &facts)?;
        for fact in &facts {
            if search.is_meant(fact) {
                search.take_fact(fact, &mut plan);
            }
        }
        if search.is_pointless(&plan) {
            return Err(ForgetError::NothingNamed);
        }
        let heard = search.walk(self, &mut plan)?;
        // What was learnt of an exchange that says it, in whatever words.
        for fact in &facts {
            let is_meant = search.is_meant(fact) || search.rests_on(fact, &plan, &heard);
            if is_meant && !plan.has(fact.fact_id) {
                search.take_fact(fact, &mut plan);
            }
        }
        for node in self.all_nodes()? {
            if search.says_node(&node, &plan) {
                plan.nodes.push(node.version.node_id);
            }
        }
        if plan.epochs.len() > FORGET_EPOCHS_MAX {
            let (found, max) = (plan.epochs.len(), FORGET_EPOCHS_MAX);
            return Err(ForgetError::TooBroad { found, max });
        }
        plan.subject = search.owner.as_deref().and_then(|name| EntityName::sender(name).ok());
        plan.of_others = search.of_others.len();
        plan.matter = search.matter;
        Ok(plan)
    }

    fn begin<'a>(
        &self,
        request: ForgetRequest<'a>,
        facts: &[Fact],
    ) -> Result<(Search<'a>, ForgetPlan), ForgetError> {
        let ForgetRequest { target, authority } = request;
        let asker = match authority {
            ForgetAuthority::Owner(name) => Some(name),
            ForgetAuthority::Administrator => None,
        };
        let mut search = Search {
            authority,
            matter: Matter::default(),
            claims: BTreeSet::new(),
            owner: asker.map(str::to_owned),
            named: BTreeSet::new(),
            kind: SearchKind::Matter,
            takes_slots: false,
            attribute: None,
            of_others: BTreeSet::new(),
        };
        let mut plan = ForgetPlan::default();
        match target {
            ForgetTarget::Fact(id) => {
                let known = self.get(id)?.map(|fact| fact.fact_id);
                let known = facts.iter().find(|fact| Some(fact.fact_id) == known);
                search.begin_with(known.ok_or(ForgetError::NoFact(id))?, facts, &mut plan)?;
            }
            ForgetTarget::Words(words) => {
                let names = [asker.unwrap_or_default(), self.agent_name()];
                search.matter = Matter::of(words, &names);
                let said = claims_of(words, asker.unwrap_or_default());
                search.claims.extend(said.iter().map(|(content, _)| normalise(content)));
                // Where a value is named (`that I live in Lyon`), other values of the slot may be learnt.
                search.takes_slots = said.is_empty();
                search.attribute = asker
                    .filter(|_| search.takes_slots)
                    .and_then(|asker| AttributeQuestion::read(words, asker));
            }
            ForgetTarget::Epoch(epoch) => {
                search.named.insert(epoch);
                search.kind = SearchKind::Epoch;
            }
            ForgetTarget::Person(name) => {
                if asker.is_some_and(|asker| asker != name) {
                    return Err(ForgetError::NotYours(name.to_owned()));
                }
                search.owner = Some(name.to_owned());
                search.kind = SearchKind::Person;
            }
        }
        Ok((search, plan))
    }

    fn all_facts(&self) -> Result<Vec<Fact>, ForgetError> {
        let (mut facts, mut before) = (Vec::new(), None);
        let bound = self.bound_facts()?;
        loop {
            let page = self.fact_history(before, PAGE_FACTS_MAX)?;
            facts.extend(page.items.into_iter().filter(|fact| !bound.contains(&fact.fact_id)));
            before = page.next;
            if before.is_none() {
                return Ok(facts);
            }
        }
    }

    fn all_nodes(&self) -> Result<Vec<NodeState>, ForgetError> {
        let (mut nodes, mut before) = (Vec::new(), None);
        loop {
            let page = self.nodes(NodeFilter::default(), before, PAGE_FACTS_MAX)?;
            nodes.extend(page.items);
            before = page.next;
            if before.is_none() {
                return Ok(nodes);
            }
        }
    }
}

/// What a search begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SearchKind {
    /// Words, or a fact.
    Matter,
    /// An epoch.
    Epoch,
    /// All that the owner said.
    Person,
}

impl Search<'_> {
    fn is_by_epoch(&self) -> bool {
        self.kind == SearchKind::Epoch
    }

    fn takes_all(&self) -> bool {
        self.kind == SearchKind::Person
    }

    /// Begins with a fact, and with what it took the place of.
    fn begin_with(
        &mut self,
        fact: &Fact,
        facts: &[Fact],
        plan: &mut ForgetPlan,
    ) -> Result<(), ForgetError> {
        let teller = fact.told_by.as_ref().map(EntityName::bare);
        if !self.may_forget(fact) {
            return Err(ForgetError::NotYours(teller.unwrap_or_default().to_owned()));
        }
        self.owner = teller.map(str::to_owned).or_else(|| self.owner.take());
        let names = [teller.unwrap_or_default(), self.owner.as_deref().unwrap_or_default()];
        self.matter = Matter::of(&fact.content, &names);
        let by_id: HashMap<FactId, &Fact> = facts.iter().map(|fact| (fact.fact_id, fact)).collect();
        let mut next = Some(fact);
        while let Some(older) = next.filter(|older| !plan.has(older.fact_id)) {
            self.take_fact(older, plan);
            next = older.supersedes.and_then(|id| by_id.get(&id).copied());
        }
        Ok(())
    }

    /// Whether nothing at all was named.
    fn is_pointless(&self, plan: &ForgetPlan) -> bool {
        self.matter.is_empty()
            && self.claims.is_empty()
            && self.named.is_empty()
            && !self.takes_all()
            && plan.is_empty()
    }

    fn may_forget(&self, fact: &Fact) -> bool {
        match self.authority {
            ForgetAuthority::Administrator => true,
            ForgetAuthority::Owner(name) => {
                fact.told_by.as_ref().is_none_or(|teller| teller.bare() == name)
            }
        }
    }

    /// Whether somebody is the one whose words are meant.
    fn is_owner(&self, name: &str) -> bool {
        self.owner.as_deref().is_none_or(|owner| owner == name)
    }

    /// Whether a fact says it by itself.
    fn is_meant(&self, fact: &Fact) -> bool {
        let teller = fact.told_by.as_ref().map(EntityName::bare);
        if self.takes_all() {
            return teller.is_some_and(|teller| self.is_owner(teller));
        }
        if self.is_by_epoch() {
            return !fact.sources.is_empty()
                && fact.sources.iter().all(|source| self.named.contains(source));
        }
        self.claims.contains(&normalise(&fact.content))
            || self.matter.is_in(&fact.content)
            || teller.is_some_and(|teller| self.gives_attribute(teller, &fact.content))
    }

    fn take_fact(&mut self, fact: &Fact, plan: &mut ForgetPlan) {
        if plan.has(fact.fact_id) {
            return;
        }
        if !self.may_forget(fact) {
            if fact.valid_to.is_none() {
                self.of_others.insert(fact.fact_id);
            }
            return;
        }
        if fact.valid_to.is_none() {
            plan.facts.push(fact.fact_id);
            plan.contents.push(fact.content.clone());
        } else {
            plan.closed_facts.push(fact.fact_id);
        }
        let tags = fact.tags.iter().filter(|_| self.takes_slots);
        let slots = tags.filter_map(|tag| tag.strip_prefix(SLOT_TAG));
        plan.slots.extend(slots.map(str::to_owned));
        if !self.takes_all() && !self.is_by_epoch() {
            self.matter.take_values(&fact.content);
        }
        if !self.takes_all() && !self.is_by_epoch() {
            self.named.extend(fact.sources.iter().copied());
        }
    }

    /// Goes through all that was said, notes the epochs that say it, and gives their texts.
    fn walk(
        &mut self,
        memory: &KnowledgeHandle,
        plan: &mut ForgetPlan,
    ) -> Result<HashMap<EpochId, String>, ForgetError> {
        let mut heard: HashMap<EpochId, String> = HashMap::new();
        memory.walk_exchanges(|stamps, part, text| {
            let by_agent = part >= stamps.stimulus_parts;
            if self.says(&stamps.sender, by_agent, stamps.epoch, text) {
                plan.epochs.insert(stamps.epoch);
                let texts = heard.entry(stamps.epoch).or_default();
                texts.push_str(text);
                texts.push('\n');
            }
        })?;
        Ok(heard)
    }

    fn says(&self, sender: &str, by_agent: bool, epoch: EpochId, text: &str) -> bool {
        let is_own = self.is_owner(sender);
        if self.named.contains(&epoch)
            && (is_own || self.authority == ForgetAuthority::Administrator)
        {
            return true;
        }
        if self.takes_all() {
            return is_own;
        }
        if is_own {
            return self.matter.is_in(text)
                || (!by_agent
                    && (self.claims_it(sender, text) || self.gives_attribute(sender, text)));
        }
        // What the agent told others about the owner.
        let owner = self.owner.as_deref().unwrap_or_default().to_lowercase();
        by_agent && self.matter.is_in(text) && text.to_lowercase().contains(&owner)
    }

    fn gives_attribute(&self, by: &str, text: &str) -> bool {
        self.attribute.as_ref().is_some_and(|attribute| attribute.is_given_by(by, text))
    }

    fn claims_it(&self, sender: &str, text: &str) -> bool {
        claims_of(text, sender).iter().any(|(content, _)| self.claims.contains(&normalise(content)))
    }

    /// Whether a fact was learnt of an exchange that says it, and is about it.
    fn rests_on(&self, fact: &Fact, plan: &ForgetPlan, heard: &HashMap<EpochId, String>) -> bool {
        if self.takes_all() || self.is_by_epoch() {
            return !fact.sources.is_empty()
                && fact.sources.iter().all(|source| plan.epochs.contains(source));
        }
        let bound: Vec<&EpochId> =
            fact.sources.iter().filter(|source| plan.epochs.contains(*source)).collect();
        if bound.is_empty() {
            return false;
        }
        let shares_value = bound.iter().filter_map(|source| heard.get(source)).any(|text| {
            Matter::of(text, &[]).has_value(&fact.content) && self.matter.has_value(text)
        });
        self.matter.touches(&fact.content) || shares_value
    }

    fn says_node(&self, node: &NodeState, plan: &ForgetPlan) -> bool {
        let version = &node.version;
        let is_bound = version.sources.iter().any(|source| plan.epochs.contains(source));
        let text = searchable_text(&version.node);
        let by_owner = self.owner.as_deref().is_none_or(|owner| {
            version.author.bare() == owner || text.to_lowercase().contains(&owner.to_lowercase())
        });
        if self.takes_all() {
            return is_bound || is_partner(&version.node, self.owner.as_deref());
        }
        (is_bound && self.matter.touches(&text)) || (by_owner && self.matter.is_in(&text))
    }
}

/// Whether a node is somebody's own: the partnership with them, or their person.
fn is_partner(node: &Node, name: Option<&str>) -> bool {
    let is_name = |known: &str| name.is_some_and(|name| known.eq_ignore_ascii_case(name));
    match node {
        Node::Partnership(partnership) => is_name(&partnership.partner_name),
        Node::Person(person) => is_name(&person.name),
        _ => false,
    }
}

impl ForgetPlan {
    fn has(&self, fact: FactId) -> bool {
        self.facts.contains(&fact) || self.closed_facts.contains(&fact)
    }
}
