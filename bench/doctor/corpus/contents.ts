/** The scenes of the corpus: clips from cameras and films, moving photographs, and generated pictures. */
import { join } from "node:path";
import type { Draw } from "./draw.ts";

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** What a content is given to make frames. */
export interface Shot extends Size {
  readonly seed: number;
  readonly frames: number;
  readonly draw: Draw;
}

/** Inputs and a filter graph of ffmpeg that ends in [out]: progressive frames, limited range. */
export interface Graph {
  readonly inputs: readonly string[];
  readonly graph: string;
}

export interface Content {
  readonly name: string;
  /** Recorded by a camera or drawn by people. */
  readonly natural: boolean;
  /** Number of available frames. Generated scenes have as many as needed. */
  readonly frames: number;
  readonly maxWidth: number;
  /** Still or repeating, or nearly so: a fault in time may not be visible. */
  readonly ambiguous: boolean;
  /** Share of the cases, relative to other contents. */
  readonly weight: number;
  graph(shot: Shot, clips: string): Graph;
}

const ENDLESS = 100_000;
const PHOTOGRAPHS = ["tower.jpg", "cheetah.jpg", "groot.jpeg", "Bubbles.jpg", "lion.jpg"];
/** Rate at which inputs are read, so that each frame has its own time stamp. Files get their true rate later. */
const RATE = 25;

const cover = (width: number, height: number): string =>
  `scale=${width}:${height}:force_original_aspect_ratio=increase:flags=bicubic,crop=${width}:${height}`;

function clip(name: string, file: string, frames: number, maxWidth: number): Content {
  return {
    ...{
      name,
      natural: true,
      frames,
      maxWidth,
      ambiguous: file === "a.mp4",
      weight: file === "a.mp4" ? 1 : 3,
    },
    graph: ({ width, height, frames: wanted, draw }, clips) => {
      const first = draw.integer(0, frames - wanted);
      const chain = `trim=start_frame=${first},setpts=N/${RATE}/TB,${cover(width, height)}`;
      return { inputs: ["-i", join(clips, file)], graph: `[0:v]${chain}[out]` };
    },
  };
}

interface Style {
  readonly ambiguous?: boolean;
  readonly maxWidth?: number;
  readonly weight?: number;
}

/** A moving window on a photograph, which is twice as large as the picture so that the window moves by half pixels. */
function photograph(
  name: string,
  move: (draw: Draw) => { x: string; y: string; after?: string },
  { ambiguous = false, maxWidth = 640, weight = 1 }: Style = {},
): Content {
  return {
    ...{ name, natural: false, frames: ENDLESS, maxWidth, ambiguous, weight },
    graph: ({ width, height, draw }, clips) => {
      const { x, y, after } = move(draw);
      const window = `crop=${2 * width}:${2 * height}:x='(iw-ow)*(${x})':y='(ih-oh)*(${y})'`;
      const scaled = `${cover(3 * width, 3 * height)},format=yuv444p,${window},scale=${width}:${height}:flags=area`;
      const input = ["-loop", "1", "-framerate", String(RATE), "-i", join(clips, draw.one(PHOTOGRAPHS))];
      return { inputs: input, graph: `[0:v]${scaled}${after === undefined ? "" : `,${after}`}[out]` };
    },
  };
}

function generated(
  name: string,
  source: (shot: Shot) => string,
  { ambiguous = false, maxWidth = 640, weight = 1 }: Style = {},
): Content {
  return {
    ...{ name, natural: false, frames: ENDLESS, maxWidth, ambiguous, weight },
    graph: (shot) => {
      const chain = `${source(shot)},scale=${shot.width}:${shot.height}:flags=bicubic`;
      return { inputs: ["-f", "lavfi", "-i", chain], graph: "[0:v]null[out]" };
    },
  };
}

/** A sum of sines from 0 to 1 that does not repeat within a scene. */
function wander(draw: Draw, speed: number): string {
  const [first, second] = [draw.number(0, 6), draw.number(0, 6)];
  const [a, b] = [draw.number(0.8, 1.2) * speed, draw.number(1.5, 2.7) * speed];
  return `0.5+0.3*sin(n*${a.toFixed(5)}+${first.toFixed(3)})+0.2*sin(n*${b.toFixed(5)}+${second.toFixed(3)})`;
}

const wandering = (low: number, high: number) => (draw: Draw) => {
  const speed = draw.number(low, high);
  return { x: wander(draw, speed), y: wander(draw, speed) };
};

function slides({ width, height, draw }: Shot, clips: string): Graph {
  const stay = draw.integer(2, 4);
  const inputs = [...PHOTOGRAPHS, ...PHOTOGRAPHS].flatMap((name) => {
    return ["-loop", "1", "-framerate", String(RATE), "-t", String(stay + 1), "-i", join(clips, name)];
  });
  const count = 2 * PHOTOGRAPHS.length;
  const shown = Array.from({ length: count }, (_, index) => {
    return `[${index}:v]${cover(width, height)},setsar=1,format=yuv420p,settb=1/${RATE}[s${index}]`;
  });
  const faded = Array.from({ length: count - 1 }, (_, index) => {
    const [before, after] = [index === 0 ? "s0" : `f${index}`, index === count - 2 ? "out" : `f${index + 1}`];
    return `[${before}][s${index + 1}]xfade=duration=0.6:offset=${(index + 1) * stay}[${after}]`;
  });
  return { inputs, graph: [...shown, ...faded].join(";") };
}

