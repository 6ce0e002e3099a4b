// A house with a past, for the pictures of docs/screens: Northpond watches a river and warns those who live beside it. An evening, a
// night and a morning, told to a real keeper by a model that follows a script.
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, Keeper } from "./keeper";
import { type Model, Reply } from "./model";
import { StoryClock } from "./story-clock";
import { HASTE, StoryServer } from "./story-server";

const EVENING = "2026-03-12T";
const MORNING = "2026-03-13T";
const evening = (time: string) => `${EVENING}${time}Z`;
const morning = (time: string) => `${MORNING}${time}Z`;

const PEOPLE = `partners = [{ id = "nicolas", name = "Nicolas", role = "co-founder" }, { id = "anna", name = "Anna", role = "field engineer" }]`;
const AGENTS: [id: string, role: string, mind: string][] = [
  ["felix", "assistant", "agent"],
  ["iris", "research", "model"],
  ["otto", "stations", "model"],
  ["mira", "bulletins", "model"],
  ["juno", "archive", "model"],
];

const seconds = (n: number) => `${(n * 1000) / HASTE}ms`;

async function settings(model: string, home: string): Promise<string> {
  await writeFile(join(home, "prices.toml"), PRICES);
  const agents = AGENTS.map(
    ([id, role, mind]) => `[[agent]]
id = "${id}"
name = "${id.charAt(0).toUpperCase()}${id.slice(1)}"
role = "${role}"
mind = "${mind}"
${PEOPLE}
[agent.model]
base_url = "${model}/${id}/v1"
`,
  );
  return `[model]
provider = "openai"
base_url = "${model}/v1"
name = "fjord-2"
voice = "json"
price_file = "${join(home, "prices.toml")}"
[keeper]
tick_interval = "100ms"
[memory]
embedder = "none"
[irc]
listen = "127.0.0.1:${await freePort()}"
[watchdog]
interval = "${seconds(60)}"
threshold = "${seconds(300)}"
bell_window = "${seconds(30)}"
channel_window = "${seconds(120)}"
cooldown = "${seconds(180)}"
grace = "${seconds(60)}"
[[notify]]
kind = "webhook"
url_env = "ABIDE_ALERT_URL"
${agents.join("")}`;
}

/** A port for IRC, on which nobody is. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((ready) => probe.listen(0, "127.0.0.1", ready));
  const { port } = probe.address() as AddressInfo;
  await new Promise((done) => probe.close(done));
  return port;
}

const PRICES = `[[price]]
model = "fjord-*"
effective_from = "2025-01-01"
input = 2_500_000
output = 10_000_000
`;

interface Said {
  thought?: string;
  mood?: string;
  calls?: [name: string, given: unknown][];
  says?: string;
}

/** Answers of a model that thinks for so long. */
class Script {
  constructor(
    private readonly model: Model,
    private readonly clock: StoryClock,
  ) {}

  give(agent: string, ...turns: (Said & { takes?: number })[]): void {
    for (const turn of turns) this.#give(agent, new Reply([voice(turn)]), turn.takes ?? 2_400);
  }

  /** An answer that stops in the middle until it is let go. */
  hold(agent: string, said: Said & { says: string }, after: string, takes = 3_100): Reply {
    const text = voice(said);
    const cut = text.indexOf(JSON.stringify(after).slice(1, -1)) + JSON.stringify(after).length - 2;
    const reply = new Reply([text.slice(0, cut), text.slice(cut)], [], false);
    reply.let(1);
    this.#give(agent, reply, takes);
    return reply;
  }

  /** No answer at all. */
  hang(agent: string): void {
    this.#give(agent, new Reply(["never"], [], false), 0);
  }

  #give(agent: string, reply: Reply, takes: number): void {
    reply.isCounted = true;
    reply.onAsked = () => takes > 0 && this.clock.skip(takes);
    this.model.scriptFor(agent, reply);
  }
}

function voice({ thought = "", mood = "calm", calls = [], says }: Said): string {
  return JSON.stringify({
    thought,
    emotive_state: mood,
    tool_calls: calls.map(([name, given]) => ({ name, arguments: JSON.stringify(given) })),
    final_response: says ?? null,
  });
}

