/**
 * The scorer that svc installs: a static ffmpeg with libvmaf, taken from a Python wheel. The only place that names its
 * version and hashes.
 */
import type { ScorerInfo } from "../contract/result.ts";

/** A file, identified by its content. */
export interface PinnedFile {
  readonly name: string;
  /** Size of the file. */
  readonly bytes: number;
  /** In hex. */
  readonly sha256: string;
}

/** The scorer for one platform. */
export interface ScorerBuild {
  readonly wheel: PinnedFile;
  /** Platform tag of the wheel. */
  readonly tag: string;
  /** The same platform, as uv names it. */
  readonly uvPlatform: string;
  /** The program; its name is the path in the wheel. */
  readonly program: PinnedFile;
  /**
   * The versions that the program reports, if it was run on this platform and found to have the models of
   * svc; undefined: a trial has to find them.
   */
  readonly reports: ScorerInfo | undefined;
}

/** The Python package that contains the program. Its wheel says BSD-2-Clause, which is the licence of its Python code. */
export const RELEASE = {
  name: "imageio-ffmpeg",
  version: "0.8.1",
  /** A description for people. */
  title: "ffmpeg 9.0.2 with the VMAF v1 models",
} as const;

/** Licence of the programs that come with svc, this one and npm's: an SPDX expression. */
export const BUNDLED_LICENCE = "GPL-3.0-or-later";

const BUILDS: Readonly<Record<string, ScorerBuild>> = {
  "linux-x64": {
    wheel: {
      name: "imageio_ffmpeg-0.8.1-py3-none-manylinux_2_28_x86_64.whl",
      bytes: 67_998_402,
      sha256: "050d6850601c3b3890bd2b28306f3b842b3daea390a561101174375a1c460bda",
    },
    tag: "manylinux_2_28_x86_64",
    uvPlatform: "x86_64-manylinux_2_28",
    program: {
      name: "imageio_ffmpeg/binaries/ffmpeg-linux-x86_64-v9.0.2",
      bytes: 172_692_552,
      sha256: "0d709a0bed1a43f24cd2c420878c63afea4580671b6949ad19ed124572f3bc3d",
    },
    reports: { program: "ffmpeg", version: "n9.0.2-17-g2a571b6068-20260930", libvmafVersion: "86da14d" },
  },
  "linux-arm64": {
    wheel: {
      name: "imageio_ffmpeg-0.8.1-py3-none-manylinux_2_28_aarch64.whl",
      bytes: 60_956_631,
      sha256: "fad3176f859b25869e60a8ed79957d4e3ed74a97a95e5f0cdcb91455f6c6d00e",
    },
    tag: "manylinux_2_28_aarch64",
    uvPlatform: "aarch64-manylinux_2_28",
    program: {
      name: "imageio_ffmpeg/binaries/ffmpeg-linux-aarch64-v9.0.2",
      bytes: 130_865_896,
      sha256: "0b0b5ac30495b4e07ce1321b8d58200f901f57782884a8b6b264c7528c2c9e77",
    },
    reports: undefined,
  },
};

/** Returns the scorer for a platform, such as "linux-x64" (`process.platform` and `process.arch`); undefined: none. */
export function buildFor(platform: string): ScorerBuild | undefined {
  return Object.hasOwn(BUILDS, platform) ? BUILDS[platform] : undefined;
}

/** The platform of this process, as `buildFor` takes it. */
export const PLATFORM = `${process.platform}-${process.arch}`;

/** Returns the platform whose wheel has this content; undefined: it is none of them. */
export function platformOfWheel({ bytes, sha256 }: Omit<PinnedFile, "name">): string | undefined {
  return Object.keys(BUILDS).find((platform) => {
    const wheel = buildFor(platform)?.wheel;
    return wheel?.bytes === bytes && wheel.sha256 === sha256;
  });
}
