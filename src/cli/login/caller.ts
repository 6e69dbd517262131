/** Who the controller takes a token's holder for. */
import { Connection } from "../../client/connection.ts";
import type { Tls } from "../../client/tls.ts";
import { TenantService } from "../../gen/proto/svc/v1/tenant_pb.ts";
import { ownWords } from "../server.ts";

export interface Caller {
  readonly tenant: string;
  /** Empty: the token names none. */
  readonly subject: string;
  readonly roles: readonly string[];
}

/** Milliseconds: who has just signed in waits for it. */
const TIMEOUT_MS = 10_000;

/** Asks over a connection of its own. Throws Failure. */
export async function callerOf(
  token: string,
  { address, tls }: { readonly address: string; readonly tls: Tls | undefined },
  signal: AbortSignal,
): Promise<Caller> {
  using connection = new Connection({ address, tls, token: async () => token });
  try {
    return await askWho(connection, signal);
  } catch (thrown) {
    throw ownWords(thrown);
  }
}

export async function askWho(connection: Connection, signal: AbortSignal): Promise<Caller> {
  const options = { signal, timeoutMs: TIMEOUT_MS };
  const { tenant, subject, roles } = await connection.call(TenantService.method.whoAmI, {}, options);
  return { tenant, subject, roles };
}
