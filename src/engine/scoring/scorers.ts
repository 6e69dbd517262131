/** The scorers of this machine: the default one, and the others for requests and plans that name a version. */
import { hasVersion, versionText } from "../../jobs/work.ts";
import { Failure } from "../../platform/failure.ts";
import type { ScorerInfo } from "../contract/result.ts";
import type { Tools } from "./find.ts";

export class Scorers {
  readonly default: Tools;
  readonly #findMore: () => Promise<readonly Tools[]>;
  #all: Promise<readonly Tools[]> | undefined;

  /** @param findMore finds the other scorers, which takes a trial of each */
  constructor(first: Tools, findMore: () => Promise<readonly Tools[]>) {
    this.default = first;
    this.#findMore = findMore;
  }

  /** Returns all scorers, the default one first. Of several with the same versions, only the first counts. */
  all(): Promise<readonly Tools[]> {
    this.#all ??= this.#find();
    return this.#all;
  }

  async #find(): Promise<readonly Tools[]> {
    try {
      return distinct([this.default, ...(await this.#findMore())]);
    } catch (error) {
      // The next caller tries again.
      this.#all = undefined;
      throw error;
    }
  }

  /** Returns the scorer of a version, its own or its libvmaf's; without one, the default. Throws UNKNOWN_SCORER. */
  async ofVersion(version: string | undefined): Promise<Tools> {
    if (version === undefined || hasVersion(this.default.scorer.info, version)) return this.default;
    const all = await this.all();
    const found = all.find(({ scorer }) => hasVersion(scorer.info, version));
    if (found !== undefined) return found;
    const versions = all.map(({ scorer }) => versionText(scorer.info));
    throw new Failure(
      "UNKNOWN_SCORER",
      `There is no scorer of version ${version}. Available versions: ${versions.join(", ")}.`,
      { found: { scorerVersion: version, versions } },
    );
  }

  /**
   * Returns the scorer that a plan was made for. Throws SCORER_FAILED if this machine does not have it: scores of
   * different scorers are not comparable, and another machine may succeed.
   */
  async ofPlan(planned: ScorerInfo): Promise<Tools> {
    const name = nameOf(planned);
    if (nameOf(this.default.scorer.info) === name) return this.default;
    const all = await this.all();
    const found = all.find(({ scorer }) => nameOf(scorer.info) === name);
    if (found !== undefined) return found;
    const here = all.map(({ scorer }) => nameOf(scorer.info));
    const detail = `The plan was made for ${name}, but this machine scores with ${here.join(" or ")}.`;
    throw new Failure("SCORER_FAILED", detail, { found: { planned, here } });
  }
}

function nameOf({ program, version, libvmafVersion }: ScorerInfo): string {
  return `${program} ${version} with libvmaf ${libvmafVersion}`;
}

function distinct(all: readonly Tools[]): readonly Tools[] {
  const names = all.map(({ scorer }) => nameOf(scorer.info));
  return all.filter((_, index) => names.indexOf(names[index] ?? "") === index);
}
