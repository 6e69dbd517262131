/** Ports in use: every command that listens says so, and advises its own flags. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { svc } from "../server/svc-process.ts";

const FREE = "0";
const NO_ADDRESS = "192.0.2.1";
/** Port flags of the commands, and what else they need to start. */
const COMMANDS = {
  server: { ports: ["--port", "--grpc-port"], args: [] },
  controller: { ports: ["--port", "--grpc-port", "--metrics-port"], args: ["--auth-disabled"] },
  up: { ports: ["--port", "--grpc-port", "--metrics-port"], args: [] },
  node: { ports: ["--metrics-port"], args: ["--controller", "127.0.0.1:9"] },
} as const;

describe("a port in use", () => {
  let taken: Server;
  let port: string;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "svc-taken-"));
    taken = createServer();
    taken.listen(0, "127.0.0.1");
    await once(taken, "listening");
    port = String((taken.address() as AddressInfo).port);
  });
  after(async () => {
    taken.close();
    await rm(folder, { recursive: true });
  });

  const environment = () => ({ SVC_CONSOLE_DISABLED: "true", SVC_DATA_DIR: join(folder, "data") });

  async function flagsOf(command: string): Promise<readonly string[]> {
    return [...new Set(flagsIn((await svc([command, "--help"])).stdout))];
  }

  function flagsIn(text: string): string[] {
    return [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([flag]) => flag);
  }

  test("no other server command has a port flag", async () => {
    const { stdout } = await svc(["--help"]);
    const section = /^Commands:\n([\s\S]*?)\n\n/m.exec(stdout)?.[1] ?? "";
    const names = [...section.matchAll(/^ {2}([a-z]+)/gm)].map(([, name = ""]) => name);
    assert.ok(names.length > 8, stdout);
    for (const name of names.filter((known) => !(known in COMMANDS) && known !== "help")) {
      const ports = (await flagsOf(name)).filter((flag) => flag.endsWith("port"));
      // A sign-in listens only for its browser; test/client/sign-in.test.ts checks its message.
      assert.deepEqual(ports, name === "login" ? ["--port"] : [], name);
    }
  });

  for (const [command, { ports, args }] of Object.entries(COMMANDS)) {
    test(`svc ${command} names the port's flag, and no flag that it lacks`, async () => {
      const known = await flagsOf(command);
      for (const flag of ports) {
        const given = ports.flatMap((name) => [name, name === flag ? port : FREE]);
        const { code, stdout, stderr } = await svc(
          [command, ...args, ...given, "--log-level", "error"],
          environment(),
        );
        assert.equal(code, 1, stderr);
        assert.equal(stdout, "");
        const message = stderr.trimEnd().split("\n").at(-1) ?? "";
        assert.ok(
          message.startsWith(`svc ${command}: cannot listen on 127.0.0.1:${port}: another program `),
          stderr,
        );
        const advised = flagsIn(message);
        assert.ok(advised.includes(flag), message);
        assert.deepEqual(
          advised.filter((name) => !known.includes(name)),
          [],
          message,
        );
        assert.equal(advised.includes("--host"), known.includes("--host"), message);
      }
    });
  }

  test("does not advise another port if the address isn't on this machine", async () => {
    const { code, stderr } = await svc(["server", "--host", NO_ADDRESS, "--port", FREE], environment());
    assert.equal(code, 1);
    assert.match(
      stderr,
      /cannot listen on 192\.0\.2\.1:0: this machine has no such address\. Choose another address with --host\.$/m,
    );
  });
});
