import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { quarantine, release } from '../../db/queries/catalog/quarantines.ts';
import type { Position } from '../../db/queries/registry-events.ts';
import { resendSince } from '../../db/queries/webhooks/deliveries.ts';
import { readConcerning } from '../../db/queries/webhooks/events.ts';
import { readBacklogs } from '../../db/queries/webhooks/positions.ts';
import { listStreams } from '../../db/queries/webhooks/streams.ts';
import { deriveSigningKeys, signBody } from '../../lib/webhooks/signing.ts';
import { eventually } from '../../test/support/eventually.ts';
import { address, readModelBuilder } from '../../test/support/read-model.ts';
import { addServiceEvents } from '../../test/support/service-events.ts';
import { walletRows } from '../../test/support/wallet-rows.ts';
import { useDispatching } from '../../test/support/webhooks.ts';

const { world, receiver, dispatcher } = useDispatching();
let seed: ReturnType<typeof readModelBuilder>;
let wallets: ReturnType<typeof walletRows>;
beforeAll(() => {
  seed = readModelBuilder(world.db);
  wallets = walletRows(world.db);
});

const both = ['Registered', 'Quarantined', 'QuarantineLifted'] as const;

test('a subscription gets the events of both logs, those of each once and in order, and those of the chain under their ids', async () => {
  await addServiceEvents(world.db, 2);
  const { url, received } = await receiver();
  await world.subscribe(url, { events: [...both], secret: 'the-secret-of-this-test' });
  const ofChain = await world.addEvents(70);
  const ofService = await addServiceEvents(world.db, 70);
  const one = dispatcher();
  expect(await one.dispatch('testnet')).toMatchObject({ events: 140, delivered: 140, pending: 0 });
  expect(await one.dispatch('testnet')).toMatchObject({ events: 0, delivered: 0, pending: 0 });
  const ids = received.map(({ headers }) => headers['webhook-id']);
  expect(ids.filter((id) => id?.startsWith('svc_'))).toEqual(ofService);
  expect(ids.filter((id) => !id?.startsWith('svc_'))).toEqual(ofChain);
  const { headers, body } = received.find((each) => each.headers['webhook-id'] === ofService[0])!;
  expect(headers['x-svc-event']).toBe('Quarantined');
  expect(headers['x-svc-signature']).toBe(signBody(deriveSigningKeys('the-secret-of-this-test'), body));
  expect(JSON.parse(String(body))).toEqual({
    network: 'testnet',
    event: 'Quarantined',
    data: { serviceType: '0x1::a::A', publisher: null, reason: 'reason 0' },
    timestampMs: expect.any(Number),
    id: ofService[0],
  });
});

test('a subscription that does not name them gets no events of the service', async () => {
  const { url, ids } = await receiver();
  const { id } = await world.subscribe(url, { events: ['Registered', 'Updated', 'Unlisted', 'Attested'] });
  await addServiceEvents(world.db, 3);
  const [event] = await world.addEvents(1);
  await dispatcher().dispatch('testnet');
  expect(ids()).toEqual([event]);
  await world.change(id, { events: ['Quarantined'] });
  const [later] = await addServiceEvents(world.db, 1);
  await dispatcher().dispatch('testnet');
  expect(ids()).toEqual([event, later]);
});

test('a subscription from before the log of the service gets what follows when it asks for it', async () => {
  const { url, ids } = await receiver();
  const { id } = await world.subscribe(url, { events: ['Quarantined'] });
  await world.db.pool.query(
    `delete from webhook_positions where subscription = $1 and stream like '%.service'`,
    [id],
  );
  const added = await addServiceEvents(world.db, 2);
  await dispatcher().dispatch('testnet');
  expect(ids()).toEqual(added);
});

