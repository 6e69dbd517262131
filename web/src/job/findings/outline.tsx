/** Draws the frames of both sides, and in each the part that both videos show. */
import { resolutionText } from "../../../../src/jobs/quantities.ts";
import type { Job } from "../../jobs/job-facts.ts";
import { foundSides } from "../media-info.ts";
import { SIDE_NAMES } from "./finding-texts.ts";
import { type Finding, type Fix, SIDES, type Side } from "./read-findings.ts";

/** Size in pixels that no drawn frame exceeds. */
const MOST = { width: 150, height: 84 };

type Size = { readonly width: number; readonly height: number };
type Area = NonNullable<Finding["area"]>;

/** The drawing; nothing if the finding names no area, or the sizes of the files are not known. */
export function Outline({ job, finding }: { readonly job: Job; readonly finding: Finding }) {
  const media = foundSides(job);
  const areas = areasOf(finding);
  if (media === undefined || areas === undefined) return null;
  const sizes = { reference: media.reference, distorted: media.distorted };
  if (!SIDES.every((side) => isIn(areas[side], sizes[side]))) return null;
  const [one, other] = [drawnOf("reference", sizes, areas), drawnOf("distorted", sizes, areas)];
  // The part that both sides show is drawn with equal height.
  const scale = Math.min(
    MOST.height / Math.max(relative(one).height, relative(other).height),
    MOST.width / Math.max(relative(one).width, relative(other).width),
  );
  return (
    <div className="outlines">
      {[one, other].map((drawn) => (
        <Frame key={drawn.side} drawn={drawn} scale={scale / drawn.area.height} />
      ))}
    </div>
  );
}

interface Drawn extends Size {
  readonly side: Side;
  readonly area: Area;
}

function drawnOf(side: Side, sizes: Readonly<Record<Side, Size>>, areas: Areas): Drawn {
  const { width, height } = sizes[side];
  return { side, width, height, area: areas[side] ?? { x: 0, y: 0, width, height } };
}

/** Returns the size of a frame, in units of the height of its area. */
function relative({ width, height, area }: Drawn): Size {
  return { width: width / area.height, height: height / area.height };
}

function Frame({ drawn, scale }: { readonly drawn: Drawn; readonly scale: number }) {
  const { side, width, height, area } = drawn;
  const isWhole = area.width === width && area.height === height;
  const part = isWhole ? "all of it" : `${resolutionText(area.width, area.height)} at ${area.x}, ${area.y}`;
  return (
    <figure>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        width={width * scale}
        height={height * scale}
        aria-hidden="true"
      >
        <rect className="frame" width={width} height={height} />
        <rect className="common" {...area} />
      </svg>
      <figcaption>
        {SIDE_NAMES[side]} {resolutionText(width, height)}
        <span className="quiet">in both: {part}</span>
      </figcaption>
    </figure>
  );
}

type Areas = { readonly [S in Side]?: Area };

/**
 * Returns the area that both sides show, per side; undefined: the whole frame. A crop is drawn on the other
 * side, which still has the rest.
 */
function areasOf({ code, side, area, fix }: Finding): Areas | undefined {
  if (area === undefined) return undefined;
  if (fix?.crop !== undefined) return cropOf(fix.crop);
  if (side === undefined) return undefined;
  const other = side === "reference" ? "distorted" : "reference";
  return { [code === "CROPPED" ? other : side]: area };
}

function cropOf({ reference, distorted }: NonNullable<Fix["crop"]>): Areas {
  return {
    ...(reference && { reference: { x: 0, y: 0, ...reference } }),
    ...(distorted && { distorted: { x: 0, y: 0, ...distorted } }),
  };
}

function isIn(area: Area | undefined, { width, height }: Size): boolean {
  return area === undefined || (area.x + area.width <= width && area.y + area.height <= height);
}
