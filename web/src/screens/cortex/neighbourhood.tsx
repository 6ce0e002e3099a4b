import { DRAWN_MAX, edgeWord, type Neighbour, placed } from "./graph-model";

const SIZE = { width: 420, height: 250, margin: 78 };
const LABEL_CHARS = 22;
/** Text with a rim, so that lines do not run through it. */
const LABEL = {
  textAnchor: "middle",
  paintOrder: "stroke",
  strokeWidth: 4,
  className: "fill-ink stroke-surface",
} as const;

/** A node in the middle of its neighbours. The list below says the same in words and is what can be pressed. */
export function Neighbourhood({ id, neighbours }: { id: string; neighbours: readonly Neighbour[] }) {
  const drawn = placed(neighbours, SIZE);
  const [cx, cy] = [SIZE.width / 2, SIZE.height / 2];
  const label = `${id} among ${drawn.length} neighbours`;
  return (
    <figure className="border-t border-line px-2 pt-2">
      <svg
        role="img"
        aria-label={label}
        viewBox={`0 0 ${SIZE.width} ${SIZE.height}`}
        className="mx-auto h-auto w-full max-w-[600px]"
      >
        <title>{label}</title>
        {drawn.map(({ neighbour, x, y }) => (
          <line
            key={neighbour.seq}
            x1={cx}
            y1={cy}
            x2={x}
            y2={y}
            className="stroke-line-strong"
            strokeWidth="1.5"
            strokeDasharray={neighbour.validTo ? "4 4" : undefined}
          />
        ))}
        {drawn.map(({ neighbour, x, y }) => (
          <g key={neighbour.seq}>
            <title>
              {neighbour.isOut
                ? `${id} ${edgeWord(neighbour.edge)} ${neighbour.id}`
                : `${neighbour.id} ${edgeWord(neighbour.edge)} ${id}`}
            </title>
            <circle cx={x} cy={y} r="6" className="fill-raised stroke-thought" strokeWidth="2" />
            <text x={x} y={y < cy ? y - 12 : y + 20} fontSize="12" {...LABEL}>
              {short(neighbour.id)}
            </text>
          </g>
        ))}
        <circle cx={cx} cy={cy} r="9" className="fill-life" />
        <text x={cx} y={cy + 25} fontSize="13" fontWeight="600" {...LABEL}>
          {short(id)}
        </text>
      </svg>
      {neighbours.length > DRAWN_MAX && (
        <figcaption className="px-2 pb-1 text-xs text-muted">
          The first {DRAWN_MAX} of {neighbours.length} are drawn.
        </figcaption>
      )}
    </figure>
  );
}

const short = (text: string) => (text.length > LABEL_CHARS ? `${text.slice(0, LABEL_CHARS - 1)}…` : text);
