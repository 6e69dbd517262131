/** Fetches the caller's identity from the controller, then shows the console. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { bodyOf, type Credentials, openApi } from "../api/client.ts";
import { Failed, Loading } from "../ui/states.tsx";
import { SessionContext } from "./session.ts";

interface SignedInProps {
  readonly credentials: Credentials;
  readonly open: boolean;
  readonly version: string;
  readonly toBuckets: boolean;
  readonly signOut: (() => void) | undefined;
  readonly children: ReactNode;
}

export function SignedIn({ credentials, open, version, toBuckets, signOut, children }: SignedInProps) {
  const api = useMemo(() => openApi(credentials), [credentials]);
  const whoami = useQuery({ queryKey: ["whoami"], queryFn: () => bodyOf(api.GET("/v1/whoami")) });
  const caller = whoami.data;
  const session = useMemo(
    () =>
      caller === undefined ? undefined : { api, credentials, caller, open, version, toBuckets, signOut },
    [api, credentials, caller, open, version, toBuckets, signOut],
  );
  if (session !== undefined) return <SessionContext value={session}>{children}</SessionContext>;
  if (!whoami.isError) return <Loading what="your session" />;
  return (
    <main>
      <Failed
        error={whoami.error}
        retry={() => {
          credentials.tryNow();
          void whoami.refetch();
        }}
      />
      {signOut !== undefined && (
        <div className="state">
          <button type="button" onClick={signOut}>
            Sign out
          </button>
        </div>
      )}
    </main>
  );
}
