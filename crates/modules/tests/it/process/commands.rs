//! The dsl module: commands that become other commands.

use abide_modules::{
    DeclaredCommand, ModuleKind,
    ScriptErrorKind::{Runtime, Shape},
};

use crate::world::{AMPLE, Process, failure};

#[tokio::test]
async fn a_command_becomes_the_text_that_its_body_gives() {
    let code = "(defcommand \"remind-me\" \"Wakes me.\"
                  (lambda (text) (string-append \"\\\\wake ?(content contains \\\"\" text \"\\\") look ---\")))
                (defcommand \"odd\" \"Gives no text.\" (lambda (text) 5))";
    let mut process = Process::start();
    let declared = process.client.load(ModuleKind::Dsl, code, AMPLE).await.unwrap().value;
    let command =
        |name: &str, help: &str| DeclaredCommand { name: name.to_owned(), help: help.to_owned() };
    let expected = [command("remind-me", "Wakes me."), command("odd", "Gives no text.")];
    assert_eq!(declared.commands, expected);
    let expanded = process.client.expand_command("remind-me", "error", AMPLE).await.unwrap();
    assert_eq!(expanded.value, "\\wake ?(content contains \"error\") look ---");
    assert_eq!(failure(process.client.expand_command("odd", "", AMPLE).await), Shape);
    assert_eq!(failure(process.client.expand_command("unheard-of", "", AMPLE).await), Shape);
}

#[tokio::test]
async fn the_base_module_has_no_command_and_bad_names_are_none() {
    let mut process = Process::start();
    let base = ModuleKind::Dsl.base_code();
    let declared = process.client.load(ModuleKind::Dsl, base, AMPLE).await.unwrap().value;
    assert_eq!(declared.commands, []);
    for name in ["Remind", "", "remind me", "remind-", "\\\\remind"] {
        let code = format!("(defcommand \"{name}\" \"Helps.\" (lambda (text) text))");
        assert_eq!(process.refusal(ModuleKind::Dsl, &code).await.kind, Runtime, "{name}");
    }
}

#[tokio::test]
async fn one_process_holds_one_module_of_each_kind() {
    let mut process = Process::start();
    let echo = |word: &str| {
        format!("(defcommand \"say\" \"Says.\" (lambda (text) (string-append \"{word} \" text)))")
    };
    process.client.load(ModuleKind::Dsl, &echo("old"), AMPLE).await.unwrap();
    process.client.load(ModuleKind::Memory, ModuleKind::Memory.base_code(), AMPLE).await.unwrap();
    process.client.load(ModuleKind::Tools, ModuleKind::Tools.base_code(), AMPLE).await.unwrap();
    assert_eq!(process.client.expand_command("say", "it", AMPLE).await.unwrap().value, "old it");
    process.client.load(ModuleKind::Dsl, &echo("new"), AMPLE).await.unwrap();
    assert_eq!(process.client.expand_command("say", "it", AMPLE).await.unwrap().value, "new it");
}
