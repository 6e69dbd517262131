/** Controllers that take their tenants from a cluster, and how fast they notice changes. */
import assert from "node:assert/strict";
import { type Signer, signToken } from "../auth/tokens.ts";
import { ControllerProcess } from "../server/controller-process.ts";
import { until } from "../waiting.ts";

export interface Follower {
  readonly dataDir: string;
  readonly kubeconfig: string;
  readonly args?: readonly string[];
}

export function followTenants({ dataDir, kubeconfig, args = [] }: Follower): Promise<ControllerProcess> {
  const auth = ["--tenants-source", "kubernetes", "--kubeconfig", kubeconfig, ...args];
  return ControllerProcess.start({ dataDir, auth });
}

export interface TokenClaims {
  readonly iss: string;
  readonly tid: string;
  readonly svc_roles?: readonly string[];
}

export function tokenOf(signer: Signer, claims: TokenClaims): string {
  const exp = Math.floor(Date.now() / 1000) + 3600;
  return signToken(signer, { exp, aud: undefined, svc_roles: ["svc:reader"], ...claims });
}

/** The controller's response to a token: OK, or the error code. */
export async function answerTo({ rest }: ControllerProcess, token: string): Promise<string> {
  const answer = await fetch(`${rest}/v1/jobs`, { headers: { authorization: `Bearer ${token}` } });
  const body: unknown = await answer.json();
  if (answer.ok) return "OK";
  assert.ok(typeof body === "object" && body !== null && "code" in body);
  return String(body.code);
}

/** Makes a change and waits until the controller's response to a token changes; prints how long that took. */
export async function changes(
  what: string,
  controller: ControllerProcess,
  { token, to }: { readonly token: string; readonly to: string },
  change: () => Promise<unknown>,
): Promise<void> {
  assert.notEqual(await answerTo(controller, token), to, `${what}: already so before the change`);
  await change();
  const begun = performance.now();
  await until(async () => (await answerTo(controller, token)) === to, `${what}: ${to}`);
  process.stdout.write(`${what}: ${Math.round(performance.now() - begun)} ms\n`);
}

/** The value of a sample by its full name in the metrics; undefined if there is none. */
export async function sample({ metrics }: ControllerProcess, name: string): Promise<number | undefined> {
  const text = await (await fetch(`${metrics}/metrics`)).text();
  const line = text.split("\n").find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length));
}
