/** How ladders differ in charts and tables: by colours, and by dashes once all colours are used. */
import "../style/rate-chart.css";

/** Number of the theme's colours for curves. */
const COLOURS = 6;

/** The class of the colour of a ladder; the second half of twelve ladders has the same colours. */
export function colourClass(index: number): string {
  return `of-${(Math.max(0, index) % COLOURS) + 1}`;
}

/** The classes of the curve of a ladder. */
export function curveClass(index: number): string {
  const isDashed = Math.floor(index / COLOURS) % 2 === 1;
  return `curve ${colourClass(index)} ${isDashed ? "dashed" : ""}`;
}

/** A short line in the colour of a ladder. */
export function LadderSwatch({ index }: { readonly index: number }) {
  return (
    <svg className="ladder-swatch" width="24" height="10" aria-hidden="true">
      <path className={curveClass(index)} d="M0 5h24" />
    </svg>
  );
}
