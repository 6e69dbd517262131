/**
 * Renews tokens: one request at a time, with a growing pause after each failure, and never again once the provider has
 * refused. Calls in the meantime get the outcome of the last attempt.
 */
import { ErrorResponse } from "oidc-client-ts";

/**
 * Final refusals of a provider (RFC 6749, 5.2 and 4.1.2.1; OpenID Connect Core, 3.1.2.6). Any other failure
 * may be temporary: a network fault, a proxy's response, "temporarily_unavailable".
 */
const REFUSALS = new Set([
  ...["invalid_request", "invalid_client", "invalid_grant", "invalid_scope", "unauthorized_client"],
  ...["unsupported_grant_type", "access_denied"],
  ...["login_required", "interaction_required", "consent_required", "account_selection_required"],
]);

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

export class Renewal<Token> {
  readonly #ask: () => Promise<Token>;
  #asking: Promise<Token> | undefined;
  #refused: ErrorResponse | undefined;
  #failed: { readonly error: unknown; readonly until: number } | undefined;
  #pauseMs = FIRST_PAUSE_MS;

  /** `ask` sends the refresh token and rejects with the provider's error. */
  constructor(ask: () => Promise<Token>) {
    this.#ask = ask;
  }

  /** Whether the provider has refused; only signing in again helps. */
  get isRefused(): boolean {
    return this.#refused !== undefined;
  }

  /** Rejects with the reason if there is no token, possibly without a request. */
  async renew(): Promise<Token> {
    if (this.#refused !== undefined) throw this.#refused;
    if (this.#failed !== undefined && performance.now() < this.#failed.until) throw this.#failed.error;
    // A refresh token may be valid for one use only.
    this.#asking ??= this.#attempt().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** The next call sends a request despite the pause: the user asked to, or the network has changed. */
  readonly tryNow = (): void => {
    this.#failed = undefined;
  };

  async #attempt(): Promise<Token> {
    try {
      const token = await this.#ask();
      this.#failed = undefined;
      this.#pauseMs = FIRST_PAUSE_MS;
      return token;
    } catch (error) {
      if (error instanceof ErrorResponse && REFUSALS.has(error.error ?? "")) this.#refused = error;
      // Randomized, so that clients do not return to a provider all at once.
      const pauseMs = this.#pauseMs * (0.5 + Math.random() / 2);
      this.#failed = { error, until: performance.now() + pauseMs };
      this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
      throw error;
    }
  }
}
