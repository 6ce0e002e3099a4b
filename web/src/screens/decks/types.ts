// Shapes of the deck routes.

export type DeckZone =
  | "commander"
  | "companion"
  | "main"
  | "sideboard"
  | "maybeboard"
  | "attractions"
  | "stickers"
  | "tokens";

export interface PrintingRef {
  set: string;
  number?: string;
}

export interface CardRef {
  id: string;
  name: string;
}

export interface EntryTarget {
  card: CardRef;
  zone?: DeckZone;
  printing?: PrintingRef;
  finish?: string;
}

export type DeckOp =
  | { op: "add" | "remove" | "set_count"; entry: EntryTarget; count: number }
  | { op: "move"; entry: EntryTarget; to: DeckZone; count: number }
  | { op: "swap"; out: EntryTarget; into: CardRef; count: number }
  | { op: "set_commanders"; cards: CardRef[] }
  | { op: "choose_colour"; card: CardRef; colour?: string }
  | { op: "set_tags"; entry: EntryTarget; tags: string[] }
  | { op: "rename"; name: string };

export interface CardFaceView {
  name: string;
  mana_cost?: string;
  type_line: string;
  rules_text?: string;
  power?: string;
  toughness?: string;
}

export interface CardFactsView {
  oracle_id: string;
  name: string;
  mana_cost?: string;
  mana_value: number;
  type_line: string;
  colours: string[];
  colour_identity: string[];
  rules_text?: string;
  power?: string;
  toughness?: string;
  faces?: CardFaceView[];
  price?: number;
  image: boolean;
  group: string;
  known: boolean;
}

export interface DeckCardView extends CardFactsView {
  count: number;
  zone: DeckZone;
  printing?: PrintingRef;
  finish: string;
  tags: string[];
  findings: string[];
}

export interface DeckFindingView {
  code: string;
  card?: string;
  oracle_id?: string;
  zone?: DeckZone;
  message: string;
  severity: string;
}

export interface DeckPriceView {
  currency: string;
  total: number;
  priced: number;
  of: number;
}

export interface DeckBracketView {
  estimate: number | null;
  set?: number;
  reasons: string[];
}

export interface DeckSummaryView {
  count: number;
  legal: boolean;
  price: DeckPriceView;
  curve: number[];
  bracket: DeckBracketView;
  legality: DeckFindingView[];
}

export interface ProposalLineView {
  id: number;
  op: string;
  card: string;
  count: number;
  line: DeckOp;
  original?: DeckOp;
  state: string;
  cause?: string;
  rev?: number;
  cards: CardFactsView[];
}

export interface DeckActor {
  who: string;
  name: string;
}

export interface DeckProposalView {
  id: string;
  deck_rev: number;
  by: DeckActor;
  reason: string;
  ops: ProposalLineView[];
  before: DeckSummaryView;
  after: DeckSummaryView | null;
  problem?: string;
}

export interface UnparsedLineView {
  line: number;
  text: string;
  why: string;
}

export interface DeckCardNameView {
  oracle_id: string;
  name: string;
}

export interface DeckStateView {
  deck_id: string;
  name: string;
  format: string;
  rev: number;
  commander: DeckCardView[];
  cards: DeckCardView[];
  unparsed: UnparsedLineView[];
  legality: DeckFindingView[];
  legal: boolean;
  curve: number[];
  colours: Record<string, { pips: number; sources: number }>;
  types: Record<string, number>;
  price: DeckPriceView;
  bracket: DeckBracketView;
  companion?: DeckCardView;
  commander_candidates: DeckCardNameView[];
  forked_from?: { deck_id: string; rev: number };
  updated_at: string;
  proposals: DeckProposalView[];
  import_notes?: string[];
}

export interface DeckItemView {
  deck_id: string;
  name: string;
  format: string;
  commander: string | null;
  count: number;
  legal: boolean;
  rev: number;
  updated_at: string;
  open_proposals: number;
}

export interface EntryContent {
  count: number;
  name: string;
  tags?: string[];
  label?: string;
}

export type DeckChange =
  | {
      of: "entry";
      key: { zone: DeckZone; card: string; printing?: PrintingRef; finish?: string };
      before?: EntryContent;
      after?: EntryContent;
    }
  | { of: "colour"; card: string; before?: string; after?: string }
  | { of: "name"; before: string; after: string };

export interface DeckRevisionView {
  rev: number;
  at: string;
  by: DeckActor;
  cause: string;
  proposal_id?: string;
  ops?: number[];
  undone?: number;
  changes: DeckChange[];
  is_undone: boolean;
  undoable: boolean;
}

export interface CardDifference {
  zone: DeckZone;
  card: string;
  name: string;
  before: number;
  after: number;
}

export interface CardTableView {
  state: "missing" | "loading" | "ready" | "pulling";
  cards: number;
  updated_at: string | null;
  source: string | null;
  hint?: string;
}

export interface DeckExportView {
  format: string;
  text: string;
  lost: string[];
}

export interface DeckEffectView {
  before: DeckSummaryView;
  after: DeckSummaryView;
  differences: CardDifference[];
}

export interface DeckPlaytestView {
  seed: number;
  hand: CardFactsView[];
  to_bottom: number;
  library: number;
  next: CardFactsView[];
}

export interface DeckConflictView {
  id: number;
  cause: string;
  rev?: number;
  by?: DeckActor;
  changes: DeckChange[];
}
