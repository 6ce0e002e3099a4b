import { type Comparison, type Distribution, share } from "./model";

const WIDTH = 640;
const ROW = 26;
const INSET = 8;
/** Dots of a strip: more would hide each other. */
const DOTS_MAX = 300;

/** How the code in force and the change are distributed, on one scale, with what it says in words below. */
export function Strips({ comparison }: { comparison: Comparison }) {
  const { measure, main, candidate } = comparison;
  const values = [...main.values, ...candidate.values];
  const [least, most] = [Math.min(...values), Math.max(...values)];
  // Times and costs have long tails: equal distances are equal ratios.
  const [from, to] = [Math.log(least), Math.log(most)];
  const x = (value: number) => INSET + ((Math.log(value) - from) / (to - from || 1)) * (WIDTH - 2 * INSET);
  const change = share(candidate.median / main.median - 1);
  const { format } = measure;
  const label = `${measure.name}: median ${format(main.median)} before, ${format(candidate.median)} with the change (${change})`;
  return (
    <figure className="px-4 py-3" data-testid={`strips-${measure.key}`}>
      <figcaption className="flex flex-wrap gap-x-2 text-sm text-ink">
        <span className="font-medium">{measure.name}</span>
        <span className="text-muted">
          median {format(main.median)} → {format(candidate.median)}, {change}
        </span>
      </figcaption>
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${WIDTH} ${2 * ROW}`}
        className="mt-1 block h-auto w-full"
      >
        <title>{label}</title>
        <Strip of={main} x={x} y={0} className="text-muted" />
        <Strip of={candidate} x={x} y={ROW} className="text-life" />
      </svg>
      <p className="flex flex-wrap justify-between gap-x-3 text-xs text-muted">
        <span>{format(least)}</span>
        <span>
          above: before; below: with the change; the box holds the middle half of {main.values.length}{" "}
          {main.values.length === 1 ? "pair" : "pairs"}
        </span>
        <span>{format(most)}</span>
      </p>
    </figure>
  );
}

function Strip(props: { of: Distribution; x: (value: number) => number; y: number; className: string }) {
  const { of, x, y } = props;
  const middle = y + ROW / 2;
  const step = Math.max(1, Math.ceil(of.values.length / DOTS_MAX));
  const dots = of.values.filter((_, at) => at % step === 0);
  return (
    <g className={props.className}>
      <line x1={INSET} x2={WIDTH - INSET} y1={middle} y2={middle} className="stroke-line" />
      <rect
        x={x(of.low)}
        y={y + 4}
        width={Math.max(2, x(of.high) - x(of.low))}
        height={ROW - 8}
        rx="3"
        fill="currentColor"
        fillOpacity="0.22"
      />
      {dots.map((value, at) => (
        <circle key={at} cx={x(value)} cy={middle} r="2.5" fill="currentColor" fillOpacity="0.55" />
      ))}
      <line
        x1={x(of.median)}
        x2={x(of.median)}
        y1={y + 2}
        y2={y + ROW - 2}
        stroke="currentColor"
        strokeWidth="3"
      />
    </g>
  );
}
