//! `steam.*`: libraries, players, and the files on this machine.

use std::{fs, path::Path};

use abide_http::{AddressPolicy, Secret};
use abide_services::{SteamSettings, check_steam, steam_tools};
use abide_tools::ToolErrorKind;
use serde_json::{Value, json};

use crate::{
    call::{Caller, TestClock, http},
    server::{Asked, Fault, Reply, Server},
};

const KEY: &str = "STEAMKEY0123456789ABCDEF";
const ID: &str = "76561197960287930";

fn settings(server: &Server) -> SteamSettings {
    SteamSettings {
        url: server.url(""),
        addresses: AddressPolicy::PublicOrLoopback,
        key: Some(Secret::new(KEY)),
        ..SteamSettings::default()
    }
}

fn caller(settings: &SteamSettings) -> Caller {
    let clock = TestClock::start();
    Caller::new(steam_tools(settings, &http(&clock)), &clock)
}

fn answer(asked: &Asked) -> Reply {
    let path = asked.path.as_str();
    if path.starts_with("/ISteamUser/ResolveVanityURL/v1/") {
        return Reply::json(
            200,
            &if path.contains("vanityurl=some_one") {
                json!({"response": {"success": 1, "steamid": ID}})
            } else {
                json!({"response": {"success": 42, "message": "No match"}})
            },
        );
    }
    if path.starts_with("/IPlayerService/GetOwnedGames/v1/") {
        return Reply::json(
            200,
            &json!({"response": {"game_count": 2, "games": [
                {"appid": 10, "name": "Little", "playtime_forever": 30, "rtime_last_played": 0},
                {"appid": 20, "name": "Much", "playtime_forever": 630, "playtime_2weeks": 6, "rtime_last_played": 1_700_000_000}
            ]}}),
        );
    }
    Reply::json(
        200,
        &json!({"response": {"total_count": 1, "games": [{"appid": 20, "name": "Much", "playtime_2weeks": 6, "playtime_forever": 630}]}}),
    )
}

#[tokio::test]
async fn a_library_is_listed_by_number_or_name() {
    let server = Server::start(answer).await;
    let mut caller = caller(&settings(&server));
    let output = caller.run("steam.get_library", json!({"steam_id": ID})).await.unwrap();
    let found: Value = serde_json::from_str(&output.content).unwrap();
    assert_eq!(
        found["games"][0],
        json!({"appid": 20, "name": "Much", "hours": "10.5", "hours_in_two_weeks": "0.1",
        "last_played": "2023-11-14T22:13:20.000000Z"})
    );
    assert!(output.ethereal.is_some());
    let by_name =
        json!({"steam_id": "steamcommunity.com/id/some_one/", "sort": "name", "limit": 1});
    let found = caller.json("steam.get_library", by_name).await;
    assert_eq!(
        (found["games"][0]["name"].as_str(), found["total"].as_u64()),
        (Some("Little"), Some(2))
    );
    let recent = caller.json("steam.get_recent_games", json!({"steam_id": "some_one"})).await;
    assert_eq!(recent["games"][0]["minutes_in_two_weeks"], 6);
    assert_eq!(
        caller.json("steam.resolve_id", json!({"player": "some_one"})).await["steam_id"],
        ID
    );
    assert_eq!(
        caller.refused("steam.resolve_id", json!({"player": "nobody"})).await.0,
        ToolErrorKind::NotFound
    );
    let (kind, message) = caller.refused("steam.get_library", json!({})).await;
    assert!(kind == ToolErrorKind::Invalid && message.contains("whose games"), "{message}");
    let mut owner =
        crate::steam::caller(&SteamSettings { steam_id: Some(ID.into()), ..settings(&server) });
    assert_eq!(owner.json("steam.get_library", json!({})).await["total"], 2);
}

