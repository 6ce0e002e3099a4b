//! The web client and the plain page as a browser gets them.

use crate::home::Home;

const PAGE: [(&str, &str); 1] = [("accept", "text/html,application/xhtml+xml,*/*;q=0.8")];

#[test]
fn every_screen_is_a_page_for_a_browser_and_no_route_is_opened_by_it() {
    let home = Home::new("");
    let keeper = home.up();
    let anybody = keeper.client.anonymous();
    for path in [
        "/",
        "/chat",
        "/chat/felix",
        "/timeline",
        "/cortex/felix",
        "/agents",
        "/stdout",
        "/settings",
    ] {
        let page = anybody.send("GET", path, &PAGE, "");
        assert_eq!(page.status, 200, "{path}");
        assert!(page.header("content-type").starts_with("text/html"), "{path}");
        assert!(page.header("content-security-policy").contains("default-src 'none'"), "{path}");
        assert!(page.text.contains("<title>Abide</title>"), "{path}");
    }
    // The same addresses are routes for programs, and a route that is no screen stays one for browsers.
    assert_eq!(anybody.get("/agents").status, 401);
    assert_eq!(anybody.send("GET", "/agents/felix", &PAGE, "").status, 401);
    assert_eq!(anybody.send("GET", "/epochs", &PAGE, "").status, 401);
    assert_eq!(anybody.send("POST", "/agents", &PAGE, "").status, 401);
    assert_eq!(keeper.client.read("/agents")["items"][0]["id"], "felix");
}

#[test]
fn the_plain_page_is_always_there_and_files_are_those_of_the_page() {
    let home = Home::new("");
    let keeper = home.up();
    let anybody = keeper.client.anonymous();
    let plain = anybody.get("/plain");
    assert_eq!(plain.status, 200);
    assert!(plain.text.contains("/assets/app.js"), "{plain:?}");
    assert_eq!(anybody.get("/assets/app.js").status, 200);
    assert_eq!(anybody.get("/assets/nothing.js").status, 404);
    let page = anybody.send("GET", "/", &PAGE, "").text;
    let files = page.split("\"/assets/").skip(1).map(|rest| rest.split('"').next().unwrap());
    for file in files {
        let found = anybody.get(&format!("/assets/{file}"));
        assert_eq!(found.status, 200, "{file}");
        assert_eq!(found.header("x-content-type-options"), "nosniff");
    }
}
