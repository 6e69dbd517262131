/** A server's certificate in files, followed while the process runs. */
import { Counter, type Registry } from "prom-client";
import { Background, pause } from "./lifecycle.ts";
import type { Log } from "./log.ts";
import { Settled } from "./settled.ts";
import { readTlsFiles, type TlsFiles, type TlsMaterial, type TlsReading } from "./tls-files.ts";

/** A change counts at the second look that finds it, so it is in force within twice this, and the time to read it. */
const LOOK_EVERY_MS = 2_000;

/** What a TLS server is opened with, and is given again after a change. */
export interface ServerContext extends TlsMaterial {
  readonly minVersion: "TLSv1.2";
}

export interface CertificateOptions {
  readonly files: TlsFiles & { readonly pair: NonNullable<TlsFiles["pair"]> };
  readonly log: Log;
  readonly registry: Registry;
}

/** The files cannot be used at start-up; the message names the flag, the file and what is wrong. */
export class CertificateError extends Error {
  override readonly name = "CertificateError";
}

/**
 * Follows the files by looking at their content now and then: that also finds what is replaced by
 * rename, or behind a symbolic link, as Kubernetes does it. Until `start` it stays as it was opened.
 */
export class Certificate {
  /** Whether clients have to show a certificate. */
  readonly asksClients: boolean;
  readonly #options: CertificateOptions;
  readonly #settled: Settled;
  readonly #reloads: Counter<"outcome">;
  readonly #renewed = new Set<(context: ServerContext) => void>();
  readonly #following = new Background((signal, isStarted) => this.#follow(signal, isStarted));
  #context: ServerContext;

  private constructor(options: CertificateOptions, digest: string, material: TlsMaterial) {
    this.#options = options;
    this.asksClients = options.files.ca !== undefined;
    this.#settled = new Settled(digest);
    this.#context = contextOf(material);
    this.#reloads = new Counter({
      name: "svc_tls_reloads_total",
      help: "Changes of the TLS certificate, its key or the clients' authorities, by what became of them.",
      labelNames: ["outcome"],
      registers: [options.registry],
    });
    for (const outcome of ["loaded", "faulty"] as const) this.#reloads.inc({ outcome }, 0);
  }

  /** Throws CertificateError when a file cannot be read, or the files do not fit. */
  static async open(options: CertificateOptions): Promise<Certificate> {
    const reading = await readTlsFiles(options.files);
    if (reading.fault !== undefined) throw new CertificateError(`${reading.fault}.`);
    options.log.info(factsOf(options, reading.validTo), "the TLS certificate was loaded");
    return new Certificate(options, reading.digest, reading.material);
  }

  get context(): ServerContext {
    return this.#context;
  }

  /** `renew` is called with what counts from then on, after every change. */
  onRenewed(renew: (context: ServerContext) => void): void {
    this.#renewed.add(renew);
  }

  start(): void {
    this.#following.start();
  }

  async stop(): Promise<void> {
    await this.#following.stop();
  }

  async #follow(signal: AbortSignal, isStarted: () => void): Promise<void> {
    isStarted();
    while (!signal.aborted) {
      await pause(LOOK_EVERY_MS, signal);
      if (!signal.aborted) this.#see(await readTlsFiles(this.#options.files));
    }
  }

  /** Certificate and key are two files, replaced one after the other: a pair that is half new is not taken. */
  #see(reading: TlsReading): void {
    if (!this.#settled.see(reading.digest)) return;
    this.#reloads.inc({ outcome: reading.fault === undefined ? "loaded" : "faulty" });
    const { log } = this.#options;
    if (reading.fault !== undefined) {
      log.error(
        { fault: reading.fault },
        "the TLS certificate's files cannot be used: it stays as it was before",
      );
      return;
    }
    this.#context = contextOf(reading.material);
    for (const renew of this.#renewed) renew(this.#context);
    log.info(factsOf(this.#options, reading.validTo), "the TLS certificate was loaded again");
  }
}

function contextOf(material: TlsMaterial): ServerContext {
  return { ...material, minVersion: "TLSv1.2" };
}

function factsOf({ files }: CertificateOptions, validTo: Date | undefined): object {
  return { path: files.pair.cert.path, validTo: validTo?.toISOString() };
}
