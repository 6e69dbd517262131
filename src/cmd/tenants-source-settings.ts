/** The settings of where a controller's tenants come from. */
import { choice, flagOf, type Setting, text, UsageError } from "../platform/setting.ts";

const SOURCES = ["provider", "file", "kubernetes"] as const;
export type TenantsSource = (typeof SOURCES)[number];

const TENANTS_SOURCE: Setting<TenantsSource | undefined> = {
  ...choice<TenantsSource>({
    flags: "--tenants-source <source>",
    help: "where the tenants come from: one provider that names them, a file, or SvcTenant resources of a Kubernetes cluster",
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
    help: "YAML or JSON file of tenants, each with its own identity provider, in place of --jwks-endpoint and --auth-issuer; read again when it changes",
  }),
  tenantsNamespace: text({
    flags: "--tenants-namespace <namespace>",
    help: "namespace of the SvcTenant resources",
    shownDefault: "that of the Pod, or of the kubeconfig",
  }),
  kubeconfig: text({
    flags: "--kubeconfig <file>",
    help: "how to reach the API server of the SvcTenant resources",
    shownDefault: "as the Pod's service account",
  }),
} as const;

export interface SourceSettings {
  readonly tenantsSource: TenantsSource | undefined;
  readonly tenantsFile: string | undefined;
  readonly tenantsNamespace: string | undefined;
  readonly kubeconfig: string | undefined;
}

/** Where the tenants come from. `provider`: the settings that name one, as far as they are given. */
export type SourcePlan =
  | { readonly kind: "provider" }
  | { readonly kind: "file"; readonly file: string }
  | {
      readonly kind: "kubernetes";
      readonly namespace: string | undefined;
      readonly kubeconfig: string | undefined;
    };

/** As Kubernetes names namespaces. */
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Throws UsageError when the settings contradict each other. `providerFlags`: those of the one provider that are given. */
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
      throw new UsageError("--tenants-source file needs --tenants-file (SVC_TENANTS_FILE). Give it.");
    default:
      refuse("--tenants-source kubernetes", [...fileFlags, ...providerFlags], settings);
      if (namespace === undefined || NAMESPACE.test(namespace))
        return { kind: "kubernetes", namespace, kubeconfig };
      throw new UsageError(`--tenants-namespace: ${JSON.stringify(namespace)} is no name of a namespace.`);
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
      `${others.join(" and ")} ${others.length > 1 ? "are" : "is"} for --tenants-source kubernetes. Give that too, or leave out the former.`,
    );
  throw new UsageError(
    `${chosen} and ${others.join(", ")} are both given. Each tenant names its own provider, and comes from one place: leave out the latter.`,
  );
}
