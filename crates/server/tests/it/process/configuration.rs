//! BC-35: a configuration counts whole or not at all, wherever it was written.

use crate::home::Home;

/// What is wrong, and what the refusal must say.
struct Mistake {
    file: &'static str,
    variable: Option<(&'static str, &'static str)>,
    flag: Option<&'static str>,
    said: &'static [&'static str],
}

const NONE: Mistake = Mistake { file: "", variable: None, flag: None, said: &[] };

const MISTAKES: [Mistake; 16] = [
    Mistake {
        file: "[model]\nprovidor = \"openai\"\n",
        said: &["abide.toml:2:1", "model.providor", "model.provider"],
        ..NONE
    },
    Mistake { file: "[limts]\nturns = 3\n", said: &["abide.toml:1", "limts", "limits"], ..NONE },
    Mistake { file: "\n\nlisten = 1\n", said: &["abide.toml:3:1", "listen"], ..NONE },
    Mistake { file: "[weather]\nsun = true\n", said: &["abide.toml:1", "weather"], ..NONE },
    Mistake {
        file: "[limits]\nturns = \"many\"\n",
        said: &["abide.toml:2:9", "limits.turns", "whole number"],
        ..NONE
    },
    Mistake { file: "[limits]\nturns = 0\n", said: &["abide.toml:2:9", "limits.turns"], ..NONE },
    Mistake {
        file: "[limits]\nturn = \"soon\"\n",
        said: &["abide.toml:2:8", "limits.turn"],
        ..NONE
    },
    Mistake { file: "[limits]\nturn = 120\n", said: &["abide.toml:2:8", "limits.turn"], ..NONE },
    Mistake {
        file: "[auth]\nrequired = \"no\"\n",
        said: &["abide.toml:2:12", "auth.required"],
        ..NONE
    },
    Mistake {
        file: "[keeper]\nlisten = \"localhost\"\n",
        said: &["abide.toml:2:10", "keeper.listen"],
        ..NONE
    },
    Mistake {
        file: "[[agent]]\nid = \"ada\"\nrol = \"x\"\n",
        said: &["abide.toml:3:1", "rol", "role"],
        ..NONE
    },
    Mistake { file: "[limits]\nturns = 3\nturns = 4\n", said: &["abide.toml:3"], ..NONE },
    Mistake { file: "[limits\n", said: &["abide.toml:1"], ..NONE },
    Mistake {
        variable: Some(("ABIDE_LIMITS_TRUNS", "3")),
        said: &["ABIDE_LIMITS_TRUNS", "ABIDE_LIMITS_TURNS"],
        ..NONE
    },
    Mistake {
        variable: Some(("ABIDE_LIMITS_TURNS", "many")),
        said: &["ABIDE_LIMITS_TURNS", "whole number"],
        ..NONE
    },
    Mistake {
        flag: Some("limits.truns=3"),
        said: &["--set", "limits.truns", "limits.turns"],
        ..NONE
    },
];

#[test]
fn bc_35_every_mistake_is_a_start_error_that_says_where_and_what_is_near() {
    for mistake in MISTAKES {
        let home = Home::new(mistake.file);
        let flag = mistake.flag.map(|flag| ["--set", flag]);
        let arguments = ["up"].into_iter().chain(flag.into_iter().flatten());
        let output = home.command(arguments).envs(mistake.variable).output().unwrap();
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{}: {words}", mistake.file);
        for said in mistake.said {
            assert!(words.contains(said), "`{said}` is not said: {words}");
        }
        for begun in ["ledger", "token", "keeper.json", "agents"] {
            assert!(!home.path().join(begun).exists(), "{begun} was begun: {words}");
        }
    }
}

#[test]
fn bc_35_an_edit_while_a_keeper_runs_changes_nothing_until_the_next_start_which_refuses_it() {
    let home = Home::new("[limits]\nqueue = 10\n");
    let keeper = home.up();
    std::fs::write(home.path().join("abide.toml"), "[limits]\nqueu = 1\n").unwrap();
    assert_eq!(keeper.client.say("hi")["state"], "committed", "it goes on as it was");
    let before = home.path().join("ledger/0000000001.jsonl");
    assert_eq!(keeper.stop(), Some(0));
    let text = std::fs::read(&before).unwrap();
    let refused = home.run(["up", "--listen", "127.0.0.1:0"]);
    assert_eq!(refused.status.code(), Some(1));
    assert_eq!(std::fs::read(&before).unwrap(), text);
    std::fs::write(home.path().join("abide.toml"), "").unwrap();
    assert_eq!(home.up().stop(), Some(0));
}
