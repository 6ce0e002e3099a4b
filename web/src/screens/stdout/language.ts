// The words of the command language, as `\help` has them: what completion offers and the help shows.

export interface Word {
  /** What is put in. */
  text: string;
  about: string;
}

export const COMMANDS: readonly Word[] = [
  { text: "\\stdout ", about: "notes: write, read, query" },
  { text: "\\read ", about: "what was said" },
  { text: "\\say ", about: "talks to somebody or in a space" },
  { text: "\\wake ", about: "to be woken once" },
  { text: "\\name ", about: "a space and its members" },
  { text: "\\grant ", about: "lets one read your log" },
  { text: "\\revoke ", about: "lets one read it no more" },
  { text: "\\spawn ", about: "brings an agent into being" },
  { text: "\\help ", about: "what there is" },
];

export const OPERATIONS: Readonly<Record<string, readonly Word[]>> = {
  stdout: [
    { text: "write: ", about: "keeps an entry" },
    { text: "read: ", about: "the newest entries" },
    { text: "query: ", about: "entries with a text or a condition" },
    { text: "between: ", about: "entries between two ticks" },
    { text: "recent: ", about: "the newest 100" },
    { text: "budget: ", about: "what was spent today" },
    { text: "last-execution: ", about: "how the last epoch ended" },
    { text: "help ", about: "this, in short" },
  ],
  wake: [
    { text: "?(", about: "a condition, then the prompt" },
    { text: "cancel: ", about: "cancelled a wake" },
  ],
  help: [
    { text: "stdout ", about: "the log" },
    { text: "wake ", about: "being woken" },
    { text: "say ", about: "talking to others" },
  ],
};

/** Behind an operation's colon. */
export const BEHIND: Readonly<Record<string, readonly Word[]>> = {
  "read:": [{ text: "last 10 ---", about: "so many" }],
  "query:": [{ text: "?(", about: "a condition" }],
};

export const IN_CONDITIONS: readonly Word[] = [
  { text: "tick ", about: "the world's clock" },
  { text: "content ", about: "the words" },
  { text: "entity ", about: "who wrote it" },
  { text: "timestamp ", about: "when" },
  { text: "kind ", about: "what sort of line" },
  { text: "contains ", about: "has the text" },
  { text: "matches ", about: "fits the pattern" },
  { text: "after tick ", about: "later than" },
  { text: "before tick ", about: "earlier than" },
  { text: "between tick ", about: "from one tick to another" },
  { text: "and ", about: "both" },
  { text: "or ", about: "either" },
  { text: "not ", about: "the opposite" },
];

export const IN_WAKES: readonly Word[] = [
  { text: "from(@", about: "somebody spoke to it" },
  { text: "from(#", about: "somebody spoke in a space" },
  { text: "response(@", about: "somebody answered it" },
  { text: "sleep(", about: "so much time has passed" },
];

export interface Example {
  command: string;
  about: string;
}

export const EXAMPLES: readonly { title: string; examples: readonly Example[] }[] = [
  {
    title: "Notes",
    examples: [
      { command: "\\stdout write: Initialized with config A ---", about: "keeps an entry, durable at once" },
      { command: "\\stdout read: last 10 ---", about: "the newest entries" },
      { command: "\\stdout query: error ---", about: "entries with a text, whatever its case" },
      {
        command: '\\stdout query: ?(tick > 42 and content contains "error") last 5 ---',
        about: "entries of which a condition holds",
      },
      { command: "\\stdout between: 10 20 ---", about: "entries between two ticks" },
      { command: "\\stdout budget: ---", about: "what was spent today" },
      { command: "\\stdout last-execution: ---", about: "how the last epoch ended" },
    ],
  },
  {
    title: "Being woken (agents)",
    examples: [
      {
        command: "\\wake ?(response(@ann) or sleep(2h)) Did Ann answer? ---",
        about: "woken once, when it holds",
      },
      { command: "\\wake ---", about: "what it waits for" },
      { command: "\\wake cancel: 3f2a ---", about: "takes one back, by the beginning of its id" },
    ],
  },
  {
    title: "Talking",
    examples: [
      { command: "\\say @felix The build is green. ---", about: "wakes Felix with it" },
      { command: "\\read ---", about: "what was said to you" },
      { command: "\\name #lab @(felix, ann) ---", about: "a space and its members" },
      { command: "\\say #lab Who takes the release? ---", about: "for all in it to read" },
      { command: "\\read #lab last 20 ---", about: "what was said there" },
    ],
  },
  {
    title: "Who may read what",
    examples: [
      { command: "\\grant @ann ---", about: "Ann may read your log" },
      { command: "\\revoke @ann ---", about: "and no more" },
      { command: "\\stdout read: @ann last 5 ---", about: "Ann's, with her grant" },
    ],
  },
];
