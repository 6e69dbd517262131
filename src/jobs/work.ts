/** Which node may run which task: the class of a task, a text that is equal for tasks with equal requirements. */

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

export interface Capabilities {
  readonly scorer: Scorer;
  readonly models: readonly ModelId[];
  /** Whether the node makes stills; absent on nodes of versions without stills. */
  readonly stills?: boolean;
}

/** The class of a PLAN task. It requires a node with models of these names; their digests do not matter. */
export function planClass(models: readonly string[]): string {
  return JSON.stringify(["plan", [...models].sort()]);
}

/** The class of a scoring task. It requires the exact scorer and models of the plan: other scores are not comparable. */
export function scoreClass(scorer: Scorer, models: readonly ModelId[]): string {
  const ids = models.map(({ name, digest }) => `${name}@${digest}`).sort();
  return JSON.stringify(["score", ids, scorer.program, scorer.version, scorer.libvmafVersion]);
}

/** Stills require no model, and the decoder of any version shows the same frame; but not every node makes them. */
export const STILLS_CLASS = JSON.stringify(["stills", []]);

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

/** The kind and requirements of a class, for display; STILLS and PLAN require no specific scorer. */
export interface WorkNeed {
  readonly kind: "PLAN" | "SCORE" | "STILLS";
  /** Program and version; empty: any. */
  readonly scorer: string;
}

export function needOf(workClass: string): WorkNeed {
  const [kind, , program = "", version = ""] = JSON.parse(workClass) as [string, string[], ...string[]];
  if (kind === "score") return { kind: "SCORE", scorer: `${program} ${version}`.trim() };
  return { kind: kind === "plan" ? "PLAN" : "STILLS", scorer: "" };
}

/** Returns the names of the models that a PLAN class requires; undefined for other classes. */
export function modelsToPlan(workClass: string): readonly string[] | undefined {
  const [kind, needed] = JSON.parse(workClass) as [string, string[]];
  return kind === "plan" ? needed : undefined;
}

/** Whether a node can run tasks of a class. */
export function serves({ scorer, models, stills }: Capabilities, workClass: string): boolean {
  if (workClass === STILLS_CLASS) return stills === true;
  const [kind, needed, ...by] = JSON.parse(workClass) as [string, string[], ...string[]];
  if (kind === "plan") return needed.every((name) => models.some((model) => model.name === name));
  const same = by.join("\n") === [scorer.program, scorer.version, scorer.libvmafVersion].join("\n");
  return same && needed.every((id) => models.some(({ name, digest }) => id === `${name}@${digest}`));
}
