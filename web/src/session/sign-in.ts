/**
 * Signing in by OpenID Connect: authorization code with PKCE. Tokens are in memory only: a page that is
 * loaded anew asks the provider again, which knows the person still.
 */
import {
  InMemoryWebStorage,
  type SigninRedirectArgs,
  type User,
  UserManager,
  WebStorageStateStore,
} from "oidc-client-ts";
import type { Credentials } from "../api/client.ts";
import { ApiError } from "../api/problem.ts";
import type { ProviderConfig } from "./config.ts";
import { Renewal } from "./renewal.ts";

/** Seconds before its end that a token is renewed. */
const RENEW_BEFORE = 30;
/** Set while somebody is signed in in this tab: a reload goes to the provider without asking. It holds no secret. */
const SIGNED_IN = "svc.signed-in";
/** Milliseconds in which a renewed token is not renewed again because it is refused: the reason is another. */
const FRESH_MS = 30_000;

/** What a sign-in comes back to. */
interface Returning {
  readonly returnTo: string;
}

export class SignIn implements Credentials {
  readonly #manager: UserManager;
  readonly #tell: () => void;
  readonly #offline: boolean;
  /** The token that the controller did not take. */
  #refused: string | undefined;
  readonly #renewal: Renewal<User>;
  #renewedAt = Number.NEGATIVE_INFINITY;

  /** `tell`: told when only a person can go on, by signing in again. */
  constructor({ issuer, clientId, scope, audience }: ProviderConfig, tell: () => void) {
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
    this.#renewal = new Renewal(async () => {
      const user = await this.#manager.signinSilent();
      if (user === null) throw new Error("it gave no token");
      this.#renewedAt = performance.now();
      return user;
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
    const isValid = isTaken && user.expired !== true;
    if (user.refresh_token === undefined) {
      if (isValid) return user.access_token;
      throw this.#over();
    }
    try {
      return (await this.#renewal.renew()).access_token;
    } catch (thrown) {
      if (isValid) return user.access_token;
      throw this.#renewal.isRefused ? this.#over() : notRenewed(thrown);
    }
  }

  refused(token: string): void {
    if (performance.now() - this.#renewedAt > FRESH_MS) this.#refused = token;
  }

  readonly tryNow = (): void => this.#renewal.tryNow();

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

  #over(): ApiError {
    this.#tell();
    return new ApiError(401, "SESSION_OVER", "Your session is over. Sign in again.", "");
  }
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
