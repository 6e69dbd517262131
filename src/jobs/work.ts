/**
 * The class of a task, which determines the nodes that may run it: a text that is equal for tasks with equal
 * requirements.
 */

export type WorkKind = "PLAN" | "SEGMENT" | "WHOLE" | "STILLS";

/** Task kinds that score frames. */
export const SCORING_KINDS = ["SEGMENT", "WHOLE"] as const satisfies readonly WorkKind[];

/** A model on a node. */
export interface ModelId {
  readonly name: string;
  /** SHA-256 of its file in hex; empty for a model built into the scorer. */
  readonly digest: string;
}

export interface Scorer {
  readonly program: string;
  readonly version: string;
  readonly libvmafVersion: string;
}

/** A scorer of a node and the models that it has. */
export interface NodeScorer {
  readonly scorer: Scorer;
  readonly models: readonly ModelId[];
  /** SHA-256 in hex of everything that computes its scores: programs, libraries, processor. Absent if not known. */
  readonly scoredBy?: string;
}

/** A node's default scorer, and its other capabilities. */
export interface Capabilities extends NodeScorer {
  /** Whether the node makes stills; absent on nodes of versions without stills. */
  readonly stills?: boolean;
  /** Whether the node makes clips; absent on nodes that cannot, and of versions without clips. */
  readonly clips?: boolean;
  /** Whether the node diagnoses pairs; absent on nodes of versions that cannot. */
  readonly diagnoses?: boolean;
  /** Whether the node reads titles; absent on nodes of versions that cannot. */
  readonly titles?: boolean;
  /** Whether the node reads titles in storages; absent on nodes of versions that cannot. */
  readonly storedTitles?: boolean;
  /** Scorers for jobs that request their versions; absent on nodes of versions with one scorer. */
  readonly moreScorers?: readonly NodeScorer[];
}

/** The requirements of planning a job on a node. */
export interface PlanNeed {
  readonly models: readonly string[];
  /** Version of a scorer or of its libvmaf; undefined: the node's default scorer. */
  readonly scorerVersion: string | undefined;
}

/** The class of a PLAN task. It requires a scorer with models of these names; their digests do not matter. */
export function planClass(models: readonly string[], scorerVersion?: string): string {
  return JSON.stringify([
    "plan",
    [...models].sort(),
    ...(scorerVersion === undefined ? [] : [scorerVersion]),
  ]);
}

/**
 * Returns the scorers that can plan a job: those with the requested version or, without one, the default
 * scorer.
 */
export function scorersFor(node: Capabilities, version: string | undefined): readonly NodeScorer[] {
  return version === undefined ? [node] : scorersOf(node).filter(({ scorer }) => hasVersion(scorer, version));
}

/** Returns all scorers of a node, the default one first. */
export function scorersOf(node: Capabilities): readonly NodeScorer[] {
  return [node, ...(node.moreScorers ?? [])];
}

/** Whether a scorer or its libvmaf has this version, in full or without its build: "n7.0" of "n7.0-7-gd38bf5e08e". */
export function hasVersion({ version, libvmafVersion }: Scorer, requested: string): boolean {
  return version === requested || libvmafVersion === requested || version.startsWith(`${requested}-`);
}

/** Returns both versions of a scorer, either of which can be requested: "n9.0 (libvmaf 3.2.0)". */
export function versionText({ version, libvmafVersion }: Scorer): string {
  return `${version} (libvmaf ${libvmafVersion})`;
}

/** The class of a scoring task. It requires the exact scorer and models of the plan: other scores are not comparable. */
export function scoreClass(scorer: Scorer, models: readonly ModelId[]): string {
  const ids = models.map(({ name, digest }) => `${name}@${digest}`).sort();
  return JSON.stringify(["score", ids, scorer.program, scorer.version, scorer.libvmafVersion]);
}

/**
 * Stills require no model, and decoders of all versions return the same frame; but not every node makes
 * stills.
 */
export const STILLS_CLASS = JSON.stringify(["stills", []]);

/** The class of a STILLS task that makes a clip: as for stills, but it requires another encoder. */
export const CLIPS_CLASS = JSON.stringify(["clips", []]);

/**
 * The class of a PLAN task that diagnoses the pair. A diagnosis requires no model, and all decoders return
 * the same pictures; but nodes of earlier versions would score the pair.
 */
export const DIAGNOSIS_CLASS = JSON.stringify(["diagnose", []]);

/**
 * The class of a PLAN task that lists the renditions of a title. It requires no model, but nodes of earlier versions
 * would score the manifest as a video.
 */
export const TITLE_CLASS = JSON.stringify(["title", []]);

/** Suffix of the kind in classes of tasks with a video of a title in a storage. */
const STORED = "-stored";

