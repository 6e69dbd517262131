/**
 * Short names of the features that libvmaf computes its scores from, for people. In results, CSV and JSON they keep
 * libvmaf's names, which contain every option: integer_adm2_csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02_nvd_5.
 */

export interface FeatureName {
  /** Differs from the names of all other metrics of the result. */
  readonly name: string;
  /** What its values mean. */
  readonly meaning: string;
}

/** Features by their names without prefix and options. Limits are those of the version 1 models. */
const FEATURES: Readonly<Record<string, FeatureName>> = {
  cambi: {
    name: "CAMBI (banding)",
    meaning: "banding that the distorted video shows: 0 none, 24 most (version 1 models limit it to 17)",
  },
  speed_chroma_uv: {
    name: "chroma",
    meaning: "SpEED-QA of both chroma planes: 0 no difference, higher is worse, at most 45",
  },
  speed_chroma_u: {
    name: "chroma Cb",
    meaning: "SpEED-QA of the plane Cb: 0 no difference, higher is worse",
  },
  speed_chroma_v: {
    name: "chroma Cr",
    meaning: "SpEED-QA of the plane Cr: 0 no difference, higher is worse",
  },
  adm2: { name: "detail", meaning: "share of the reference's detail that is kept: 1 all" },
  adm3: { name: "ADM", meaning: "detail that is kept and not added: 0.7 * detail + 0.3 * (1 - AIM)" },
  aim: { name: "AIM", meaning: "additive impairment, detail that the reference lacks: 0 none" },
  motion: { name: "motion", meaning: "change of the reference from the previous frame" },
  motion2: { name: "motion 2", meaning: "change of the reference to the more similar neighbouring frame" },
  motion3: { name: "motion 3", meaning: "motion 2 as the version 1 models use it" },
  motion_sad_score: {
    name: "motion SAD",
    meaning: "mean difference of the reference from the previous frame",
  },
  ...Object.fromEntries(
    [0, 1, 2, 3].flatMap((scale) => [
      [
        `adm_scale${scale}`,
        { name: `detail ${scale}`, meaning: `detail that is kept at scale ${scale}: 1 all` },
      ],
      [
        `vif_scale${scale}`,
        { name: `VIF ${scale}`, meaning: `visual information that is kept at scale ${scale}: 1 all` },
      ],
    ]),
  ),
};

const PARTS =
  /^(?<prefix>integer_|float_|VMAF_integer_feature_)?(?<stem>cambi|speed_chroma_(?:uv|u|v)|adm[23]|adm_scale\d|aim|motion_sad_score|motion[23]?|vif_scale\d)(?:_(?<options>[a-z].*))?$/;

/**
 * Whether libvmaf computes the metric for its models only. It cannot be requested by name; the feature `cambi` can, but
 * not with a model's options.
 */
export function isComponent(metric: string): boolean {
  return /^(integer_|float_|VMAF_integer_feature_)?(adm|vif|motion|aim|speed_chroma|cambi_)/.test(metric);
}

/**
 * Returns the short names of those metrics of a result that are such features. Metrics with the same name get
 * suffixes.
 */
export function featureNames(metrics: readonly string[]): ReadonlyMap<string, FeatureName> {
  const found = [...new Set(metrics)].flatMap((metric) => {
    const { prefix = "", stem = "", options = "" } = PARTS.exec(metric)?.groups ?? {};
    const feature = FEATURES[stem];
    return feature === undefined ? [] : [{ metric, ...feature, words: wordsOf(prefix, stem, options) }];
  });
  const groups = Map.groupBy(found, ({ name }) => name);
  const named = found.map(({ metric, name, meaning, words }) => {
    const all = (groups.get(name) ?? []).map((other) => other.words);
    const own = words.filter((word) => !all.every((others) => others.includes(word)));
    return { metric, name: [name, ...own].join(", "), meaning };
  });
  const others = metrics.filter((metric) => !named.some((one) => one.metric === metric));
  const taken = [...others, ...named.map(({ name }) => name)];
  const isUnique = (name: string) => taken.filter((other) => other === name).length === 1;
  return new Map(
    named.map(({ metric, name, meaning }) => [metric, { name: isUnique(name) ? name : metric, meaning }]),
  );
}

/** What an option means, by its name in libvmaf. */
const OPTION_WORDS: readonly (readonly [pattern: RegExp, word: (value: string) => string])[] = [
  [/(?:^|_)mma(?:_|$)/, () => "high frame rate"],
  [/(?:^|_)nvd_([\d.]+)/, (heights) => `${heights} heights`],
  [/(?:^|_)rdh_(\d+)/, (lines) => `${lines} lines`],
  [/(?:^|_)ps_([\d.]+)/, (scale) => `scale ${scale}`],
];
/** Options that only the version 1 models set. */
const VERSION_1 = /(?:^|_)(?:csf|cmxv|mmxv|mxv)_/;

/**
 * Describes what distinguishes a feature: arithmetic, the models' generation and viewing conditions. If a
 * feature has a fixed-point variant, its name without a prefix means the floating-point variant.
 */
function wordsOf(prefix: string, stem: string, options: string): readonly string[] {
  const generation = VERSION_1.test(options)
    ? ["v1"]
    : options === "egl_1"
      ? ["NEG"]
      : options === ""
        ? []
        : [options];
  const conditions = OPTION_WORDS.flatMap(([pattern, word]) => {
    const match = pattern.exec(options);
    return match === null ? [] : [word(match[1] ?? "")];
  });
  const isFloat = prefix === "float_" || (prefix === "" && /^(adm|aim|motion|vif)/.test(stem));
  return [...(isFloat ? ["float"] : []), ...generation, ...conditions];
}
