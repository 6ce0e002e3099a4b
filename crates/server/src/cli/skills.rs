//! `abide skills`: folders that tell agents how to do something. Works on the home alone; it grants nothing and overwrites nothing.

use std::path::PathBuf;

use abide_domain::{visible, visible_line};
use abide_workspace::{SkillFile, SkillFinding, Skills, check_skill, copy_skill};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{
    context::Context,
    error::{CliError, Exit},
    table::table,
};

/// Lists, checks and adds skills, which tell agents how to do something
#[derive(Debug, Args)]
pub(crate) struct SkillsCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Lists the skills of this home, and what keeps a folder from being one
    Ls,
    /// Shows what you should know of a skill before agents read it: problems, warnings, its files
    Check {
        /// Its folder
        folder: PathBuf,
    },
    /// Copies a skill into this home, where agents find it from the keeper's next start on
    Add {
        /// Its folder
        folder: PathBuf,
    },
}

impl SkillsCommand {
    pub(crate) fn run(self, context: &Context) -> Result<Exit, CliError> {
        match self.action {
            Action::Ls => list(context),
            Action::Check { folder } => check(context, &folder),
            Action::Add { folder } => add(context, &folder),
        }
    }
}

fn list(context: &Context) -> Result<Exit, CliError> {
    let skills = Skills::read(&[context.home.skills_folder()]);
    let items: Vec<Value> = skills
        .found
        .values()
        .map(|skill| {
            json!({"id": skill.name, "about": skill.description, "compatibility": skill.compatibility})
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
        .map(|skill| vec![skill.name.clone(), shown(&skill.description)])
        .collect();
    context.terminal.table(&table(&["SKILL", "WHAT IT IS FOR"], &rows))?;
    for problem in &skills.problems {
        context.terminal.say(&shown(&problem.to_string()));
    }
    Ok(Exit::Ok)
}

fn check(context: &Context, folder: &std::path::Path) -> Result<Exit, CliError> {
    let report = check_skill(folder);
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

fn add(context: &Context, folder: &std::path::Path) -> Result<Exit, CliError> {
    let skills = context.home.skills_folder();
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
    context.terminal.say(&format!(
        "{} is in {}; agents that may use skills.read are told of it from the keeper's next start on",
        copied.skill.name,
        skills.display()
    ));
    Ok(Exit::Ok)
}
