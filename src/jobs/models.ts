/**
 * The VMAF models that releases of libvmaf have built in, their requirements, and the short names of the version 1
 * models. Facts of the models: resource/doc/models.md and models_v1.md of Netflix/vmaf.
 */

/** A model built into libvmaf. */
export interface BuiltInModel {
  readonly name: string;
  /** Models of a family were released together. Only Netflix's vmaf loads bootstrap models; ffmpeg's filter does not. */
  readonly family: "v0.6" | "bootstrap" | "v1";
  /** A description of what its scores predict, for people. */
  readonly title: string;
  /** The largest score; the smallest is 0. */
  readonly max: number;
  /** Bits per sample to which both videos are converted for the model; undefined: the deeper of both. */
  readonly bits: 10 | undefined;
  /** Number of frames before a frame that its score depends on. */
  readonly lookBehind: number;
  /**
   * Scale of the chroma planes in which it judges them (SpEED); undefined: it judges luma alone. Models that judge
   * chroma judge banding too, by the size and depth in which the distorted video was encoded (CAMBI).
   */
  readonly chromaScale: number | undefined;
  /** The screen that it predicts; undefined: of any size, or another than these. */
  readonly screen: "HD" | "4K" | undefined;
  /** The model of the family for the other screen; undefined: there is none. */
  readonly forOtherScreen: string | undefined;
}

export interface FrameSize {
  readonly width: number;
  readonly height: number;
}

const HD = "HD TV at 3 picture heights";
const UHD = "4K TV at 1.5 picture heights";
const NEG = "without gain from enhancement";

const V0: readonly (readonly [name: string, title: string, forOtherScreen: string])[] = [
  ["vmaf_v0.6.1", HD, "vmaf_4k_v0.6.1"],
  ["vmaf_v0.6.1neg", `${HD}, ${NEG}`, "vmaf_4k_v0.6.1neg"],
  ["vmaf_4k_v0.6.1", UHD, "vmaf_v0.6.1"],
  ["vmaf_4k_v0.6.1neg", `${UHD}, ${NEG}`, "vmaf_v0.6.1neg"],
  ["vmaf_float_v0.6.1", `${HD}, in floating point`, "vmaf_float_4k_v0.6.1"],
  ["vmaf_float_v0.6.1neg", `${HD}, ${NEG}, in floating point`, "vmaf_4k_v0.6.1neg"],
  ["vmaf_float_4k_v0.6.1", `${UHD}, in floating point`, "vmaf_float_v0.6.1"],
  ["vmaf_b_v0.6.3", `${HD}, with a confidence interval`, "vmaf_4k_v0.6.1"],
  ["vmaf_float_b_v0.6.3", `${HD}, with a confidence interval, in floating point`, "vmaf_float_4k_v0.6.1"],
];

type V1Viewing = "3d0h" | "5d0h" | "1d5h_2160" | "3d0h_2160";

const V1: Readonly<
  Record<
    V1Viewing,
    Pick<BuiltInModel, "title" | "max" | "chromaScale" | "screen"> & { readonly other?: V1Viewing }
  >
> = {
  "3d0h": {
    ...{ title: "HD at 3 picture heights", max: 100, chromaScale: 1 },
    ...{ screen: "HD", other: "1d5h_2160" },
  },
  "5d0h": { title: "phone, at 5 picture heights", max: 100, chromaScale: 0.6, screen: undefined },
  "1d5h_2160": {
    ...{ title: "4K at 1.5 picture heights", max: 100, chromaScale: 1 },
    ...{ screen: "4K", other: "3d0h" },
  },
  "3d0h_2160": {
    ...{ title: "4K TV at 3 picture heights", max: 110, chromaScale: 0.5 },
    ...{ screen: "4K", other: "3d0h" },
  },
};

export const BUILT_IN_MODELS: readonly BuiltInModel[] = [
  ...V0.map(([name, title, forOtherScreen]) => ({
    family: name.includes("_b_") ? ("bootstrap" as const) : ("v0.6" as const),
    ...{ name, title, max: 100, bits: undefined, lookBehind: 1, chromaScale: undefined },
    screen: name.includes("_4k_") ? ("4K" as const) : ("HD" as const),
    forOtherScreen,
  })),
  ...[false, true].flatMap((hfr) =>
    Object.entries(V1).map(([viewing, { other, ...facts }]) => ({
      ...facts,
      forOtherScreen: other && v1Name(other, hfr),
      family: "v1" as const,
      name: v1Name(viewing as V1Viewing, hfr),
      title: hfr ? `${facts.title}, high frame rate` : facts.title,
      bits: 10 as const,
      // The high-frame-rate models average motion over frames i-2, i and i+2 with that of the previous frame.
      lookBehind: hfr ? 4 : 1,
    })),
  ),
];

