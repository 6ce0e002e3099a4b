//! May a call run? The policy, the parts of the call that a person is asked about, and the tool's own word, in one place: for the calls
//! of epochs, for calls on trial, and for lists of tools.
//!
//! Pure. The strictest of what denies wins; a tool may have nobody asked where the policy would ask, and never lets a call run
//! that the policy denies. What `ask` names of another program is asked about whatever that program's own lists say.

use abide_domain::AgentId;
use serde_json::Value;

use crate::{Permission, Tool, ToolPolicy};

/// Decides about a call whose arguments fit the tool's schema; of no arguments, what holds of every call. `knows` says whether the keeper knows an agent or person, without
/// the `@`.
pub fn judge_call(
    policy: &ToolPolicy,
    tool: &dyn Tool,
    agent: &AgentId,
    arguments: &Value,
    knows: &dyn Fn(&str) -> bool,
) -> Permission {
    let by_policy = policy.decide(&tool.spec().name);
    if let Permission::Deny { .. } = by_policy {
        return by_policy;
    }
    let mut asks = false;
    for part in tool.delicate_parts(arguments) {
        asks |= match policy.decide_part(part.name) {
            Some(denied @ Permission::Deny { .. }) => return denied,
            Some(Permission::Allow) => false,
            Some(Permission::Ask) => true,
            None => !part.to.as_deref().is_some_and(knows),
        };
    }
    match tool.judge(agent, arguments) {
        Some(denied @ Permission::Deny { .. }) => denied,
        _ if asks || policy.asks_about_foreign(&tool.spec().name) => Permission::Ask,
        Some(by_tool) => by_tool,
        None => by_policy,
    }
}
