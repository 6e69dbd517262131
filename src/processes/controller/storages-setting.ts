/** The storages of tenants that have none of their own in the registry. */
import { readPlainYaml } from "../../auth/tenants/plain-yaml.ts";
import { readStoragesFile } from "../../auth/tenants/storages-entry.ts";
import type { Storage } from "../../jobs/media/storages.ts";
import { text, UsageError } from "../../platform/config/setting.ts";
import { readSmallFile } from "../../platform/files/small-file.ts";
import { systemReason } from "../../platform/system-reason.ts";

export const STORAGES_FILE = text({
  flags: "--storages-file <file>",
  help: "YAML or JSON file of the storages whose s3:// and https:// objects jobs may name, unless the registry has others for a tenant; read at the start",
  shownDefault: "none, jobs name files only",
});

/** Throws UsageError, with every fault. */
export async function readStorages(file: string | undefined): Promise<readonly Storage[]> {
  if (file === undefined) return [];
  const bytes = await readSmallFile(file).catch((cause: unknown) => {
    throw unusable(file, [systemReason(cause)]);
  });
  const { value, faults: broken } = readPlainYaml(bytes);
  if (broken !== undefined) throw unusable(file, broken);
  const { storages, faults } = readStoragesFile(value);
  if (storages !== undefined) return storages;
  throw unusable(
    file,
    faults.map(({ member, text: what }) => `${member === "" ? "it" : member} ${what}`),
  );
}

function unusable(file: string, faults: readonly string[]): UsageError {
  const lines = faults.map((fault) => `\n  ${fault}`).join("");
  return new UsageError(`--storages-file: ${JSON.stringify(file)} cannot be used:${lines}`);
}
