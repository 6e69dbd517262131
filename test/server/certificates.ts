/** Certificates signed with openssl, for TLS tests. */
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
/** For this machine. */
const LOCAL = "IP:127.0.0.1,DNS:localhost";

/** Paths of a certificate and its private key. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

export class Authority {
  readonly #directory: string;
  readonly #own: Pair;

  private constructor(directory: string, own: Pair) {
    this.#directory = directory;
    this.#own = own;
  }

  /** Its files, and those of the certificates it signs, are in `directory`. */
  static async open(directory: string, name: string): Promise<Authority> {
    const own = { cert: join(directory, `${name}.pem`), key: join(directory, `${name}.key`) };
    const subject = ["-subj", `/CN=${name}`, "-days", "2"];
    await run("openssl", ["req", "-x509", ...KEY, ...subject, "-keyout", own.key, "-out", own.cert]);
    return new Authority(directory, own);
  }

  /** Path of the CA's own certificate. */
  get path(): string {
    return this.#own.cert;
  }

  pem(): Promise<string> {
    return readFile(this.path, "utf8");
  }

  /** A new pair for `names`, with the common name `name`. */
  async issue(name: string, names = LOCAL): Promise<Pair> {
    const file = (suffix: string) => join(this.#directory, `${name}.${suffix}`);
    const pair = { cert: file("pem"), key: file("key") };
    await writeFile(file("ext"), `subjectAltName=${names}\n`);
    await run("openssl", ["req", ...KEY, "-subj", `/CN=${name}`, "-keyout", pair.key, "-out", file("csr")]);
    const signer = ["-CA", this.#own.cert, "-CAkey", this.#own.key, "-CAcreateserial", "-days", "2"];
    const signed = ["-in", file("csr"), "-extfile", file("ext"), "-out", pair.cert];
    await run("openssl", ["x509", "-req", ...signer, ...signed]);
    return pair;
  }
}

/** Writes the key of a pair, encrypted, to its own file. */
export async function encryptKey({ key }: Pair): Promise<string> {
  const path = `${key}.encrypted`;
  await run("openssl", ["pkcs8", "-topk8", "-in", key, "-passout", "pass:secret", "-out", path]);
  return path;
}
