// Made from the Rust side by crates/server/src/api/typescript.rs. Do not edit:
// ABIDE_TEST_WRITE=1 cargo test -p abide-server --lib typescript

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface List<T> {
  items: T[];
  /** The cursor of the next page; null at the end. */
  next: string | null;
}

/** Why an epoch is to end. */
export interface AbortBody {
  /** For people. */
  reason?: string | null;
}

/** An end without a reply. */
export interface AbortView {
  /** For programs. */
  code: string;
  /** For people. */
  message: string;
}

/** What a person accepts. */
export interface AcceptToolsBody {
  tools: AcceptedToolBody[];
}

/** A tool as it was shown. */
export interface AcceptedToolBody {
  digest: string;
  tool: string;
}

/** A stimulus that is durable and will be answered or aborted. */
export interface AcceptedView {
  /** The epoch that answers it. */
  epoch_id: string;
  /** Where it stands in the ledger. */
  seq: number;
  /** `queued` or `open`. */
  state: string;
  /** What the caller should know. */
  warning?: string | null;
}

/** Somebody has a stall in hand. */
export interface AcknowledgementView {
  /** Who. */
  by: string;
  /** Until when; then people are told of it again. */
  until: string;
}

/** A request that does something about a matter. */
export interface ActionView {
  /** Its body; null for none. */
  body?: Json;
  /** For people. */
  label: string;
  /** Its method. */
  method: string;
  /** Its path. */
  path: string;
}

/** An agent's live state. */
export interface AgentLive {
  /** The epoch in the lane. */
  epoch_id?: string | null;
  id: string;
  /** `IDLE`, `OPEN` or `EXECUTING`. */
  lane: string;
  last_evidence_at?: string | null;
  /** What the mind has said so far in the running attempt. */
  partial?: string | null;
  /** Null where the mind runs in the keeper. */
  process?: ProcessView | null;
  /** Stimuli that wait. */
  queue: number;
  /** As in `/agents`. */
  state: string;
  /** Its turn, from 1; 0 before the first. */
  turn?: number | null;
  usage_today: UsageToday;
}

/** What an agent did in a span. */
export interface AgentReportView {
  aborted: number;
  committed: number;
  /** Runs of its process that ended. */
  exits: number;
  stalls: number;
  stimuli: number;
}

/** An agent in short. */
export interface AgentState {
  /** Its id. */
  id: string;
  /** What it does. */
  state: string;
}

/** A tool as an agent has it. */
export interface AgentToolView {
  /** Whether the agent may use it, perhaps after a person's yes. */
  available: boolean;
  /** What it does, in the words that the mind is told. */
  description: string;
  /** `read`, `state` or `world`. */
  effect: string;
  /** `allow`, `ask` or `deny`, by the lists of abide.toml alone: what holds where nothing is set. */
  file_policy: string;
  /** Whether a list of abide.toml denies it, so that nothing that is set changes that. */
  is_locked: boolean;
  /** Its name. */
  name: string;
  /** What stands before the last dot of it; all of it where there is none. */
  namespace: string;
  /** `allow`, `ask` or `deny`, by the lists, by what people set and by the tool itself; what a call would do may make it stricter or looser. */
  policy: string;
  /** That setting. */
  policy_set?: ToolSettingView | null;
  /** `person` where a setting of a person's is in force, else `file`: what abide.toml says. */
  policy_source: string;
  /** JSON schema of its arguments. */
  schema: Json;
  /** `builtin`, `agent` for one that the agent made, or `mcp:` and the name of the server that has it. */
  source: string;
  /** Why not. */
  why_not?: string | null;
}

/** An agent. */
export interface AgentView {
  /** The epoch that it works on. */
  epoch_id?: string | null;
  /** Its id. */
  id: string;
  /** When its newest evidence was recorded. */
  last_evidence_at?: string | null;
  /** What thinks for it. */
  mind: string;
  /** Display name. */
  name: string;
  /** The agents and people it works with. */
  partners: PartnerView[];
  /** Why it is paused or parked. */
  paused?: string | null;
  /** Its process; null where its mind runs in the keeper. */
  process?: ProcessView | null;
  /** Stimuli that wait. */
  queue: number;
  /** What it is for. */
  role: string;
  /** `idle`, `busy`, `waiting_approval`, `asleep`, `paused` or `parked`; where it has a process also `starting`, `unresponsive`, `hibernated` or `over_disk_limit`. */
  state: string;
  /** Since midnight UTC. */
  usage_today: UsageToday;
}

/** How often answers agree. */
export interface AgreementView {
  /** Those that agree. */
  agreeing: number;
  /** The floor: what asking the same mind twice gives; null where that was not done. */
  floor?: FloorView | null;
  /** Those of which it is known. */
  judged: number;
  /** Pairs. */
  pairs: number;
}

/** An album. */
export interface AlbumView {
  /** Whose it is; empty where nobody is known. */
  artist: string;
  /** A cover of its tracks, for `/music/covers/{digest}`. */
  cover?: string | null;
  /** How long it is, in seconds. */
  duration_s: number;
  /** What it is asked for by, as `album` of `/music/library`. */
  id: string;
  /** Its name. */
  title: string;
  /** How many tracks it has. */
  tracks: number;
  /** The earliest year of its tracks. */
  year?: number | null;
}

/** What a person answers. */
export interface AnswerBody {
  /** Yes: the form is filled in, or the address was visited. No: the server hears that it was declined. */
  accept: boolean;
  /** The values of the form, by the names of its fields. They go to the server alone. */
  values?: { [key: string]: Json } | null;
}

/** An answer that is durable. */
export interface AnsweredView {
  /** `accepted` or `declined`. */
  answer: string;
  /** The question. */
  id: string;
}

/** A call that waits. */
export interface ApprovalView {
  /** What the tool does, in the words that the mind is told; absent where nobody here knows. */
  about?: string | null;
  /** What it is to be called with. */
  arguments: Json;
  /** The agent that wants to call. */
  citizen: string;
  /** When it counts as denied. */
  deadline: string;
  /** `read`, `state` or `world`. */
  effect: string;
  /** The epoch that waits. */
  epoch_id: string;
  /** Its id. */
  id: string;
  /** What it would change, such as a diff; absent where the arguments say it all. */
  preview?: string | null;
  /** The tool. */
  tool: string;
}

/** The result of one service. */
export interface AttemptView {
  /** `sent`, `confirmed` or `failed`. */
  outcome: string;
  service: string;
  took_ms: number;
  /** By what means, or why not. */
  words: string;
}

/** A matter. */
export interface AttentionView {
  /** Who has it in hand, of a stall; null where nobody has. */
  acknowledged?: AcknowledgementView | null;
  /** What can be done. */
  actions: ActionView[];
  /** The agent that it is about; null for the keeper. */
  citizen?: string | null;
  /** Stable for as long as the matter is open. */
  id: string;
  /** `approval`, `epoch_failed`, `budget`, `sleep`, `identity`, `fact`, `evolution`, `memory`, `stall`, `process`, `disk`, `unreachable`, `ledger`, `clock`, `keeper`, `tools` or `question`. */
  kind: string;
  /** Since when. */
  since: string;
  /** One line. */
  summary: string;
}

/** How far a call has come, in the words of its tool. */
export interface CallStepView {
  /** Steps that are done; never fewer than before. */
  done: number;
  /** One line without hidden characters. */
  message?: string | null;
  /** How many there are, where that is known. */
  total?: number | null;
}

/** A call. */
export interface CallView {
  arguments: Json;
  call_id: string;
  /** Its result. */
  content?: string | null;
  duration_ms?: number | null;
  /** `read`, `state` or `world`; null where it was never requested. */
  effect?: EffectName | null;
  /** Whether its result was too large or too short-lived to keep. */
  ethereal: boolean;
  name: string;
  /** What is kept of an ethereal result. */
  note?: string | null;
  /** How it ended; null while it runs. */
  outcome?: OutcomeName | null;
}

/** A card of which two decks have different numbers in a zone. */
export interface CardDifference {
  /** How many the second deck has. */
  after: number;
  /** How many the first deck has. */
  before: number;
  /** The card. */
  card: OracleId;
  /** Its name. */
  name: string;
  /** Where. */
  zone: DeckZone;
}

/** One face or half of a card. */
export interface CardFaceView {
  /** Its cost; empty where it has none. */
  mana_cost: string;
  /** Its name. */
  name: string;
  /** Its power, as it is printed. */
  power?: string | null;
  /** Its rules text. */
  rules_text: string;
  /** Its toughness, as it is printed. */
  toughness?: string | null;
  /** Its types. */
  type_line: string;
}

/** What a card is, wherever it is. Of a card that the table lacks only `oracle_id`, `name` and `known` say something. */
export interface CardFactsView {
  /** Its colour identity. */
  colour_identity: Colour[];
  /** Its colours. */
  colours: Colour[];
  /** All faces of a card that has several, the front one first. */
  faces?: CardFaceView[];
  /** `land`, `creature`, `planeswalker`, `battle`, `instant`, `sorcery`, `artifact`, `enchantment` or `other`: its most telling type. */
  group: string;
  /** Whether there may be an image of it. */
  image: boolean;
  /** Whether the card table has it. */
  known: boolean;
  /** Its cost in symbols, `{2}{W/U}`. */
  mana_cost?: string | null;
  /** Its mana value. */
  mana_value: number;
  /** Its name. */
  name: string;
  /** Names the card over all its printings. */
  oracle_id: OracleId;
  /** Its power, as it is printed. */
  power?: string | null;
  /** The price of one, in hundredths of the currency that was asked for: of its printing and finish, else the lowest. */
  price?: number | null;
  /** Its rules text; of a card with faces that of the front one. */
  rules_text?: string | null;
  /** Its toughness, as it is printed. */
  toughness?: string | null;
  /** Its types, `Legendary Creature — Elf`. */
  type_line: string;
}

/** How a printed card looks; prices differ. */
export type CardFinish = "nonfoil" | "foil" | "etched";

/** A card with its name, as its table has it. */
export interface CardRef {
  /** The card. */
  id: OracleId;
  /** Its name. */
  name: string;
}

/** Which cards are there. */
export interface CardsView {
  /** How many; 0 where there are none. */
  cards: number;
  /** What a person should do, where something is missing. */
  hint?: string | null;
  /** Whether pictures are shown. */
  images: boolean;
  /** Printings of all of them. */
  printings: number;
  /** When they were pulled. */
  pulled_at?: string | null;
  /** Where they came from, such as `scryfall default_cards`; none where there are none. */
  source?: string | null;
  /** `missing`, `pulling` (somebody fetches them at this moment), `loading` (they are being read into memory) or `ready`. */
  state: string;
  /** When Scryfall made them, else when they were taken from a file; none where there are none. */
  updated_at?: string | null;
}

/** A checkpoint to go back to. */
export interface CheckpointBody {
  checkpoint_id: string;
}

/** A checkpoint. */
export interface CheckpointView {
  /** On disk. */
  bytes: number;
  created_at: string;
  id: string;
  /** The last entry of the log that it holds. */
  wal_sequence: number;
}

/** A single-use code. */
export interface CodeBody {
  /** As printed by `abide up` and `abide token link`. */
  code: string;
}

/** A colour, written as its letter. */
export type Colour = "W" | "U" | "B" | "R" | "G";

/** A colour of a deck. */
export interface ColourCountView {
  /** Symbols of it in costs. */
  pips: number;
  /** Lands with it in their identity. */
  sources: number;
}

/** Commands. */
export interface CommandBody {
  /** As whom: an agent or a person, with or without `@`. */
  as?: string | null;
  /** One or several, each ended by `---`; the last end may be left out, and a first `\stdout` too. */
  command: string;
}

/** What one of the two did. */
export interface ComparedLegView {
  /** Of the code in force, asked once more: whether its answers agree; null where it was not. */
  again_agrees?: boolean | null;
  /** What it replied, shortened; of a mind alone. */
  answer?: string | null;
  /** Tools that were called, in their order. */
  calls: string[];
  /** Cost in millionths of a US dollar; of a model alone. */
  cost_microusd?: number | null;
  /** Processor time in microseconds. */
  cpu_us: number;
  /** Why there is no answer, or none that counts. */
  error?: string | null;
  /** What a judge said of the candidate's answer beside the other: `better`, `worse` or `tie`; null where none was asked. */
  judged?: string | null;
  /** Memory in bytes. */
  memory_bytes: number;
  /** Of an error: whether it came again when the request was asked twice more. */
  repeats?: boolean | null;
  /** How often it was asked; null: once. Measurements are medians. */
  runs?: number | null;
  /** What all that was asked for it cost, in millionths of a US dollar; null where that is `cost_microusd`. */
  spent_microusd?: number | null;
  /** Tokens in and out; of a model alone. */
  tokens?: number | null;
  /** Wall time in microseconds. */
  wall_us: number;
}

/** A request that the code in force and the candidate both answered. */
export interface ComparedPairView {
  /** Whether the answers agree; null where that cannot be said. */
  agrees?: boolean | null;
  /** What the candidate did. */
  candidate: ComparedLegView;
  /** Whether the candidate was asked before the code in force. */
  candidate_first: boolean;
  /** The first thing in which they differ. */
  divergence?: string | null;
  /** What the code in force did. */
  main: ComparedLegView;
  /** The epoch that the request belongs to. */
  request: string;
  /** The line of the ledger that holds it. */
  seq: number;
  /** Of a hundred requests, how many the candidate answered then; null during its trial. */
  stage_percent?: number | null;
}

/** A value in force. */
export interface ConfigEntry {
  /** What it is for. */
  about: string;
  /** How it is changed at a shell; null where it is changed in the file alone. */
  command?: string | null;
  /** The value where nothing sets it, where that is another. */
  default?: string | null;
  /** `section.key`; of agents `agent[0].key`. */
  key: string;
  /** Where it comes from. */
  source: ConfigSource;
  /** As it would stand in the file. */
  value: string;
  /** The variable that would set it, over the file; null where there is none. */
  variable?: string | null;
}

/** Where a value comes from. */
export interface ConfigSource {
  /** In characters, from 1. */
  column?: number | null;
  /** `default`, `file`, `environment` or `flag`. */
  kind: string;
  /** Of the file, from 1. */
  line?: number | null;
  /** The variable or the flag. */
  name?: string | null;
}

/** The configuration. */
export interface ConfigView {
  /** The file; it need not be there. */
  file: string;
  /** All values, in the order of the sections. */
  items: ConfigEntry[];
  /** Variables of known providers' keys that the keeper was started with. Their names alone. */
  keys_found: string[];
}

/** A part of what a mind was shown. */
export interface ContextPart {
  /** Its size in Unicode scalar values. */
  chars: number;
  /** `tools`, `identity`, `rules`, `wishes`, `omitted`, `history`, `moment`, `section`, `own` or `message`. */
  part: string;
  /** Its text; empty for tools and history, which stand beside the parts. */
  text: string;
  /** Its name for people; of a section its title. */
  title: string;
  /** Its size in tokens, estimated. */
  tokens: number;
}

/** What a mind was shown. */
export interface ContextView {
  /** What the Dreamer found, by reference; none in contexts of programs before it. */
  exploration?: Json;
  /** The exchanges, the oldest first. */
  history: ExchangeView[];
  /** What held at that moment: the context object alone. */
  object: string;
  /** All that the mind was shown, in its order, with the size of each part. */
  parts: ContextPart[];
  /** Why not, if not: the text below is then what would be shown under today's configuration. */
  reason?: string | null;
  /** The renderer that made it. */
  renderer: number;
  /** The recorded digest. */
  sha256: string;
  /** The stimulus. */
  stimulus: string;
  /** All texts around the history: what stays from message to message, an empty line, and the context object. */
  system: string;
  /** The zone in which times were shown. */
  time_zone: string;
  /** Estimated tokens of the parts below, as they were recorded. */
  tokens: TokensView;
  /** The tools that are offered today, in their order. */
  tools: ToolView[];
  /** Whether these are the tools that were offered then; null where that was not recorded. */
  tools_verified?: boolean | null;
  /** Whether the text has the recorded digest, byte for byte. */
  verified: boolean;
}

/** Currencies that Scryfall has prices in. */
export type Currency = "usd" | "eur" | "tix";

/** A decision that is durable. */
export interface DecidedView {
  /** `approve` or `deny`. */
  decision: string;
  /** The approval. */
  id: string;
}

/** A decision. */
export interface DecisionBody {
  /** `approve` or `deny`. */
  decision: string;
  /** Why; the agent is shown it. */
  reason?: string | null;
}

/** Who did something. */
export type DeckActor = { name: string; who: "person" } | { name: string; who: "agent" };

/** Lines to take. */
export interface DeckApproveBody {
  /** The revision that the person saw [default: the newest]. */
  deck_rev?: number | null;
  /** Whether stale lines are taken as they are, where they can be done. */
  despite_conflict?: boolean;
  /** The lines, from 1; absent: all that are open and not stale. */
  ops?: number[] | null;
  /** The proposal. */
  proposal_id: string;
}

/** What a person says of a deck's strength. */
export interface DeckBracketBody {
  /** 1 to 5; null leaves it to the estimate. */
  bracket: number | null;
  /** The deck. */
  deck_id: string;
}

/** How strong a deck is. */
export interface DeckBracketView {
  /** An estimate by what can be counted: 2, 3 or 4; null while there is no card table. */
  estimate?: number | null;
  /** What speaks for the estimate. */
  reasons: string[];
  /** What a person says. */
  set?: number | null;
}

/** A deck in a snapshot. */
export interface DeckBrief {
  /** Its name. */
  name: string;
  /** Proposals with lines that nobody has answered. */
  open_proposals: number;
  /** Its newest revision. */
  rev: number;
}

/** A card by its name. */
export interface DeckCardNameView {
  /** Its name. */
  name: string;
  /** The card. */
  oracle_id: OracleId;
}

/** An entry of a deck. */
export type DeckCardView = CardFactsView & { count: number; findings: LegalityCode[]; finish: CardFinish; printing?: PrintingRef | null; tags: string[]; zone: DeckZone };

/** One thing that a revision changed. */
export type DeckChange = { after?: EntryContent | null; before?: EntryContent | null; key: EntryKey; of: "entry" } | { after?: Colour | null; before?: Colour | null; card: OracleId; of: "colour" } | { after: string; before: string; of: "name" };

/** Why lines cannot be taken or done. */
export interface DeckConflictView {
  /** Who made that revision. */
  by?: DeckActor | null;
  /** What happened, in a sentence. */
  cause: string;
  /** What it changed of the cards of the line. */
  changes: DeckChange[];
  /** The line, from 1. */
  id: number;
  /** The revision that changed what it is about, where it is remembered. */
  rev?: number | null;
}

/** A deck to make. */
export interface DeckCreateBody {
  /** A list in any known form; at most 1 MiB. Lines that cannot be read are kept and shown. */
  cards?: string | null;
  /** The agent for which it is loaded at once. */
  citizen?: string | null;
  /** The name of the card that leads it; of two cards their names joined by ` // `. */
  commander?: string | null;
  /** `commander`, which is the default and all there is. */
  format?: string | null;
  /** Its name: 1 to 120 characters. */
  name: string;
}

/** Changes of a person's. */
export interface DeckEditBody {
  /** The deck. */
  deck_id: string;
  /** The revision that the person saw. */
  deck_rev: number;
  /** What to do, in this order: 1 to 500 lines. */
  ops: DeckOp[];
}

/** Lines whose effect is asked for. */
export interface DeckEffectBody {
  /** The lines, from 1; none: the deck as it is. */
  ops: number[];
  /** The proposal. */
  proposal_id: string;
}

/** What lines of a proposal would do. */
export interface DeckEffectView {
  /** The deck as it would be. */
  after: DeckSummaryView;
  /** The deck as it is. */
  before: DeckSummaryView;
  /** What differs. */
  differences: CardDifference[];
}

/** A deck as text. */
export interface DeckExportView {
  /** `arena`, `moxfield`, `mtgo`, `dek` or `archidekt`. */
  format: string;
  /** What the form cannot say, in sentences. */
  lost: string[];
  /** The text. */
  text: string;
}

/** What is wrong with a deck. */
export interface DeckFindingView {
  /** The card's name; absent where it is the deck as a whole. */
  card?: string | null;
  /** A code of the rules, or `cards_missing`: there is no card table, and nothing can be said. */
  code: string;
  /** One sentence. */
  message: string;
  /** The card. */
  oracle_id?: OracleId | null;
  /** Whether the deck is not legal by it, or a person should look. */
  severity: FindingLevel;
  /** Where it is. */
  zone?: DeckZone | null;
}

/** A deck to make out of another one. */
export interface DeckForkBody {
  /** The deck. */
  deck_id: string;
  /** The name of the new deck. */
  name: string;
  /** Its revision [default: the newest]. */
  rev?: number | null;
}

/** A deck in the list of decks. */
export interface DeckItemView {
  /** The names of the cards that lead it, joined by ` // `; null where none does. */
  commander?: string | null;
  /** Cards in it with its commanders. */
  count: number;
  /** Its id. */
  deck_id: string;
  /** `commander`. */
  format: string;
  /** Whether it may be played; false also while cards are missing, for nobody can say then. */
  legal: boolean;
  /** Its name. */
  name: string;
  /** Proposals with lines that nobody has answered. */
  open_proposals: number;
  /** Its newest revision, from 1. */
  rev: number;
  /** When it was last changed. */
  updated_at: string;
}

/** A deck to load for an agent. */
export interface DeckLoadBody {
  /** The agent [default: the only one]. */
  citizen?: string | null;
  /** The deck. */
  deck_id: string;
}

/** One line of an edit or a proposal. */
export type DeckOp = { count: number; entry: EntryTarget; op: "add" } | { count: number; entry: EntryTarget; op: "remove" } | { count: number; entry: EntryTarget; op: "set_count" } | { count: number; entry: EntryTarget; op: "move"; to: DeckZone } | { count: number; into: CardRef; op: "swap"; out: EntryTarget } | { cards: CardRef[]; op: "set_commanders" } | { card: CardRef; colour?: Colour | null; op: "choose_colour" } | { entry: EntryTarget; op: "set_tags"; tags: string[] } | { name: string; op: "rename" };

/** A hand to try a deck with. */
export interface DeckPlaytestView {
  /** The cards of the hand, each by itself. */
  hand: CardFactsView[];
  /** How many cards are left. */
  library: number;
  /** The next ten of them, the first to be drawn first. */
  next: CardFactsView[];
  /** The same seed gives the same cards. Below 2^53, so that every program can hold it. */
  seed: number;
  /** How many of the hand go to the bottom, by the mulligans. */
  to_bottom: number;
}

/** What a deck costs. */
export interface DeckPriceView {
  /** In what. */
  currency: Currency;
  /** How many cards are played. */
  of: number;
  /** How many cards have a price. */
  priced: number;
  /** The sum of all known prices, in hundredths. */
  total: number;
}

/** Changes that somebody proposes. */
export interface DeckProposalView {
  /** The deck with all open lines done that are not stale; null where they cannot be done together, or where there are none. */
  after?: DeckSummaryView | null;
  /** The deck as it is. */
  before: DeckSummaryView;
  /** Who proposed it. */
  by: DeckActor;
  /** The revision that the proposer saw. */
  deck_rev: number;
  /** Its id. */
  id: string;
  /** Its lines. */
  ops: ProposalLineView[];
  /** Why they cannot be done together. */
  problem?: string | null;
  /** Why. */
  reason: string;
}

/** Lines to refuse. */
export interface DeckRejectBody {
  /** The lines, from 1; absent: all that are open. */
  ops?: number[] | null;
  /** The proposal. */
  proposal_id: string;
  /** Why, for the proposer, which hears it at its next turn. */
  reason?: string | null;
}

/** Refused lines to open again. */
export interface DeckReopenBody {
  /** The lines, from 1. */
  ops: number[];
  /** The proposal. */
  proposal_id: string;
}

/** A revision of a deck. */
export interface DeckRevisionView {
  /** When. */
  at: string;
  /** Who made it. */
  by: DeckActor;
  /** `created`, `edited`, `taken` or `undone`. */
  cause: string;
  /** What changed. */
  changes: DeckChange[];
  /** Whether it was taken back since. */
  is_undone: boolean;
  /** Of `taken`: its lines, from 1. */
  ops?: number[];
  /** Of `taken`: the proposal. */
  proposal_id?: string | null;
  /** Its number, from 1. */
  rev: number;
  /** Whether it can be taken back now. */
  undoable: boolean;
  /** Of `undone`: the revision that it took back. */
  undone?: number | null;
}

/** A line to rewrite. */
export interface DeckRewriteBody {
  /** What it is to say. */
  line: DeckOp;
  /** The line, from 1. */
  op: number;
  /** The proposal. */
  proposal_id: string;
}

