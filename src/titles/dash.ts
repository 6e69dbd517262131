/** Reads DASH manifests (ISO/IEC 23009-1): the video representations of an MPD, and the segments of each. */
import { parse } from "mpd-parser";
import { messageOf } from "../platform/errors.ts";
import type { Places } from "./places.ts";
import {
  encryptedFault,
  type FilePart,
  MAX_RENDITIONS,
  MAX_SEGMENTS,
  manifestFault,
  namesOf,
  type Rendition,
  tooManySegments,
} from "./title.ts";
import { descendants, parseXml, type XmlElement } from "./xml.ts";

type Playlist = ReturnType<typeof parse>["playlists"][number];
type Part = NonNullable<Playlist["sidx"]>;

/** Throws MANIFEST_INVALID, MANIFEST_UNSUPPORTED and MEDIA_ENCRYPTED. */
export function readDash(text: string, places: Places): readonly Rendition[] {
  const { manifest } = places;
  const mpd = rootOf(text, manifest);
  if (mpd.getAttribute("type") === "dynamic")
    throw manifestFault(
      "MANIFEST_UNSUPPORTED",
      manifest,
      'is live (type="dynamic"). Only complete videos can be scored.',
    );
  if (descendants(mpd, "ContentProtection").length > 0)
    throw encryptedFault(manifest, "it has ContentProtection");
  refuseTooMany(mpd, manifest);
  const playlists = parsed(text, places);
  const names = namesOf(
    playlists.map(({ attributes }) => ({ ...attributes.RESOLUTION, bandwidth: attributes.BANDWIDTH })),
  );
  return playlists.map(({ sidx, segments = [] }, index) => {
    const name = names[index] ?? "";
    const part = ({ resolvedUri, byterange }: Part): FilePart => ({
      file: places.fileOf(resolvedUri, places.addressOf()),
      range: byterange && { first: Number(byterange.offset), length: Number(byterange.length) },
    });
    if (sidx !== undefined) {
      const { file } = part(sidx);
      return { name, isCut: false, segments: [{ file, seconds: 0, isDiscontinuous: false }] };
    }
    return {
      name,
      isCut: true,
      segments: segments.map((segment, at) => ({
        ...part(segment),
        init: segment.map && part(segment.map),
        seconds: segment.duration,
        isDiscontinuous: at > 0 && segment.discontinuity === true,
      })),
    };
  });
}

function parsed(text: string, places: Places): readonly Playlist[] {
  try {
    return parse(text, { manifestUri: places.addressOf(), eventHandler: () => {} }).playlists;
  } catch (error) {
    throw manifestFault("MANIFEST_INVALID", places.manifest, `is not a valid MPD: ${messageOf(error)}`);
  }
}

/** The parser of manifests would print what is wrong with the XML, and go on. */
function rootOf(text: string, manifest: string): XmlElement {
  const root = parseXml(text);
  if (typeof root !== "string") return root;
  throw manifestFault("MANIFEST_INVALID", manifest, `is not valid XML: ${root}.`);
}

/**
 * Throws MANIFEST_INVALID for numbers that stand for too many segments, which the parser would list all before anybody
 * could count them.
 */
function refuseTooMany(mpd: XmlElement, manifest: string): void {
  const durations = [
    mpd.getAttribute("mediaPresentationDuration"),
    ...descendants(mpd, "Period").map((period) => period.getAttribute("duration")),
  ];
  const seconds = Math.max(...durations.map(secondsOf));
  const ofTemplates = descendants(mpd, "SegmentTemplate").map((template) => {
    const number = (name: string) => Number(template.getAttribute(name) || 1);
    return template.hasAttribute("duration") ? (seconds * number("timescale")) / number("duration") : 0;
  });
  const repeated = descendants(mpd, "S").map((entry) => Math.max(0, Number(entry.getAttribute("r"))));
  const all = repeated.reduce((sum, times) => sum + times, 0);
  if (ofTemplates.every((count) => count <= MAX_SEGMENTS) && all <= MAX_SEGMENTS * MAX_RENDITIONS) return;
  throw tooManySegments(manifest);
}

/** Seconds of an XML duration such as PT1H2M3.5S; 0 for other text. */
function secondsOf(text: string): number {
  const [, years = 0, months = 0, days = 0, hours = 0, minutes = 0, seconds = 0] =
    /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/.exec(text) ?? [];
  const allDays = Number(years) * 365 + Number(months) * 30 + Number(days);
  return ((allDays * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
}
