/** A title: the renditions of one video that a manifest names, for streaming by HLS or DASH. */
import { MAX_RENDITIONS } from "../jobs/media/titles.ts";
import { Failure, type FailureCode } from "../platform/failure.ts";

/** Part of a file; without a range, all of it. */
export interface FilePart {
  readonly file: string;
  readonly range?: { readonly first: number; readonly length: number } | undefined;
}

/** A segment of a rendition, as media players fetch it. */
export interface TitleSegment extends FilePart {
  /** The part that must precede the segment once, such as the moov box of MP4. */
  readonly init?: FilePart | undefined;
  readonly seconds: number;
  /** Whether its time stamps do not follow those of the segment before. */
  readonly isDiscontinuous: boolean;
}

export interface Rendition {
  /** Size and bit rate, such as "1280x720-2500k"; unique in its title. */
  readonly name: string;
  /** At least one. */
  readonly segments: readonly TitleSegment[];
  /** Whether the manifest lists the segments; if not, the only segment is the whole video. */
  readonly isCut: boolean;
}

/** Limits of the segments of one rendition, and of all renditions together. */
export const MAX_SEGMENTS = 100_000;
const MAX_TITLE_SEGMENTS = 500_000;

/** The facts of a rendition in a manifest, which determine its name. */
export interface Described {
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /** Bits per second. */
  readonly bandwidth?: number | undefined;
}

/** Returns a name for each rendition. */
export function namesOf(all: readonly Described[]): readonly string[] {
  const seen = new Map<string, number>();
  return all.map(({ width, height, bandwidth }, index) => {
    const size = width && height ? [`${width}x${height}`] : [];
    const rate = bandwidth ? [`${Math.max(1, Math.round(bandwidth / 1000))}k`] : [];
    const name = [...size, ...rate].join("-") || `rendition${index + 1}`;
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return before === 0 ? name : `${name}-${before + 1}`;
  });
}

/** The failure of an encrypted title. `what`: the evidence in the manifest, or what is encrypted. */
export function encryptedFault(manifest: string, what: string): Failure {
  return manifestFault(
    "MEDIA_ENCRYPTED",
    manifest,
    `names encrypted segments: ${what}. Use the videos before encryption.`,
  );
}

/** The failure of a rendition without segments. */
export function withoutSegments(manifest: string, name: string): Failure {
  return manifestFault("MANIFEST_INVALID", manifest, `has no segments of ${name}.`);
}

export function tooManySegments(manifest: string): Failure {
  return manifestFault(
    "MANIFEST_INVALID",
    manifest,
    `has a rendition of more than ${MAX_SEGMENTS} segments.`,
  );
}

/** Counts the segments of a title while it is read. */
export class SegmentCounter {
  readonly #manifest: string;
  #segments = 0;

  constructor(manifest: string) {
    this.#manifest = manifest;
  }

  /** Throws MANIFEST_INVALID if all renditions together have too many. */
  add(segments: number): void {
    this.#segments += segments;
    if (this.#segments <= MAX_TITLE_SEGMENTS) return;
    const detail = `has more than ${MAX_TITLE_SEGMENTS} segments in all renditions.`;
    throw manifestFault("MANIFEST_INVALID", this.#manifest, detail);
  }
}

export function tooManyRenditions(manifest: string): Failure {
  return manifestFault("MANIFEST_INVALID", manifest, `has more than ${MAX_RENDITIONS} renditions.`);
}

/** A failure that names the manifest. `detail` continues "The manifest X". */
export function manifestFault(
  code: Extract<FailureCode, "MANIFEST_INVALID" | "MANIFEST_UNSUPPORTED" | "MEDIA_ENCRYPTED">,
  manifest: string,
  detail: string,
): Failure {
  return new Failure(code, `The manifest ${JSON.stringify(manifest)} ${detail}`);
}