/** A deck, whole. */
export interface DeckStateView {
  /** How strong it is. */
  bracket: DeckBracketView;
  /** All other entries, of every zone. */
  cards: DeckCardView[];
  /** By colour. */
  colours: { [key: string]: ColourCountView };
  /** The cards that lead it. */
  commander: DeckCardView[];
  /** Where no card leads it: those that could. A person picks. */
  commander_candidates: DeckCardNameView[];
  /** Its companion. */
  companion?: DeckCardView | null;
  /** Cards without lands by mana value: 0 to 6, then 7 and more. */
  curve: number[];
  /** Its id. */
  deck_id: string;
  /** Where it comes from. */
  forked_from?: ForkSource | null;
  /** `commander`. */
  format: string;
  /** What a list that was just read said that does not hold: printings that there are not. */
  import_notes?: string[];
  /** Whether it may be played; false also while cards are missing. */
  legal: boolean;
  /** What is wrong with it. */
  legality: DeckFindingView[];
  /** Its name. */
  name: string;
  /** What it costs. */
  price: DeckPriceView;
  /** Proposals that are remembered, the oldest first: at most 50, those with open lines before all others. */
  proposals: DeckProposalView[];
  /** Its newest revision, from 1. */
  rev: number;
  /** Cards by their most telling type, as in `group`. */
  types: { [key: string]: number };
  /** Lines of its list that were not read. */
  unparsed: UnparsedLineView[];
  /** When it was last changed. */
  updated_at: string;
}

/** A deck at a glance. */
export interface DeckSummaryView {
  /** How strong it is. */
  bracket: DeckBracketView;
  /** Cards in it with its commanders. */
  count: number;
  /** Cards without lands by mana value: 0 to 6, then 7 and more. */
  curve: number[];
  /** Whether it may be played. */
  legal: boolean;
  /** What is wrong with it. */
  legality: DeckFindingView[];
  /** What it costs. */
  price: DeckPriceView;
}

/** A revision to take back. */
export interface DeckUndoBody {
  /** The deck. */
  deck_id: string;
  /** The revision. */
  rev: number;
}

/** Where a card of a deck is. */
export type DeckZone = "commander" | "companion" | "main" | "sideboard" | "maybeboard" | "attractions" | "stickers" | "tokens";

/** One broken rule. */
export interface Detail {
  /** Which kind. */
  code: string;
  /** What is wrong and what would be right. */
  message: string;
  /** Where in the body. */
  path: string;
}

/** What two versions differ in. */
export interface DiffView {
  /** Line by line: `-` before what went, `+` before what came. Empty where nothing differs. */
  diff: string;
  from: number;
  to: number;
}

/** A dream, whole. */
export interface DreamText {
  /** Markdown. */
  content: string;
  filename: string;
}

/** A dream in the list. */
export interface DreamView {
  created_at: string;
  filename: string;
  title: string;
}

/** A tool that cannot be used. */
export interface DroppedToolView {
  reason: string;
  tool: string;
}

/** An edge. */
export interface EdgeView {
  /** Of `DEPENDS_ON`: in which way. */
  dependency_type?: string | null;
  /** Such as `HAS_PARTNERSHIP`. */
  edge: string;
  from: string;
  /** Where it stands in the ledger. */
  seq: number;
  to: string;
  valid_from: string;
  /** Null while it holds. */
  valid_to?: string | null;
}

/** An effect class by its name. */
export type EffectName = string;

/** What an entry holds beside its key. */
export interface EntryContent {
  /** How many cards; never 0. */
  count: number;
  /** Archidekt's coloured label. */
  label?: string | null;
  /** What the card is called here. */
  name: string;
  /** What people filed it under. */
  tags?: string[];
}

/** What makes an entry one entry: two that agree in all of it are the same one. */
export interface EntryKey {
  /** Which card. */
  card: OracleId;
  /** How the cards look. */
  finish?: CardFinish;
  /** Which printing; none where it does not matter. */
  printing?: PrintingRef | null;
  /** Where the cards are. */
  zone: DeckZone;
}

/** The entry or entries that a line is about. */
export interface EntryTarget {
  /** Which card. */
  card: CardRef;
  /** Which finish; none: whichever is there. */
  finish?: CardFinish | null;
  /** Which printing; none: whichever is there. */
  printing?: PrintingRef | null;
  /** Where. */
  zone?: DeckZone;
}

/** An episode of a span. */
export interface EpisodeReportView {
  /** The rung after which it moved, why its task was given up, or the state in which it could stall no more. */
  after?: string | null;
  agent: string;
  /** Whether its process answered the bell. */
  alive: boolean;
  ended_at?: string | null;
  /** `open`, `resolved`, `unanswered` (its task was given up without an answer) or `withdrawn`. */
  ending: string;
  escalated: boolean;
  id: string;
  opened_at: string;
  page?: string | null;
  /** How long it had been silent then. */
  silent_ms: number;
}

/** An open stall. */
export interface EpisodeView {
  /** Who has acknowledged it. */
  acknowledged_by?: string | null;
  /** Until when. */
  acknowledged_until?: string | null;
  agent: string;
  id: string;
  /** Whether it never showed any evidence. */
  never_active: boolean;
  opened_at: string;
  /** The page's short name. */
  page?: string | null;
  /** `bell`, `channel` or `human`. */
  rung: string;
  /** How long it has been silent, down time not taken off. */
  silent_ms: number;
  /** All of it in one line. */
  summary: string;
  threshold_ms: number;
  /** What was tried, in words. */
  tried: string[];
}

/** An epoch. */
export interface EpochView {
  /** Why it ended without a reply. */
  abort?: AbortView | null;
  /** The agent that works on it. */
  citizen: string;
  /** What the mind was shown; only with `?context=1`. */
  context?: ContextView | null;
  /** How the mind felt in its newest turn. */
  emotive_state?: string | null;
  /** When it ended. */
  ended_at?: string | null;
  /** Its id. */
  epoch_id: string;
  /** The reply, once it is committed. */
  final_response?: string | null;
  /** When its lane opened it. */
  opened_at?: string | null;
  /** Its first and last event in the ledger. */
  seq: number[];
  /** The conversation. */
  session_id: string;
  /** `queued`, `open`, `executing`, `committed` or `aborted`. */
  state: string;
  /** What it answers. */
  stimulus: StimulusView;
  /** Its completed turns. */
  turns: TurnView[];
  /** What it cost, failed attempts included. */
  usage: UsageView;
}

/** The body of every answer that is no success. */
export interface ErrorBody {
  error: ErrorView;
}

/** What a program can go by. */
export interface ErrorDetailView {
  /** Lines of a deck's proposal or edit that do not fit any more. */
  conflicts: DeckConflictView[];
}

/** What went wrong. */
export interface ErrorView {
  /** For programs. */
  code: string;
  /** What else a program can go by. */
  detail?: ErrorDetailView | null;
  /** Each broken rule, where several may be broken at once. */
  details?: Detail[];
  /** The epoch that it is about. */
  epoch_id?: string | null;
  /** For people. */
  message: string;
}

/** An entry to record. Names may be written with `_` in place of `-`, and without the `?`. */
export interface EvidenceBody {
  /** When it was so; default: now. */
  at?: string | null;
  /** Default: the name of the token, the only one that it may be unless the token is an administrator's. */
  author?: string | null;
  /** Whatever there is to say. */
  body: Json;
  /** Such as `observation` or `step`. */
  "claim-type": string;
  "conjecture?"?: boolean | null;
  "ephemeral?"?: boolean | null;
  /** The entry that it goes on from. */
  "fork-of"?: string | null;
  /** Default: a new one. */
  id?: string | null;
  /** The entry that it answers. */
  "in-reply-to"?: string | null;
  "pattern-id"?: string | null;
  "session-id"?: string | null;
  subject: EvidenceSubject;
  tags?: string[] | null;
  /** Such as `reflection` or `coordination`. */
  type: string;
}

/** What an entry is about. */
export interface EvidenceSubject {
  /** Which one. */
  "ref/id": string;
  /** The kind of thing, such as `agent`, `epoch` or `session`. */
  "ref/type": string;
}

/** An entry of the evidence. */
export interface EvidenceView {
  /** When it was so. */
  at: string;
  /** Whose it is. */
  author: string;
  /** Whatever its author says. */
  body: Json;
  /** Such as `observation` or `step`. */
  "claim-type": string;
  "conjecture?": boolean;
  "ephemeral?": boolean;
  "fork-of"?: string;
  /** Its id; `seq-<n>` is the view of the ledger's line n. */
  id: string;
  "in-reply-to"?: string;
  "pattern-id"?: string;
  "session-id"?: string;
  subject: EvidenceSubject;
  tags: string[];
  /** Such as `reflection` or `coordination`. */
  type: string;
}

/** What a person says about a change. */
export interface EvolutionAnswerBody {
  /** Why; it stands in the ledger. */
  reason?: string | null;
}

/** A change that is proposed. */
export interface EvolutionBody {
  /** Of `mind`: what would change, by `model`, `identity` and keys of the configuration. Of `tools` and `dsl`: `cases`, a list of `{name, arguments?, text?, result}` that the new code must answer so. */
  change?: { [key: string]: Json };
  /** The agent that would change [default: the only one]. */
  citizen?: string | null;
  /** The code; of all targets but `mind`. */
  code?: string;
  /** Relative changes that are expected; negative is less. */
  expected?: { [key: string]: number };
  /** Why, in a sentence. */
  reason: string;
  /** `memory_system` (or `memory`), `tool_framework` (or `tools`), `dsl` or `mind`. */
  target: string;
  /** How it is tried [default: as the configuration says]. */
  trial?: TrialOptionsBody | null;
}

/** A change with its code and all that was measured of it. */
export type EvolutionDetailView = EvolutionView & { change: { [key: string]: Json }; code: string; code_before?: string | null; compared: ComparedPairView[]; story: StoryLineView[]; trial?: EvolutionTrialView | null };

/** What a change is, what was measured of it, and in what it differs. */
export interface EvolutionReportView {
  /** Pairs of which it is known whether the answers agree, and those in which they do. */
  agreement: AgreementView;
  /** What the candidate did in all. */
  candidate: LegTotalsView;
  /** What would change of a mind, by keys. */
  change: { [key: string]: Json };
  /** Every figure of its trial, with intervals, the rule and its form; null before its trial. */
  comparison?: { [key: string]: Json } | null;
  /** Pairs in which they differ, the first fifty, with what both did. */
  divergences: ReportedDivergenceView[];
  /** How many there are. */
  divergences_total: number;
  /** The change, as it stands. */
  evolution: EvolutionView;
  /** What a judge said; null where none was asked. */
  judge?: JudgeView | null;
  /** What the code in force did in all. */
  main: LegTotalsView;
  /** How many pairs would have been needed, in a sentence; null where too few were measured to say that. */
  power?: string | null;
  /** Where chance came from, as a text: numbers of JSON are too short; null before its trial. */
  seed?: string | null;
  /** How it is tried; null: as the configuration says. */
  trial?: EvolutionTrialView | null;
  /** The form of this report. */
  version: number;
  /** Pairs since it was loaded. */
  watched: AgreementView;
}

/** How a change is tried. */
export interface EvolutionTrialView {
  /** What it may cost, in US dollars; null: nothing that costs. */
  budget_usd?: number | null;
  /** The model that is asked which of two replies is better; null: none. */
  judge?: string | null;
  /** On how many of the newest requests at most. */
  last: number;
  /** Whether it ends with the comparison. */
  only_compare: boolean;
  /** How often each of two minds is asked each request; null: once. */
  repeat?: number | null;
}

/** A change of an agent. */
export interface EvolutionView {
  /** When. */
  at: string;
  /** The how-manieth attempt at this target since the last change that was kept; null before its trial. */
  attempt?: number | null;
  /** Who proposed it. */
  by: string;
  /** The agent. */
  citizen: string;
  /** SHA-256 of the code, hex; null before it was checked. */
  code_sha256?: string | null;
  /** Its lines in the ledger, in order. */
  events: number[];
  /** Its id. */
  id: string;
  /** Whether it answers requests, all or some. */
  in_force: boolean;
  /** Relative changes, and other figures, that were measured. */
  measured: { [key: string]: number };
  /** When its state last changed. */
  moved_at: string;
  /** What the checks found. */
  notes: string[];
  /** Pairs of its trial so far. */
  pairs: number;
  /** Relative changes that the proposer expects; negative is less. */
  predicted: { [key: string]: number };
  /** The change whose code a rollback restores; null: the base module, or not known yet. */
  previous?: string | null;
  /** Why, in the proposer's words. */
  reason: string;
  /** Requests of its trial; null before it begins. */
  requests?: number | null;
  /** Pairs of that stage so far. */
  stage_pairs?: number | null;
  /** Of a hundred requests, how many it answers; null where it is not watched. */
  stage_percent?: number | null;
  /** `proposed`, `validated`, `checkpointed`, `shadowing`, `awaits_approval`, `accepted`, `backed_up`, `watching`, `kept`, `rejected`, `reported`, `rolled_back` or `aborted`. */
  state: string;
  /** What it would replace: `memory_system`, `tool_framework`, `dsl` or `mind`. */
  target: string;
  /** What the measurements said: `promoted`, `rejected`, `marginal` or `reported`; null before they did. */
  verdict?: string | null;
  /** The agent's earlier change that it waits for; none where it is worked at, or has ended. */
  waits_for?: string | null;
  /** Why it is where it is; null where nobody said so yet. */
  why?: string | null;
}

/** One exchange of the history. */
export interface ExchangeView {
  channel: string;
  epoch_id: string;
  reply: string;
  sender: string;
  sent_at: string;
  stimulus: string;
}

/** A graph as JSON Lines. */
export interface ExportView {
  edges: number;
  /** What is in force, in the form that a seed takes. */
  lines: string;
  nodes: number;
}

/** A fact to be known. */
export interface FactBody {
  /** `user`, `project` or `world`, the default. */
  category?: string | null;
  /** Default: the only agent. */
  citizen?: string | null;
  /** One statement, at most 2,000 characters. */
  content: string;
  /** The fact that it takes the place of. */
  supersedes?: string | null;
  /** At most 16, each of at most 64 characters. */
  tags?: string[];
}

/** A decision on a fact that waits. */
export interface FactReviewBody {
  /** Default: the only agent. */
  citizen?: string | null;
  decision: string;
  /** Why, if said. */
  reason?: string | null;
}

/** Something an agent knows. */
export interface FactView {
  /** `user`, `project` or `world`. */
  category: string;
  /** 0 to 1. */
  confidence: number;
  content: string;
  fact_id: string;
  /** The epochs that it was learnt in. */
  sources: string[];
  tags: string[];
  /** Who said it first, where that is known. */
  told_by?: string | null;
  /** Whether it stems only from people, not from fetched or generated text. */
  trusted: boolean;
  valid_from: string;
  /** Null while it holds. */
  valid_to?: string | null;
}

/** How much a finding weighs. */
export type FindingLevel = "error" | "warning";

/** How often a mind agrees with itself. */
export interface FloorView {
  /** Those on which its answers agree. */
  agreeing: number;
  /** Those on which the candidate's agrees with its first. */
  candidate_agreeing: number;
  /** Requests on which it was asked twice. */
  requests: number;
}

/** What is to be forgotten: one of `words`, `fact_id`, `epoch` and `person`. */
export interface ForgetBody {
  /** Default: the only agent. */
  citizen?: string | null;
  /** The exchange of one epoch. */
  epoch?: string | null;
  /** A fact. */
  fact_id?: string | null;
  /** Whether it is only found and nothing is written. */
  look?: boolean;
  /** Whose words are meant where an administrator forgets for somebody: `I` and `my` are theirs. Default: anybody's. */
  of?: string | null;
  /** Everything that somebody said and told. */
  person?: string | null;
  /** Why, if said. */
  reason?: string | null;
  /** The matter as somebody would say it: `that I live in Lyon`, `my phone number`. */
  words?: string | null;
}

/** What was taken back, or would be. */
export interface ForgottenView {
  /** The epochs whose exchanges are recalled no more. */
  epochs: string[];
  /** What the facts in force say that are forgotten. */
  facts: string[];
  /** Whether anything was found. */
  found: boolean;
  /** `silent` where the identity does not say it, `changed` where it has a new version without it, `still_says` where a person must edit it. */
  identity: string;
  /** Nodes of the graph that are closed. */
  nodes: string[];
  /** How many facts are forgotten that held no longer. */
  older_facts: number;
  /** Facts that say it and stay, because somebody else told them. */
  told_by_others: number;
}

/** How an epoch is asked again. */
export interface ForkBody {
  /** In place of the old message. */
  message?: string | null;
}

/** Where a fork comes from. */
export interface ForkSource {
  /** The deck. */
  deck_id: string;
  /** Its revision. */
  rev: number;
}

/** A new epoch. */
export interface ForkedView {
  /** Its id. */
  epoch_id: string;
}

/** One of several. */
export interface FormChoiceView {
  /** What people are shown. */
  title: string;
  /** What stands among the values. */
  value: string;
}

/** A field of a form. */
export interface FormFieldView {
  /** What there is to choose; empty where nothing is chosen. */
  choices: FormChoiceView[];
  /** What the server suggests. */
  default?: Json;
  description?: string | null;
  /** Of a text: `email`, `uri`, `date` or `date-time`. */
  format?: string | null;
  /** `text`, `number`, `integer`, `flag`, `choice` or `choices`. */
  kind: string;
  /** The most. */
  max?: number | null;
  /** The least: of a number, of the characters of a text, of how many are chosen. */
  min?: number | null;
  /** Its name among the values. */
  name: string;
  /** Whether it must be there. */
  required: boolean;
  /** Whether it looks like one for a secret; then what is typed is best hidden. */
  secret: boolean;
  title?: string | null;
}

/** An order that a search found. */
export interface FoundOrderView {
  /** Its score on the questions that it was chosen by. */
  chosen: number;
  /** What it is, in Scheme. */
  expression: string;
  /** Whether it is the one to be proposed. */
  is_winner: boolean;
  /** `weights` or `structure`. */
  kind: string;
  /** Those of which it shows nothing that was needed. */
  missed: number;
  /** How likely so much more than today's order is there without effect; for all looks together. */
  p: number;
  /** Its score on the questions held out. */
  score: number;
}

/** What a scan found. */
export interface FoundView {
  /** Whether it was asked for, not due. */
  asked?: boolean;
  /** What was in the way, where agents could not be judged. */
  blind?: string | null;
  escalated: string[];
  paged: string[];
  /** How many agents were judged. */
  scanned: number;
  stalled: string[];
}

/** The result of one search: "nothing found" and "search failed" stay apart. */
export interface FoundView_FactView {
  /** The best first. */
  items: ({ category: string; confidence: number; content: string; fact_id: string; sources: string[]; tags: string[]; told_by?: string | null; trusted: boolean; valid_from: string; valid_to?: string | null })[];
  /** Why the search failed; empty otherwise. */
  message: string;
  /** `found`, `empty` or `failed`. */
  status: string;
}

/** The result of one search: "nothing found" and "search failed" stay apart. */
export interface FoundView_PassageView {
  /** The best first. */
  items: ({ at: string; channel: string; epoch: string; ref: string; sender: string; session_id: string; speaker: string; strength: number; text: string })[];
  /** Why the search failed; empty otherwise. */
  message: string;
  /** `found`, `empty` or `failed`. */
  status: string;
}

/** A grant. */
export interface Grant {
  /** Whose log. */
  owner: string;
  /** Who may read. */
  reader: string;
}

/** The health of the keeper. */
export interface HealthView {
  /** What is wrong between the system's clock and the times of events, and what that means; null where nothing is. It does not change the health: stimuli are accepted. */
  clock?: string | null;
  /** The status of IRC; null while the ledger is read. It does not change the health. */
  irc?: IrcView | null;
  /** Why, where it is not ok. */
  reason?: string | null;
  /** `loading`, `ok`, `stalled` (a part of the keeper stands still), `degraded` or `poisoned`. */
  status: string;
  /** Whether it is stopping. */
  stopping: boolean;
  /** The status of the Telegram bot; null where there is none, and while the ledger is read. */
  telegram?: TelegramView | null;
  /** Since the start. */
  uptime_s: number;
  /** Of the program. */
  version: string;
  /** Scans of the watchdog that are overdue; null where there is none. */
  watchdog_scans_missed?: number | null;
}

/** A new version. */
export interface IdentityBody {
  /** Default: the only agent. */
  citizen?: string | null;
  /** Markdown, at least 50 characters with a heading. */
  content: string;
  /** Takes a shorter text, or one without a heading. */
  force?: boolean;
}

/** Who an agent is. */
export interface IdentityView {
  /** Markdown, first person. */
  content: string;
  /** `profile`, `person`, `file` or `sleep`. */
  source: string;
  updated_at: string;
  /** From 1; all earlier ones are kept. */
  version: number;
}

/** Episodes that a person has acknowledged. */
export interface InHandView {
  episodes: string[];
  /** Until when they are not escalated. */
  until: string;
}

/** IRC. */
export interface IrcView {
  /** Agents on external networks. */
  networks: SeatView[];
  /** The address of the built-in server, `off`, or `down: ` and why. */
  server: string;
}

/** A model that is asked which of two replies is better. */
export interface JudgeBody {
  /** Its name. */
  model: string;
  /** Its provider [default: that of the agent]. */
  provider?: string | null;
}

/** What a judge said. */
export interface JudgeView {
  /** Pairs in which the candidate's reply is better. */
  better: number;
  /** How likely so many more on one side are without a difference. */
  p: number;
  /** What it cost, in millionths of a US dollar; null where no price is known. */
  spent_microusd?: number | null;
  /** Pairs in which neither is. */
  tie: number;
  /** Pairs about which it gave no answer that can be read. */
  unread: number;
  /** Pairs in which it is worse. */
  worse: number;
}

/** An agent. */
export interface JudgedView {
  agent: string;
  /** How long it was silent, where that counts. */
  silent_ms?: number | null;
  /** When that ends at the latest. */
  until?: string | null;
  /** `just_registered`, `idle`, `asleep`, `hibernated`, `parked`, `waiting_approval`, `paused`, `unreachable`, `waiting`, `unwatched`, `active` or `stalled`. */
  verdict: string;
  /** What it waits for, of `waiting`: `provider` (the pause that its model's provider asked for) or `tool` (a call within its time). */
  waits_for?: string | null;
}

/** A line of the ledger. */
export interface LedgerLine {
  /** Who caused it. */
  author: string;
  /** The chain's value; only of the last line of a batch. */
  chain?: string;
  /** The checksum of the line. */
  crc: string;
  /** What happened; the shape is the kind's. */
  data: Json;
  /** The entity that it belongs to. */
  entity: string;
  epoch?: string | null;
  kind: string;
  seq: number;
  tick: number;
  timestamp: string;
  /** The version of its data. */
  v: number;
}

/** A page of the ledger. */
export interface LedgerPage {
  /** Lines that may hold the text and cannot be read. */
  damaged: number;
  /** The newest event there was. */
  head: number;
  /** The events as in the ledger, without thoughts unless they were asked for. */
  items: LedgerLine[];
  /** Where to go on, as the same parameter (`before` or `after`): up to there all was looked through. Null at the end. */
  next?: string | null;
  /** Where to begin to go the other way, as the other parameter; null where there is nothing. */
  prev?: string | null;
}

/** What one of the two did in all. */
export interface LegTotalsView {
  /** Calls of tools. */
  calls: number;
  /** What answering each request once cost, in millionths of a US dollar, as far as prices are known; null where none is. */
  cost_microusd?: number | null;
  /** Requests that it failed on. */
  errors: number;
  /** What all that was asked for it cost, repetitions as well, in millionths of a US dollar; null where no price is known. */
  spent_microusd?: number | null;
  /** Tokens of answering each request once; null where nobody counts them. */
  tokens?: number | null;
  /** Answers of tokens whose price nobody knows. */
  unpriced: number;
}

/** What is wrong, as a word that programs can go by. */
export type LegalityCode = "size" | "no_commander" | "too_many_commanders" | "singleton" | "copies" | "identity" | "colour_unchosen" | "banned" | "not_legal" | "not_a_deck_card" | "commander_type" | "pair" | "companion_condition" | "companion_banned" | "companion_identity" | "companion_duplicate" | "extra_deck" | "rule_unread" | "unknown_card";

/** A page of the library. */
export interface LibraryPageView {
  /** The tracks: the best matches first, or in the order of the library where nothing was asked for. */
  items: LibraryTrackView[];
  /** How many match, of a search; null where nothing was asked for. */
  matches?: number | null;
  /** Whether more match than were ranked: more words find less. */
  more: boolean;
  /** The cursor of the next page; null at the end. */
  next?: string | null;
  /** The scan that it comes from. */
  scan: LibraryScanView;
}

