/** Asks the controller for the identity behind a token. */
import { Connection } from "../../client/connection/connection.ts";
import type { Tls } from "../../client/connection/tls.ts";
import { TenantService } from "../../gen/proto/svc/v1/tenant_pb.ts";
import { withoutCause } from "../connection/server.ts";

export interface Caller {
  readonly tenant: string;
  /** Empty if the token has no subject. */
  readonly subject: string;
  readonly roles: readonly string[];
}

/** Milliseconds; the person who has just signed in is waiting. */
const TIMEOUT_MS = 10_000;

/** Asks over a separate connection. Throws Failure. */
export async function callerOf(
  token: string,
  { address, tls }: { readonly address: string; readonly tls: Tls | undefined },
  signal: AbortSignal,
): Promise<Caller> {
  using connection = new Connection({ address, tls, token: async () => token });
  try {
    return await askWho(connection, signal);
  } catch (thrown) {
    throw withoutCause(thrown);
  }
}

export async function askWho(connection: Connection, signal: AbortSignal): Promise<Caller> {
  const options = { signal, timeoutMs: TIMEOUT_MS };
  const { tenant, subject, roles } = await connection.call(TenantService.method.whoAmI, {}, options);
  return { tenant, subject, roles };
}
