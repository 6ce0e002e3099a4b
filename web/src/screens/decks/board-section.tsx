import type { DeckCardView, DeckFindingView } from "@/api/generated";
import { cx, visibleLine } from "@/ui";
import { type BoardColumn, type BoardSection, keyOf } from "./board-model";
import { CardRow, type RowHandlers } from "./card-row";

interface Props {
  section: BoardSection;
  /** Whether a card that is carried would go here. */
  isOver: boolean;
  findings: ReadonlyMap<string, readonly DeckFindingView[]>;
  commanders: readonly DeckCardView[];
  reached: string | undefined;
  carried: string | undefined;
  previewed: string | undefined;
  on: RowHandlers;
}

const NONE: readonly DeckFindingView[] = [];

/** A place of the deck with its cards, in columns where they are grouped. */
export function BoardSectionView(props: Props) {
  const { section, isOver } = props;
  const id = `zone-${section.zone}`;
  return (
    <section
      aria-labelledby={id}
      data-zone={section.zone}
      className={cx(
        "mt-4 rounded-xl border px-2 pt-2 pb-3 sm:px-3",
        isOver ? "border-accent bg-life-soft" : "border-line bg-surface",
      )}
    >
      <h2 id={id} className="px-1 text-sm font-semibold tracking-wide text-ink">
        {section.title} <span className="font-normal text-muted tabular-nums">{section.count}</span>
      </h2>
      {section.count === 0 ? (
        <p className="px-1 text-[13px] text-muted">{empty(section)}</p>
      ) : (
        <div className="mt-1 columns-[15.5rem] gap-x-4">
          {section.columns.map((column) => (
            <Column key={column.id} {...props} column={column} />
          ))}
        </div>
      )}
    </section>
  );
}

function empty(section: BoardSection): string {
  if (section.zone === "commander") return "No card leads the deck. Move one here.";
  return section.zone === "main" ? "No card yet. Add one above." : "Empty. Move a card here.";
}

function Column({ column, section, ...props }: Props & { column: BoardColumn }) {
  const isAlone = section.columns.length === 1 && section.zone !== "main";
  return (
    <div className="mb-3">
      {!isAlone && (
        <h3 className="break-after-avoid px-1 pb-0.5 text-xs font-semibold tracking-wide text-muted uppercase">
          {visibleLine(column.title)} <span className="font-normal tabular-nums">{column.count}</span>
        </h3>
      )}
      <ul aria-label={isAlone ? section.title : column.title}>
        {column.cards.map((card) => {
          const key = keyOf(card);
          return (
            <CardRow
              key={key}
              card={card}
              findings={props.findings.get(card.oracle_id) ?? NONE}
              commanders={props.commanders}
              isReached={key === props.reached}
              isCarried={key === props.carried}
              isPreviewed={key === props.previewed}
              on={props.on}
            />
          );
        })}
      </ul>
    </div>
  );
}
