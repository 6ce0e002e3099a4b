/** Money. A price that nobody knows is said to be unknown, never shown as nothing. */
export function Cost({ microusd, unpriced = 0 }: { microusd: number | null | undefined; unpriced?: number }) {
  const isUnknown = microusd == null || (microusd === 0 && unpriced > 0);
  if (isUnknown) return <span title="the price of this model is not in the price file">price unknown</span>;
  const more = unpriced > 0 ? `and ${unpriced} askings whose price is unknown` : undefined;
  return (
    <span title={more}>
      {money(microusd)}
      {unpriced > 0 && "+"}
    </span>
  );
}

/** Millionths of a dollar as text, with as many places as are worth reading. */
export function money(microusd: number): string {
  const dollars = microusd / 1_000_000;
  if (dollars === 0) return "$0";
  if (dollars < 0.01) return `$${dollars.toFixed(4)}`;
  return `$${dollars.toFixed(2)}`;
}

/** `1,234`, `12.3 k`, `1.2 M`. */
export function count(n: number): string {
  if (n < 10_000) return n.toLocaleString("en");
  if (n < 1_000_000) return `${(n / 1000).toFixed(1)} k`;
  return `${(n / 1_000_000).toFixed(1)} M`;
}

/** `512 B`, `1.5 kB`, `3.0 MB`. */
export function bytes(n: number): string {
  if (n < 1024) return `${n} B`;
  if (n < 1024 * 1024) return `${(n / 1024).toFixed(1)} kB`;
  return `${(n / 1024 / 1024).toFixed(1)} MB`;
}
