/** Tokens of the tenant that are refused although they have not expired. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { bodyOf, type Schemas } from "../api/client.ts";
import { useSession } from "../session/session.ts";
import { Age } from "../ui/age.tsx";
import { formatInstant } from "../ui/moments.ts";
import { ScrollArea } from "../ui/scrolls.tsx";
import { Failed, Loading } from "../ui/states.tsx";
import { Who } from "./who.tsx";

type Revocation = Schemas["Revocation"];

export function Revocations() {
  const { api } = useSession();
  const queries = useQueryClient();
  const revocations = useQuery({
    queryKey: ["revocations"],
    queryFn: () => bodyOf(api.GET("/v1/tenant/revocations")),
  });
  const lift = useMutation({
    mutationFn: (id: string) =>
      bodyOf(api.POST("/v1/tenant/revocations/{id}:lift", { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["revocations"] }),
  });
  return (
    <section className="card" aria-labelledby="revocations">
      <h2 id="revocations">Revoked tokens</h2>
      {revocations.isPending && <Loading what="revoked tokens" />}
      {revocations.isError && <Failed error={revocations.error} retry={() => void revocations.refetch()} />}
      {lift.isError && (
        <p role="alert" className="failed">
          {lift.error.message}
        </p>
      )}
      {revocations.data !== undefined && <List page={revocations.data} lift={(id) => lift.mutate(id)} />}
      <p className="quiet">
        Revoke with <code>svc tenants revoke --subject SUBJECT</code>, <code>--token-id ID</code> or{" "}
        <code>--issued-before now</code>.
      </p>
    </section>
  );
}

interface ListProps {
  readonly page: Schemas["RevocationPage"];
  readonly lift: (id: string) => void;
}

function List({ page: { revocations, nextPageToken }, lift }: ListProps) {
  if (revocations.length === 0) return <p>No revoked tokens.</p>;
  return (
    <ScrollArea label="Revoked tokens">
      <table>
        <thead>
          <tr>
            <th scope="col">Revoked</th>
            <th scope="col">Reason</th>
            <th scope="col">By</th>
            <th scope="col">Age</th>
            <th scope="col">
              <span className="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {revocations.map((revocation) => (
            <tr key={revocation.id}>
              <td>
                <bdi>{whatOf(revocation)}</bdi>
              </td>
              <td>
                <bdi>{revocation.reason}</bdi>
              </td>
              <td>
                <Who subject={revocation.revokedBy} />
              </td>
              <td>
                <Age time={revocation.createTime} />
              </td>
              <td>
                <button
                  type="button"
                  onClick={() => lift(revocation.id)}
                  aria-label={`Unrevoke ${whatOf(revocation)}`}
                >
                  Unrevoke
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {nextPageToken !== "" && (
        <p className="quiet">
          List all: <code>svc tenants revocations</code>
        </p>
      )}
    </ScrollArea>
  );
}

function whatOf({ tokenId, subject, issuedBefore }: Revocation): string {
  if (tokenId !== undefined) return `token ${tokenId}`;
  if (subject !== undefined) return `subject ${subject}`;
  return `all issued before ${issuedBefore === undefined ? "an unknown time" : formatInstant(issuedBefore)}`;
}
