import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { testPackages, useTestGateway } from '../../../test/support/gateway.ts';
import { graphReaders } from '../../../test/support/graph-readers.ts';

const readers = graphReaders(() => gateway.url);
const { subscribe, openRaw } = readers;
const gateway = useTestGateway((seed) => seed.source(), { network: testPackages });
afterEach(() => readers.close());

describe('a subscription is refused', () => {
  test.each([
    ['a cursor of nobody', 'subscription { eventAdded(after: "abc") { cursor } }', 'bad_cursor'],
    [
      'a cursor of another subscription',
      'subscription { adaptorChanged(after: "1.0.0") { cursor } }',
      'bad_cursor',
    ],
    [
      'a wallet id that is none',
      'subscription { walletChanged(walletId: "bob") { cursor } }',
      'invalid_argument',
    ],
    ['a run that is none', 'subscription { runProgress(runId: "../x") { cursor } }', 'invalid_argument'],
    [
      'a network that is not served',
      'subscription { eventAdded(chain: MAINNET) { cursor } }',
      'network_not_configured',
    ],
    [
      'more names than an event is compared with',
      `subscription { eventAdded(names: [${'"a" '.repeat(101)}]) { cursor } }`,
      'invalid_argument',
    ],
    ['no such field', 'subscription { nothing }', 'invalid_query'],
    ['two fields', 'subscription { eventAdded { cursor } adaptorChanged { cursor } }', 'invalid_query'],
    [
      'what each subscriber would have to be read for',
      'subscription { adaptorChanged { adaptor { versions(first: 1) { edges { cursor } } } } }',
      'query_too_large',
    ],
    ['a host without agent', 'subscription { runProgress(runId: "1") { cursor } }', 'agent_not_configured'],
  ])('%s', async (_, query, code) => {
    const refused = subscribe(query);
    await eventually(async () => expect([refused.ended(), refused.codes[0]]).toEqual([true, code]));
  });

  test.each([
    ['a cursor', 'subscription { mine: eventAdded(after: "abc") { cursor } }', 'mine'],
    [
      'an argument below its fragment',
      'subscription { ...live } fragment live on Subscription { runProgress(runId: "../x") { cursor } }',
      'runProgress',
    ],
    ['an agent that the host has not', 'subscription { run: runProgress(runId: "1") { cursor } }', 'run'],
  ])('for %s, with the path of its field', async (_, query, path) => {
    const refused = subscribe(query);
    await eventually(async () => expect([refused.ended(), refused.paths]).toEqual([true, [path]]));
  });

  test('for a variable that is not of its type, without a path, as no field is wrong', async () => {
    const query = 'subscription ($after: String) { eventAdded(after: $after) { cursor } }';
    const refused = subscribe(query, { after: 7 });
    const found = () => [refused.ended(), refused.codes, refused.paths];
    await eventually(async () => expect(found()).toEqual([true, ['invalid_query'], [undefined]]));
  });

  test('a wrong Last-Event-ID', async () => {
    const stream = await openRaw('subscription { eventAdded { cursor } }', { 'last-event-id': 'x' });
    await eventually(async () => expect(stream.text()).toContain('bad_cursor'));
  });

  test.each([
    ['application/json', 406],
    ['application/graphql-response+json', 406],
    ['text/event-stream;q=0', 406],
    ['*/*', 200],
    ['text/event-stream', 200],
  ])('only where its caller takes no stream: accept is %s', async (accept, status) => {
    const stopped = new AbortController();
    const answer = await fetch(
      `${gateway.url}/graphql?query=${encodeURIComponent('subscription { eventAdded { cursor } }')}`,
      { headers: { accept }, signal: stopped.signal },
    );
    expect(answer.status).toBe(status);
    stopped.abort();
  });
});
