import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  analysisVersion,
  briefCertificate,
  Certifier,
  certificateHash,
  readProgram,
  wordingVersion,
} from '@adaptor-marketplace/adaptor/certify';
import { createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { nodePackages } from '@adaptor-marketplace/adaptor/introspect';
import { canonicalJson } from '@adaptor-marketplace/adaptor/manifest';
import type { Localnet } from '@adaptor-marketplace/localnet';
import { startTestLocalnet } from '@adaptor-marketplace/localnet/testing/start';
import { Registry } from '@prometheus-io/client';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../db/client.ts';
import { addCertifiedPackages } from '../../../db/queries/certificates.ts';
import * as tables from '../../../db/schema/index.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AnalysisProcess, analysisBounds } from '../../../lib/certificates/analysis-process.ts';
import { openTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { settingsFor } from '../../../test/support/frames/packages.ts';
import { providersFor } from '../../../test/support/providers.ts';
import { address } from '../../../test/support/read-model.ts';
import { publishTipJar } from '../../../test/support/tip-jar.ts';
import { workOn } from '../queue/testing/work-on.ts';
import { createIndexerMetrics } from '../reporting/metrics.ts';
import { createCertificateQueue } from './certificates.ts';

const network = 'testnet';
const publisher = address(0xa1);
const { signal } = new AbortController();

let db: Database;
let localnet: Localnet;
/** An adaptor that calls the wallet's package and the framework. */
let tipJar: string;
let wallet: string;

beforeAll(async () => {
  db = await openTestDatabase();
  localnet = await startTestLocalnet();
  ({ wallet, tipJar } = await publishTipJar(localnet));
});
afterAll(async () => {
  await localnet.close();
  await db.close();
});
beforeEach(async () => {
  await db.pool.query('truncate certified_packages, certificates');
});

const list = (...packageIds: string[]) =>
  inTransaction(db.pool, (client) =>
    addCertifiedPackages(
      client,
      network,
      packageIds.map((packageId) => ({ packageId, publisher })),
    ),
  );

function work(analysis?: Parameters<typeof createCertificateQueue>[2]) {
  const settings = settingsFor(localnet.rpcUrl);
  const metrics = createIndexerMetrics(new Registry());
  const queue = createCertificateQueue(
    { db, settings, metrics, providers: providersFor(settings) },
    signal,
    analysis,
  );
  onTestFinished(() => queue.close());
  return workOn(db, queue);
}

async function readPackage(packageId: string) {
  const rows = await db.orm.select().from(tables.certifiedPackages);
  return rows.find((row) => row.packageId === packageId);
}
/** Waits until the package is not due now. */
const settled = (packageId: string) =>
  eventually(async () => {
    const row = await readPackage(packageId);
    expect(row).toMatchObject({ checkReady: false });
    return row;
  });
const readCertificates = () => db.orm.select().from(tables.certificates);

async function readTipJar() {
  const client = createChainClient({ url: localnet.rpcUrl });
  onTestFinished(() => client.close());
  return await readProgram(nodePackages(client), tipJar);
}

/** A process that ends with the test. */
function open(options?: ConstructorParameters<typeof AnalysisProcess>[0]) {
  const analysis = new AnalysisProcess(options);
  onTestFinished(() => analysis.end());
  return analysis;
}

const failure = /^The analysis failed, or took more than/;

/** The file of a process with this code, bound as that of the analysis is. */
async function script(code: string): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), 'certify-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'process.mjs');
  const bounded = JSON.stringify(import.meta.resolve('@adaptor-marketplace/process/bounded'));
  await writeFile(
    file,
    `import { boundProcess } from ${bounded};
    process.once('message', async ({ bounds }) => { await boundProcess(bounds); ${code} });`,
  );
  return pathToFileURL(file);
}

test('the stored certificates of a listed package have the hashes that anyone computes from its bytecode', async () => {
  await list(tipJar);
  work();
  expect(await settled(tipJar)).toMatchObject({
    state: 'computed',
    analysis: analysisVersion,
    reason: null,
    reaches: expect.arrayContaining([tipJar, wallet]),
  });
  const certifier = new Certifier(await readTipJar());
  const expected = certifier.targets.map((target) => certificateHash(certifier.certify(target)));
  const stored = await readCertificates();
  expect(stored.map(({ hash }) => hash).sort()).toEqual(expected.sort());
  for (const { certificate, hash, bytes, brief } of stored) {
    expect(certificateHash(certificate as never)).toBe(hash);
    expect(bytes).toBe(Buffer.byteLength(canonicalJson(certificate)));
    expect(brief).toEqual(briefCertificate(certificate as never));
  }
});

