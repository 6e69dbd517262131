/**
 * Serves the console: its built files, and the configuration it needs before anyone has signed in. These need no token;
 * every API call of the console does.
 */
import { hash } from "node:crypto";
import { glob, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { HttpFault } from "../http/problem.ts";

/** Its name in the table of permissions. It is not part of the description, because it is not part of the API. */
export const CONSOLE_OPERATION = "console";

export interface ConsoleConfig {
  readonly version: string;
  readonly authentication:
    | { readonly kind: "open" }
    | {
        readonly kind: "oidc";
        readonly issuer: string;
        readonly clientId: string;
        readonly scope: string;
        /** Sent as the parameter `audience`, which Auth0 requires; empty: not sent. */
        readonly audience: string;
      }
    | { readonly kind: "unconfigured" };
  /** Origins of buckets to which it may upload. */
  readonly uploadOrigins: readonly string[];
}

/** A file in all encodings in which it can be sent. */
interface ConsoleFile {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly encoded: readonly { readonly encoding: string; readonly bytes: Buffer }[];
}

/** By path below the console's. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

export interface ConsolePages {
  readonly config: ConsoleConfig;
  readonly files: ConsoleFiles;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Best first. */
const ENCODINGS = [
  { encoding: "br", suffix: ".br" },
  { encoding: "gzip", suffix: ".gz" },
] as const;

const INDEX = "index.html";
/** File names here change with their content. */
const LASTING = "assets/";

/** Reads a built console into memory, a few hundred kilobytes. No file outside it can be requested. */
export async function readConsole(directory: string): Promise<ConsoleFiles> {
  const files = new Map<string, ConsoleFile>();
  for await (const path of glob("**/*", { cwd: directory })) {
    const type = TYPES[extname(path)];
    if (type !== undefined)
      files.set(path.replaceAll("\\", "/"), await readForms(join(directory, path), type));
  }
  if (!files.has(INDEX)) throw new Error(`${directory} contains no console: ${INDEX} is missing`);
  return files;
}

async function readForms(path: string, type: string): Promise<ConsoleFile> {
  const plain = await readFile(path);
  const encoded = [];
  for (const { encoding, suffix } of ENCODINGS) {
    const bytes = await readFile(path + suffix).catch(() => undefined);
    if (bytes !== undefined) encoded.push({ encoding, bytes });
  }
  return { type, etag: `"${hash("sha256", plain, "base64url").slice(0, 22)}"`, plain, encoded };
}

export function addConsole(app: FastifyInstance, { config, files }: ConsolePages): void {
  const policy = policyOf(config);
  const open = (label: string) => ({ config: { operation: CONSOLE_OPERATION, label } });
  app.get("/console", open("/console"), (_request, reply) => reply.redirect("console/", 308));
  app.get("/console/config.json", open("/console/config.json"), (_request, reply) => reply.send(config));
  app.get("/console/*", open("/console/{file}"), (request, reply) => {
    reply.headers({ "content-security-policy": policy, "referrer-policy": "no-referrer" });
    return send(request, reply, files);
  });
}

/** A path that is not a file is a page of the console, which routes it itself. */
function send(request: FastifyRequest, reply: FastifyReply, files: ConsoleFiles): FastifyReply {
  const path = (request.params as { readonly "*": string })["*"];
  const file = files.get(path) ?? (path.startsWith(LASTING) ? undefined : files.get(INDEX));
  if (file === undefined)
    throw new HttpFault(404, "NOT_FOUND", "The console has no such file. Reload the page.");
  const lasts = path.startsWith(LASTING);
  reply.headers({
    "cache-control": lasts ? "public, max-age=31536000, immutable" : "no-cache",
    etag: file.etag,
    vary: "accept-encoding",
  });
  if (request.headers["if-none-match"] === file.etag) return reply.code(304).send();
  const accepted = request.headers["accept-encoding"] ?? "";
  const form = file.encoded.find(({ encoding }) => accepts(accepted, encoding));
  if (form !== undefined) reply.header("content-encoding", form.encoding);
  return reply.type(file.type).send(form?.bytes ?? file.plain);
}

/** Whether an Accept-Encoding list contains an encoding without q=0 (RFC 9110, 12.5.3). */
function accepts(list: string, encoding: string): boolean {
  return list.split(",").some((item) => {
    const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

/** Allows only the console's own files, and connections to this server, to the identity provider and to buckets. */
function policyOf({ authentication, uploadOrigins }: ConsoleConfig): string {
  const provider = authentication.kind === "oidc" ? [new URL(authentication.issuer).origin] : [];
  const connected = ["'self'", ...provider, ...uploadOrigins].join(" ");
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob:",
    "media-src blob:",
    "font-src 'self'",
    `connect-src ${connected}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
