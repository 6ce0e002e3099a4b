// What a deck is, in figures: legality, curve, colours, price, bracket.
import { useQueryClient } from "@tanstack/react-query";
import { CircleCheck, CircleX, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { DeckFindingView, DeckStateView } from "@/api/generated";
import { toast, toastError } from "@/app/toasts";
import { Select, visible, visibleLine } from "@/ui";
import { act } from "./acts";
import { Curve } from "./curve";
import { mean } from "./delta";
import { inWeight, legalWords } from "./findings";
import { setBracket } from "./routes";
import { amount, bracketName, colourName, coverage } from "./words";

export function Figures({ state, onCard }: { state: DeckStateView; onCard: (oracleId: string) => void }) {
  return (
    <div className="flex flex-col gap-5 py-4 text-sm">
      <Legality state={state} onCard={onCard} />
      <Part title="Mana curve" note={`mean ${mean(state.curve)}`}>
        <Curve after={state.curve} />
      </Part>
      <Colours state={state} />
      <Part title="Price" note={coverage(state.price)}>
        <p className="text-lg text-ink tabular-nums">{amount(state.price.total, state.price.currency)}</p>
      </Part>
      <Bracket state={state} />
    </div>
  );
}

function Part({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h2 className="mb-1.5 flex flex-wrap items-baseline gap-x-2 text-sm font-semibold text-ink">
        {title}
        {note && <span className="text-[13px] font-normal text-muted">{note}</span>}
      </h2>
      {children}
    </section>
  );
}

function Legality({ state, onCard }: { state: DeckStateView; onCard: (oracleId: string) => void }) {
  const Icon = state.legal ? CircleCheck : CircleX;
  return (
    <Part title="Legality">
      <p className={state.legal ? "flex items-center gap-2 text-life" : "flex items-center gap-2 text-fail"}>
        <Icon aria-hidden className="size-4 shrink-0" />
        {legalWords(state)}
      </p>
      <ul className="mt-1.5 flex flex-col gap-1.5">
        {inWeight(state.legality).map((one, at) => (
          <Finding key={at} finding={one} onCard={onCard} />
        ))}
      </ul>
    </Part>
  );
}

function Finding(props: { finding: DeckFindingView; onCard: (oracleId: string) => void }) {
  const { finding } = props;
  const { card, oracle_id } = finding;
  return (
    <li className="flex gap-2 text-[13px] text-ink">
      <TriangleAlert
        aria-hidden
        className={
          finding.severity === "warning"
            ? "mt-0.5 size-3.5 shrink-0 text-wait"
            : "mt-0.5 size-3.5 shrink-0 text-fail"
        }
      />
      <span className="min-w-0 break-words">
        {visible(finding.message)}
        {card && oracle_id && (
          <>
            {" "}
            <button
              type="button"
              className="text-accent underline underline-offset-3"
              onClick={() => props.onCard(oracle_id)}
            >
              show {visibleLine(card)}
            </button>
          </>
        )}
      </span>
    </li>
  );
}

function Colours({ state }: { state: DeckStateView }) {
  const shown = Object.entries(state.colours).filter(([, one]) => one.pips > 0 || one.sources > 0);
  return (
    <Part title="Colours">
      {shown.length === 0 ? (
        <p className="text-[13px] text-muted">None.</p>
      ) : (
        <table className="w-full text-[13px]">
          <thead>
            <tr className="text-left text-muted">
              <th scope="col" className="font-normal">
                Colour
              </th>
              <th scope="col" className="text-right font-normal">
                Symbols
              </th>
              <th scope="col" className="text-right font-normal">
                Sources
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map(([letter, one]) => (
              <tr key={letter} className="text-ink tabular-nums">
                <th scope="row" className="text-left font-normal">
                  {colourName(letter)}
                </th>
                <td className="text-right">{one.pips}</td>
                <td className="text-right">{one.sources}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Part>
  );
}

const BRACKETS = [1, 2, 3, 4, 5];

/** The estimate with its reasons; what a person says stands apart from it. */
function Bracket({ state }: { state: DeckStateView }) {
  const client = useQueryClient();
  const { bracket } = state;
  const set = async (value: number | null) => {
    const { error } = await act(client, state.deck_id, () => setBracket(state.deck_id, value));
    if (error !== undefined) toastError("The bracket could not be set", error);
    else
      toast({
        title: value === null ? "The bracket is left to the estimate" : `Bracket ${bracketName(value)}`,
      });
  };
  return (
    <Part title="Bracket">
      <p className="text-ink">
        Estimated: {bracket.estimate == null ? "unknown" : bracketName(bracket.estimate)}
      </p>
      <ul className="mt-1 list-disc pl-5 text-[13px] text-muted">
        {bracket.reasons.map((reason) => (
          <li key={reason} className="break-words">
            {visible(reason)}
          </li>
        ))}
      </ul>
      <Select
        label="You say"
        className="mt-2"
        value={bracket.set ?? ""}
        onChange={(event) => void set(event.target.value ? Number(event.target.value) : null)}
      >
        <option value="">nothing; the estimate stands</option>
        {BRACKETS.map((one) => (
          <option key={one} value={one}>
            {bracketName(one)}
          </option>
        ))}
      </Select>
    </Part>
  );
}