/** A file or folder that could not be read as it should. */
export interface LibraryProblemView {
  /** Where it lies. */
  path: string;
  /** What is wrong. */
  problem: string;
}

/** What the scan of the library is at. */
export type LibraryScanState = "off" | "idle" | "scanning" | "failed";

/** The scan of the library. */
export interface LibraryScanView {
  /** What could not be read, folders that are offline first; 100 at most. */
  errors: LibraryProblemView[];
  /** How many there are in all. */
  errors_total: number;
  /** Audio files that are known, missing ones included. */
  files: number;
  /** When the last one ended. */
  finished_at?: string | null;
  /** Files that are missing. */
  missing: number;
  /** Files that this scan has read. */
  read: number;
  /** What it is at. */
  state: LibraryScanState;
  /** Files that this scan reads in all. */
  to_read: number;
  /** What is wrong and what to do about it; null where all is well. */
  why?: string | null;
}

/** A track of the library. */
export interface LibraryTrackView {
  /** Its album. */
  album?: string | null;
  /** What the album is asked for by, as `album` of `/music/library`. */
  album_id?: string | null;
  /** Its artists, joined by `, `; empty where nobody is known. */
  artist: string;
  /** Whether its file was there when it was last looked for. */
  available: boolean;
  /** Its cover, for `/music/covers/{digest}`. */
  cover?: string | null;
  /** Its disc, from 1. */
  disc?: number | null;
  /** How long it is, in seconds. */
  duration_s?: number | null;
  /** What it is known by: 32 hexadecimal digits. */
  id: string;
  /** Its title; the name of its file where no tag has one. */
  title: string;
  /** Its number on the disc, from 1. */
  track?: number | null;
  /** Year of recording. */
  year?: number | null;
}

/** A link that signs a browser in. */
export interface LinkView {
  /** The code in it. */
  code: string;
  /** How long it works, in seconds. It works once. */
  expires_in_s: number;
  /** The address to open. */
  link: string;
}

/** Maintenance. */
export interface MaintenanceView {
  by: string;
  reason?: string | null;
  since: string;
  /** Null where a person ends it. */
  until?: string | null;
}

/** A question that waits. */
export interface McpQuestionView {
  /** The agent that called it; null where several calls of the server run. */
  citizen?: string | null;
  /** When nobody is waited for any more. */
  deadline: string;
  /** The epoch of the call. */
  epoch_id?: string | null;
  /** The fields of the form; null where it asks for a visit. A form without any is a yes or no. */
  fields?: FormFieldView[] | null;
  /** Its id. */
  id: string;
  /** The server's words. */
  message: string;
  /** The server that asks, by its name in the configuration. */
  server: string;
  /** Since when it waits. */
  since: string;
  /** The address that it wants somebody to visit, whole; null where it asks for a form. */
  url?: string | null;
}

/** What became of the servers. */
export interface McpReloadView {
  /** Those that are new, and are being started. */
  added: string[];
  /** Those that were ended and are being started anew, as the file says now. */
  changed: string[];
  /** Those that cannot be started as they are written. */
  not_started: NotStartedView[];
  /** Those that were ended. */
  removed: string[];
}

/** A server. */
export interface McpServerView {
  /** Its address, where it runs elsewhere. */
  address?: string | null;
  /** What it kept in its folder when that was measured last, in bytes; null where that has no limit. */
  disk_bytes?: number | null;
  /** What it may keep there, in bytes. */
  disk_limit_bytes?: number | null;
  /** Its tools that cannot be used. */
  dropped: DroppedToolView[];
  /** Its name in the configuration. */
  id: string;
  /** The last thing that went wrong. */
  last_error?: string | null;
  /** What its list of tools lacks. */
  list_problem?: string | null;
  /** The root of its processes; null where it runs elsewhere or not. */
  pid?: number | null;
  /** The version of the protocol. */
  protocol?: string | null;
  /** The name and the version that it gives itself. */
  software?: string | null;
  /** How often it was started. */
  starts: number;
  /** `starting`, `ready`, `waiting`, `login_needed` or `stopped`. */
  state: string;
  /** The newest of what it wrote on stderr. */
  stderr: string;
  /** The names of its tools that agents may be offered. */
  tools: string[];
  /** Its tools that wait for a person. */
  waiting: WaitingToolView[];
}

/** What plays. */
export type MediaBackend = "mpv" | "silent" | "off";

/** The music in a snapshot. */
export interface MediaBrief {
  /** Whether it is to play. */
  playing: boolean;
  /** Playlists. */
  playlists: number;
  /** Entries of the queue. */
  queue: number;
  /** Title of what is played; null where nothing is. */
  title?: string | null;
}

/** What is to be done. Tracks are ids of `/music/library`, entries numbers of the queue, players ids of other programs' players. */
export type MediaControlBody = { action: "play"; entry?: number | null; player?: string | null; playlist?: number | null; tracks?: string[] | null } | { action: "pause"; player?: string | null } | { action: "next"; player?: string | null } | { action: "previous"; player?: string | null } | { action: "stop" } | { action: "seek"; position_s: number } | { action: "volume"; volume: number } | { action: "queue"; place?: QueuePlace; playlist?: number | null; tracks?: string[] | null } | { action: "remove"; entries: number[] } | { action: "move"; before?: number | null; entry: number } | { action: "clear" } | { action: "shuffle"; on: boolean } | { action: "repeat"; mode: MediaRepeat };

/** An entry of the queue. */
export interface MediaEntryView {
  /** Its number. */
  entry: number;
  /** Why it could not be played the last time. */
  failed?: string | null;
  /** What is played there. */
  track: MediaTrackView;
}

/** What comes after the last entry of the queue. */
export type MediaRepeat = "off" | "all" | "one";

/** What a player does. */
export type MediaState = "playing" | "paused" | "stopped" | "unavailable";

/** What is played and what is to be played. */
export interface MediaStatusView {
  /** What plays. */
  backend: MediaBackend;
  /** Its entry of the queue. */
  entry?: number | null;
  /** Players of other programs. */
  players: OtherPlayerView[];
  /** Where it is, in seconds. */
  position_s: number;
  /** The queue in the order of playing, from the present entry on; 500 at most. Where all is repeated, what comes round again too. */
  queue: MediaEntryView[];
  /** How many entries the queue has. */
  queue_total: number;
  /** What comes after the last entry. */
  repeat: MediaRepeat;
  /** Whether the order is shuffled. */
  shuffle: boolean;
  /** What the player does. */
  state: MediaState;
  /** What is played. */
  track?: MediaTrackView | null;
  /** How loud, 0 to 100. */
  volume: number;
  /** What is wrong and what to do about it; null where all is well. */
  why?: string | null;
}

/** A track as it is shown. */
export interface MediaTrackView {
  /** Its album. */
  album?: string | null;
  /** Its artists, joined by `, `; empty where nobody is known. */
  artist: string;
  /** Its cover, for `/music/covers/{digest}`. */
  cover?: string | null;
  /** How long it is, in seconds. */
  duration_s?: number | null;
  /** What it is known by, wherever its file lies: 32 hexadecimal digits. */
  id: string;
  /** Its title. */
  title: string;
}

/** Alertmanager's webhook, version 4. Other fields are ignored. */
export interface Message {
  /** The alerts. */
  alerts: SentAlert[];
  /** Where Alertmanager is. */
  externalURL?: string;
  /** The receiver that sends it. */
  receiver?: string;
  /** `4`. */
  version: string;
}

/** A scan to start. */
export interface MusicScanBody {
  /** Whether files that look unchanged are read too. */
  everything?: boolean;
}

/** The next step of an escalation. */
export interface NextStepView {
  agent: string;
  /** When, at the earliest. */
  at: string;
  episode: string;
  /** The services that notify. */
  to: string[];
}

/** One sleep. */
export interface NightView {
  distiller: string;
  ended_at?: string | null;
  /** How many epochs it distils. */
  epochs: number;
  /** What changed; of a failure, why. */
  message?: string | null;
  sleep_id: string;
  started_at: string;
  /** `ok`, `empty` or `failed`; null while it is running. */
  status?: string | null;
  /** The finished steps. */
  steps: StepView[];
  /** `person`, `schedule`, `idle` or `pressure`. */
  trigger: string;
}

/** A node with its versions and edges. */
export interface NodeDetail {
  /** The version in force; null where it is closed. */
  current?: NodeView | null;
  /** Edges in force, from and to it. */
  edges: EdgeView[];
  /** All versions, the oldest first. */
  versions: NodeView[];
}

/** A version of a node: `{type, node_id, …fields}` and its stamps. */
export type NodeView = { [key: string]: Json } & { author: string; node_id: string; recorded_at: string; seq: number; sources: string[]; valid_from: string; valid_to?: string | null };

/** A server that cannot be started. */
export interface NotStartedView {
  /** Its name. */
  id: string;
  /** Why. */
  reason: string;
}

/** Names a card, over all its printings: Scryfall's `oracle_id`. */
export type OracleId = string;

/** A player of another program on this machine. */
export interface OtherPlayerView {
  /** Artists of its track, joined by `, `; empty where nobody is known. */
  artist: string;
  /** What it is asked by. */
  id: string;
  /** What it calls itself. */
  name: string;
  /** What it does. */
  state: MediaState;
  /** Title of its track. */
  title?: string | null;
}

/** An outcome by its name. */
export type OutcomeName = string;

/** A piece of what a command wrote. */
export interface OutputPieceView {
  /** Bytes of the stream between the last piece and this one that are not shown: it wrote more than is sent. */
  left_out_bytes: number;
  stream: OutputStreamView;
  /** The text as the command wrote it, at most 4 KiB before bytes that are no UTF-8 are replaced; may hold hidden characters. */
  text: string;
}

/** Where a command writes. */
export type OutputStreamView = "stdout" | "stderr";

/** What commands gave. */
export interface OutputView {
  /** As a person reads it. */
  output: string;
}

/** An agent or a person that an agent works with. */
export interface PartnerView {
  id: string;
  name: string;
  role: string;
}

/** Tracks to put into a playlist. */
export interface PlaylistAddBody {
  /** Before which entry; absent: to the end. */
  before?: number | null;
  /** Ids of `/music/library`. */
  tracks: string[];
}

/** What is to change in a playlist, in this order. */
export interface PlaylistChangeBody {
  /** Tracks to put in. */
  add?: PlaylistAddBody | null;
  /** An entry to put elsewhere. */
  move?: PlaylistMoveBody | null;
  /** Its new name. */
  name?: string | null;
  /** Entries to take out. */
  remove?: number[] | null;
}

/** A playlist to make. */
export interface PlaylistCreateBody {
  /** Bytes of an `.m3u` or `.m3u8` file to import, as base64. */
  m3u_base64?: string | null;
  /** The absolute path of the folder where the imported file lies, from which its relative names are read [default: the first music folder]. */
  m3u_folder?: string | null;
  /** Its name, 1 to 200 characters; absent: that of the imported list. */
  name?: string | null;
  /** Its tracks: ids of `/music/library`. */
  tracks?: string[];
}

/** An entry of a playlist. */
export interface PlaylistEntryView {
  /** Whether a file with it was there when it was last looked for. */
  available: boolean;
  /** Its number, of this playlist. */
  entry: number;
  /** What is there. */
  track: MediaTrackView;
}

/** A playlist in the list of playlists. */
export interface PlaylistItemView {
  /** How long it is, in seconds, of the tracks whose length is known. */
  duration_s: number;
  /** How many entries it has. */
  entries: number;
  /** Its number. */
  id: number;
  /** Its name. */
  name: string;
}

/** An entry to put elsewhere. */
export interface PlaylistMoveBody {
  /** Before which other one; absent: to the end. */
  before?: number | null;
  /** Which. */
  entry: number;
}

/** A playlist, whole. */
export interface PlaylistView {
  /** What is in it, in its order. */
  entries: PlaylistEntryView[];
  /** Its number. */
  id: number;
  /** Its name. */
  name: string;
  /** Lines of an imported list that name no track of the library; 100 at most. */
  unknown?: string[];
  /** How many such lines there are in all. */
  unknown_total: number;
}

/** A printing by set and number. */
export interface PrintingRef {
  /** Number in the set; none where only the set is known. */
  number?: string | null;
  /** Code of the set, in lower case. */
  set: string;
}

/** A process. */
export interface ProcessView {
  /** What its agent says it is doing, in its newest checkpoint (`idle`, `thinking`, `acting` or `evolving`); no evidence. */
  agent_status?: string | null;
  /** The newest checkpoint. */
  checkpoint?: CheckpointView | null;
  /** When it was last heard from: a sign of life, not of progress. */
  last_heartbeat_at?: string | null;
  /** When it last made progress. */
  last_progress_at?: string | null;
  /** Why it is in this state. */
  message?: string | null;
  /** When it is started again, where it waits for that. */
  next_start_at?: string | null;
  /** Its process id; null where it does not run, or connected by itself. */
  pid?: number | null;
  /** Its progress counter. */
  progress?: number | null;
  /** Version of the protocol that it speaks. */
  protocol?: number | null;
  /** What it showed lately. */
  recent: RecentView;
  /** Starts after the first since the keeper came up. */
  restarts: number;
  /** Names its run; frames of an older one are refused. */
  run?: string | null;
  /** The level at which it is confined (0, 1 or 2); null where the keeper did not start it. */
  sandbox?: number | null;
  /** The kit that it uses, as it reports itself. */
  sdk?: string | null;
  /** `not_started`, `starting`, `ready`, `busy`, `unresponsive`, `waiting`, `hibernated`, `parked` or `over_disk_limit`. */
  state: string;
  /** What is wrong with its private state: a loss that no person has seen to, or what keeps it from being stored. */
  state_problem?: StateProblemView | null;
  /** How long the run has lasted. */
  uptime_s?: number | null;
  /** Bytes of its log. */
  wal_bytes: number;
  /** Entries behind its newest checkpoint. */
  wal_lag: number;
  /** The last entry of its log on the disk. */
  wal_sequence: number;
}

/** The program. */
export interface ProgramView {
  /** `abide`. */
  name: string;
  /** Its version. */
  version: string;
}

/** A line of a proposal. */
export interface ProposalLineView {
  /** The card that it is about, by name; of a swap the one that goes. Empty where it is about none. */
  card: string;
  /** The cards that it is about, as they are in the deck or would come in; of a swap the one that goes and the one that comes. */
  cards: CardFactsView[];
  /** Of a refused line the reason, of a stale one what changed. */
  cause?: string | null;
  /** How many; 0 where it has no count. */
  count: number;
  /** Its id in the proposal, from 1. */
  id: number;
  /** What it does. */
  line: DeckOp;
  /** What it does: `add`, `remove`, `swap` and so on, as in `line`. */
  op: string;
  /** What the proposer wrote, where a person rewrote it. */
  original?: DeckOp | null;
  /** Of a taken line its revision, of a stale one the revision that made it so. */
  rev?: number | null;
  /** `open`, `taken`, `refused` or `stale`. */
  state: string;
}

/** A version that waits for a person. */
export interface ProposalView {
  /** The version that it was made from. */
  based_on: number;
  /** The share that would change, 0 to 1. */
  change: number;
  content: string;
  /** What it would change. */
  diff: string;
  proposal_id: string;
  proposed_at: string;
  /** The sleep that made it; `null` where it was found in `identity.md`. */
  sleep_id?: string | null;
}

/** One of the eight queries. */
export interface QueryBody {
  /** Default: the only agent. */
  citizen?: string | null;
  /** Its parameters. */
  params?: { [key: string]: Json };
  /** `query_partnerships`, `query_conversations`, `query_technical_context`, `query_emotional_state`, `query_strategy_patterns`, `query_related_code`, `query_failed_attempts` or `query_active_constraints`. */
  query: string;
}

/** What one of the eight queries gave. */
export interface QueryView {
  /** 0 to 1: of what was found, or of that nothing is there; 0 of a failure. */
  confidence: number;
  /** The best first: `type`, `id`, the fields of that type, `valid_from`, `valid_to`, `sources`, `strength` and `ref`. */
  data: ({ [key: string]: Json })[];
  /** Whether something was found. */
  found: boolean;
  /** What is to be said about it; of a failure, why. May be empty. */
  message: string;
  query_time_ms: number;
  /** `found`, `empty` or `failed`. */
  status: string;
}

/** Where new entries of the queue go. */
export type QueuePlace = "now" | "next" | "end";

/** A search that is asked for. */
export interface RankingSearchBody {
  /** The agent whose record it is scored by [default: the only one]. */
  citizen?: string | null;
  /** Generations of each part, 1 to 500 [default: 60]. */
  generations?: number | null;
  /** `weights` moves weights alone, `structure` looks for other expressions after that [default: `structure`]. */
  kind?: string | null;
  /** Expressions at a time, 12 to 1000 [default: 120]. */
  population?: number | null;
  /** What everything that is random follows from: the same on the same record finds the same [default: another each time]. */
  seed?: number | null;
}

/** What a search found, on questions that it never saw. */
export interface RankingSearchReportView {
  /** The best of each part, weights first. */
  found: FoundOrderView[];
  /** How many questions. */
  held_out: number;
  /** The score of today's order. */
  today: number;
  /** Questions of which today's order shows nothing that was needed among the first ten. */
  today_missed: number;
}

/** Whose search is to stop. */
export interface RankingSearchStopBody {
  /** The agent [default: the only one]. */
  citizen?: string | null;
}

/** A search, as far as it is. */
export interface RankingSearchView {
  /** The best of the part so far, on the questions that it is chosen by: the share of what was needed that is among the first ten, and a hundredth at most for its place. */
  best?: number | null;
  /** Who started it. */
  by: string;
  /** The agent. */
  citizen: string;
  /** Expressions that were measured. */
  evaluations: number;
  /** Generations that were measured, of all parts together. */
  generation: number;
  /** Of how many. */
  generations: number;
  /** Questions that are held out, the newest. */
  held_out?: number | null;
  /** `weights` or `structure`. */
  kind: string;
  /** How it ended; null before. */
  outcome?: SearchEndView | null;
  /** The part that is at work, or was last: weights come first. */
  part: string;
  /** Expressions at a time. */
  population: number;
  /** Questions that expressions are chosen by; null before the record was read. */
  questions?: number | null;
  /** What was found, beside today's order; null before all was measured. */
  report?: RankingSearchReportView | null;
  /** What everything that is random follows from. */
  seed: number;
  /** When. */
  started_at: string;
  /** `reading` the record, `waiting` for another agent's search, `searching` or `ended`. */
  state: string;
  /** The same of today's order. */
  today?: number | null;
  /** How long it was at work. */
  worked_ms: number;
}

/** Whether the keeper accepts stimuli. */
export interface ReadyView {
  /** `loading`, `ok`, `stalled`, `degraded`, `poisoned` or `stopping`. */
  status: string;
}

/** What a process showed at the newest looks, the oldest first; kept while the keeper runs, whether anybody looks or not. */
export interface RecentView {
  /** Seconds between two looks. */
  every_s: number;
  /** How long ago it had been heard from, at each look; null where it never was. */
  silent_s: (number | null)[];
  /** Steps of its progress since the look before, at each look. */
  steps: number[];
}

/** What happened in a span, as numbers and as text. */
export interface ReportView {
  /** What each agent did. */
  agents: { [key: string]: AgentReportView };
  /** The longest time that the keeper ran without a person. */
  alone_longest_ms: number;
  /** How long it has run without one at the end. */
  alone_now_ms: number;
  /** How long the keeper was down. */
  down_ms: number;
  /** The newest, oldest first. */
  episodes: EpisodeReportView[];
  /** Episodes that are not listed. */
  episodes_left_out: number;
  /** Stalls of which a person was to be notified. */
  escalations: number;
  /** How often a person did something. */
  human_acts: number;
  last_human_at?: string | null;
  /** Messages that reached a person. */
  notices: number;
  /** Attempts to reach one that failed. */
  notices_failed: number;
  /** Agents paged. */
  pages: number;
  /** Pages that the channel did not deliver. */
  pages_failed: number;
  /** Stalls that ended with evidence, by the rung after which it came. */
  resolved: { [key: string]: number };
  scans: number;
  /** Scans that could not judge agents. */
  scans_blind: number;
  /** Scans that were due and did not happen, down time left out. */
  scans_missed: number;
  /** The results of each service. */
  services: { [key: string]: ServiceReportView };
  since: string;
  stalls: number;
  /** Starts of the keeper. */
  starts: number;
  /** All of it, for reading. */
  text: string;
  until: string;
  /** Stalls that ended because the agent could stall no more. */
  withdrawn: number;
}

/** A pair in which they differ. */
export interface ReportedDivergenceView {
  /** What the candidate did. */
  candidate: ComparedLegView;
  /** The first thing in which they differ. */
  divergence: string;
  /** What the code in force did. */
  main: ComparedLegView;
  /** The epoch that the request belongs to. */
  request: string;
}

/** Whose window ends, and how. */
export interface ResetBody {
  /** Default: the only agent. */
  citizen?: string | null;
  /** Ends the open epoch instead of waiting for its end. */
  force?: boolean;
}

/** A reset that is durable. */
export interface ResetView {
  /** How many epochs left the window. */
  epochs: number;
  /** The segment that was sealed. */
  sealed_segment: number;
  /** Where it stands in the ledger. */
  seq: number;
}

/** Which version is to come back. */
export interface RestoreBody {
  /** Default: the only agent. */
  citizen?: string | null;
  /** Its number. */
  version: number;
}

/** A checkpoint that was restored by hand. */
export interface RestoredView {
  /** The checkpoint that is in force. */
  checkpoint_id: string;
  /** What does not count any more and where it is, one sentence each. */
  set_aside: string[];
  /** The last entry of the log that it holds. */
  wal_sequence: number;
}

/** A decision on it. */
export interface ReviewBody {
  /** Default: the only agent. */
  citizen?: string | null;
  /** `approve` or `deny`. */
  decision: string;
  /** Why. */
  reason?: string | null;
}

/** What a decision came to. */
export interface ReviewedFactView {
  decision: string;
  /** The fact that is remembered now, where it was approved. */
  fact_id?: string | null;
  proposal_id: string;
}

/** A decision that is durable. */
export interface ReviewedView {
  /** `approve` or `deny`. */
  decision: string;
  proposal_id: string;
  /** The version that is in force with it, where it was approved. */
  version?: number | null;
}

/** A scan. */
export interface ScanView {
  at: string;
  /** What was in the way, where agents could not be judged. */
  blind?: string | null;
  escalated: string[];
  paged: string[];
  /** How many agents were judged. */
  scanned: number;
  stalled: string[];
}

/** What is searched for. */
export interface SearchBody {
  /** Default: the only agent. */
  citizen?: string | null;
  /** At most so many of each, 10 by default. */
  limit?: number | null;
  /** Words or a question. */
  query: string;
  /** Who asks: "I" and "my" are theirs. */
  sender?: string | null;
}

/** How a search ended. */
export interface SearchEndView {
  /** The change that was proposed. */
  evolution_id?: string | null;
  /** `proposed`, `not_better`, `too_few`, `stopped` or `failed`. */
  kind: string;
  /** In a sentence. */
  text: string;
}

/** What a search found. */
export interface SearchView {
  /** What was said. */
  conversations: FoundView_PassageView;
  /** What is known. */
  facts: FoundView_FactView;
}

/** An agent on an external network. */
export interface SeatView {
  /** The agent. */
  agent: string;
  /** Why it is down, or the nick that it has. */
  detail?: string | null;
  /** The network. */
  name: string;
  /** `online`, `connecting`, `down` or `stopped`. */
  state: string;
}

/** A seed. */
export interface SeedBody {
  /** Default: the only agent. */
  citizen?: string | null;
  /** JSON Lines: nodes `{"node_id", "type", …}` and edges `{"from", "edge", "to"}`, at most 5,000. */
  lines: string;
}

/** What came of an edit. */
export interface SeededView {
  /** Edges that were recorded. */
  edges: number;
  /** Nodes that were recorded. */
  nodes: number;
  /** Where it stands in the ledger. */
  seq: number;
  /** What was so already. */
  unchanged: number;
}

/** An alert as it is sent. */
export interface SentAlert {
  /** What it says. */
  annotations?: { [key: string]: string };
  /** When it ended, of a resolved one. */
  endsAt?: string;
  /** Its labels in short; made from them where it is not sent. */
  fingerprint?: string;
  /** Where it comes from. */
  generatorURL?: string;
  /** What identifies it. */
  labels?: { [key: string]: string };
  /** When it began. */
  startsAt: string;
  /** `firing` or `resolved`. */
  status: string;
}

/** The results of a service. */
export interface ServiceReportView {
  /** Attempts that failed. */
  failed: number;
  /** Messages that it accepted. */
  taken: number;
}

/** Who is signed in. */
export interface SessionView {
  /** `token`, `browser` or `open` (no token is required). */
  access: string;
  /** What a browser's writes carry in `X-Abide-Csrf`; empty where none is needed. */
  csrf: string;
  /** The name under which the caller acts. */
  name: string;
  /** What the caller may do. */
  scopes: string[];
}