test('an event of the service that fails is sent again under its id, and by a replay once more', async () => {
  let calls = 0;
  const { url, ids } = await receiver((response) => response.writeHead(++calls < 3 ? 500 : 200).end());
  const { id } = await world.subscribe(url, { events: ['Quarantined'] });
  const [event] = await addServiceEvents(world.db, 1);
  const one = dispatcher();
  one.start();
  await eventually(async () => expect(ids()).toEqual([event, event, event]));
  await eventually(async () => {
    expect(await world.readSubscriptionDeliveries(id)).toMatchObject([
      { id: expect.stringMatching(/^testnet\.service\.\d+\.0\.0$/), eventId: event, state: 'delivered' },
    ]);
  });
  const [, stream] = listStreams('testnet');
  const resent = { subscription: id, events: ['Quarantined'], stream, since: new Date(0), limit: 100 };
  expect((await resendSince(world.db.pool, resent)).count).toBeGreaterThan(0);
  await eventually(async () => expect(ids().filter((one) => one === event)).toHaveLength(4));
});

test('a decision of the operator is sent, and one that is rolled back is not', async () => {
  const { url, received } = await receiver();
  await world.subscribe(url, { events: ['Quarantined', 'QuarantineLifted'] });
  const { serviceType, publisher } = await seed.listing();
  const decision = { network: 'testnet', operator: 'Ada' };
  await quarantine(world.db.pool, { ...decision, subject: serviceType, reason: 'It drains' });
  await quarantine(world.db.pool, { ...decision, subject: serviceType, reason: 'again' });
  await release(world.db.pool, { ...decision, subject: serviceType, reason: 'It was fixed' });
  await quarantine(world.db.pool, { ...decision, subject: publisher, reason: 'All of them' });
  await quarantine(world.db.pool, { ...decision, subject: '0x1::no::Listing', reason: 'unknown' });
  await dispatcher().dispatch('testnet');
  const bodies = received.map(({ body }) => JSON.parse(String(body)));
  expect(bodies.map(({ event, data }) => [event, data])).toEqual([
    ['Quarantined', { serviceType, publisher: null, reason: 'It drains' }],
    ['QuarantineLifted', { serviceType, publisher: null, reason: 'It was fixed' }],
    ['Quarantined', { serviceType: null, publisher, reason: 'All of them' }],
  ]);
});

/** Stores the version of a listing that an event of the chain set. */
const storeVersion = (event: string, serviceType: string) =>
  world.db.pool.query(
    `insert into listing_versions (network, checkpoint, tx_index, event_index, service_type, publisher, version, listed,
      timestamp)
     select network, checkpoint, tx_index, event_index, $2, 'p', 1, false, timestamp from events
     where tx_digest || ':' || event_index = $1`,
    [event, serviceType],
  );

test('a webhook about a wallet gets the events about what it granted to before them and still grants to, and no others', async () => {
  const { pool } = world.db;
  const wallet = await wallets.wallet(address(0x77));
  const sui = `${address(2)}::sui::SUI`;
  const [granted, other, revoked, later, ofPublisher] = [
    await seed.listing(),
    await seed.listing(),
    await seed.listing(),
    await seed.listing(),
    await seed.listing(),
  ];
  const grant = async (serviceType: string, at: string) => {
    await wallets.grant(wallet, serviceType, sui, '5');
    await pool.query(`update service_grants set first_granted_at = ${at} where service_type = $1`, [
      serviceType,
    ]);
  };
  for (const { serviceType } of [granted, revoked, ofPublisher]) await grant(serviceType, `'2020-01-01'`);
  await grant(later.serviceType, `now() + interval '1 day'`);
  await pool.query('delete from service_grants where service_type = $1', [revoked.serviceType]);

  const { url, ids } = await receiver();
  const events = ['Updated', 'Unlisted', 'Quarantined'] as const;
  const { id } = await world.subscribe(url, { events: [...events], wallet });
  const of = (serviceType: string) => addServiceEvents(world.db, 1, 'Quarantined', { serviceType });
  const expected = await of(granted.serviceType);
  for (const { serviceType } of [other, revoked, later]) await of(serviceType);
  const ofAll = (publisher: string) =>
    addServiceEvents(world.db, 1, 'Quarantined', { serviceType: null, publisher });
  expected.push(...(await ofAll(ofPublisher.publisher)));
  await ofAll(other.publisher);

  // Events of the chain name the type as it was registered. The read model has its canonical form.
  const chain = await world.addEvents(3, 'Unlisted');
  for (const [nth, { serviceType }] of [granted, other, later].entries())
    await storeVersion(chain[nth]!, serviceType);
  const one = dispatcher();
  expect(await readBacklogs(pool, [id], 100)).toHaveLength(2);
  expect(await one.dispatch('testnet')).toMatchObject({ delivered: 3, pending: 0 });
  expect(ids().toSorted()).toEqual([...expected, chain[0]].toSorted());
  expect(await readBacklogs(pool, [id], 100)).toEqual([]);

  // Positions only grow: a later grant brings no old events.
  await grant(other.serviceType, `'2020-01-01'`);
  const [news] = await of(other.serviceType);
  expect(await one.dispatch('testnet')).toMatchObject({ delivered: 1 });
  expect(ids().at(-1)).toBe(news);
  const [, stream] = listStreams('testnet');
  const replay = { subscription: id, events, stream, since: new Date(0), limit: 100 };
  // The present grants count: those of the other service too.
  expect(await resendSince(pool, replay)).toMatchObject({ count: expected.length + 3 });
});

