/** Checks whether the models that score a pair were made for such videos. */
import { modelForSize } from "../../jobs/models.ts";
import type { Finding } from "../contract/finding.ts";
import { SIDES, type Side } from "../contract/request.ts";
import { dynamicsOf, transferTitle } from "../media/colour-tags.ts";
import type { Track } from "../media/track.ts";
import type { Model } from "../planning/models.ts";
import type { Pairing } from "../planning/pairing.ts";

type Tracks = Readonly<Record<Side, Track>>;
type ScoringModel = Pick<Model, "name" | "asked" | "digest">;

/** A file's model can have a built-in model's name, but only the built-in model's training data is known. */
const isBuiltIn = ({ digest }: ScoringModel) => digest === "";

/**
 * Finds pairs that are HDR on both sides, because all built-in models were trained on SDR. `models` are those that
 * score; undefined: not known.
 */
export function hdrFindings(tracks: Tracks, models?: readonly ScoringModel[]): Finding[] {
  const transfers = SIDES.flatMap((side) => tracks[side].transfer ?? []);
  if (transfers.length < SIDES.length || transfers.some((transfer) => dynamicsOf(transfer) !== "HDR"))
    return [];
  const names = models?.filter(isBuiltIn).map(({ name }) => name);
  if (names?.length === 0) return [];
  const curves = [...new Set(transfers.map(transferTitle))].join(" and ");
  const trained = names ? `${names.join(", ")} ${names.length === 1 ? "was" : "were"}` : "VMAF's models were";
  return [
    {
      code: "HDR",
      confidence: names ? "likely" : "possible",
      evidence: `Both videos are HDR (${curves}) by their tags, and ${trained} trained on SDR: such scores rank encodes of one video at best, and are not comparable with those of SDR.`,
    },
  ];
}

/** Finds HD models that score 4K pictures, and the other way round. Short names choose a model by the size. */
export function modelSizeFindings(
  { width, height }: Pick<Pairing, "width" | "height">,
  models: readonly ScoringModel[],
): Finding[] {
  const advised = models.flatMap((model) => {
    const better =
      isBuiltIn(model) && model.asked === model.name
        ? modelForSize(model.name, { width, height })
        : undefined;
    return better === undefined ? [] : [`${better} instead of ${model.name}`];
  });
  if (advised.length === 0) return [];
  const evidence = `Pictures of ${width}x${height} are usually scored with ${advised.join(", ")}: a model is trained for a size and the distance from which it is watched.`;
  return [{ code: "MODEL_SIZE", confidence: "possible", evidence }];
}
