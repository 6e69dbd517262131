/** Opens the store, and the controller on it. */
import type { Registry } from "prom-client";
import { type Controller, type FollowedTokens, openController } from "../../controller/controller.ts";
import type { MediaPolicy } from "../../controller/requests/media-policy.ts";
import { RevocationFeed } from "../../controller/tenants/revocation-feed.ts";
import type { UploadSettings } from "../../controller/uploads/uploads.ts";
import type { ReadHeader } from "../../engine/header.ts";
import type { DefaultModelsOf } from "../../jobs/default-models.ts";
import type { FindingsPolicyOf } from "../../jobs/findings-policy.ts";
import type { LimitsOf } from "../../jobs/limits.ts";
import type { ResultsSettings, StoragesOf } from "../../jobs/media/storages.ts";
import type { ReadSecret } from "../../media/storages/credentials.ts";
import type { Log } from "../../platform/observability/log.ts";
import type { Tracer } from "../../platform/observability/span.ts";
import type { Store } from "../../store/contract/store.ts";
import type { TokenRules } from "./authentication.ts";
import type { ControlSettings } from "./settings.ts";

const DAY_MS = 86_400_000;

export interface OpenOptions {
  readonly settings: Omit<ControlSettings, "metricsPort">;
  /** The checks of tokens; undefined while authentication is disabled. */
  readonly tokens: TokenRules | undefined;
  /** Tenant whose nodes serve all tenants; undefined: none. */
  readonly fleetTenant: string | undefined;
  /** Decides which files jobs may use. */
  readonly media: MediaPolicy;
  /** Reads the headers of files that are listed; undefined: none are read. */
  readonly readHeader: ReadHeader | undefined;
  /** The limits of each tenant. */
  readonly limitsOf: LimitsOf;
  /** The models of each tenant's jobs that name none. */
  readonly defaultModelsOf: DefaultModelsOf;
  readonly findingsOf: FindingsPolicyOf;
  /** undefined: no uploads are taken. */
  readonly uploads: UploadSettings | undefined;
  /** The storages of each tenant. */
  readonly storagesOf: StoragesOf;
  /** Where results are kept; undefined: in the database. */
  readonly results: ResultsSettings | undefined;
  /** Reads Secrets with credentials of storages; undefined: there are none. */
  readonly readSecret?: ReadSecret | undefined;
  readonly openStore: () => Promise<Store>;
  /** Its owner closes it. */
  readonly tracer: Tracer;
  readonly registry: Registry;
  readonly log: Log;
}

export interface Opened {
  readonly store: Store;
  readonly controller: Controller;
}

/** Reads the revocations before the controller is ready: until then it would refuse every token. */
async function followRevocations(
  { revocations: list, clockSkewMs }: TokenRules,
  store: Store,
  log: Log,
): Promise<FollowedTokens> {
  const revocations = new RevocationFeed({ store, list, log });
  try {
    await revocations.refresh();
    return { revocations, clockSkewMs };
  } catch (thrown) {
    await store.close();
    throw thrown;
  }
}

export async function openWith(options: OpenOptions): Promise<Opened> {
  const { settings, fleetTenant, media, limitsOf, defaultModelsOf, findingsOf, storagesOf } = options;
  const { tokens, tracer, openStore, registry, log } = options;
  const store = await openStore();
  const controller = openController({
    store,
    tokens: tokens && (await followRevocations(tokens, store, log)),
    tracer,
    log,
    registry,
    settings: {
      leaseMs: settings.lease * 1000,
      segmentSeconds: settings.segmentSeconds,
      worstStills: settings.worstStills,
      retentionMs: settings.retention * DAY_MS,
      auditRetentionMs: settings.auditRetention * DAY_MS,
      media,
      limitsOf,
      defaultModelsOf,
      findingsOf,
      uploads: options.uploads,
      storagesOf,
      results: options.results,
      readHeader: options.readHeader,
      readSecret: options.readSecret,
      fleetTenant,
    },
  });
  controller.start();
  if (options.results === undefined) await warnOfObjects(store, log);
  return { store, controller };
}

/** Warns if the database refers to results that this controller cannot read. */
async function warnOfObjects(store: Store, log: Log): Promise<void> {
  const counts = await store.results.count(1, 0).catch((err: unknown) => {
    log.warn({ err }, "failed to look for results in a results storage");
  });
  if (counts !== undefined && counts.storage > 0)
    log.warn(
      "stills, clips or per-frame scores are in a results storage, and cannot be read without --results-storage",
    );
}