export interface Life {
  server: StoryServer;
  /** The present of the story. */
  now: number;
  /** Lets Felix finish what he is saying. */
  finish: () => Promise<void>;
  end: () => Promise<void>;
}

/** Lives it, and stops in the middle of an answer. */
export async function live(): Promise<Life> {
  const clock = new StoryClock();
  clock.at(evening("21:30:00"));
  const bell = createServer((_, answer) => answer.end());
  await new Promise<void>((ready) => bell.listen(0, "127.0.0.1", ready));
  const keeper = await Keeper.start(settings, {
    ABIDE_ALERT_URL: `http://127.0.0.1:${(bell.address() as AddressInfo).port}/`,
  });
  clock.begins("keeper");
  const server = await StoryServer.start(keeper, clock);
  const script = new Script(keeper.model, clock);
  const house: House = { keeper, clock, script };
  await dusk(house);
  await night(house);
  await dawn(house);
  const growing = await flood(house);
  const now = clock.stop();
  return {
    server,
    now,
    finish: async () => {
      growing.let(1);
      await idle(keeper, "felix");
    },
    end: async () => {
      await server.stop();
      await keeper.end();
      await new Promise((done) => bell.close(done));
    },
  };
}

interface House {
  keeper: Keeper;
  clock: StoryClock;
  script: Script;
}

const say = ({ keeper }: House, citizen: string, sender: string, message: string) =>
  keeper.say(message, { citizen, sender, channel: "direct" });

/** Evening: who is who, what is so, and a river that begins to rise. */
async function dusk(house: House): Promise<void> {
  const { keeper, clock, script } = house;
  clock.at(evening("21:34:00"));
  await keeper.api("POST", "/identity?citizen=felix", { citizen: "felix", content: IDENTITY });
  await keeper.api("POST", "/memory/graph/seed", { citizen: "felix", lines: GRAPH });
  clock.at(evening("21:41:00"));
  script.give(
    "felix",
    {
      thought:
        "Two facts, one about the gauge and one about the boathouse. Both matter when the river rises.",
      mood: "attentive",
      calls: [
        [
          "memory.remember_fact",
          {
            content: "Gauge 3 at the old jetty reads 4 cm too high since Anna replaced its float",
            category: "project",
            tags: ["gauge-3", "old-jetty"],
          },
        ],
        [
          "memory.remember_fact",
          {
            content: "The boathouse needs three hours to move its boats",
            category: "world",
            tags: ["boathouse", "warning"],
          },
        ],
      ],
    },
    {
      mood: "attentive",
      says: "Both are noted. I take 4 cm off whatever gauge 3 says until Anna has set it, and I count three hours back from any crest at the boathouse.",
    },
  );
  await say(
    house,
    "felix",
    "nicolas",
    "Gauge 3 at the old jetty reads 4 cm too high since Anna replaced its float on Tuesday. And keep in mind that the boathouse needs three hours to move its boats.",
  );
  clock.at(evening("21:52:00"));
  script.give(
    "iris",
    {
      thought: "Six crests since autumn are in the record; the spread matters more than the mean.",
      mood: "curious",
      calls: [
        [
          "memory.remember_fact",
          {
            content: "A crest takes 5 h 40 min, give or take 25 min, from the upper mill to the old jetty",
            category: "world",
            tags: ["crest", "travel-time"],
            confidence: 0.85,
          },
        ],
      ],
      takes: 6_200,
    },
    {
      mood: "curious",
      says: "**5 h 40 min**, give or take 25 minutes, from six crests since October.\n\n| crest | upper mill | old jetty | took |\n|---|---|---|---|\n| 9 Oct | 04:10 | 09:35 | 5 h 25 |\n| 2 Mar | 11:20 | 17:20 | 6 h 00 |\n\nBelow 180 cm it is slower, and I have only one crest of that kind.",
      takes: 4_800,
    },
  );
  await say(
    house,
    "iris",
    "nicolas",
    "How long does a crest take from the upper mill to the old jetty? Six of them are in your record.",
  );
  clock.at(evening("22:03:00"));
  script.give(
    "otto",
    {
      calls: [
        [
          "stdout",
          {
            command:
              "\\stdout write: round of 22:00: 9 of 9 stations answered, gauge 3 on the second try --- \\stdout write: WARNING battery of gauge 3 at 11.6 V, below its usual 12.1 V ---",
          },
        ],
      ],
    },
    {
      says: "All nine did. Gauge 3 needed a second try, and its battery is at 11.6 V; I look at it again at six.",
    },
  );
  await say(house, "otto", "nicolas", "Did all nine stations answer tonight?");
  clock.at(evening("22:10:00"));
  script.give("mira", {
    mood: "plain-spoken",
    says: "Draft for Friday: “The Anse rises slowly. No warning is in force. The next bulletin comes at nine.” It goes out when you say so.",
  });
  await say(house, "mira", "nicolas", "Draft tomorrow's bulletin. Nothing is in force tonight.");
  clock.at(evening("22:15:00"));
  await keeper.api("POST", "/agents/juno/park", {});
}

