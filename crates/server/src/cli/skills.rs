//! `abide skills`: folders that tell agents how to do something, those of all agents and those of one. Works on the home alone; it grants
//! nothing, overwrites nothing and removes nothing without a person's word.

use std::path::{Path, PathBuf};

use abide_domain::{AgentId, visible, visible_line};
use abide_workspace::{
    Skill, SkillFile, SkillFinding, SkillRemoveError, Skills, check_skill, copy_skill,
    removable_skill, remove_skill,
};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{
    context::Context,
    error::{CliError, Exit},
    table::table,
};

/// Lists, checks, adds and removes skills, which tell agents how to do something
#[derive(Debug, Args)]
pub(crate) struct SkillsCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Lists the skills of all agents, with --agent what that one is told of, and what keeps a folder from being a skill
    Ls {
        /// The agent [default: what all agents have]
        #[arg(long)]
        agent: Option<AgentId>,
    },
    /// Shows what you should know of a skill before agents read it: problems, warnings, others of its name, its files
    Check {
        /// Its folder
        folder: PathBuf,
    },
    /// Copies a skill into this home, where all agents, or that one, find it from the keeper's next start on
    Add {
        /// Its folder
        folder: PathBuf,
        /// The agent that alone has it [default: all agents]
        #[arg(long)]
        agent: Option<AgentId>,
    },
    /// Removes a skill from this home, with all files of its folder; asks first
    Rm {
        /// Its name, that of its folder
        name: String,
        /// The agent that alone has it [default: that of all agents]
        #[arg(long)]
        agent: Option<AgentId>,
        /// Asks nothing
        #[arg(long)]
        yes: bool,
    },
}

impl SkillsCommand {
    pub(crate) fn run(self, context: &Context) -> Result<Exit, CliError> {
        match self.action {
            Action::Ls { agent } => list(context, agent.as_ref()),
            Action::Check { folder } => check(context, &folder),
            Action::Add { folder, agent } => add(context, agent.as_ref(), &folder),
            Action::Rm { name, agent, yes } => remove(context, agent.as_ref(), (&name, yes)),
        }
    }
}

fn list(context: &Context, agent: Option<&AgentId>) -> Result<Exit, CliError> {
    let own = agent.map(|agent| agent_skills(context, agent)).transpose()?;
    let folders: Vec<PathBuf> =
        std::iter::once(context.home.skills_folder()).chain(own.clone()).collect();
    let skills = Skills::read(&folders);
    let is_own = |skill: &Skill| own.as_ref().is_some_and(|own| skill.folder.starts_with(own));
    let items: Vec<Value> = skills
        .found
        .values()
        .map(|skill| {
            json!({"id": skill.name, "about": skill.description, "compatibility": skill.compatibility, "agent": agent.filter(|_| is_own(skill))})
        })
        .collect();
    if context.terminal.is_json() {
        let problems: Vec<_> = skills.problems.iter().map(ToString::to_string).collect();
        context.terminal.json(&json!({"items": items, "next": null, "problems": problems}))?;
        return Ok(Exit::Ok);
    }
    let shown = |text: &str| visible_line(text).into_owned();
    let rows: Vec<_> = skills
        .found
        .values()
        .map(|skill| {
            let whose = if is_own(skill) { "its own" } else { "all agents'" };
            let own = agent.map(|_| whose.to_owned());
            let columns = [skill.name.clone()].into_iter().chain(own);
            columns.chain([shown(&skill.description)]).collect()
        })
        .collect();
    let head: &[&str] = match agent {
        Some(_) => &["SKILL", "WHOSE", "WHAT IT IS FOR"],
        None => &["SKILL", "WHAT IT IS FOR"],
    };
    context.terminal.table(&table(head, &rows))?;
    for problem in &skills.problems {
        context.terminal.say(&shown(&problem.to_string()));
    }
    Ok(Exit::Ok)
}

