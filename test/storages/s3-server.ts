/** A real S3 server on loopback: SeaweedFS, with one bucket. */
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
    const ports = {
      master: await freePort(),
      volume: await freePort(),
      filer: await freePort(),
      s3: await freePort(),
    };
    const flags = Object.entries(ports).flatMap(([name, port]) => [
      `-${name}.port=${port}`,
      `-${name}.port.grpc=${port + 10_000}`,
    ]);
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
    const server = new S3Server(`http://127.0.0.1:${ports.s3}`, credentials, child);
    await until(() => server.#isUp(), "SeaweedFS to store an object");
    return server;
  }

  put(key: string, content: Buffer): Promise<void> {
    return this.#send("PUT", key, content);
  }

  delete(key: string): Promise<void> {
    return this.#send("DELETE", key);
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

  async #send(method: string, key: string, body?: Buffer): Promise<void> {
    const path = key.split("/").map(encodeURIComponent).join("/");
    const given = body && { body: new Uint8Array(body) };
    const response = await this.#client.fetch(`${this.endpoint}/${BUCKET}/${path}`, { method, ...given });
    if (!response.ok) throw new Error(`${method} ${key}: ${response.status} ${await response.text()}`);
  }
}
