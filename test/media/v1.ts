/** The version 1 models for the oracle, which scores with them at 10 bits. */
import { deepen, type Planes, shallow } from "./truth.ts";

export const V1_MODELS = ["", "hfr_"].flatMap((hfr) =>
  ["3d0h", "5d0h", "1d5h_2160", "3d0h_2160"].map((viewing) => `vmaf_v1.0.16_${hfr}${viewing}`),
);

/** How the distorted video was encoded. */
interface Encoded {
  readonly width: number;
  readonly height: number;
  readonly bitDepth: number;
}

/** Returns libvmaf's text for a model with the encode that its banding feature takes. */
export function v1Model(name: string, { width, height, bitDepth }: Encoded): string {
  const options = [`enc_width=${width}`, `enc_height=${height}`, `enc_bitdepth=${bitDepth}`];
  return [`version=${name}`, ...options.map((option) => `cambi.${option}`)].join(":");
}

/** Converts planes of any depth to 10 bits. */
export async function tenBits(planes: Planes): Promise<Planes> {
  if (planes.pixels.endsWith("p10le")) return planes;
  return /p1[26]le$/.test(planes.pixels) ? shallow(planes, 10) : deepen(planes, 10);
}
