/** Keeps the diagnosis of each pair in a file, one line of JSON each, so that a long run can be resumed. */
import { existsSync } from "node:fs";
import { appendFile, readFile } from "node:fs/promises";
import type { Found } from "./found.ts";

export interface Result {
  /** The id of the pair. */
  readonly id: string;
  readonly found: Found;
  readonly cpuMs: number;
}

/**
 * Returns the results in a file by the id of the pair; none if the file does not exist. Throws on a line that is not
 * JSON.
 */
export async function readResults(file: string | undefined): Promise<ReadonlyMap<string, Result>> {
  if (file === undefined || !existsSync(file)) return new Map();
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
  const results = lines.map((line) => JSON.parse(line) as Result);
  return new Map(results.map((result) => [result.id, result]));
}

export async function keepResult(file: string | undefined, result: Result): Promise<void> {
  if (file !== undefined) await appendFile(file, `${JSON.stringify(result)}\n`);
}
