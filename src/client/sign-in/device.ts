/** Signs in with a browser on another machine: the device authorization grant (RFC 8628). */
import type { DeviceAuthorizationResponse } from "openid-client";
import { pause } from "../../platform/concurrency/lifecycle.ts";
import { Failure } from "../../platform/failure.ts";
import type { Grant, SignInOptions } from "../session/session.ts";
import { isRefusal } from "../tokens/failure.ts";
import { isProviderUrl } from "../tokens/url.ts";
import { providerFailure } from "./failure.ts";
import { grantOf, type Provider, requestParameters } from "./provider.ts";

/** What a person needs to sign in on another machine. */
export interface DeviceCode {
  readonly url: string;
  readonly userCode: string;
  /** The address that includes the code. */
  readonly completeUrl: string | undefined;
}

export interface DeviceSignIn extends SignInOptions {
  readonly onCode: (code: DeviceCode) => void;
  /** Ends the wait; its reason is thrown. */
  readonly signal: AbortSignal;
}

const GRANT = "urn:ietf:params:oauth:grant-type:device_code";
/** Default polling interval in seconds; the seconds that each "slow_down" adds; and the longest wait. */
const INTERVAL_SECONDS = 5;
const SLOWER_SECONDS = 5;
const LONGEST_SECONDS = 60;

/** Returns whether the provider supports the device flow. */
export function hasDeviceFlow({ config }: Provider): boolean {
  return config.serverMetadata().device_authorization_endpoint !== undefined;
}

/** Throws Failure, or the signal's reason. */
export async function signInByDevice(provider: Provider, options: DeviceSignIn): Promise<Grant> {
  const { oidc, config, issuer } = provider;
  if (!hasDeviceFlow(provider)) {
    const why = "does not offer sign-in by device in its metadata. Leave out --device.";
    throw new Failure("LOGIN_FAILED", `The identity provider ${issuer} ${why}`);
  }
  try {
    const parameters = requestParameters(provider, options);
    const device = await oidc.initiateDeviceAuthorization(config, parameters);
    options.onCode(codeOf(device, issuer));
    return await granted(provider, device, options.signal);
  } catch (thrown) {
    options.signal.throwIfAborted();
    throw providerFailure(thrown, issuer);
  }
}

function codeOf(device: DeviceAuthorizationResponse, issuer: string): DeviceCode {
  const { verification_uri: url, verification_uri_complete: complete, user_code: userCode } = device;
  if (!isProviderUrl(url)) {
    const why = "gave a sign-in address that is neither https nor http on loopback";
    throw new Failure("LOGIN_FAILED", `The identity provider ${issuer} ${why}.`);
  }
  return { url, userCode, completeUrl: complete && isProviderUrl(complete) ? complete : undefined };
}

/** Polls until the person has signed in, at the provider's interval. */
async function granted(
  { oidc, config, issuer }: Provider,
  { device_code, expires_in, interval }: DeviceAuthorizationResponse,
  signal: AbortSignal,
): Promise<Grant> {
  const overMs = Date.now() + expires_in * 1000;
  let seconds = interval ?? INTERVAL_SECONDS;
  while (Date.now() < overMs) {
    await pause(Math.min(seconds, LONGEST_SECONDS) * 1000, signal);
    signal.throwIfAborted();
    const askedMs = Date.now();
    try {
      return grantOf(await oidc.genericGrantRequest(config, GRANT, { device_code }), askedMs);
    } catch (thrown) {
      seconds = laterBy(thrown, seconds, providerFailure(thrown, issuer, device_code));
    }
  }
  throw expired(issuer);
}

/** Returns the seconds until the next poll. Throws the failure if polling must end. */
function laterBy(thrown: unknown, seconds: number, failure: Failure): number {
  const error = isRefusal(thrown) ? thrown.error : "";
  if (error === "authorization_pending") return seconds;
  if (error === "slow_down") return seconds + SLOWER_SECONDS;
  // Section 3.5: back off if the provider cannot be reached.
  if (failure.code === "SERVER_UNREACHABLE") return seconds * 2;
  throw failure;
}

function expired(issuer: string): Failure {
  return new Failure("LOGIN_FAILED", `Nobody signed in with ${issuer} before the code expired. Try again.`);
}
