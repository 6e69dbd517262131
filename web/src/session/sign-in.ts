/**
 * Sign-in by OpenID Connect: authorization code with PKCE. Tokens are kept in memory only; after a reload the page goes
 * to the provider again, where the user usually still has a session.
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

/** Seconds before expiry at which a token is renewed. */
const RENEW_BEFORE = 30;
/** Set while a user is signed in in this tab: a reload goes to the provider without asking. It holds no secret. */
const SIGNED_IN = "svc.signed-in";
/** Milliseconds during which a refusal does not renew a token again: a fresh token was refused for another reason. */
const FRESH_MS = 30_000;

/** Where to return after sign-in. */
interface Returning {
  readonly returnTo: string;
}

export class SignIn implements Credentials {
  readonly #manager: UserManager;
  readonly #ended: () => void;
  readonly #offline: boolean;
  /** The token that the controller refused. */
  #refused: string | undefined;
  readonly #renewal: Renewal<User>;
  #renewedAt = Number.NEGATIVE_INFINITY;

  /** `ended` is called when only signing in again can continue the session. */
  constructor({ issuer, clientId, scope, audience }: ProviderConfig, ended: () => void) {
    const consoleUrl = location.origin + import.meta.env.BASE_URL;
    this.#ended = ended;
    this.#offline = scope.split(" ").includes("offline_access");
    this.#manager = new UserManager({
      authority: issuer,
      client_id: clientId,
      redirect_uri: consoleUrl,
      post_logout_redirect_uri: consoleUrl,
      scope,
      userStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
      // Only this tab may process the provider's response.
      stateStore: new WebStorageStateStore({ store: sessionStorage }),
      automaticSilentRenew: false,
      loadUserInfo: false,
      ...(audience !== "" && { extraQueryParams: { audience } }),
    });
    this.#renewal = new Renewal(async () => {
      const user = await this.#manager.signinSilent();
      if (user === null) throw new Error("the provider returned no token");
      this.#renewedAt = performance.now();
      return user;
    });
  }

  /** Returns whether a user is signed in; goes to the provider if one was. Throws the provider's error. */
  async start(): Promise<boolean> {
    const { pathname, searchParams } = new URL(location.href);
    const answered = searchParams.has("state") && (searchParams.has("code") || searchParams.has("error"));
    if (pathname === import.meta.env.BASE_URL && answered) return this.#finish();
    if (sessionStorage.getItem(SIGNED_IN) === null) return false;
    // After a reload, the user is not asked again, because they have consented before.
    return this.#goToProvider({});
  }

  /** Goes to the provider at the user's request, leaving this page. */
  begin(): Promise<never> {
    // OpenID Connect Core, 11: offline_access requires a consent prompt.
    return this.#goToProvider(this.#offline ? { prompt: "consent" } : {});
  }

  /** Throws ApiError if the session has ended or could not be renewed for now. */
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
      throw new Error("Signing in requires https or localhost. Open the console at such an address.");
    const state: Returning = { returnTo: location.pathname + location.search };
    await this.#manager.signinRedirect({ state, ...asking });
    return new Promise(() => {});
  }

  #over(): ApiError {
    this.#ended();
    return new ApiError(401, "SESSION_OVER", "Your session has ended. Sign in again.", "");
  }
}

function notRenewed(thrown: unknown): ApiError {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  const detail = `Your session could not be renewed: the identity provider did not respond as expected (${reason}). Retrying automatically.`;
  return new ApiError(0, "PROVIDER_UNREACHABLE", detail, "");
}

/** The page to return to, if it is one of the console; else the start page. */
function returnOf(state: unknown): string {
  const returnTo =
    typeof state === "object" && state !== null ? (state as Partial<Returning>).returnTo : undefined;
  const isOwn = returnTo?.startsWith(import.meta.env.BASE_URL) === true && !returnTo.startsWith("//");
  return isOwn ? returnTo : import.meta.env.BASE_URL;
}
