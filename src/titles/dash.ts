/** Reads DASH manifests (ISO/IEC 23009-1): the video representations of an MPD, joined over its periods. */
import { MAX_RENDITIONS } from "../jobs/media/titles.ts";
import { childrenOf, Mpd, type Period } from "./mpd.ts";
import type { Places } from "./places.ts";
import { type SegmentInfos, segmentsOf, withInfos } from "./representation.ts";
import { type Described, namesOf, type Rendition, tooManyRenditions } from "./title.ts";
import type { XmlElement } from "./xml.ts";

/** Marks adaptation sets with key frames only, or with fewer frames, for fast forward. */
const TRICK_MODE = "http://dashif.org/guidelines/trickmode";

/** The part of a rendition in one period. */
type Part = Omit<Rendition, "name"> & Described & { readonly id: string };

/** Throws MANIFEST_INVALID, MANIFEST_UNSUPPORTED and MEDIA_ENCRYPTED. */
export function readDash(text: string, places: Places): readonly Rendition[] {
  const mpd = new Mpd(text, places);
  const base = mpd.baseOf(mpd.root, places.addressOf());
  const periods = mpd.periods().map((period) => partsOf(mpd, period, base));
  const [first = [], ...later] = periods;
  const names = namesOf(first);
  const joined = later.map((parts, index) => partsById(mpd, { first, parts, number: index + 2 }));
  return first.map(({ id, isCut, segments }, index) => ({
    name: names[index] ?? "",
    isCut,
    segments: [
      ...segments,
      ...joined.flatMap((parts) =>
        (parts.get(id)?.segments ?? []).map((segment, at) => ({ ...segment, isDiscontinuous: at === 0 })),
      ),
    ],
  }));
}

/** Returns the video representations of a period, in the order of the manifest. */
function partsOf(mpd: Mpd, period: Period, mpdBase: string): readonly Part[] {
  const parts: Part[] = [];
  const base = mpd.baseOf(period.element, mpdBase);
  const infos = withInfos(mpd, [], period.element);
  for (const set of childrenOf(period.element, "AdaptationSet")) {
    if (isTrickMode(set)) continue;
    const above = { base: mpd.baseOf(set, base), infos: withInfos(mpd, infos, set) };
    for (const representation of childrenOf(set, "Representation")) {
      if (!isVideo(set, representation) || isTrickMode(representation)) continue;
      if (parts.length === MAX_RENDITIONS) throw tooManyRenditions(mpd.places.manifest);
      parts.push(partOf(mpd, period, { set, representation, ...above }));
    }
  }
  return parts;
}

/** A representation in its adaptation set. */
interface Placed {
  readonly set: XmlElement;
  readonly representation: XmlElement;
  /** Base address of the set. */
  readonly base: string;
  readonly infos: SegmentInfos;
}

function partOf(mpd: Mpd, period: Period, { set, representation, base, infos }: Placed): Part {
  const attribute = (name: string) => representation.attributes.get(name) ?? set.attributes.get(name);
  const id = representation.attributes.get("id");
  if (id === undefined) throw mpd.wrong(representation, "id");
  const bandwidth = representation.attributes.get("bandwidth");
  const number = (text: string | undefined) => (/^\d{1,15}$/.test(text ?? "") ? Number(text) : undefined);
  return {
    id,
    width: number(attribute("width")),
    height: number(attribute("height")),
    bandwidth: number(bandwidth),
    ...segmentsOf(mpd, {
      period,
      infos: withInfos(mpd, infos, representation),
      base: mpd.baseOf(representation, base),
      id,
      bandwidth,
    }),
  };
}

function isVideo(set: XmlElement, representation: XmlElement): boolean {
  const mimeType = representation.attributes.get("mimeType") ?? set.attributes.get("mimeType") ?? "";
  return mimeType.startsWith("video/") || set.attributes.get("contentType") === "video";
}

function isTrickMode({ children }: XmlElement): boolean {
  return children.some(
    ({ name, attributes }) =>
      /^(Essential|Supplemental)Property$/.test(name) && attributes.get("schemeIdUri") === TRICK_MODE,
  );
}

/** Returns the representations of a later period by their ids, which must be those of the first period. */
function partsById(
  mpd: Mpd,
  { first, parts, number }: { first: readonly Part[]; parts: readonly Part[]; number: number },
): ReadonlyMap<string, Part> {
  const byId = new Map(parts.map((part) => [part.id, part]));
  const ids = new Set(first.map(({ id }) => id));
  if (ids.size < first.length || byId.size < parts.length)
    throw mpd.invalid("has several periods, and in one of them two representations with one id.");
  if (ids.size !== byId.size || parts.some(({ id }) => !ids.has(id)))
    throw mpd.unsupported(
      `has video representations in period ${number} whose ids are not those of the first.`,
    );
  if ([...first, ...parts].some(({ isCut }) => !isCut))
    throw mpd.unsupported("has several periods, and representations that are single files.");
  return byId;
}
