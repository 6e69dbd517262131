/** Row-level security: what each role can access if a statement omits the tenant. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, test } from "node:test";
import { type Scope, statement } from "../../src/store/connection/statement.ts";
import { fence, newJob, onBothDatabases, plannedJob, register, segmentRecord, take } from "./stores.ts";

const TABLES = [
  ...["job", "work", "piece", "still", "event", "revocation", "audit"],
  ...["comparison", "comparison_cell", "upload", "upload_part", "result_object"],
];

const PAIR = { reference: "/r", distorted: "/d", ladder: "", clip: "" };
const COMPARISON = () => ({
  ...{ id: randomUUID(), name: "", anchor: "", groupBy: [], settings: "{}", fingerprint: "" },
  ...{ idempotencyKey: undefined, submittedBy: "" },
});

function auditRecord(tenant: string) {
  return {
    ...{
      id: randomUUID(),
      timeMs: Date.now(),
      requestId: "r",
      transport: "grpc" as const,
      tenant,
      subject: "s",
    },
    ...{ operation: "o", targets: [], outcome: "ROLE_MISSING", peer: "", durationMs: 1, count: 1 },
  };
}

onBothDatabases((open) => {
  before(async () => {
    const { database, store } = open();
    for (const tenant of ["a", "b"]) {
      const node = await register(store, tenant);
      await plannedJob(store, node, 2);
      await store.recordSegment(fence(node, await take(store, node)), segmentRecord());
      await database.query(
        "fleet",
        statement(`insert into still (job_id, tenant_id, frame, side, media_type, width, height, image)
            select id, tenant_id, 1, 'REFERENCE', 'image/webp', 1, 1, '' from job where tenant_id = $1`),
        [tenant],
      );
      await store.comparisons.insert(tenant, COMPARISON(), [{ pair: PAIR, job: newJob() }]);
      const object = { id: randomUUID(), tenant, key: "", bytes: 1, digests: new Uint8Array() };
      await store.results.reserve(object);
      const upload = { id: randomUUID(), name: "", size: 1, fingerprint: "", bucket: "", key: "" };
      await store.uploads.insert(tenant, { ...upload, multipartId: "", partSize: 1 });
      await store.uploads.setDigests(tenant, upload.id, [{ number: 1, sha256: "" }]);
      await store.insertAudit([auditRecord(tenant)]);
      const revocation = {
        kind: "SUBJECT",
        value: "x",
        issuedBefore: undefined,
        expiresAt: undefined,
      } as const;
      const by = { id: randomUUID(), reason: "", revokedBy: "" };
      await store.revocations.revoke(tenant, { ...revocation, ...by }, 1);
    }
  });

  const run = async (scope: Scope, sql: string) =>
    open().database.query<{ [column: string]: unknown }>(scope, statement(sql), []);
  const count = async (scope: Scope, table: string) => {
    const [row] = await run(scope, `select count(*) as count from ${table}`);
    return row?.["count"];
  };
  const refused = async (scope: Scope, sql: string, state: string) =>
    assert.rejects(run(scope, sql), (thrown) => {
      const cause = thrown instanceof Error ? (thrown.cause as { code?: string }) : {};
      assert.equal(cause.code, state, sql);
      return true;
    });

  test("a statement without a tenant condition sees only the tenant's own rows", async () => {
    for (const table of TABLES) {
      const [all, a, b] = [
        await count("fleet", table),
        await count({ tenant: "a" }, table),
        await count({ tenant: "b" }, table),
      ];
      assert.ok(Number(a) > 0, table);
      assert.equal(Number(a) + Number(b), all, table);
      assert.equal(await count({ tenant: "c" }, table), 0);
      assert.equal(await count({ tenant: "" }, table), 0);
    }
    const tenants = await run({ tenant: "a" }, "select distinct tenant_id from work");
    assert.deepEqual(tenants, [{ tenant_id: "a" }]);
  });

  test("a role without a tenant sees nothing", async () => {
    await open().database.transaction({ tenant: "a" }, async (sender) => {
      await sender.query(statement("reset svc.tenant"), []);
      for (const table of TABLES) {
        const [row] = await sender.query<{ count: number }>(
          statement(`select count(*) as count from ${table}`),
          [],
        );
        assert.equal(row?.count, 0);
      }
      await sender.query(statement("select set_config('svc.tenant', 'a', false)"), []);
    });
  });

  test("a tenant cannot update, delete or insert rows of another tenant", async () => {
    const before = await run("fleet", "select * from job order by seq");
    await run({ tenant: "a" }, "update job set name = 'mine' where tenant_id = 'b'");
    await run({ tenant: "a" }, "update work set state = 'CANCELLED' where tenant_id = 'b'");
    await run(
      { tenant: "a" },
      "delete from piece where work_id in (select id from work where tenant_id = 'b')",
    );
    const [works, stills] = [await count("fleet", "work"), await count("fleet", "still")];
    await run({ tenant: "a" }, "delete from work where tenant_id = 'b'");
    await run({ tenant: "a" }, "delete from still where tenant_id = 'b'");
    assert.deepEqual([await count("fleet", "work"), await count("fleet", "still")], [works, stills]);
    assert.ok(Number(await count({ tenant: "b" }, "still")) > 0, "there were rows to delete");
    assert.deepEqual(await run("fleet", "select * from job order by seq"), before);
    assert.equal(await count("fleet", "work where state = 'CANCELLED'"), 0);
    await run({ tenant: "a" }, "delete from job where tenant_id = 'b'");
    assert.deepEqual(await run("fleet", "select * from job order by seq"), before);
    assert.equal(await count("fleet", "piece"), 2);
    await run({ tenant: "a" }, "update revocation set lifted_at = now() where tenant_id = 'b'");
    assert.equal(await count("fleet", "revocation where lifted_at is null"), 2);
    await refused({ tenant: "a" }, "update revocation set tenant_id = 'b'", "42501");
    await refused({ tenant: "a" }, "delete from revocation", "42501");
    await refused({ tenant: "a" }, "update revocation_revision set forgotten = 9", "42501");
    await refused({ tenant: "a" }, "update job set tenant_id = 'b'", "42501");
    for (const table of ["comparison", "comparison_cell"])
      await refused({ tenant: "a" }, `update ${table} set tenant_id = 'b'`, "42501");
    await refused({ tenant: "a" }, "delete from comparison_cell", "42501");
    await run({ tenant: "a" }, "delete from comparison where tenant_id = 'b'");
    assert.ok(Number(await count({ tenant: "b" }, "comparison")) > 0, "it is still there");
    await run({ tenant: "a" }, "update comparison set name = 'mine' where tenant_id = 'b'");
    assert.equal(await count("fleet", "comparison where name = 'mine'"), 0);
    await refused({ tenant: "a" }, "delete from event", "42501");
    await refused({ tenant: "a" }, "update event set revision = 2", "42501");
    await refused({ tenant: "a" }, "update still set width = 2", "42501");
    await refused(
      { tenant: "a" },
      "insert into event (pos, kind, job_id, tenant_id, state, frames_done, segments_total, segments_done, retries, revision) values ('1', 'CHANGE', gen_random_uuid(), 'b', 'QUEUED', 0, 0, 0, 0, 1)",
      "42501",
    );
    await refused(
      { tenant: "a" },
      "insert into job select gen_random_uuid(), seq + 1000, 'b', spec, fingerprint, name, labels, priority, submitted_by, null, state, created_at from job limit 1",
      "42501",
    );
  });

  test("the audit log can be read only by its tenant, and changed by no role", async () => {
    for (const change of [
      "delete from audit",
      "update audit set outcome = 'OK'",
      "insert into audit select * from audit",
    ])
      await refused({ tenant: "a" }, change, "42501");
    await refused("fleet", "update audit set outcome = 'OK'", "42501");
    assert.equal(await count("fleet", "audit where outcome = 'ROLE_MISSING'"), 2);
  });

  test("the tenant role can access no other table, and neither role can change the policies", async () => {
    for (const table of ["node", "installation", "migration"]) {
      await refused({ tenant: "a" }, `select * from ${table}`, "42501");
    }
    // The resume position of its events, and no other column of installation.
    await run({ tenant: "a" }, "select epoch, deleted_pos, deleted_id from installation");
    for (const column of ["server", "event_key"])
      await refused({ tenant: "a" }, `select ${column} from installation`, "42501");
    await refused({ tenant: "a" }, "update installation set deleted_id = 9", "42501");
    await refused("fleet", "select * from migration", "42501");
    for (const scope of [{ tenant: "a" }, "fleet"] as const) {
      await refused(scope, "alter table job disable row level security", "42501");
      await refused(scope, "drop policy tenant on job", "42501");
      await refused(scope, "truncate job cascade", "42501");
      await refused(scope, "create table own (a int)", "42501");
      const [role] = await run(
        scope,
        "select rolsuper, rolbypassrls, rolcanlogin from pg_roles where rolname = current_user",
      );
      assert.deepEqual(role, { rolsuper: false, rolbypassrls: false, rolcanlogin: false });
    }
  });

  test("a connection that served one tenant gives the next no access to it", async () => {
    const counts = await Promise.all(
      Array.from({ length: 60 }, async (_, n) =>
        count({ tenant: ["a", "b", "c"][n % 3] ?? "" }, "job where state = 'QUEUED'"),
      ),
    );
    assert.deepEqual(
      counts,
      Array.from({ length: 60 }, (_, n) => (n % 3 === 2 ? 0 : 1)),
    );
  });
});
