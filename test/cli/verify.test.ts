import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../support/cli/run-command.ts';
import { type DemoMarketplace, startDemoMarketplace } from '../support/demo-marketplace.ts';
import { createDataDir } from '../support/service.ts';

const move = join(import.meta.dirname, '../../move');

let marketplace: DemoMarketplace;
let folder: Awaited<ReturnType<typeof createDataDir>>;

beforeAll(async () => {
  folder = await createDataDir();
  marketplace = await startDemoMarketplace(['localnet', 'indexer', 'gateway']);
});
afterAll(async () => {
  await marketplace?.close();
  await folder.remove();
});

const verify = (packageId: string, source: string, ...options: string[]) =>
  runCommand(['verify', packageId, '--source', source, ...options], { SUI_RPC_URL: marketplace.demo.rpcUrl });

/** Packages of the demo's adaptors, and the folders with their source. */
function listAdaptors(): { packageId: string; name: string }[] {
  const types = marketplace.demo.publishers.flatMap(({ serviceTypes }) => serviceTypes);
  return [...new Set(types)].map((type) => {
    const [packageId, name] = type.split('::');
    return { packageId: packageId!, name: name! };
  });
}

test('the source of every adaptor of the demo is the code on chain', async () => {
  const adaptors = listAdaptors();
  expect(adaptors.length).toBeGreaterThan(8);
  const verdicts: string[] = [];
  for (const { packageId, name } of adaptors) {
    const { code, out } = await verify(packageId, join(move, 'adaptors', name), '--json');
    const { verdict, comparison, reason } = JSON.parse(out);
    verdicts.push(verdict);
    // The demo exchanges the addresses of dependencies after compilation. A compiler with their ids orders some tables otherwise.
    expect(['exact', 'same_code'], JSON.stringify({ name, reason, comparison })).toContain(verdict);
    expect(code).toBe(0);
  }
  expect(verdicts).toContain('exact');
});

test('a single other token differs, and the report names its function; a folder and a zip file give the same', async () => {
  const { packageId, name } = listAdaptors().find((adaptor) => adaptor.name === 'tip_jar')!;
  await cp(move, join(folder.dir, 'move'), { recursive: true });
  const path = join(folder.dir, 'move/adaptors', name, 'sources', `${name}.move`);
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace('jar.received + amount', 'jar.received - amount'));
  const { code, out, err } = await verify(packageId, join(folder.dir, 'move/adaptors', name));
  expect(code).toBe(1);
  expect(out).toContain('verdict     differs');
  expect(out).toMatch(
    /tip_jar: function \w+\n {4}on chain {2}instruction \d+, .*\n {4}built {5}instruction \d+, /,
  );
  expect(err).toContain('error: The source is not the code of the package.');

  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false });
  for (const file of [
    'adaptors/tip_jar/Move.toml',
    'adaptors/tip_jar/sources/tip_jar.move',
    'wallet/Move.toml',
  ]) {
    await writer.add(`move-main/${file}`, new Blob([await readFile(join(move, file))]).stream());
  }
  for (const file of await readdir(join(move, 'wallet/sources'))) {
    await writer.add(
      `move-main/wallet/sources/${file}`,
      new Blob([await readFile(join(move, 'wallet/sources', file))]).stream(),
    );
  }
  const archive = join(folder.dir, 'tip_jar.zip');
  await writeFile(archive, await writer.close());
  const [zipped, unzipped] = await Promise.all([
    verify(packageId, archive, '--folder', 'move-main/adaptors/tip_jar', '--json'),
    verify(packageId, join(move, 'adaptors/tip_jar'), '--json'),
  ]);
  expect(JSON.parse(zipped.out)).toEqual(JSON.parse(unzipped.out));
});

test('source that is offered gets the verdict of the marketplace, and source that differs is not sent', async () => {
  const { packageId, name } = listAdaptors().find((adaptor) => adaptor.name === 'tip_jar')!;
  const { baseUrl } = marketplace.demo;
  const read = async () => {
    const response = await fetch(`${baseUrl}/api/adaptors/verify?packageId=${packageId}&network=testnet`);
    return (await response.json()) as { verdict: string; folder: string; sourceHash: string };
  };
  const before = await read();
  const other = await verify(packageId, join(folder.dir, 'move/adaptors', name), '--offer', '--url', baseUrl);
  expect(other).toMatchObject({ code: 1, err: 'error: The source is not the code of the package.\n' });
  expect(await read()).toEqual(before);

  const { code, out, err } = await verify(
    packageId,
    join(move, 'adaptors', name),
    '--offer',
    '--url',
    baseUrl,
  );
  expect(err).toContain(`sending  the source to ${baseUrl}`);
  expect(code).toBe(0);
  expect(out).toMatch(/^marketplace (exact|same code), at 20/m);
  const { sourceHash } = await read();
  expect(out).toContain(`source      ${sourceHash}`);
});

test('what cannot be verified says why', async () => {
  const [{ packageId }] = listAdaptors() as [{ packageId: string; name: string }];
  const missing = await verify(packageId, join(folder.dir, 'absent'));
  expect(missing).toMatchObject({ code: 2, err: expect.stringContaining('does not exist') });
  const noPackage = await verify(packageId, move);
  expect(noPackage).toMatchObject({ code: 1, err: expect.stringContaining('There is no Move.toml in') });
  const noZip = await verify(packageId, join(move, 'cli.ts'));
  expect(noZip).toMatchObject({ code: 1, err: expect.stringContaining('The archive cannot be read') });
  const absent = await verify('0xabc', join(move, 'adaptors/tip_jar'));
  expect(absent.err).toMatch(/^error: There is no package 0x0+abc on this network\.$/m);
});
