/** Encodes of a source to package as titles, and checks of what is read of their manifests. */
import assert from "node:assert/strict";
import { pairRequest } from "../../src/engine/contract/request.ts";
import { firstFrames } from "../../src/jobs/scores/spans.ts";
import { assemble } from "../../src/titles/assemble.ts";
import { readTitle } from "../../src/titles/read-title.ts";
import { segmentStarts } from "../../src/titles/segment-starts.ts";
import { Fixture } from "../engine/fixture.ts";
import { draw, LOSSY, SCENE } from "./clips.ts";
import { ffmpeg } from "./ffmpeg.ts";

/** Six seconds, with a key frame every second. */
const FILM = { ...SCENE, width: 160, height: 90, frames: 150 };
const SECOND = 25;
const GOPS = ["-g", String(SECOND), "-keyint_min", String(SECOND), "-sc_threshold", "0"];

export const CODECS = {
  h264: [...LOSSY.h264, ...GOPS],
  small: [...LOSSY.h264, ...GOPS, "-vf", "scale=96:54"],
  hevc: [
    ...LOSSY.hevc.slice(0, -1),
    `log-level=none:pools=1:frame-threads=1:keyint=25:min-keyint=25:scenecut=0`,
    "-tag:v",
    "hvc1",
  ],
  vp9: [...LOSSY.vp9, ...GOPS],
  av1: [...LOSSY.av1, ...GOPS],
} as const;
export type Codec = keyof typeof CODECS;

/** What a score of a pair says that does not depend on its container. */
type Digits = readonly unknown[];

export class Titles implements AsyncDisposable {
  readonly fixture: Fixture;
  readonly source: string;
  readonly #encodes = new Map<Codec, Promise<string>>();
  readonly #digits = new Map<Codec, Promise<Digits>>();
  #assembled = 0;

  private constructor(fixture: Fixture, source: string) {
    this.fixture = fixture;
    this.source = source;
  }

  static async open(): Promise<Titles> {
    const fixture = await Fixture.open();
    const source = fixture.media.file("source.mkv");
    await ffmpeg([...draw(FILM), ...LOSSY.ffv1, source]);
    return new Titles(fixture, source);
  }

  file(name: string): string {
    return this.fixture.media.file(name);
  }

  /** The path of an encode with a track of audio, which is to be left out. */
  encode(codec: Codec): Promise<string> {
    const made = this.#encodes.get(codec) ?? this.#encode(codec);
    this.#encodes.set(codec, made);
    return made;
  }

  /** Checks that a manifest has these renditions, in this order, frame by frame and segment by segment. */
  async expect(
    manifest: string,
    codecs: readonly Codec[],
    {
      starts = [0, 25, 50, 75, 100, 125],
    }: { readonly starts?: readonly number[] | undefined | "unknown" } = {},
  ): Promise<void> {
    const renditions = await readTitle(manifest);
    assert.equal(renditions.length, codecs.length, JSON.stringify(renditions.map(({ name }) => name)));
    for (const [index, rendition] of renditions.entries()) {
      const target = this.file(`rendition${this.#assembled++}`);
      const { signal } = new AbortController();
      const file = await assemble(rendition, { manifest, target, signal });
      const codec = codecs[index] ?? assert.fail();
      assert.deepEqual(await this.#digitsOf(file), await this.#direct(codec), `${codec} of ${manifest}`);
      const found = segmentStarts(rendition);
      assert.deepEqual(found && firstFrames(found, 25), starts === "unknown" ? undefined : starts);
    }
  }

  async #encode(codec: Codec): Promise<string> {
    const path = this.file(`${codec}.mp4`);
    const tone = ["-f", "lavfi", "-i", "sine=duration=6"];
    await ffmpeg([...draw(FILM), ...tone, ...CODECS[codec], "-c:a", "aac", path]);
    return path;
  }

  #direct(codec: Codec): Promise<Digits> {
    const digits = this.#digits.get(codec) ?? this.encode(codec).then((path) => this.#digitsOf(path));
    this.#digits.set(codec, digits);
    return digits;
  }

  async #digitsOf(distorted: string): Promise<Digits> {
    const engine = await this.fixture.engine();
    const result = await engine.score(pairRequest({ reference: this.source, distorted }));
    const findings = result.findings.map(({ code }) => code);
    return [result.frameCount, result.score, findings, [...result.frames.rows()]];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fixture.close();
  }
}
