/** Access to an API server: as a Pod's service account, and with a kubeconfig. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { inCluster } from "../../../src/kubernetes/in-cluster.ts";
import { readKubeconfig } from "../../../src/kubernetes/kubeconfig.ts";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "svc-access-"));
});
after(() => rm(folder, { recursive: true }));

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

describe("in a Pod", () => {
  const pod = () => ({ host: "10.0.0.1", port: "443", accountFolder: folder });

  test("reads the token again each time, because it is replaced", async () => {
    await file("ca.crt", "CA");
    await file("namespace", "svc-system\n");
    await file("token", "first\n");
    const access = await inCluster(pod());
    assert.equal(access.server, "https://10.0.0.1:443");
    assert.equal(access.namespace, "svc-system");
    assert.deepEqual(await access.identity(), { ca: "CA", token: "first" });
    await file("token", "second");
    assert.deepEqual(await access.identity(), { ca: "CA", token: "second" });
    assert.equal((await inCluster({ ...pod(), host: "fd00::1" })).server, "https://[fd00::1]:443");
  });

  test("names what is missing", async () => {
    await assert.rejects(inCluster({ ...pod(), host: undefined }), /KUBERNETES_SERVICE_HOST/);
    const accountFolder = join(folder, "none");
    await assert.rejects(
      inCluster({ ...pod(), accountFolder }),
      /none\/(token|ca\.crt).*automountServiceAccountToken/,
    );
  });
});

describe("a kubeconfig", () => {
  const cluster = { server: "https://k8s.example:6443/", "certificate-authority-data": base64("CA") };
  const config = (over: { cluster?: object; user?: object; context?: object; current?: string } = {}) =>
    JSON.stringify({
      "current-context": over.current ?? "one",
      contexts: [{ name: "one", context: { cluster: "c", user: "u", namespace: "ns", ...over.context } }],
      clusters: [{ name: "c", cluster: { ...cluster, ...over.cluster } }],
      users: [{ name: "u", user: over.user ?? { token: "secret" } }],
    });

  test("gives the server, the credentials and the namespace", async () => {
    const access = await readKubeconfig(await file("config", config()));
    assert.equal(access.server, "https://k8s.example:6443");
    assert.equal(access.namespace, "ns");
    assert.deepEqual(await access.identity(), { ca: "CA", token: "secret", cert: undefined, key: undefined });
  });

  test("may name files relative to it, which are read again", async () => {
    await file("t", "first\n");
    await file("c.pem", "CERT");
    await file("k.pem", "KEY");
    const user = { tokenFile: "t", "client-certificate": "c.pem", "client-key": "k.pem" };
    const access = await readKubeconfig(await file("config", config({ user })));
    assert.deepEqual(await access.identity(), { ca: "CA", token: "first", cert: "CERT", key: "KEY" });
    await file("t", "second");
    assert.equal((await access.identity()).token, "second");
  });

  const FAULTS: readonly [string, string, RegExp][] = [
    ["plain http", config({ cluster: { server: "http://k8s.example" } }), /is not an https URL/],
    ["no server", config({ cluster: { server: undefined } }), /server is missing/],
    [
      "no verification",
      config({ cluster: { "insecure-skip-tls-verify": true } }),
      /insecure-skip-tls-verify/,
    ],
    ["a proxy", config({ cluster: { "proxy-url": "http://p" } }), /proxy-url/],
    [
      "a plugin",
      config({ user: { exec: { command: "gke" } } }),
      /its user has exec; only token, tokenFile and client certificates are supported/,
    ],
    ["a password", config({ user: { username: "a", password: "b" } }), /username and password/],
    ["no such context", config({ current: "two" }), /contexts have no entry named "two"/],
    ["no such user", config({ context: { user: "x" } }), /users have no entry named "x"/],
    ["a missing file", config({ user: { tokenFile: "nowhere" } }), /nowhere/],
    ["invalid YAML", "a: [secret", /it is not a YAML or JSON object/],
    ["nothing", "", /it is not a YAML or JSON object/],
  ];
  for (const [what, content, message] of FAULTS)
    test(`with ${what} is refused, naming its path but no secrets`, async () => {
      const path = await file("config", content);
      await assert.rejects(readKubeconfig(path), (error: Error) => {
        assert.match(error.message, message);
        assert.ok(error.message.includes(path));
        assert.ok(!error.message.includes("secret"));
        return true;
      });
    });

  test("is refused if it does not exist", async () => {
    await assert.rejects(readKubeconfig(join(folder, "nothing")), /nothing: ENOENT/);
  });
});

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
