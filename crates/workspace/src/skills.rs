//! Skills: folders with a `SKILL.md` that tells an agent how to do something (the Agent Skills format).
//!
//! A mind sees the name and the description of each; the text is read when it is needed. A skill grants nothing: what it
//! says in `allowed-tools` is shown to people and changes no policy, and its scripts run by `shell.run` like any command.
//! Text of a skill is that of whoever put it into the folder: the keeper's people.

mod front_matter;
mod read;
mod skill;

pub use read::ReadSkill;
pub use skill::{Skill, SkillError, Skills, check_skill};
