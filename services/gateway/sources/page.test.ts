import { beforeAll, expect, test } from 'vitest';
import type { SourceVerdict } from '../../../db/queries/catalog/source-verdict.ts';
import { addCertifiedPackages } from '../../../db/queries/certificates.ts';
import { recordVerification } from '../../../db/queries/package-sources/builds.ts';
import { encodeContent } from '../../../db/queries/package-sources/content.ts';
import { addSourceOffer } from '../../../db/queries/package-sources/offers.ts';
import { toReport } from '../../../db/queries/package-sources/report.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { useTestGateway } from '../../../test/support/gateway.ts';
import { address } from '../../../test/support/read-model.ts';

const network = 'testnet';
const framework = address(2);
const [egg, nest, bare] = [address(0xe7701), address(0xe7702), address(0xe7703)];
const serviceType = `${egg}::egg::Egg`;
const script = '</code><script>alert(1)</script>';
const lines = Array.from(
  { length: 1_000 },
  (_, at) => `    let x${at} = ${at}; // ${at % 100 === 0 ? script : 'a line'}`,
);
const files = {
  'Move.toml': '[package]\nname = "egg"\n',
  'sources/egg.move': `module egg::egg;\n\npublic fun lay() {\n${lines.join('\n')}\n}\npublic fun hatch() {}\n`,
  'sources/wide.move': `module egg::wide; // \u202e ${'<'.repeat(300_000)}\n`,
};
const gateway = useTestGateway(async (seed) => {
  const ops = ['lay', 'hatch'].map((entry) => ({ kind: 'Deposit', module: 'egg', entry, label: entry }));
  await seed.listing({ serviceType, row: { packageId: egg }, manifest: { ops } });
  await seed.listing({ serviceType: `${bare}::bare::Bare`, row: { packageId: bare } });
  await seed.source({ checkpoint: 900 });
});

beforeAll(async () => {
  const { pool } = gateway.db;
  await inTransaction(pool, (client) =>
    addCertifiedPackages(
      client,
      network,
      [egg, nest].map((packageId) => ({ packageId, publisher: address(0xa1) })),
    ),
  );
  await pool.query('update certified_packages set reaches = $2 where package_id = $1', [
    egg,
    [egg, framework, nest],
  ]);
  const stored = await encodeContent({ folder: '/egg', packages: new Map([['/egg', files]]) });
  await addSourceOffer(pool, { network, packageId: egg, address: '192.0.2.9', sourceHash: 'ab', ...stored });
  const found = { verdict: 'exact' as SourceVerdict, sourceHash: 'ab', compiler: '1.71.1', dependencies: {} };
  const report = toReport(found as Parameters<typeof toReport>[0]);
  await recordVerification(
    pool,
    { network, packageId: egg, hash: stored.hash },
    { verdict: 'exact', report },
  );
});

async function read(path: string) {
  const response = await fetch(gateway.url + path, { headers: { accept: 'text/html' } });
  return { status: response.status, html: await response.text() };
}

test('the page of an adaptor says what its source is, and of how much code', async () => {
  const { html } = await read(`/a/${network}/${serviceType}`);
  const part = html.slice(html.indexOf('id="source"'), html.indexOf('id="code"'));
  expect(part).toContain('The source builds to the bytes on chain.');
  expect(part).toContain('with the compiler of Sui <bdi>1.71.1</bdi>');
  expect(part).toContain('2 of 3 packages that this code can reach are verified');
  expect(part).toContain(nest);
  expect(part).not.toContain(framework);
  expect(part).toContain('Verified is not safe.');
  const other = await read(`/a/${network}/${bare}::bare::Bare`);
  expect(other.html).toContain('No source was offered for the package.');
});

test('the source is shown in parts below 60 kB, escaped, with links to the functions of operations', async () => {
  const path = `/a/${network}/${serviceType}/source`;
  const { status, html } = await read(path);
  expect(status).toBe(200);
  expect(html.length).toBeLessThan(60_000);
  expect(html).not.toContain('<script>alert');
  expect(html).toContain('&lt;script>alert(1)');
  expect(html).toContain('<span id="L1"><span class="t-k">module</span>');
  // The functions of the operations are marked where they are declared.
  expect([...html.matchAll(/<span id="L(\d+)" class="called">/g)].map(([, line]) => line)).toEqual(['3']);
  expect(html).not.toContain('Where it differs');
  expect(html).toContain('Next lines');
  const [, link] = /href="([^"]*#L1005)"/.exec(html)!;
  const hatch = await read(link!.replaceAll('&amp;', '&'));
  expect(hatch.html).toMatch(/<span id="L1005" class="called">.*hatch/);
  expect(hatch.html).not.toContain('Next lines');
  const named = await read(`${path}?function=egg::hatch`);
  expect(named.html).toMatch(/<code><span id="L1005" class="called">.*hatch/);
  const wide = await read(`${path}?file=egg/sources/wide.move`);
  expect(wide.status).toBe(200);
  expect(wide.html.length).toBeLessThan(60_000);
  expect(wide.html).toContain('\\u{202e}');
  expect(wide.html).not.toContain('\u202e');
});

test('a file that the source does not have is not found, and a package without source says how to offer it', async () => {
  expect((await read(`/a/${network}/${serviceType}/source?file=egg/no.move`)).status).toBe(404);
  expect((await read(`/a/${network}/${address(1)}::no::No/source`)).status).toBe(404);
  const { status, html } = await read(`/a/${network}/${bare}::bare::Bare/source`);
  expect(status).toBe(200);
  expect(html).toContain('/docs/source-verification#offer-source-to-a-marketplace');
});

test('source that is not the code on chain is shown with the functions and instructions that differ, escaped', async () => {
  const { pool } = gateway.db;
  const key = { network, packageId: bare };
  await inTransaction(pool, (client) =>
    addCertifiedPackages(client, network, [{ packageId: bare, publisher: address(0xa1) }]),
  );
  const stored = await encodeContent({ folder: '/bare', packages: new Map([['/bare', files]]) });
  await addSourceOffer(pool, { ...key, address: '192.0.2.8', sourceHash: 'cd', ...stored });
  const modules = Array.from({ length: 5 }, (_, at) => ({
    module: `m${at}`,
    verdict: 'differs' as const,
    differenceCount: 200,
    differences: Array.from({ length: 100 }, (_, nth) => ({
      declaration: `function f${nth}`,
      onChain: `LdU64(${nth}) ${script} ${'x'.repeat(2_000)}`,
      built: '\u202eRet',
    })),
  }));
  const names = Array.from({ length: 300 }, (_, at) => `${script}${at}`);
  const comparison = { verdict: 'differs' as const, modules, missing: names, extra: ['more'] };
  const found = { verdict: 'differs', sourceHash: 'cd', compiler: '1.71.1', dependencies: {}, comparison };
  const report = toReport(found as unknown as Parameters<typeof toReport>[0]);
  await recordVerification(pool, { ...key, hash: stored.hash }, { verdict: 'differs', report });
  const { html } = await read(`/a/${network}/${bare}::bare::Bare/source`);
  expect(html.length).toBeLessThan(60_000);
  expect(html).toContain('Where it differs');
  expect(html.match(/m0: function f\d+/g)).toHaveLength(20);
  expect(html).toContain('980 more');
  expect(html).toContain('and 280 more');
  expect(html).not.toContain('<script>alert');
  expect(html).not.toContain('\u202eRet');
});