/// Skills of the same name elsewhere in this home, with who uses which.
fn same_names(context: &Context, folder: &Path, skill: &Skill) -> Vec<SkillFinding> {
    let real = |path: &Path| path.canonicalize().ok();
    let is_there = |skills: &Path| {
        let found = skills.join(&skill.name);
        found.join("SKILL.md").is_file() && real(&found) != real(folder)
    };
    let clash = |place: String, advice: String| SkillFinding {
        place,
        what: "has the same name".to_owned(),
        advice,
    };
    let of_all = is_there(&context.home.skills_folder()).then(|| {
        let advice = "an agent that has one of its own uses that, all others use this one";
        clash(format!("skills/{} in this home", skill.name), advice.to_owned())
    });
    let of_agents = context.home.agent_folders().into_iter().filter_map(|agent| {
        let id: AgentId = agent.file_name()?.to_str()?.parse().ok()?;
        is_there(&context.home.agent_skills_folder(&id)).then(|| {
            let place = format!("agents/{id}/skills/{} in this home", skill.name);
            clash(place, format!("{id} uses this one, which is its own, in place of any other"))
        })
    });
    of_all.into_iter().chain(of_agents).collect()
}

fn check(context: &Context, folder: &Path) -> Result<Exit, CliError> {
    let mut report = check_skill(folder);
    let same_names = report.skill.as_ref().map(|skill| same_names(context, folder, skill));
    report.warnings.extend(same_names.into_iter().flatten());
    let is_fine = report.skill.is_some();
    if context.terminal.is_json() {
        let file = |file: &SkillFile| json!({"path": file.path, "bytes": file.bytes, "is_script": file.is_script});
        let finding = |found: &SkillFinding| json!({"place": found.place, "what": found.what, "advice": found.advice});
        context.terminal.json(&json!({
            "can_be_used": is_fine,
            "problems": report.problems.iter().map(finding).collect::<Vec<_>>(),
            "warnings": report.warnings.iter().map(finding).collect::<Vec<_>>(),
            "files": report.files.iter().map(file).collect::<Vec<_>>(),
        }))?;
        return Ok(exit(is_fine));
    }
    let name = report.skill.as_ref().map_or("it", |skill| &skill.name);
    let verdict = if is_fine { "can be used" } else { "cannot be used" };
    context.terminal.data(&format!("{name} {verdict}"))?;
    show(context, "problem", &report.problems)?;
    show(context, "warning", &report.warnings)?;
    files(context, &report.files)?;
    Ok(exit(is_fine))
}

const fn exit(is_fine: bool) -> Exit {
    if is_fine { Exit::Ok } else { Exit::Failed }
}

fn show(context: &Context, what: &str, findings: &[SkillFinding]) -> Result<(), CliError> {
    for finding in findings {
        context.terminal.data(&visible(&format!("{what}: {finding}")))?;
    }
    Ok(())
}

fn files(context: &Context, files: &[SkillFile]) -> Result<(), CliError> {
    for SkillFile { path, bytes, is_script } in files {
        let script = if *is_script { ", a script" } else { "" };
        context.terminal.data(&visible_line(&format!("{path} ({bytes} bytes{script})")))?;
    }
    Ok(())
}

/// The folder of an agent's own skills, whether it is there or not; the agent's is.
fn agent_skills(context: &Context, agent: &AgentId) -> Result<PathBuf, CliError> {
    let is_there = context.home.require_agent_folder(agent);
    if !is_there.map_err(|error| CliError::new(visible(&error.to_string())))? {
        let problem = format!("there is no folder of an agent {agent} in this home");
        return Err(CliError::new(problem)
            .hint("`abide agents ls` lists them; a keeper that starts with one makes its folder"));
    }
    Ok(context.home.agent_skills_folder(agent))
}

