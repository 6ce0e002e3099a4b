//! Who may use the keeper.
//!
//! A program shows a bearer token. A browser exchanges a single-use code for a cookie that is signed with the token, so
//! that it survives restarts and dies with the token. Before either, `Host` and `Origin` must be the keeper's own, so
//! that no page on the web reaches a local port (BC-32). A token is never in a URL, a log or a `Debug` output.
//!
//! Reading order: `origin_check` (Host, Origin), `token` (the files), `cookie`, `link`, `admission` (tokens and cookies as
//! one question).

mod admission;
mod cookie;
mod link;
mod origin_check;
mod token;

pub(crate) use admission::{
    Access, Admission, AdmissionError, CSRF_HEADER, Credentials, Requirement,
};
pub(crate) use cookie::CookieSigner;
pub(crate) use link::{LINK_LIFE, Links};
pub(crate) use origin_check::{OriginCheck, OriginError};
pub(crate) use token::{NamedTokens, Token, TokenError};
