/** Certificates and keys in PEM files, read strictly: what cannot be used is told with the file's name. */
import { createPrivateKey, hash, type KeyObject, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { readSmallFile } from "./small-file.ts";
import { messageOf } from "./thrown.ts";

/** A file, and the flag that named it. */
export interface TlsFile {
  readonly flag: string;
  readonly path: string;
}

export interface TlsFiles {
  /** A certificate, followed by those between it and its root, and its private key: both or none. */
  readonly pair?: { readonly cert: TlsFile; readonly key: TlsFile } | undefined;
  /** Certificates of those who are trusted to sign the other side's. */
  readonly ca?: TlsFile | undefined;
}

/** What a TLS context is made of, in PEM. */
export interface TlsMaterial {
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly ca?: Buffer;
}

/** What the files held; two readings with the same `key` found the same. */
export type TlsReading =
  | {
      readonly key: string;
      readonly material: TlsMaterial;
      /** When the certificate of the pair ends. */
      readonly validTo: Date | undefined;
      readonly fault?: never;
    }
  | { readonly key: string; readonly material?: never; readonly fault: string };

/** A file that cannot be used; the message begins with its flag and path. */
class TlsFileError extends Error {
  constructor(file: TlsFile, why: string) {
    super(`${file.flag}: ${file.path} cannot be used: ${why}`);
  }
}

/** Never throws: what is wrong is told in `fault`, as a sentence without its end. */
export async function readTlsFiles(files: TlsFiles): Promise<TlsReading> {
  let key = "";
  try {
    const content = await contentOf(files);
    key = digestOf(content);
    return { key, material: content, validTo: check(files, content) };
  } catch (thrown) {
    const fault = messageOf(thrown);
    return { key: key || `unreadable: ${fault}`, fault };
  }
}

async function contentOf({ pair, ca }: TlsFiles): Promise<TlsMaterial> {
  return {
    ...(pair && { cert: await contentOfOne(pair.cert), key: await contentOfOne(pair.key) }),
    ...(ca && { ca: await contentOfOne(ca) }),
  };
}

async function contentOfOne(file: TlsFile): Promise<Buffer> {
  try {
    return await readSmallFile(file.path);
  } catch (thrown) {
    throw new TlsFileError(file, messageOf(thrown));
  }
}

function digestOf({ cert, key, ca }: TlsMaterial): string {
  return [cert, key, ca].map((bytes) => (bytes ? hash("sha256", bytes) : "none")).join(" ");
}

/** When the pair's certificate ends. Throws TlsFileError. */
function check({ pair, ca }: TlsFiles, content: TlsMaterial): Date | undefined {
  if (ca && content.ca) certificatesOf(ca, content.ca);
  if (pair === undefined || content.cert === undefined || content.key === undefined) return undefined;
  const [own] = certificatesOf(pair.cert, content.cert);
  const key = privateKeyOf(pair.key, content.key);
  if (!own.checkPrivateKey(key)) {
    throw new TlsFileError(pair.key, `it is not the key of the certificate in ${pair.cert.path}`);
  }
  try {
    createSecureContext({ cert: content.cert, key: content.key });
  } catch (thrown) {
    // Such as a key that is too short to be safe.
    throw new TlsFileError(pair.cert, messageOf(thrown));
  }
  return new Date(own.validTo);
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

function certificatesOf(file: TlsFile, pem: Buffer): readonly [X509Certificate, ...X509Certificate[]] {
  const [first, ...others] = pem.toString("latin1").match(CERTIFICATE) ?? [];
  if (first === undefined) throw new TlsFileError(file, "it holds no certificate in PEM");
  const parse = (text: string, index: number) => {
    try {
      return new X509Certificate(text);
    } catch (cause) {
      throw new TlsFileError(file, `certificate ${index + 1} cannot be read: ${messageOf(cause)}`);
    }
  };
  return [parse(first, 0), ...others.map((text, index) => parse(text, index + 1))];
}

function privateKeyOf(file: TlsFile, pem: Buffer): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    const locked = pem.includes("ENCRYPTED");
    throw new TlsFileError(
      file,
      locked ? "the key is encrypted; give one that is not" : "it holds no private key in PEM",
    );
  }
}
