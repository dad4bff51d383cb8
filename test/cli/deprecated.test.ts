import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from '../support/cli/run-command.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { connectNew } from '../support/mcp-clients.ts';
import { address, type SeededListing } from '../support/read-model.ts';

const reason = 'Version 2 takes less';

let gateway: TestGateway;
let successor: SeededListing;
let said: { deprecated: string; successor: string };
beforeAll(async () => {
  gateway = await startTestGateway(async (seed) => {
    successor = await seed.listing({ manifest: { name: 'Jar two' } });
    said = { deprecated: reason, successor: successor.serviceType };
    await seed.listing({ manifest: { name: 'Jar one', ...said } });
    await seed.listing({
      publisher: address(0xbad),
      row: { publisherCheck: 'unverified' },
      manifest: { name: 'Jar three', ...said },
    });
  });
});
afterAll(() => gateway.close());

const catalog = (...words: string[]) =>
  runCommand(['catalog', ...words, '--all'], { MARKETPLACE_URL: gateway.url });

test('the catalog on a terminal names the successor that a verified publisher names, and no other', async () => {
  const { code, out } = await catalog();
  expect(code).toBe(0);
  const lines = out.split('\n').filter((line) => line.startsWith('warning'));
  expect(lines).toEqual([
    `warning  Jar one is deprecated by its publisher, who names ${successor.serviceType} in its place: ${reason}`,
  ]);
});

test('programs and models read the reason and the successor', async () => {
  const { out } = await catalog('--json');
  const { tools } = await connectNew(gateway.url);
  const { structuredContent } = await tools.call('search_adaptors', { q: 'Jar one' });
  await tools.close();
  for (const { adaptors } of [JSON.parse(out), structuredContent]) {
    const old = adaptors.find(({ manifest }: { manifest: { name: string } }) => manifest.name === 'Jar one');
    expect(old.manifest).toMatchObject(said);
  }
});
