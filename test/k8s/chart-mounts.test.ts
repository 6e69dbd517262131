/** Volumes of the chart, of videos and of extra values, and their mount paths. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { templateOf } from "./chart/helm.ts";

test("refuses volumes that collide with each other or with a path that a process needs", async () => {
  const at = (name: string, mountPath: string) => ({
    name,
    mountPath,
    persistentVolumeClaim: { claimName: "a" },
  });
  const paths = ["/films", "/tmp/", "/etc", "/opt/svc", "/", "/etc/svc/tls", "/films/", "/tmp/films"];
  const volumes = [...paths.map((path, index) => at(`v${index}`, path)), at("v0", "/other")];
  const more = {
    extraVolumes: [{ name: "tls" }, { name: "a" }, { name: "a" }, { name: "media-v0" }],
    extraVolumeMounts: ["/models", "/films", "/models/", "/tmp", "/etc/svc/extra-ca", "/opt/svc/more"].map(
      (mountPath) => ({ name: "a", mountPath }),
    ),
  };
  const values = { media: { volumes }, controller: more, nodes: { pools: { cpu: more } } };
  const { stderr } = await templateOf(JSON.stringify(values));
  const faultsAt = (path: string) => stderr.split("\n").filter((line) => line.startsWith(path));
  const hidden = (index: number, what: string) =>
    `media.volumes[${index}].mountPath "${paths[index]}" would hide files that a process needs in ${what}. Mount it elsewhere.`;
  assert.deepEqual(faultsAt("media."), [
    hidden(1, "/tmp"),
    hidden(2, "/etc/svc"),
    hidden(3, "/opt/svc"),
    hidden(4, "/etc/svc"),
    hidden(5, "/etc/svc"),
    'media.volumes[6].mountPath "/films/" is already used by media.volumes[0]. Mount each volume at its own path.',
    'media.volumes[8].name "v0" is already used by media.volumes[0]. Give each volume its own name.',
  ]);
  for (const part of ["controller", "nodes.pools.cpu"]) {
    assert.deepEqual(faultsAt(`${part}.extra`), [
      `${part}.extraVolumes[0].name "tls" is the name of one of the chart's own volumes. Choose another.`,
      `${part}.extraVolumes[2].name "a" is already used by ${part}.extraVolumes[1]. Give each volume its own name.`,
      `${part}.extraVolumes[3].name "media-v0" is the name of one of the chart's own volumes. Choose another.`,
      `${part}.extraVolumeMounts[1].mountPath "/films" is already used by media.volumes[6]. Mount each volume at its own path.`,
      `${part}.extraVolumeMounts[2].mountPath "/models/" is already used by ${part}.extraVolumeMounts[0]. Mount each volume at its own path.`,
      `${part}.extraVolumeMounts[3].mountPath "/tmp" would hide files that a process needs in /tmp. Mount it elsewhere.`,
      `${part}.extraVolumeMounts[4].mountPath "/etc/svc/extra-ca" would hide files that a process needs in /etc/svc. Mount it elsewhere.`,
    ]);
  }
});
