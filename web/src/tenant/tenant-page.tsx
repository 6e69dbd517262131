/** The caller's tenant: what it uses of what it may, and for administrators who was refused and what was done. */
import { useQuery } from "@tanstack/react-query";
import { bodyOf, type Schemas } from "../api/client.ts";
import { mayAs, useSession } from "../session/session.ts";
import { Failed, Loading } from "../ui/states.tsx";
import { AuditTable } from "./audit-table.tsx";
import { Revocations } from "./revocations.tsx";
import "../style/tenant.css";

/** Milliseconds between two looks. */
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
      {mayAs(caller, "svc:admin") && (
        <>
          <Revocations />
          <AuditTable />
        </>
      )}
    </>
  );
}

function Use({ tenant: { usage, limits } }: { readonly tenant: Tenant }) {
  return (
    <section className="card" aria-labelledby="use">
      <h2 id="use">Limits and use</h2>
      <dl className="use">
        <Bounded name="Jobs queued" value={usage.jobsQueued} limit={limits.jobsQueued} />
        <Bounded name="Jobs running" value={usage.jobsRunning} limit={undefined} />
        <Bounded name="Pieces of work running" value={usage.segmentsRunning} limit={limits.segmentsRunning} />
        <Fact
          name="Jobs submitted"
          value={
            limits.submitsPerSecond === undefined
              ? "no limit"
              : `at most ${limits.submitsPerSecond.toLocaleString()} a second`
          }
        />
        <Fact
          name="Share of the nodes"
          value={`${limits.weight} ${limits.weight === 1 ? "part" : "parts"}, beside what other tenants have`}
        />
      </dl>
    </section>
  );
}

interface BoundedProps {
  readonly name: string;
  readonly value: number;
  /** undefined: there is none. */
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
