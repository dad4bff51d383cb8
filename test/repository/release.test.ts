import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { packageFolders } from '../../packages/pack.ts';
import { requireReleasable, setVersion } from '../../packages/release.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const readJson = async (path: string) => JSON.parse(await readFile(path, 'utf8'));
const readPackageJson = (folder: string, base = root) =>
  readJson(join(base, 'packages', folder, 'package.json'));

test('all packages are released, each after those that it depends on', async () => {
  const folders = await readdir(join(root, 'packages'), { withFileTypes: true });
  const names = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect([...packageFolders].sort()).toEqual(names.sort());
  const before = new Set<string>();
  for (const folder of packageFolders) {
    const { name, dependencies = {} } = await readPackageJson(folder);
    const own = Object.keys(dependencies).filter((one) => one.startsWith('@adaptor-marketplace/'));
    expect([name, own.filter((one) => !before.has(one))]).toEqual([name, []]);
    before.add(name);
  }
});

test('a package says where its source is, and is published with provenance', async () => {
  const { repository, homepage } = await readJson(join(root, 'package.json'));
  for (const folder of packageFolders) {
    expect(await readPackageJson(folder)).toMatchObject({
      homepage: homepage.replace('#', `/tree/main/packages/${folder}#`),
      repository: { ...repository, directory: `packages/${folder}` },
      publishConfig: { access: 'public', provenance: true },
    });
  }
});

test('npm ci leaves the tree clean: a program is executable in the repository, and no other source is', async () => {
  const programs = await Promise.all(
    packageFolders.map(async (folder) => {
      const { bin = {} } = await readPackageJson(folder);
      return Object.values<string>(bin).map((path) => join('packages', folder, path));
    }),
  );
  const tracked = execFileSync('git', ['ls-files', '--stage', 'packages'], { cwd: root, encoding: 'utf8' });
  const executable = [...tracked.matchAll(/^100755 \w+ \d\t(.*)$/gm)].map(([, path]) => path);
  expect(executable.sort()).toEqual(programs.flat().sort());
});

test('a release has one version everywhere, which its tag and the changelog name', async () => {
  const base = await mkdtemp(join(tmpdir(), 'release-test-'));
  onTestFinished(() => rm(base, { recursive: true }));
  const manifests = packageFolders.map((folder) => `packages/${folder}/package.json`);
  for (const path of ['package.json', 'deploy/chart/Chart.yaml', ...manifests]) {
    await cp(join(root, path), join(base, path));
  }
  await expect(setVersion('1.x', base)).rejects.toThrow('Not a version: 1.x');
  await setVersion('7.0.0', base);
  const sdk = await readPackageJson('sdk', base);
  expect(sdk).toMatchObject({ version: '7.0.0', dependencies: { '@adaptor-marketplace/adaptor': '7.0.0' } });
  expect(sdk.peerDependencies).toEqual((await readPackageJson('sdk')).peerDependencies);
  const chart = parse(await readFile(join(base, 'deploy/chart/Chart.yaml'), 'utf8'));
  expect(chart).toMatchObject({ name: 'adaptor-marketplace', version: '7.0.0', appVersion: '7.0.0' });
  await writeFile(join(base, 'CHANGELOG.md'), '# Changelog\n\n## Unreleased\n');
  await expect(requireReleasable('v6.0.0', base)).rejects.toThrow('package.json has the version 7.0.0');
  await expect(requireReleasable('v7.0.0', base)).rejects.toThrow('has no section "## 7.0.0"');
  await writeFile(join(base, 'CHANGELOG.md'), '# Changelog\n\n## 7.0.0 (2027-01-01)\n');
  await requireReleasable('v7.0.0', base);
});

test('npm publishes the packages that the registry does not have, as tarballs that install', async () => {
  /** Publications that the registry received, by the name of the package. */
  const published = new Map<
    string,
    { versions: Record<string, Record<string, unknown>>; _attachments: object }
  >();
  const { version } = await readJson(join(root, 'package.json'));
  const registry = createServer(async (req, res) => {
    const name = decodeURIComponent(req.url!.slice(1).split('?')[0]!);
    const answer = (status: number, body: object) =>
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (req.method === 'PUT') {
      published.set(name, JSON.parse(Buffer.concat(await req.toArray()).toString()));
      return answer(201, {});
    }
    if (name !== '@adaptor-marketplace/process') return answer(404, { error: 'not_found' });
    answer(200, { name, 'dist-tags': { latest: version }, versions: { [version]: { name, version } } });
  }).listen(0, '127.0.0.1');
  await once(registry, 'listening');
  onTestFinished(() => void registry.close());
  const { port } = registry.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const settings = [`--registry=${url}/`, `--//127.0.0.1:${port}/:_authToken=test`];
  // Provenance needs a workflow, whose identity it states.
  const words = ['packages/release.ts', 'publish', ...settings, '--provenance=false'];
  const env = { ...process.env, npm_config_registry: `${url}/`, npm_config_fetch_retries: '0' };
  const { stdout } = await run(process.execPath, words, { cwd: root, env });
  expect(stdout.split('\n')[0]).toBe(`@adaptor-marketplace/process@${version} is published already`);
  const names = await Promise.all(packageFolders.map(async (folder) => (await readPackageJson(folder)).name));
  expect([...published.keys()]).toEqual(names.slice(1));
  for (const [name, { versions, _attachments: attachments }] of published) {
    const manifest = versions[version]!;
    expect(manifest).toMatchObject({ name, publishConfig: { access: 'public', provenance: true } });
    expect(manifest.devDependencies).toBeUndefined();
    expect(JSON.stringify([manifest.exports, manifest.bin ?? {}])).not.toMatch(/\.\/src\/|[^d]\.ts"/);
    expect(Object.keys(attachments)).toHaveLength(1);
  }
});
