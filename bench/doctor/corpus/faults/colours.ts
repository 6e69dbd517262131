/** Faults of transfer function and primaries, and clean pairs of HDR videos. */
import type { Draw } from "../draw.ts";
import { type Fault, recipe, type SideRecipe } from "../fault.ts";
import type { Treatment } from "../treatment.ts";

const CURVES = ["smpte2084", "arib-std-b67"] as const;
type Curve = (typeof CURVES)[number];

/** 10 bits, regardless of the encoder's default. */
const TEN_BITS = ["-pix_fmt", "yuv420p10le"];

/** Changes the codec to HEVC, because not every encoder supports 10 bits or writes the tags. */
const hevc = (treatment: Treatment): Treatment => ({ ...treatment, codec: "x265" });

/** Converts the scene to HDR; its white has `peak` cd/m². */
function hdr(curve: Curve, peak: number): Pick<SideRecipe, "filters" | "output"> {
  const light = `zscale=transfer=linear:npl=${peak},format=gbrpf32le`;
  const coded = `zscale=primaries=bt2020:transfer=${curve}:matrix=bt2020nc:range=limited:npl=${peak}`;
  const tags = `setparams=color_trc=${curve}:color_primaries=bt2020:colorspace=bt2020nc`;
  return { filters: [light, coded, "format=yuv420p10le", tags], output: TEN_BITS };
}

/** Converts HDR with this peak back to SDR, as players do on SDR screens. */
function toneMapped(curve: Curve, peak: number, operator: string): readonly string[] {
  const light = "zscale=transfer=linear:npl=100,format=gbrpf32le,zscale=primaries=bt709";
  const mapped = `tonemap=${operator}:desat=0`;
  const coded = "zscale=transfer=bt709:matrix=bt709:range=limited,format=yuv420p";
  const tags = "setparams=color_trc=bt709:color_primaries=bt709:colorspace=bt709";
  return [...hdr(curve, peak).filters, light, mapped, coded, tags];
}

const drawHdr = (draw: Draw) => ({ curve: draw.one(CURVES), peak: draw.one([100, 203, 400, 1000]) });

/** One side is HDR and the other SDR: the original, or HDR that was tone-mapped. */
const transfer: Fault = (given) => {
  const { draw } = given;
  const { curve, peak } = drawHdr(draw);
  const side = draw.one(["distorted", "reference", "reference"] as const);
  const operator = side === "reference" ? draw.one(["none", "hable", "mobius", "reinhard"]) : "none";
  const treatment = side === "distorted" ? hevc(given.treatment) : given.treatment;
  const sdr = operator === "none" ? {} : { filters: toneMapped(curve, peak, operator) };
  const sides = { reference: sdr, distorted: sdr, [side]: hdr(curve, peak) };
  return recipe(
    given,
    { ...sides, distorted: { ...sides.distorted, treatment } },
    {
      ...{
        expected: [["TRANSFER_DIFFERS"]],
        allowed: ["PRIMARIES_DIFFER", "MATRIX_DIFFERS", "LEVELS_DIFFER"],
      },
      parameters: { side, curve, peak, operator },
    },
  );
};

/** SDR samples with the tags of HDR. */
const transferTag: Fault = (given) => {
  const { draw, treatment } = given;
  const curve = draw.one(CURVES);
  const side = draw.one(["distorted", "reference"] as const);
  const changed = { filters: [`setparams=color_trc=${curve}`] };
  return recipe(
    given,
    { [side]: changed, distorted: { ...(side === "distorted" && changed), treatment: hevc(treatment) } },
    { ...{ expected: [["TRANSFER_DIFFERS"]] }, parameters: { side, curve } },
  );
};

const primaries: Fault = (given) => {
  const { draw, treatment } = given;
  const side = draw.one(["distorted", "reference"] as const);
  const convert = draw.chance(0.5)
    ? ["zscale=primaries=bt2020:matrix=bt2020nc:range=limited", "format=yuv420p"]
    : [];
  const changed = { filters: [...convert, "setparams=color_primaries=bt2020"] };
  return recipe(
    given,
    { [side]: changed, distorted: { ...(side === "distorted" && changed), treatment: hevc(treatment) } },
    {
      ...{ expected: [["PRIMARIES_DIFFER"]], allowed: ["MATRIX_DIFFERS"] },
      parameters: { side, converted: String(convert.length > 0) },
    },
  );
};

const cleanHdr: Fault = (given) => {
  const { curve, peak } = drawHdr(given.draw);
  const side = hdr(curve, peak);
  const treatment = hevc(given.treatment);
  return recipe(
    given,
    { reference: side, distorted: { ...side, treatment } },
    {
      ...{ expected: [], allowed: ["HDR"] },
      parameters: { curve, peak },
    },
  );
};

export const COLOUR_FAULTS: Readonly<Record<string, Fault>> = {
  ...{ transfer, "transfer-tag": transferTag, primaries, "clean-hdr": cleanHdr },
};
