/** The settings of where a controller's tenants come from. */
import { choice, flagOf, type Setting, text, UsageError } from "../../platform/config/setting.ts";

const SOURCES = ["provider", "file", "kubernetes"] as const;
export type TenantsSource = (typeof SOURCES)[number];

const TENANTS_SOURCE: Setting<TenantsSource | undefined> = {
  ...choice<TenantsSource>({
    flags: "--tenants-source <source>",
    help: "source of the tenants: the tokens of one identity provider, a file, or SvcTenant resources in a Kubernetes cluster",
    fallback: "provider",
    of: SOURCES,
  }),
  fallback: undefined,
  shownDefault: "file with --tenants-file, else provider",
};

export const TENANTS_SOURCE_SETTINGS = {
  tenantsSource: TENANTS_SOURCE,
  tenantsFile: text({
    flags: "--tenants-file <file>",
    help: "YAML or JSON file of tenants, each with its identity provider, instead of --jwks-endpoint and --auth-issuer; reloaded when it changes",
  }),
  tenantsNamespace: text({
    flags: "--tenants-namespace <namespace>",
    help: "namespace of the SvcTenant resources",
    shownDefault: "the namespace of the Pod or of the kubeconfig",
  }),
  kubeconfig: text({
    flags: "--kubeconfig <file>",
    help: "kubeconfig for the API server with the SvcTenant resources",
    shownDefault: "the service account of the Pod",
  }),
} as const;

export interface SourceSettings {
  readonly tenantsSource: TenantsSource | undefined;
  readonly tenantsFile: string | undefined;
  readonly tenantsNamespace: string | undefined;
  readonly kubeconfig: string | undefined;
}

/** The source that the settings select. */
export type SourcePlan =
  | { readonly kind: "provider" }
  | { readonly kind: "file"; readonly file: string }
  | {
      readonly kind: "kubernetes";
      readonly namespace: string | undefined;
      readonly kubeconfig: string | undefined;
    };

/** Syntax of a Kubernetes namespace. */
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Throws UsageError if settings contradict each other. `providerFlags`: the given flags of a single provider. */
export function planSource(settings: SourceSettings, providerFlags: readonly string[]): SourcePlan {
  const { tenantsSource, tenantsFile, tenantsNamespace: namespace, kubeconfig } = settings;
  const source = tenantsSource ?? (tenantsFile === undefined ? "provider" : "file");
  const clusterFlags = givenFlags(settings, "tenantsNamespace", "kubeconfig");
  const fileFlags = givenFlags(settings, "tenantsFile");
  switch (source) {
    case "provider":
      refuse("--tenants-source provider", [...fileFlags, ...clusterFlags], settings);
      return { kind: "provider" };
    case "file":
      refuse("--tenants-file", [...providerFlags, ...clusterFlags], settings);
      if (tenantsFile !== undefined) return { kind: "file", file: tenantsFile };
      throw new UsageError("--tenants-source file needs --tenants-file (SVC_TENANTS_FILE).");
    default:
      refuse("--tenants-source kubernetes", [...fileFlags, ...providerFlags], settings);
      if (namespace === undefined || NAMESPACE.test(namespace))
        return { kind: "kubernetes", namespace, kubeconfig };
      throw new UsageError(`--tenants-namespace: ${JSON.stringify(namespace)} is not a valid namespace.`);
  }
}

function givenFlags(
  settings: SourceSettings,
  ...keys: readonly (keyof typeof TENANTS_SOURCE_SETTINGS)[]
): readonly string[] {
  return keys.filter((key) => settings[key] !== undefined).map((key) => flagOf(TENANTS_SOURCE_SETTINGS[key]));
}

function refuse(chosen: string, others: readonly string[], { tenantsSource }: SourceSettings): void {
  if (others.length === 0) return;
  if (tenantsSource === undefined && chosen === "--tenants-source provider")
    throw new UsageError(
      `${others.join(" and ")} ${others.length > 1 ? "are" : "is"} only for --tenants-source kubernetes. Add that, or remove the former.`,
    );
  throw new UsageError(
    `${chosen} and ${others.join(", ")} cannot be used together: each tenant comes from one source, with its own provider. Remove the latter.`,
  );
}
