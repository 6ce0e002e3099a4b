import { curveColumns, curveWords } from "./delta";

const HEIGHT = 72;
const WIDTH = 240;
const FOOT = 16;
const HEAD = 14;

/** Bars of a mana curve with their numbers. With `before`, both stand side by side and a change is written as one. */
export function Curve({ before, after }: { before?: readonly number[]; after: readonly number[] }) {
  const { columns, top } = curveColumns(before ?? after, after);
  const step = WIDTH / Math.max(1, columns.length);
  const tall = (n: number) => (n === 0 ? 0 : Math.max(2, (n / top) * (HEIGHT - HEAD)));
  const label = before ? `before: ${curveWords(before)}; after: ${curveWords(after)}` : curveWords(after);
  const bar = before ? (step - 6) / 2 : step - 6;
  return (
    <svg
      role="img"
      aria-label={`Mana curve, ${label}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT + FOOT}`}
      className="w-full max-w-sm"
    >
      {columns.map((column, at) => {
        const x = at * step + 3;
        const isSame = column.before === column.after;
        return (
          <g key={column.label}>
            {before && (
              <rect
                x={x}
                y={HEIGHT - tall(column.before)}
                width={bar}
                height={tall(column.before)}
                className="fill-line-strong"
              />
            )}
            <rect
              x={before ? x + bar : x}
              y={HEIGHT - tall(column.after)}
              width={bar}
              height={tall(column.after)}
              className="fill-life"
            />
            <text
              x={x + (step - 6) / 2}
              y={HEIGHT - Math.max(tall(column.before), tall(column.after)) - 3}
              textAnchor="middle"
              className="fill-ink text-[9px]"
            >
              {isSame ? column.after || "" : `${column.before}→${column.after}`}
            </text>
            <text
              x={x + (step - 6) / 2}
              y={HEIGHT + 11}
              textAnchor="middle"
              className="fill-muted text-[9px]"
            >
              {column.label}
            </text>
          </g>
        );
      })}
      <line x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} className="stroke-line-strong" />
    </svg>
  );
}