/// The folder of the skills of an agent alone, or of all.
fn skills_of(context: &Context, agent: Option<&AgentId>) -> Result<PathBuf, CliError> {
    agent.map_or_else(|| Ok(context.home.skills_folder()), |agent| agent_skills(context, agent))
}

fn add(context: &Context, agent: Option<&AgentId>, folder: &Path) -> Result<Exit, CliError> {
    let skills = skills_of(context, agent)?;
    let failed = |error: &dyn std::fmt::Display| CliError::new(visible(&error.to_string()));
    context.home.claim().map_err(|error| failed(&error))?;
    let copied = copy_skill(folder, &skills).map_err(|error| failed(&error))?;
    if context.terminal.is_json() {
        let paths: Vec<_> = copied.files.iter().map(|file| &file.path).collect();
        let warnings: Vec<_> = copied.warnings.iter().map(ToString::to_string).collect();
        context
            .terminal
            .json(&json!({"id": copied.skill.name, "files": paths, "warnings": warnings}))?;
        return Ok(Exit::Ok);
    }
    files(context, &copied.files)?;
    show(context, "warning", &copied.warnings)?;
    let whom = match agent {
        Some(agent) => format!("{agent}, if it may use skills.read, is"),
        None => "agents that may use skills.read are".to_owned(),
    };
    context.terminal.say(&format!(
        "{} is in {}; {whom} told of it from the keeper's next start on",
        copied.skill.name,
        skills.display()
    ));
    Ok(Exit::Ok)
}

fn remove(
    context: &Context,
    agent: Option<&AgentId>,
    (name, is_agreed): (&str, bool),
) -> Result<Exit, CliError> {
    let skills = skills_of(context, agent)?;
    let not_removed = |error: SkillRemoveError| {
        let shown = CliError::new(visible(&error.to_string()));
        match &error {
            SkillRemoveError::Missing { .. } => shown.hint(where_else(context, name)),
            SkillRemoveError::Io { source, .. } => shown.caused_by(source),
            SkillRemoveError::Name { .. } | SkillRemoveError::NoFolder { .. } => shown,
        }
    };
    let folder = removable_skill(&skills, name).map_err(not_removed)?;
    let shown = visible_line(&folder.display().to_string()).into_owned();
    if !is_agreed {
        let count = check_skill(&folder).files.len();
        let question = format!("Remove {shown}, with its files ({count}) and for good?");
        if !agrees(context, &question)? {
            context.terminal.say("nothing was removed");
            return Ok(Exit::Failed);
        }
    }
    remove_skill(&skills, name).map_err(not_removed)?;
    if context.terminal.is_json() {
        context.terminal.json(&json!({"id": name, "agent": agent, "removed": folder}))?;
        return Ok(Exit::Ok);
    }
    context.terminal.say(&format!(
        "{shown} is removed; a keeper that runs names it to agents until it is started again"
    ));
    Ok(Exit::Ok)
}

/// Where a skill lies that was looked for in vain.
fn where_else(context: &Context, name: &str) -> String {
    let has = |skills: &Path| removable_skill(skills, name).is_ok();
    if has(&context.home.skills_folder()) {
        return "it is one of all agents: leave --agent out".to_owned();
    }
    let agents = context.home.agent_folders().into_iter();
    let of_agents = agents.filter_map(|agent| agent.file_name()?.to_str()?.parse().ok());
    let owner = { of_agents }.find(|id: &AgentId| has(&context.home.agent_skills_folder(id)));
    owner.map_or_else(
        || "`abide skills ls` lists them".to_owned(),
        |id| format!("{id} has one of its own of that name: --agent {id}"),
    )
}

/// Asks a person at the terminal; without one there is no yes.
fn agrees(context: &Context, question: &str) -> Result<bool, CliError> {
    if !context.terminal.is_interactive() {
        let problem = "nobody is at the terminal to be asked, so nothing was removed";
        return Err(CliError::usage(problem).hint("--yes asks nothing"));
    }
    context.terminal.agrees(question)
}
