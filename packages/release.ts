import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageFolders, packPackage } from './pack.ts';

// Changesets publishes folders as they are, and writes a changelog for each package. Here a package is built when it is
// packed, all have one version, and CHANGELOG.md is written for readers of the whole. So npm does the work.

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
const semver = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

interface PackageJson {
  name: string;
  version: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

const manifests = ['package.json', ...packageFolders.map((folder) => `packages/${folder}/package.json`)];

/** The Helm chart, which names the image of its version. */
const chartFile = 'deploy/chart/Chart.yaml';

async function readManifest(path: string, base = root): Promise<PackageJson> {
  return JSON.parse(await readFile(join(base, path), 'utf8'));
}

/**
 * Gives the repository, all packages and the chart a version, also where packages depend on each other.
 * @param base folder of the repository
 * @throws Error if it is not a version
 */
export async function setVersion(version: string, base = root): Promise<void> {
  if (!semver.test(version)) throw new Error(`Not a version: ${version}. Expected one such as 0.2.0.`);
  const read = await Promise.all(manifests.map((path) => readManifest(path, base)));
  const own = new Set(read.map(({ name }) => name));
  for (const [at, manifest] of read.entries()) {
    manifest.version = version;
    for (const named of [manifest.dependencies, manifest.devDependencies]) {
      for (const name of Object.keys(named ?? {})) if (own.has(name)) named![name] = version;
    }
    await writeFile(join(base, manifests[at]!), `${JSON.stringify(manifest, null, 2)}\n`);
  }
  const chart = await readFile(join(base, chartFile), 'utf8');
  await writeFile(join(base, chartFile), chart.replace(/^(version|appVersion): .*$/gm, `$1: ${version}`));
}

/**
 * Checks that a tag names the version of all packages, and that CHANGELOG.md has a section about it.
 * @throws Error that says what differs
 */
export async function requireReleasable(tag: string, base = root): Promise<void> {
  for (const path of manifests) {
    const { version } = await readManifest(path, base);
    if (tag !== `v${version}`)
      throw new Error(
        `The tag is ${tag}, but ${path} has the version ${version}. Run: npm run release version`,
      );
  }
  const changelog = await readFile(join(base, 'CHANGELOG.md'), 'utf8');
  const version = tag.slice(1);
  if (changelog.split('\n').some((line) => line === `## ${version}` || line.startsWith(`## ${version} `)))
    return;
  throw new Error(`CHANGELOG.md has no section "## ${version}". Rename the section "Unreleased".`);
}

/**
 * Packs and publishes all packages, each after those that it depends on. It leaves out those that the registry has, so
 * that a release that stopped halfway continues.
 * @param options options of `npm publish`
 */
async function publishAll(options: readonly string[], report: (line: string) => void): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'release-'));
  try {
    for (const folder of packageFolders) {
      const { name, version } = await readManifest(`packages/${folder}/package.json`);
      const id = `${name}@${version}`;
      if (await isPublished(id)) {
        report(`${id} is published already`);
        continue;
      }
      await run('npm', ['publish', await packPackage(folder, dir), ...options]);
      report(`${id} published`);
    }
  } finally {
    await rm(dir, { recursive: true });
  }
}

/** @throws Error if the registry does not answer */
async function isPublished(id: string): Promise<boolean> {
  try {
    return (await run('npm', ['view', id, 'version', '--prefer-online'])).stdout.trim() !== '';
  } catch (error) {
    if (/\bE404\b/.test((error as { stderr?: string }).stderr ?? '')) return false;
    throw error;
  }
}

const usage = `Usage: npm run release -- <command>
  version <version>      give the repository and all packages this version
  check <tag>            check that the tag, the versions and CHANGELOG.md agree
  publish [options...]   pack and publish all packages that the registry does not have, with options of npm publish
`;

if (import.meta.main) {
  const [command, ...words] = process.argv.slice(2);
  if (command === 'version' && words[0]) await setVersion(words[0]);
  else if (command === 'check' && words[0]) await requireReleasable(words[0]);
  else if (command === 'publish') await publishAll(words, (line) => process.stdout.write(`${line}\n`));
  else {
    process.stderr.write(usage);
    process.exitCode = 2;
  }
}
