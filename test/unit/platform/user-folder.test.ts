import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { userFolder } from "../../../src/platform/config/user-folder.ts";

test("takes an absolute path of the variable, and the default in the home for a relative or missing one", () => {
  const folder = (given?: string) => userFolder({ XDG_STATE_HOME: given }, "XDG_STATE_HOME");
  assert.equal(folder("/var/lib"), "/var/lib/svc");
  for (const given of [undefined, "", "var/lib"])
    assert.equal(folder(given), join(homedir(), ".local/state/svc"));
  assert.equal(userFolder({ XDG_STATE_HOME: "/x" }, "XDG_CACHE_HOME"), join(homedir(), ".cache/svc"));
});

// Only root can become a user without a home.
if (process.getuid?.() === 0) {
  test("takes / as the home of a user without one", () => {
    const program = `import { userFolder } from ${JSON.stringify(import.meta.resolve("../../../src/platform/config/user-folder.ts"))};
      process.setgroups([]); process.setgid(54321); process.setuid(54321);
      process.stdout.write(userFolder({}, "XDG_DATA_HOME"));`;
    const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", program], {
      env: {},
      encoding: "utf8",
    });
    assert.equal(printed, "/.local/share/svc");
  });
}