/** Returns the facts of a built-in model, or of a model file of the same name; undefined if the name is another. */
export function builtInModel(name: string): BuiltInModel | undefined {
  return BUILT_IN_MODELS.find((model) => model.name === name);
}

/** The facts that are assumed of other models: such a model may look back as far as any built-in one. */
export const UNKNOWN_MODEL_FACTS: Omit<BuiltInModel, "name" | "title" | "family"> = {
  ...{ max: 100, bits: undefined, lookBehind: 5, chromaScale: undefined },
  ...{ screen: undefined, forOtherScreen: undefined },
};

/** Names that stand for the version 1 model that fits the reference's size and frame rate. */
export const SHORT_NAMES = ["v1", "v1-phone", "v1-tv"] as const;
export type ShortName = (typeof SHORT_NAMES)[number];

export function isShortName(name: string): name is ShortName {
  return SHORT_NAMES.some((short) => short === name);
}

/** A picture whose shorter side has this many pixels or more counts as 4K. */
const LINES_OF_4K = 1800;
/** A picture whose shorter side has this many pixels or more may be meant for a 4K screen. */
const LINES_OF_HD = 1080;
/** Frames per second from which a video counts as high frame rate: the models were trained on 50 and 60. */
const HIGH_FRAME_RATE = 45;

/** Size and frame rate of the reference as it is compared. */
export interface Shown extends FrameSize {
  /** Frames per second; undefined if neither file states a rate. */
  readonly rate: number | undefined;
}

export interface Choice {
  readonly model: string;
  /** The rule that chose it, and the facts that it was applied to. */
  readonly reason: string;
}

/** Chooses the model of a short name. */
export function chooseModel(short: ShortName, { width, height, rate }: Shown): Choice {
  const lines = Math.min(width, height);
  const is4k = lines >= LINES_OF_4K;
  const hfr = rate !== undefined && rate >= HIGH_FRAME_RATE;
  const viewing =
    short === "v1-phone" ? "5d0h" : short === "v1-tv" ? "3d0h_2160" : is4k ? "1d5h_2160" : "3d0h";
  const size =
    short === "v1"
      ? [`${is4k ? "4K" : "HD"}, because the reference has ${lines} lines (4K from ${LINES_OF_4K})`]
      : [];
  const pace =
    rate === undefined
      ? "standard frame rate, because no file states one"
      : `${hfr ? "high" : "standard"} frame rate, because it has ${Number(rate.toFixed(3))} frames per second (high from ${HIGH_FRAME_RATE})`;
  return { model: v1Name(viewing, hfr), reason: [...size, pace].join("; ") };
}

/**
 * Returns the model for the screen that pictures of this size are made for, if the named one is for the other screen;
 * undefined if the named one fits or is unknown.
 */
export function modelForSize(name: string, { width, height }: FrameSize): string | undefined {
  const { screen, forOtherScreen } = builtInModel(name) ?? UNKNOWN_MODEL_FACTS;
  const lines = Math.min(width, height);
  const isOther = screen === "HD" ? lines >= LINES_OF_4K : screen === "4K" && lines < LINES_OF_HD;
  return isOther ? forOtherScreen : undefined;
}

/** Returns every model that a short name can stand for. */
export function modelsOf(short: ShortName): readonly string[] {
  const viewings = { v1: ["3d0h", "1d5h_2160"], "v1-phone": ["5d0h"], "v1-tv": ["3d0h_2160"] } as const;
  return viewings[short].flatMap((viewing) => [v1Name(viewing, false), v1Name(viewing, true)]);
}

/**
 * Returns the largest score of a model as requested, by its name or a short name; undefined for a model that is not
 * built into libvmaf. The smallest is 0.
 */
export function largestScore(asked: string): number | undefined {
  const names = isShortName(asked) ? modelsOf(asked) : [asked];
  const known = names.flatMap((name) => builtInModel(name)?.max ?? []);
  return known.length === 0 ? undefined : Math.max(...known);
}

function v1Name(viewing: V1Viewing, hfr: boolean): string {
  return `vmaf_v1.0.16_${hfr ? "hfr_" : ""}${viewing}`;
}