/** The short form of a stimulus. The full envelope of the specification is taken in its place. */
export interface ShortStimulus {
  /** Where it comes from; default `api`. */
  channel?: string | null;
  /** Whom it is for; default: the only agent. */
  citizen?: string | null;
  /** Whether the caller can answer approvals. */
  interactive?: boolean | null;
  /** The message. */
  message: string;
  /** Who sends it; default, and what `user` means: the name of the token. */
  sender?: string | null;
  /** The conversation; default `<channel>:<sender>`. */
  session_id?: string | null;
}

/** A silence. */
export interface SilenceView {
  /** About whom; null for everybody. */
  agent?: string | null;
  until: string;
}

/** A sleep that was asked for. */
export interface SleepBegunView {
  /** What distils: `rules`, or `model` and its name. */
  distiller?: string | null;
  /** How many epochs it distils. */
  epochs: number;
  /** The last event that was applied; the end of the sleep comes after it. */
  seq: number;
  /** Its id. */
  sleep_id?: string | null;
  /** `begun`, or `nothing` where every epoch has been distilled. */
  status: string;
}

/** Who is to sleep, and how. */
export interface SleepBody {
  /** Default: the only agent. */
  citizen?: string | null;
  /** Distils by rules even where there is a model. */
  rules?: boolean;
}

/** An agent's sleep. */
export interface SleepView {
  citizen: string;
  /** Committed epochs that were distilled. */
  consolidated: number;
  /** How many sleeps in a row have failed. */
  failures: number;
  /** The last one that ended. */
  last?: NightView | null;
  /** The sleep that is running. */
  running?: NightView | null;
  /** `awake` or `asleep`. */
  state: string;
  /** Committed epochs that no sleep has distilled. */
  waiting: number;
}

/** The state at one sequence number. */
export interface SnapshotView {
  /** The agents. */
  agents: AgentLive[];
  /** Calls that wait for a person. */
  approvals: number;
  /** Matters that wait for a person. */
  attention: number;
  /** The chain value of the last durable batch. */
  chain_head: string;
  /** Decks by their ids: `name`, `rev` and `open_proposals`. */
  decks: { [key: string]: DeckBrief };
  /** What is played. */
  media: MediaBrief;
  /** The last event that is in it. */
  seq: number;
  /** Of projected state only: equal before and after a restart or a rebuild. */
  state_digest: string;
  /** `ok`, `degraded` or `poisoned`. */
  status: string;
  /** Its tick. */
  tick: number;
  /** `stalled` (agents), `last_scan_at`, `scans_missed`, `paused`, `blind` (why); empty where it is off. */
  watchdog: { [key: string]: Json };
}

/** Something that is wrong with a private state. */
export interface StateProblemView {
  /** Whether state that had been stored is gone. */
  is_lost: boolean;
  /** What is wrong. */
  message: string;
  /** Since when. */
  since: string;
}

/** The keeper in short. */
export interface StatusView {
  /** The agents; none while loading. */
  agents: AgentState[];
  /** `abide`. */
  name: string;
  /** Of the last event; 0 while loading. */
  seq: number;
  /** `loading`, `ok`, `degraded` or `poisoned`. */
  status: string;
  /** Of the last event; 0 while loading. */
  tick: number;
  /** Of the program. */
  version: string;
}

/** An agent after something was done with it. */
export type SteeredAgentView = AgentView & { restored?: RestoredView | null };

/** A finished step of a sleep. */
export interface StepView {
  message: string;
  part: number;
  parts: number;
  /** `ok`, `empty`, `failed` or `skipped`. */
  status: string;
  /** `facts`, `identity` or `dream`. */
  step: string;
}

/** An agent for which a tool does not run although it was set for all. */
export interface StillDeniedView {
  /** The agent. */
  citizen: string;
  /** The entry of the list that denies it. */
  reason: string;
}

/** An epoch that did not end in time. It goes on. */
export interface StillOpen {
  /** The epoch. */
  epoch_id: string;
  /** The same in the shape of an error. */
  error: ErrorView;
}

/** A stimulus. */
export interface StimulusView {
  channel: string;
  content: string;
  sender: string;
  timestamp: string;
}

/** An event of a change. */
export interface StoryLineView {
  /** When. */
  at: string;
  /** Who did it. */
  by: string;
  /** Its kind, such as `evolution.decided`. */
  kind: string;
  /** Where it stands in the ledger; of several comparisons the last. */
  seq: number;
  /** In a sentence. */
  text: string;
}

/** What was done with the alerts of a message. */
export interface TakenView {
  /** The epochs that answer, of new and of known alerts. */
  epochs: string[];
  /** How many were recorded before. */
  known: number;
  /** How many are new, and are recorded now. */
  recorded: number;
  /** The agent that got them as stimuli, if one is configured. */
  woken?: string | null;
}

/** The Telegram bot. */
export interface TelegramView {
  /** Its name, or why it is down. */
  detail?: string | null;
  /** `online`, `connecting`, `down` or `stopped`. */
  state: string;
}

/** Estimated tokens by part. */
export interface TokensView {
  history: number;
  object: number;
  stimulus: number;
  system: number;
  tools: number;
}

/** What is to be set for a tool. */
export interface ToolPolicyBody {
  /** The agent that it is for; null or absent: all that have no setting of their own. */
  agent?: string | null;
  /** `allow`, `ask` or `deny`; null: what held before anything was set. */
  policy: string | null;
}

/** What holds of a tool now, and what held before. */
export interface ToolPolicyView {
  /** The agent that it was set for; null: all that have no setting of their own. */
  agent?: string | null;
  /** What was set before, which undoes this; null: nothing. */
  before?: string | null;
  /** What is set now; null: nothing. */
  policy?: string | null;
  /** The agents for which it does not run although it was set for all: their own lists in abide.toml deny it. */
  still_denied: StillDeniedView[];
  /** The tool. */
  tool: string;
}

/** What a running call said since its last update, at most four times a second. Not durable: a client that connects later or reads slowly does not get it, and a gap in `sequence` shows it. */
export interface ToolProgressView {
  /** The call, as in `tool.requested`. */
  call_id: string;
  /** The epoch of the call. */
  epoch_id: string;
  /** What a command wrote: a piece of each stream at most. */
  output?: OutputPieceView[];
  /** The number of this among the updates of the call, from 0. */
  sequence: number;
  /** How far the call has come, where its tool said it anew. */
  step?: CallStepView | null;
}

/** What a person set for a tool. */
export interface ToolSettingView {
  /** The agent that it was set for; null: all that have none of their own. */
  agent?: string | null;
  /** When. */
  at: string;
  /** Who set it. */
  by: string;
  /** `allow`, `ask` or `deny`. */
  policy: string;
}

/** A tool as a mind is offered it. */
export interface ToolView {
  description: string;
  name: string;
  /** The JSON schema of its arguments. */
  parameters: Json;
}

/** A call to try. */
export interface TrialBody {
  /** Its arguments, an object. */
  arguments?: Json;
  /** The agent that would make it [default: the only one]. */
  citizen?: string | null;
  /** The tool. */
  tool: string;
}

/** How a change is tried. */
export interface TrialOptionsBody {
  /** What it may cost, in US dollars [default: nothing that costs]. */
  budget_usd?: number | null;
  /** A model that says which of two replies is better; it decides nothing. */
  judge?: JudgeBody | null;
  /** On how many of the newest requests: 30 to 200, and 1 to 1000 where it ends with the comparison [default: `last` of `[evolution]`]. */
  last?: number | null;
  /** Whether it ends with the comparison: nothing is put in force. */
  only_compare?: boolean;
  /** How often each of two minds is asked each request: 1 to 5 [default: once]. */
  repeat?: number | null;
}

/** What came of a trial. */
export interface TrialView {
  /** Why it failed. */
  error?: string | null;
  /** `allow`, `ask` or `deny`. */
  permission: string;
  /** What it would change. */
  preview?: string | null;
  /** Whether it ran: a tool that changes something does not. */
  ran: boolean;
  /** Why it is denied. */
  reason?: string | null;
  /** Its result. */
  result?: string | null;
  /** The tool. */
  tool: string;
}

/** The result of a test page. */
export interface TriedView {
  /** The result of each service. */
  attempts: AttemptView[];
  /** Why nobody could be notified, if so. */
  notify_failed?: string | null;
  /** The page's short name. */
  page: string;
  /** Why the channel did not deliver it, if so. */
  page_failed?: string | null;
}

/** A completed turn. */
export interface TurnView {
  /** How the mind felt. */
  emotive_state: string;
  /** What it said beside its calls; absent where it said nothing, or called nothing: what it said then is the reply. */
  text?: string | null;
  /** Its reasoning; only with `?thoughts=1`. */
  thought?: string | null;
  /** Its calls, in order. */
  tool_calls: CallView[];
  /** From 1. */
  turn: number;
  /** What it cost. */
  usage: UsageView;
}

/** A line of a list that was not read. */
export interface UnparsedLineView {
  /** Its number, from 1; 0 where it is of no line. */
  line: number;
  /** What it says. */
  text: string;
  /** Why it was not read. */
  why: string;
}

/** Tokens and money of a day. */
export interface UsageToday {
  /** The part of the cost that is known. */
  cost_microusd: number;
  input_tokens: number;
  output_tokens: number;
  /** Attempts whose price is unknown. */
  unpriced: number;
}

/** Tokens and money. */
export interface UsageView {
  /** Null where a price is unknown. */
  cost_microusd?: number | null;
  input_tokens: number;
  output_tokens: number;
}

/** A version in the list. */
export interface VersionView {
  /** Who caused it. */
  author: string;
  /** Whether it is the one in force. */
  current: boolean;
  /** Where it stands in the ledger. */
  seq: number;
  /** `profile`, `person`, `file` or `sleep`. */
  source: string;
  updated_at: string;
  version: number;
}

/** A fact that waits. */
export interface WaitingFactView {
  /** `user`, `project` or `world`. */
  category: string;
  /** The fact as it would be remembered. */
  content: string;
  /** Why it waits, in words for people. */
  doubt: string;
  proposal_id: string;
  /** What was said in the exchanges that it rests on. */
  said: string;
  /** Since when it waits. */
  since: string;
  /** The epochs of those exchanges. */
  sources: string[];
  /** Who would have told it. */
  told_by?: string | null;
}

/** A tool that is not offered until a person accepts it. */
export interface WaitingToolView {
  /** What changed, or all that it says where it is new. */
  diff: string;
  /** What an acceptance names: it stands for what the tool says about itself now. */
  digest: string;
  /** Whether that is cut: it says more than is shown. */
  is_cut: boolean;
  /** Whether nothing of this name was accepted before. */
  is_new: boolean;
  /** The tool, by the server's own name. */
  tool: string;
}

/** Something that an agent waits for. */
export interface WakeView {
  /** What has to hold. */
  condition: string;
  /** How many messages the agent got since. */
  heard: number;
  /** Its id. */
  id: string;
  /** The text of the stimulus that it gets then. */
  prompt: string;
  /** Since when. */
  set_at: string;
}

/** The watchdog. */
export interface WatchdogView {
  /** The verdict on every agent at the newest scan. */
  agents: JudgedView[];
  /** Why agents cannot be judged, if so. */
  blind?: string | null;
  /** Why the dead man's switch was not reached, if so. */
  dead_man?: string | null;
  /** When it was last reached, since this start. */
  dead_man_reached_at?: string | null;
  /** Whether there is one. */
  dead_man_set: boolean;
  /** Whether it runs; the rest is empty where it does not. */
  enabled: boolean;
  /** Open stalls. */
  episodes: EpisodeView[];
  /** Time between two scans. */
  interval_ms: number;
  /** The newest scan. */
  last_scan?: ScanView | null;
  /** Running maintenance. */
  maintenance?: MaintenanceView | null;
  /** Why nothing can be recorded, if so. */
  mute?: string | null;
  /** Who is notified next of them, while nobody has acknowledged them. */
  next_steps: NextStepView[];
  /** Scans that are overdue. */
  scans_missed: number;
  /** Silences in force. */
  silences: SilenceView[];
  /** Silence that counts as a stall. */
  threshold_ms: number;
}

/** The result of a command: its state after `pause`, `resume` and `unsilence`, else what the command asked for. */
export type WordAnswer = WatchdogView | FoundView | SilenceView | InHandView | TriedView;

/** A command to the watchdog. Which fields belong to which action is checked. */
export interface WordBody {
  /** An agent: of `silence` and `unsilence` (none: all), or whose episode is meant. */
  agent?: string | null;
  /** Whether all episodes are meant. */
  all?: boolean;
  /** The episode that is meant. */
  episode?: string | null;
  /** How long it holds, such as `1h`; of `pause`, `silence` and `ack` an hour by default. */
  for?: string | null;
  /** The page whose episodes are meant. */
  page?: string | null;
  /** Why. */
  reason?: string | null;
}

/** Every route: what it takes and what it answers when all went well. */
export interface Routes {
  /** The page for browsers, the keeper's status for programs. */
  "GET /": { path: never; query: "code"; body: undefined; answer: StatusView };
  /** All agents. */
  "GET /agents": { path: never; query: "limit" | "cursor"; body: undefined; answer: List<AgentView> };
  /** One agent. */
  "GET /agents/{id}": { path: "id"; query: never; body: undefined; answer: AgentView };
  /** What an agent waits for, the oldest first. */
  "GET /agents/{id}/wakes": { path: "id"; query: "limit" | "cursor"; body: undefined; answer: List<WakeView> };
  /** Steers an agent: `park` stops it from opening epochs (stimuli queue) and ends its process, `resume` lets it go on; `restart` and `checkpoint` are for agents with a process of their own, as is `restore` with its `checkpoint_id`. */
  "POST /agents/{id}/{action}": { path: "id" | "action"; query: never; body: CheckpointBody | null; answer: SteeredAgentView };
  /** Records alerts. Send Alertmanager's webhook here, with the keeper's token as bearer. */
  "POST /alertmanager": { path: never; query: never; body: Message; answer: TakenView };
  /** 200 while the process runs. */
  "GET /alive": { path: never; query: never; body: undefined; answer: ReadyView };
  /** The calls that wait. For a minute after this request by somebody who may decide, a person counts as present to do so. */
  "GET /approvals": { path: never; query: "citizen" | "limit" | "cursor"; body: undefined; answer: List<ApprovalView> };
  /** Decides. Answers when the decision is durable; one that was decided already stays as it is. */
  "POST /approvals/{id}": { path: "id"; query: never; body: DecisionBody; answer: DecidedView };
  /** A file of the web client or of the plain page. */
  "GET /assets/{file}": { path: "file"; query: never; body: undefined; answer: Json };
  /** Everything that waits for a person, the oldest first. */
  "GET /attention": { path: never; query: "citizen" | "limit" | "cursor"; body: undefined; answer: List<AttentionView> };
  /** Which cards are there. Reads none of them. */
  "GET /cards": { path: never; query: never; body: undefined; answer: CardsView };
  /** A picture of a card: `size` is `small` (146 by 204) or `normal` (488 by 680, the default), `face` counts its sides from 0. 404 where there is none, 503 where it cannot be fetched now; Retry-After says when. */
  "GET /cards/{oracle_id}/image": { path: "oracle_id"; query: "size" | "face"; body: undefined; answer: Json };
  /** The values in force since the start, each with its source and with how it is changed; never a secret. */
  "GET /config": { path: never; query: never; body: undefined; answer: ConfigView };
  /** Plays, pauses, goes on, fills the queue; the answer is the status afterwards. 409 where there is no player, with what to do. */
  "POST /control-media": { path: never; query: never; body: MediaControlBody; answer: MediaStatusView };
  /** Takes lines of a proposal, all that are named or none; without names all that are open and not stale. */
  "POST /deck/approve": { path: never; query: never; body: DeckApproveBody; answer: DeckStateView };
  /** Says which bracket a deck is of; null leaves it to the estimate. */
  "POST /deck/bracket": { path: never; query: never; body: DeckBracketBody; answer: DeckStateView };
  /** Cards by words of their names, types and texts; `t:elf`, `o:draw`, `c:g` and `mv:2` narrow it. With `deck_id` only those that the deck's commanders allow, unless `any=1`. */
  "GET /deck/cards": { path: never; query: "q" | "deck_id" | "any" | "limit"; body: undefined; answer: List<CardFactsView> };
  /** What two decks differ in. `left` and `right` are ids; behind an `@` stands a revision. */
  "GET /deck/compare": { path: never; query: "left" | "right"; body: undefined; answer: List<CardDifference> };
  /** Makes a deck: empty, or out of a list in any known form. What cannot be read is kept and shown. */
  "POST /deck/create": { path: never; query: never; body: DeckCreateBody; answer: DeckStateView };
  /** Changes a deck at once. What changed since the revision that the person saw is merged, or a conflict where it is about the same. */
  "POST /deck/edit": { path: never; query: never; body: DeckEditBody; answer: DeckStateView };
  /** What exactly these lines of a proposal would do, in their order. Lines that cannot be done together are refused with why. */
  "POST /deck/effect": { path: never; query: never; body: DeckEffectBody; answer: DeckEffectView };
  /** A deck as text, in the form of another program: `arena`, `moxfield`, `mtgo`, `dek` or `archidekt`. */
  "GET /deck/export": { path: never; query: "deck_id" | "format"; body: undefined; answer: DeckExportView };
  /** Makes a deck out of a revision of another one. */
  "POST /deck/fork": { path: never; query: never; body: DeckForkBody; answer: DeckStateView };
  /** The revisions of a deck that are remembered, the newest first. */
  "GET /deck/history": { path: never; query: "deck_id" | "limit" | "cursor"; body: undefined; answer: List<DeckRevisionView> };
  /** All decks, the newest change first. */
  "GET /deck/list": { path: never; query: "limit" | "cursor"; body: undefined; answer: List<DeckItemView> };
  /** Loads a deck for an agent: its tools are about that one from then on. */
  "POST /deck/load": { path: never; query: never; body: DeckLoadBody; answer: DeckStateView };
  /** A shuffled hand. The same `seed` gives the same cards; without one, one is chosen and told. */
  "GET /deck/playtest": { path: never; query: "deck_id" | "seed" | "mulligans"; body: undefined; answer: DeckPlaytestView };
  /** Refuses lines of a proposal. The proposer hears why, and is answered with it where it proposes the same again. */
  "POST /deck/reject": { path: never; query: never; body: DeckRejectBody; answer: DeckStateView };
  /** Opens refused lines again. */
  "POST /deck/reopen": { path: never; query: never; body: DeckReopenBody; answer: DeckStateView };
  /** Rewrites an open line of a proposal; the proposer hears of it. */
  "POST /deck/rewrite": { path: never; query: never; body: DeckRewriteBody; answer: DeckStateView };
  /** A deck, whole; without `deck_id` the one that the agent works with. `currency` is `usd`, `eur` or `tix`. */
  "GET /deck/state": { path: never; query: "deck_id" | "citizen" | "currency"; body: undefined; answer: DeckStateView };
  /** Takes a revision back, also one that took back another. Lines of a proposal that it took are open again. */
  "POST /deck/undo": { path: never; query: never; body: DeckUndoBody; answer: DeckStateView };
  /** Dreams, the newest first. */
  "GET /dreams": { path: never; query: "citizen" | "limit" | "cursor"; body: undefined; answer: List<DreamView> };
  /** One dream, by its name in the list. */
  "GET /dreams/{filename}": { path: "filename"; query: "citizen"; body: undefined; answer: DreamText };
  /** Takes a dream out of the list. Its line stays in the ledger. */
  "DELETE /dreams/{filename}": { path: "filename"; query: "citizen" | "reason"; body: undefined; answer: undefined };
  /** Epochs, the newest first. */
  "GET /epochs": { path: never; query: "citizen" | "limit" | "cursor" | "thoughts"; body: undefined; answer: List<EpochView> };
  /** One epoch. */
  "GET /epochs/{id}": { path: "id"; query: "thoughts" | "context"; body: undefined; answer: EpochView };
  /** Ends an epoch, waiting or running, without a reply. */
  "POST /epochs/{id}/abort": { path: "id"; query: never; body: AbortBody; answer: EpochView };
  /** Takes an epoch that ended without a reply off the list of what needs a person. */
  "POST /epochs/{id}/dismiss": { path: "id"; query: never; body: undefined; answer: undefined };
  /** Asks an epoch's stimulus again, as a new epoch. */
  "POST /epochs/{id}/fork": { path: "id"; query: never; body: ForkBody; answer: ForkedView };
  /** Follows the ledger: `id:` is the sequence, `event:` the kind, `data:` the event as in the ledger. With `deltas`, what is in no ledger goes in between without an `id:`: `turn.delta` (a piece of a growing answer) and `tool.progress` (`ToolProgressView`). */
  "GET /events": { path: never; query: "citizen" | "kinds" | "after" | "thoughts" | "deltas"; body: undefined; answer: Json };
  /** Entries that were asked for, newest first: `{items, next}`; all conditions hold together, `tag` with commas. */
  "GET /evidence": { path: never; query: "author" | "subject" | "subject_type" | "subject_id" | "type" | "claim_type" | "tag" | "tags" | "session_id" | "session" | "since" | "until" | "ephemeral" | "limit" | "cursor"; body: undefined; answer: List<EvidenceView> };
  /** Records an entry and answers with it. */
  "POST /evidence": { path: never; query: never; body: EvidenceBody; answer: EvidenceView };
  /** Changes, the newest first: all that have not ended, those in force, and the newest of the others. */
  "GET /evolutions": { path: never; query: "citizen" | "state" | "limit" | "cursor"; body: undefined; answer: List<EvolutionView> };
  /** Proposes a change. It is durable when this answers, and tried as soon as the agent's earlier ones have ended. */
  "POST /evolutions": { path: never; query: never; body: EvolutionBody; answer: EvolutionView };
  /** Searches: the last of each agent, as far as it is. */
  "GET /evolutions/search": { path: never; query: "citizen"; body: undefined; answer: List<RankingSearchView> };
  /** Starts a search. It is durable when this answers; after a stop of the keeper it goes on. */
  "POST /evolutions/search": { path: never; query: never; body: RankingSearchBody; answer: RankingSearchView };
  /** Stops a search; what it found is not proposed. */
  "POST /evolutions/search/stop": { path: never; query: never; body: RankingSearchStopBody; answer: RankingSearchView };
  /** One change: its code, its story, and what was measured of it. */
  "GET /evolutions/{id}": { path: "id"; query: never; body: undefined; answer: EvolutionDetailView };
  /** The report of a change, made from the ledger alone: the same bytes whenever it is asked for, until the change moves on. */
  "GET /evolutions/{id}/report": { path: "id"; query: never; body: undefined; answer: EvolutionReportView };
  /** Answers a change: `approve` or `reject` one that waits for that, `rollback` one that is in force, `abort` one that is not. */
  "POST /evolutions/{id}/{action}": { path: "id" | "action"; query: never; body: EvolutionAnswerBody; answer: EvolutionView };
  /** 200 where the keeper is healthy, else 503, with the reason. */
  "GET /health": { path: never; query: never; body: undefined; answer: HealthView };
  /** The identity in force, or an earlier version of it. */
  "GET /identity": { path: never; query: "citizen" | "version"; body: undefined; answer: IdentityView };
  /** Writes a new version. An accident (empty, cut, without a heading) is refused unless forced; all versions are kept. */
  "POST /identity": { path: never; query: "citizen"; body: IdentityBody; answer: IdentityView };
  /** What two versions differ in; without `to`, up to the one in force. */
  "GET /identity/diff": { path: never; query: "citizen" | "from" | "to"; body: undefined; answer: DiffView };
  /** The version that waits for a person, if one does. */
  "GET /identity/proposals": { path: never; query: "citizen"; body: undefined; answer: List<ProposalView> };
  /** Decides on the version that waits. An approved one is in force when this answers. */
  "POST /identity/proposals/{id}": { path: "id"; query: never; body: ReviewBody; answer: ReviewedView };
  /** Brings an earlier version back, as a new version. */
  "POST /identity/restore": { path: never; query: never; body: RestoreBody; answer: IdentityView };
  /** All versions, the newest first. */
  "GET /identity/versions": { path: never; query: "citizen" | "limit" | "cursor"; body: undefined; answer: List<VersionView> };
  /** Facts in force, the newest first; with `?q=` those that match, with `?history=1` those that hold no longer too. */
  "GET /knowledge": { path: never; query: "citizen" | "q" | "history" | "limit" | "cursor"; body: undefined; answer: List<FactView> };
  /** Remembers a fact that the caller vouches for. */
  "POST /knowledge": { path: never; query: never; body: FactBody; answer: FactView };
  /** Facts that wait for a person, the oldest first. */
  "GET /knowledge/proposals": { path: never; query: "citizen"; body: undefined; answer: List<WaitingFactView> };
  /** Decides on a fact that waits. An approved one is remembered when this answers, and a person vouches for it. */
  "POST /knowledge/proposals/{id}": { path: "id"; query: never; body: FactReviewBody; answer: ReviewedFactView };
  /** Takes a fact back, with what it took the place of and what was said of it. The lines stay in the ledger. */
  "DELETE /knowledge/{fact_id}": { path: "fact_id"; query: "citizen" | "reason"; body: undefined; answer: undefined };
  /** Reads any place: `before` an event the newest first, `after` one the oldest first (with `before` as the end), else from the newest. */
  "GET /ledger": { path: never; query: "before" | "after" | "limit" | "citizen" | "kinds" | "epoch" | "q" | "thoughts"; body: undefined; answer: LedgerPage };
  /** Ends the short-term window and seals the segment; after the open epoch, or at once with `force`. */
  "POST /management/reset": { path: never; query: never; body: ResetBody; answer: ResetView };
  /** An agent's sleep: the running one and the last one. */
  "GET /management/sleep": { path: never; query: "citizen"; body: undefined; answer: SleepView };
  /** Lets an agent sleep, after its open epoch: answers when the beginning is durable. Its progress is in `/events` and under `GET /management/sleep`. */
  "POST /management/sleep": { path: never; query: never; body: SleepBody; answer: SleepBegunView };
  /** What servers ask, the oldest first. For a minute after this request by somebody who may answer, a person counts as present to do so. */
  "GET /mcp/questions": { path: never; query: "citizen" | "limit" | "cursor"; body: undefined; answer: List<McpQuestionView> };
  /** Answers. It is durable before the server gets it; one that is answered already, or no longer asked, is a conflict. */
  "POST /mcp/questions/{id}/answer": { path: "id"; query: never; body: AnswerBody; answer: AnsweredView };
  /** Reads `[[mcp]]` of the file again: servers that are new there are started, those that are gone are ended, those that changed are ended and started anew. No other server is touched, and nothing else of the file counts before the next start. */
  "POST /mcp/reload": { path: never; query: never; body: undefined; answer: McpReloadView };
  /** The servers of the configuration, in its order. */
  "GET /mcp/servers": { path: never; query: never; body: undefined; answer: List<McpServerView> };
  /** Accepts tools as they were shown: they are offered from then on. One that changed again since is refused with all others. */
  "POST /mcp/servers/{id}/accept": { path: "id"; query: never; body: AcceptToolsBody; answer: McpServerView };
  /** What is played, what is to be played, and what plays it. */
  "GET /media-status": { path: never; query: never; body: undefined; answer: MediaStatusView };
  /** Takes a matter back: facts, graph, recall, prompts, sleep and dreams know it no more. The lines stay in the ledger; `abide memory erase` removes them. An administrator forgets for anybody, everybody else what they said themselves. */
  "POST /memory/forget": { path: never; query: never; body: ForgetBody; answer: ForgottenView };
  /** Edges, the newest first; with `?node=` those from or to it, with `?closed=1` closed ones too. */
  "GET /memory/graph/edges": { path: never; query: "citizen" | "node" | "edge" | "closed" | "limit" | "cursor"; body: undefined; answer: List<EdgeView> };
  /** Records an edge: `{citizen?, from, edge, to, dependency_type?, valid_from?}`. */
  "POST /memory/graph/edges": { path: never; query: never; body: { [key: string]: Json }; answer: SeededView };
  /** Closes an edge: `?from=&edge=&to=`. */
  "DELETE /memory/graph/edges": { path: never; query: "citizen" | "from" | "edge" | "to" | "reason"; body: undefined; answer: undefined };
  /** All that was recorded and is in force, as JSON Lines: a seed for another agent or another day. */
  "GET /memory/graph/export": { path: never; query: "citizen"; body: undefined; answer: ExportView };
  /** Nodes, the newest first; with `?closed=1` closed versions too. */
  "GET /memory/graph/nodes": { path: never; query: "citizen" | "type" | "closed" | "limit" | "cursor"; body: undefined; answer: List<NodeView> };
  /** Records a node or a new version of one: `{citizen?, node_id, type, …fields, valid_from?}`. */
  "POST /memory/graph/nodes": { path: never; query: never; body: { [key: string]: Json }; answer: SeededView };
  /** A node: the version in force, all versions, its edges. */
  "GET /memory/graph/nodes/{id}": { path: "id"; query: "citizen"; body: undefined; answer: NodeDetail };
  /** Closes a node; its edges hold no longer either. Its versions stay. */
  "DELETE /memory/graph/nodes/{id}": { path: "id"; query: "citizen" | "reason"; body: undefined; answer: undefined };
  /** Records many nodes and edges in one batch: all of them or, where a line does not fit, none. */
  "POST /memory/graph/seed": { path: never; query: never; body: SeedBody; answer: SeededView };
  /** Asks one of the eight queries. What cannot be asked or answered is `failed` with its reason, never `empty`. */
  "POST /memory/query": { path: never; query: never; body: QueryBody; answer: QueryView };
  /** Searches what was said and what is known, by words and, where an embedder is there, by meaning. */
  "POST /memory/search": { path: never; query: never; body: SearchBody; answer: SearchView };
  /** Counters and gauges. */
  "GET /metrics": { path: never; query: never; body: undefined; answer: Json };
  /** The albums of the library, in the order of their ids. */
  "GET /music/albums": { path: never; query: "limit" | "cursor"; body: undefined; answer: List<AlbumView> };
  /** A cover. One of the same digest never changes. */
  "GET /music/covers/{digest}": { path: "digest"; query: never; body: undefined; answer: Json };
  /** The tracks of the library: those that match all words of `q`, those of an `album`, or all. A page has 200 at most, and fewer where files could not be read. */
  "GET /music/library": { path: never; query: "q" | "album" | "limit" | "cursor"; body: undefined; answer: LibraryPageView };
  /** All playlists. */
  "GET /music/playlists": { path: never; query: "limit" | "cursor"; body: undefined; answer: List<PlaylistItemView> };
  /** Makes a playlist: of tracks, or out of an `.m3u` file whose tracks the library has. */
  "POST /music/playlists": { path: never; query: never; body: PlaylistCreateBody; answer: PlaylistView };
  /** A playlist, whole. */
  "GET /music/playlists/{id}": { path: "id"; query: never; body: undefined; answer: PlaylistView };
  /** Deletes a playlist. */
  "DELETE /music/playlists/{id}": { path: "id"; query: never; body: undefined; answer: undefined };
  /** Changes a playlist; all of it or nothing. */
  "PATCH /music/playlists/{id}": { path: "id"; query: never; body: PlaylistChangeBody; answer: PlaylistView };
  /** A playlist as an `.m3u8` file, with the paths of its tracks on the keeper's machine. Tracks that no file has any more are left out. */
  "GET /music/playlists/{id}/m3u": { path: "id"; query: never; body: undefined; answer: Json };
  /** Starts a scan of the library; one that runs already goes on. 409 where no folder is configured. */
  "POST /music/scan": { path: never; query: never; body: MusicScanBody; answer: LibraryScanView };
  /** This interface, as OpenAPI 3.1. */
  "GET /openapi.json": { path: never; query: never; body: undefined; answer: { [key: string]: Json } };
  /** The plain page, which is always there. */
  "GET /plain": { path: never; query: never; body: undefined; answer: Json };
  /** 200 when stimuli are accepted, else 503. */
  "GET /ready": { path: never; query: never; body: undefined; answer: ReadyView };
  /** Says who is signed in. */
  "GET /session": { path: never; query: never; body: undefined; answer: SessionView };
  /** Exchanges a code for a cookie. */
  "POST /session": { path: never; query: never; body: CodeBody; answer: undefined };
  /** Signs the browser out: its cookie and its open streams end. */
  "DELETE /session": { path: never; query: never; body: undefined; answer: undefined };
  /** Makes a link that signs a browser in as the caller: what it opens ends with the caller's token. */
  "POST /session/links": { path: never; query: never; body: undefined; answer: LinkView };
  /** The state at one sequence number. */
  "GET /snapshot": { path: never; query: never; body: undefined; answer: SnapshotView };
  /** Accepts a stimulus: the full envelope, or a message. Answers when it is durable; with `?wait=1` when it is answered. */
  "POST /start-epoch": { path: never; query: "wait" | "if_idle" | "thoughts"; body: ShortStimulus; answer: EpochView | AcceptedView };
  /** Runs commands. What they write or change is durable when this answers; what came before a mistake stays. */
  "POST /stdout": { path: never; query: never; body: CommandBody; answer: OutputView };
  /** Who may read whose log, besides everybody its own. */
  "GET /stdout/grants": { path: never; query: "limit" | "cursor"; body: undefined; answer: List<Grant> };
  /** Lets one read another's log. */
  "POST /stdout/grants": { path: never; query: never; body: Grant; answer: Grant };
  /** Lets one read another's log no more. */
  "DELETE /stdout/grants": { path: never; query: never; body: Grant; answer: undefined };
  /** The tools that there are, in the order of their names, with what holds of every call of each. */
  "GET /tools": { path: never; query: "citizen" | "limit" | "cursor"; body: undefined; answer: List<AgentToolView> };
  /** Tries a call as the agent would make it, outside of any epoch. One that changes something is judged and not run. */
  "POST /tools/trial": { path: never; query: never; body: TrialBody; answer: TrialView };
  /** Sets what agents may do with a tool, from the next call on. What abide.toml denies stays denied: that is refused. */
  "PUT /tools/{name}/policy": { path: "name"; query: never; body: ToolPolicyBody; answer: ToolPolicyView };
  /** The program and its version. */
  "GET /version": { path: never; query: never; body: undefined; answer: ProgramView };
  /** Its state at the newest scan. */
  "GET /watchdog": { path: never; query: never; body: undefined; answer: WatchdogView };
  /** What happened since a moment (or for a length of time until now, such as `8h`), as numbers and as text. */
  "GET /watchdog/report": { path: never; query: "since"; body: undefined; answer: ReportView };
  /** Gives it a command: `scan`, `pause`, `resume`, `silence`, `unsilence`, `ack` or `test-page`. */
  "POST /watchdog/{action}": { path: "action"; query: never; body: WordBody | null; answer: WordAnswer };
}

