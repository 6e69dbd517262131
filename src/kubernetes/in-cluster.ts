/** Access to the cluster's API server with the service account of the Pod. */
import { join } from "node:path";
import { messageOf } from "../platform/errors.ts";
import { readSmallFile } from "../platform/files/small-file.ts";
import { type Access, AccessError, type Identity } from "./access.ts";

export interface PodSurroundings {
  /** KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT, which every container has. */
  readonly host: string | undefined;
  readonly port: string | undefined;
  /** Folder with `ca.crt`, `token` and `namespace` of the service account. */
  readonly accountFolder: string;
}

/** Throws AccessError if this is not a Pod, or a Pod without a service account token. */
export async function inCluster(pod: PodSurroundings): Promise<Access> {
  const { host, port, accountFolder } = pod;
  if (!host || !port) {
    throw new AccessError(
      "This is not a Pod of a Kubernetes cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set. Give --kubeconfig.",
    );
  }
  const identity = () => identityIn(accountFolder);
  await identity();
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    namespace: await namespaceIn(accountFolder),
    identity,
  };
}

/** The token is valid for about an hour and is replaced on disk before it expires. */
async function identityIn(folder: string): Promise<Identity> {
  const [ca, token] = await Promise.all([textOf(join(folder, "ca.crt")), textOf(join(folder, "token"))]);
  return { ca, token: token.trim() };
}

async function namespaceIn(folder: string): Promise<string> {
  return (await textOf(join(folder, "namespace"))).trim();
}

async function textOf(path: string): Promise<string> {
  try {
    return (await readSmallFile(path)).toString("utf8");
  } catch (cause) {
    throw new AccessError(
      `The Pod's service account cannot be used: ${path}: ${messageOf(cause)}. Mount its token (automountServiceAccountToken), or give --kubeconfig.`,
      { cause },
    );
  }
}