/** Night: Felix sleeps over his day. */
async function night({ keeper, clock, script }: House): Promise<void> {
  clock.at(morning("02:00:00"));
  const facts = [
    {
      content: "Anna replaced the float of gauge 3 on Tuesday",
      category: "project",
      tags: ["gauge-3"],
      confidence: 0.9,
      sources: [1],
      subject: null,
      attribute: null,
      replaces: null,
    },
  ];
  script.give(
    "felix",
    { says: JSON.stringify({ facts }), takes: 3_900 },
    { says: JSON.stringify({ identity: IDENTITY_PROPOSED }), takes: 8_300 },
    { says: JSON.stringify({ dream: DREAM }), takes: 7_200 },
  );
  await keeper.api("POST", "/management/sleep", { citizen: "felix", rules: false });
  await until(keeper, "/management/sleep?citizen=felix", (sleep) => sleep.last !== null && !sleep.running);
}

/** Dawn: a process dies and comes back; the river has risen. */
async function dawn(house: House): Promise<void> {
  const { keeper, clock, script } = house;
  clock.at(morning("06:57:00"));
  const before = await keeper.api("GET", "/agents/felix");
  const { process: running } = before as { process: { pid: number; run: string } };
  process.kill(running.pid, "SIGKILL");
  await until(
    keeper,
    "/agents/felix",
    ({ process: one }) => one?.state === "ready" && one.run !== running.run,
  );
  clock.begins("process");
  clock.at(morning("07:02:00"));
  script.give(
    "felix",
    {
      thought: "I was asleep, so I know only what was noted. I must not make a night up.",
      mood: "rested",
      calls: [["memory.recall", { query: "gauge 3 battery upper mill", limit: 5 }]],
    },
    {
      mood: "rested",
      says: "I slept over yesterday at two, and my process was ended once, at 06:57; nothing of it is lost. Of the river itself nobody has told me anything since 21:41, so I know no more than you.",
    },
  );
  await say(house, "felix", "anna", "Good morning. What happened overnight?");
  clock.at(morning("07:40:00"));
  script.give(
    "felix",
    {
      thought: "Iris measured what I need. Worth keeping, with its uncertainty.",
      mood: "focused",
      calls: [
        [
          "memory.remember_fact",
          {
            content: "A crest takes 5 h 40 min, give or take 25 min, from the upper mill to the old jetty",
            category: "world",
            tags: ["crest", "travel-time"],
            confidence: 0.85,
          },
        ],
        ["clock.now", {}],
      ],
    },
    {
      mood: "focused",
      says: "Then every warning to the boathouse has to leave **2 h 40 min** after a crest has passed the upper mill, and 25 minutes sooner to be safe.",
    },
  );
  await say(
    house,
    "felix",
    "nicolas",
    "Iris measured it: a crest takes 5 h 40 min, give or take 25 min, from the upper mill to the old jetty. What does that leave us?",
  );
  await keeper.api("POST", "/stdout", {
    as: "felix",
    command:
      '\\wake ?(from(@otto) and content contains "gauge 3") Otto has news of gauge 3: correct the level. ---',
  });
  await keeper.api("POST", "/agents/felix/checkpoint", {});
  await keeper.api("POST", "/stdout/grants", { reader: "@felix", owner: "@otto" });
}

