//! Who may speak to the keeper.
//!
//! A program shows a bearer token. A browser exchanges a single-use code for a cookie that is signed with the token, so
//! that it survives restarts and dies with the token. Before either, `Host` and `Origin` must be the keeper's own, so
//! that no page on the web reaches a local port (BC-32). A token is never in a URL, a log or a `Debug` output.
//!
//! Reading order: `door` (Host, Origin), `token` (the files), `cookie`, `link`, `gate` (all of them as one question).

mod cookie;
mod door;
mod gate;
mod link;
mod token;

pub(crate) use cookie::CookieSigner;
pub(crate) use door::{Admission, Refusal};
pub(crate) use gate::{Access, CSRF_HEADER, Denial, OriginCheck, Presented, Requirement};
pub(crate) use link::{LINK_LIFE, Links};
pub(crate) use token::{NamedTokens, Token, TokenError};
