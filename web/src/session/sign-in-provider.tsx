/** Asks the user to sign in, and again when the session has ended. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { Dialog } from "../ui/dialog.tsx";
import { Loading, Notice } from "../ui/states.tsx";
import type { ProviderConfig } from "./config.ts";
import { SignIn } from "./sign-in.ts";
import { SignedIn } from "./signed-in.tsx";

interface Props {
  readonly provider: ProviderConfig;
  readonly version: string;
  readonly toBuckets: boolean;
  readonly children: ReactNode;
}

export function SignInProvider({ provider, version, toBuckets, children }: Props) {
  const [isOver, setOver] = useState(false);
  const signIn = useMemo(() => new SignIn(provider, () => setOver(true)), [provider]);
  useEffect(() => {
    addEventListener("online", signIn.tryNow);
    return () => removeEventListener("online", signIn.tryNow);
  }, [signIn]);
  const started = useQuery({
    queryKey: ["sign-in"],
    queryFn: () => signIn.start(),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (started.isPending) return <Loading what="your session" />;
  if (started.data !== true)
    return <SignInPage signIn={signIn} issuer={provider.issuer} error={started.error} />;
  return (
    <>
      {isOver && <SessionOver signIn={signIn} />}
      <SignedIn
        credentials={signIn}
        open={false}
        version={version}
        toBuckets={toBuckets}
        signOut={() => void signIn.end()}
      >
        {children}
      </SignedIn>
    </>
  );
}

interface SignInPageProps {
  readonly signIn: SignIn;
  readonly issuer: string;
  readonly error: Error | null;
}

function SignInPage({ signIn, issuer, error }: SignInPageProps) {
  const [failed, setFailed] = useState(error);
  return (
    <Notice title="svc">
      <p>Measure and inspect video quality.</p>
      <button type="button" className="primary" onClick={() => void signIn.begin().catch(setFailed)}>
        Sign in
      </button>
      <p className="quiet">
        Sign in with <bdi>{new URL(issuer).host}</bdi>.
      </p>
      {failed !== null && (
        <p role="alert" className="failed">
          Sign-in failed: {failed.message}
        </p>
      )}
    </Notice>
  );
}

/** The page stays visible behind the dialog. */
function SessionOver({ signIn }: { readonly signIn: SignIn }) {
  const [failed, setFailed] = useState<Error>();
  return (
    <Dialog title="Your session has ended">
      <p>After signing in, you return to this page.</p>
      {failed !== undefined && <p role="alert">Sign-in failed: {failed.message}</p>}
      <button type="button" className="primary" onClick={() => void signIn.begin().catch(setFailed)}>
        Sign in again
      </button>
    </Dialog>
  );
}
