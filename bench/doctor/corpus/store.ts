/** Keeps the pairs in a folder, so that each is made once. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Case, Half } from "./cases.ts";
import type { Size } from "./contents.ts";
import { type Files, makePair } from "./make.ts";
import { fetchClips } from "./packages.ts";
import type { Treatment } from "./treatment.ts";
import type { Truth } from "./truth.ts";

/** A pair that was made: its case, and where its files are. */
export interface Pair {
  readonly id: string;
  readonly class: string;
  readonly half: Half;
  readonly content: string;
  readonly natural: boolean;
  /** The size of the scene. */
  readonly size: Size;
  readonly rate: string;
  readonly treatment: Treatment;
  /** Paths of the two files. */
  readonly reference: string;
  readonly distorted: string;
  readonly truth: Truth;
}

/** Makes the pairs that are missing, `jobs` at a time, and returns all, in the order of the cases. */
export async function makePairs(folder: string, cases: readonly Case[], jobs: number): Promise<Pair[]> {
  await fetchClips(clipsIn(folder));
  const pairs: Pair[] = Array<Pair>(cases.length);
  let [next, made] = [0, 0];
  const work = async (): Promise<void> => {
    for (let index = next++; index < cases.length; index = next++) {
      const wanted = cases[index] as Case;
      pairs[index] = await keepPair(folder, wanted);
      if (++made % 20 === 0) {
        process.stderr.write(`${made} of ${cases.length} pairs\n`);
        await writeManifest(folder, pairs);
      }
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  await writeManifest(folder, pairs);
  return pairs;
}

/** Lists the pairs for other programs. */
async function writeManifest(folder: string, pairs: readonly (Pair | undefined)[]): Promise<void> {
  const done = pairs.filter((pair) => pair !== undefined);
  const path = join(folder, "manifest.json");
  await writeFile(`${path}.part`, JSON.stringify(done, undefined, 1));
  await rename(`${path}.part`, path);
}

/** Returns the pair of a case, and makes it if it is missing. The folder must contain the clips. */
export async function keepPair(folder: string, wanted: Case): Promise<Pair> {
  const home = join(folder, wanted.id);
  const how = howMade(wanted);
  const kept = await readMade(join(home, MADE));
  if (kept?.how === how) return pairOf(wanted, home, kept);
  const making = `${home}.making`;
  for (const stale of [home, making]) await rm(stale, { recursive: true, force: true });
  await mkdir(making, { recursive: true });
  const files = await makePair(wanted.scene, wanted.recipe, {
    clips: clipsIn(folder),
    pair: making,
  });
  const made: Made = { how, ...files };
  await writeFile(join(making, MADE), JSON.stringify(made));
  await rename(making, home);
  return pairOf(wanted, home, made);
}

function clipsIn(folder: string): string {
  return join(folder, "clips");
}

function pairOf(
  { id, half, scene, treatment, recipe: { truth }, ...of }: Case,
  home: string,
  { reference, distorted, hidden }: Made,
): Pair {
  return {
    ...{ id, class: of.class, half, content: scene.content.name, natural: scene.content.natural },
    ...{ size: { width: scene.width, height: scene.height }, rate: scene.rate, treatment },
    ...{ reference: join(home, reference), distorted: join(home, distorted) },
    truth: hidden ? { ...truth, ambiguous: true } : truth,
  };
}

/** A pair's files, and a hash of what they were made from. */
interface Made extends Files {
  readonly how: string;
}

const MADE = "made.json";

async function readMade(path: string): Promise<Made | undefined> {
  return existsSync(path) ? (JSON.parse(await readFile(path, "utf8")) as Made) : undefined;
}

/** A pair is made again if anything that its files depend on has changed. */
function howMade({ scene, recipe: { reference, distorted, truth } }: Case): string {
  const { uncovered } = truth;
  const recipe = JSON.stringify([scene, reference, distorted, ...(uncovered ? [uncovered] : [])]);
  return createHash("sha256").update(recipe).digest("hex").slice(0, 16);
}
