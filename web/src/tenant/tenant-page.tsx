/** The tenant's limits and usage; for administrators also revoked tokens and the audit log. */
import { useQuery } from "@tanstack/react-query";
import { sizeText } from "../../../src/jobs/quantities.ts";
import { bodyOf, type Schemas } from "../api/client.ts";
import { hasRole, useSession } from "../session/session.ts";
import { Failed, Loading } from "../ui/states.tsx";
import { AuditTable } from "./audit-table.tsx";
import { Revocations } from "./revocations.tsx";
import "../style/tenant.css";

/** Polling interval in milliseconds. */
const LOOK_EVERY_MS = 2_000;

type Tenant = Schemas["Tenant"];

export function TenantPage() {
  const { api, caller } = useSession();
  const tenant = useQuery({
    queryKey: ["tenant"],
    queryFn: () => bodyOf(api.GET("/v1/tenant")),
    refetchInterval: LOOK_EVERY_MS,
  });
  if (tenant.isPending) return <Loading what="the tenant" />;
  if (tenant.data === undefined)
    return <Failed heading="h1" error={tenant.error} retry={() => void tenant.refetch()} />;
  return (
    <>
      <h1>
        Tenant <bdi>{tenant.data.id}</bdi>
      </h1>
      <Use tenant={tenant.data} />
      {hasRole(caller, "svc:admin") && (
        <>
          <Revocations />
          <AuditTable />
        </>
      )}
    </>
  );
}

function Use({ tenant: { usage, limits, defaultModels, findings, uploads } }: { readonly tenant: Tenant }) {
  return (
    <section className="card" aria-labelledby="use">
      <h2 id="use">Limits and usage</h2>
      <dl className="use">
        <Bounded name="Jobs queued" value={usage.jobsQueued} limit={limits.jobsQueued} />
        <Bounded name="Jobs running" value={usage.jobsRunning} limit={undefined} />
        <Bounded name="Segments in progress" value={usage.segmentsRunning} limit={limits.segmentsRunning} />
        <Fact
          name="Submission limit"
          value={
            limits.submitsPerSecond === undefined
              ? "none"
              : `${limits.submitsPerSecond.toLocaleString()} jobs/s`
          }
        />
        <Fact name="Scheduling weight" value={limits.weight.toLocaleString()} />
        <Fact name="Default models" value={defaultModels.join(", ")} />
        <Fact name="Mismatched pairs" value={policyText(findings)} />
        {uploads !== undefined && (
          <>
            <Bounded name="Uploads" value={uploads.count} limit={uploads.maxCount} />
            <Fact
              name="Size of uploads"
              value={`${sizeText(uploads.bytes)} of ${sizeText(uploads.maxBytes)}`}
            />
          </>
        )}
      </dl>
    </section>
  );
}

/** "refuse · ignore BARS, CROPPED": the default policy on findings of jobs that name none. */
function policyText({ action = "REFUSE", codes = {} }: NonNullable<Tenant["findings"]> = {}): string {
  const exceptions = [...new Set(Object.values(codes))].map((other) => {
    const named = Object.entries(codes).filter(([, chosen]) => chosen === other);
    return `${other.toLowerCase()} ${named.map(([code]) => code).join(", ")}`;
  });
  return [action.toLowerCase(), ...exceptions].join(" · ");
}

interface BoundedProps {
  readonly name: string;
  readonly value: number;
  /** undefined if there is no limit. */
  readonly limit: number | undefined;
}

function Bounded({ name, value, limit }: BoundedProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong>{value.toLocaleString()}</strong>
        {limit !== undefined && (
          <>
            {" "}
            of {limit.toLocaleString()}
            <meter min={0} max={limit} high={0.8 * limit} value={Math.min(value, limit)} aria-label={name} />
          </>
        )}
      </dd>
    </div>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
