import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { marketplaceServer } from './server.ts';

/** Connects a client to tools of a marketplace that answers no request. */
async function connect() {
  const fetch = () => Promise.reject(new Error('the tools sent a request'));
  const server = marketplaceServer({ baseUrl: 'http://127.0.0.1:1', fetch });
  const client = new Client({ name: 'test', version: '1' });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  onTestFinished(() => client.close());
  return client;
}

test.each([
  [{}, 'action, owner, walletId'],
  [{ action: 'swap', owner: '0x1' }, 'walletId'],
])('a call without a field that every action has names the field', async (request, missing) => {
  const client = await connect();
  for (const name of ['simulate_action', 'run_action']) {
    const { isError, content } = await client.callTool({ name, arguments: { request } });
    expect([name, isError]).toEqual([name, true]);
    const [part] = content;
    expect(JSON.parse(part?.type === 'text' ? part.text : '').error).toEqual({
      code: 'invalid_arguments',
      detail: `request: missing ${missing}. Each action needs these fields.`,
    });
  }
});
