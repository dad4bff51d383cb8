import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const readJson = async (file: string) => JSON.parse(await readFile(join(root, file), 'utf8'));

interface LockedPackage {
  /** Name in the registry, if it is installed under another one. */
  name?: string;
  license?: string;
  dev?: boolean;
  link?: boolean;
  hasInstallScript?: boolean;
}

/** Packages of the lock file by their names, without those of the repository. */
async function readLocked(): Promise<[name: string, LockedPackage][]> {
  const { packages } = (await readJson('package-lock.json')) as { packages: Record<string, LockedPackage> };
  const installed = Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  );
  return installed.map(([path, locked]) => [locked.name ?? path.replace(/^.*node_modules\//, ''), locked]);
}

/** Licences under which the service may be passed on with its dependencies, with a notice at most. */
const shippedLicences = new Set([
  ...[
    'MIT',
    'Apache-2.0',
    'ISC',
    '0BSD',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'BlueOak-1.0.0',
    'Unlicense',
    'PSF-2.0',
  ],
  // Changes to its own files would have to be published; it is used as it is.
  'MPL-2.0',
  '(Apache-2.0 AND BSD-3-Clause)',
]);
/** Packages whose licence has no identifier of SPDX, with the licence that their files state. */
const readByHand: Readonly<Record<string, string>> = {
  'dejavu-fonts-ttf': 'Bitstream Vera, and public domain',
};

test('everything that is shipped has a licence that allows it', async () => {
  const shipped = (await readLocked()).filter(([, { dev }]) => !dev);
  expect(shipped.length).toBeGreaterThan(100);
  const others = shipped.flatMap(([name, { license = 'none' }]) =>
    shippedLicences.has(license) || name in readByHand ? [] : [`${name}: ${license}`],
  );
  expect(others).toEqual([]);
});

test('each package that wants to run code when it is installed is allowed or refused by name', async () => {
  const { allowScripts } = (await readJson('package.json')) as { allowScripts: Record<string, boolean> };
  const wanting = (await readLocked()).flatMap(([name, { hasInstallScript }]) =>
    hasInstallScript ? [name] : [],
  );
  expect(Object.keys(allowScripts).sort()).toEqual([...new Set(wanting)].sort());
});

test('the documented command lists all packages as a CycloneDX bill of materials', async () => {
  const guide = await readFile(join(root, 'docs/security.md'), 'utf8');
  const [, ...args] = guide.match(/^npm sbom .*$/m)![0].split(' ');
  const { stdout } = await promisify(execFile)('npm', args, { cwd: root, maxBuffer: 16 * 1024 * 1024 });
  const bill = JSON.parse(stdout) as { bomFormat: string; components: { name: string; group?: string }[] };
  expect(bill.bomFormat).toBe('CycloneDX');
  const listed = new Set(bill.components.map(({ group, name }) => (group ? `${group}/${name}` : name)));
  expect((await readLocked()).filter(([name]) => !listed.has(name))).toEqual([]);
});
