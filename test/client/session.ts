/** A session for tests. */
import type { Session } from "../../src/client/session/session.ts";
import { CLIENT_ID } from "./people-provider.ts";

export const SERVER = "controller.example:9090";
export const TOKEN = "secret.access.token";
export const HOUR_MS = 3_600_000;

/** Returns a session that has just begun. */
export function sessionOf(more: Partial<Session> = {}): Session {
  const now = Date.now();
  return {
    ...{ server: SERVER, tls: false, issuer: "https://id.example", clientId: CLIENT_ID },
    ...{ scope: undefined, audience: undefined, organization: undefined, refreshToken: undefined },
    ...{ accessToken: TOKEN, obtainedMs: now, expiresMs: now + HOUR_MS },
    ...more,
  };
}
