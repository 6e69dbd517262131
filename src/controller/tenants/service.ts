/** The operations on tenants that the transports call: usage and limits, revocations, the audit log, media. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  GetTenantResponseSchema,
  type TenantLimitsSchema,
  WhoAmIResponseSchema,
} from "../../gen/proto/svc/v1/tenant_pb.ts";
import { DEFAULT_MODEL, type DefaultModelsOf } from "../../jobs/default-models.ts";
import type { FindingsPolicyOf } from "../../jobs/findings-policy.ts";
import type { Limits, LimitsOf } from "../../jobs/limits.ts";
import { findingsPolicyMessage } from "../../messages/findings.ts";
import type { TenantOperations } from "../api/operations.ts";
import type { Uploads } from "../uploads/uploads.ts";
import { listMedia, type MediaListOptions } from "../videos/media-list.ts";
import { listAudit } from "./audit.ts";
import { type RevocationOptions, revocationOperations } from "./revocations.ts";

export interface TenantServiceOptions extends RevocationOptions, MediaListOptions {
  readonly limitsOf: LimitsOf;
  readonly defaultModelsOf: DefaultModelsOf;
  readonly findingsOf: FindingsPolicyOf;
  /** undefined: this controller takes no uploads. */
  readonly uploads: Uploads | undefined;
}

export function tenantOperations(options: TenantServiceOptions): TenantOperations {
  const { store, limitsOf, defaultModelsOf, findingsOf, uploads } = options;
  return {
    async getTenant(_, { principal: { tenant: id } }) {
      const usage = await store.usage(id);
      const limits = limitsMessage(limitsOf(id));
      const models = defaultModelsOf(id);
      const defaultModels = models.length > 0 ? [...models] : [DEFAULT_MODEL];
      const policy = findingsOf(id);
      const findings = policy && findingsPolicyMessage(policy);
      const allowance = uploads?.takes(id) ? await uploads.allowance(id) : undefined;
      return create(GetTenantResponseSchema, {
        tenant: {
          ...{ id, usage, limits, defaultModels },
          ...(findings && { findings }),
          ...(allowance && { uploads: allowance }),
        },
      });
    },
    async whoAmI(_, { principal: { tenant, subject, roles } }) {
      return create(WhoAmIResponseSchema, { tenant, subject, roles: [...roles] });
    },
    ...revocationOperations(options),
    listAudit: (request, { principal }) => listAudit(store, principal.tenant, request),
    listMedia: (request, { principal, signal }) => listMedia(options, principal.tenant, request, signal),
  };
}

/** Limits without a bound are left out. */
function limitsMessage({ weight, ...most }: Limits): MessageInitShape<typeof TenantLimitsSchema> {
  const limited = Object.entries(most).filter(([, value]) => Number.isFinite(value));
  return { weight, ...Object.fromEntries(limited) };
}
