/** Describes what a fault does to the two sides of a pair. */
import type { Content, Size } from "./contents.ts";
import type { Draw } from "./draw.ts";
import { encodedSize, type Treatment } from "./treatment.ts";
import { consecutive, type Repair, type Run, runsOf, TIME_CODES, type Truth } from "./truth.ts";

/** The scene that both sides show before they are changed. */
export interface Scene extends Size {
  readonly content: Content;
  readonly seed: number;
  /** Frames per second, as ffmpeg reads it. */
  readonly rate: string;
  /** Number of frames of the pair. The scene has up to a quarter more. */
  readonly frames: number;
}

export interface SideRecipe {
  /** The frames of the scene that the side shows, in order. */
  readonly frames: readonly number[];
  readonly rate: string;
  /** Filters for the frames, which have limited range and BT.709, and the tags of both. */
  readonly filters: readonly string[];
  /** Arguments for the encoder. */
  readonly output: readonly string[];
  /** Size after the filters. */
  readonly size: Size;
  /** Another scene; undefined: that of the pair. */
  readonly scene: Pick<Scene, "content" | "seed"> | undefined;
  /** How the side is encoded; undefined: as good as the source. */
  readonly treatment: Treatment | undefined;
}

export interface Recipe {
  readonly reference: SideRecipe;
  /** "same file": the same as the reference. */
  readonly distorted: SideRecipe | "same file";
  readonly truth: Truth;
}

/** What a fault is given. */
export interface Given {
  readonly draw: Draw;
  readonly scene: Scene;
  readonly treatment: Treatment;
}

export type Fault = (given: Given) => Recipe;

type Change = Partial<SideRecipe>;
export type Claim = Partial<Truth> & Pick<Truth, "expected">;

/** A pair of which both sides show the first frames of the scene, except for these changes. */
export function recipe(
  { scene, treatment }: Given,
  { reference = {}, distorted = {} }: { reference?: Change; distorted?: Change },
  claim: Claim,
): Recipe {
  const plain: SideRecipe = {
    frames: consecutive(0, scene.frames),
    ...{ rate: scene.rate, filters: [], output: [] },
    ...{ size: { width: scene.width, height: scene.height }, scene: undefined, treatment: undefined },
  };
  const sides = { reference: { ...plain, ...reference }, distorted: { ...plain, treatment, ...distorted } };
  return { ...sides, truth: truthOf(sides, scene.content.ambiguous, claim) };
}

function truthOf(
  { reference, distorted }: { reference: SideRecipe; distorted: SideRecipe },
  still: boolean,
  claim: Claim,
): Truth {
  const gamma = distorted.treatment?.gamma ?? 1;
  const runs: readonly Run[] | undefined =
    distorted.scene === undefined ? runsOf(reference.frames, distorted.frames) : undefined;
  return {
    frames: { reference: reference.frames.length, distorted: distorted.frames.length },
    ...{ runs, span: undefined, parameters: {} },
    ambiguous: still && claim.expected.flat().some((code) => TIME_CODES.includes(code)),
    ...claim,
    allowed: [...(claim.allowed ?? []), ...(gamma === 1 ? [] : ["LEVELS_DIFFER"])],
    repair: scaledRepair(claim.repair ?? {}, distorted),
  };
}

/** Converts the area of the distorted side to samples of its file, which the treatment may have scaled. */
function scaledRepair(repair: Repair, { treatment, size }: SideRecipe): Repair {
  const area = repair.crop?.distorted;
  if (area === undefined || treatment === undefined) return repair;
  const encoded = encodedSize(treatment, size);
  const [across, down] = [encoded.width / size.width, encoded.height / size.height];
  const scaled = {
    x: area.x * across,
    y: area.y * down,
    width: area.width * across,
    height: area.height * down,
  };
  return { ...repair, crop: { ...repair.crop, distorted: scaled } };
}
