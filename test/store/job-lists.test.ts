/** Job lists by state, label and time in each order: compared with a plain filter and sort, and checked for index use. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, test } from "node:test";
import fc from "fast-check";
import { JOB_STATES, type JobState, TERMINAL_STATES } from "../../src/jobs/states.ts";
import { statement } from "../../src/store/connection/statement.ts";
import type { JobCursor, JobFilter, JobSort } from "../../src/store/contract/job-records.ts";
import { countOf, pageOf } from "../../src/store/selection/job-lists.ts";
import { newTenant, onBothDatabases } from "./stores.ts";

const SORTS: readonly JobSort[] = ["NEWEST", "OLDEST", "LAST_ENDED", "FIRST_ENDED"];
const START_MS = Date.UTC(2026, 0, 1);
const JOBS = 60;

interface Made {
  readonly id: string;
  readonly state: JobState;
  readonly labels: Readonly<Record<string, string>>;
  readonly createdMs: number;
  readonly endedMs: number | undefined;
}

/** Several jobs have the same time, so that ids decide their order. */
const MADE: readonly Made[] = Array.from({ length: JOBS }, (_, n) => {
  const state = JOB_STATES[n % JOB_STATES.length] ?? "QUEUED";
  const createdMs = START_MS + Math.floor(n / 3) * 1_000;
  return {
    id: randomUUID(),
    state,
    labels: { third: String(n % 3), all: "yes" },
    createdMs,
    endedMs: TERMINAL_STATES.includes(state) ? createdMs + ((n * 7) % 11) * 1_000 : undefined,
  };
});

const INSERT = statement(`
  insert into job (id, tenant_id, spec, fingerprint, name, labels, priority, submitted_by, state, created_at, ended_at)
  select id, $2, '{}', '', '', labels, 0, '', state, timestamptz 'epoch' + "createdMs" * interval '1 ms',
    timestamptz 'epoch' + "endedMs" * interval '1 ms'
  from jsonb_to_recordset($1) as g(id uuid, labels jsonb, state text, "createdMs" float8, "endedMs" float8)`);

/** Expected job ids of a list, in order. */
function expected(filter: JobFilter, sort: JobSort): string[] {
  const { ids, states, labels = {}, sinceMs = 0, untilMs = Infinity } = filter;
  const { endedSinceMs = 0, endedUntilMs = Infinity } = filter;
  const byEnd = sort.endsWith("ENDED");
  const asksEnd = filter.endedSinceMs !== undefined || filter.endedUntilMs !== undefined;
  const timeOf = ({ createdMs, endedMs }: Made) => (byEnd ? (endedMs ?? 0) : createdMs);
  const turn = sort === "NEWEST" || sort === "LAST_ENDED" ? -1 : 1;
  return MADE.filter(({ id, state, labels: own, createdMs, endedMs }) => {
    if (ids && !ids.includes(id)) return false;
    if (states && !states.includes(state)) return false;
    if (Object.entries(labels).some(([key, value]) => own[key] !== value)) return false;
    if (createdMs < sinceMs || createdMs >= untilMs) return false;
    if ((byEnd || asksEnd) && endedMs === undefined) return false;
    return endedMs === undefined || (endedMs >= endedSinceMs && endedMs < endedUntilMs);
  })
    .toSorted((a, b) => turn * (timeOf(a) - timeOf(b) || (a.id < b.id ? -1 : 1)))
    .map(({ id }) => id);
}

const time = fc.integer({ min: -2, max: 32 }).map((seconds) => START_MS + seconds * 1_000);
const filters = fc.record(
  {
    ids: fc.uniqueArray(fc.constantFrom(...MADE.map(({ id }) => id), randomUUID(), "no id"), {
      maxLength: 8,
    }),
    states: fc.array(fc.constantFrom(...JOB_STATES), { minLength: 1, maxLength: 4 }),
    labels: fc.constantFrom({}, { third: "1" }, { third: "1", all: "yes" }, { third: "9" }),
    ...{ sinceMs: time, untilMs: time, endedSinceMs: time, endedUntilMs: time },
  },
  { requiredKeys: [] },
);

onBothDatabases((open) => {
  const tenant = newTenant();
  before(async () => {
    for (const owner of [tenant, newTenant()]) {
      const own = owner === tenant ? MADE : MADE.map((job) => ({ ...job, id: randomUUID() }));
      await open().database.query("fleet", INSERT, [JSON.stringify(own), owner]);
    }
  });

  const listed = async (filter: JobFilter, sort: JobSort, limit: number) => {
    const ids: string[] = [];
    let after: JobCursor | undefined;
    for (;;) {
      const page = await open().store.listJobs(tenant, filter, after, limit, sort);
      assert.ok(page.length <= limit);
      ids.push(...page.map(({ id }) => id));
      after = page.at(-1);
      if (after === undefined) return ids;
    }
  };

  test("lists the jobs of any filter in any order in pages, each once, and counts them", async () => {
    await fc.assert(
      fc.asyncProperty(
        filters,
        fc.constantFrom(...SORTS),
        fc.integer({ min: 1, max: 25 }),
        async (filter, sort, limit) => {
          assert.deepEqual(await listed(filter, sort, limit), expected(filter, sort));
          assert.equal(await open().store.countJobs(tenant, filter), expected(filter, "NEWEST").length);
        },
      ),
      { numRuns: 150 },
    );
  });

  const planOf = async ({ text, values }: ReturnType<typeof pageOf>) => {
    const explain = statement(`explain ${text}`);
    const rows = await open().database.query<{ "QUERY PLAN": string }>({ tenant }, explain, values);
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  };

  test("every list scans a bounded range of an index in its order", async () => {
    const after = { atMicros: START_MS * 1_000, id: randomUUID() };
    const range = { sinceMs: START_MS, untilMs: START_MS + 1, endedSinceMs: 1, endedUntilMs: START_MS };
    for (const sort of SORTS) {
      for (const states of [undefined, ["QUEUED", "FAILED"] as const]) {
        const filter = { ...range, ...(states && { states }), labels: { a: "b" } };
        const plan = await planOf(pageOf(tenant, filter, { sort, after, limit: 50 }));
        const byEnd = sort.endsWith("ENDED");
        const index = byEnd ? "job_state_ended" : states ? "job_state" : "job_newest";
        const backward = sort === "OLDEST" || sort === "FIRST_ENDED" ? " Backward" : "";
        const scan = new RegExp(`Index Scan${backward} using ${index} on job .*\\n *Index Cond: (.*)`);
        const found = scan.exec(plan)?.[1] ?? "";
        const column = byEnd ? "ended_at" : "created_at";
        assert.match(found, /tenant_id = /, `${sort} ${String(states)}\n${plan}`);
        assert.match(found, new RegExp(`${column} >= .*${column} < `), plan);
        assert.match(found, new RegExp(`ROW\\(${column}, id\\) [<>] ROW`), plan);
        assert.equal(/state = wanted\.state/.test(found), byEnd || states !== undefined, plan);
      }
    }
  });

  test("finds given ids by the primary key, and counts states by their index", async () => {
    const named = { ids: [randomUUID()], states: ["QUEUED"] as const };
    const page = await planOf(pageOf(tenant, named, { sort: "NEWEST", after: undefined, limit: 50 }));
    assert.match(page, /Index Scan using job_pkey on job/);
    const count = await planOf(countOf(tenant, { states: ["QUEUED", "RUNNING"] }));
    assert.match(count, /Index Only Scan using job_state on job/);
  });
});
