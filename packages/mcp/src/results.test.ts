import { createMarketplace, MarketplaceError } from '@adaptor-marketplace/sdk';
import { expect, test } from 'vitest';
import { toToolError } from './results.ts';

test('a client over stdio, which sends no headers, reads where its key belongs', async () => {
  const market = createMarketplace({
    baseUrl: 'http://127.0.0.1',
    fetch: async () => Response.json({ whatToDo: 'Send a credential of a kind that `detail` names.' }),
  });
  const refused = new MarketplaceError(new Response(null, { status: 401 }), {
    code: 'unauthorized',
    detail: 'Send an executor key (authorization: Bearer ek_...).',
  });
  const { content } = await toToolError(market, refused);
  const [answer] = content as { text: string }[];
  expect(JSON.parse(answer!.text).error.whatToDo).toBe(
    'Send a credential of a kind that `detail` names. The program `adaptor-marketplace mcp` takes it from the environment variable MARKETPLACE_EXECUTOR_KEY.',
  );
});
