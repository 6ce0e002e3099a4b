import { useState } from "react";
import type { DeckOp, ProposalLineView } from "@/api/generated";
import { Button, Dialog, Input, Select, visibleLine } from "@/ui";
import { CardFinder } from "./add-card";
import { refOf } from "./ops";
import {
  COUNT_MAX,
  isWhole,
  lineCard,
  lineCount,
  lineText,
  lineZone,
  withCard,
  withCount,
  withText,
  withZone,
} from "./rewrite-model";
import { lineWords } from "./words";
import { MOVE_ZONES, zoneTitle } from "./zones";

/** Changes a line before it is approved. Who proposed it hears of it. */
export function RewriteDialog(props: {
  deck: string;
  line: ProposalLineView;
  onSave: (line: DeckOp) => Promise<void>;
  onClose: () => void;
}) {
  const [line, setLine] = useState<DeckOp>(props.line.line);
  const [isBusy, setBusy] = useState(false);
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && props.onClose()}
      title="Rewrite the line"
      about="Whoever proposed it is told what you made of it."
    >
      <form
        className="flex min-h-80 flex-col gap-3 px-4 pb-4 text-sm"
        onSubmit={(event) => {
          event.preventDefault();
          setBusy(true);
          void props.onSave(line).finally(() => setBusy(false));
        }}
      >
        <p className="text-muted">Was: {lineWords(props.line.line).text}</p>
        <p role="status" className="font-medium text-ink">
          Now: {lineWords(line).text}
        </p>
        <Fields line={line} deck={props.deck} onLine={setLine} />
        <div className="mt-auto flex justify-end gap-2">
          <Button tone="ghost" onClick={props.onClose}>
            Cancel
          </Button>
          <Button tone="primary" type="submit" busy={isBusy} disabled={!isWhole(line)}>
            Rewrite
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Fields(props: { line: DeckOp; deck: string; onLine: (line: DeckOp) => void }) {
  const { line, onLine } = props;
  const [count, card, zone, text] = [lineCount(line), lineCard(line), lineZone(line), lineText(line)];
  return (
    <>
      {count !== null && (
        <Input
          label="How many"
          type="number"
          min={line.op === "set_count" ? 0 : 1}
          max={COUNT_MAX}
          className="w-32"
          value={Number.isNaN(count) ? "" : count}
          onChange={(event) => onLine(withCount(line, event.target.valueAsNumber))}
        />
      )}
      {card !== null && (
        <div>
          <p className="mb-1 text-[13px] text-muted">
            Another card instead of <span className="text-ink">{visibleLine(card.name)}</span>
          </p>
          <CardFinder
            label="Another card"
            deck={props.deck}
            onChoose={(found) => onLine(withCard(line, refOf(found)))}
          />
        </div>
      )}
      {zone !== null && (
        <Select
          label="Where to"
          className="w-48"
          value={zone}
          onChange={(event) =>
            onLine(withZone(line, MOVE_ZONES.find((one) => one === event.target.value) ?? zone))
          }
        >
          {MOVE_ZONES.map((one) => (
            <option key={one} value={one}>
              {zoneTitle(one)}
            </option>
          ))}
        </Select>
      )}
      {text !== null && (
        <Input
          label={line.op === "rename" ? "Name" : "Tags, parted by commas"}
          defaultValue={text}
          maxLength={line.op === "rename" ? 120 : 1_000}
          onChange={(event) => onLine(withText(line, event.target.value))}
        />
      )}
    </>
  );
}
