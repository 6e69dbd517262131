/** Files of storages: those of tenants that have none of their own in the registry, and the one for results. */
import { readPlainYaml } from "../../auth/tenants/plain-yaml.ts";
import {
  type ResultsOutcome,
  readResultsFile,
  readStoragesFile,
  type StoragesOutcome,
} from "../../auth/tenants/storages-entry.ts";
import type { ResultsSettings, Storage } from "../../jobs/media/storages.ts";
import { text, UsageError } from "../../platform/config/setting.ts";
import { readSmallFile } from "../../platform/files/small-file.ts";
import { systemReason } from "../../platform/system-reason.ts";

export const STORAGES_FILE = text({
  flags: "--storages-file <file>",
  help: "YAML or JSON file of the storages whose s3:// and https:// objects jobs may name, unless the registry has others for a tenant; read at the start",
  shownDefault: "none, jobs name files only",
});

export const RESULTS_STORAGE = text({
  flags: "--results-storage <file>",
  help: "YAML or JSON file of the bucket to which stills, clips and old per-frame scores are moved; read at the start",
  shownDefault: "none, the database keeps them",
});

/** Throws UsageError, with every fault. */
export async function readStorages(file: string | undefined): Promise<readonly Storage[]> {
  if (file === undefined) return [];
  return (await readWith("--storages-file", file, readStoragesFile)).storages;
}

/** Throws UsageError, with every fault. */
export async function readResults(file: string | undefined): Promise<ResultsSettings | undefined> {
  if (file === undefined) return undefined;
  return (await readWith("--results-storage", file, readResultsFile)).results;
}

type Read = StoragesOutcome | ResultsOutcome;
type Good<Outcome extends Read> = Extract<Outcome, { readonly faults?: never }>;

async function readWith<Outcome extends Read>(
  flag: string,
  file: string,
  read: (value: unknown) => Outcome,
): Promise<Good<Outcome>> {
  const bytes = await readSmallFile(file).catch((cause: unknown) => {
    throw unusable(flag, file, [systemReason(cause)]);
  });
  const { value, faults: broken } = readPlainYaml(bytes);
  if (broken !== undefined) throw unusable(flag, file, broken);
  const outcome = read(value);
  if (isGood(outcome)) return outcome;
  const faults = outcome.faults ?? [];
  throw unusable(
    flag,
    file,
    faults.map(({ member, text: what }) => `${member === "" ? "it" : member} ${what}`),
  );
}

function isGood<Outcome extends Read>(outcome: Outcome): outcome is Good<Outcome> {
  return outcome.faults === undefined;
}

function unusable(flag: string, file: string, faults: readonly string[]): UsageError {
  const lines = faults.map((fault) => `\n  ${fault}`).join("");
  return new UsageError(`${flag}: ${JSON.stringify(file)} cannot be used:${lines}`);
}