test.for(['analysis', 'wording'])(
  'certificates of an earlier %s are computed again, and stay until then',
  async (version) => {
    await list(tipJar);
    work();
    await settled(tipJar);
    await db.pool.query(`update certificates set hash = 'earlier'`);
    await db.pool.query(`update certified_packages set ${version} = 0`);
    const current = { analysis: analysisVersion, wording: wordingVersion, checkReady: false };
    await eventually(async () => expect(await readPackage(tipJar)).toMatchObject(current));
    expect((await readCertificates()).filter(({ hash }) => hash === 'earlier')).toEqual([]);
  },
);

test('a package whose analysis crashes is unread with the reason, and the next ones are certified', async () => {
  const absent = address(0xbad);
  await list(absent, wallet, tipJar);
  const crash = open({ script: await script('process.exit(1);') });
  const sound = open();
  work({
    certify: (program, signal) => (program.root.id === wallet ? crash : sound).certify(program, signal),
    end: () => undefined,
  });
  expect(await settled(tipJar)).toMatchObject({ state: 'computed' });
  expect(await settled(wallet)).toMatchObject({
    state: 'unread',
    reason: expect.stringMatching(failure),
  });
  expect(await settled(absent)).toMatchObject({
    state: 'pending',
    reason: `There is no package ${absent} on this network.`,
  });
});

test.for([
  ['never ends', 'for (;;);', { processorMs: 500 }],
  ['takes all memory', 'const kept = []; for (;;) kept.push(new Array(1000).fill({}));', { memoryMb: 32 }],
  ['throws', 'throw new Error("out of ideas");', {}],
  ['ends without a result', 'process.exit(0);', {}],
] as const)('an analysis that %s ends alone, and its package is unread', async ([, code, bounds]) => {
  const program = await readTipJar();
  const analysis = open({ bounds: { ...analysisBounds, ...bounds }, script: await script(code) });
  const outcome = await analysis.certify(program, signal);
  const reason = expect.stringMatching(failure);
  expect(outcome).toEqual({
    state: 'unread',
    reason,
    analysis: analysisVersion,
    wording: wordingVersion,
    certificates: [],
  });
});

test('a package is certified again at once if something else ended the process', async () => {
  const program = await readTipJar();
  const endFirst = `const files = process.getBuiltinModule('node:fs');
    const seen = import.meta.filename + '.seen';
    if (files.existsSync(seen)) process.send({ tooLarge: 0 });
    else {
      files.writeFileSync(seen, '');
      process.kill(process.pid, 'SIGKILL');
    }`;
  const analysis = open({ script: await script(endFirst) });
  expect(await analysis.certify(program, signal)).toMatchObject({ state: 'computed' });
});

test('a certificate above the bound is left out whole, and the package says so', async () => {
  const program = await readTipJar();
  const certifier = new Certifier(program);
  const analysis = open({ bounds: { ...analysisBounds, functions: 1 } });
  const outcome = await analysis.certify(program, signal);
  expect(outcome).toMatchObject({
    state: 'unread',
    reason: expect.stringMatching(/^\d+ functions have no certificate/),
  });
  const certificate = certifier.certify(certifier.targets[0]!);
  expect(outcome.certificates).toMatchObject([{ hash: certificateHash(certificate), certificate }]);
});

test('the sentences of a certificate count towards the bound of its package', async () => {
  const program = await readTipJar();
  const certifier = new Certifier(program);
  const certificate = certifier.certify(certifier.targets[0]!);
  const bytes = Buffer.byteLength(canonicalJson(certificate));
  const stored = bytes + Buffer.byteLength(JSON.stringify(briefCertificate(certificate)));
  const certify = async (packageBytes: number) => {
    const analysis = open({ bounds: { ...analysisBounds, functions: 1, packageBytes } });
    return (await analysis.certify(program, signal)).certificates.length;
  };
  expect([await certify(stored), await certify(stored - 1)]).toEqual([1, 0]);
});

test('one process certifies packages one after another, and a new one those after its end', async () => {
  const program = await readTipJar();
  const count = `let made = 0; process.on('message', () => process.send({ tooLarge: ++made }));
    process.send({ tooLarge: ++made });`;
  const analysis = open({ script: await script(count) });
  const certify = async () => {
    const outcome = await analysis.certify(program, signal);
    return outcome.state === 'unread' && outcome.reason.split(' ')[0];
  };
  expect([await certify(), await certify(), await certify()]).toEqual(['1', '2', '3']);
  analysis.end();
  expect(await certify()).toBe('1');
});

test('the processor time of a package does not count for the next one', async () => {
  const program = await readTipJar();
  const use = `const use = async () => {
      await boundProcess(bounds);
      const from = process.cpuUsage();
      for (let used = { user: 0, system: 0 }; used.user + used.system < 300_000; ) used = process.cpuUsage(from);
      process.send({ tooLarge: 0 });
    };
    process.on('message', use);
    use();`;
  const analysis = open({ bounds: { ...analysisBounds, processorMs: 1_000 }, script: await script(use) });
  for (let n = 0; n < 6; n++) {
    expect(await analysis.certify(program, signal)).toMatchObject({ state: 'computed' });
  }
});
