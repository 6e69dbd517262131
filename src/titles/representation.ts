/** The segments of a DASH representation in one period. */
import { type Attributed, childrenOf, type Mpd, type Period } from "./mpd.ts";
import { type SegmentTime, segmentTimes } from "./segment-times.ts";
import type { FilePart, Rendition, TitleSegment } from "./title.ts";
import type { XmlElement } from "./xml.ts";

/** Limit of the parts into which dollar signs divide a template: enough for ten identifiers. */
const MAX_PARTS = 21;

/**
 * Elements that describe the segments, one for each level of the manifest that has one, from the period
 * inwards.
 */
export type SegmentInfos = readonly XmlElement[];

export interface Representation {
  readonly period: Period;
  readonly infos: SegmentInfos;
  /** Address of its level, resolved. */
  readonly base: string;
  readonly id: string;
  readonly bandwidth: string | undefined;
}

/** Returns the elements of a level and those above it. */
export function withInfos(mpd: Mpd, above: SegmentInfos, element: XmlElement): SegmentInfos {
  const own = element.children.filter(({ name }) => /^Segment(Base|List|Template)$/.test(name));
  if (own.length <= 1) return [...above, ...own];
  throw mpd.invalid(
    `has a ${element.name} with ${own.map(({ name }) => name).join(" and ")}. One is allowed.`,
  );
}

/** Throws MANIFEST_INVALID and MANIFEST_UNSUPPORTED. */
export function segmentsOf(mpd: Mpd, representation: Representation): Omit<Rendition, "name"> {
  const reader = new SegmentReader(mpd, representation);
  const name = representation.infos.at(-1)?.name ?? "SegmentBase";
  if (name === "SegmentBase") return { isCut: false, segments: [reader.wholeFile()] };
  return { isCut: true, segments: name === "SegmentList" ? reader.list() : reader.template() };
}

class SegmentReader {
  readonly #mpd: Mpd;
  readonly #representation: Representation;
  /**
   * The elements that apply. An element inherits attributes and children from outer elements of the same
   * name.
   */
  readonly #infos: SegmentInfos;
  readonly #info: Attributed;

  constructor(mpd: Mpd, representation: Representation) {
    const name = representation.infos.at(-1)?.name ?? "SegmentBase";
    this.#mpd = mpd;
    this.#representation = representation;
    this.#infos = representation.infos.filter((info) => info.name === name);
    this.#info = { name, attributes: new Map(this.#infos.flatMap(({ attributes }) => [...attributes])) };
  }

  /**
   * Returns the segment of a representation that is a single file, with an index or without any element about
   * segments.
   */
  wholeFile(): TitleSegment {
    const { base } = this.#representation;
    const { places } = this.#mpd;
    if (base === places.addressOf() || URL.parse(base)?.pathname.endsWith("/"))
      throw this.#mpd.invalid(
        `names no file of the representation ${JSON.stringify(this.#representation.id)}.`,
      );
    const file = places.fileOf(base, base);
    const init = this.#init();
    return { file, init: init?.file === file ? undefined : init, seconds: 0, isDiscontinuous: false };
  }

  list(): readonly TitleSegment[] {
    const urls = this.#children("SegmentURL");
    if (urls.length === 0) throw this.#mpd.wrong(this.#info, "SegmentURL");
    const times = this.#times(urls.length);
    const init = this.#init();
    if (urls.length !== times.length)
      throw this.#mpd.invalid(
        `has ${urls.length} segments in a SegmentList, and ${times.length} in its SegmentTimeline.`,
      );
    return urls.map((url, index) => ({
      ...this.#part(url, "media", "mediaRange"),
      init,
      seconds: times[index]?.seconds ?? 0,
      isDiscontinuous: false,
    }));
  }

  template(): readonly TitleSegment[] {
    const times = this.#times();
    const template = this.#info.attributes.get("initialization");
    const init = template === undefined ? this.#init() : { file: this.#file(this.#filler(template)()) };
    const media = this.#info.attributes.get("media");
    if (media === undefined) throw this.#mpd.wrong(this.#info, "media");
    if (times.length > 1 && !/\$(Number|Time)\b/.test(media))
      throw this.#mpd.invalid(
        `has one name for ${times.length} segments: ${JSON.stringify(media.slice(0, 200))}.`,
      );
    const filled = this.#filler(media);
    return times.map((time) => ({
      file: this.#file(filled(time)),
      init,
      seconds: time.seconds,
      isDiscontinuous: false,
    }));
  }

  #times(listed?: number): readonly SegmentTime[] {
    const [timeline] = this.#children("SegmentTimeline");
    const times = segmentTimes(this.#mpd, this.#representation.period, this.#info, { timeline, listed });
    this.#mpd.counter.add(times.length);
    return times;
  }

  /** Returns the children with a name, from the innermost element that has any. */
  #children(name: string): readonly XmlElement[] {
    return this.#infos.map((info) => childrenOf(info, name)).findLast(({ length }) => length > 0) ?? [];
  }

  #init(): FilePart | undefined {
    const [init] = this.#children("Initialization");
    return init && this.#part(init, "sourceURL", "range");
  }

  /**
   * Returns the part of a file that an element names. Without an address, it is a part of the file of its
   * level.
   */
  #part(element: XmlElement, address: string, range: string): FilePart {
    const { attributes } = element;
    const file = this.#file(attributes.get(address) ?? this.#representation.base);
    const text = attributes.get(range);
    if (text === undefined) return { file };
    const [first, last] = /^(\d{1,15})-(\d{1,15})$/.exec(text)?.slice(1).map(Number) ?? [];
    if (first === undefined || last === undefined || last < first) throw this.#mpd.wrong(element, range);
    return { file, range: { first, length: last - first + 1 } };
  }

  #file(address: string): string {
    const { base } = this.#representation;
    this.#mpd.refuseLong(address);
    return this.#mpd.places.fileOf(address, base);
  }

  /** Returns a function that replaces the identifiers in a template, which are enclosed in dollar signs. */
  #filler(template: string): (segment?: SegmentTime) => string {
    this.#mpd.refuseLong(template);
    const parts = template.split("$");
    if (parts.length % 2 === 0 || parts.length > MAX_PARTS)
      throw this.#mpd.unsupported(
        `has a SegmentTemplate with an odd number of dollars, or more than ${MAX_PARTS - 1}.`,
      );
    return (segment) =>
      parts.map((part, index) => (index % 2 === 0 ? part : this.#valueOf(part, segment))).join("");
  }

  #valueOf(identifier: string, segment: SegmentTime | undefined): string {
    if (identifier === "") return "$";
    const { id, bandwidth } = this.#representation;
    const [, name, width] = /^([A-Za-z]+)(?:%0(\d{1,2})d)?$/.exec(identifier) ?? [];
    const value = new Map<string | undefined, string | bigint | undefined>([
      ["RepresentationID", id],
      ["Bandwidth", bandwidth],
      ["Number", segment?.number],
      ["Time", segment?.time],
    ]).get(name);
    if (value !== undefined) return String(value).padStart(Number(width ?? 1), "0");
    throw this.#mpd.unsupported(
      `has a SegmentTemplate with $${identifier.slice(0, 50)}$, for which there is no value.`,
    );
  }
}
