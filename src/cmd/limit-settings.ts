/** What tenants may have and do at a time, where the registry says nothing else of them. */
import { LIMIT_RULES, type Limits } from "../jobs/limits.ts";
import { HELP_GROUPS } from "../platform/help-page.ts";
import { inGroup, integer, integerOrNone, type SettingValues } from "../platform/setting.ts";

function rangeOf(name: keyof Limits): string {
  const { min, max, canBeNone } = LIMIT_RULES[name];
  return `${min} to ${max}${canBeNone ? ", or none" : ""}`;
}

export const LIMIT_SETTINGS = inGroup(HELP_GROUPS.limits, {
  tenantJobsQueued: integerOrNone({
    flags: "--tenant-jobs-queued <jobs>",
    help: `jobs that a tenant may have in state QUEUED, ${rangeOf("jobsQueued")}`,
    ...LIMIT_RULES.jobsQueued,
  }),
  tenantSegmentsRunning: integerOrNone({
    flags: "--tenant-segments-running <pieces>",
    help: `pieces of work that a tenant may have on nodes at a time, the others wait, ${rangeOf("segmentsRunning")}`,
    ...LIMIT_RULES.segmentsRunning,
  }),
  tenantSubmitsPerSecond: integerOrNone({
    flags: "--tenant-submits-per-second <jobs>",
    help: `jobs that a tenant may submit to this controller in a second, on average, ${rangeOf("submitsPerSecond")}`,
    ...LIMIT_RULES.submitsPerSecond,
  }),
  tenantWeight: integer({
    flags: "--tenant-weight <number>",
    help: `share of the nodes that a tenant has beside others that have work: twice the weight is twice the share, ${rangeOf("weight")}`,
    ...LIMIT_RULES.weight,
  }),
} as const);

export function defaultLimits(settings: SettingValues<typeof LIMIT_SETTINGS>): Limits {
  return {
    jobsQueued: settings.tenantJobsQueued,
    segmentsRunning: settings.tenantSegmentsRunning,
    submitsPerSecond: settings.tenantSubmitsPerSecond,
    weight: settings.tenantWeight,
  };
}
