import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { PackageFiles } from './builder.ts';

/** Packages written to a new folder, each under its key; gone when disposed of. For tests. */
export async function scratchPackages(
  packages: Record<string, PackageFiles>,
): Promise<{ dir: string } & AsyncDisposable> {
  const dir = await mkdtemp(join(tmpdir(), 'move-packages-'));
  for (const [name, files] of Object.entries(packages)) {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(dir, name, path)), { recursive: true });
      await writeFile(join(dir, name, path), text);
    }
  }
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true }) };
}

/** A Move.toml with local dependencies beside it. */
export function moveToml(name: string, dependencies: string[] = []): string {
  const lines = dependencies.map((dependency) => `${dependency} = { local = "../${dependency}" }\n`);
  return `[package]\nname = "${name}"\nedition = "2024"\n\n[dependencies]\n${lines.join('')}\n[addresses]\n${name} = "0x0"\n`;
}