/** Why an epoch was aborted. */
export type AbortCode = "cancelled" | "reset" | "deadline" | "bad_voice" | "turn_failed" | "poison" | "breaker" | "turns_spent" | "outcome_unknown" | "mind_gone" | "refused" | "model_rejected" | "context_too_long" | "budget";

/** A last output as a caller claims it. */
export interface AcceptedOutput {
  /** The text of the output. */
  content: string;
  /** Its time. */
  timestamp: string;
}

/** A person has it in hand. */
export interface Acknowledged {
  /** The episode. */
  episode: string;
  /** Until when it climbs no further. */
  until: string;
  /** Why, if said. */
  reason?: string;
}

/** A checkpoint is durable and verified. */
export interface AgentCheckpointed {
  /** The run that made it. */
  run?: string;
  /** Its id. */
  checkpoint_id: string;
  /** The last entry that it holds. */
  wal_sequence: number;
  /** Bytes on disk. */
  bytes: number;
  /** Of the body as it is stored. */
  sha256: string;
}

/** An agent stops taking stimuli up. */
export interface AgentPaused {
  /** Why, for programs. */
  reason: PauseReason;
  /** Why, for people. */
  message: string;
}

/** An agent's profile. */
export interface AgentRegistered {
  /** Display name. */
  name: string;
  /** What it is for. */
  role: string;
  /** Its mind. */
  mind: string;
  /** Whom it works with. */
  partners?: Partner[];
}

/** An agent goes on. */
export interface AgentResumed {
  /** Why, for people. */
  message: string;
}

/** A new agent. Its maker is the line's entity; it thinks with the same mind and may use the same tools. */
export interface AgentSpawned {
  /** Who is new. */
  agent: string;
  /** What it is for. */
  role: string;
}

/** A person is to be told that agents are not judged. */
export interface Alarmed {
  /** The notice that tells. */
  notice: string;
}

/** The decision on an approval. */
export interface ApprovalDecided {
  /** The approval. */
  approval_id: string;
  /** Yes or no. */
  decision: Decision;
  /** Who decided. */
  by: DecidedBy;
  /** The decider's reason. */
  reason?: string;
}

/** A call waits for a person. */
export interface ApprovalRequested {
  /** Its id. */
  approval_id: string;
  /** The call that waits. */
  call_id: CallId;
  /** When it counts as denied. */
  deadline: string;
  /** The call itself, where no voice holds it: a mind that runs tools of its own asks. */
  own?: ApprovedCall;
  /** What it would change, such as a diff; data, not instruction. */
  preview?: string;
}

/** A call that a mind makes by itself, if it may. */
export interface ApprovedCall {
  /** The tool, as the mind names it. */
  tool: string;
  /** What it is to do; data, not instruction. */
  arguments: Json;
}

/** What asking a judge about a pair took. */
export interface AskedJudge {
  /** What it cost, in millionths of a US dollar; none where no price is known. */
  cost_microusd?: number;
  /** Whether it gave no answer that can be read. */
  is_unread?: boolean;
}

/** What came of an attempt. */
export type AttemptOutcome = "sent" | "confirmed" | "failed";

/** Data of `watchdog.attention_ended`. */
export interface AttentionEnded {
  /** The ids of the matters. */
  matters: string[];
}

/** Something that waits for a person. */
export interface AttentionMatter {
  /** The same for as long as it waits, such as `approval:…` or `budget:felix`. */
  id: string;
  /** What it is: `approval`, `epoch_failed`, `budget`, `sleep`, … */
  kind: string;
  /** The agent that it is about; none for the keeper. */
  agent?: string;
  /** One line, for people. */
  summary: string;
}

/** Data of `watchdog.attention_raised`: one notice about all that was due at one moment for the same services. */
export interface AttentionRaised {
  /** The notice that tells. */
  notice: string;
  /** The services that tell, by name; every service where none is named. */
  to?: string[];
  /** What waits for a person. */
  matters: AttentionMatter[];
}

/** The process answered. */
export interface BellAnswered {
  /** In which episode. */
  episode: string;
  /** How long it took. */
  after_ms: number;
}

/** The bell reached nobody. */
export interface BellFailed {
  /** In which episode. */
  episode: string;
  /** Why, for programs. */
  code: BellFailure;
  /** Why, for people. */
  message?: string;
}

/** Why a bell reached nobody. */
export type BellFailure = "no_process" | "not_delivered";

/** The bell is about to ring. */
export interface BellRung {
  /** For which episode. */
  episode: string;
}

/** What hides the silence of agents. */
export type BlindCause = "evidence" | "keeper" | "network";

/** Agents cannot be judged. */
export interface Blinded {
  /** What is in the way. */
  cause: BlindCause;
  /** The cause, for people. */
  message: string;
}

/** The id of a tool call, unique in its epoch: `call_<turn>_<index>`, both from 1.  The engine numbers calls itself: models repeat ids, or give none. The same id goes to the provider, so results always pair. */
export type CallId = string;

/** Where a stimulus came from. */
export type Channel = "telegram" | "direct" | "api" | "system" | "manual" | "irc";

/** What became of an answer. */
export interface ChannelAnswered {
  /** The kind of place. */
  channel: Channel;
  /** How many it was sent to; 0 where nobody came to hear it in time. */
  people: number;
  /** Whether only the remark was sent that the answer may have been. */
  maybe_sent?: boolean;
}

/** The channel on which the stimulus of an epoch came, and where its answer is sent. */
export interface ChannelAsked {
  /** The kind of place. */
  channel: Channel;
  /** The network; none for the built-in one. */
  network?: string;
  /** The room; none where the person was alone with the agent. */
  room?: string;
  /** Who asked. */
  account: string;
  /** By which name. */
  nick: string;
  /** The line that asked. */
  msgid?: string;
  /** Of a question that was refused: how many lines it had. */
  refused_lines?: number;
}

/** A group that has another number. */
export interface ChannelChatMoved {
  /** The kind of place. */
  channel: Channel;
  /** Its old number. */
  from: number;
  /** Its new one. */
  to: number;
}

/** What an agent hears in a room. */
export interface ChannelGateMoved {
  /** The kind of place. */
  channel: Channel;
  /** The network; none for the built-in one. */
  network?: string;
  /** The room. */
  room: string;
  /** Whether the agent hears everything there. */
  is_open: boolean;
}

/** An agent came into a room. */
export interface ChannelJoined {
  /** The kind of place. */
  channel: Channel;
  /** The network; none for the built-in one. */
  network?: string;
  /** The room. */
  room: string;
}

/** An answer that may have been said. */
export interface ChannelMaybeSent {
  /** The kind of place. */
  channel: Channel;
}

/** An agent left a room. */
export interface ChannelParted {
  /** The kind of place. */
  channel: Channel;
  /** The network; none for the built-in one. */
  network?: string;
  /** The room. */
  room: string;
}

/** How far somebody has read. */
export interface ChannelReadMarked {
  /** The kind of place. */
  channel: Channel;
  /** The room, or the name of the other side of a conversation. */
  target: string;
  /** Who read. */
  account: string;
  /** All that was said up to this moment. */
  at: string;
}

/** A line on a channel. */
export interface ChannelSaid {
  /** The kind of place. */
  channel: Channel;
  /** The network; none for the built-in one. */
  network?: string;
  /** The room, such as `#abide`; none where an agent and one person were alone. */
  room?: string;
  /** The agent that was alone with the person. */
  with?: string;
  /** The agent that spoke; none where a person did. */
  agent?: string;
  /** The account of the person that spoke, or was alone with the agent; none of a guest. */
  account?: string;
  /** The name that it was said under. */
  nick: string;
  /** In which form. */
  form: SpokenForm;
  /** The words, without formatting. */
  text: string;
  /** What the network knows it by; empty where it has no ids. */
  msgid?: string;
  /** When it was said. */
  at: string;
  /** The relay that carried it here, where one says so. */
  relay?: string;
}

/** An answer about to leave. */
export interface ChannelSending {
  /** The kind of place. */
  channel: Channel;
  /** Which part of it, counted from 0, where each leaves by itself; none where all of it leaves. */
  part?: number;
}

/** What a room is about. */
export interface ChannelTopicSet {
  /** The kind of place. */
  channel: Channel;
  /** The room. */
  room: string;
  /** The topic; empty where there is none any more. */
  topic: string;
  /** The name of who set it. */
  nick: string;
}

/** An answer that did not leave. */
export interface ChannelUnsent {
  /** The kind of place. */
  channel: Channel;
}

/** The agent itself, or another one that it knows. */
export interface Citizen {
  /** Display name. */
  name: string;
  /** What it is for. */
  role: string;
  /** What it works on. */
  focus_area: string;
  /** Whether it is still about. */
  active: boolean;
}

/** Those who had been told of something were told that it is over or in hand, or could not be. */
export interface Closed {
  /** The notice that tells. */
  notice: string;
  /** `resolved`, `sighted` or `acknowledged`. */
  kind: string;
  /** The episodes that it is about. */
  episodes?: string[];
  /** What each service made of it, in order; one that failed was tried again. */
  attempts: ServiceAttempt[];
}

/** A piece of code. */
export interface CodeReference {
  /** Where it lies. */
  file_path: string;
  /** What it does. */
  description: string;
  /** How hard it is. */
  complexity: string;
  /** What it needs. */
  dependencies: string[];
}

/** What one of the two did with a request. */
export interface ComparedLeg {
  /** Why there is no answer, or none that counts. */
  error?: string;
  /** Of an error: whether it came again when the request was asked twice more. */
  repeats?: boolean;
  /** Wall time in microseconds. */
  wall_us: number;
  /** Processor time in microseconds. */
  cpu_us: number;
  /** Memory in bytes. */
  memory_bytes: number;
  /** Tokens in and out; of a model alone. */
  tokens?: number;
  /** Cost in millionths of a US dollar; of a model alone. */
  cost_microusd?: number;
  /** Names of the tools that were called, in their order; of a mind alone. */
  calls?: string[];
  /** What it replied, shortened; of a mind alone. */
  answer?: string;
  /** How often it was asked, where that was more than once: the measurements are the medians. */
  runs?: number;
  /** Of the code in force, where it was asked once more to see how much it differs from itself: whether its answers agree. */
  again_agrees?: boolean;
  /** What a judge said of its answer beside the other's; of the candidate alone. */
  judged?: JudgedAnswer;
  /** What all that was asked for it cost, in millionths of a US dollar, where that was more than once. */
  spent_microusd?: number;
}

/** One request, answered by both. */
export interface ComparedPair {
  /** The request: the id of the epoch that it belongs to. */
  request: string;
  /** Whether the candidate was asked before the code in force. */
  candidate_first: boolean;
  /** What the code in force did. */
  main: ComparedLeg;
  /** What the candidate did. */
  candidate: ComparedLeg;
  /** Whether the answers agree; none where that cannot be said. */
  agrees?: boolean;
  /** The first thing in which they differ, for people. */
  divergence?: string;
  /** What asking a judge about both took; none where none was asked. */
  judge?: AskedJudge;
}

/** Something that binds. */
export interface Constraint {
  /** What kind: `deadline`, `budget`, …. */
  constraint_type: string;
  /** What it says. */
  description: string;
  /** How much it binds. */
  severity: Severity;
  /** Until when, as it was said. */
  deadline?: string;
  /** What follows if it is not kept. */
  impact: string;
  /** Whether it still binds. */
  status: ConstraintStatus;
}

/** Whether a constraint still binds. */
export type ConstraintStatus = "active" | "resolved" | "waived";

/** References that give an epoch's context again. */
export interface ContextAssembled {
  /** Version of the renderer that made the text. */
  renderer: number;
  /** The version of the identity that was shown; 0 where there is none. */
  identity: number;
  /** The exchanges that were shown. */
  history: HistoryWindow;
  /** What the Dreamer found; none in contexts of programs before it. */
  exploration?: Exploration;
  /** The agent's own entries that were shown, in the first epoch after a wake, a restart or a reset (decision 10). */
  own?: OwnEntries;
  /** What was shown of what people did with changes of decks that the agent proposed. */
  deck_notes?: DeckNotesShown;
  /** Who may be told what, as it was set then; none in contexts of programs before it, which told everybody all. */
  sharing?: Sharing;
  /** Estimated tokens by part. */
  tokens: ContextTokens;
  /** The zone in which times were shown, by its name; none in contexts of renderers before 5, which knew UTC alone. */
  time_zone?: string;
  /** The tools that were offered; none in contexts of renderers before 5. */
  tools?: OfferedTools;
  /** SHA-256 over the rendered texts, history and stimulus, hex. */
  sha256: string;
}

/** Estimated tokens by part. */
export interface ContextTokens {
  /** Of identity, rules and wishes; before renderer 5 of the context object too. */
  system: number;
  /** Of the context object. */
  object?: number;
  /** Of the history. */
  history: number;
  /** Of the stimulus. */
  stimulus: number;
}

/** A conversation that was had. */
export interface ConversationMemory {
  /** With whom; compared without case. */
  partner: string;
  /** What it was about. */
  topic: string;
  /** How many messages. */
  message_count: number;
  /** What was said that matters. */
  key_points: string[];
  /** How it felt. */
  emotional_tone: string;
  /** What came of it. */
  outcome: string;
  /** When it ended. */
  timestamp?: string;
}

/** Who decided. */
export type DecidedBy = "person" | "timeout" | "headless" | "epoch_ended" | "attempt_ended" | "configuration";

/** Yes or no. */
export type Decision = "approve" | "deny";

/** Who did something to a deck. */
export interface DeckAuthor {
  /** `person` or `agent`. */
  who: string;
  /** The name. */
  name: string;
}

/** What a person says of a deck's strength. */
export interface DeckBracketSet {
  /** The deck. */
  deck_id: string;
  /** Who. */
  by: DeckAuthor;
  /** 1 to 5; none leaves it to the estimate. */
  bracket?: number;
}

/** A deck that begins. Its revision is 1. */
export interface DeckCreated {
  /** Names the deck. */
  deck_id: string;
  /** Who made it. */
  by: DeckAuthor;
  /** What is in it. */
  deck: Json;
  /** `deck_id` and `rev` of the deck that it is a fork of. */
  forked_from?: Json;
}

/** A change of a person's. */
export interface DeckEdited {
  /** The deck. */
  deck_id: string;
  /** The revision that this makes. */
  rev: number;
  /** Who. */
  by: DeckAuthor;
  /** What was done, a line each. */
  ops: Json[];
  /** What changed, with what was before. */
  changes: Json[];
}

