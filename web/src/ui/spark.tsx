/** A small line of values, the oldest left. What it shows is said in `label`. */
export function Spark({
  values,
  label,
  width = 96,
  height = 24,
}: {
  values: readonly number[];
  label: string;
  width?: number;
  height?: number;
}) {
  const top = Math.max(...values, 1e-9);
  const low = Math.min(...values, 0);
  const step = values.length > 1 ? (width - 2) / (values.length - 1) : 0;
  const y = (value: number) => height - 2 - ((value - low) / (top - low || 1)) * (height - 4);
  const points = values.map((value, at) => `${(1 + at * step).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const last = values.at(-1);
  return (
    <svg
      role="img"
      aria-label={label}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      className="text-life"
    >
      <title>{label}</title>
      {values.length > 1 && (
        <polyline
          points={points}
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
          strokeLinejoin="round"
        />
      )}
      {last !== undefined && (
        <circle cx={1 + (values.length - 1) * step} cy={y(last)} r="2" fill="currentColor" />
      )}
    </svg>
  );
}

/** Counts of equal stretches of time as bars, the oldest left. A stretch without anything keeps a thin line. */
export function Bars({
  values,
  label,
  width = 96,
  height = 20,
}: {
  values: readonly number[];
  label: string;
  width?: number;
  height?: number;
}) {
  const top = Math.max(...values, 1);
  const step = width / Math.max(values.length, 1);
  return (
    <svg role="img" aria-label={label} width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
      <title>{label}</title>
      {values.map((value, at) => {
        const tall = value === 0 ? 1 : Math.max(3, (value / top) * height);
        return (
          <rect
            key={at}
            x={at * step}
            y={height - tall}
            width={Math.max(1, step - 1)}
            height={tall}
            className={value === 0 ? "fill-line-strong" : "fill-life"}
          />
        );
      })}
    </svg>
  );
}

/** Shares of a whole as one bar. Each part has a name in the list beside it, so that colour is not all. */
export function ShareBar({
  parts,
}: {
  parts: readonly { name: string; value: number; className: string }[];
}) {
  const total = parts.reduce((sum, part) => sum + part.value, 0) || 1;
  let x = 0;
  return (
    <svg
      aria-hidden
      width="100%"
      height="10"
      viewBox="0 0 1000 10"
      preserveAspectRatio="none"
      className="rounded-full"
    >
      {parts.map((part) => {
        const width = (part.value / total) * 1000;
        const at = x;
        x += width;
        return (
          <rect
            key={part.name}
            x={at}
            y="0"
            width={Math.max(0, width - 2)}
            height="10"
            className={part.className}
          />
        );
      })}
    </svg>
  );
}