test('an event waits for the wallets and the listings that are read after it, and then those before the next are sent too', async () => {
  const { pool } = world.db;
  const wallet = await wallets.wallet(address(0x78));
  const [serviceType, later, foreign] = [0x5a, 0x5b, 0x5c].map(
    (at) => `${address(at)}::adaptor::Witness`,
  ) as [string, string, string];
  const setWallets = (checkpoint: number, at: string) =>
    pool.query(
      `insert into sources (network, name, chain_id, filter, checkpoint, checkpoint_at, chain_tip)
        values ('testnet', 'wallet', 'chain', 'filter', $1, $2, 1000000)
        on conflict (network, name) do update set checkpoint = excluded.checkpoint, checkpoint_at = excluded.checkpoint_at`,
      [checkpoint, at],
    );
  onTestFinished(() => void pool.query(`delete from sources where name = 'wallet'`));
  await setWallets(1, '2020-01-01');
  const { url, ids } = await receiver();
  const { id } = await world.subscribe(url, { events: ['Unlisted', 'Quarantined'], wallet });
  const everything = await receiver();
  await world.subscribe(everything.url, { events: ['Unlisted', 'Quarantined'] });
  const ofChain = await world.addEvents(2, 'Unlisted');
  for (const event of ofChain) await storeVersion(event, serviceType);
  const [ofService] = await addServiceEvents(world.db, 1, 'Quarantined', { serviceType });
  const one = dispatcher();
  const dispatch = () => one.dispatch('testnet');
  // The other webhook does not wait.
  expect(await dispatch()).toMatchObject({ delivered: 3 });
  expect(await dispatch()).toMatchObject({ delivered: 0 });

  // The wallets are read up to the events: a grant came before them.
  await wallets.grant(wallet, serviceType, `${address(2)}::sui::SUI`, '5');
  await pool.query(`update service_grants set first_granted_at = '2020-01-01' where wallet_id = $1`, [
    wallet,
  ]);
  expect(await dispatch()).toMatchObject({ delivered: 3 });
  expect(ids().toSorted()).toEqual([...ofChain, ofService!].toSorted());

  const registry = async (checkpoint: number | null) =>
    pool.query(`update sources set unsettled_from = $1 where name = 'registry'`, [checkpoint]);
  await registry(1);
  await setWallets(1_000_000, '2030-01-01');
  const [unsettled, other] = await world.addEvents(2, 'Unlisted');
  await wallets.grant(wallet, later, `${address(2)}::sui::SUI`, '5');
  await pool.query(`update service_grants set first_granted_at = '2020-01-01' where wallet_id = $1`, [
    wallet,
  ]);
  expect(await dispatch()).toMatchObject({ delivered: 2 });
  await registry(null);
  await storeVersion(unsettled!, later);
  await storeVersion(other!, foreign);
  expect(await dispatch()).toMatchObject({ delivered: 1 });
  expect(ids().at(-1)).toBe(unsettled);
  expect(await readBacklogs(pool, [id], 100)).toEqual([]);
});

