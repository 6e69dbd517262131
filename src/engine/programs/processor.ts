/** The vector instructions of this machine that libvmaf has code for. */
import { readFile } from "node:fs/promises";

/** libvmaf uses AVX-512 only on processors with all of these. */
const AVX_512 = ["avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"];

/** Returns their names, such as "AVX2"; empty if there are none or the system does not say. */
export async function vectorInstructions(): Promise<readonly string[]> {
  const text = await readFile("/proc/cpuinfo", "utf8").catch(() => "");
  return instructionsOf(process.arch, text);
}

/** `cpuinfo`: the text of Linux's /proc/cpuinfo. */
export function instructionsOf(arch: string, cpuinfo: string): readonly string[] {
  const [, line = ""] = /^(?:flags|Features)\s*:(.*)$/m.exec(cpuinfo) ?? [];
  const flags = new Set(line.trim().split(/\s+/));
  if (arch === "arm64") return flags.has("asimd") ? ["NEON"] : [];
  if (arch !== "x64") return [];
  return [
    ...(flags.has("avx2") ? ["AVX2"] : []),
    ...(AVX_512.every((flag) => flags.has(flag)) ? ["AVX-512"] : []),
  ];
}
