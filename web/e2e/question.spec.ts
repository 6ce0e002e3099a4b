// What a server of tools asks in mid-call, answered in a real browser: in the chat whose call waits, and in the inbox.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import AxeBuilder from "@axe-core/playwright";
import { App, expect, Keeper, test } from "./keeper";
import { calls, says } from "./model";

const SERVER = fileURLToPath(new URL("../../crates/mcp/tests/servers/faulty.py", import.meta.url));

/** A server that may ask; it leaves what people answer in the home. */
const asking = async (_: string, home: string) => `[[mcp]]
name = "test"
command = "/usr/bin/python3"
args = ["${SERVER}", "${home}"]
sandbox = "off"
allow = ["*"]
questions = "ask"
`;

/** Has the server ask who somebody is. */
const login = (line: string): unknown => JSON.parse(`{"line": "${line}", "then": "login"}`);

test("a form is filled in beside the call that waits, and the next one is declined in the inbox", async ({
  page,
  context,
}) => {
  const keeper = await Keeper.start(asking);
  const answers = async () => {
    const lines = await readFile(join(keeper.home, "answers"), "utf8").catch(() => "");
    return lines.split("\n").filter(Boolean);
  };
  try {
    await expect
      .poll(async () => {
        const { items } = (await keeper.api("GET", "/mcp/servers")) as { items: { tools: string[] }[] };
        return items[0]?.tools ?? [];
      })
      .toContain("mcp.test.append");
    await keeper.admit(context);
    const app = new App(page, keeper);
    await app.open("/chat/felix");
    keeper.model.script(calls("mcp-test-append", login("x")), says("You are known."));
    await app.send("log in");
    const card = page.getByRole("region", { name: "The server test asks you" });
    await expect(card.locator("blockquote")).toHaveText("Who are you?⟦U+200B⟧");
    const { violations } = await new AxeBuilder({ page }).include("section").analyze();
    expect(violations.map((one) => one.id)).toEqual([]);

    await card.getByLabel("password").fill("hush-4711");
    await card.getByLabel("days").fill("many");
    await card.getByRole("button", { name: "Accept" }).click();
    await expect(card.getByRole("alert")).toContainText("values.");
    await expect(card.getByLabel("password")).toHaveAttribute("type", "password");
    await card.getByLabel("user (required)").fill("ann");
    await card.getByLabel("days").fill("3");
    await card.getByRole("button", { name: "Accept" }).click();
    await expect(page.getByTestId("reply")).toHaveText("You are known.");
    await expect(card).toHaveCount(0);
    const [line] = await answers();
    const content = { user: "ann", password: "hush-4711", days: 3 };
    expect(JSON.parse(line ?? "{}")).toEqual({ action: "accept", content });

    keeper.model.script(calls("mcp-test-append", login("y")), says("Then not."));
    await app.send("again");
    await expect(card).toBeVisible();
    await app.open("/");
    const matter = page.getByRole("list", { name: "Needs attention", exact: true }).getByRole("listitem");
    await expect(matter).toContainText("the server test, called by felix, asks for a form");
    await matter.getByRole("button", { name: "Decline" }).click();
    await expect(matter).toHaveCount(0);
    await expect.poll(async () => (await answers())[1] ?? "").toContain("decline");
  } finally {
    await keeper.end();
  }
});
