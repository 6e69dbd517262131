/** How ladders differ in charts and tables: by colours and dashes. */
import { dashesOf, type LadderLook } from "../../../src/report/ladder-looks.ts";
import "../style/rate-chart.css";

/** The class of the colour of a ladder; without a look, no colour. */
export function colourClass(look: LadderLook | undefined): string {
  return look === undefined ? "" : `of-${look.colour + 1}`;
}

/** The properties of the curve of a ladder. */
export function curveProps(look: LadderLook | undefined) {
  return {
    className: `curve ${colourClass(look)}`,
    strokeDasharray: look === undefined ? undefined : dashesOf(look),
  };
}

/** A short line with the look of a ladder. */
export function LadderSwatch({ look }: { readonly look: LadderLook | undefined }) {
  return (
    <svg className="ladder-swatch" width="28" height="10" aria-hidden="true">
      <path {...curveProps(look)} d="M0 5h28" />
    </svg>
  );
}
