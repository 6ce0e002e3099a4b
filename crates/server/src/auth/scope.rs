//! What a token may do: its scopes, and what a route asks of them. Pure.
//!
//! What is in no scope is not allowed. `admin` holds all others; a scope with an agent's id behind it holds for that agent
//! alone.

use std::{collections::BTreeSet, fmt, str::FromStr};

use abide_domain::AgentId;

/// One thing that a token may do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    /// Read everything.
    Read,
    /// Read what belongs to one agent.
    ReadAgent(AgentId),
    /// Speak to every agent, and run commands in one's own name.
    Say,
    /// Speak to one agent.
    SayAgent(AgentId),
    /// Decide on approvals and on proposals.
    Approve,
    /// Everything.
    Admin,
}

/// The text is no scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not a scope; scopes are read, read:AGENT, say, say:AGENT, approve and admin")]
pub(crate) struct ScopeError;

/// What a token may do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scopes(BTreeSet<Scope>);

/// What a route asks of whoever calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Right {
    /// Nothing: everybody may call it.
    Open,
    /// Any valid token or cookie.
    SignedIn,
    /// `read`.
    Read,
    /// `read`, or `read:AGENT` of the agent that the request is about.
    ReadOf(AgentPlace),
    /// `approve`, or as [`Right::ReadOf`] the query's agent.
    ReadApprovals,
    /// `say`.
    Say,
    /// `say`, or `say:AGENT` of the agent that the request is about.
    SayTo(AgentPlace),
    /// `approve`.
    Approve,
    /// `admin`.
    Admin,
}

/// Where a request names the agent that it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AgentPlace {
    /// `citizen` in the query.
    Query,
    /// `{id}` in the path.
    Path,
    /// `{id}` in the path is an epoch of the agent.
    Epoch,
    /// `{id}` in the path is a change of the agent.
    Evolution,
    /// In the body, which only the route reads: it must check by itself.
    Body,
}

impl AgentPlace {
    const fn name(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Path => "path",
            Self::Epoch => "epoch",
            Self::Evolution => "evolution",
            Self::Body => "body",
        }
    }
}

impl FromStr for Scope {
    type Err = ScopeError;

    fn from_str(text: &str) -> Result<Self, ScopeError> {
        let agent = |name: &str| name.parse::<AgentId>().map_err(|_| ScopeError);
        match text.split_once(':') {
            None => match text {
                "read" => Ok(Self::Read),
                "say" => Ok(Self::Say),
                "approve" => Ok(Self::Approve),
                "admin" => Ok(Self::Admin),
                _ => Err(ScopeError),
            },
            Some(("read", name)) => agent(name).map(Self::ReadAgent),
            Some(("say", name)) => agent(name).map(Self::SayAgent),
            Some(_) => Err(ScopeError),
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read => f.write_str("read"),
            Self::ReadAgent(agent) => write!(f, "read:{agent}"),
            Self::Say => f.write_str("say"),
            Self::SayAgent(agent) => write!(f, "say:{agent}"),
            Self::Approve => f.write_str("approve"),
            Self::Admin => f.write_str("admin"),
        }
    }
}

impl Scopes {
    /// Everything.
    pub(crate) fn admin() -> Self {
        Self(BTreeSet::from([Scope::Admin]))
    }

    /// What the texts say; a text that is no scope allows nothing.
    pub(crate) fn of_texts(texts: &[String]) -> Self {
        Self(texts.iter().filter_map(|text| text.parse().ok()).collect())
    }

    /// Whether it holds everything.
    pub(crate) fn is_admin(&self) -> bool {
        self.0.contains(&Scope::Admin)
    }

    /// Whether everything may be read.
    pub(crate) fn reads_all(&self) -> bool {
        self.has(&Scope::Read)
    }

    /// Whether everybody may be spoken to.
    pub(crate) fn says_to_all(&self) -> bool {
        self.has(&Scope::Say)
    }

    /// Whether an agent may be spoken to.
    pub(crate) fn says_to(&self, agent: &AgentId) -> bool {
        self.says_to_all() || self.0.contains(&Scope::SayAgent(agent.clone()))
    }

    /// Whether approvals may be decided.
    pub(crate) fn approves(&self) -> bool {
        self.has(&Scope::Approve)
    }

    /// Whether a right is among them. `agent` is the one that the request is about, where it names one.
    pub(crate) fn permit(&self, right: Right, agent: Option<&AgentId>) -> bool {
        let reads = || {
            let of = |agent: &AgentId| self.0.contains(&Scope::ReadAgent(agent.clone()));
            self.reads_all() || agent.is_some_and(of)
        };
        match right {
            Right::Open | Right::SignedIn => true,
            Right::Read => self.reads_all(),
            Right::ReadOf(_) => reads(),
            Right::ReadApprovals => self.approves() || reads(),
            Right::Say => self.says_to_all(),
            Right::SayTo(AgentPlace::Body) => self.says_to_some(),
            Right::SayTo(_) => self.says_to_all() || agent.is_some_and(|agent| self.says_to(agent)),
            Right::Approve => self.approves(),
            Right::Admin => self.is_admin(),
        }
    }