#[tokio::test]
async fn a_private_profile_is_not_taken_for_an_empty_library() {
    let server = Server::start(|asked| {
        let empty = asked.path.contains("GetRecentlyPlayed");
        Reply::json(
            200,
            &if empty { json!({"response": {"total_count": 0}}) } else { json!({"response": {}}) },
        )
    })
    .await;
    let mut caller = caller(&settings(&server));
    let (kind, message) = caller.refused("steam.get_library", json!({"steam_id": ID})).await;
    assert!(kind == ToolErrorKind::Forbidden && message.contains("private"), "{message}");
    assert_eq!(
        caller.json("steam.get_recent_games", json!({"steam_id": ID})).await["games"],
        json!([])
    );
}

#[tokio::test]
async fn the_key_is_in_no_error_and_no_result() {
    let server = Server::start(|asked| {
        let id = asked.path.split("steamid=").nth(1).unwrap_or_default();
        match &id[16..17] {
            "0" => Reply::new(403, "text/html", format!("Access denied, key={KEY}")),
            "1" => Reply::redirect(302, &format!("/elsewhere?key={KEY}")),
            "2" => Reply::new(200, "application/json", format!("{KEY} is no JSON")),
            "3" => Reply::faulty(Fault::Cut),
            "4" => Reply::json(429, &json!({})).with("retry-after", "9"),
            _ => Reply::new(500, "text/plain", asked.path.clone()),
        }
    })
    .await;
    let settings = settings(&server);
    assert!(!format!("{settings:?}").contains(KEY));
    let mut caller = caller(&settings);
    let kinds = [
        ToolErrorKind::Forbidden,
        ToolErrorKind::Upstream,
        ToolErrorKind::Unreadable,
        ToolErrorKind::Upstream,
        ToolErrorKind::RateLimited,
        ToolErrorKind::Upstream,
    ];
    for (n, expected) in kinds.into_iter().enumerate() {
        let arguments = json!({"steam_id": format!("7656119796028793{n}")});
        let error = caller.run("steam.get_library", arguments).await.unwrap_err();
        assert_eq!(error.kind, expected, "{error}");
        assert!(!format!("{error:?}").contains(KEY), "{error:?}");
    }
    let gone = SteamSettings { url: "http://127.0.0.1:1".into(), ..settings };
    let error = crate::steam::caller(&gone)
        .run("steam.get_library", json!({"steam_id": ID}))
        .await
        .unwrap_err();
    assert!(
        error.kind == ToolErrorKind::Upstream && !format!("{error:?}").contains(KEY),
        "{error:?}"
    );
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[tokio::test]
async fn installed_games_are_read_from_steams_own_files() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join(".local/share/Steam");
    let second = home.path().join("games");
    let list = format!(
        "\"libraryfolders\"\n{{\n \"0\" {{ \"path\" \"{}\" \"apps\" {{ \"10\" \"5\" }} }}\n \"1\" {{ \"path\" \"{}\" }}\n \"2\" {{ \"path\" \"/not/there\" }}\n}}\n",
        root.display(),
        second.display()
    );
    write(&root.join("steamapps/libraryfolders.vdf"), &list);
    let manifest = |id: u32, name: &str, flags: u32| {
        format!(
            "\"AppState\"\n{{\n \"appid\" \"{id}\"\n \"name\" \"{name}\"\n \"StateFlags\" \"{flags}\"\n \"SizeOnDisk\" \"77\"\n \"LastUpdated\" \"1700000000\"\n}}\n"
        )
    };
    write(&root.join("steamapps/appmanifest_10.acf"), &manifest(10, "Zeta", 4));
    write(&root.join("steamapps/appmanifest_11.acf"), "damaged {");
    write(&root.join("steamapps/readme.txt"), "no manifest");
    write(&second.join("steamapps/appmanifest_20.acf"), &manifest(20, "Alpha", 1026));
    std::os::unix::fs::symlink(home.path().join(".local/share/Steam"), home.path().join("steam"))
        .unwrap();
    let mut roots = SteamSettings::usual_roots(home.path());
    roots.push(home.path().join("steam"));
    let settings = SteamSettings { roots, ..SteamSettings::default() };
    let found = caller(&settings).json("steam.get_installed", json!({})).await;
    assert_eq!(
        (found["libraries"].as_u64(), found["total"].as_u64(), found["unreadable_files"].as_u64()),
        (Some(2), Some(2), Some(1))
    );
    assert_eq!(
        found["games"][0],
        json!({"appid": 20, "name": "Alpha", "bytes": 77, "updated": "2023-11-14T22:13:20.000000Z", "installed": false, "hours": null, "last_played": null})
    );
    assert_eq!(found["games"][1]["installed"], true);
    let checks = check_steam(&settings).await;
    assert!(!checks[0].works && checks[1].works, "{checks:?}");
    let (kind, message) =
        caller(&SteamSettings::default()).refused("steam.get_installed", json!({})).await;
    assert!(kind == ToolErrorKind::NotFound && message.contains("roots"), "{message}");
    let (kind, message) =
        caller(&settings).refused("steam.get_library", json!({"steam_id": ID})).await;
    assert!(kind == ToolErrorKind::Blocked && message.contains("no key"), "{message}");
}

