/** Faults of the picture area: cut off, surrounded by bars, padded, squeezed, turned, mirrored. */
import type { Size } from "../contents.ts";
import { type Fault, type Given, recipe } from "../fault.ts";
import type { Area } from "../truth.ts";

/** The warning that the two sides have different shapes. */
const RESHAPED = "ASPECT_RATIO_DIFFERS";

const even = (length: number): number => 2 * Math.round(length / 2);
const scaleTo = ({ width, height }: Size): string => `scale=${width}:${height}:flags=bicubic`;
const cropTo = ({ x, y, width, height }: Area): string => `crop=${width}:${height}:${x}:${y}`;

/** One side shows less of the picture, at full size or accordingly smaller. */
const cropped: Fault = (given) => {
  const { draw, scene } = given;
  const edge = (length: number) => even(draw.chance(0.4) ? 0 : length * draw.number(0.01, 0.12));
  const [left, right] = [Math.max(2, edge(scene.width)), edge(scene.width)];
  const [top, bottom] = [edge(scene.height), edge(scene.height)];
  const area = { x: left, y: top, width: scene.width - left - right, height: scene.height - top - bottom };
  const side = draw.one(["distorted", "distorted", "reference"] as const);
  const full = { width: scene.width, height: scene.height };
  const size = draw.chance(0.6) ? full : { width: area.width, height: area.height };
  const whole = side === "distorted" ? "reference" : "distorted";
  return recipe(
    given,
    { [side]: { size, filters: [cropTo(area), ...(size === full ? [scaleTo(full)] : [])] } },
    {
      ...{ expected: [["CROPPED"]], allowed: [RESHAPED], repair: { crop: { [whole]: area } } },
      parameters: { side, left, right, top, bottom, scaled: String(size === full) },
    },
  );
};

/** One side has black bars, around the whole picture (which may be scaled) or over its edges. */
const barred: (kind: "letterbox" | "pillarbox") => Fault = (kind) => (given) => {
  const { draw, scene } = given;
  const share = draw.number(0.03, 0.15);
  const [x, y] = kind === "letterbox" ? [0, even(scene.height * share)] : [even(scene.width * share), 0];
  const inner = { x, y, width: scene.width - 2 * x, height: scene.height - 2 * y };
  const style = draw.one(["squeezed", "added", "covering"] as const);
  const side = draw.one(["distorted", "distorted", "reference"] as const);
  const { filters, size, picture } = withBars(scene, inner, style);
  const whole = side === "distorted" ? "reference" : "distorted";
  const crop = style === "covering" ? { [side]: picture, [whole]: picture } : { [side]: picture };
  return recipe(
    given,
    { [side]: { size, filters } },
    {
      ...{ expected: [["BARS"]], allowed: ["CROPPED", RESHAPED], repair: { crop } },
      ...(style === "covering" && { uncovered: inner }),
      parameters: { side, style, x, y },
    },
  );
};

function withBars(scene: Size, inner: Area, style: "squeezed" | "added" | "covering") {
  const full = { width: scene.width, height: scene.height };
  if (style === "squeezed") {
    const filters = [scaleTo(inner), `pad=${full.width}:${full.height}:${inner.x}:${inner.y}`];
    return { filters, size: full, picture: inner };
  }
  if (style === "covering") {
    const filters = [cropTo(inner), `pad=${full.width}:${full.height}:${inner.x}:${inner.y}`];
    return { filters, size: full, picture: inner };
  }
  const size = { width: full.width + 2 * inner.x, height: full.height + 2 * inner.y };
  const filters = [`pad=${size.width}:${size.height}:${inner.x}:${inner.y}`];
  return { filters, size, picture: { x: inner.x, y: inner.y, ...full } };
}

/** Rows that a codec needs and viewers should not see, such as 1088 lines for 1080: black, or the last row repeated. */
const padded: Fault = (given) => {
  const { draw, scene } = given;
  const rows = draw.one([2, 4, 8, 8, 8, 12]);
  const black = draw.chance(0.5);
  const size = { width: scene.width, height: scene.height + rows };
  const fill = black ? [] : [`fillborders=bottom=${rows}:mode=smear`];
  const picture = { x: 0, y: 0, width: scene.width, height: scene.height };
  return recipe(
    given,
    { distorted: { size, filters: [`pad=${size.width}:${size.height}:0:0`, ...fill] } },
    {
      ...{
        expected: [["PADDED", "BARS"]],
        allowed: ["BARS", RESHAPED],
        repair: { crop: { distorted: picture } },
      },
      parameters: { rows, fill: black ? "black" : "last row" },
    },
  );
};

/** The same picture in other proportions, with a sample aspect ratio that is right or wrong. */
const aspect: Fault = (given) => {
  const { draw, scene } = given;
  const honest = draw.chance(0.5);
  const size = { width: even(scene.width * draw.one([0.75, 0.6875, 8 / 9])), height: scene.height };
  const ratio = `${scene.width * size.height}/${size.width * scene.height}`;
  return recipe(
    given,
    { distorted: { size, filters: [scaleTo(size), `setsar=${honest ? ratio : "1"}`] } },
    {
      expected: honest ? [] : [[RESHAPED, "FRAME_SIZE_MISMATCH"]],
      ...{ allowed: [RESHAPED], parameters: { honest: String(honest), width: size.width } },
    },
  );
};

const mirrored: Fault = (given) => {
  const direction = given.draw.one(["HORIZONTAL", "HORIZONTAL", "VERTICAL"] as const);
  // vflip returns its input's rows in reverse, which not all encoders accept.
  const filters = direction === "HORIZONTAL" ? ["hflip"] : ["vflip", "copy"];
  return recipe(
    given,
    { distorted: { filters } },
    {
      ...{
        expected: [["MIRRORED"]],
        repair: { mirror: { distorted: direction } },
        parameters: { direction },
      },
    },
  );
};

const TURNS: Readonly<Record<number, readonly string[]>> = {
  90: ["transpose=clock"],
  180: ["vflip", "hflip"],
  270: ["transpose=cclock"],
};

const rotated: Fault = (given) => {
  const degrees = given.draw.one([90, 180, 270]);
  const { width, height } = given.scene;
  const size = degrees === 180 ? { width, height } : { width: height, height: width };
  return recipe(
    given,
    { distorted: { size, filters: TURNS[degrees] ?? [] } },
    { expected: [["ROTATED", "ORIENTATION_MISMATCH", "FRAME_SIZE_MISMATCH"]], parameters: { degrees } },
  );
};

/** The same picture scaled to a size that differs by a few samples, which is not a fault. */
export function nearSize({ draw, scene }: Given): { size: Size; filters: string[] } {
  const size = { width: scene.width, height: scene.height + draw.one([-4, -2, 2, 4, 8]) };
  return { size, filters: [scaleTo(size)] };
}

export const SPACE_FAULTS: Readonly<Record<string, Fault>> = {
  ...{ cropped, letterbox: barred("letterbox"), pillarbox: barred("pillarbox"), padded, aspect },
  ...{ mirrored, rotated },
};