/** A still room with a head that moves a little. */
function talk({ width, height, seed, draw }: Shot, clips: string): Graph {
  const [head, room] = [draw.one(["cheetah.jpg", "lion.jpg"]), draw.one(["tower.jpg", "Bubbles.jpg"])];
  const inputs = [room, head].flatMap((name) => {
    return ["-loop", "1", "-framerate", String(RATE), "-i", join(clips, name)];
  });
  const [w, h] = [2 * Math.round(width / 6), 2 * Math.round(height / 4)];
  const at = (axis: "W" | "H", size: "w" | "h") =>
    `(${axis}-${size})/2+${size}/12*(${wander(draw, draw.number(0.12, 0.3))}-0.5)`;
  const place = `overlay=x='${at("W", "w")}':y='${at("H", "h")}':format=yuv444`;
  const parts = [
    `[0:v]${cover(width, height)},format=yuv444p[room]`,
    `[1:v]${cover(w, h)},format=yuv444p[head]`,
    `[room][head]${place},noise=alls=3:allf=t:all_seed=${seed}[out]`,
  ];
  return { inputs, graph: parts.join(";") };
}

const fractal = ({ width, height, seed }: Shot, speed: number): string => {
  const pace = `start_scale=${(0.05 + (seed % 97) / 150).toFixed(3)}:end_scale=0.0001:end_pts=${speed}`;
  return `mandelbrot=s=${width}x${height}:r=${RATE}:${pace}:maxiter=100`;
};

/** A content that needs more than one chain of filters. */
function composed(name: string, graph: Content["graph"], ambiguous: boolean): Content {
  return { name, natural: false, frames: ENDLESS, maxWidth: 640, ambiguous, weight: 1, graph };
}

export const CONTENTS: readonly Content[] = [
  clip("bikes", "bikes.mp4", 250, 640),
  clip("bunny", "bigbuckbunny.mp4", 132, 1280),
  clip("carphone", "carphone_pristine.mp4", 120, 352),
  clip("city", "cityCC0.mpg", 190, 640),
  clip("globe", "world.mp4", 901, 480),
  clip("title", "a.mp4", 209, 1280),
  photograph("pan", wandering(0.01, 0.04)),
  photograph("drift", wandering(0.002, 0.006)),
  photograph("sport", wandering(0.15, 0.5), { weight: 2 }),
  photograph("still", () => ({ x: "0.5", y: "0.5" }), { ambiguous: true }),
  photograph(
    "loop",
    (draw) => {
      const phase = `2*PI*n/${draw.integer(12, 40)}`;
      return { x: `0.5+0.4*sin(${phase})`, y: `0.5+0.4*cos(${phase})` };
    },
    { ambiguous: true },
  ),
  photograph("fade", (draw) => {
    const fades = `fade=in:0:${draw.integer(10, 30)},fade=out:${draw.integer(50, 90)}:20:color=gray`;
    return { ...wandering(0.01, 0.05)(draw), after: fades };
  }),
  photograph("dark", (draw) => {
    return {
      ...wandering(0.02, 0.1)(draw),
      after: "lutyuv=y='16+(val-16)*0.12':u='128+(val-128)*0.2':v='128+(val-128)*0.2'",
    };
  }),
  photograph(
    "grain",
    (draw) => {
      const noise = `noise=alls=${draw.integer(12, 30)}:allf=t:all_seed=${draw.integer(1, 1e6)}`;
      return { ...wandering(0.005, 0.03)(draw), after: noise };
    },
    { maxWidth: 480 },
  ),
  composed("slides", slides, true),
  composed("talk", talk, false),
  generated("zoom", (shot) => fractal(shot, shot.draw.integer(300, 1500)), { maxWidth: 480 }),
  generated("test", ({ width, height }) => `testsrc2=s=${width}x${height}:r=${RATE}`),
  generated("gradients", ({ width, height, seed, draw }) => {
    const pace = draw.number(0.005, 0.05).toFixed(4);
    return `gradients=s=${width}x${height}:r=${RATE}:seed=${seed}:speed=${pace}:n=${draw.integer(3, 8)}`;
  }),
  generated("life", ({ seed }) => `life=s=80x45:r=${RATE}:seed=${seed}:mold=20:ratio=0.4:mold_color=#304080`),
  generated(
    "noise",
    ({ width, height, seed }) =>
      `color=gray:s=${width}x${height}:r=${RATE},noise=alls=60:allf=t:all_seed=${seed}`,
    { maxWidth: 320, ambiguous: true, weight: 0.5 },
  ),
];
