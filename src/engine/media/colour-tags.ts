/** Transfer functions and primaries that files state, by ffmpeg's names (libavutil/pixdesc.c). */

/** "near": about the same effect; often stated for the same samples. */
export type Likeness = "same" | "near" | "other";

interface Tag {
  /** For people. */
  readonly title: string;
  /** Tags of one kind mean the same samples; tags of one family mean nearly the same samples. */
  readonly kind: string;
  readonly family: string;
}

function tag(title: string, kind: string, family: string = kind): Tag {
  return { title, kind, family };
}

/** BT.601, BT.709 and BT.2020 define the same curve; xvYCC and BT.1361 only extend it beyond the nominal range. */
const TRANSFERS: Readonly<Record<string, Tag>> = {
  bt709: tag("BT.709", "709", "gamma"),
  smpte170m: tag("BT.601", "709", "gamma"),
  "bt2020-10": tag("BT.2020", "709", "gamma"),
  "bt2020-12": tag("BT.2020", "709", "gamma"),
  "iec61966-2-4": tag("xvYCC", "709", "gamma"),
  bt1361e: tag("BT.1361", "709", "gamma"),
  smpte240m: tag("SMPTE 240M", "240", "gamma"),
  bt470m: tag("gamma 2.2", "2.2", "gamma"),
  bt470bg: tag("gamma 2.8", "2.8", "gamma"),
  "iec61966-2-1": tag("sRGB", "sRGB", "gamma"),
  smpte2084: tag("PQ", "PQ"),
  "arib-std-b67": tag("HLG", "HLG"),
  linear: tag("linear", "linear"),
  log100: tag("logarithmic 100:1", "log100", "log"),
  log316: tag("logarithmic 316:1", "log316", "log"),
  smpte428: tag("SMPTE 428", "428"),
};

const PRIMARIES: Readonly<Record<string, Tag>> = {
  bt709: tag("BT.709", "709", "TV"),
  smpte170m: tag("BT.601 (525 lines)", "525", "TV"),
  smpte240m: tag("SMPTE 240M", "525", "TV"),
  bt470bg: tag("BT.601 (625 lines)", "625", "TV"),
  ebu3213: tag("EBU 3213", "3213", "TV"),
  bt470m: tag("NTSC of 1953", "1953"),
  film: tag("film", "film"),
  bt2020: tag("BT.2020", "2020"),
  smpte428: tag("CIE XYZ", "XYZ"),
  smpte431: tag("DCI-P3", "DCI", "P3"),
  smpte432: tag("P3 of D65", "D65", "P3"),
};

/** The names to match in showinfo's lines: the text after a name on the line can come from another thread. */
export const TRANSFER_NAMES: readonly string[] = Object.keys(TRANSFERS);
export const PRIMARIES_NAMES: readonly string[] = Object.keys(PRIMARIES);

/** Dynamic range of a transfer function; undefined if it has none. */
export function dynamicsOf(transfer: string | undefined): "SDR" | "HDR" | undefined {
  const { family } = TRANSFERS[transfer ?? ""] ?? {};
  if (family === "PQ" || family === "HLG") return "HDR";
  return family === "gamma" ? "SDR" : undefined;
}

export function transferTitle(transfer: string): string {
  return TRANSFERS[transfer]?.title ?? transfer;
}

export function primariesTitle(primaries: string): string {
  return PRIMARIES[primaries]?.title ?? primaries;
}

/** How alike two transfer functions are; one that is not stated counts as the same as any. */
export function transferLikeness(one: string | undefined, other: string | undefined): Likeness {
  return likeness(TRANSFERS[one ?? ""], TRANSFERS[other ?? ""]);
}

/** How alike two primaries are; those that are not stated count as the same as any. */
export function primariesLikeness(one: string | undefined, other: string | undefined): Likeness {
  return likeness(PRIMARIES[one ?? ""], PRIMARIES[other ?? ""]);
}

function likeness(one: Tag | undefined, other: Tag | undefined): Likeness {
  if (one === undefined || other === undefined || one.kind === other.kind) return "same";
  return one.family === other.family ? "near" : "other";
}
