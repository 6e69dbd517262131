/** Which vector instructions libvmaf uses on a processor, by Linux's /proc/cpuinfo. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { instructionsOf } from "../../../../src/engine/programs/processor.ts";

const SKYLAKE = "avx512f avx512dq avx512cd avx512bw avx512vl";

for (const [what, arch, cpuinfo, expected] of [
  ["AVX2 alone", "x64", "processor\t: 0\nflags\t\t: fpu sse4_1 avx avx2 fma\n", ["AVX2"]],
  ["AVX-512 with all that libvmaf needs", "x64", `flags\t\t: avx2 ${SKYLAKE}\n`, ["AVX2", "AVX-512"]],
  ["AVX-512 without AVX-512BW", "x64", `flags\t\t: avx2 ${SKYLAKE.replace("avx512bw ", "")}\n`, ["AVX2"]],
  ["an old processor", "x64", "flags\t\t: fpu sse2 avx\n", []],
  ["arm64", "arm64", "processor\t: 0\nFeatures\t: fp asimd evtstrm aes\n", ["NEON"]],
  ["an unknown architecture", "riscv64", "isa\t\t: rv64imafdc\n", []],
  ["a system that does not say", "x64", "", []],
] as const) {
  test(what, () => assert.deepEqual(instructionsOf(arch, cpuinfo), expected));
}
