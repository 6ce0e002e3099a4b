//! What of a node is searched: its text for the index, and the fields that a question may name literally.

use abide_domain::graph::Node;

/// The words of a node that say what it is about.
pub(crate) fn searchable_text(node: &Node) -> String {
    let (fields, list): (Vec<&str>, &[String]) = match node {
        Node::Citizen(n) => (vec![&n.name, &n.role, &n.focus_area], &[]),
        Node::Person(n) => (vec![&n.name, &n.role], &[]),
        Node::Partnership(n) => (
            vec![&n.partner_name, &n.partner_role, &n.relationship_type, &n.communication_style],
            &n.shared_history,
        ),
        Node::Conversation(n) => (vec![&n.topic, &n.outcome], &n.key_points),
        Node::Technical(n) => (vec![&n.component, &n.issue_type, &n.description], &n.related_code),
        Node::Emotion(n) => {
            (vec![&n.emotion, &n.context, &n.trigger_pattern, &n.counterbalance], &[])
        }
        Node::Strategy(n) => (vec![&n.applicability, &n.approach], &n.steps),
        Node::Code(n) => (vec![&n.file_path, &n.description], &n.dependencies),
        Node::Failure(n) => (vec![&n.context, &n.approach, &n.why_failed, &n.lesson_learned], &[]),
        Node::Constraint(n) => (vec![&n.constraint_type, &n.description, &n.impact], &[]),
    };
    let texts = fields.into_iter().chain(list.iter().map(String::as_str));
    texts.filter(|text| !text.trim().is_empty()).collect::<Vec<_>>().join("\n")
}

/// Whether a question's words stand literally, as whole words, in one of the fields that the specification looks into.
pub(crate) fn holds_words(node: &Node, question: &str) -> bool {
    let question = spaced(question);
    if question.trim().is_empty() {
        return false;
    }
    let fields: [&str; 2] = match node {
        Node::Conversation(n) => [&n.topic, ""],
        Node::Technical(n) => [&n.component, &n.description],
        Node::Emotion(n) => [&n.context, &n.trigger_pattern],
        Node::Strategy(n) => [&n.applicability, ""],
        Node::Failure(n) => [&n.context, &n.approach],
        Node::Code(n) => [&n.file_path, ""],
        Node::Constraint(n) => [&n.description, ""],
        Node::Citizen(_) | Node::Person(_) | Node::Partnership(_) => ["", ""],
    };
    fields.iter().any(|field| spaced(field).contains(&question))
}

/// Whether a path is that file, or ends in it.
pub(crate) fn is_file(path: &str, file: &str) -> bool {
    let (path, file) = (path.trim().to_lowercase(), file.trim().to_lowercase());
    let file = file.trim_start_matches("./");
    let rest = path.strip_suffix(file);
    !file.is_empty() && rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
}

/// Words in lower case, each between spaces.
fn spaced(text: &str) -> String {
    let mut spaced = String::from(" ");
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        spaced.push_str(&word.to_lowercase());
        spaced.push(' ');
    }
    spaced
}

#[cfg(test)]
mod tests {
    use abide_domain::graph::{Node, TechnicalContext};

    use super::{holds_words, is_file, searchable_text};

    #[test]
    fn whole_words_are_named_and_parts_of_words_are_not() {
        let description = "Race-condition in the sleep step".to_owned();
        let node = Node::Technical(TechnicalContext { description, ..Default::default() });
        assert!(holds_words(&node, "race condition") && holds_words(&node, "SLEEP"));
        assert!(
            !holds_words(&node, "ace condition")
                && !holds_words(&node, "  ")
                && !holds_words(&node, "...")
        );
        assert_eq!(searchable_text(&node), "Race-condition in the sleep step");
    }

    #[test]
    fn a_file_is_named_by_its_end() {
        for file in ["src/wal.rs", "wal.rs", "./wal.rs", "/src/wal.rs", "WAL.rs"] {
            assert!(is_file("/src/wal.rs", file), "{file}");
        }
        for file in ["al.rs", "", "wal"] {
            assert!(!is_file("src/wal.rs", file), "{file}");
        }
    }
}
