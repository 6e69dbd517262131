/** The signed-in caller and the API client that acts for them. */
import { createContext, useContext } from "react";
import type { Api, Credentials, Schemas } from "../api/client.ts";

export type Caller = Schemas["Caller"];
export type Role = Caller["roles"][number];

export interface Session {
  readonly api: Api;
  readonly credentials: Credentials;
  readonly caller: Caller;
  /** Authentication is disabled. */
  readonly open: boolean;
  readonly version: string;
  /** Whether this page may upload to buckets of the tenant. */
  readonly toBuckets: boolean;
  /** undefined if there is no session to end. */
  readonly signOut: (() => void) | undefined;
}

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new TypeError("there is no session");
  return session;
}

const RANKS: readonly Role[] = ["svc:reader", "svc:writer", "svc:admin"];

/** Whether the caller's roles include a role. Each role includes the lower ones. */
export function hasRole({ roles }: Caller, wanted: Role): boolean {
  return roles.some((role) => RANKS.indexOf(role) >= RANKS.indexOf(wanted));
}
