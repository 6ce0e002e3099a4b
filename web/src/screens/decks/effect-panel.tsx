import { useQuery } from "@tanstack/react-query";
import { messageOf } from "@/api/errors";
import type { DeckProposalView } from "@/api/generated";
import { cx, visible } from "@/ui";
import { Curve } from "./curve";
import { deltaRows } from "./delta";
import { effectQuery } from "./queries";
import { isWhole } from "./review-model";

/** The deck before, and after what is ticked. */
export function EffectPanel(props: {
  deck: string;
  rev: number;
  proposal: DeckProposalView;
  ticked: readonly number[];
}) {
  const { proposal, ticked } = props;
  const isAll = isWhole(proposal, ticked);
  const needs = ticked.length > 0 && !isAll;
  const asked = useQuery({
    ...effectQuery(props.deck, proposal.id, props.rev, ticked),
    enabled: needs,
  });
  const { before } = proposal;
  const after = ticked.length === 0 ? before : needs ? asked.data?.after : proposal.after;
  const isOld = needs && asked.isPlaceholderData;
  return (
    <section
      aria-labelledby="effect-title"
      className="rounded-xl border border-line bg-surface p-3 text-sm"
      data-testid="effect"
      data-lines={ticked.length}
      aria-busy={(needs && asked.isFetching) || undefined}
    >
      <h3 id="effect-title" className="font-semibold text-ink">
        What is ticked would do
      </h3>
      <p className="text-[13px] text-muted">
        {ticked.length === 0 ? "Nothing is ticked." : `${ticked.length} of ${proposal.ops.length} lines`}
      </p>
      {needs && asked.isError ? (
        <p role="alert" className="mt-2 break-words text-fail">
          {visible(messageOf(asked.error))}
        </p>
      ) : (
        <>
          {isAll && proposal.problem && (
            <p className="mt-2 break-words text-fail">
              They cannot be done together: {visible(proposal.problem)}
            </p>
          )}
          {after && (
            <div className={cx("mt-2", isOld && "opacity-60")}>
              <Rows rows={deltaRows(before, after)} />
              <div className="mt-3">
                <Curve before={before.curve} after={after.curve} />
              </div>
            </div>
          )}
        </>
      )}
    </section>
  );
}

function Rows({ rows }: { rows: ReturnType<typeof deltaRows> }) {
  return (
    <table className="w-full text-[13px]">
      <thead>
        <tr className="text-left text-muted">
          <td />
          <th scope="col" className="font-normal">
            Before
          </th>
          <th scope="col" className="font-normal">
            After
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.label} className="align-top tabular-nums">
            <th scope="row" className="py-0.5 pr-2 text-left font-normal text-muted">
              {row.label}
            </th>
            <td className="py-0.5 pr-2 text-muted">{row.before}</td>
            <td
              className={cx(
                "py-0.5",
                row.warns ? "font-semibold text-fail" : row.isSame ? "text-muted" : "font-semibold text-ink",
              )}
            >
              {row.isSame ? row.after : `→ ${row.after}`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
