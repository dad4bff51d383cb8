import { expect, test } from 'vitest';
import { callTool } from '../../../test/support/call-tool.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { useTestGateway } from '../../../test/support/gateway.ts';
import { queryGraph } from '../../../test/support/graph-queries.ts';
import { address } from '../../../test/support/read-model.ts';
import { giveVerdict } from '../../../test/support/verified-source.ts';

const verdicts = ['exact', 'same_code', 'same_but_error_lines', 'differs', 'not_built', null] as const;
const packages = verdicts.map((_, at) => address(0x50e0 + at));
const types = packages.map((packageId) => `${packageId}::adaptor::Witness`);

const gateway = useTestGateway(async (seed) => {
  await seed.source({ checkpoint: 1 });
  for (const [at, serviceType] of types.entries()) {
    await seed.listing({
      serviceType,
      manifest: { name: `Nest ${at}`, category: at === 0 ? 'Lend' : 'Swap' },
    });
  }
  const stranger = { publisherCheck: 'unverified' as const };
  await seed.listing({ serviceType: `${packages[0]}::other::Witness`, row: stranger });
});

const list = async (query: string): Promise<{ serviceType: string; sourceVerdict: string | null }[]> => {
  const response = await fetch(`${gateway.url}/api/adaptors?${query}`);
  expect(response.status).toBe(200);
  return (await response.json()).adaptors;
};
const listTypes = async (query: string) => (await list(query)).map(({ serviceType }) => serviceType).sort();

test('a verdict shows in the cached catalog, and a filter finds what does what its source says', async () => {
  expect((await list('')).map(({ sourceVerdict }) => sourceVerdict)).toEqual(verdicts.map(() => null));
  expect(await list('sourceMatches=true')).toEqual([]);
  for (const [at, verdict] of verdicts.entries()) {
    if (verdict !== null) await giveVerdict(gateway.db.pool, packages[at]!, verdict);
  }
  await eventually(async () => {
    const shown = new Map((await list('')).map((entry) => [entry.serviceType, entry.sourceVerdict]));
    expect(types.map((type) => shown.get(type))).toEqual(verdicts);
  });
  expect(await listTypes('sourceMatches=true')).toEqual(types.slice(0, 2));
  expect(await listTypes('sourceMatches=true&include=unverified')).toHaveLength(3);
  for (const other of ['category=Lend', 'q=nest&category=Lend&sort=name'])
    expect(await listTypes(`sourceMatches=true&${other}`), other).toEqual(types.slice(0, 1));
  for (const sort of ['rank', 'trending', 'recent', 'usage', 'rating', 'updated', 'name'])
    expect(await listTypes(`sourceMatches=true&sort=${sort}`), sort).toEqual(types.slice(0, 2));
  expect((await fetch(`${gateway.url}/api/adaptors?sourceMatches=yes`)).status).toBe(400);
});

test('the graph has the verdict and the same filter, with pages that join', async () => {
  interface Found {
    adaptors: {
      totalCount: number;
      edges: { node: { serviceType: string; sourceVerdict: string } }[];
      pageInfo: { endCursor: string };
    };
  }
  const read = async (after: string | null) =>
    (
      await queryGraph<Found>(
        gateway.url,
        `query ($after: String) { adaptors(first: 1, after: $after, filter: { sourceMatches: true }) {
          totalCount edges { node { serviceType sourceVerdict } } pageInfo { endCursor } } }`,
        { after },
      )
    ).data.adaptors;
  const first = await read(null);
  const second = await read(first.pageInfo.endCursor);
  expect([first.totalCount, second.totalCount]).toEqual([2, 2]);
  const nodes = [...first.edges, ...second.edges].map(({ node }) => node);
  expect(nodes.map(({ serviceType }) => serviceType).sort()).toEqual(types.slice(0, 2));
  expect(nodes.map(({ sourceVerdict }) => sourceVerdict).sort()).toEqual(['EXACT', 'SAME_CODE']);
});

test('cards and pages name a verdict that speaks for the code, and never that of a stranger’s text', async () => {
  const read = async (path: string) =>
    (await fetch(gateway.url + path, { headers: { accept: 'text/html' } })).text();
  const catalog = await read('/');
  for (const words of ['Source: exact', 'Source: same code', 'Source: same but for error lines'])
    expect(catalog.split(words), words).toHaveLength(2);
  for (const words of ['Source: differs', 'Source: not built']) expect(catalog).not.toContain(words);
  expect(catalog).toContain('?sourceMatches=true');
  const filtered = await read('/?sourceMatches=true');
  expect(filtered).toContain('2 adaptors');
  expect(filtered).not.toContain('Source: same but for error lines');
  expect(await read(`/a/testnet/${types[0]}`)).toContain('Source: exact');
  expect(await read(`/a/testnet/${types[3]}`)).not.toContain('Source: differs');
});

test('the MCP tools find it, and show the verdict of a listing', async () => {
  expect((await callTool(gateway.url, 'search_adaptors', { sourceMatches: 'true' })).count).toBe(2);
  const { adaptor } = await callTool(gateway.url, 'describe_adaptor', { serviceType: types[1]! });
  expect(adaptor.sourceVerdict).toBe('same_code');
});