/// A file of Steam for an account.
fn account(games: &str) -> String {
    format!(
        "\"UserLocalConfigStore\" {{ \"friends\" {{ \"x\" \"{{\\\"a\\\":1}}\" }} \"Software\" {{ \"valve\" {{ \"Steam\" {{ \"Apps\" {{ {games} }} }} }} }} }}"
    )
}

#[tokio::test]
async fn hours_are_those_of_the_account_that_is_meant_or_of_the_only_one() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("steam");
    let manifest = "\"AppState\" { \"appid\" \"10\" \"name\" \"Zeta\" \"StateFlags\" \"4\" }";
    write(&root.join("steamapps/appmanifest_10.acf"), manifest);
    let file = |number: u64| root.join(format!("userdata/{number}/config/localconfig.vdf"));
    let mine = account(
        "\"10\" { \"LastPlayed\" \"1700000000\" \"Playtime\" \"750\" } \"x\" { } \"11\" \"1\"",
    );
    write(&file(7), &mine);
    write(&file(0), &account("\"10\" { \"Playtime\" \"9999\" }"));
    write(&root.join("userdata/anonymous/config/localconfig.vdf"), &mine);
    let elsewhere = home.path().join("elsewhere");
    write(&elsewhere.join("config/localconfig.vdf"), &mine);
    std::os::unix::fs::symlink(&elsewhere, root.join("userdata/8")).unwrap();
    let found = async |id: Option<&str>| {
        let (roots, steam_id) = (vec![root.clone()], id.map(str::to_owned));
        let settings = SteamSettings { roots, steam_id, ..SteamSettings::default() };
        caller(&settings).json("steam.get_installed", json!({})).await
    };
    let times = |found: &Value| (found["games"][0]["hours"].clone(), found["note"].is_null());
    let alone = found(None).await;
    assert_eq!(times(&alone), (json!("12.5"), true));
    assert_eq!(alone["games"][0]["last_played"], "2023-11-14T22:13:20.000000Z");
    write(&file(9), &account("\"10\" { \"Playtime\" \"60\" }"));
    assert_eq!(times(&found(None).await), (Value::Null, false), "whose is not guessed");
    assert_eq!(times(&found(Some("a_name")).await), (Value::Null, false));
    assert_eq!(times(&found(Some("76561197960265737")).await), (json!("1.0"), true));
    assert_eq!(
        times(&found(Some("76561197960265738")).await),
        (Value::Null, true),
        "of nobody here"
    );
    for broken in ["damaged {".to_owned(), format!("\"{}\" \"x\"", "x".repeat(9 << 20))] {
        write(&file(9), &broken);
        let found = found(Some("76561197960265737")).await;
        assert_eq!(
            (times(&found), found["unreadable_files"].as_u64()),
            ((Value::Null, true), Some(1))
        );
    }
}
