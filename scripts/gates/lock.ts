/** `npm ci` works: the lock has an entry for every package that any package asks for. */
import { missingFrom, readLock } from "../lock.ts";
import type { Gate } from "./gate.ts";

export const lock: Gate = {
  name: "lock",
  rule: "package-lock.json is whole, and no dependency phones home on install",
  complaints: async (root) => {
    const read = readLock(root);
    const missing = missingFrom(read).map(
      ({ from, name }) =>
        `${name}, which ${from} asks for, is not in package-lock.json; run node scripts/lock.ts`,
    );
    const telemetry = Object.entries(read.packages)
      .filter(([path, entry]) => path.endsWith("/@scarf/scarf") && entry.name !== "empty-npm-package")
      .map(([path]) => `${path} reports every install to a third party; override it in package.json`);
    return [...missing, ...telemetry];
  },
};