/** An open line that says something else now. */
export interface DeckLineEdited {
  /** The deck. */
  deck_id: string;
  /** Who. */
  by: DeckAuthor;
  /** Of which proposal. */
  proposal_id: string;
  /** Which line, from 0. */
  line: number;
  /** What it says now. */
  op: Json;
}

/** Lines that a person does not want. */
export interface DeckLinesRefused {
  /** The deck. */
  deck_id: string;
  /** Who. */
  by: DeckAuthor;
  /** Of which proposal. */
  proposal_id: string;
  /** Which lines, from 0. */
  lines: number[];
  /** Why, for the proposer. */
  reason: string;
}

/** Refused lines that are open again. */
export interface DeckLinesReopened {
  /** The deck. */
  deck_id: string;
  /** Who. */
  by: DeckAuthor;
  /** Of which proposal. */
  proposal_id: string;
  /** Which lines, from 0. */
  lines: number[];
}

/** Lines that a person took. */
export interface DeckLinesTaken {
  /** The deck. */
  deck_id: string;
  /** The revision that this makes. */
  rev: number;
  /** Who. */
  by: DeckAuthor;
  /** Of which proposal. */
  proposal_id: string;
  /** Which lines, from 0. */
  lines: number[];
  /** What changed, with what was before. */
  changes: Json[];
}

/** A deck that an agent works with from now on. */
export interface DeckLoaded {
  /** The deck. */
  deck_id: string;
  /** Who loaded it. */
  by: DeckAuthor;
}

/** The newest notes about changes of decks that an agent proposed, up to a point. */
export interface DeckNotesShown {
  /** The event of the newest one shown. */
  through_seq: number;
  /** How many are shown. */
  notes: number;
}

/** Changes that somebody proposed. */
export interface DeckProposed {
  /** The deck. */
  deck_id: string;
  /** Names the proposal. */
  proposal_id: string;
  /** Who. */
  by: DeckAuthor;
  /** The revision that the proposer saw. */
  deck_rev: number;
  /** Why. */
  reason: string;
  /** What is proposed, a line each. */
  ops: Json[];
}

/** A revision that was taken back. */
export interface DeckUndone {
  /** The deck. */
  deck_id: string;
  /** The revision that this makes. */
  rev: number;
  /** Who. */
  by: DeckAuthor;
  /** The revision that is taken back. */
  undone: number;
  /** What changed, with what was before. */
  changes: Json[];
}

/** A dream taken out of the list. */
export interface DreamForgotten {
  /** The dream. */
  filename: string;
  /** Why, if said. */
  reason?: string;
}

/** A dream, whole. */
export interface DreamWritten {
  /** `<date>-<short name>.md`, unique in the agent's list. */
  filename: string;
  /** Its first line, for lists. */
  title: string;
  /** Markdown. */
  content: string;
  /** The sleep that wrote it. */
  sleep_id: string;
}

/** An edge that holds no longer. */
export interface EdgeClosed {
  /** Where it begins. */
  from: string;
  /** Its type. */
  edge: EdgeKind;
  /** Where it leads. */
  to: string;
  /** Why, if said. */
  reason?: string;
}

/** The type of an edge, from one node to another. */
export type EdgeKind = "HAS_PARTNERSHIP" | "HAS_CONVERSATION" | "WITH_PERSON" | "HAS_TECHNICAL_CONTEXT" | "HAS_EMOTIONAL_STATE" | "KNOWS_STRATEGY" | "REFERENCES_CODE" | "LEARNED_FROM_FAILURE" | "SUBJECT_TO_CONSTRAINT" | "DEPENDS_ON" | "ABOUT_TOPIC";

/** An edge of the graph. There is at most one of a type between two nodes. */
export interface EdgeRecorded {
  /** Where it begins. */
  from: string;
  /** Its type. */
  edge: EdgeKind;
  /** Where it leads. */
  to: string;
  /** Of `DEPENDS_ON`: in which way. */
  dependency_type?: string;
  /** Since when, where that is not the line's time. */
  valid_from?: string;
}

/** What running a tool changes. It decides how a crash is survived (architecture, section 6). */
export type EffectClass = "read" | "state" | "world";

/** How something felt. */
export interface EmotionalState {
  /** Its name. */
  emotion: string;
  /** 0 to 1. */
  intensity: number;
  /** In what situation. */
  context: string;
  /** What stands against it. */
  counterbalance: string;
  /** What calls it up. */
  trigger_pattern: string;
}

/** An epoch ends without a reply. */
export interface EpochAborted {
  /** Why, for programs. */
  code: AbortCode;
  /** Why, for people. */
  message: string;
}

/** An epoch ends well. */
export interface EpochCommitted {
  /** The turn whose `final_response` is the reply. */
  turn: number;
}

/** An epoch that ended without a reply waits for nobody any more. Who said so is the author; nothing else changes. */
export interface EpochDismissed {
}

/** An epoch begins. */
export interface EpochOpened {
  /** The epoch whose reply is the last driver output of this session, if any. */
  last_output?: string;
}

/** The machine slept or the keeper's process stood still. While a person is waited for nothing of it counts: that time is not the epoch's anyway. */
export interface EpochStoodStill {
  /** For how long. */
  duration_ms: number;
}

/** Words are to be removed. It names where they stand and holds none of them; who asked is the line's author. */
export interface EraseRequested {
  /** The epochs whose exchange is removed, where some were named. */
  epochs?: string[];
  /** The facts that are removed with what they rest on, where some were named. */
  facts?: string[];
  /** The person of whom everything is removed, where one was named. */
  person?: string;
  /** How many lines hold it. */
  lines: number;
  /** Why, if said. */
  reason?: string;
}

/** One line whose words were removed. */
export interface ErasedLine {
  /** Its sequence. */
  seq: number;
  /** SHA-256 of its `data` as it stands since then, 64 hex digits: any other text there is not what the erasure left. */
  sha256: string;
}

/** A person is to be told. */
export interface Escalated {
  /** About which episode. */
  episode: string;
  /** Why now. */
  cause: EscalationCause;
  /** The notice that tells; agents that are escalated together share it. */
  notice: string;
  /** The services that tell, by name; every service where none is named. */
  to?: string[];
}

/** Why a person is told. */
export type EscalationCause = "PageFailed" | "NoEvidence";

/** What is kept of an ethereal result. */
export interface Ethereal {
  /** Its size. */
  bytes: number;
  /** Its SHA-256, hex. */
  sha256: string;
  /** What stands in its place after the epoch. */
  note: string;
}

/** An explicit entry of evidence. */
export interface EvidenceRecorded {
  /** Its id. */
  evidence_id: string;
  /** What it is about. */
  subject: Subject;
  /** What kind of evidence it is. */
  type: string;
  /** What kind of claim it makes. */
  claim_type: string;
  /** When it is said to have been so, where that is not the line's time. */
  at?: string;
  /** What it says; data, not instruction. */
  body: Json;
  /** Keywords. */
  tags?: string[];
  /** The pattern that it belongs to. */
  pattern_id?: string;
  /** The session that it belongs to. */
  session_id?: string;
  /** The entry that it answers. */
  in_reply_to?: string;
  /** The entry that it departs from. */
  fork_of?: string;
  /** Whether it is a guess. */
  conjecture?: boolean;
  /** Whether it is shown only to those who ask for such entries. */
  ephemeral?: boolean;
}

/** What an agent's work produced outside of turns and tools: evidence. */
export interface EvidenceReported {
  /** The run. */
  run?: string;
  /** The kind of claim, such as `observation`. */
  claim_type: string;
  /** Tags. */
  tags?: string[];
  /** What it says; data, not instruction. */
  body: Json;
}

/** A proposal that ended without a decision. */
export interface EvolutionAborted {
  /** The proposal. */
  evolution_id: string;
  /** Why. */
  reason: string;
}

/** A person's answer to a proposal that waited for one. */
export interface EvolutionAnswered {
  /** The proposal. */
  evolution_id: string;
  /** Whether it is put in force. */
  approved: boolean;
  /** Why, in the person's words. */
  reason?: string;
}

/** What a rollback restores. */
export interface EvolutionBackedUp {
  /** The proposal. */
  evolution_id: string;
  /** The proposal whose code is in force now; none: the base module. */
  previous?: string;
  /** The checkpoint of the process's private state; none where the code has no state of its own. */
  checkpoint_id?: string;
}

/** From which state a trial begins. */
export interface EvolutionCheckpointed {
  /** The proposal. */
  evolution_id: string;
  /** The record up to here is what it is tried on. */
  record_seq: number;
  /** The checkpoint of the process; none where the code has no state of its own. */
  checkpoint_id?: string;
}

/** What the code in force and the candidate did with some requests. */
export interface EvolutionCompared {
  /** The proposal. */
  evolution_id: string;
  /** The pairs, in the order in which they were made. */
  pairs: ComparedPair[];
}

/** What came of a proposal by its measurements. */
export interface EvolutionDecided {
  /** The proposal. */
  evolution_id: string;
  /** The decision. */
  decision: EvolutionDecision;
  /** Why it was decided so. */
  reason: string;
  /** Relative changes that were measured; negative is less. */
  measured?: { [key: string]: number };
  /** Whether a person must say yes before it is put in force. */
  needs_person?: boolean;
}

/** What can come of a proposal. */
export type EvolutionDecision = "promoted" | "rejected" | "marginal" | "reported";

/** The candidate passed the watch. */
export interface EvolutionKept {
  /** The proposal. */
  evolution_id: string;
  /** Why. */
  reason: string;
}

/** A change that an agent or a person proposed. */
export interface EvolutionProposed {
  /** Names the proposal. */
  evolution_id: string;
  /** The run of the agent's process that made it; none where a person or a tool did. */
  run?: string;
  /** Why, in the proposer's words. */
  reason: string;
  /** What it would replace: `memory_system`, `tool_framework`, `dsl` or `mind`. */
  target: string;
  /** The code; data until it has passed every check. Empty for `mind`. */
  code: string;
  /** For `mind`: what would change, by `model`, `identity` and keys of the configuration. For `tool_framework` and `dsl`: their own `cases`. */
  change?: { [key: string]: Json };
  /** Relative changes that the proposer expects; negative is less. */
  expected?: { [key: string]: number };
  /** How it is tried; none: as the configuration says. */
  trial?: EvolutionTrial;
}

/** The candidate is loaded. */
export interface EvolutionReloaded {
  /** The proposal. */
  evolution_id: string;
  /** SHA-256 of what was loaded, hex: that of the proposal. */
  code_sha256: string;
  /** Of a hundred requests, how many it answers. */
  percent: number;
}

/** The code from before is in force again. */
export interface EvolutionRolledBack {
  /** The proposal that is taken back. */
  evolution_id: string;
  /** The proposal whose code is in force again; none: the base module. */
  restored?: string;
  /** Why. */
  reason: string;
}

/** A trial that begins. */
export interface EvolutionShadowStarted {
  /** The proposal. */
  evolution_id: string;
  /** Where chance comes from: which of the two is asked first, and the intervals that people see. */
  seed: number;
  /** How many requests there are. */
  requests: number;
  /** The how-manieth proposal for this target since the last one that was kept, from 1: later ones must be surer. */
  attempt: number;
}

/** The candidate answers a larger share. */
export interface EvolutionStageBegun {
  /** The proposal. */
  evolution_id: string;
  /** Of a hundred requests, how many it answers. */
  percent: number;
}

/** How a proposal is tried. */
export interface EvolutionTrial {
  /** On how many of the newest requests at most. */
  last: number;
  /** Whether it ends with the comparison: nothing is put in force. */
  only_compare: boolean;
  /** What the trial may cost, in millionths of a US dollar; none: nothing that costs. */
  budget_microusd?: number;
  /** How often each of two minds is asked each request; none: once. */
  repeat?: number;
  /** A model that says which of two replies is better. It decides nothing. */
  judge?: TrialJudge;
}

/** A proposal that passed all checks that need no trial. */
export interface EvolutionValidated {
  /** The proposal. */
  evolution_id: string;
  /** Of tools and commands: those that the agent did not have before. The record cannot say whether they are any good. */
  adds?: string[];
  /** SHA-256 of the code, hex. */
  code_sha256: string;
  /** What was found out about it: names that it defines, say. */
  notes?: string[];
}

/** Why a run ended. */
export type ExitReason = "exited" | "signalled" | "not_started" | "not_ready" | "silent" | "deadline" | "protocol" | "restore_failed" | "fatal" | "disk_limit" | "person" | "hibernated" | "shutdown" | "keeper_lost";

/** What the Dreamer found, by reference, lens by lens. A lens that is named nowhere looked and found nothing. */
export interface Exploration {
  /** What steered it, where that was not the plan: `model <name>`. */
  explorer?: string;
  /** How many steps it took. */
  steps: number;
  /** How many queries it asked. */
  queries: number;
  /** By lens, what was found and shown, the best first. */
  found?: { [key: string]: string[] };
  /** Lenses that could not look. */
  failed?: Lens[];
  /** Lenses that had no lead, or for which no time was left. */
  skipped?: Lens[];
  /** What the steering cost, where a model steered; in the first context of an epoch only. */
  usage?: UsageRecord;
}

/** A decision on a proposed fact. Who decided is the line's author. */
export interface FactDecided {
  /** The proposal. */
  proposal_id: string;
  /** Yes or no. */
  decision: Decision;
  /** Why, if said. */
  reason?: string;
}

/** A fact taken back. */
export interface FactForgotten {
  /** The fact. */
  fact_id: string;
  /** Why, if said. */
  reason?: string;
}

/** A fact that waits for a person. */
export interface FactProposed {
  /** Its id. */
  proposal_id: string;
  /** The fact as it would be remembered. */
  fact: FactRemembered;
  /** Why it waits, in words for people. */
  doubt: string;
  /** What was said in the exchanges that it names, cut. */
  said: string;
  /** The sleep that found it. */
  sleep_id: string;
}

/** A fact. Its source is the line's epoch, or the person who is the line's author. */
export interface FactRemembered {
  /** Its id. */
  fact_id: string;
  /** One statement. */
  content: string;
  /** `user`, `project` or `world`. */
  category: string;
  /** Free words. */
  tags?: string[];
  /** 0 to 1. */
  confidence: number;
  /** Who told it in an epoch: the sender of what the epoch answered. Outside epochs it is the line's author. */
  told_by?: string;
  /** Whether the mind that learnt it had text before it that no person vouches for. */
  untrusted?: boolean;
  /** The epochs that it was distilled from, where that is not the line's. */
  sources?: string[];
  /** The fact that it takes the place of: that one is closed, not overwritten. */
  supersedes?: string;
  /** Since when it holds, where that is not the line's time. */
  valid_from?: string;
}

/** An approach that did not work. */
export interface FailedAttempt {
  /** In what situation. */
  context: string;
  /** What was tried. */
  approach: string;
  /** Why it did not work. */
  why_failed: string;
  /** What to learn. */
  lesson_learned: string;
  /** When. */
  timestamp?: string;
}

/** Who says that something failed. */
export type FaultSource = "agent" | "protocol";

/** A run of committed epochs, from the oldest shown to the newest. */
export interface HistoryWindow {
  /** The oldest exchange shown; none where the history is empty. */
  from?: string;
  /** How many are shown. */
  epochs: number;
  /** How many since the last reset did not fit. */
  omitted?: number;
}

/** An idempotency key and the digest of the request that first used it. */
export interface Idempotency {
  /** The caller's key. */
  key: string;
  /** SHA-256 of the request's body, hex. */
  body_sha256: string;
}

/** A version of the identity document, whole. */
export interface IdentityChanged {
  /** From 1, rising by one. */
  version: number;
  /** The document, Markdown, first person. */
  content: string;
  /** Where it came from. */
  source: IdentitySource;
  /** The earlier version that it brings back, if it does. */
  restores?: number;
}

/** A decision on a proposed identity. Who decided is the line's author. */
export interface IdentityDecided {
  /** The proposal. */
  proposal_id: string;
  /** Yes or no. */
  decision: Decision;
  /** The number that it has as a version, where it was approved. */
  version?: number;
  /** Why, if said. */
  reason?: string;
}

/** A version of the identity that waits for a person, whole. */
export interface IdentityProposed {
  /** Its id. */
  proposal_id: string;
  /** The document, Markdown, first person. */
  content: string;
  /** The version that it was made from; it can be approved only while that one is in force. */
  based_on: number;
  /** The share of the document that would change, 0 to 1. */
  change: number;
  /** The sleep that made it; absent where it was found in `identity.md`, written by nobody knows whom. */
  sleep_id?: string;
}

/** Where a version of the identity came from. */
export type IdentitySource = "profile" | "person" | "file" | "sleep";

/** The outcome of a call within a call. */
export interface InnerToolFinished {
  /** The call whose tool asked. */
  call_id: CallId;
  /** The how-manieth it asked for. */
  n: number;
  /** How it ended. */
  outcome: Outcome;
  /** Its result; empty where it is not kept. */
  content?: string;
  /** Why the result is not kept, where it is not. */
  note?: string;
  /** How long it ran. */
  duration_ms: number;
}

/** A call that the body of a tool makes which the agent made for itself; no move of the epoch. */
export interface InnerToolRequested {
  /** The call whose tool asks. */
  call_id: CallId;
  /** The how-manieth it asks for in that call, from 1. */
  n: number;
  /** The tool that is asked for. */
  name: string;
  /** What it is asked. */
  arguments: Json;
  /** What running it changes. */
  effect: EffectClass;
}

/** What a judge says of an answer beside another one. */
export type JudgedAnswer = "better" | "worse" | "tie";

/** A keeper begins. */
export interface KeeperStarted {
  /** The program's version. */
  version: string;
  /** Whether an epoch without a reply stays a matter until it is asked again. Of an older keeper it stayed one only until the agent answered anything. */
  remembers_failures?: boolean;
}

/** A keeper ends. */
export interface KeeperStopped {
  /** Why the keeper stopped. */
  reason: string;
}

/** Lines whose words were removed. The chain from the first of them on was made anew. */
export interface LedgerErased {
  /** The request that it carries out, by its sequence. */
  requested_seq: number;
  /** Which part of the list this is, from 1. */
  part: number;
  /** How many parts there are. */
  parts: number;
  /** The lines, by sequence. */
  lines: ErasedLine[];
}

/** A way to look at the past, each with one of the eight queries; in the order of the plan. */
export type Lens = "relational" | "historical" | "technical" | "emotional" | "strategic" | "experiential" | "constraint" | "connective";

/** How a question ended. */
export type McpAnswer = "accepted" | "declined" | "expired" | "withdrawn";

/** How a question ended. */
export interface McpQuestionAnswered {
  /** The question. */
  question_id: string;
  /** How. */
  answer: McpAnswer;
}

/** What a server asks: the values of a form, or that somebody visits an address. */
export interface McpQuestionAsked {
  /** Its id. */
  question_id: string;
  /** The server, by its name in the configuration. */
  server: string;
  /** The agent that called; none where several calls of the server ran. */
  agent?: string;
  /** The epoch of the call. */
  epoch?: string;
  /** The call in which it asks. */
  call_id?: CallId;
  /** Its words, with everything hidden in them made visible. */
  message: string;
  /** The schema of the form; null where it asks for a visit. */
  schema?: Json;
  /** The address to visit, whole; none where it asks for a form. */
  url?: string;
  /** When nobody is waited for any more. */
  until: string;
}

/** A tool of a server, with all that a model reads of it. */
export interface McpToolAccepted {
  /** The server, by its name in the configuration. */
  server: string;
  /** The tool, by the server's own name. */
  tool: string;
  /** Its description, as the server sent it. */
  description: string;
  /** The schema of its arguments, as the server sent it. */
  schema: Json;
  /** Its hints (`annotations`), as the server sent them; null where it sent none. */
  hints?: Json;
}

/** Who did something to the music. */
export interface MediaAuthor {
  /** What that is. */
  who: MediaAuthorKind;
  /** The name. */
  name: string;
}

/** What somebody is who did something to the music. */
export type MediaAuthorKind = "person" | "agent" | "player";

/** A place in the queue or in a playlist. */
export interface MediaEntry {
  /** Its number, given once. */
  id: number;
  /** What the track is known by: 32 hexadecimal digits. */
  key: string;
  /** Its title. */
  title: string;
  /** Its artists. */
  artists?: string[];
  /** Its length in milliseconds. */
  duration_ms?: number;
}

/** An entry that could not be played. */
export interface MediaEntryFailed {
  /** Who. */
  by: MediaAuthor;
  /** Which. */
  entry: number;
  /** Why. */
  reason: string;
}

/** An entry that was played to its end. */
export interface MediaEntryFinished {
  /** Who. */
  by: MediaAuthor;
  /** Which. */
  entry: number;
}

/** An entry that is played from now on. */
export interface MediaEntryStarted {
  /** Who. */
  by: MediaAuthor;
  /** Which. */
  entry: number;
}

/** Whether it is to play or to stand. */
export type MediaIntent = "play" | "pause";

/** Playing that goes on or stands. */
export interface MediaIntentSet {
  /** Who. */
  by: MediaAuthor;
  /** Which of the two. */
  intent: MediaIntent;
}

/** Entries that were put into a playlist. */
export interface MediaPlaylistAdded {
  /** Who. */
  by: MediaAuthor;
  /** Into which. */
  playlist: number;
  /** The new entries. */
  entries: MediaEntry[];
  /** Before which entry; none for the end. */
  before?: number;
}

/** A playlist that was made. */
export interface MediaPlaylistCreated {
  /** Who. */
  by: MediaAuthor;
  /** Its number. */
  playlist: number;
  /** Its name. What people call it is a word; a field `name` holds names of who and what. */
  title: string;
}

/** A playlist that is gone. */
export interface MediaPlaylistDeleted {
  /** Who. */
  by: MediaAuthor;
  /** Which. */
  playlist: number;
}

/** An entry of a playlist that was put elsewhere. */
export interface MediaPlaylistMoved {
  /** Who. */
  by: MediaAuthor;
  /** Of which. */
  playlist: number;
  /** Which. */
  entry: number;
  /** Before which other; none for the end. */
  before?: number;
}

/** Entries that were taken out of a playlist. */
export interface MediaPlaylistRemoved {
  /** Who. */
  by: MediaAuthor;
  /** Of which. */
  playlist: number;
  /** Which. */
  entries: number[];
}

/** A playlist with another name. */
export interface MediaPlaylistRenamed {
  /** Who. */
  by: MediaAuthor;
  /** Which. */
  playlist: number;
  /** Its new name. */
  title: string;
}

/** Entries that were put into the queue. */
export interface MediaQueueAdded {
  /** Who. */
  by: MediaAuthor;
  /** The new entries. */
  entries: MediaEntry[];
  /** Before which entry; none for the end. */
  before?: number;
  /** They are played next even where the order is shuffled. */
  play_next?: boolean;
}

/** A queue that is empty. */
export interface MediaQueueCleared {
  /** Who. */
  by: MediaAuthor;
}

/** An entry of the queue that was put elsewhere. */
export interface MediaQueueMoved {
  /** Who. */
  by: MediaAuthor;
  /** Which. */
  entry: number;
  /** Before which other; none for the end. */
  before?: number;
}

/** Entries that were taken out of the queue. */
export interface MediaQueueRemoved {
  /** Who. */
  by: MediaAuthor;
  /** Which. */
  entries: number[];
}

/** What comes after the last entry. */
export type MediaRepeatMode = "off" | "all" | "one";

/** What comes after the last entry. */
export interface MediaRepeatSet {
  /** Who. */
  by: MediaAuthor;
  /** What. */
  repeat: MediaRepeatMode;
}

/** The order of playing. */
export interface MediaShuffleSet {
  /** Who. */
  by: MediaAuthor;
  /** The same seed gives the same order; none for the order of the queue. */
  seed: number | null;
}

/** Why nothing is played any more. */
export type MediaStopReason = "asked" | "end_of_queue" | "nothing_playable";

/** The end of playing. */
export interface MediaStopped {
  /** Who. */
  by: MediaAuthor;
  /** Why. */
  reason: MediaStopReason;
}

/** The volume. */
export interface MediaVolumeSet {
  /** Who. */
  by: MediaAuthor;
  /** In percent. */
  volume: number;
}

/** A matter taken back (decision 53). It holds no words: only where they were said. The line's own epoch, in which somebody asked for it, is bound like the epochs that it names. */
export interface MemoryForgotten {
  /** Who asked for it: the sender of what the epoch answered, or the person at the API. */
  asked_by: string;
  /** Whose matter it is, where it is one person's. */
  subject?: string;
  /** The epochs in which it was said, oldest first. */
  epochs?: string[];
  /** The facts that say it, also those that held no longer. Those in force have a `memory.fact_forgotten` of their own. */
  facts?: string[];
  /** What it is a value of, such as `nicolas/home`: nothing older is learnt of it. */
  slots?: string[];
  /** Why, if said. */
  reason?: string;
}

