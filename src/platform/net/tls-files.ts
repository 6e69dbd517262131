/** Reads certificates and keys from PEM files. Every fault names its file. */
import { createPrivateKey, hash, type KeyObject, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { messageOf } from "../errors.ts";
import { readSmallFile } from "../files/small-file.ts";

/** A file, and the flag that named it. */
export interface TlsFile {
  readonly flag: string;
  readonly path: string;
}

export interface TlsFiles {
  /** A certificate with its intermediates, and its private key; both or neither. */
  readonly pair?: { readonly cert: TlsFile; readonly key: TlsFile } | undefined;
  /** Trusted CA certificates for verifying the peer. */
  readonly ca?: TlsFile | undefined;
}

/** The PEM content for a TLS context. */
export interface TlsMaterial {
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly ca?: Buffer;
}

/** The content of the files. Equal keys mean equal content. */
export type TlsReading =
  | {
      readonly key: string;
      readonly material: TlsMaterial;
      /** When the certificate of the pair expires. */
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

/** Never throws: `fault` is a sentence without its full stop. */
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

/** Returns when the certificate of the pair expires. Throws TlsFileError. */
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
    // For example a key that is too short to be safe.
    throw new TlsFileError(pair.cert, messageOf(thrown));
  }
  return new Date(own.validTo);
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

function certificatesOf(file: TlsFile, pem: Buffer): readonly [X509Certificate, ...X509Certificate[]] {
  const [first, ...others] = pem.toString("latin1").match(CERTIFICATE) ?? [];
  if (first === undefined) throw new TlsFileError(file, "it contains no PEM certificate");
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
      locked ? "the key is encrypted; use an unencrypted one" : "it contains no PEM private key",
    );
  }
}
