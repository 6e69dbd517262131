/** A real S3 server on loopback: SeaweedFS, with one bucket. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AwsClient } from "aws4fetch";
import { seaweedfs } from "../../scripts/testing/seaweedfs.ts";
import { freePort } from "../server/free-port.ts";
import { until } from "../waiting.ts";

export const BUCKET = "videos";
export const REGION = "eu-central-1";
/** With characters that signatures must encode. */
const KEYS = { accessKeyId: "AKIDTEST", secretAccessKey: "se+cret/key=" };

export class S3Server implements AsyncDisposable {
  /** "http://127.0.0.1:PORT" */
  readonly endpoint: string;
  /** A credentials file. */
  readonly credentials: string;
  readonly #child: ChildProcess;
  readonly #client = new AwsClient({ ...KEYS, region: REGION, service: "s3", retries: 0 });

  private constructor(endpoint: string, credentials: string, child: ChildProcess) {
    this.endpoint = endpoint;
    this.credentials = credentials;
    this.#child = child;
  }

  /** Its files are in `directory`. */
  static async start(directory: string): Promise<S3Server> {
    const data = join(directory, "objects");
    const config = join(directory, "s3.json");
    const credentials = join(directory, "credentials");
    await mkdir(data);
    const keys = { accessKey: KEYS.accessKeyId, secretKey: KEYS.secretAccessKey };
    const actions = ["Admin", "Read", "Write", "List"];
    await writeFile(config, JSON.stringify({ identities: [{ name: "svc", credentials: [keys], actions }] }));
    const lines = [
      `aws_access_key_id = ${KEYS.accessKeyId}`,
      `aws_secret_access_key = ${KEYS.secretAccessKey}`,
    ];
    await writeFile(credentials, ["[videos]", ...lines, ""].join("\n"));
    const s3 = await freePort();
    const flags: string[] = [`-s3.port=${s3}`, `-s3.port.grpc=${await freePort()}`];
    for (const part of ["master", "volume", "filer"])
      flags.push(`-${part}.port=${await freePort()}`, `-${part}.port.grpc=${await freePort()}`);
    const own = [
      "-s3",
      `-s3.config=${config}`,
      "-s3.port.iceberg=0",
      "-s3.port.lance=0",
      "-master.telemetry=false",
    ];
    const child = spawn(
      await seaweedfs(),
      ["server", `-dir=${data}`, "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-volume.max=20", ...flags, ...own],
      { cwd: directory, stdio: "ignore", env: { ...process.env, TMPDIR: directory, HOME: directory } },
    );
    const server = new S3Server(`http://127.0.0.1:${s3}`, credentials, child);
    await until(() => {
      assert.equal(child.exitCode, null, "SeaweedFS ended early");
      return server.#isUp();
    }, "SeaweedFS to store an object");
    return server;
  }

  async put(key: string, content: Buffer): Promise<void> {
    await this.#send("PUT", key, content);
  }

  /** `version`: default: the current one. */
  async get(key: string, version?: string): Promise<Buffer> {
    const query = version === undefined ? "" : `?versionId=${version}`;
    return Buffer.from(await (await this.#send("GET", key, undefined, query)).arrayBuffer());
  }

  async delete(key: string): Promise<void> {
    await this.#send("DELETE", key);
  }

  /** Returns the keys with a prefix. */
  async keys(prefix: string): Promise<readonly string[]> {
    const text = await this.#textOf(`list-type=2&prefix=${encodeURIComponent(prefix)}`);
    return [...text.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key = ""]) => key);
  }

  /** Aborts every multipart upload, as a rule of a bucket does after a while. */
  async abortAll(): Promise<void> {
    const text = await this.#textOf("uploads=");
    for (const [, key = "", id = ""] of text.matchAll(/<Key>(.*?)<\/Key>.*?<UploadId>(.*?)<\/UploadId>/gs))
      await this.#send("DELETE", key, undefined, `?uploadId=${encodeURIComponent(id)}`);
  }

  /** Lets pages of an origin send objects. */
  async allowOrigin(origin: string): Promise<void> {
    const rule = [
      `<AllowedOrigin>${origin}</AllowedOrigin><AllowedMethod>PUT</AllowedMethod>`,
      "<AllowedHeader>x-amz-checksum-sha256</AllowedHeader><MaxAgeSeconds>3600</MaxAgeSeconds>",
    ];
    const body = `<CORSConfiguration><CORSRule>${rule.join("")}</CORSRule></CORSConfiguration>`;
    await this.#send("PUT", "", Buffer.from(body), "?cors=");
  }

  /** Keeps versions of objects from now on. */
  async keepVersions(): Promise<void> {
    const status = "<Status>Enabled</Status>";
    const body = Buffer.from(`<VersioningConfiguration>${status}</VersioningConfiguration>`);
    await this.#send("PUT", "", body, "?versioning=");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exited;
  }

  async #isUp(): Promise<boolean> {
    const url = `${this.endpoint}/${BUCKET}`;
    const made = await this.#client.fetch(url, { method: "PUT" }).catch(() => undefined);
    if (made === undefined || (!made.ok && made.status !== 409)) return false;
    return this.put("up", Buffer.from("up")).then(
      () => true,
      () => false,
    );
  }

  async #textOf(query: string): Promise<string> {
    return (await this.#send("GET", "", undefined, `?${query}`)).text();
  }

  async #send(method: string, key: string, body?: Buffer, query = ""): Promise<Response> {
    const path = key.split("/").map(encodeURIComponent).join("/");
    const given = body && { body: new Uint8Array(body) };
    const url = `${this.endpoint}/${BUCKET}/${path}${query}`;
    const response = await this.#client.fetch(url, { method, ...given });
    if (!response.ok) throw new Error(`${method} ${key}: ${response.status} ${await response.text()}`);
    return response;
  }
}
