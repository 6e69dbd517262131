/** `npm ci` works: the lock file has an entry for every dependency of every package. */
import { missingFrom, readLock } from "../lock.ts";
import type { Gate } from "./gate.ts";

export const lock: Gate = {
  name: "lock",
  rule: "package-lock.json is complete, and no dependency sends telemetry on install",
  complaints: async (root) => {
    const read = readLock(root);
    const missing = missingFrom(read).map(
      ({ from, name }) =>
        `${name}, which ${from} depends on, is not in package-lock.json; run node scripts/lock.ts`,
    );
    const telemetry = Object.entries(read.packages)
      .filter(([path, entry]) => path.endsWith("/@scarf/scarf") && entry.name !== "empty-npm-package")
      .map(([path]) => `${path} reports every install to a third party; override it in package.json`);
    return [...missing, ...telemetry];
  },
};
