/** Draws the frame of one side and, inside it, the part of the picture that both videos show. */
import { type Area, areaText } from "../../engine/contract/picture.ts";
import { SIDES } from "../../engine/contract/request.ts";
import { sideOfArea } from "../findings/view.ts";
import { paint, type Terminal } from "../terminal/terminal.ts";
import type { DiagnosisView } from "./view.ts";

/** Size of a drawn frame in characters; a character is twice as high as wide. */
const COLUMNS = 32;
const MOST_ROWS = 12;

/** Returns the lines; none if both show the whole picture. */
export function outlineLines(diagnosis: DiagnosisView, terminal: Terminal): string[] {
  return SIDES.flatMap((side) => {
    const finding = diagnosis.findings.find((one) => one.area !== undefined && sideOfArea(one) === side);
    if (finding?.area === undefined) return [];
    const { width, height } = diagnosis[side];
    const heading = `The ${side} video is ${width}x${height}; the other shows ${areaText(finding.area)} of it`;
    return [paint(terminal, "dim", heading), ...drawn({ width, height }, finding.area, terminal)];
  });
}

function drawn(frame: { width: number; height: number }, area: Area, { unicode }: Terminal): string[] {
  const [inside, outside] = unicode ? ["█", "░"] : ["#", "."];
  const rows = Math.min(MOST_ROWS, Math.max(2, Math.round((COLUMNS * frame.height) / frame.width / 2)));
  const isIn = (at: number, cells: number, size: number, first: number, length: number) => {
    const middle = ((at + 0.5) * size) / cells;
    return middle >= first && middle < first + length;
  };
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: COLUMNS }, (_, column) =>
      isIn(row, rows, frame.height, area.y, area.height) &&
      isIn(column, COLUMNS, frame.width, area.x, area.width)
        ? inside
        : outside,
    ).join(""),
  );
}