/** The short-term window ends. */
export interface MemoryReset {
  /** Epochs that ended at or before this sequence leave the window. */
  through_seq: number;
  /** How many they are. */
  epochs: number;
}

/** A node with its fields. Its `type` is the specification's name. */
export type Node = ({ type: "Citizen" } & Citizen) | ({ type: "Person" } & Person) | ({ type: "Partnership" } & Partnership) | ({ type: "Conversation_Memory" } & ConversationMemory) | ({ type: "Technical_Context" } & TechnicalContext) | ({ type: "Emotional_State" } & EmotionalState) | ({ type: "Strategy_Pattern" } & StrategyPattern) | ({ type: "Code_Reference" } & CodeReference) | ({ type: "Failed_Attempt" } & FailedAttempt) | ({ type: "Constraint" } & Constraint);

/** A node that holds no longer. */
export interface NodeClosed {
  /** The node. */
  node_id: string;
  /** Until when it held, where that is not the line's time. */
  valid_to?: string;
  /** Why, if said. */
  reason?: string;
}

/** A node of the graph, whole. */
export interface NodeRecorded {
  /** Its id in the agent's graph. */
  node_id: string;
  /** Its type and fields. */
  node: Node;
  /** Since when it is so, where that is not the line's time. */
  valid_from?: string;
  /** The epochs that it was distilled from, where that is not the line's. */
  sources?: string[];
}

/** A notice was delivered. */
export interface Notified {
  /** The notice. */
  notice: string;
  /** At which attempt, from 1. */
  attempt: number;
  /** By what means. */
  by: string;
  /** What each service made of it. */
  attempts?: ServiceAttempt[];
}

/** A notice was not delivered. */
export interface NotifyFailed {
  /** The notice. */
  notice: string;
  /** The attempt, from 1. */
  attempt: number;
  /** Why, for people. */
  message: string;
  /** What each service made of it. */
  attempts?: ServiceAttempt[];
}

/** The tools that a mind was offered, without their texts. */
export interface OfferedTools {
  /** How many. */
  count: number;
  /** Their estimated tokens. */
  tokens: number;
  /** SHA-256 over names, descriptions and schemas, in their order, hex. */
  sha256: string;
}

/** How a tool call ended. */
export type Outcome = "ok" | "error" | "unknown" | "denied";

/** The newest entries of an agent's own log up to a point. */
export interface OwnEntries {
  /** The event of the newest one shown. */
  through_seq: number;
  /** How many are shown. */
  entries: number;
}

/** The channel took a page. */
export interface PageDelivered {
  /** The page. */
  page: PageId;
  /** How sure that is. */
  proof: Proof;
  /** What took it, for people: the channel and who is there, or the agents themselves; empty where nobody noted it. */
  by?: string;
}

/** The channel did not take a page. */
export interface PageFailed {
  /** The page. */
  page: PageId;
  /** Why, for people. */
  message: string;
}

/** The short name of a page, as people type it: four to eight hexadecimal digits, such as `7f3a`. */
export type PageId = string;

/** A page is about to go out. Agents that are paged together share it. */
export interface Paged {
  /** For which episode. */
  episode: string;
  /** Its short name. */
  page: PageId;
  /** How long the agent has been silent. */
  silent_ms: number;
  /** Whether it answered the bell: alive, not moving. */
  alive?: boolean;
}

/** What was tried. The line's entity is the agent that it is about. */
export interface ParWritten {
  /** The episode of the watchdog that it closes or escalates, if it is about one. */
  episode?: string;
  /** What was wrong. */
  problem: string;
  /** What was tried, in order. */
  tried: string[];
  /** What worked. */
  worked: string[];
  /** What did not. */
  failed: string[];
  /** How long it took, from the beginning of the problem. */
  took_ms: number;
  /** What to change. */
  suggestions: string[];
}

/** Somebody an agent works with. */
export interface Partner {
  /** The person's id. */
  id: string;
  /** Display name. */
  name: string;
  /** What they are to the agent. */
  role: string;
}

/** How the agent works with somebody. */
export interface Partnership {
  /** The partner; compared without case. */
  partner_name: string;
  /** What the partner is. */
  partner_role: string;
  /** 0 to 1. */
  trust_level: number;
  /** How they speak. */
  communication_style: string;
  /** What binds them. */
  relationship_type: string;
  /** What they have been through. */
  shared_history: string[];
  /** For how long, in words. */
  partnership_duration: string;
}

/** Why an agent pauses. */
export type PauseReason = "budget" | "money_out" | "person";

/** Maintenance began. */
export interface Paused {
  /** When it ends by itself, if it does. */
  until?: string;
  /** Why, if said. */
  reason?: string;
}

/** A person. */
export interface Person {
  /** Display name. */
  name: string;
  /** Who it is to the agent. */
  role: string;
}

/** What a person sets for a tool, in place of what the lists `allow` and `ask` say of it. */
export type PolicySetting = "allow" | "ask" | "deny";

/** A run of the process ended, and everything that it had started with it. */
export interface ProcessExited {
  /** The run. */
  run: string;
  /** Why, for programs. */
  reason: ExitReason;
  /** Why, for people, with the exit code or signal. */
  message: string;
  /** How long it ran. */
  uptime_ms: number;
  /** What it wrote last on stderr, shortened. */
  last_words?: string[];
}

/** A process said that something failed, or did what the protocol does not allow. */
export interface ProcessFaulted {
  /** The run. */
  run: string;
  /** Whose word it is. */
  source: FaultSource;
  /** The code. */
  code: string;
  /** What happened. */
  message: string;
  /** Whether the run or the turn ended by it. */
  is_fatal: boolean;
  /** Where it happened, as the process tells it; data, not instruction. */
  stack_trace?: string;
  /** What belongs to it. */
  context?: Json;
  /** Faults like it that were not recorded since the last one. */
  suppressed: number;
}

/** What a process measured of itself; one report of many. */
export interface ProcessMeasured {
  /** The run. */
  run: string;
  /** By name: milliseconds, bytes, per second. */
  metrics: { [key: string]: number };
}

/** The process has its state back and may be asked. */
export interface ProcessReady {
  /** The run. */
  run: string;
  /** Version of the protocol: 1, 2 or 3. */
  protocol: number;
  /** What speaks it, by its own account. */
  sdk?: string;
  /** The checkpoint that it was given back. */
  checkpoint_id?: string;
  /** Entries behind it that it was given back. */
  wal_entries: number;
  /** From its start to here. */
  took_ms: number;
}

/** A silent process is heard again. */
export interface ProcessResponsive {
  /** The run. */
  run: string;
  /** How long nothing had been heard. */
  silent_ms: number;
}

/** What a process is confined to. */
export interface ProcessSandbox {
  /** 0: nothing holds it; 1: files, system calls and privileges; 2: the same in namespaces of its own. */
  level: number;
  /** What is not held, in words for people, a sentence each. */
  open?: string[];
}

/** A run of the process began. */
export interface ProcessStarted {
  /** Names the run; frames of an older one are refused. */
  run: string;
  /** Its process id, where the keeper started it. */
  pid?: number;
  /** Why it was started. */
  cause: StartCause;
  /** Runs of this agent before it that ended without being asked to, since the last one that held for a while. */
  failures: number;
  /** What it is confined to; not there for one that the keeper did not start, and in older ledgers. */
  sandbox?: ProcessSandbox;
}

/** Nothing was heard of a process for a while: it was pinged. */
export interface ProcessUnresponsive {
  /** The run. */
  run: string;
  /** How long nothing was heard. */
  silent_ms: number;
}

/** How sure a delivery is. */
export type Proof = "sent" | "confirmed";

/** Why nobody was watched for a while. */
export type RebaseCause = "started" | "late" | "clock";

/** Nobody was watched between `from` and this line. */
export interface Rebased {
  /** Why nobody was watched. */
  cause: RebaseCause;
  /** When the watching stopped; the line's own time where it never had begun. */
  from: string;
  /** Whether every silence begins anew, because work was cut and is asked for again. */
  fresh?: boolean;
}

/** Evidence returned. */
export interface Resolved {
  /** Which episode is over. */
  episode: string;
  /** The rung after which it moved. */
  rung: Rung;
  /** The evidence. */
  evidence_seq: number;
}

/** A process ends again and again; a person should look. It is still started again. */
export interface RestartsFrequent {
  /** Ends within the window. */
  restarts: number;
  /** The window. */
  window_ms: number;
  /** The pause before the next start. */
  pause_ms: number;
  /** How the last run ended. */
  message: string;
}

/** Maintenance is over. */
export interface Resumed {
}

/** A rung of the ladder. */
export type Rung = "bell" | "channel" | "human";

/** What a scan found. The lists name agents; who was paged and escalated counts from the scan before this one. */
export interface Scanned {
  /** How many agents were judged. */
  scanned: number;
  /** Who is stalled. */
  stalled: string[];
  /** Who was paged. */
  paged: string[];
  /** About whom a person was to be told. */
  escalated: string[];
  /** Why nobody was paged for silence, where agents could not be judged. */
  blind?: BlindCause;
  /** Whether it was asked for, not due. */
  asked?: boolean;
}

/** A segment begins. */
export interface SegmentOpened {
  /** Its number, from 1. */
  segment: number;
  /** The chain value that the segment before it ended with; 64 zeros for the first. */
  previous_chain: string;
  /** The world's beginning: tick 0. The same in every segment. */
  genesis: string;
}

/** What one service made of a notice. */
export interface ServiceAttempt {
  /** Its name. */
  service: string;
  /** What came of it. */
  outcome: AttemptOutcome;
  /** By what means, or why not, for people and without secrets. */
  words: string;
  /** How long it took. */
  took_ms: number;
}

/** How much a constraint binds, rising. */
export type Severity = "low" | "medium" | "high" | "critical";

/** How far what an agent was told may go. */
export type Sharing = "agent" | "person" | "channel";

/** Agents can be judged again. */
export interface Sighted {
  /** What had been in the way. */
  cause: BlindCause;
}

/** Nobody is to be disturbed. */
export interface Silenced {
  /** Until when. */
  until: string;
  /** Why, if said. */
  reason?: string;
}

/** A sleep is over. */
export interface SleepEnded {
  /** The sleep. */
  sleep_id: string;
  /** How the sleep ended. */
  status: SleepStatus;
  /** What changed, in words; of a failure, why. */
  message: string;
}

/** A sleep and the epochs that it is about. No epoch is named by two sleeps, unless the first one failed. */
export interface SleepStarted {
  /** Its id. */
  sleep_id: string;
  /** Why now. */
  trigger: SleepTrigger;
  /** The committed epochs that are distilled, oldest first. */
  epochs: string[];
  /** Epochs that ended at or before this sequence are asleep with it. */
  through_seq: number;
  /** What distils: `rules`, or `model <name>`. */
  distiller: string;
  /** Of a scheduled sleep: the agent and the time that it was due, so that it runs once. */
  run_key?: string;
}

/** How a whole sleep ended. */
export type SleepStatus = "ok" | "empty" | "failed";

/** What is distilled, in this order. */
export type SleepStep = "facts" | "identity" | "dream";

/** Why an agent sleeps. */
export type SleepTrigger = "person" | "schedule" | "idle" | "pressure";

/** A space and its members. */
export interface SpaceNamed {
  /** The space. */
  space: string;
  /** Who is in it, whoever named it among them, in the order of their names. */
  members: string[];
}

/** Something that was said. */
export interface SpaceSaid {
  /** The message. */
  message_id: string;
  /** The space in which it was said. */
  space: string;
  /** The text of the message. */
  text: string;
  /** The agents for whom it is a stimulus; the others read it when they like. */
  to?: string[];
  /** How many messages between agents led to this one since a person or the clock last spoke: bounds a conversation that nobody ends. */
  hop: number;
}

/** In which form something was said. */
export type SpokenForm = "speech" | "action" | "notice";

/** An episode begins. */
export interface StallOpened {
  /** Its id. */
  episode: string;
  /** How long the agent had been silent. */
  silent_ms: number;
  /** How long it might have been. */
  threshold_ms: number;
  /** The number of its newest evidence; 0 where it never was active. Only a higher one ends the episode. */
  evidence_seq: number;
}

/** Why a process is started. */
export type StartCause = "configured" | "stimulus" | "restart" | "person" | "connected";

/** The private state of an agent that had none holds its first entry: from here on, finding none is a loss. */
export interface StateBegun {
  /** The run that began it. */
  run: string;
  /** The sequence of the newest entry that is on the disk. */
  wal_sequence: number;
}

/** An agent's private state was not found as it was left: what is lost, and what was done about it. */
export interface StateTroubled {
  /** Whether acknowledged state is gone. */
  is_lost: boolean;
  /** One sentence each. */
  report: string[];
}

/** A grant (decision 47). */
export interface StdoutGranted {
  /** Who may read. */
  to: string;
}

/** The end of a grant. */
export interface StdoutRevoked {
  /** Who may not read any more. */
  to: string;
}

/** An entry of a log. Its tick and time are the line's. */
export interface StdoutWritten {
  /** The words, as they were typed. */
  content: string;
  /** The call of the epoch that wrote it; with `nth` and the epoch, what it is known by, so that a call that runs again after a crash writes nothing twice. */
  call_id?: CallId;
  /** Which entry of its call, from 0. */
  nth?: number;
}

/** A step is done. */
export interface StepFinished {
  /** Of which sleep. */
  sleep_id: string;
  /** Which step. */
  step: SleepStep;
  /** Which part of it, from 1: long days are distilled in parts. */
  part: number;
  /** How many parts there are. */
  parts: number;
  /** How it ended. */
  status: StepStatus;
  /** What came out, in words; of a failure, why. */
  message?: string;
  /** What it cost, where something was asked. */
  usage?: UsageRecord;
}

/** How a step or a sleep ended. */
export type StepStatus = "ok" | "empty" | "failed" | "skipped";

/** A further step of an escalation: nobody has the episode in hand, and it is not over. */
export interface Stepped {
  /** About which episode. */
  episode: string;
  /** Which step, from 2: the first is the escalation itself. */
  step: number;
  /** The notice that tells; agents that take the same step together share it. */
  notice: string;
  /** The services that tell, by name. */
  to: string[];
}

/** A validated envelope. The citizen is the line's entity. */
export interface StimulusAccepted {
  /** The message, byte for byte. */
  content: string;
  /** The sender's id. */
  sender: string;
  /** Where it came from. */
  channel: Channel;
  /** When it was sent. */
  sent_at: string;
  /** Where its sender is, as far as that was said: an offset such as `+02:00`, or a zone's name. */
  sender_zone?: string;
  /** The conversation. */
  session_id: string;
  /** Whether the caller can answer approvals (decision 21). */
  interactive?: boolean;
  /** Whether an administrator speaks in their own name: who may have forgotten and corrected what others told (decision 54). */
  administrator?: boolean;
  /** The caller's key and what it was sent with. */
  idempotency?: Idempotency;
  /** The caller's `last_driver_output`, where it differs from the ledger's. */
  claimed_output?: AcceptedOutput;
  /** What inside Abide caused it, where nobody outside sent it. */
  cause?: StimulusCause;
}

/** What inside Abide caused a stimulus. */
export type StimulusCause = "message" | "wake" | "schedule";

/** An approach that works. */
export interface StrategyPattern {
  /** What to do. */
  approach: string;
  /** 0 to 1. */
  success_rate: number;
  /** In order. */
  steps: string[];
  /** When it fits. */
  applicability: string;
}

/** What an entry is about. */
export interface Subject {
  /** The kind of thing, such as `agent`, `epoch` or `session`. */
  ref_type: string;
  /** Which one. */
  ref_id: string;
}

/** A torn tail was set aside. */
export interface TailQuarantined {
  /** The segment that it stood in. */
  segment: number;
  /** Where it began. */
  offset: number;
  /** How long it was. */
  bytes: number;
  /** The side file, relative to the ledger's folder. */
  file: string;
}

/** A technical matter. */
export interface TechnicalContext {
  /** Where it is. */
  component: string;
  /** What kind of matter. */
  issue_type: string;
  /** What it is. */
  description: string;
  /** How it stands. */
  status: string;
  /** How often it came back. */
  recurrence_count: number;
  /** Files. */
  related_code: string[];
}

/** The ladder was tried out. */
export interface Tested {
  /** The page that was sent. */
  page: PageId;
  /** The notice that was sent. */
  notice: string;
  /** Why the channel did not take it, if so. */
  page_failed?: string;
  /** Why nobody could be told, if so. */
  notify_failed?: string;
  /** What each service made of the notice. */
  attempts?: ServiceAttempt[];
}

/** Ticks change their length; the count goes on from the present tick. */
export interface TickIntervalChanged {
  /** Milliseconds a tick from here on. */
  interval_ms: number;
  /** The tick at which the change falls. */
  from_tick: number;
  /** The time at which it falls. */
  from_time: string;
}

/** The outcome of a call. */
export interface ToolFinished {
  /** The call. */
  call_id: CallId;
  /** How it ended. */
  outcome: Outcome;
  /** Its result; empty where it is ethereal. */
  content?: string;
  /** Where the result is too large or too fleeting to keep. */
  ethereal?: Ethereal;
  /** How long it ran. */
  duration_ms: number;
}

/** A value that a tool keeps for an agent, such as a subscription; the newest of a key counts. */
export interface ToolKept {
  /** The tool's namespace, such as `rss`. */
  namespace: string;
  /** Which value, at most [`crate::limits::KEPT_KEY_BYTES_MAX`] bytes. */
  key: string;
  /** The value; none: it is dropped. */
  value?: Json;
}

/** A person's setting for one tool's name. */
export interface ToolPolicyChanged {
  /** The tool. */
  tool: string;
  /** The agent that it is for; none: all that have no setting of their own. */
  agent?: string;
  /** What is set; none: from now on there is no setting. */
  policy: PolicySetting | null;
  /** The setting that it takes the place of; none: there was none. */
  before: PolicySetting | null;
}

/** The intent to run a call. */
export interface ToolRequested {
  /** The call. */
  call_id: CallId;
  /** The tool. */
  name: string;
  /** What running it changes. */
  effect: EffectClass;
  /** Whether it may run again when nobody knows whether it ran. Recorded, so that a later registry cannot change it. */
  idempotent?: boolean;
}

/** A model that is asked which of two replies is better. */
export interface TrialJudge {
  /** Its name. */
  model: string;
  /** Its provider; none: that of the agent. */
  provider?: string;
}

/** A mind answered. */
export interface TurnCompleted {
  /** From 1. */
  turn: number;
  /** The attempt that answered. */
  attempt: number;
  /** What it said. */
  voice: VoiceRecord;
  /** What it cost. */
  usage: UsageRecord;
}

/** An attempt failed. */
export interface TurnFailed {
  /** From 1. */
  turn: number;
  /** The attempt that failed. */
  attempt: number;
  /** `bad_voice`, `deadline`, `overloaded`, `rate_limited`, `money_out`, `refused`, `context_too_long`, `rejected`, `crashed`, `outcome_unknown`, `unavailable`, `paged`, `process_failed`, `perhaps_too_long` (rejected for a reason that is not known, with a long prompt), `stopped` (the epoch was ended while it was asked), `process_ended` (by order: a restart, a park), `suspended` (the machine or the keeper stood still meanwhile). */
  code: string;
  /** Why, for people. */
  message: string;
  /** What the model is told to repair, for `bad_voice`; `message` where it is missing, as in older ledgers. */
  repair?: string;
  /** Where the voice does not fit, for `bad_voice`. */
  path?: string;
  /** What it cost all the same. */
  usage?: UsageRecord;
}

/** An attempt begins. */
export interface TurnStarted {
  /** From 1. */
  turn: number;
  /** From 1. */
  attempt: number;
  /** Whether this attempt repairs a voice that did not fit; the problem stands in the `turn.failed` before. */
  repair?: boolean;
}

/** A silence is over. */
export interface Unsilenced {
}

/** Tokens and money of an attempt. */
export interface UsageRecord {
  /** All input tokens. */
  input_tokens: number;
  /** Output tokens. */
  output_tokens: number;
  /** Input tokens from a cache. */
  cached_tokens?: number;
  /** The model that answered. */
  model?: string;
  /** Millionths of a US dollar; null where the price is unknown. */
  cost_microusd: number | null;
}

/** A call that a mind asked for. */
export interface VoiceCall {
  /** The engine's id for it. */
  call_id: CallId;
  /** The tool. */
  name: string;
  /** Its arguments, an object. */
  arguments: Json;
}

/** A voice as the ledger keeps it, with the calls numbered. */
export interface VoiceRecord {
  /** Reasoning; removed wherever thoughts were not asked for. */
  thought?: string;
  /** How the mind feels. */
  emotive_state: string;
  /** The calls, each with the engine's id for it. */
  tool_calls?: VoiceCall[];
  /** The reply, or interim words beside calls. */
  final_response?: string;
}

/** A wake that is not wanted any more, or can never fire any more. */
export interface WakeCancelled {
  /** The wake. */
  wake_id: string;
  /** Why it can never fire, where that is why; none where its owner took it back. */
  reason?: string;
}

/** A wake that is over. */
export interface WakeFired {
  /** The wake. */
  wake_id: string;
  /** Why its condition could not be told, where that is why its owner was woken; none where it held. */
  error?: string;
}

/** A run of a schedule. */
export interface WakeRan {
  /** The schedule. */
  name: string;
  /** When it was due. With agent and name, its run key: no run is made twice. */
  due: string;
}

/** A schedule. */
export interface WakeScheduled {
  /** Its name, unique for the agent. */
  name: string;
  /** When: five fields of cron; empty where it comes once. */
  cron?: string;
  /** The zone whose clock the fields of cron are read on; UTC where none stands here. */
  time_zone?: string;
  /** When, where it comes once. */
  at?: string;
  /** What the agent is told. */
  content: string;
  /** The conversation that hears what the agent answers; its own where none stands here. */
  session?: string;
}

/** A wake. */
export interface WakeSet {
  /** The wake. */
  wake_id: string;
  /** The condition, as the grammar prints it: `?(…)`. */
  condition: string;
  /** What the agent tells itself. */
  prompt: string;
}

/** A schedule that is gone. */
export interface WakeUnscheduled {
  /** Its name. */
  name: string;
}

/** An episode is over without evidence. */
export interface Withdrawn {
  /** The episode. */
  episode: string;
  /** What the agent is now, as verdicts are named; `gone` where it is registered no more. */
  state: string;
  /** The epoch that ended without an answer meanwhile, and with it the stall. */
  unanswered?: string;
}

