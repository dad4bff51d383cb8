import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { manifestHash } from '@adaptor-marketplace/adaptor/manifest';
import { Registry } from '@prometheus-io/client';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../db/client.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { createOutbound } from '../../lib/outbound/index.ts';
import { startGateway } from '../../services/gateway/start.ts';
import { startIndexer } from '../../services/indexer/index.ts';
import { createTestDatabase, indexedTo } from '../support/database.ts';
import { endChild } from '../support/end-child.ts';
import { eventually } from '../support/eventually.ts';
import { buildChain, id, manifest } from '../support/frames/chain.ts';
import { startFrameNode } from '../support/frames/node.ts';
import { marketPackages, settingsFor } from '../support/frames/packages.ts';
import { listenLocally } from '../support/listen-locally.ts';

let db: Database;
beforeEach(async () => {
  db = await createTestDatabase();
});

const publisher = id(100);
const packages = Object.fromEntries([1, 2, 3].map((n) => [id(n), { sender: publisher }]));

/** A publisher's host that answers after `open`, and never answers `/4`. `asked` has the paths of its requests. */
async function startHost() {
  const asked: string[] = [];
  let gate = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    asked.push(request.url!);
    if (request.url === '/4') return;
    await gate.promise;
    response.end(JSON.stringify(manifest(id(Number(request.url!.slice(1))))));
  });
  const { url, close: closeHost } = await listenLocally(server);
  onTestFinished(closeHost);
  const registration = (n: number, by = publisher) => ({
    packageId: id(n),
    publisher: by,
    uri: `${url}/${n}`,
    hash: manifestHash(manifest(id(n))),
  });
  return {
    asked,
    registration,
    open: () => gate.resolve(),
    shut() {
      gate = Promise.withResolvers();
    },
  };
}

async function startIndex(nodeUrl: string) {
  const outbound = createOutbound({ allowCidrs: ['127.0.0.0/8'] });
  // Hosts have unlimited time to answer.
  const patient: typeof outbound = {
    ...outbound,
    fetchBytes: (url, options) => outbound.fetchBytes(url, { ...options, timeoutMs: 3_600_000 }),
  };
  const networks = [settingsFor(nodeUrl)];
  const indexer = startIndexer({ db, networks, log: silentLogger, outbound: patient });
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= indexer.close().then(() => outbound.close()));
  onTestFinished(close);
  return { close, networks };
}

async function manifestStatus({ uri }: { uri: string }): Promise<string> {
  const { rows } = await db.pool.query('select status from manifest_fetches where uri = $1', [uri]);
  return rows[0].status;
}

test('a network is ready once what its history brought is judged, and stays so when more is listed', async () => {
  const host = await startHost();
  const stranger = host.registration(4, id(200));
  const second = host.registration(2);
  const chain = buildChain([host.registration(1), stranger, second, host.registration(3)]);
  const node = await startFrameNode({ chain, tip: 11, packages });
  onTestFinished(() => node.close());
  const { close, networks } = await startIndex(node.url);
  const gateway = await startGateway({
    db,
    networks,
    host: '127.0.0.1',
    port: 0,
    defaultNetwork: 'testnet' as const,
    // The times in the generated chain are in the past.
    maxLagSeconds: Number.MAX_SAFE_INTEGER,
    log: silentLogger,
    metrics: new Registry(),
  });
  onTestFinished(() => gateway.close());
  const readiness = async () => {
    const answer = await fetch(`${gateway.url}/readyz`);
    return [answer.status, (await answer.json()).detail];
  };
  const waiting = [503, 'testnet.registry: has not judged yet what its history brought'];

  await indexedTo(db, 11);
  await eventually(async () => expect(host.asked.sort()).toEqual(['/1', '/4']));
  expect(await readiness()).toEqual(waiting);
  host.open();
  await eventually(async () => expect(await readiness()).toEqual([200, undefined]));
  // The stranger's host never answers, but readiness does not wait for it.
  expect(await manifestStatus(stranger)).toBe('pending');

  host.shut();
  node.advance(12);
  await eventually(async () => expect(host.asked).toContain('/2'));
  expect(await readiness()).toEqual([200, undefined]);

  // The timestamps of the chain say that the indexer was away for months.
  host.open();
  // Otherwise the next indexer would fetch it again and use one of the host's two slots.
  await eventually(async () => expect(await manifestStatus(second)).toBe('verified'));
  await close();
  host.shut();
  node.advance(13);
  await startIndex(node.url);
  await eventually(async () => expect(host.asked).toContain('/3'));
  expect(await readiness()).toEqual(waiting);
  host.open();
  await eventually(async () => expect(await readiness()).toEqual([200, undefined]));
});

test('what a killed indexer had in hand is free for the next at once', async () => {
  const host = await startHost();
  const chain = buildChain([host.registration(1), host.registration(2)]);
  const node = await startFrameNode({ chain, tip: chain.last, packages });
  onTestFinished(() => node.close());
  const script = join(import.meta.dirname, '../support/indexer-process.ts');
  const settings = JSON.stringify(settingsFor(node.url, marketPackages));
  const child = spawn(process.execPath, [script, db.directUrl, settings, '127.0.0.0/8'], {
    stdio: 'inherit',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await eventually(async () => expect(host.asked.sort()).toEqual(['/1', '/2']));
  await endChild(child, 'SIGKILL');
  // The rows have no trace of the killed indexer's leases.
  const due = async () =>
    (await db.pool.query('select attempts from manifest_fetches where next_attempt_at <= now()')).rows;
  expect(await due()).toEqual([{ attempts: 0 }, { attempts: 0 }]);

  host.open();
  await startIndex(node.url);
  await eventually(async () => {
    const { rows } = await db.pool.query('select status, attempts from manifest_fetches');
    expect(rows).toEqual(Array(2).fill({ status: 'verified', attempts: 1 }));
  });
  expect(host.asked.sort()).toEqual(['/1', '/1', '/2', '/2']);
});
