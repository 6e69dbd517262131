/** The operations on tenants that the transports call. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type GetTenantRequest,
  type GetTenantResponse,
  GetTenantResponseSchema,
  type TenantLimitsSchema,
  type WhoAmIRequest,
  type WhoAmIResponse,
  WhoAmIResponseSchema,
} from "../../gen/proto/svc/v1/tenant_pb.ts";
import type { Limits, LimitsOf } from "../../jobs/limits.ts";
import type { Log } from "../../platform/observability/log.ts";
import type { JobStore } from "../../store/contract/job-store.ts";
import { answer } from "../api/call.ts";
import type { CallContext, TenantOperations } from "../api/operations.ts";

export interface TenantServiceOptions {
  readonly store: JobStore;
  readonly log: Log;
  readonly limitsOf: LimitsOf;
}

export class TenantService implements TenantOperations {
  readonly #options: TenantServiceOptions;

  constructor(options: TenantServiceOptions) {
    this.#options = options;
  }

  getTenant(_: GetTenantRequest, context: CallContext): Promise<GetTenantResponse> {
    const { log, store, limitsOf } = this.#options;
    return answer(log, context, async () => {
      const { tenant: id } = context.principal;
      const usage = await store.usage(id);
      return create(GetTenantResponseSchema, { tenant: { id, usage, limits: limitsMessage(limitsOf(id)) } });
    });
  }

  whoAmI(_: WhoAmIRequest, context: CallContext): Promise<WhoAmIResponse> {
    return answer(this.#options.log, context, async () => {
      const { tenant, subject, roles } = context.principal;
      return create(WhoAmIResponseSchema, { tenant, subject, roles: [...roles] });
    });
  }
}

/** Limits without a bound are left out. */
function limitsMessage({ weight, ...most }: Limits): MessageInitShape<typeof TenantLimitsSchema> {
  const limited = Object.entries(most).filter(([, value]) => Number.isFinite(value));
  return { weight, ...Object.fromEntries(limited) };
}
