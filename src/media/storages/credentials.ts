/** Credentials of storages, from a file or from the AWS SDK's own chain. They stay in memory for a minute. */
import type { ObjectStorage } from "../../jobs/media/storages.ts";

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly expiration?: Date | undefined;
}

/** Milliseconds after which a file or a role is read again. */
const FRESH_MS = 60_000;
/** Milliseconds for a role: an instance without one has no server that would answer. */
const CHAIN_TIMEOUT_MS = 5_000;

interface Known {
  readonly credentials: Promise<Credentials>;
  readonly until: number;
}

export class CredentialSource {
  readonly #known = new Map<string, Known>();

  /** Rejects if there are none, with a reason that contains no secret. */
  async get({ credentials: given }: Pick<ObjectStorage, "credentials">): Promise<Credentials> {
    const key = JSON.stringify(given ?? null);
    const known = this.#known.get(key);
    if (known !== undefined && performance.now() < known.until) return known.credentials;
    const credentials = given === undefined ? fromChain() : fromFile(given);
    this.#known.set(key, { credentials, until: performance.now() + FRESH_MS });
    credentials.catch(() => this.#known.delete(key));
    return credentials;
  }
}

/** The SDK's parts are loaded only where they are needed. */
async function fromFile({ file, profile }: { file: string; profile: string }): Promise<Credentials> {
  const { fromIni } = await import("@aws-sdk/credential-provider-ini");
  return fromIni({ filepath: file, configFilepath: file, profile, ignoreCache: true })();
}

async function fromChain(): Promise<Credentials> {
  const { defaultProvider } = await import("@aws-sdk/credential-provider-node");
  return defaultProvider({ timeout: CHAIN_TIMEOUT_MS, maxRetries: 1 })();
}
