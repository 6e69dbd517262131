/** The operations on tenants that the transports call: usage and limits, revocations, the audit log. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  GetTenantResponseSchema,
  type TenantLimitsSchema,
  WhoAmIResponseSchema,
} from "../../gen/proto/svc/v1/tenant_pb.ts";
import type { Limits, LimitsOf } from "../../jobs/limits.ts";
import type { TenantOperations } from "../api/operations.ts";
import { listAudit } from "./audit.ts";
import { type RevocationOptions, revocationOperations } from "./revocations.ts";

export interface TenantServiceOptions extends RevocationOptions {
  readonly limitsOf: LimitsOf;
}

export function tenantOperations(options: TenantServiceOptions): TenantOperations {
  const { store, limitsOf } = options;
  return {
    async getTenant(_, { principal: { tenant: id } }) {
      const usage = await store.usage(id);
      return create(GetTenantResponseSchema, { tenant: { id, usage, limits: limitsMessage(limitsOf(id)) } });
    },
    async whoAmI(_, { principal: { tenant, subject, roles } }) {
      return create(WhoAmIResponseSchema, { tenant, subject, roles: [...roles] });
    },
    ...revocationOperations(options),
    listAudit: (request, { principal }) => listAudit(store, principal.tenant, request),
  };
}

/** Limits without a bound are left out. */
function limitsMessage({ weight, ...most }: Limits): MessageInitShape<typeof TenantLimitsSchema> {
  const limited = Object.entries(most).filter(([, value]) => Number.isFinite(value));
  return { weight, ...Object.fromEntries(limited) };
}