/**
 * Returns the class of the same task for a video of a title in a storage. Nodes of earlier versions would take the manifest
 * for the video.
 */
export function ofStoredTitle(workClass: string): string {
  const [kind, ...needs] = JSON.parse(workClass) as [string, ...unknown[]];
  return JSON.stringify([`${kind}${STORED}`, ...needs]);
}

/** Beginning of the classes of scoring tasks with a video of a title in a storage. */
export const STORED_SCORE_CLASS = `["score${STORED}"`;

/**
 * Returns the class of the same task for another video; undefined if the class is already for another video.
 */
function withoutStored(workClass: string): string | undefined {
  const [kind, ...needs] = JSON.parse(workClass) as [string, ...unknown[]];
  return kind.endsWith(STORED) ? JSON.stringify([kind.slice(0, -STORED.length), ...needs]) : undefined;
}

/** Returns the class of the same task for a video that is no title in a storage. */
export function plainClass(workClass: string): string {
  return withoutStored(workClass) ?? workClass;
}

/**
 * Returns the class of another task over the videos of a job. `scoreClass`: the class of its scoring tasks;
 * null: not known.
 */
export function withVideosOf(workClass: string, scoreClass: string | null): string {
  return scoreClass?.startsWith(STORED_SCORE_CLASS) ? ofStoredTitle(workClass) : workClass;
}

/** Both classes of a task: for titles in storages, and for other videos. */
function both(workClass: string): readonly [string, string] {
  return [workClass, ofStoredTitle(workClass)];
}

export const DIAGNOSIS_CLASSES = both(DIAGNOSIS_CLASS);
export const TITLE_CLASSES = both(TITLE_CLASS);

/** Classes of PLAN tasks that do not plan their pair. */
export const NO_PLAN_CLASSES = [...DIAGNOSIS_CLASSES, ...TITLE_CLASSES] as const;

/** Whether a text is a task class, of this version or another. */
export function isWorkClass(text: string): boolean {
  try {
    const [kind, needed, ...by] = JSON.parse(text) as unknown[];
    const isText = (value: unknown): boolean => typeof value === "string";
    return isText(kind) && Array.isArray(needed) && needed.every(isText) && by.every(isText);
  } catch {
    return false;
  }
}

/**
 * The kind and requirements of a class, for display; STILLS and most PLAN tasks, which include diagnoses and lists of
 * renditions, require no specific scorer.
 */
export interface WorkNeed {
  readonly kind: "PLAN" | "SCORE" | "STILLS";
  /** Program and version, or a requested version; empty: any. */
  readonly scorer: string;
}

export function needOf(workClass: string): WorkNeed {
  const [kind, , program = "", version = ""] = JSON.parse(plainClass(workClass)) as [
    string,
    string[],
    ...string[],
  ];
  if (kind === "stills" || kind === "clips") return { kind: "STILLS", scorer: "" };
  const plans = kind === "plan" || kind === "diagnose" || kind === "title";
  return { kind: plans ? "PLAN" : "SCORE", scorer: `${program} ${version}`.trim() };
}

/** Returns the requirements of a class of planning; undefined for other classes. */
export function needToPlan(workClass: string): PlanNeed | undefined {
  const [kind, models, scorerVersion] = JSON.parse(plainClass(workClass)) as [
    string,
    string[],
    string | undefined,
  ];
  return kind === "plan" ? { models, scorerVersion } : undefined;
}

/** Whether a node can run tasks of a class. */
export function serves(node: Capabilities, workClass: string): boolean {
  const plain = withoutStored(workClass);
  if (plain !== undefined) return node.storedTitles === true && serves(node, plain);
  if (workClass === STILLS_CLASS) return node.stills === true;
  if (workClass === CLIPS_CLASS) return node.clips === true;
  if (workClass === DIAGNOSIS_CLASS) return node.diagnoses === true;
  if (workClass === TITLE_CLASS) return node.titles === true;
  const need = needToPlan(workClass);
  if (need === undefined) return scorersOf(node).some((one) => canScore(one, workClass));
  return canPlan(node, need);
}

/** Whether a node has a scorer that can plan a job. */
export function canPlan(node: Capabilities, { models, scorerVersion }: PlanNeed): boolean {
  return scorersFor(node, scorerVersion).some((one) =>
    models.every((name) => one.models.some((model) => model.name === name)),
  );
}

/** Whether a scorer can run the scoring tasks of a class. */
export function canScore({ scorer, models }: NodeScorer, workClass: string): boolean {
  const [, needed, ...by] = JSON.parse(workClass) as [string, string[], ...string[]];
  const same = by.join("\n") === [scorer.program, scorer.version, scorer.libvmafVersion].join("\n");
  return same && needed.every((id) => models.some(({ name, digest }) => id === `${name}@${digest}`));
}
