/** Credentials of storages: from a file, a Secret, or the AWS SDK's own chain. They stay in memory for a minute. */
import type { CredentialsFile, CredentialsSecret, ObjectStorage } from "../../jobs/media/storages.ts";

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string | undefined;
  readonly expiration?: Date | undefined;
}

/** Reads the credentials in a Secret. Rejects with a Failure that says what is wrong with it. */
export type ReadSecret = (secret: CredentialsSecret) => Promise<Credentials>;

/** Milliseconds after which a file, a Secret or a role is read again. */
const FRESH_MS = 60_000;
/** Time limit in milliseconds for finding a role: on an instance without one, no server responds. */
const CHAIN_TIMEOUT_MS = 5_000;

interface Known {
  readonly credentials: Promise<Credentials>;
  readonly until: number;
}

export class CredentialSource {
  readonly #readSecret: ReadSecret;
  readonly #known = new Map<string, Known>();

  /** `readSecret`: undefined if no storage has its credentials in a Secret. */
  constructor(readSecret: ReadSecret = noSecrets) {
    this.#readSecret = readSecret;
  }

  /** Rejects if there are none, with a reason that contains no secret. */
  async get({ credentials: given }: Pick<ObjectStorage, "credentials">): Promise<Credentials> {
    const key = JSON.stringify(given ?? null);
    const known = this.#known.get(key);
    if (known !== undefined && performance.now() < known.until) return known.credentials;
    const credentials = this.#read(given);
    this.#known.set(key, { credentials, until: performance.now() + FRESH_MS });
    credentials.catch(() => this.#known.delete(key));
    return credentials;
  }

  #read(given: ObjectStorage["credentials"]): Promise<Credentials> {
    if (given === undefined) return fromChain();
    return "secretName" in given ? this.#readSecret(given) : fromFile(given);
  }
}

/** The SDK's parts are loaded only where they are needed. */
async function fromFile({ file, profile }: CredentialsFile): Promise<Credentials> {
  const { fromIni } = await import("@aws-sdk/credential-provider-ini");
  return fromIni({ filepath: file, configFilepath: file, profile, ignoreCache: true })();
}

async function fromChain(): Promise<Credentials> {
  const { defaultProvider } = await import("@aws-sdk/credential-provider-node");
  return defaultProvider({ timeout: CHAIN_TIMEOUT_MS, maxRetries: 1 })();
}

async function noSecrets(): Promise<never> {
  throw new Error("there is no Kubernetes cluster whose Secrets could be read");
}
