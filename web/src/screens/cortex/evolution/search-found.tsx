import type { RankingSearchView } from "@/api/generated";
import { Badge, Card, CardHead, Code, ShareBar } from "@/ui";
import { sentence } from "./report-model";
import { byChance, gain, type OrderRow, ordersOf, questions, score } from "./search-model";

/** What a search found, beside today's order, on questions that nothing was chosen by. */
export function SearchFound({ search }: { search: RankingSearchView }) {
  const orders = ordersOf(search);
  const held = search.report?.held_out ?? 0;
  const today = search.report?.today ?? 0;
  return (
    <Card aria-labelledby="found-title">
      <CardHead id="found-title" title="What it found" note={`on ${questions(held)} that it never saw`} />
      <ul aria-label="Orders" className="divide-y divide-line border-t border-line">
        {orders.map((one) => (
          <Order key={one.name} order={one} held={held} today={today} />
        ))}
      </ul>
      <p className="border-t border-line px-4 py-2 text-xs text-muted">
        A score is the share of the memories a reply rested on that stand among the first ten, from 0 to 1,
        and a hundredth at most for the place of the first. A find is proposed where chance gives as much in
        fewer than one of four searches; what it is worth, its trial says.
      </p>
    </Card>
  );
}

/** What a gain is worth; a loss needs no odds. */
function besideToday({ score: found, p }: OrderRow, today: number): string {
  const words = gain(found, today);
  return sentence(found > today && p !== null ? `${words}; ${byChance(p)}` : words);
}

function Order({ order, held, today }: { order: OrderRow; held: number; today: number }) {
  const isToday = order.p === null;
  return (
    <li className="px-4 py-2 text-sm">
      <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <span className="font-medium text-ink">{order.name}</span>
        {order.isWinner && <Badge tone="life">proposed</Badge>}
        <span className="ml-auto text-[15px] text-ink">{score(order.score)}</span>
      </p>
      <ShareBar
        parts={[
          {
            name: "score",
            value: Math.max(0, order.score),
            className: isToday ? "fill-line-strong" : "fill-life",
          },
          { name: "rest", value: Math.max(0, 1 - order.score), className: "fill-raised" },
        ]}
      />
      <p className="mt-1 text-muted">
        {!isToday && `${besideToday(order, today)} `}
        Nothing needed among the first ten on {order.missed} of {questions(held)}.
        {order.chosen !== null && order.chosen !== undefined && (
          <> On the questions that orders were chosen by: {score(order.chosen)}.</>
        )}
      </p>
      {order.expression && (
        <details className="mt-1">
          <summary className="cursor-pointer text-[13px] text-muted">Its expression</summary>
          <Code text={order.expression} label={`${order.name}, in Scheme`} />
        </details>
      )}
    </li>
  );
}
