import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { address, type SeededListing } from '../../../test/support/read-model.ts';

const script = '</script><script>alert(1)</script>';
const op = {
  kind: 'pay',
  module: 'jar',
  entry: 'put',
  label: 'Put in',
  call: { typeArgs: ['coinIn'], args: [{ role: 'wallet' }, { role: 'amount' }] },
};

let gateway: TestGateway;
let jar: SeededListing;
let risky: SeededListing;
let hidden: SeededListing;
beforeAll(async () => {
  gateway = await startTestGateway(async (seed) => {
    jar = await seed.listing({
      manifest: { name: 'Jar', ops: [op], supportedCoins: ['0x2::sui::SUI'], feeBps: 25 },
      usage: { actions: 12, uniqueVaults: 3 },
    });
    const warning = { code: 'witness_returned', detail: 'A function returns the witness.' } as const;
    risky = await seed.listing({
      manifest: { name: script, summary: script },
      row: { witnessWarnings: [warning] },
    });
    await seed.listing({ manifest: { name: 'Old jar', deprecated: 'Use Jar.' } });
    hidden = await seed.listing({ manifest: { name: 'Hidden' }, row: { publisherCheck: 'unverified' } });
  });
});
afterAll(() => gateway.close());

async function getPage(query: Record<string, string>) {
  const url = `${gateway.url}/compare?${new URLSearchParams({ network: 'testnet', ...query })}`;
  const answer = await fetch(url, { headers: { accept: 'text/html' } });
  expect(answer.status).toBe(200);
  return (await answer.text()).split('<main')[1]!;
}

/** The two cells of a row, without tags. */
function readRow(page: string, name: string): string[] {
  const [, cells] = new RegExp(`<th scope="row">${name}</th>([\\s\\S]*?)</tr>`).exec(page)!;
  return cells!
    .split('</td>')
    .slice(0, 2)
    .map((cell) =>
      cell
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    );
}

test('two adaptors are side by side with operations, coins, fees, verdicts, use and reviews', async () => {
  const page = await getPage({ a: jar.serviceType, b: risky.serviceType });
  expect(readRow(page, 'What it may do with your wallet')).toEqual([
    'Put in : Takes the amount you name of SUI from your wallet.',
    'None of its operations can be run by this marketplace.',
  ]);
  expect(readRow(page, 'Coins')).toEqual(['SUI', 'any']);
  expect(readRow(page, 'Fee')).toEqual([expect.stringContaining('0.25 %'), 'the manifest names none']);
  expect(readRow(page, 'Code')).toEqual([
    'No warning about its code What the code can do',
    'Do not grant to it A function returns the witness. What the code can do',
  ]);
  for (const { serviceType } of [jar, risky])
    expect(page).toContain(`<a href="/a/testnet/${serviceType}#certificate">What the code can do</a>`);
  expect(readRow(page, 'Use')[0]).toContain('12 uses in all, by 3 wallets');
  expect(readRow(page, 'Reviews')).toEqual(['No reviews', 'No reviews']);
  expect(page).not.toContain(script);
});

test.each([
  ['nothing', () => ({}), 'Choose the first of two adaptors.'],
  ['one', () => ({ a: jar.serviceType }), 'with another adaptor.'],
  ['the second alone', () => ({ b: jar.serviceType }), 'with another adaptor.'],
  ['the same one twice', () => ({ a: jar.serviceType, b: jar.serviceType }), 'with another adaptor.'],
  ['markup', () => ({ a: script, b: '0x2::a' }), 'Choose the first of two adaptors.'],
])('a url that names %s lets the reader choose', async (_, query, words) => {
  const page = await getPage(query());
  expect(page).toContain(words);
  expect(page).not.toContain('class="compare"');
  expect(page).not.toContain(script);
  expect(page).not.toContain('Hidden');
});

test('an id that is not a service type is named', async () => {
  const page = await getPage({ a: jar.serviceType, b: `${jar.serviceType}<i>` });
  expect(page).toContain('This is not a service type');
  expect(page).toContain(`${jar.serviceType}&lt;i>`);
});

test('an adaptor that is named twice does not count as missing in the catalog', async () => {
  const page = await getPage({ a: jar.serviceType, b: jar.serviceType });
  expect(page).toContain('with another adaptor.');
  expect(page).not.toContain('does not show this adaptor');
});

test('an adaptor that the catalog does not show is named, and not compared', async () => {
  for (const type of [hidden.serviceType, `${address(0x999)}::a::A`]) {
    const page = await getPage({ a: jar.serviceType, b: type });
    expect(page).toContain('does not show this adaptor');
    expect(page).toContain(type);
  }
});

test('the choice keeps the adaptor that is chosen, and leaves it out', async () => {
  const page = await getPage({ b: jar.serviceType, q: '' });
  const target = `/compare?network=testnet&amp;b=${encodeURIComponent(jar.serviceType)}&amp;a=${encodeURIComponent(risky.serviceType)}`;
  expect(page).toContain(`<a href="${target}">`);
  expect(page.match(/<li><a href="\/compare/g)).toHaveLength(2);
  expect(page).toContain(`<input type="hidden" name="b" value="${jar.serviceType}"`);
});

test('the choice marks the deprecated adaptors alone', async () => {
  const page = await getPage({ a: risky.serviceType });
  const items = page.split('<li>').filter((item) => item.includes('href="/compare'));
  expect(items.map((item) => [item.includes('Old jar'), item.includes('Deprecated')]).toSorted()).toEqual([
    [false, false],
    [true, true],
  ]);
});

test('the page of an adaptor without new owners does not count them', async () => {
  const answer = await fetch(`${gateway.url}/a/testnet/${jar.serviceType}`, {
    headers: { accept: 'text/html' },
  });
  const page = await answer.text();
  expect(page).toContain('Owners');
  expect(page).not.toContain('(0 new)');
});

test('the page of an adaptor leads to its comparison', async () => {
  const answer = await fetch(`${gateway.url}/a/testnet/${jar.serviceType}`, {
    headers: { accept: 'text/html' },
  });
  expect(await answer.text()).toContain(
    `href="/compare?network=testnet&amp;a=${encodeURIComponent(jar.serviceType)}"`,
  );
});
