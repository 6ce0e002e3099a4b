// A keeper whose agent has a past that changes can be tried on: questions whose replies rest on memories that today's order shows late,
// so that a search finds a better one; and questions that two models answer differently, with a judge beside them. The keeper is the
// real one; only the models are made up.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, Keeper } from "./keeper";
import { type Asked, Reply, says } from "./model";

/** The model in force, the one that is tried, and the one that judges. */
export const OLD = "fjord-2";
export const NEW = "brook-1";
export const JUDGE = "delta-1";

const TOPICS = [
  "gauge",
  "jetty",
  "boathouse",
  "mill",
  "weir",
  "ferry",
  "logger",
  "battery",
  "bulletin",
  "float",
  "orchard",
];
const ROUNDS = 4;
const SHORT = 11;

const PRICES = `[[price]]
model = "fjord-*"
effective_from = "2025-01-01"
input = 2_500_000
output = 10_000_000
[[price]]
model = "brook-*"
effective_from = "2025-01-01"
input = 800_000
output = 3_000_000
[[price]]
model = "delta-*"
effective_from = "2025-01-01"
input = 500_000
output = 2_000_000
`;

async function settings(model: string, home: string): Promise<string> {
  await writeFile(join(home, "prices.toml"), PRICES);
  return `[evolution]
enabled = true
approve = ["memory"]
[memory]
embedder = "none"
[irc]
listen = "off"
[model]
provider = "openai"
base_url = "${model}/v1"
name = "${OLD}"
price_file = "${join(home, "prices.toml")}"
`;
}

/** Whose reply a judge prefers: always the one, or whatever stands first. */
type Preferred = "old" | "new" | "first" | "tie";

const ANSWERS: readonly [question: string, old: string, fresh: string, judge: Preferred][] = [
  [
    "When does the crest reach the old jetty?",
    "At about 13:15, and at 12:50 at the earliest: it passed the upper mill at 07:35 and takes 5 h 40 min, give or take 25 min.",
    "At about 13:15. A crest takes 5 h 40 min from the upper mill, which it passed at 07:35.",
    "old",
  ],
  [
    "How long do the boats of the boathouse take to move?",
    "Three hours, as Nicolas told me in the evening.",
    "Three hours, as Nicolas told me in the evening.",
    "tie",
  ],
  [
    "May we trust gauge three today?",
    "Only with a correction: it reads 4 cm too high since Anna replaced its float, and its logger is silent since six.",
    "I can't say whether a gauge is to be trusted.",
    "old",
  ],
  [
    "Who decides about a warning?",
    "Nicolas does.",
    "Nicolas decides about warnings, and he wants the time by which he has to.",
    "new",
  ],
  [
    "What do you do when one station alone rises?",
    "I look at a second one before I propose a warning: one station is no station.",
    "I look at a second station before I propose a warning, because one station is no station.",
    "first",
  ],
  [
    "How many stations answered last night?",
    "All nine; gauge 3 on the second try.",
    "All nine answered, gauge 3 on the second try.",
    "new",
  ],
  [
    "What is the battery of gauge three at?",
    "At 11.6 V, below its usual 12.1 V.",
    "At 11.6 V; its usual value is 12.1 V.",
    "first",
  ],
  [
    "Summarise the night for the bulletin.",
    "The Anse rose 31 cm at the upper mill since midnight and crested at 07:35. A warning for the boathouse is being weighed.",
    "The river rose overnight, and people who live beside it should look at the next bulletin at nine.",
    "old",
  ],
];

const asked = (message: string) => ANSWERS.find(([question]) => message.includes(question));

function answer({ model, message }: Asked): Reply | null {
  const found = asked(message);
  if (!found) return null;
  const [, old, fresh] = found;
  const said = model === JUDGE ? judged(message, found) : model === NEW ? fresh : old;
  const reply = new Reply([said]);
  reply.isCounted = true;
  reply.takes = model === OLD ? 60 : model === NEW ? 35 : 0;
  return reply;
}

function judged(message: string, [, old, fresh, prefers]: (typeof ANSWERS)[number]): string {
  // It stands in one JSON object, whatever is written around it.
  const { A } = JSON.parse(/\{"message":.*\}/.exec(message)?.[0] ?? "{}") as { A?: string };
  if (prefers === "tie") return "TIE";
  if (prefers === "first") return "A";
  return A === (prefers === "new" ? fresh : old) ? "A" : "B";
}

/** A keeper with these models in which nothing has happened. */
export const begun = (): Promise<Keeper> => Keeper.start(settings);

/** One whose agent has a past that a search finds something in. */
export async function lived(): Promise<Keeper> {
  const keeper = await begun();
  const say = async (message: string, reply: string) => {
    keeper.model.script(says(reply));
    await keeper.say(message);
  };
  for (const topic of TOPICS) {
    for (let note = 0; note < SHORT; note += 1) await say(`The ${topic} again, note ${note}.`, "Noted.");
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const stones = "stone ".repeat(14 + 8 * round);
    for (const [at, topic] of TOPICS.entries())
      await say(`${topic} ${rare(round * TOPICS.length + at)} ${stones}`, "Noted.");
    // Later, so that no question stands beside what it needs.
    for (const [at, topic] of TOPICS.entries())
      await say(`What about the ${topic}?`, rare(round * TOPICS.length + at));
  }
  return keeper;
}

/** Four words that stand in one message alone. */
function rare(message: number): string {
  const syllables = ["ba", "ko", "du", "mi", "ro", "fe", "lu", "za"];
  const word = (place: number) => {
    let made = "";
    for (let left = message * 4 + place + 64; left > 0; left = Math.floor(left / 8))
      made += syllables[left % 8];
    return `${made}x`;
  };
  return [0, 1, 2, 3].map(word).join(" ");
}

const ENDED = ["rejected", "reported", "rolled_back", "aborted"];

interface Change {
  id: string;
  state: string;
}

/**
 * Asks what two models answer differently, and compares another model with the one in force, with a judge. Gives the id of the change
 * once it is reported. What was proposed before is aborted: one change of an agent is worked at at a time.
 */
export async function compared(keeper: Keeper): Promise<string> {
  keeper.model.rule = answer;
  for (let round = 0; round < 3; round += 1) for (const [question] of ANSWERS) await keeper.say(question);
  const { items } = (await keeper.api("GET", "/evolutions")) as { items: Change[] };
  for (const { id, state } of items)
    if (!ENDED.includes(state))
      await keeper.api("POST", `/evolutions/${id}/abort`, { reason: "enough was seen" });
  const { id } = (await keeper.api("POST", "/evolutions", {
    target: "mind",
    change: { model: NEW },
    reason: "a smaller model for everyday questions",
    expected: { cost: -0.5 },
    trial: { last: 24, only_compare: true, budget_usd: 5, judge: { model: JUDGE } },
  })) as Change;
  await until(keeper, id, "reported");
  return id;
}

/** Waits for a state of a change. */
export async function until(keeper: Keeper, id: string, state: string): Promise<void> {
  const look = async () => ((await keeper.api("GET", `/evolutions/${id}`)) as Change).state;
  await expect.poll(look, { timeout: 180_000, message: `the change is ${state}` }).toBe(state);
}
