/**
 * Signing in by OpenID Connect: authorization code with PKCE. Tokens are in memory only: a page that is
 * loaded anew asks the provider again, which knows the person still.
 */
import {
  ErrorResponse,
  InMemoryWebStorage,
  type SigninRedirectArgs,
  type User,
  UserManager,
  WebStorageStateStore,
} from "oidc-client-ts";
import type { Credentials } from "../api/client.ts";
import { ApiError } from "../api/problem.ts";
import type { ProviderConfig } from "./config.ts";

/** Seconds before its end that a token is renewed. */
const RENEW_BEFORE = 30;
/** Set while somebody is signed in in this tab: a reload goes to the provider without asking. It holds no secret. */
const SIGNED_IN = "svc.signed-in";

/** What a provider answers that cannot renew now; whatever else it answers is its decision (RFC 6749, 4.1.2.1). */
const PASSING = new Set(["server_error", "temporarily_unavailable"]);

/** What a sign-in comes back to. */
interface Returning {
  readonly returnTo: string;
}

export class SignIn implements Credentials {
  readonly #manager: UserManager;
  readonly #tell: (isOver: boolean) => void;
  readonly #offline: boolean;
  /** The token that the controller did not take. */
  #refused: string | undefined;
  #renewal: Promise<User> | undefined;

  /** `tell`: told whether only a person can go on, by signing in again. */
  constructor({ issuer, clientId, scope, audience }: ProviderConfig, tell: (isOver: boolean) => void) {
    const here = location.origin + import.meta.env.BASE_URL;
    this.#tell = tell;
    this.#offline = scope.split(" ").includes("offline_access");
    this.#manager = new UserManager({
      authority: issuer,
      client_id: clientId,
      redirect_uri: here,
      post_logout_redirect_uri: here,
      scope,
      userStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
      // What the provider sends back must be answered by this tab alone.
      stateStore: new WebStorageStateStore({ store: sessionStorage }),
      automaticSilentRenew: false,
      loadUserInfo: false,
      ...(audience !== "" && { extraQueryParams: { audience } }),
    });
  }

  /** Finds out whether somebody is signed in; goes to the provider when somebody was. Throws what it says instead. */
  async start(): Promise<boolean> {
    const { pathname, searchParams } = new URL(location.href);
    const answered = searchParams.has("state") && (searchParams.has("code") || searchParams.has("error"));
    if (pathname === import.meta.env.BASE_URL && answered) return this.#finish();
    if (sessionStorage.getItem(SIGNED_IN) === null) return false;
    // Who reloads a page has consented before, and is not asked again.
    return this.#goToProvider({});
  }

  /** Goes to the provider because a person asked for it; this page is over. */
  begin(): Promise<never> {
    // OpenID Connect Core, 11: consent must be asked for with offline_access.
    return this.#goToProvider(this.#offline ? { prompt: "consent" } : {});
  }

  /** Throws ApiError: the session is over, or could not be renewed for now. */
  async token(): Promise<string> {
    const user = await this.#manager.getUser();
    if (user === null) throw this.#over();
    const isTaken = user.access_token !== this.#refused;
    const isYoung = (user.expires_in ?? Number.POSITIVE_INFINITY) > RENEW_BEFORE;
    if (isTaken && isYoung) return user.access_token;
    if (user.refresh_token === undefined && isTaken && user.expired !== true) return user.access_token;
    if (user.refresh_token === undefined) throw this.#over();
    try {
      const renewed = await this.#renew();
      this.#tell(false);
      return renewed.access_token;
    } catch (thrown) {
      if (isTaken && user.expired !== true) return user.access_token;
      throw isDecided(thrown) ? this.#over() : notRenewed(thrown);
    }
  }

  refused(token: string): void {
    this.#refused = token;
  }

  async end(): Promise<void> {
    sessionStorage.removeItem(SIGNED_IN);
    const canSignOut = (await this.#manager.metadataService.getEndSessionEndpoint()) !== undefined;
    if (canSignOut) return this.#manager.signoutRedirect();
    await this.#manager.revokeTokens().catch(() => {});
    await this.#manager.removeUser();
    location.assign(import.meta.env.BASE_URL);
  }

  async #finish(): Promise<boolean> {
    try {
      const user = await this.#manager.signinCallback();
      sessionStorage.setItem(SIGNED_IN, "yes");
      history.replaceState(null, "", returnOf(user?.state));
      return true;
    } catch (thrown) {
      sessionStorage.removeItem(SIGNED_IN);
      history.replaceState(null, "", import.meta.env.BASE_URL);
      throw thrown;
    }
  }

  async #goToProvider(asking: SigninRedirectArgs): Promise<never> {
    if (!isSecureContext)
      throw new Error(
        "Signing in needs https, or this machine's own address (localhost): ask for the console there.",
      );
    const state: Returning = { returnTo: location.pathname + location.search };
    await this.#manager.signinRedirect({ state, ...asking });
    return new Promise(() => {});
  }

  /** One at a time: a refresh token may be good for one use only. */
  #renew(): Promise<User> {
    this.#renewal ??= this.#manager
      .signinSilent()
      .then((user) => {
        if (user === null) throw new Error("it gave no token");
        return user;
      })
      .finally(() => {
        this.#renewal = undefined;
      });
    return this.#renewal;
  }

  #over(): ApiError {
    this.#tell(true);
    return new ApiError(401, "SESSION_OVER", "Your session is over. Sign in again.", "");
  }
}

/** Whether the provider has said that it renews no more, rather than not having been reached. */
function isDecided(thrown: unknown): boolean {
  return thrown instanceof ErrorResponse && !PASSING.has(thrown.error ?? "");
}

function notRenewed(thrown: unknown): ApiError {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  const detail = `Your session could not be renewed: the identity provider does not answer as it should (${reason}). It is asked again.`;
  return new ApiError(0, "PROVIDER_UNREACHABLE", detail, "");
}

/** A page of the console, whatever else was kept. */
function returnOf(state: unknown): string {
  const returnTo =
    typeof state === "object" && state !== null ? (state as Partial<Returning>).returnTo : undefined;
  const isOwn = returnTo?.startsWith(import.meta.env.BASE_URL) === true && !returnTo.startsWith("//");
  return isOwn ? returnTo : import.meta.env.BASE_URL;
}