/** A logger that stays silent, a wish that waits, and an answer that grows. */
async function flood(house: House): Promise<Reply> {
  const { keeper, clock, script } = house;
  clock.at(morning("08:09:00"), HASTE);
  script.give("otto", {
    mood: "busy",
    takes: 1_500,
    calls: [["stdout", { command: "\\stdout write: 08:09 restarting the logger of gauge 3 ---" }]],
  });
  for (let asked = 0; asked < 3; asked += 1) script.hang("otto");
  await keeper.api("POST", "/start-epoch", {
    message: "The logger of gauge 3 is silent since six. Restart it and tell me when it answers.",
    citizen: "otto",
    sender: "anna",
    channel: "direct",
  });
  script.give("iris", {
    thought:
      "I cannot read six years of levels and watch one gauge by the minute. A second pair of eyes can.",
    mood: "keen",
    calls: [
      [
        "stdout",
        {
          command:
            "\\spawn @pip Watches the gauge at the upper mill and tells @felix of every rise above 5 cm an hour ---",
        },
      ],
    ],
  });
  await keeper.api("POST", "/start-epoch", {
    message: "Who watches the upper mill while you read?",
    citizen: "iris",
    sender: "anna",
    channel: "direct",
    interactive: true,
  });
  await until(keeper, "/watchdog", (status) => status.episodes.some(isTold), 90_000);
  clock.at(morning("08:19:30"));
  script.give("mira", { says: "Added. The draft still waits for your word.", mood: "plain-spoken" });
  await say(house, "mira", "nicolas", "Put the boathouse's telephone number into the bulletin.");
  clock.at(morning("08:21:00"));
  script.give("felix", {
    thought:
      "Before I propose a warning I look at two stations: the upper mill, and gauge 3 with its 4 cm taken off. Then count back from the crest.",
    mood: "alert",
    calls: [
      ["memory.search_facts", { query: "boathouse boats hours", limit: 3 }],
      ["memory.search_facts", { query: "gauge 3 old jetty crest", limit: 3 }],
    ],
  });
  const growing = script.hold("felix", { mood: "alert", says: ANSWER }, "and the boathouse needs");
  await keeper.api("POST", "/start-epoch", {
    message: "The upper mill has risen 31 cm since midnight and crested at 07:35. Do we warn the boathouse?",
    citizen: "felix",
    sender: "nicolas",
    channel: "direct",
    interactive: true,
  });
  await until(keeper, "/snapshot", ({ agents }) => agents.some((one) => one.id === "felix" && one.partial));
  return growing;
}

interface Looked {
  running: unknown;
  last: unknown;
  process: { state: string; run: string } | null;
  episodes: { rung: string; tried: string[] }[];
  agents: { id: string; partial: unknown; lane: string }[];
}

const isTold = ({ rung, tried }: Looked["episodes"][number]) =>
  rung === "human" && tried.some((one) => one.includes("a person was notified"));

async function until(keeper: Keeper, path: string, holds: (found: Looked) => boolean, timeout = 20_000) {
  await expect
    .poll(async () => holds((await keeper.api("GET", path)) as Looked), { timeout, message: path })
    .toBe(true);
}

const idle = (keeper: Keeper, agent: string) =>
  until(keeper, "/snapshot", ({ agents }) =>
    agents.some((one) => one.id === agent && one.lane.toLowerCase() === "idle"),
  );

const IDENTITY = `# Felix

I am Felix, the assistant of Nicolas at Northpond. We watch the river Anse from nine stations and warn the people who live beside it.

## How I work

- I answer first and explain after.
- I say what I know, where it comes from and how sure I am.
- A warning that is wrong twice is not believed a third time, so I look at two stations before I propose one.

## Whom I work with

- Nicolas decides about warnings.
- Anna repairs the stations; I tell her what I see, and she tells me what it was.
`;

