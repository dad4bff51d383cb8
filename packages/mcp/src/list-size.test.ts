import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { schemas } from './generated/schemas.ts';
import { toolOperations } from './operations.ts';
import { marketplaceServer } from './server.ts';

async function listTools() {
  const server = marketplaceServer({ baseUrl: 'http://127.0.0.1:1' });
  const client = new Client({ name: 'test', version: '1' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  onTestFinished(() => client.close());
  return (await client.listTools()).tools;
}

test('the list of tools is below 20 kB, with the fields of every action', async () => {
  const tools = await listTools();
  expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThan(20_000);
  expect(tools.filter(({ outputSchema }) => outputSchema !== undefined)).toEqual([]);
  const text = JSON.stringify(tools.find(({ name }) => name === 'simulate_action'));
  for (const fields of ['spend(coinType, amount, recipient, capId?)', 'compose(steps)', 'perpOrder(marketId'])
    expect(text).toContain(fields);
});

test('the fields of an action say which values a choice has, and what the entries of a list are', async () => {
  const text = JSON.stringify((await listTools()).find(({ name }) => name === 'simulate_action'));
  for (const fields of [
    'side=long|short',
    'clmmLiquidity(operation=open, poolId, positionName, tickLower',
    'clmmLiquidity(operation=close, poolId, positionName)',
    'spends: [{ coinType, amount }]',
    'lendingADeposit|lendingAWithdraw|',
  ])
    expect(text).toContain(fields);
});

test('a default that a tool describes is the one that it sends', () => {
  for (const [name, { defaults = {} }] of Object.entries(toolOperations)) {
    const properties = schemas[name]!.input.properties as Record<
      string,
      { default?: unknown; description?: string }
    >;
    for (const [argument, value] of Object.entries(defaults)) {
      expect([name, properties[argument]?.default]).toEqual([name, value]);
      expect(properties[argument]?.description).toMatch(new RegExp(`; default: ${value}\\.?$`));
    }
  }
});
