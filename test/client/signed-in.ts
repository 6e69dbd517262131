/** Sign-ins of people with a provider of the tests. */

import type { Grant } from "../../src/client/session/session.ts";
import { signInByBrowser } from "../../src/client/sign-in/browser.ts";
import { discover, type Provider } from "../../src/client/sign-in/provider.ts";
import { Failure } from "../../src/platform/failure.ts";
import { withTimeout } from "../waiting.ts";
import { type Visited, visit } from "./browser.ts";
import { CLIENT_ID } from "./people-provider.ts";

export const NEVER = new AbortController().signal;

export interface SigningIn {
  /** Address that the person opens. */
  readonly url: string;
  readonly grant: Promise<Grant>;
  /** Number of forged callbacks. */
  forged: number;
}

export interface Asked {
  readonly scope?: string;
  readonly port?: number;
  readonly signal?: AbortSignal;
}

function providerAt(issuer: string): Promise<Provider> {
  return discover({ issuer, clientId: CLIENT_ID });
}

/** Starts a sign-in; the person has not opened the address yet. */
export async function begin(
  issuer: string,
  { scope, port = 0, signal = NEVER }: Asked = {},
): Promise<SigningIn> {
  const provider = await providerAt(issuer);
  const { promise, resolve } = Promise.withResolvers<string>();
  const onForged = () => {
    signingIn.forged++;
  };
  const options = { issuer, clientId: CLIENT_ID, scope, port, signal, onForged, onUrl: resolve };
  const grant = signInByBrowser(provider, options);
  // The caller awaits it later.
  grant.catch(() => {});
  const signingIn = {
    url: await withTimeout(Promise.race([promise, failed(grant)]), "the address"),
    grant,
    forged: 0,
  };
  return signingIn;
}

async function failed(grant: Promise<Grant>): Promise<never> {
  await grant;
  throw new Error("the sign-in ended before the address was opened");
}

/** Runs a complete sign-in. */
export async function signIn(issuer: string, asked?: Asked): Promise<{ grant: Grant; visited: Visited }> {
  const { url, grant } = await begin(issuer, asked);
  const [granted, visited] = await Promise.all([grant, visit(url)]);
  return { grant: granted, visited };
}

/** Returns the Failure that it ends with. */
export async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  const thrown = await promise.then(
    () => new Error("the sign-in did not fail"),
    (error: unknown) => error,
  );
  if (thrown instanceof Failure) return thrown;
  throw thrown;
}
