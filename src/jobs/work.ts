/** Which node may do which work: its class, a text that is equal for work of equal needs. */

export type WorkKind = "PLAN" | "SEGMENT" | "WHOLE" | "STILLS";

/** Kinds of work that score frames. */
export const SCORING_KINDS = ["SEGMENT", "WHOLE"] as const satisfies readonly WorkKind[];

/** A model as a node has it. */
export interface ModelId {
  readonly name: string;
  /** SHA-256 of its file in hex; empty for one built into the scorer. */
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
  /** Whether it makes stills; absent of nodes that do not know of them. */
  readonly stills?: boolean;
}

/** Planning needs a node that has the models, whatever their files say. */
export function planClass(models: readonly string[]): string {
  return JSON.stringify(["plan", [...models].sort()]);
}

/** Scoring needs the very scorer and models that the plan was made with: scores of others are not comparable. */
export function scoreClass(scorer: Scorer, models: readonly ModelId[]): string {
  const ids = models.map(({ name, digest }) => `${name}@${digest}`).sort();
  return JSON.stringify(["score", ids, scorer.program, scorer.version, scorer.libvmafVersion]);
}

/** Stills need no model, and any version's decoder shows the same frame; but not every node makes them. */
export const STILLS_CLASS = JSON.stringify(["stills", []]);

/** Whether a text is the class of any work, of this version or another. */
export function isWorkClass(text: string): boolean {
  try {
    const [kind, needed, ...by] = JSON.parse(text) as unknown[];
    const isText = (value: unknown): boolean => typeof value === "string";
    return isText(kind) && Array.isArray(needed) && needed.every(isText) && by.every(isText);
  } catch {
    return false;
  }
}

/** What work of a class is and needs, as it is told to people; STILLS and PLAN need no scorer of their own. */
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

/** Names of the models that planning a class needs; undefined: it is not the class of a plan. */
export function modelsToPlan(workClass: string): readonly string[] | undefined {
  const [kind, needed] = JSON.parse(workClass) as [string, string[]];
  return kind === "plan" ? needed : undefined;
}

/** Whether a node can do the work of a class. */
export function serves({ scorer, models, stills }: Capabilities, workClass: string): boolean {
  if (workClass === STILLS_CLASS) return stills === true;
  const [kind, needed, ...by] = JSON.parse(workClass) as [string, string[], ...string[]];
  if (kind === "plan") return needed.every((name) => models.some((model) => model.name === name));
  const same = by.join("\n") === [scorer.program, scorer.version, scorer.libvmafVersion].join("\n");
  return same && needed.every((id) => models.some(({ name, digest }) => id === `${name}@${digest}`));
}
