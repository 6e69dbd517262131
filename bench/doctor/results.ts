/** Keeps what was found of each pair in a file, a line of JSON each: a long run goes on where it stopped. */
import { existsSync } from "node:fs";
import { appendFile, readFile } from "node:fs/promises";
import type { Found } from "./found.ts";

export interface Result {
  /** Of the pair. */
  readonly id: string;
  readonly found: Found;
  readonly cpuMs: number;
}

/** Returns the results of a file by the pair's id; none if there is no such file. Throws on a line that is not JSON. */
export async function readResults(file: string | undefined): Promise<ReadonlyMap<string, Result>> {
  if (file === undefined || !existsSync(file)) return new Map();
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
  const results = lines.map((line) => JSON.parse(line) as Result);
  return new Map(results.map((result) => [result.id, result]));
}

export async function keepResult(file: string | undefined, result: Result): Promise<void> {
  if (file !== undefined) await appendFile(file, `${JSON.stringify(result)}\n`);
}
