import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { CardDifference, DeckStateView } from "@/api/generated";
import { Dialog, LoadError, Loading, Select, visibleLine } from "@/ui";
import { byZone } from "./compare-model";
import { compareQuery, decksQuery } from "./queries";
import { zoneTitle } from "./zones";

/** What another deck has that this one has not, and the other way round; counts too. */
export function CompareDialog({ state, onClose }: { state: DeckStateView; onClose: () => void }) {
  const decks = useQuery(decksQuery).data?.items.filter((one) => one.deck_id !== state.deck_id) ?? [];
  const [chosen, setChosen] = useState("");
  const other = decks.find((one) => one.deck_id === chosen);
  const asked = useQuery(compareQuery(state.deck_id, chosen));
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title="Compare with another deck" size="l">
      <div className="flex min-h-60 flex-col gap-3 px-4 pb-4 text-sm">
        <Select label="The other deck" value={chosen} onChange={(event) => setChosen(event.target.value)}>
          <option value="">{decks.length === 0 ? "there is no other deck" : "choose one"}</option>
          {decks.map((one) => (
            <option key={one.deck_id} value={one.deck_id}>
              {visibleLine(one.name)}
            </option>
          ))}
        </Select>
        {chosen && asked.isPending && <Loading what="the differences" />}
        {asked.isError && <LoadError what="The decks could not be compared." error={asked.error} />}
        {other && asked.data && <Differences items={asked.data.items} left={state.name} right={other.name} />}
      </div>
    </Dialog>
  );
}

function Differences(props: { items: readonly CardDifference[]; left: string; right: string }) {
  if (props.items.length === 0) return <p className="text-muted">They have the same cards.</p>;
  return byZone(props.items).map(([zone, items]) => (
    <table key={zone} className="w-full text-[13px]">
      <caption className="pb-1 text-left text-sm font-semibold text-ink">{zoneTitle(zone)}</caption>
      <thead>
        <tr className="text-left text-muted">
          <th scope="col" className="font-normal">
            Card
          </th>
          <th scope="col" className="w-1/4 text-right font-normal break-words">
            {visibleLine(props.left)}
          </th>
          <th scope="col" className="w-1/4 text-right font-normal break-words">
            {visibleLine(props.right)}
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((one) => (
          <tr key={one.card} className="border-t border-line text-ink tabular-nums">
            <th scope="row" dir="auto" className="py-1 text-left font-normal break-words">
              {visibleLine(one.name)}
            </th>
            <td className="text-right">{one.before || "–"}</td>
            <td className="text-right">{one.after || "–"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  ));
}
