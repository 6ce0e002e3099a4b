//! What the head of a `SKILL.md` must say for the folder to be a skill. Pure; the one rule for those who list, check and copy skills.

use std::path::Path;

use super::{
    finding::SkillFinding, front_matter::FrontMatter, skill::Skill, skill_file::SKILL_FILE,
};

/// Longest name, in bytes.
const NAME_BYTES_MAX: usize = 64;
/// Longest description, in Unicode scalar values.
const DESCRIPTION_CHARS_MAX: usize = 1_024;
/// Longest note on what it needs, in Unicode scalar values.
const COMPATIBILITY_CHARS_MAX: usize = 500;

/// The skill that a `SKILL.md` with this text makes of its folder, or all that is wrong in its head.
pub(super) fn check_head(folder: &Path, text: &str) -> Result<Skill, Vec<SkillFinding>> {
    let head = FrontMatter::parse(text).map_err(|error| {
        let advice = "begin the file with a line of ---, lines of `key: value` and a line of ---";
        vec![SkillFinding::at_line(SKILL_FILE, error.line, error.what, advice)]
    })?;
    let mut problems = Vec::new();
    let name = required(&head, "name", &mut problems);
    let description = required(&head, "description", &mut problems);
    check_name(folder, &head, name, &mut problems);
    check_length(&head, "description", DESCRIPTION_CHARS_MAX, &mut problems);
    check_length(&head, "compatibility", COMPATIBILITY_CHARS_MAX, &mut problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(Skill {
        name: name.to_owned(),
        description: one_line(description),
        compatibility: head.get("compatibility").map(one_line),
        allowed_tools: head.get("allowed-tools").map(one_line),
        folder: folder.to_owned(),
    })
}

fn required<'a>(head: &'a FrontMatter<'_>, key: &str, problems: &mut Vec<SkillFinding>) -> &'a str {
    let value = head.get(key).map(str::trim).unwrap_or_default();
    if value.is_empty() {
        let advice = format!("add a line `{key}: …` to its head");
        problems.push(SkillFinding::new(SKILL_FILE, format!("has no {key}"), advice));
    }
    value
}

fn check_name(folder: &Path, head: &FrontMatter<'_>, name: &str, problems: &mut Vec<SkillFinding>) {
    let line = head.find("name").map_or(1, |found| found.line);
    if name.is_empty() {
        return;
    }
    if !is_skill_name(name) {
        let what = format!("the name `{name}` is none of a skill");
        let advice = format!("use 1 to {NAME_BYTES_MAX} of a-z, 0-9 and single hyphens within");
        problems.push(SkillFinding::at_line(SKILL_FILE, line, what, advice));
    } else if folder.file_name().is_none_or(|folder| folder != name) {
        let what = format!("its name is `{name}`, and its folder has another");
        let advice = format!("call the folder `{name}`, or the skill as its folder");
        problems.push(SkillFinding::at_line(SKILL_FILE, line, what, advice));
    }
}

fn check_length(
    head: &FrontMatter<'_>,
    key: &str,
    chars_max: usize,
    problems: &mut Vec<SkillFinding>,
) {
    let Some(found) = head.find(key) else { return };
    let chars = found.value.chars().count();
    if chars > chars_max {
        let what = format!("{key} has {chars} characters; at most {chars_max}");
        let advice = "say it shorter, and the rest in the text below the head";
        problems.push(SkillFinding::at_line(SKILL_FILE, found.line, what, advice));
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_skill_name(name: &str) -> bool {
    let fits = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    name.len() <= NAME_BYTES_MAX && name.split('-').all(fits)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::check_head;

    #[test]
    fn all_that_is_wrong_in_a_head_is_named_with_its_line() {
        let long = "x".repeat(1_025);
        let text = format!("---\nname: ../x\ndescription: {long}\ncompatibility: {long}\n---\n");
        let problems = check_head(Path::new("/skills/x"), &text).unwrap_err();
        let places: Vec<_> = problems.iter().map(|problem| problem.place.as_str()).collect();
        assert_eq!(places, ["SKILL.md, line 2", "SKILL.md, line 3", "SKILL.md, line 4"]);
        let problems = check_head(Path::new("/skills/x"), "---\nname:\n---\n").unwrap_err();
        let what: Vec<_> = problems.iter().map(|problem| problem.what.as_str()).collect();
        assert_eq!(what, ["has no name", "has no description"]);
    }

    #[test]
    fn names_are_small_letters_digits_and_single_hyphens() {
        let check = |name: &str| {
            let text = format!("---\nname: {name}\ndescription: x\n---\n");
            check_head(&Path::new("/skills").join(name), &text).is_ok()
        };
        let longest = "a".repeat(64);
        for name in ["a", "pdf-forms", "a1-b2-c3", "7", longest.as_str()] {
            assert!(check(name), "{name}");
        }
        let longer = "a".repeat(65);
        for name in
            ["-a", "a-", "a--b", "A", "a_b", "a b", "é", "..", "../x", "a/b", longer.as_str()]
        {
            assert!(!check(name), "{name}");
        }
    }
}
