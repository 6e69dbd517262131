/** Determines the caller before anything else is shown. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense } from "react";
import type { Credentials } from "../api/client.ts";
import { lazily } from "../ui/lazily.ts";
import { Failed, Loading } from "../ui/states.tsx";
import { loadConfig } from "./config.ts";
import { SignedIn } from "./signed-in.tsx";
import { Unconfigured } from "./unconfigured.tsx";

const NO_TOKEN: Credentials = { token: async () => undefined, refused: () => {}, tryNow: () => {} };

/** Loaded only if an identity provider is configured. */
const SignInProvider = lazily(async () => (await import("./sign-in-provider.tsx")).SignInProvider);

export function SessionProvider({ children }: { readonly children: ReactNode }) {
  const config = useQuery({ queryKey: ["config"], queryFn: loadConfig, staleTime: Number.POSITIVE_INFINITY });
  if (config.isPending) return <Loading what="the console" />;
  if (config.isError) return <Failed error={config.error} retry={() => void config.refetch()} />;
  const { authentication, version, uploadOrigins } = config.data;
  const shared = { version, toBuckets: uploadOrigins.length > 0 };
  if (authentication.kind === "unconfigured") return <Unconfigured />;
  if (authentication.kind === "oidc")
    return (
      <Suspense fallback={<Loading what="your session" />}>
        <SignInProvider provider={authentication} {...shared}>
          {children}
        </SignInProvider>
      </Suspense>
    );
  return (
    <SignedIn credentials={NO_TOKEN} open {...shared} signOut={undefined}>
      {children}
    </SignedIn>
  );
}
