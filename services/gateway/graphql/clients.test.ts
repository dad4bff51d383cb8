import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache, Observable } from '@apollo/client';
import { Client, cacheExchange, fetchExchange, subscriptionExchange } from '@urql/core';
import { print } from 'graphql';
import { serverAudits } from 'graphql-http';
import { createClient } from 'graphql-sse';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { startTestGateway, useTestGateway } from '../../../test/support/gateway.ts';
import { registryEvents } from '../../../test/support/registry-events.ts';

let url: string;
let addEvents: ReturnType<typeof registryEvents>['addEvents'];

const gateway = useTestGateway(async (seed) => {
  await seed.source();
  await seed.listing();
});
beforeAll(() => {
  url = `${gateway.url}/graphql`;
  ({ addEvents } = registryEvents(gateway.db));
});

const counted = 'query Counted($first: Int!) { adaptors(first: $first) { totalCount } }';
const wrong = 'query Wrong { adaptors(after: "abc") { totalCount } }';
const live = 'subscription Live { eventAdded { event { eventId } } }';

/** Adds events until a subscriber has one: a subscription begins with what comes next. */
async function addUntil(seen: readonly unknown[]): Promise<void> {
  await eventually(async () => {
    await addEvents(1);
    expect(seen.length).toBeGreaterThan(0);
  });
}

describe('the audit of GraphQL over HTTP passes', () => {
  const audits = serverAudits({ url: () => url });
  test.each(audits.map((audit) => [audit.name, audit] as const))('%s', async (_, audit) => {
    const result = await audit.fn();
    expect([result.status, 'reason' in result ? result.reason : undefined]).toEqual(['ok', undefined]);
  });
});

describe('graphql-sse', () => {
  test('a query and a subscription come over distinct connections', async () => {
    const client = createClient({ url });
    const results = client.iterate({ query: counted, variables: { first: 1 } });
    expect((await results.next()).value).toMatchObject({ data: { adaptors: { totalCount: 1 } } });
    expect((await results.next()).done).toBe(true);
    const values: unknown[] = [];
    const following = (async () => {
      for await (const value of client.iterate({ query: live })) values.push(value);
    })().catch(() => undefined);
    await addUntil(values);
    expect(values[0]).toMatchObject({ data: { eventAdded: { event: { eventId: expect.any(String) } } } });
    client.dispose();
    await following;
  });
});

describe('urql', () => {
  const open = () => new Client({ url, exchanges: [cacheExchange, fetchExchange], preferGetMethod: false });

  test('a query is answered, and its error has the code of the service', async () => {
    const client = open();
    const { data, error } = await client.query(counted, { first: 1 });
    expect([data, error]).toMatchObject([{ adaptors: { totalCount: 1 } }, undefined]);
    const { error: refused } = await client.query(wrong, {});
    expect(refused?.graphQLErrors[0]?.extensions.code).toBe('bad_cursor');
    const got = await client.query(counted, { first: 2 }, { preferGetMethod: true });
    expect(got.data).toMatchObject({ adaptors: { totalCount: 1 } });
  });

  async function expectValues(client: Client): Promise<void> {
    const values: unknown[] = [];
    const { unsubscribe } = client.subscription(live, {}).subscribe(({ data }) => {
      if (data) values.push(data);
    });
    await addUntil(values);
    expect(values[0]).toMatchObject({ eventAdded: { event: { eventId: expect.any(String) } } });
    unsubscribe();
  }

  test('a subscription is followed by its own fetch', async () => {
    const exchanges = [fetchExchange];
    await expectValues(new Client({ url, exchanges, fetchSubscriptions: true, preferGetMethod: false }));
  });

  test('a subscription is followed with graphql-sse', async () => {
    const sse = createClient({ url });
    const forwarding = subscriptionExchange({
      forwardSubscription: ({ query = '', variables = {} }) => ({
        subscribe: (sink) => ({ unsubscribe: sse.subscribe({ query, variables }, sink as never) }),
      }),
    });
    await expectValues(new Client({ url, exchanges: [forwarding], preferGetMethod: false }));
    sse.dispose();
  });
});

describe('Apollo Client', () => {
  test('a query is answered, and its error has the code of the service', async () => {
    const client = new ApolloClient({ link: new HttpLink({ uri: url }), cache: new InMemoryCache() });
    const { data } = await client.query({ query: gql(counted), variables: { first: 1 } });
    expect(data).toMatchObject({ adaptors: { totalCount: 1 } });
    await expect(client.query({ query: gql(wrong) })).rejects.toMatchObject({
      errors: [{ extensions: { code: 'bad_cursor' } }],
    });
    client.stop();
  });

  test('a subscription is followed with graphql-sse', async () => {
    const sse = createClient({ url });
    const link = new ApolloLink(
      ({ query, variables }) =>
        new Observable((sink) => sse.subscribe({ query: print(query), variables }, sink as never)),
    );
    const client = new ApolloClient({ link, cache: new InMemoryCache() });
    const values: unknown[] = [];
    const following = client.subscribe({ query: gql(live) }).subscribe(({ data }) => values.push(data));
    await addUntil(values);
    expect(values[0]).toMatchObject({ eventAdded: { event: { eventId: expect.any(String) } } });
    following.unsubscribe();
    sse.dispose();
    client.stop();
  });

  test('a trusted document is executed by the hash that its persisted queries send', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'clients-'));
    const file = join(folder, 'trusted.json');
    const { PersistedQueryLink } = await import('@apollo/client/link/persisted-queries');
    const hash = (text: string) => createHash('sha256').update(text).digest('hex');
    const document = gql(counted);
    const sent = print(new InMemoryCache().transformDocument(document));
    writeFileSync(file, JSON.stringify({ [hash(sent)]: sent }));
    const closed = await startTestGateway((seed) => seed.listing(), { trustedDocuments: file });
    try {
      const persisted = new PersistedQueryLink({ generateHash: async (query) => hash(print(query)) });
      const link = persisted.concat(new HttpLink({ uri: `${closed.url}/graphql` }));
      const client = new ApolloClient({ link, cache: new InMemoryCache() });
      const { data } = await client.query({ query: document, variables: { first: 1 } });
      expect(data).toMatchObject({ adaptors: { totalCount: 1 } });
      client.stop();
    } finally {
      await closed.close();
      rmSync(folder, { recursive: true });
    }
  });
});