    /// As texts, in a fixed order.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.0.iter().map(Scope::to_string).collect()
    }

    fn has(&self, scope: &Scope) -> bool {
        self.is_admin() || self.0.contains(scope)
    }

    fn says_to_some(&self) -> bool {
        self.says_to_all() || self.0.iter().any(|scope| matches!(scope, Scope::SayAgent(_)))
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().collect())
    }
}

impl Right {
    /// The name in the description of the interface, for programs.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Open => "open".into(),
            Self::SignedIn => "signed-in".into(),
            Self::Read => "read".into(),
            Self::ReadOf(place) => format!("read:{}", place.name()),
            Self::ReadApprovals => "read:query|approve".into(),
            Self::Say => "say".into(),
            Self::SayTo(place) => format!("say:{}", place.name()),
            Self::Approve => "approve".into(),
            Self::Admin => "admin".into(),
        }
    }

    /// The scope to ask for, as a refusal names it.
    pub(crate) const fn scope(self) -> &'static str {
        match self {
            Self::Open | Self::SignedIn => "none",
            Self::Read => "read",
            Self::ReadOf(_) => "read, or read:AGENT with the agent named in the request",
            Self::ReadApprovals => "read or approve",
            Self::Say => "say",
            Self::SayTo(_) => "say, or say:AGENT of this agent",
            Self::Approve => "approve",
            Self::Admin => "admin",
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{AgentPlace, Right, Scope, Scopes};

    const RIGHTS: [Right; 14] = [
        Right::Open,
        Right::SignedIn,
        Right::Read,
        Right::ReadOf(AgentPlace::Query),
        Right::ReadOf(AgentPlace::Path),
        Right::ReadOf(AgentPlace::Epoch),
        Right::ReadOf(AgentPlace::Evolution),
        Right::ReadApprovals,
        Right::Say,
        Right::SayTo(AgentPlace::Epoch),
        Right::SayTo(AgentPlace::Path),
        Right::SayTo(AgentPlace::Body),
        Right::Approve,
        Right::Admin,
    ];

    fn scopes(texts: &[&str]) -> Scopes {
        texts.iter().map(|text| text.parse::<Scope>().unwrap()).collect()
    }

    #[test]
    fn texts_are_read_and_printed_and_nothing_else_is_a_scope() {
        for text in ["read", "read:felix", "say", "say:felix", "approve", "admin"] {
            assert_eq!(text.parse::<Scope>().unwrap().to_string(), text);
        }
        for text in ["", "Read", "admin:felix", "approve:felix", "read:", "read:-x", "say:a:b", "*"]
        {
            assert!(text.parse::<Scope>().is_err(), "{text:?}");
        }
        let unknown = Scopes::of_texts(&["root".to_owned(), "read:*".to_owned()]);
        assert_eq!(unknown, Scopes::default(), "what a newer program wrote allows nothing here");
    }

    #[test]
    fn no_scope_allows_nothing_and_admin_everything() {
        let felix = "felix".parse().unwrap();
        for right in RIGHTS {
            let is_free = matches!(right, Right::Open | Right::SignedIn);
            assert_eq!(Scopes::default().permit(right, Some(&felix)), is_free, "{right:?}");
            assert!(scopes(&["admin"]).permit(right, None), "{right:?}");
        }
    }

    #[test]
    fn each_scope_allows_its_own_and_a_narrow_one_its_agent_alone() {
        let (felix, ivy) = ("felix".parse().unwrap(), "ivy".parse().unwrap());
        let allowed = |texts: &[&str], agent| -> Vec<Right> {
            let held = scopes(texts);
            RIGHTS.into_iter().filter(|right| held.permit(*right, agent)).skip(2).collect()
        };
        let reading = &RIGHTS[2..8];
        assert_eq!(allowed(&["read"], None), reading);
        assert_eq!(allowed(&["read:felix"], Some(&felix)), &reading[1..]);
        assert_eq!(allowed(&["read:felix"], Some(&ivy)), []);
        assert_eq!(allowed(&["read:felix"], None), []);
        assert_eq!(allowed(&["say"], None), &RIGHTS[8..12]);
        assert_eq!(allowed(&["say:felix"], Some(&felix)), &RIGHTS[9..12]);
        assert_eq!(allowed(&["say:felix"], Some(&ivy)), [Right::SayTo(AgentPlace::Body)]);
        assert_eq!(allowed(&["approve"], None), [Right::ReadApprovals, Right::Approve]);
        assert!(!scopes(&["say:felix"]).says_to(&ivy), "which the route itself checks");
    }

    proptest! {
        #[test]
        fn more_scopes_never_allow_less(few in "(read|say|approve|read:felix|say:ivy)", more in "(read|say|admin|say:felix)") {
            let agent = "felix".parse().unwrap();
            let (small, large) = (scopes(&[&few]), scopes(&[&few, &more]));
            for right in RIGHTS {
                prop_assert!(!small.permit(right, Some(&agent)) || large.permit(right, Some(&agent)));
            }
        }
    }
}
