/** The root of a DASH manifest, its periods, and how the attributes of its elements are read. */
import type { Failure } from "../platform/failure.ts";
import type { Places } from "./places.ts";
import { encryptedFault, manifestFault, SegmentCounter } from "./title.ts";
import { elementsIn, parseXml, type XmlElement, XmlFault } from "./xml.ts";

/** Limit of the characters of an address: it may be repeated for every segment. */
const MAX_ADDRESS = 1000;

/**
 * Seconds by which a period may end before or after the next one starts, because times in manifests are
 * rounded.
 */
const PERIOD_TOLERANCE = 0.5;

/** Seconds of years, months, days, hours, minutes and seconds. */
const UNITS = [365 * 86_400, 30 * 86_400, 86_400, 3600, 60, 1];
const MAX_SECONDS = 1e9;

/** A period of a title. */
export interface Period {
  readonly element: XmlElement;
  /** From 1. */
  readonly number: number;
  /** How long it lasts; undefined if the manifest does not say. */
  readonly seconds: number | undefined;
}

/** An element with its attributes, some of which may be inherited. */
export interface Attributed {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

export class Mpd {
  readonly places: Places;
  readonly counter: SegmentCounter;
  readonly root: XmlElement;

  /** Throws MANIFEST_INVALID, MANIFEST_UNSUPPORTED and MEDIA_ENCRYPTED. */
  constructor(text: string, places: Places) {
    this.places = places;
    this.counter = new SegmentCounter(places.manifest);
    try {
      this.root = parseXml(text);
    } catch (error) {
      throw error instanceof XmlFault ? this.invalid(`is not valid XML: it ${error.message}.`) : error;
    }
    if (this.root.attributes.get("type") === "dynamic")
      throw this.unsupported('is live (type="dynamic"). Only complete videos can be scored.');
    for (const { name, attributes } of elementsIn(this.root)) {
      if (name === "ContentProtection") throw encryptedFault(places.manifest, "it has ContentProtection");
      if (name !== "" && attributes.has("xlink:href"))
        throw this.unsupported(`has a ${name} in another file (xlink:href). Put it in the manifest.`);
    }
  }

  invalid(detail: string): Failure {
    return manifestFault("MANIFEST_INVALID", this.places.manifest, detail);
  }

  unsupported(detail: string): Failure {
    return manifestFault("MANIFEST_UNSUPPORTED", this.places.manifest, detail);
  }

  /**
   * Returns the periods. Each starts at its stated time, or else when the one before ends, and lasts until
   * the next one.
   */
  periods(): readonly Period[] {
    const periods: { element: XmlElement; start: number; own: number | undefined }[] = [];
    let next: number | undefined = 0;
    for (const element of childrenOf(this.root, "Period")) {
      const start: number | undefined = this.#seconds(element, "start") ?? next;
      if (start === undefined) throw this.invalid(`does not say when period ${periods.length + 1} starts.`);
      const own = this.#seconds(element, "duration");
      next = own === undefined ? undefined : start + own;
      periods.push({ element, start, own });
    }
    const total = this.#seconds(this.root, "mediaPresentationDuration");
    return periods.map(({ element, start, own }, index) => {
      const number = index + 1;
      const end = periods[number]?.start;
      if (own !== undefined && end !== undefined && Math.abs(start + own - end) > PERIOD_TOLERANCE)
        throw this.invalid(`has period ${number} until ${start + own} s, but the next one from ${end} s on.`);
      const seconds = own ?? (end ?? total ?? Number.NaN) - start;
      if (seconds <= 0) throw this.invalid(`has no time for period ${number}.`);
      return { element, number, seconds: Number.isNaN(seconds) ? undefined : seconds };
    });
  }

  /** Returns the address to which those in an element are relative. The first of several BaseURLs counts. */
  baseOf(element: XmlElement, base: string): string {
    const own = element.children.find(({ name }) => name === "BaseURL");
    if (own === undefined) return base;
    const address = own.text.trim();
    this.refuseLong(address);
    const resolved = URL.parse(address, base)?.href ?? address;
    this.refuseLong(resolved);
    return resolved;
  }

  /** Throws MANIFEST_UNSUPPORTED. */
  refuseLong(address: string): void {
    if (address.length <= MAX_ADDRESS) return;
    throw this.unsupported(`has an address of more than ${MAX_ADDRESS} characters.`);
  }

  /** Reads a whole number that is not negative. */
  integer(element: Attributed, name: string): bigint | undefined {
    const text = element.attributes.get(name);
    if (text === undefined) return undefined;
    if (/^\d{1,20}$/.test(text)) return BigInt(text);
    throw this.wrong(element, name);
  }

  /** Reads a whole number above 0. */
  positive(element: Attributed, name: string): bigint | undefined {
    const value = this.integer(element, name);
    if (value === 0n) throw this.wrong(element, name);
    return value;
  }

  wrong({ name, attributes }: Attributed, attribute: string): Failure {
    const text = attributes.get(attribute);
    if (text === undefined) return this.invalid(`has a ${name} without ${attribute}.`);
    return this.invalid(`has a ${name} with a wrong ${attribute}: ${JSON.stringify(text.slice(0, 50))}.`);
  }

  /** Reads a duration such as PT1H2M3.5S. */
  #seconds(element: XmlElement, name: string): number | undefined {
    const text = element.attributes.get(name);
    if (text === undefined) return undefined;
    const found =
      /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d*)?|\.\d+)S)?)?$/.exec(
        text,
      );
    if (found === null) throw this.wrong(element, name);
    const parts = found.slice(1).map((part) => Number(part ?? 0));
    const seconds = parts.reduce((sum, part, index) => sum + part * (UNITS[index] ?? 0), 0);
    if (seconds >= MAX_SECONDS) throw this.wrong(element, name);
    return seconds;
  }
}

export function childrenOf(element: XmlElement, name: string): readonly XmlElement[] {
  return element.children.filter((child) => child.name === name);
}
