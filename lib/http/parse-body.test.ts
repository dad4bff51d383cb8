import { createServer, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildRequest } from '../../test/support/build-request.ts';
import { listenLocally } from '../../test/support/listen-locally.ts';
import { examples } from '../actions/examples.ts';
import { actionRequest } from '../actions/request.ts';
import {
  confirmAdaptorRequest,
  executorKeyChange,
  executorKeyRequest,
  freezeRequest,
  planRequest,
} from '../agent/shapes.ts';
import type { ProblemError } from '../errors/index.ts';
import { parseBody } from './parse.ts';

let server: Awaited<ReturnType<typeof listenLocally>>;
let read: (req: IncomingMessage) => Promise<unknown>;
beforeAll(async () => {
  server = await listenLocally(
    createServer((req, res) => {
      read(req).then(
        (value) => res.end(JSON.stringify(value)),
        ({ errors }: ProblemError) => res.writeHead(400).end(JSON.stringify(errors)),
      );
    }),
  );
});
afterAll(() => server.close());

async function fetchErrors(schema: Parameters<typeof parseBody>[1], body: unknown): Promise<unknown> {
  read = (req) => parseBody({ req }, schema, 10_000);
  const answer = await fetch(server.url, buildRequest(JSON.stringify(body)));
  expect(answer.status).toBe(400);
  return answer.json();
}

test('an unknown field of a strict body comes with the name that it was probably meant to be', async () => {
  const key = { walletId: '0x1', maxperrun: [], expires_ms: 1, shoeSize: 43 };
  expect(await fetchErrors(executorKeyRequest, key)).toEqual([
    { path: 'body.maxperrun', message: 'unknown field; did you mean maxPerRun?' },
    { path: 'body.expires_ms', message: 'unknown field; did you mean expiresMs?' },
    { path: 'body.shoeSize', message: 'unknown field' },
  ]);
});

test('a missing field is named by its own path', async () => {
  expect(await fetchErrors(executorKeyRequest, { maxPerRun: [{ amount: '1' }] })).toEqual([
    { path: 'body.walletId', message: 'is missing' },
    { path: 'body.maxPerRun.0.coinType', message: 'is missing' },
  ]);
});

test('also within a list, and by the names of the very action', async () => {
  const bounds = [{ coinType: '0x2::sui::SUI', amount: '1', amont: '2' }];
  expect(await fetchErrors(executorKeyRequest, { walletId: '0x1', maxPerRun: bounds })).toEqual([
    { path: 'body.maxPerRun.0.amont', message: 'unknown field; did you mean amount?' },
  ]);
  const common = { owner: '0x1', walletId: '0x2', network: 'testnet' };
  const swap = { coinIn: '0x2::sui::SUI', coinOut: '0x3::usd::USD', amountIn: '1', minOut: '1' };
  expect(await fetchErrors(actionRequest, { ...common, action: 'swap', ...swap, adapter: 'x' })).toEqual([
    { path: 'body.adapter', message: 'unknown field; did you mean adaptor?' },
  ]);
  const steps = [
    { action: 'swap', ...swap },
    { action: 'swap', ...swap, capid: '0x1', min_out: '1' },
  ];
  expect(await fetchErrors(actionRequest, { ...common, action: 'compose', steps })).toEqual([
    // Only a spend has a capId.
    { path: 'body.steps.1.capid', message: 'unknown field' },
    { path: 'body.steps.1.min_out', message: 'unknown field; did you mean minOut?' },
  ]);
});

/** A name with two letters swapped that is none of the other names. */
function misspelt(name: string): string {
  const [first = '', second = ''] = name.slice(-2);
  return `${name.slice(0, -2)}${second}${first}x`;
}

test('each field of each action is missed where it is misspelt, so that no bound is dropped', async () => {
  for (const example of Object.values(examples)) {
    for (const name of Object.keys(example)) {
      // The discriminator has no nearest name: without it, the other fields are unknown.
      if (name === 'action' || name === 'operation') continue;
      const { [name]: value, ...others } = example as Record<string, unknown>;
      const errors = await fetchErrors(actionRequest, { ...others, [misspelt(name)]: value });
      const path = `body.${misspelt(name)}`;
      expect(errors).toContainEqual({ path, message: expect.stringMatching(/^unknown field/) });
    }
  }
});

test.each([
  [planRequest, { owner: '0x1', plan: 'pro', endsms: 1 }, 'endsms', 'endsMs'],
  [freezeRequest, { reason: 'leak', walletid: '0x1' }, 'walletid', 'walletId'],
  [executorKeyChange, { maxPerDays: [] }, 'maxPerDays', 'maxPerDay'],
  [confirmAdaptorRequest, { network: 'testnet', manifesthash: 'ab' }, 'manifesthash', 'manifestHash'],
])('what guards money is strict: %#', async (schema, body, given, meant) => {
  expect(await fetchErrors(schema, body)).toContainEqual({
    path: `body.${given}`,
    message: `unknown field; did you mean ${meant}?`,
  });
});
