//! Who may use the keeper.
//!
//! A program shows a bearer token, which has a name, scopes and an end (decision 56). A browser exchanges a single-use code
//! for a cookie: a random id that means nothing by itself and stands for a row on the server, which ends with its token.
//! Before either, `Host` and `Origin` must be the keeper's own, so that no page on the web reaches a local port (BC-32). A
//! token is never in a URL, a log or a `Debug` output.
//!
//! Reading order: `origin_check` (Host, Origin), `scope` (what is allowed), `token` (the files), `caller`, `session`,
//! `link`, `admission` (tokens and cookies as one question).

mod admission;
mod caller;
mod link;
mod origin_check;
mod scope;
mod session;
mod token;

pub(crate) use admission::{Admission, AdmissionError, CSRF_HEADER, Credentials, Requirement};
pub(crate) use caller::{Caller, Credential};
pub(crate) use link::LINK_LIFE;
pub(crate) use origin_check::{OriginCheck, OriginError};
pub(crate) use scope::{AgentPlace, Right, Scope, ScopeError, Scopes};
pub(crate) use token::{NamedToken, NamedTokens, Token, TokenError, is_name_of_person};