/** The data of an event, by its kind. */
export interface EventData {
  /** A checkpoint of an agent's private state is durable and verified. */
  "agent.checkpointed": AgentCheckpointed;
  /** What an agent's work produced outside of turns and tools: evidence. */
  "agent.evidence_reported": EvidenceReported;
  /** A run of an agent's process ended, with everything that it had started. */
  "agent.exited": ProcessExited;
  /** An agent's process said that something failed, or broke the protocol. */
  "agent.faulted": ProcessFaulted;
  /** What an agent's process measured of itself, now and then. */
  "agent.measured": ProcessMeasured;
  /** An agent takes stimuli up no more until it is resumed; they queue. */
  "agent.paused": AgentPaused;
  /** An agent's process has its state back and may be asked. */
  "agent.ready": ProcessReady;
  /** An agent's profile is in force; written when it is new or has changed. */
  "agent.registered": AgentRegistered;
  /** A silent process is heard again. */
  "agent.responsive": ProcessResponsive;
  /** An agent's process ends again and again; it is still started again, and a person should look. */
  "agent.restarts_frequent": RestartsFrequent;
  /** An agent goes on. */
  "agent.resumed": AgentResumed;
  /** An agent brought another into being; in force when the epoch that did commits. */
  "agent.spawned": AgentSpawned;
  /** A run of an agent's process began. */
  "agent.started": ProcessStarted;
  /** An agent's private state holds its first entry. */
  "agent.state_begun": StateBegun;
  /** An agent's private state was not found as it was left. */
  "agent.state_troubled": StateTroubled;
  /** An agent's process was silent for a while and was pinged. */
  "agent.unresponsive": ProcessUnresponsive;
  /** A person, a rule or the deadline decided. */
  "approval.decided": ApprovalDecided;
  /** A call waits for a person. */
  "approval.requested": ApprovalRequested;
  /** The answer of this epoch was said where it was asked, or was given up; nothing is owed any more. */
  "channel.answered": ChannelAnswered;
  /** The stimulus of this epoch was asked there, and is to be answered there. In the batch of the stimulus. One that was refused has no epoch. */
  "channel.asked": ChannelAsked;
  /** A group has another number from here on. */
  "channel.chat_moved": ChannelChatMoved;
  /** An agent hears everything in a room from here on, or its mentions alone. */
  "channel.gate_moved": ChannelGateMoved;
  /** An agent is in a room from here on, over restarts. */
  "channel.joined": ChannelJoined;
  /** Nobody can know whether the answer was said. It is not said again; the person is told so. */
  "channel.maybe_sent": ChannelMaybeSent;
  /** An agent is not in a room any more. */
  "channel.parted": ChannelParted;
  /** A person has read up to a moment. */
  "channel.read_marked": ChannelReadMarked;
  /** Somebody said a line. The entity is who spoke; of a guest it is the keeper. */
  "channel.said": ChannelSaid;
  /** The answer of this epoch is about to leave for where it was asked. What ends without `channel.answered` after it may have been said. */
  "channel.sending": ChannelSending;
  /** A room has another topic. */
  "channel.topic_set": ChannelTopicSet;
  /** The answer did not leave, for certain: it is still owed. */
  "channel.unsent": ChannelUnsent;
  /** The context object and history of an epoch, as references, token counts and a digest. */
  "context.assembled": ContextAssembled;
  /** A person said which bracket a deck is of. */
  "deck.bracket_set": DeckBracketSet;
  /** A deck begins: empty, out of a list, or as a fork. */
  "deck.created": DeckCreated;
  /** A person changed a deck. */
  "deck.edited": DeckEdited;
  /** A person rewrote an open line. */
  "deck.line_edited": DeckLineEdited;
  /** A person refused lines of a proposal. */
  "deck.lines_refused": DeckLinesRefused;
  /** A person opened refused lines again. */
  "deck.lines_reopened": DeckLinesReopened;
  /** A person took lines of a proposal. */
  "deck.lines_taken": DeckLinesTaken;
  /** A deck is the one that an agent works with. */
  "deck.loaded": DeckLoaded;
  /** Somebody proposed changes; nothing changes yet. */
  "deck.proposed": DeckProposed;
  /** A person took a revision back; that is a revision of its own. */
  "deck.undone": DeckUndone;
  /** The epoch ended without a reply and changed no memory. */
  "epoch.aborted": EpochAborted;
  /** The reply stands, staged state is in force, the exchange is memory. */
  "epoch.committed": EpochCommitted;
  /** A person has seen that it ended without a reply, and wants none any more. */
  "epoch.dismissed": EpochDismissed;
  /** The lane took the stimulus up. */
  "epoch.opened": EpochOpened;
  /** Nothing could happen for so long while it was open; that time is not the epoch's. */
  "epoch.stood_still": EpochStoodStill;
  /** An agent or a person made an entry. The line's author is its author, the line's time its time. */
  "evidence.recorded": EvidenceRecorded;
  /** The proposal ended without a decision; nothing changed. */
  "evolution.aborted": EvolutionAborted;
  /** A person answered a proposal that waited for one. */
  "evolution.answered": EvolutionAnswered;
  /** What a rollback restores is safe. */
  "evolution.backed_up": EvolutionBackedUp;
  /** It is known from which state the trial begins. */
  "evolution.checkpointed": EvolutionCheckpointed;
  /** What both did with some of the requests. */
  "evolution.compared": EvolutionCompared;
  /** What came of a proposal by its measurements. */
  "evolution.decided": EvolutionDecided;
  /** The candidate passed the watch; it is the code in force. */
  "evolution.kept": EvolutionKept;
  /** An agent or a person proposed a change. */
  "evolution.proposed": EvolutionProposed;
  /** The candidate is loaded and answers its share of the requests. */
  "evolution.reloaded": EvolutionReloaded;
  /** The code from before is in force again. */
  "evolution.rolled_back": EvolutionRolledBack;
  /** The trial begins: requests of the record are given to the code in force and to the candidate. */
  "evolution.shadow_started": EvolutionShadowStarted;
  /** The candidate answers a larger share, the rest is still answered by the code before it. */
  "evolution.stage_begun": EvolutionStageBegun;
  /** The proposal passed all checks that need no trial. */
  "evolution.validated": EvolutionValidated;
  /** Somebody asked that words be removed from the ledger for good. */
  "keeper.erase_requested": EraseRequested;
  /** The words of these lines were removed: the lines stand, what was said in them does not. */
  "keeper.erased": LedgerErased;
  /** A segment of the ledger begins; always its first line. */
  "keeper.segment_opened": SegmentOpened;
  /** A keeper took the home and serves. */
  "keeper.started": KeeperStarted;
  /** A keeper ended in good order. */
  "keeper.stopped": KeeperStopped;
  /** Bytes that were never acknowledged stood at the end of the ledger and were set aside. */
  "keeper.tail_quarantined": TailQuarantined;
  /** Ticks have another length from here on. */
  "keeper.tick_interval_changed": TickIntervalChanged;
  /** The question is over: a person answered, or nobody will. */
  "mcp.question_answered": McpQuestionAnswered;
  /** A server asks something of a person in mid-call. */
  "mcp.question_asked": McpQuestionAsked;
  /** A tool may be offered to agents as it describes itself here, until it describes itself in another way. */
  "mcp.tool_accepted": McpToolAccepted;
  /** An entry could not be played; it stays, marked. */
  "media.entry_failed": MediaEntryFailed;
  /** An entry was played to its end. */
  "media.entry_finished": MediaEntryFinished;
  /** An entry is what is played from now on. */
  "media.entry_started": MediaEntryStarted;
  /** Playing goes on, or stands. */
  "media.intent_set": MediaIntentSet;
  /** Entries were put into a playlist, before another one or at the end. */
  "media.playlist_added": MediaPlaylistAdded;
  /** A playlist was made, empty. */
  "media.playlist_created": MediaPlaylistCreated;
  /** A playlist is gone. */
  "media.playlist_deleted": MediaPlaylistDeleted;
  /** An entry of a playlist was put elsewhere. */
  "media.playlist_moved": MediaPlaylistMoved;
  /** Entries were taken out of a playlist. */
  "media.playlist_removed": MediaPlaylistRemoved;
  /** A playlist has another name. */
  "media.playlist_renamed": MediaPlaylistRenamed;
  /** Entries were put into the queue, before another one or at the end. */
  "media.queue_added": MediaQueueAdded;
  /** All entries were taken out of the queue. */
  "media.queue_cleared": MediaQueueCleared;
  /** An entry of the queue was put elsewhere. */
  "media.queue_moved": MediaQueueMoved;
  /** Entries were taken out of the queue. */
  "media.queue_removed": MediaQueueRemoved;
  /** What comes after the last entry was set. */
  "media.repeat_set": MediaRepeatSet;
  /** The order was shuffled anew, or is that of the queue again. */
  "media.shuffle_set": MediaShuffleSet;
  /** Nothing is played any more. */
  "media.stopped": MediaStopped;
  /** The volume was set. */
  "media.volume_set": MediaVolumeSet;
  /** A dream was taken out of the list; its line stays. */
  "memory.dream_forgotten": DreamForgotten;
  /** A dream was written. */
  "memory.dream_written": DreamWritten;
  /** An edge holds no longer. */
  "memory.edge_closed": EdgeClosed;
  /** An edge of the graph is there from here on. */
  "memory.edge_recorded": EdgeRecorded;
  /** A person decided on a proposed fact; an approved one is remembered in the same batch. */
  "memory.fact_decided": FactDecided;
  /** A fact was taken back; its line stays. */
  "memory.fact_forgotten": FactForgotten;
  /** A fact that sleep found, but that could not be held against what was said, waits for a person. */
  "memory.fact_proposed": FactProposed;
  /** A fact was learnt. */
  "memory.fact_remembered": FactRemembered;
  /** A matter was taken back: what was said of it is not recalled, shown or learnt from again. The lines stay. */
  "memory.forgotten": MemoryForgotten;
  /** The identity document has a new version. */
  "memory.identity_changed": IdentityChanged;
  /** A person decided on a proposed identity; an approved one is the version in force from here on. */
  "memory.identity_decided": IdentityDecided;
  /** A large change of the identity waits for a person. */
  "memory.identity_proposed": IdentityProposed;
  /** A node holds no longer; its versions stay. */
  "memory.node_closed": NodeClosed;
  /** A node of the graph is so from here on; an older version of it is closed, not overwritten. */
  "memory.node_recorded": NodeRecorded;
  /** The short-term window ends here: earlier epochs leave the prompt, none is deleted. */
  "memory.reset": MemoryReset;
  /** What was tried against a problem, what worked, what did not, and what to change. */
  "par.written": ParWritten;
  /** It ended. If it did not fail, the short-term window ends in the same batch. */
  "sleep.ended": SleepEnded;
  /** A sleep began. */
  "sleep.started": SleepStarted;
  /** A step of it is done; its findings stand in the same batch. */
  "sleep.step_finished": StepFinished;
  /** A space has these members from here on. */
  "space.named": SpaceNamed;
  /** Something was said in a space, or between two. */
  "space.said": SpaceSaid;
  /** An entity may read the log of the line's entity from here on. */
  "stdout.granted": StdoutGranted;
  /** An entity may not read the log of the line's entity any more. */
  "stdout.revoked": StdoutRevoked;
  /** An entry of an entity's log. Counts at once, also when its epoch is aborted. */
  "stdout.written": StdoutWritten;
  /** A stimulus is durable and will be answered or aborted; its caller has been told. */
  "stimulus.accepted": StimulusAccepted;
  /** A call ended: the outcome. */
  "tool.finished": ToolFinished;
  /** What it got. */
  "tool.inner_finished": InnerToolFinished;
  /** A tool that the agent made asks for another one, within its own call. Durable before anything outside changes. */
  "tool.inner_requested": InnerToolRequested;
  /** A tool keeps a value for the agent, or drops it. In force when the epoch commits. */
  "tool.kept": ToolKept;
  /** A call is about to run: the intent. Durable before anything outside changes. */
  "tool.requested": ToolRequested;
  /** A person set what agents may do with a tool, or took that back. In force from the next call on. */
  "tools.policy_changed": ToolPolicyChanged;
  /** A mind answered with a voice that fits. */
  "turn.completed": TurnCompleted;
  /** An attempt gave nothing usable; the turn is asked again, or the epoch ends. */
  "turn.failed": TurnFailed;
  /** A mind is asked. */
  "turn.started": TurnStarted;
  /** A wake is taken back. */
  "wake.cancelled": WakeCancelled;
  /** A wake is over: its stimulus stands in the same batch, under the same epoch. */
  "wake.fired": WakeFired;
  /** A scheduled stimulus was given: it stands in the same batch, under the same epoch. */
  "wake.ran": WakeRan;
  /** A schedule of the configuration is in force, as it stands here, from here on. */
  "wake.scheduled": WakeScheduled;
  /** An agent is to be woken once, when a condition holds. */
  "wake.set": WakeSet;
  /** A schedule of the configuration is there no more. */
  "wake.unscheduled": WakeUnscheduled;
  /** A person has an episode in hand: it climbs no further for a while. */
  "watchdog.acknowledged": Acknowledged;
  /** A person is to be told that agents have not been judged for a long time. */
  "watchdog.alarmed": Alarmed;
  /** Matters that people were to be told of are over. */
  "watchdog.attention_ended": AttentionEnded;
  /** People are to be told of matters that wait for them, beside stalls. */
  "watchdog.attention_raised": AttentionRaised;
  /** The process breathes, which ends no episode. */
  "watchdog.bell_answered": BellAnswered;
  /** The bell reached nobody; the next rung follows at once. */
  "watchdog.bell_failed": BellFailed;
  /** First rung: the agent's process is about to be asked whether it breathes. */
  "watchdog.bell_rung": BellRung;
  /** Agents cannot be judged from here on; nobody is paged for silence. */
  "watchdog.blinded": Blinded;
  /** Those who had been told of something were told that it is over or in hand, or could not be. */
  "watchdog.closed": Closed;
  /** Third rung, once an episode: a person is to be told. */
  "watchdog.escalated": Escalated;
  /** A person was told. */
  "watchdog.notified": Notified;
  /** Nobody could be told; it is tried again. */
  "watchdog.notify_failed": NotifyFailed;
  /** The channel took a page, for every agent that it names. */
  "watchdog.page_delivered": PageDelivered;
  /** The channel did not take a page; the next rung follows at once. */
  "watchdog.page_failed": PageFailed;
  /** Second rung: the agent is about to be paged on the channel. */
  "watchdog.paged": Paged;
  /** Maintenance began: scans go on, nobody is rung or paged. */
  "watchdog.paused": Paused;
  /** Time passed in which nobody could be watched: it counts as nobody's silence. */
  "watchdog.rebased": Rebased;
  /** Evidence returned: the episode is over. */
  "watchdog.resolved": Resolved;
  /** Maintenance is over. */
  "watchdog.resumed": Resumed;
  /** All agents were looked at; one line a scan, whatever it found. */
  "watchdog.scanned": Scanned;
  /** Agents can be judged again. */
  "watchdog.sighted": Sighted;
  /** An agent, or every agent where the line is the keeper's, is neither rung nor paged for a while. */
  "watchdog.silenced": Silenced;
  /** An agent with something to do has been silent for too long: an episode begins. */
  "watchdog.stall_opened": StallOpened;
  /** A further step of an escalation, each once an episode: others are to be told, too. */
  "watchdog.stepped": Stepped;
  /** The ladder was tried out, without an agent that stalled. */
  "watchdog.tested": Tested;
  /** A silence was ended before its time. */
  "watchdog.unsilenced": Unsilenced;
  /** The agent is no longer in a state that can stall: the episode is over without evidence. */
  "watchdog.withdrawn": Withdrawn;
}

export type EventKind = keyof EventData;

/** Every kind, with one line about it. */
export const EVENT_KINDS: Record<EventKind, string> = {
  "agent.checkpointed": "A checkpoint of an agent's private state is durable and verified.",
  "agent.evidence_reported": "What an agent's work produced outside of turns and tools: evidence.",
  "agent.exited": "A run of an agent's process ended, with everything that it had started.",
  "agent.faulted": "An agent's process said that something failed, or broke the protocol.",
  "agent.measured": "What an agent's process measured of itself, now and then.",
  "agent.paused": "An agent takes stimuli up no more until it is resumed; they queue.",
  "agent.ready": "An agent's process has its state back and may be asked.",
  "agent.registered": "An agent's profile is in force; written when it is new or has changed.",
  "agent.responsive": "A silent process is heard again.",
  "agent.restarts_frequent": "An agent's process ends again and again; it is still started again, and a person should look.",
  "agent.resumed": "An agent goes on.",
  "agent.spawned": "An agent brought another into being; in force when the epoch that did commits.",
  "agent.started": "A run of an agent's process began.",
  "agent.state_begun": "An agent's private state holds its first entry.",
  "agent.state_troubled": "An agent's private state was not found as it was left.",
  "agent.unresponsive": "An agent's process was silent for a while and was pinged.",
  "approval.decided": "A person, a rule or the deadline decided.",
  "approval.requested": "A call waits for a person.",
  "channel.answered": "The answer of this epoch was said where it was asked, or was given up; nothing is owed any more.",
  "channel.asked": "The stimulus of this epoch was asked there, and is to be answered there. In the batch of the stimulus. One that was refused has no epoch.",
  "channel.chat_moved": "A group has another number from here on.",
  "channel.gate_moved": "An agent hears everything in a room from here on, or its mentions alone.",
  "channel.joined": "An agent is in a room from here on, over restarts.",
  "channel.maybe_sent": "Nobody can know whether the answer was said. It is not said again; the person is told so.",
  "channel.parted": "An agent is not in a room any more.",
  "channel.read_marked": "A person has read up to a moment.",
  "channel.said": "Somebody said a line. The entity is who spoke; of a guest it is the keeper.",
  "channel.sending": "The answer of this epoch is about to leave for where it was asked. What ends without `channel.answered` after it may have been said.",
  "channel.topic_set": "A room has another topic.",
  "channel.unsent": "The answer did not leave, for certain: it is still owed.",
  "context.assembled": "The context object and history of an epoch, as references, token counts and a digest.",
  "deck.bracket_set": "A person said which bracket a deck is of.",
  "deck.created": "A deck begins: empty, out of a list, or as a fork.",
  "deck.edited": "A person changed a deck.",
  "deck.line_edited": "A person rewrote an open line.",
  "deck.lines_refused": "A person refused lines of a proposal.",
  "deck.lines_reopened": "A person opened refused lines again.",
  "deck.lines_taken": "A person took lines of a proposal.",
  "deck.loaded": "A deck is the one that an agent works with.",
  "deck.proposed": "Somebody proposed changes; nothing changes yet.",
  "deck.undone": "A person took a revision back; that is a revision of its own.",
  "epoch.aborted": "The epoch ended without a reply and changed no memory.",
  "epoch.committed": "The reply stands, staged state is in force, the exchange is memory.",
  "epoch.dismissed": "A person has seen that it ended without a reply, and wants none any more.",
  "epoch.opened": "The lane took the stimulus up.",
  "epoch.stood_still": "Nothing could happen for so long while it was open; that time is not the epoch's.",
  "evidence.recorded": "An agent or a person made an entry. The line's author is its author, the line's time its time.",
  "evolution.aborted": "The proposal ended without a decision; nothing changed.",
  "evolution.answered": "A person answered a proposal that waited for one.",
  "evolution.backed_up": "What a rollback restores is safe.",
  "evolution.checkpointed": "It is known from which state the trial begins.",
  "evolution.compared": "What both did with some of the requests.",
  "evolution.decided": "What came of a proposal by its measurements.",
  "evolution.kept": "The candidate passed the watch; it is the code in force.",
  "evolution.proposed": "An agent or a person proposed a change.",
  "evolution.reloaded": "The candidate is loaded and answers its share of the requests.",
  "evolution.rolled_back": "The code from before is in force again.",
  "evolution.shadow_started": "The trial begins: requests of the record are given to the code in force and to the candidate.",
  "evolution.stage_begun": "The candidate answers a larger share, the rest is still answered by the code before it.",
  "evolution.validated": "The proposal passed all checks that need no trial.",
  "keeper.erase_requested": "Somebody asked that words be removed from the ledger for good.",
  "keeper.erased": "The words of these lines were removed: the lines stand, what was said in them does not.",
  "keeper.segment_opened": "A segment of the ledger begins; always its first line.",
  "keeper.started": "A keeper took the home and serves.",
  "keeper.stopped": "A keeper ended in good order.",
  "keeper.tail_quarantined": "Bytes that were never acknowledged stood at the end of the ledger and were set aside.",
  "keeper.tick_interval_changed": "Ticks have another length from here on.",
  "mcp.question_answered": "The question is over: a person answered, or nobody will.",
  "mcp.question_asked": "A server asks something of a person in mid-call.",
  "mcp.tool_accepted": "A tool may be offered to agents as it describes itself here, until it describes itself in another way.",
  "media.entry_failed": "An entry could not be played; it stays, marked.",
  "media.entry_finished": "An entry was played to its end.",
  "media.entry_started": "An entry is what is played from now on.",
  "media.intent_set": "Playing goes on, or stands.",
  "media.playlist_added": "Entries were put into a playlist, before another one or at the end.",
  "media.playlist_created": "A playlist was made, empty.",
  "media.playlist_deleted": "A playlist is gone.",
  "media.playlist_moved": "An entry of a playlist was put elsewhere.",
  "media.playlist_removed": "Entries were taken out of a playlist.",
  "media.playlist_renamed": "A playlist has another name.",
  "media.queue_added": "Entries were put into the queue, before another one or at the end.",
  "media.queue_cleared": "All entries were taken out of the queue.",
  "media.queue_moved": "An entry of the queue was put elsewhere.",
  "media.queue_removed": "Entries were taken out of the queue.",
  "media.repeat_set": "What comes after the last entry was set.",
  "media.shuffle_set": "The order was shuffled anew, or is that of the queue again.",
  "media.stopped": "Nothing is played any more.",
  "media.volume_set": "The volume was set.",
  "memory.dream_forgotten": "A dream was taken out of the list; its line stays.",
  "memory.dream_written": "A dream was written.",
  "memory.edge_closed": "An edge holds no longer.",
  "memory.edge_recorded": "An edge of the graph is there from here on.",
  "memory.fact_decided": "A person decided on a proposed fact; an approved one is remembered in the same batch.",
  "memory.fact_forgotten": "A fact was taken back; its line stays.",
  "memory.fact_proposed": "A fact that sleep found, but that could not be held against what was said, waits for a person.",
  "memory.fact_remembered": "A fact was learnt.",
  "memory.forgotten": "A matter was taken back: what was said of it is not recalled, shown or learnt from again. The lines stay.",
  "memory.identity_changed": "The identity document has a new version.",
  "memory.identity_decided": "A person decided on a proposed identity; an approved one is the version in force from here on.",
  "memory.identity_proposed": "A large change of the identity waits for a person.",
  "memory.node_closed": "A node holds no longer; its versions stay.",
  "memory.node_recorded": "A node of the graph is so from here on; an older version of it is closed, not overwritten.",
  "memory.reset": "The short-term window ends here: earlier epochs leave the prompt, none is deleted.",
  "par.written": "What was tried against a problem, what worked, what did not, and what to change.",
  "sleep.ended": "It ended. If it did not fail, the short-term window ends in the same batch.",
  "sleep.started": "A sleep began.",
  "sleep.step_finished": "A step of it is done; its findings stand in the same batch.",
  "space.named": "A space has these members from here on.",
  "space.said": "Something was said in a space, or between two.",
  "stdout.granted": "An entity may read the log of the line's entity from here on.",
  "stdout.revoked": "An entity may not read the log of the line's entity any more.",
  "stdout.written": "An entry of an entity's log. Counts at once, also when its epoch is aborted.",
  "stimulus.accepted": "A stimulus is durable and will be answered or aborted; its caller has been told.",
  "tool.finished": "A call ended: the outcome.",
  "tool.inner_finished": "What it got.",
  "tool.inner_requested": "A tool that the agent made asks for another one, within its own call. Durable before anything outside changes.",
  "tool.kept": "A tool keeps a value for the agent, or drops it. In force when the epoch commits.",
  "tool.requested": "A call is about to run: the intent. Durable before anything outside changes.",
  "tools.policy_changed": "A person set what agents may do with a tool, or took that back. In force from the next call on.",
  "turn.completed": "A mind answered with a voice that fits.",
  "turn.failed": "An attempt gave nothing usable; the turn is asked again, or the epoch ends.",
  "turn.started": "A mind is asked.",
  "wake.cancelled": "A wake is taken back.",
  "wake.fired": "A wake is over: its stimulus stands in the same batch, under the same epoch.",
  "wake.ran": "A scheduled stimulus was given: it stands in the same batch, under the same epoch.",
  "wake.scheduled": "A schedule of the configuration is in force, as it stands here, from here on.",
  "wake.set": "An agent is to be woken once, when a condition holds.",
  "wake.unscheduled": "A schedule of the configuration is there no more.",
  "watchdog.acknowledged": "A person has an episode in hand: it climbs no further for a while.",
  "watchdog.alarmed": "A person is to be told that agents have not been judged for a long time.",
  "watchdog.attention_ended": "Matters that people were to be told of are over.",
  "watchdog.attention_raised": "People are to be told of matters that wait for them, beside stalls.",
  "watchdog.bell_answered": "The process breathes, which ends no episode.",
  "watchdog.bell_failed": "The bell reached nobody; the next rung follows at once.",
  "watchdog.bell_rung": "First rung: the agent's process is about to be asked whether it breathes.",
  "watchdog.blinded": "Agents cannot be judged from here on; nobody is paged for silence.",
  "watchdog.closed": "Those who had been told of something were told that it is over or in hand, or could not be.",
  "watchdog.escalated": "Third rung, once an episode: a person is to be told.",
  "watchdog.notified": "A person was told.",
  "watchdog.notify_failed": "Nobody could be told; it is tried again.",
  "watchdog.page_delivered": "The channel took a page, for every agent that it names.",
  "watchdog.page_failed": "The channel did not take a page; the next rung follows at once.",
  "watchdog.paged": "Second rung: the agent is about to be paged on the channel.",
  "watchdog.paused": "Maintenance began: scans go on, nobody is rung or paged.",
  "watchdog.rebased": "Time passed in which nobody could be watched: it counts as nobody's silence.",
  "watchdog.resolved": "Evidence returned: the episode is over.",
  "watchdog.resumed": "Maintenance is over.",
  "watchdog.scanned": "All agents were looked at; one line a scan, whatever it found.",
  "watchdog.sighted": "Agents can be judged again.",
  "watchdog.silenced": "An agent, or every agent where the line is the keeper's, is neither rung nor paged for a while.",
  "watchdog.stall_opened": "An agent with something to do has been silent for too long: an episode begins.",
  "watchdog.stepped": "A further step of an escalation, each once an episode: others are to be told, too.",
  "watchdog.tested": "The ladder was tried out, without an agent that stalled.",
  "watchdog.unsilenced": "A silence was ended before its time.",
  "watchdog.withdrawn": "The agent is no longer in a state that can stall: the episode is over without evidence.",
};
