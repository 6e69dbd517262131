/** The media of a chaos run on an https server that cuts connections and replaces objects while jobs wait for them. */
import { randomBytes, randomInt } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { Authority } from "../server/certificates.ts";
import { type Asked, MediaServer } from "../storages/media-server.ts";
import type { ProgramSettings } from "./installation.ts";
import type { ChaosMedia, FaultyPair, GoodPair } from "./media.ts";

/** One in this number of responses with content is cut in the middle. */
const CUT = 4;
/** Objects of each file, so that jobs find few of them in a cache. */
const COPIES = 10;
/** An object that is another one as soon as a job has its version. */
const REPLACED = "/replaced.mp4";

export class ChaosStorage implements AsyncDisposable {
  /** The pairs as objects of the server. */
  readonly media: ChaosMedia;
  readonly settings: ProgramSettings;
  /** Responses that were cut. */
  cuts = 0;
  readonly #server: MediaServer;

  private constructor(server: MediaServer, media: ChaosMedia, settings: ProgramSettings) {
    this.#server = server;
    this.media = media;
    this.settings = settings;
    server.fault = (asked) => this.#answers(asked);
  }

  /** @param folder for its certificates, its list of storages, and the nodes' caches */
  static async open(folder: string, files: ChaosMedia): Promise<ChaosStorage> {
    const authority = await Authority.open(folder, "storage");
    const server = await MediaServer.start(authority);
    const read = new Map<string, Promise<Buffer>>();
    const put = async (path: string, copy = 0): Promise<string> => {
      const content = read.get(path) ?? readFile(path);
      read.set(path, content);
      const place = `/${copy}/${basename(path)}`;
      server.put(place, await content);
      return server.url(place);
    };
    const good: GoodPair[] = [];
    for (const { reference, distorted, truth } of files.good)
      for (let copy = 0; copy < COPIES; copy++)
        good.push({ reference: await put(reference, copy), distorted: await put(distorted, copy), truth });
    const faulty: FaultyPair[] = [];
    // A submission that names an object that is not there is refused.
    for (const pair of files.faulty.filter(({ code }) => code !== "MEDIA_NOT_FOUND"))
      faulty.push({ ...pair, reference: await put(pair.reference), distorted: await put(pair.distorted) });
    const [first] = good;
    if (first === undefined) throw new Error("no good pair");
    server.put(REPLACED, randomBytes(1000));
    faulty.push({ reference: first.reference, distorted: server.url(REPLACED), code: "MEDIA_CHANGED" });
    const list = join(folder, "storages.json");
    await writeFile(
      list,
      JSON.stringify({ storages: [{ https: { hosts: [server.host], privateNetwork: true } }] }),
    );
    return new ChaosStorage(
      server,
      { good, faulty },
      {
        controller: ["--storages-file", list],
        node: ["--media-cache", join(folder, "cache")],
        env: { NODE_EXTRA_CA_CERTS: authority.path },
      },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.close();
  }

  #answers({ path, range, response, headers, body }: Asked): boolean {
    const isLookUp = range.last === 0;
    if (isLookUp && path === REPLACED) this.#server.put(REPLACED, randomBytes(1000));
    if (isLookUp || randomInt(CUT) > 0) return false;
    this.cuts++;
    response.writeHead(206, headers);
    response.write(body.subarray(0, Math.ceil(body.length / 2)), () => response.destroy());
    return true;
  }
}
