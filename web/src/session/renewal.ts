/**
 * When tokens are renewed: one at a time, after a failure only after a pause that grows, and never again
 * once the provider has refused. Whatever asks meanwhile is told what the last attempt came to.
 */
import { ErrorResponse } from "oidc-client-ts";

/**
 * What a provider decides for good (RFC 6749, 5.2 and 4.1.2.1; OpenID Connect Core, 3.1.2.6). Whatever else
 * goes wrong may pass: a network, a proxy's answer, "temporarily_unavailable".
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

  /** `ask`: sends the refresh token, and rejects with what the provider answers instead. */
  constructor(ask: () => Promise<Token>) {
    this.#ask = ask;
  }

  /** Whether the provider has refused: only a person can go on. */
  get isRefused(): boolean {
    return this.#refused !== undefined;
  }

  /** Rejects with why there is no token, also without having asked. */
  async renew(): Promise<Token> {
    if (this.#refused !== undefined) throw this.#refused;
    if (this.#failed !== undefined && performance.now() < this.#failed.until) throw this.#failed.error;
    // A refresh token may be good for one use only.
    this.#asking ??= this.#attempt().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** The next call asks, whatever the pause: somebody wants it, or the network is another. */
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
      // Spread, so that not everybody comes back to a provider at once.
      const pauseMs = this.#pauseMs * (0.5 + Math.random() / 2);
      this.#failed = { error, until: performance.now() + pauseMs };
      this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
      throw error;
    }
  }
}
