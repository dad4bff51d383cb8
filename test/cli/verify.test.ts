import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { nodePackages } from '@adaptor-marketplace/adaptor/introspect';
import { comparePackages } from '@adaptor-marketplace/move-bytecode/compare';
import { compileSources, groupByAddress } from '@adaptor-marketplace/move-toolchain';
import { joinSources } from '@adaptor-marketplace/move-toolchain/compile-together';
import { listPackages, packageName, readPackage } from '@adaptor-marketplace/move-toolchain/sources';
import { Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../support/cli/run-command.ts';
import { type DemoMarketplace, startDemoMarketplace } from '../support/demo-marketplace.ts';
import { eventually } from '../support/eventually.ts';
import { createDataDir } from '../support/service.ts';
import { listUnverifiedCode } from '../support/unverified-code.ts';

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

const offer = (packageId: string, source: string) =>
  verify(packageId, source, '--offer', '--url', marketplace.demo.baseUrl);

async function readVerdict(packageId: string): Promise<{ verdict: string; sourceHash: string }> {
  const url = `${marketplace.demo.baseUrl}/api/adaptors/verify?packageId=${packageId}&network=testnet`;
  return (await fetch(url)).json() as Promise<{ verdict: string; sourceHash: string }>;
}

/** Packages of the demo's adaptors, and the folders with their source. */
function listAdaptors(): { packageId: string; name: string }[] {
  const types = marketplace.demo.publishers.flatMap(({ serviceTypes }) => serviceTypes);
  return [...new Set(types)].map((type) => {
    const [packageId, name] = type.split('::');
    return { packageId: packageId!, name: name! };
  });
}

const findTipJar = () => listAdaptors().find(({ name }) => name === 'tip_jar')!;

// The demo exchanges the addresses of dependencies after compilation. A compiler with their ids orders some tables otherwise.
const isSame = expect.stringMatching(/^(exact|same_code)$/);

test('the source of every adaptor of the demo is the code on chain', async () => {
  const { protocols, adaptors, ...core } = marketplace.demo.packages;
  const ids: Record<string, string> = { ...core, ...protocols, ...adaptors };
  const sources = await Promise.all((await listPackages(move)).map((dir) => readPackage(dir)));
  // One build for all of them: the two that the command makes for each take four seconds of a processor.
  const published = sources.filter((files) => packageName(files) in ids);
  const joined = joinSources(published, (name) => ids[name]!);
  const { modules } = await compileSources(joined, { uncached: true, placed: true });
  const built = groupByAddress(modules);
  const client = createChainClient({ url: marketplace.demo.rpcUrl });
  onTestFinished(() => client.close());
  const packages = nodePackages(client);
  const listed = listAdaptors();
  expect(listed.length).toBeGreaterThan(8);
  for (const { packageId, name } of listed) {
    const onChain = (await packages.read(packageId)).modules.values();
    const comparison = comparePackages(onChain, built.get(adaptors[name]!)!);
    expect(comparison.verdict, JSON.stringify({ name, comparison })).toEqual(isSame);
  }
});

test('the marketplace verifies all code that the adaptors of the demo can reach', async () => {
  await eventually(async () => expect(await listUnverifiedCode(marketplace.demo.baseUrl)).toEqual([]));
});

test('source of a package that uses others is the code on chain, with the packages that these are', async () => {
  const { packageId } = listAdaptors().find(({ name }) => name === 'share_vault')!;
  const { code, out } = await verify(packageId, join(move, 'adaptors/share_vault'), '--json');
  expect(code).toBe(0);
  const { wallet, protocols } = marketplace.demo.packages;
  expect(JSON.parse(out)).toMatchObject({
    verdict: isSame,
    dependencies: { wallet, vault: protocols.vault },
  });
});

test('a single other token differs and is not sent, and the report names its function', async () => {
  const { packageId, name } = findTipJar();
  await cp(move, join(folder.dir, 'move'), { recursive: true });
  const path = join(folder.dir, 'move/adaptors', name, 'sources', `${name}.move`);
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace('jar.received + amount', 'jar.received - amount'));
  const before = await readVerdict(packageId);
  const { code, out, err } = await offer(packageId, join(folder.dir, 'move/adaptors', name));
  expect(code).toBe(1);
  expect(out).toContain('verdict     differs');
  expect(out).toMatch(
    /tip_jar: function \w+\n {4}on chain {2}instruction \d+, .*\n {4}built {5}instruction \d+, /,
  );
  expect(err).toBe('error: The source is not the code of the package.\n');
  expect(await readVerdict(packageId)).toEqual(before);
});

test('source that is offered gets the verdict of the marketplace; a folder and a zip file give the same', async () => {
  const { packageId } = findTipJar();
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
  const zipped = await verify(packageId, archive, '--folder', 'move-main/adaptors/tip_jar');

  const { code, out, err } = await offer(packageId, join(move, 'adaptors/tip_jar'));
  expect(err).toContain(`sending  the source to ${marketplace.demo.baseUrl}`);
  expect(code).toBe(0);
  expect(out).toContain('verdict     exact: ');
  expect(out).toMatch(/^marketplace exact, at 20/m);
  const { sourceHash } = await readVerdict(packageId);
  expect(out).toContain(`source      ${sourceHash}`);
  expect(zipped.out).toBe(out.replace(/^marketplace .*\n/m, ''));
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
