/** The bundled ffmpeg behind a gate: each scoring run waits until a test lets it pass. */
import { chmod, writeFile } from "node:fs/promises";
import { until } from "../waiting.ts";
import { exists, type MediaDirectory } from "./directory.ts";
import { FFMPEG } from "./ffmpeg.ts";

export class GatedScorer {
  /** The executable. */
  readonly path: string;
  readonly #ticket: string;
  readonly #open: string;

  private constructor(directory: MediaDirectory) {
    this.path = directory.file("gated-scorer");
    this.#ticket = directory.file("gated-scorer.ticket");
    this.#open = directory.file("gated-scorer.open");
  }

  static async make(directory: MediaDirectory): Promise<GatedScorer> {
    const gate = new GatedScorer(directory);
    // Only scoring runs write log.csv; the run that removes the ticket passes.
    const waits = `until [ -e '${gate.#open}' ] || rm '${gate.#ticket}' 2>/dev/null; do sleep 0.05; done`;
    await writeFile(
      gate.path,
      `#!/bin/sh\ncase "$*" in *log.csv*) ${waits} ;; esac\nexec '${FFMPEG}' "$@"\n`,
    );
    await chmod(gate.path, 0o755);
    return gate;
  }

  /** Lets one run pass; resolves when it has passed. */
  async pass(): Promise<void> {
    await writeFile(this.#ticket, "");
    await until(async () => !(await exists(this.#ticket)), "a scoring run to reach the gate");
  }

  /** Lets every run pass from now on. */
  async open(): Promise<void> {
    await writeFile(this.#open, "");
  }
}
