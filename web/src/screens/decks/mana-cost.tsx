import { cx } from "@/ui";
import { costWords, symbolsOf } from "./mana";

const COLOURS: Record<string, string> = {
  W: "bg-[#f6f2d6]",
  U: "bg-[#b9dcf2]",
  B: "bg-[#c9c1c0]",
  R: "bg-[#f5ad94]",
  G: "bg-[#a9d6b4]",
};

/** A mana cost: symbols with their letters, so that colour is not all, and words for those who hear it. */
export function ManaCost({ cost, className }: { cost: string | null | undefined; className?: string }) {
  if (!cost) return null;
  return (
    <span role="img" aria-label={costWords(cost)} className={cx("inline-flex shrink-0 gap-px", className)}>
      {symbolsOf(cost).map((symbol, at) => (
        <ManaSymbol key={at} symbol={symbol} />
      ))}
    </span>
  );
}

function ManaSymbol({ symbol }: { symbol: string }) {
  if (symbol === "//") return <span className="px-0.5 text-xs text-muted">{"//"}</span>;
  const colour = /[WUBRG]/.exec(symbol)?.[0] ?? "";
  return (
    <span
      className={cx(
        "inline-flex h-[1.05rem] min-w-[1.05rem] items-center justify-center rounded-full border border-black/30 px-0.5 text-[10px] leading-none font-semibold text-[#14181a]",
        COLOURS[colour] ?? "bg-[#d6d3cf]",
      )}
    >
      {symbol.replace("/", "")}
    </span>
  );
}
