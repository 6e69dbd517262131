/** Runs schemathesis on a server, with its description narrowed to this installation. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { schemathesis } from "../../scripts/testing/schemathesis.ts";
import type { MediaDirectory } from "../media/directory.ts";
import { type Facts, narrowed } from "./narrowed.ts";

const CONFIG = fileURLToPath(new URL("schemathesis.toml", import.meta.url));

/** Checks for requests with a token, or without need of one. */
const CHECKS = [
  "not_a_server_error",
  "status_code_conformance",
  "content_type_conformance",
  "response_headers_conformance",
  "response_schema_conformance",
  "negative_data_rejection",
  "positive_data_acceptance",
  "unsupported_method",
  "allow_header_conformance",
  "missing_required_header",
  "use_after_free",
  "ensure_resource_availability",
  "ignored_auth",
];

export interface Run {
  /** "http://HOST:PORT" */
  readonly rest: string;
  readonly directory: MediaDirectory;
  readonly facts: Facts;
  /** Bearer token of the requests; undefined for none. */
  readonly token?: string;
  /** Operations to exclude, or the only ones to include. */
  readonly operations: { readonly but: readonly string[] } | { readonly only: readonly string[] };
}

/** Fails with the output of schemathesis if it finds a violation. */
export async function conforms({ rest, directory, facts, token, operations }: Run): Promise<void> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fetch(`${rest}/ui/spec.json`, { headers });
  assert.equal(response.status, 200);
  const description = directory.file("description.json");
  await writeFile(description, JSON.stringify(narrowed((await response.json()) as object, facts)));
  const filters =
    "but" in operations
      ? operations.but.map((name) => `--exclude-operation-id=${name}`)
      : operations.only.map((name) => `--include-operation-id=${name}`);
  const bearing = token === undefined ? [] : [`--header=Authorization: Bearer ${token}`];
  const flags = [`--url=${rest}`, `--checks=${CHECKS.join()}`, "--no-color", ...filters, ...bearing];
  const child = spawn(await schemathesis(), [`--config-file=${CONFIG}`, "run", ...flags, description], {
    cwd: directory.path,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [printed, failed] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  assert.equal(child.exitCode, 0, `${printed}\n${failed}`);
}