test('an event of a lost commit is undecided until the source has read past it again', async () => {
  const { pool } = world.db;
  const [stream] = listStreams('testnet');
  const [event] = await world.addEvents(1, 'Unlisted');
  const { rows } = await pool.query<{ position: Position }>(
    `select json_build_array(checkpoint, tx_index, event_index) as position from events
      where tx_digest || ':' || event_index = $1`,
    [event],
  );
  const [checkpoint, ...rest] = rows[0]!.position;
  const about = { wallet: null, serviceType: '0x1::a::A', publisher: null };
  const read = (at: number) => readConcerning(pool, stream, [{ ...about, position: [at, ...rest] }]);
  expect(await read(checkpoint + 1)).toEqual([undefined]);
  await world.addEvents(8, 'Unlisted');
  await pool.query('delete from events where checkpoint = $1', [checkpoint + 1]);
  expect(await read(checkpoint + 1)).toEqual([false]);
});

test('a webhook about an adaptor or a publisher gets the events about it, and the position passes the others', async () => {
  const { pool } = world.db;
  const publisher = address(0xb0b);
  const [one, two, foreign] = [
    await seed.listing({ publisher }),
    await seed.listing({ publisher }),
    await seed.listing(),
  ];
  const names = ['Unlisted', 'Attested', 'Quarantined'] as const;
  const subscriptions = { service: { serviceType: one.serviceType }, publisher: { publisher } };
  const both = { serviceType: one.serviceType, publisher: foreign.publisher };
  const receivers = {
    service: await receiver(),
    publisher: await receiver(),
    neither: await receiver(),
  };
  const { id } = await world.subscribe(receivers.service.url, {
    events: [...names],
    ...subscriptions.service,
  });
  await world.subscribe(receivers.publisher.url, { events: [...names], ...subscriptions.publisher });
  await world.subscribe(receivers.neither.url, { events: [...names], ...both });

  const quarantined = (subject: { serviceType: string | null; publisher?: string }) =>
    addServiceEvents(world.db, 1, 'Quarantined', subject);
  const ofService = [
    await quarantined({ serviceType: one.serviceType }),
    await quarantined({ serviceType: null, publisher }),
  ].flat();
  const ofPublisher = [...ofService, ...(await quarantined({ serviceType: two.serviceType }))];
  await quarantined({ serviceType: foreign.serviceType });
  await quarantined({ serviceType: null, publisher: foreign.publisher });

  const place = (event: string, table: string, columns: string, values: string[]) =>
    pool.query(
      `insert into ${table} (network, checkpoint, tx_index, event_index, timestamp, ${columns})
        select network, checkpoint, tx_index, event_index, timestamp, ${values.map((_, at) => `$${at + 2}`).join(', ')}
        from events where tx_digest || ':' || event_index = $1`,
      [event, ...values],
    );
  const versions = await world.addEvents(4, 'Unlisted');
  for (const [nth, [listing, by]] of [
    [one, publisher],
    [two, publisher],
    [foreign, foreign.publisher],
    // Another publisher of the same adaptor.
    [one, foreign.publisher],
  ].entries() as Iterable<[number, [typeof one, string]]>) {
    const values = [listing.serviceType, by, '1', 'false'];
    await place(versions[nth]!, 'listing_versions', 'service_type, publisher, version, listed', values);
  }
  const reviews = await world.addEvents(2, 'Attested');
  for (const [nth, { serviceType }] of [one, foreign].entries()) {
    const values = [serviceType, address(0xa), '5', ''];
    await place(reviews[nth]!, 'attestations', 'service_type, attester, score, comment_uri', values);
  }

  const dispatching = dispatcher();
  await dispatching.dispatch('testnet');
  const sorted = (ids: (string | undefined)[]) => ids.toSorted();
  expect(sorted(receivers.service.ids())).toEqual(
    sorted([...ofService, versions[0], versions[3], reviews[0]]),
  );
  expect(sorted(receivers.publisher.ids())).toEqual(
    sorted([...ofPublisher, versions[0], versions[1], reviews[0]]),
  );
  expect(receivers.neither.ids()).toEqual([versions[3]]);
  expect(await readBacklogs(pool, [id], 100)).toEqual([]);
  expect(await dispatching.dispatch('testnet')).toMatchObject({ events: 0, delivered: 0, pending: 0 });
  const positions = await pool.query(`select distinct stream, position from webhook_positions`);
  expect(positions.rows).toHaveLength(2);
  const [, stream] = listStreams('testnet');
  const replay = { subscription: id, events: names, stream, since: new Date(0), limit: 100 };
  expect(await resendSince(pool, replay)).toMatchObject({ count: ofService.length });
});
