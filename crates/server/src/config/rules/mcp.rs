//! What the keys of an `[[mcp]]` say together, and the names of all of them.

use std::collections::BTreeSet;

use crate::{
    config::{Config, Environment, McpSection, NetworkKind, problem::Problem},
    mcp_servers::{read_headers, server_settings},
};

pub(super) fn check(config: &Config, environment: &Environment) -> Vec<Problem> {
    let mut names = BTreeSet::new();
    let servers = config.settings.mcp.iter().enumerate();
    let problems = servers.flat_map(|(number, server)| {
        let mut problems = check_one(server, environment);
        if !names.insert(server.name.as_str()) {
            problems
                .push(("name", format!("is {:?}, and another [[mcp]] has this name", server.name)));
        }
        let at = move |(key, message): (&str, String)| {
            config.problem(&format!("mcp[{number}].{key}"), &message)
        };
        problems.into_iter().map(at).collect::<Vec<_>>()
    });
    problems.collect()
}

/// A key and what is wrong with it.
type Wrong = (&'static str, String);

fn check_one(server: &McpSection, environment: &Environment) -> Vec<Wrong> {
    let place = place(server).into_iter();
    let parts = [foreign_keys(server), names(server), secrets(server, environment)];
    place.chain(parts.into_iter().flatten()).collect()
}

/// A server is in one place, and that can be used.
fn place(server: &McpSection) -> Option<Wrong> {
    match (server.command.is_empty(), server.url.is_empty()) {
        (true, true) => {
            let message = "is empty, and so is url; one of them says where the server is";
            Some(("command", message.to_owned()))
        }
        (false, false) => {
            let message = "is set, and so is command; a server is started here or runs elsewhere";
            Some(("url", message.to_owned()))
        }
        _ if server.url.contains(['?', '#']) => {
            let message = "has a query or a fragment, which logs and pages would show; put a key into headers_env";
            Some(("url", message.to_owned()))
        }
        _ => {
            let error = server_settings(server).check().err()?;
            let key = if server.command.is_empty() { "url" } else { "name" };
            Some((key, format!("cannot be used: {error}")))
        }
    }
}

/// Keys that mean nothing for a server of this kind.
fn foreign_keys(server: &McpSection) -> Vec<Wrong> {
    let remote = [
        ("token_env", server.token_env.is_empty()),
        ("headers_env", server.headers_env.is_empty()),
        ("client_id", server.client_id.is_empty()),
        ("scopes", server.scopes.is_empty()),
        ("callback_port", server.callback_port == 0),
        ("private", !server.private),
    ];
    let local = [
        ("args", server.args.is_empty()),
        ("environment", server.environment.is_empty()),
        ("sandbox", server.sandbox.is_none()),
        ("network", server.network == NetworkKind::Open),
        ("read", server.read.is_empty()),
        ("write", server.write.is_empty()),
    ];
    let (keys, kind) = if server.url.is_empty() { (remote, "a url") } else { (local, "a command") };
    let set = keys.into_iter().filter(|(_, is_unset)| !is_unset);
    set.map(|(key, _)| (key, format!("is for servers with {kind}"))).collect()
}

/// The lists have the server's own names.
fn names(server: &McpSection) -> Vec<Wrong> {
    let lists = [
        ("allow", &server.allow),
        ("ask", &server.ask),
        ("deny", &server.deny),
        ("read_only", &server.read_only),
    ];
    let wrong = lists.into_iter().filter_map(|(key, list)| {
        let full = list.iter().find(|name| name.starts_with("mcp."))?;
        let own = &server.name;
        let message =
            format!("names {full:?}; these lists have the server's own names, without mcp.{own}.");
        Some((key, message))
    });
    wrong.collect()
}

/// What variables hold is there.
fn secrets(server: &McpSection, environment: &Environment) -> Vec<Wrong> {
    let missing =
        |key, name: &str| (key, format!("names {name}, which is not set in the environment"));
    let is_missing = |name: &&String| environment.get(name).is_none();
    let token = Some(&server.token_env).filter(|name| !name.is_empty());
    let mut problems: Vec<_> =
        token.filter(is_missing).map(|name| missing("token_env", name)).into_iter().collect();
    match read_headers(server) {
        Err(message) => problems.push(("headers_env", message)),
        Ok(headers) => {
            let names = headers.iter().map(|(_, name)| name);
            problems.extend(names.filter(is_missing).map(|name| missing("headers_env", name)));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::config::{Config, Environment, Sources};

    fn problems(text: &str) -> Vec<String> {
        let environment: Environment = [("SET", "x")].into_iter().collect();
        let sources =
            Sources { file: Path::new("abide.toml"), environment: &environment, flags: &[] };
        Config::from_text(text, sources).err().map(|error| error.to_string()).into_iter().collect()
    }

    #[test]
    fn a_server_has_one_place_and_a_name_of_its_own() {
        let fine = "[[mcp]]\nname = \"files\"\ncommand = \"npx\"\n\
            [[mcp]]\nname = \"far\"\nurl = \"https://mcp.test/mcp\"\ntoken_env = \"SET\"\n\
            headers_env = [\"X-Key=SET\"]\n";
        assert_eq!(problems(fine), [""; 0]);
        let cases = [
            ("[[mcp]]\nname = \"a\"\n", "one of them says where the server is"),
            (
                "[[mcp]]\nname = \"a\"\ncommand = \"x\"\nurl = \"https://a.test\"\n",
                "is started here or runs elsewhere",
            ),
            (
                "[[mcp]]\nname = \"a\"\ncommand = \"x\"\n[[mcp]]\nname = \"a\"\ncommand = \"y\"\n",
                "another [[mcp]] has this name",
            ),
            ("[[mcp]]\nname = \"A b\"\ncommand = \"x\"\n", "cannot be the name of a server"),
            ("[[mcp]]\nname = \"a\"\nurl = \"http://a.test\"\n", "cannot be used"),
            ("[[mcp]]\nname = \"a\"\ncommand = \"x\"\nscopes = [\"y\"]\n", "servers with a url"),
            (
                "[[mcp]]\nname = \"a\"\nurl = \"https://a.test\"\ntoken_env = \"NONE\"\n",
                "names NONE, which is not set",
            ),
            (
                "[[mcp]]\nname = \"a\"\ncommand = \"x\"\ndeny = [\"mcp.a.y\"]\n",
                "the server's own names",
            ),
            ("[[mcp]]\nname = \"a\"\nurl = \"https://a.test/?key=1\"\n", "has a query"),
            (
                "[[mcp]]\nname = \"a\"\nurl = \"https://a.test\"\nread = [\"/srv\"]\n",
                "servers with a command",
            ),
            (
                "[[mcp]]\nname = \"a\"\nurl = \"https://a.test\"\nheaders_env = [\"X-Key\"]\n",
                "\"Header=VARIABLE\"",
            ),
        ];
        for (text, expected) in cases {
            let found = problems(text);
            assert!(found.iter().any(|problem| problem.contains(expected)), "{text}: {found:?}");
        }
    }
}
