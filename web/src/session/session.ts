/** Who uses the console, and what may be asked of the controller in their name. */
import { createContext, useContext } from "react";
import type { Api, Credentials, Schemas } from "../api/client.ts";

export type Caller = Schemas["Caller"];
export type Role = Caller["roles"][number];

export interface Session {
  readonly api: Api;
  readonly credentials: Credentials;
  readonly caller: Caller;
  /** Nobody is asked who they are. */
  readonly open: boolean;
  readonly version: string;
  /** undefined: there is nothing to sign out of. */
  readonly signOut: (() => void) | undefined;
}

export const SessionContext = createContext<Session | undefined>(undefined);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === undefined) throw new TypeError("nobody has signed in");
  return session;
}

const RANKS: readonly Role[] = ["svc:reader", "svc:writer", "svc:admin"];

/** Whether the caller's roles include a role: each includes the ones before it. */
export function mayAs({ roles }: Caller, wanted: Role): boolean {
  return roles.some((role) => RANKS.indexOf(role) >= RANKS.indexOf(wanted));
}
