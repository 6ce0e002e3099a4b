//! Skills: folders with a `SKILL.md` that tells an agent how to do something (the Agent Skills format).
//!
//! A mind sees the name and the description of each; the text is read when it is needed. A skill grants nothing: what it
//! says in `allowed-tools` is shown to people and changes no policy, and its scripts run by `shell.run` like any command.
//! Text of a skill is that of whoever put it into the folder: the keeper's people.
//!
//! Reading order: [`Skill`] and [`Skills`] (which there are), [`ReadSkill`] (the tool), [`check_skill`] (what a person should
//! know of one), [`copy_skill`] (how one is added), [`remove_skill`] (how one goes).

mod copy;
mod finding;
mod found_skills;
mod front_matter;
mod head;
mod read;
mod remove;
mod report;
mod skill;
mod skill_file;
mod stage_name;
mod text_checks;

pub use copy::{CopiedSkill, SkillCopyError, copy_skill};
pub use finding::SkillFinding;
pub use found_skills::{SkillError, Skills};
pub use read::ReadSkill;
pub use remove::{SkillRemoveError, removable_skill, remove_skill};
pub use report::{SkillFile, SkillReport, check_skill};
pub use skill::Skill;