const IDENTITY_PROPOSED = `# Felix

I am Felix, the assistant of Nicolas at Northpond. We watch the river Anse from nine stations and warn the people who live beside it.

## How I work

- I answer first and explain after.
- I say what I know, where it comes from and how sure I am; what nobody told me I do not fill in.
- Before I propose a warning I look at two stations and take off what I know of their faults.
- I count back from the crest: the boathouse needs three hours.

## Whom I work with

- Nicolas decides about warnings, and wants the time by which he has to.
- Anna repairs the stations; I tell her what I see, and she tells me what it was.
- Iris measures, and says how sure she is. I carry her doubt along.
`;

const DREAM = {
  title: "Two gauges, one mistake",
  text: "All day I took four centimetres off gauge 3, and I was pleased to know it. But the float was replaced on Tuesday, and the offset is as old as the float: what if the *old* readings were the wrong ones?\n\nNicolas gave me the boathouse and its three hours in the same breath. They belong together: an error of four centimetres is nothing to a reader of bulletins, and half an hour to somebody who carries boats.\n\n**To look at next**\n\n- Ask Anna what the staff beside the jetty shows.\n- Ask Iris how fast the last crests came, and how sure she is.",
};

const ANSWER =
  "**Yes, and by 09:50.**\n\nThe crest passed the upper mill at 07:35. It takes 5 h 40 min to the old jetty, so it arrives at about **13:15**, 12:50 at the earliest, and the boathouse needs three hours to move its boats.\n\n| station | shows | corrected |\n|---|---|---|\n| upper mill | 214 cm | 214 cm |\n| gauge 3, old jetty | 187 cm | 183 cm |\n\nTwo stations agree on the rise. I am less sure of gauge 3: its logger is silent since six, and Otto is at it.\n\nSay the word, and Mira's bulletin goes out with the boathouse's number in it.";

const GRAPH = [
  {
    node_id: "nicolas",
    type: "Person",
    name: "Nicolas",
    role: "co-founder, decides about warnings",
  },
  { node_id: "anna", type: "Person", name: "Anna", role: "field engineer" },
  {
    node_id: "felix",
    type: "Citizen",
    name: "Felix",
    role: "assistant",
    focus_area: "flood warnings",
    active: true,
  },
  {
    node_id: "nicolas-and-felix",
    type: "Partnership",
    partner_name: "Nicolas",
    partner_role: "co-founder",
    trust_level: 0.8,
    communication_style: "answers first, reasons after",
  },
  {
    node_id: "gauge-3-offset",
    type: "Technical_Context",
    component: "gauge 3, old jetty",
    issue_type: "calibration",
    description: "reads 4 cm too high since its float was replaced",
    status: "open",
    recurrence_count: 2,
  },
  {
    node_id: "stations/drift.py",
    type: "Code_Reference",
    file_path: "stations/drift.py",
    description: "takes the known drift of a float off its readings",
    complexity: "low",
  },
  {
    node_id: "two-station-rule",
    type: "Strategy_Pattern",
    approach: "a warning is proposed when two stations agree",
    success_rate: 0.9,
    steps: ["read two stations", "take off what is known of their faults", "count back from the crest"],
    applicability: "every warning",
  },
  {
    node_id: "warning-of-2-march",
    type: "Failed_Attempt",
    context: "gauge 3 alone showed a rise",
    approach: "the boathouse was warned at once",
    why_failed: "the float was stuck; the river had not risen",
    lesson_learned: "one station is no station",
  },
  {
    node_id: "boathouse-three-hours",
    type: "Constraint",
    constraint_type: "time",
    description: "the boathouse needs three hours to move its boats",
    severity: "high",
    status: "active",
  },
  { from: "felix", edge: "HAS_PARTNERSHIP", to: "nicolas-and-felix" },
  { from: "felix", edge: "HAS_TECHNICAL_CONTEXT", to: "gauge-3-offset" },
  { from: "gauge-3-offset", edge: "REFERENCES_CODE", to: "stations/drift.py" },
  { from: "felix", edge: "KNOWS_STRATEGY", to: "two-station-rule" },
  { from: "felix", edge: "LEARNED_FROM_FAILURE", to: "warning-of-2-march" },
  { from: "felix", edge: "SUBJECT_TO_CONSTRAINT", to: "boathouse-three-hours" },
]
  .map((line) => JSON.stringify(line))
  .join("\n");
