/**
 * Credentials of storages in Secrets of the namespace of the SvcTenants. A Secret names the tenant that may
 * use it, so that no SvcTenant can use another tenant's Secret, or one that is not meant for svc.
 */
import type { Tenant } from "../auth/tenants/realm.ts";
import type { CredentialsSecret } from "../jobs/media/storages.ts";
import type { Credentials } from "../media/storages/credentials.ts";
import { Failure } from "../platform/failure.ts";
import { isObject, type JsonObject } from "../platform/json.ts";
import type { ApiClient } from "./api-client.ts";
import { ApiFault } from "./api-fault.ts";

/** Its value is the tenant id. An annotation, because labels cannot hold every tenant id. */
const TENANT_ANNOTATION = "svc.dev/tenant-id";
/** Keys of a Secret, as most tools that make credentials for S3 name them. */
const ACCESS_KEY = "AWS_ACCESS_KEY_ID";
const SECRET_KEY = "AWS_SECRET_ACCESS_KEY";
/** Only for temporary credentials. */
const SESSION_TOKEN = "AWS_SESSION_TOKEN";
const MAX_VALUE_CHARS = 8192;

/** Reasons of the condition StoragesReady. */
export type SecretFaultReason =
  | "SecretMissing"
  | "SecretForbidden"
  | "SecretOfOtherTenant"
  | "SecretMalformed"
  | "SecretUnknown";

/** Why the credentials in a Secret cannot be used. The message is a sentence that contains no secret. */
export class SecretFault extends Error {
  override readonly name = "SecretFault";
  readonly reason: SecretFaultReason;

  constructor(reason: SecretFaultReason, secretName: string, text: string, options?: ErrorOptions) {
    super(`The Secret ${JSON.stringify(secretName)} ${text}`, options);
    this.reason = reason;
  }
}

export class StorageSecrets {
  readonly #client: ApiClient;
  readonly #path: string;
  readonly #stopping = new AbortController();
  /** The credentials that were read last, used while the API server does not respond. */
  readonly #last = new Map<string, Credentials>();

  constructor(client: ApiClient, namespace: string) {
    this.#client = client;
    this.#path = `/api/v1/namespaces/${namespace}/secrets`;
  }

  stop(): void {
    this.#stopping.abort();
  }

  /**
   * Reads the credentials. If the API server does not respond, returns those that were read last. Throws
   * STORAGE_UNAVAILABLE.
   */
  async read(secret: CredentialsSecret): Promise<Credentials> {
    const key = keyOf(secret);
    try {
      const credentials = await this.#ask(secret);
      this.#last.set(key, credentials);
      return credentials;
    } catch (thrown) {
      if (!(thrown instanceof SecretFault)) throw thrown;
      const last = this.#last.get(key);
      if (thrown.reason === "SecretUnknown" && last !== undefined) return last;
      this.#last.delete(key);
      const detail = `The storage has no credentials. ${thrown.message} Ask the operator of svc.`;
      throw new Failure("STORAGE_UNAVAILABLE", detail, { cause: thrown });
    }
  }

  /** Forgets the credentials that none of these tenants uses. */
  keepOnly(tenants: readonly Tenant[]): void {
    const used = new Set(tenants.flatMap(secretsOf).map(keyOf));
    for (const key of this.#last.keys()) if (!used.has(key)) this.#last.delete(key);
  }

  /** Returns why a Secret cannot be used; undefined if it can. */
  async check(secret: CredentialsSecret): Promise<SecretFault | undefined> {
    try {
      await this.#ask(secret);
      return undefined;
    } catch (thrown) {
      if (thrown instanceof SecretFault) return thrown;
      throw thrown;
    }
  }

  async #ask(secret: CredentialsSecret): Promise<Credentials> {
    const path = `${this.#path}/${secret.secretName}`;
    try {
      return credentialsIn(await this.#client.ask({ path, signal: this.#stopping.signal }), secret);
    } catch (thrown) {
      throw thrown instanceof ApiFault ? faultOf(thrown, secret) : thrown;
    }
  }
}

/** Returns the Secrets of a tenant's storages, without duplicates. */
export function secretsOf({ storages = [] }: Tenant): readonly CredentialsSecret[] {
  const all = storages.flatMap((storage) => (storage.kind === "s3" ? (storage.credentials ?? []) : []));
  const secrets = all.filter((credentials) => "secretName" in credentials);
  return [...new Map(secrets.map((secret) => [keyOf(secret), secret])).values()];
}

export function keyOf(secret: CredentialsSecret): string {
  return JSON.stringify(secret);
}

function faultOf(thrown: ApiFault, { secretName }: CredentialsSecret): SecretFault {
  if (thrown.reason === "not_found")
    return new SecretFault(
      "SecretMissing",
      secretName,
      `does not exist. Create it in the namespace of the SvcTenant, with the keys ${ACCESS_KEY} and ${SECRET_KEY}.`,
    );
  if (thrown.reason === "forbidden")
    return new SecretFault(
      "SecretForbidden",
      secretName,
      "may not be read by the controllers. Allow their service account to get it.",
      { cause: thrown },
    );
  const text = "cannot be read now, because the API server does not respond as it should.";
  return new SecretFault("SecretUnknown", secretName, text, { cause: thrown });
}

/** Throws SecretFault. */
function credentialsIn(value: unknown, { secretName, tenant }: CredentialsSecret): Credentials {
  const metadata = memberOf(value, "metadata");
  if (memberOf(metadata, "annotations")[TENANT_ANNOTATION] !== tenant)
    throw new SecretFault(
      "SecretOfOtherTenant",
      secretName,
      `does not name this tenant. Give it the annotation ${TENANT_ANNOTATION} with the tenantId, if the tenant may use it.`,
    );
  const data = memberOf(value, "data");
  const text = (key: string) => textIn(data, key, secretName);
  return {
    accessKeyId: text(ACCESS_KEY),
    secretAccessKey: text(SECRET_KEY),
    ...(Object.hasOwn(data, SESSION_TOKEN) && { sessionToken: text(SESSION_TOKEN) }),
  };
}

function memberOf(value: unknown, name: string): JsonObject {
  const member = isObject(value) ? value[name] : undefined;
  return isObject(member) ? member : {};
}

/** Returns a value of a Secret, which is encoded in Base64. */
function textIn(data: JsonObject, key: string, secretName: string): string {
  const encoded = Object.hasOwn(data, key) ? data[key] : undefined;
  if (typeof encoded !== "string" || encoded === "")
    throw new SecretFault("SecretMalformed", secretName, `has no value for the key ${key}. Add it.`);
  const text = Buffer.from(encoded, "base64").toString("utf8");
  if (/^[\x21-\x7e]+$/.test(text) && text.length <= MAX_VALUE_CHARS) return text;
  throw new SecretFault(
    "SecretMalformed",
    secretName,
    `has a value for the key ${key} that is not a credential: it has a space, a line break or another character that credentials cannot have, or is too long. Write it again.`,
  );
}
