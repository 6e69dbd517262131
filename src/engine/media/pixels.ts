/** Pixel formats: their names in ffmpeg, and the planar format that both sides are compared in. */

export type Chroma = "420" | "422" | "444";

export interface PixelFormat {
  /** ffmpeg's name, for example yuv420p10le. */
  readonly name: string;
  /** Chroma layout in which it is compared. */
  readonly chroma: Chroma;
  /** Bits per sample. */
  readonly depth: number;
  /** Full range by name (yuvj…): swscale would convert it to limited range by default. */
  readonly fullByName: boolean;
  /** Comparing it needs a conversion that can round (RGB, unusual chroma); a warning says so. */
  readonly lossy: boolean;
}

const PLANAR = /^yuv(j?)a?(410|411|420|422|440|444)p(9|1[0246])?(le|be)?$/;
const SEMI_PLANAR = new Map<string, readonly [Chroma, number]>([
  ["nv12", ["420", 8]],
  ["nv21", ["420", 8]],
  ["nv16", ["422", 8]],
  ["nv24", ["444", 8]],
  ["nv42", ["444", 8]],
  ["nv20", ["422", 10]],
  ["yuyv422", ["422", 8]],
  ["uyvy422", ["422", 8]],
  ["yvyu422", ["422", 8]],
  ["y210", ["422", 10]],
  ["y212", ["422", 12]],
  ["p010", ["420", 10]],
  ["p012", ["420", 12]],
  ["p016", ["420", 16]],
  ["p210", ["422", 10]],
  ["p212", ["422", 12]],
  ["p216", ["422", 16]],
  ["p410", ["444", 10]],
  ["p412", ["444", 12]],
  ["p416", ["444", 16]],
]);
const RGB =
  /^(gbrap?|gbrp|rgb24|bgr24|rgba|bgra|argb|abgr|0rgb|rgb0|0bgr|bgr0|rgb48|bgr48|rgba64|bgra64)(9|1[0246])?(le|be)?$/;

/** Returns the facts of a pixel format by ffmpeg's name; undefined if no metric here is defined for it. */
export function pixelFormat(name: string): PixelFormat | undefined {
  const planar = PLANAR.exec(name);
  if (planar) {
    const [, jpeg, layout = "", bits] = planar;
    const chroma = layout === "420" || layout === "422" || layout === "444" ? layout : "420";
    return {
      name,
      chroma,
      depth: bits ? Number(bits) : 8,
      fullByName: jpeg === "j",
      lossy: chroma !== layout,
    };
  }
  const semi = SEMI_PLANAR.get(name.replace(/(le|be)$/, ""));
  if (semi) return { name, chroma: semi[0], depth: semi[1], fullByName: false, lossy: false };
  const rgb = RGB.exec(name);
  if (!rgb) return undefined;
  const depth = rgb[2] ? Number(rgb[2]) : /48|64/.test(rgb[1] ?? "") ? 16 : 8;
  return { name, chroma: "444", depth, fullByName: false, lossy: true };
}

/** Whether the samples of a format are red, green and blue. */
export function isRgb(format: PixelFormat): boolean {
  return RGB.test(format.name);
}

/** Returns the planar format that both sides are compared in: the reference's chroma and the larger bit depth. */
export function comparedFormat(reference: PixelFormat, distorted: PixelFormat): string {
  const depth = Math.max(reference.depth, distorted.depth);
  return planarName(reference.chroma, depth);
}

/** libvmaf accepts 8, 10, 12 and 16 bits: other depths go to the next larger one, which loses nothing. */
function planarName(chroma: Chroma, depth: number): string {
  const bits = [8, 10, 12, 16].find((supported) => depth <= supported) ?? 16;
  return bits === 8 ? `yuv${chroma}p` : `yuv${chroma}p${bits}le`;
}

/** Returns the chroma layout of a planar format. */
export function chromaOf(planar: string): Chroma {
  return /^yuv(4\d\d)p/.exec(planar)?.[1] as Chroma;
}

/** Returns the bits per sample of a planar format. */
export function bitsOf(planar: string): number {
  return Number(/^yuv4\d\dp(\d+)?/.exec(planar)?.[1] ?? 8);
}

/** Returns a planar format with this many bits per sample; undefined: as many as it has. */
export function withBits(planar: string, bits = bitsOf(planar)): string {
  return planarName(chromaOf(planar), bits);
}

/** Returns the bytes of one frame of a planar format in raw video and y4m: odd chroma sizes round up. */
export function frameBytes(format: PixelFormat, width: number, height: number): number {
  const [chromaWidth, chromaHeight] = chromaSize(format.chroma, width, height);
  return (width * height + 2 * chromaWidth * chromaHeight) * (format.depth > 8 ? 2 : 1);
}

/** Returns the number of luma samples per chroma sample of a format, in width and height. */
export function chromaSteps({ name, chroma }: PixelFormat): readonly [number, number] {
  const layout = PLANAR.exec(name)?.[2] ?? chroma;
  const across = layout === "410" || layout === "411" ? 4 : layout === "444" || layout === "440" ? 1 : 2;
  const down = layout === "410" ? 4 : layout === "420" || layout === "440" ? 2 : 1;
  return [across, down];
}

/** Returns the width and height of a chroma plane in samples. */
export function chromaSize(chroma: Chroma, width: number, height: number): readonly [number, number] {
  return [chroma === "444" ? width : Math.ceil(width / 2), chroma === "420" ? Math.ceil(height / 2) : height];
}

/**
 * Pixels of the largest frame that is decoded (8192×4320). Headers with larger sizes are refused before memory is
 * allocated.
 */
export const MAX_PIXELS = 8192 * 4320;
