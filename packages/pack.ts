import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const tsc = join(root, 'node_modules/.bin/tsc');

/** The folders of the published packages, each after those that it depends on. */
export const packageFolders = [
  ...['process', 'move-bytecode', 'move-toolchain', 'adaptor', 'localnet', 'sdk', 'mcp', 'cli'],
] as const;

interface PackageJson {
  name: string;
  files: string[];
  bin?: Record<string, string>;
  exports?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/**
 * Builds `packages/<folder>` to JavaScript and declarations and packs it as npm publishes it. In the repository a
 * package is its TypeScript sources, which Node runs; below node_modules it strips no types.
 * @returns the path of the tarball, in `into`
 */
export async function packPackage(folder: string, into: string): Promise<string> {
  const source = join(root, 'packages', folder);
  const stage = await mkdtemp(join(tmpdir(), 'pack-'));
  try {
    await run(tsc, ['--project', source, '--outDir', join(stage, 'dist')]);
    const described: PackageJson = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'));
    for (const path of [...described.files.filter((path) => path !== 'dist'), 'README.md']) {
      await mkdir(dirname(join(stage, path)), { recursive: true });
      await cp(join(source, path), join(stage, path), { recursive: true });
    }
    await cp(join(root, 'LICENSE'), join(stage, 'LICENSE'));
    await writeFile(join(stage, 'package.json'), JSON.stringify(published(described), null, 2));
    const packed = await run('npm', ['pack', stage, '--json', '--pack-destination', into]);
    return join(into, JSON.parse(packed.stdout)[0].filename);
  } finally {
    await rm(stage, { recursive: true });
  }
}

/** The same package with what was built in place of its sources; what tests share is not built. */
function published({ exports = {}, bin = {}, devDependencies: _, ...rest }: PackageJson): object {
  const built = (path: string) => path.replace(/^\.\/src\/(.*)\.ts$/, './dist/$1');
  const subpaths = Object.entries(exports)
    .filter(([, path]) => !path.includes('/testing/'))
    .map(([name, path]) => [name, { types: `${built(path)}.d.ts`, default: `${built(path)}.js` }]);
  const commands = Object.entries(bin).map(([name, path]) => [
    name,
    path.replace(/^\.\/src\/(.*)\.ts$/, './dist/$1.js'),
  ]);
  return {
    ...rest,
    ...(commands.length > 0 && { bin: Object.fromEntries(commands) }),
    exports: Object.fromEntries(subpaths),
  };
}

if (import.meta.main) {
  const [into, ...folders] = process.argv.slice(2);
  if (!into) {
    process.stderr.write(
      `Usage: npm run pack -- <directory for the tarballs> [<folder of packages/>...]\nFolders: ${packageFolders.join(', ')}\n`,
    );
    process.exit(2);
  }
  await mkdir(into, { recursive: true });
  for (const folder of folders.length > 0 ? folders : packageFolders) {
    process.stdout.write(`${await packPackage(folder, resolve(into))}\n`);
  }
}
