/** What is done about findings of jobs that do not say it; the registry can set another policy for a tenant. */
import { type FindingsPolicy, joinPolicies, POLICY_RULE, parsePolicy } from "../../jobs/findings-policy.ts";
import type { Setting } from "../../platform/config/setting.ts";

export const FINDINGS_SETTING: Setting<FindingsPolicy | undefined> = {
  flags: "--findings <policy>",
  help: "what is done if the videos of a job that does not say it do not match: refuse, warn or ignore; for some findings only: ignore:BARS,CROPPED; can be repeated, a later one applies; separated by ':' in the variable",
  shownDefault: "refuse",
  fallback: undefined,
  // An action also follows the separator; codes do not.
  separator: /:(?=(?:refuse|warn|ignore)(?::|$))/i,
  parse(text) {
    const policy = parsePolicy(text);
    if (policy !== undefined) return policy;
    throw new Error(`is not ${POLICY_RULE}`);
  },
  join: (values) => joinPolicies(values.filter((value) => value !== undefined)),
};
