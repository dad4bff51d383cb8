/**
 * A full node with as many listings as asked for, each with a package of its own, and the store of their manifests. The
 * answers are those of a local network that has the example adaptors, with other names in them: publishing ten thousand
 * packages would take longer than the benchmark. Runs as a process, and sends its urls to its parent.
 */

import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { canonicalJson, manifestHash } from '@adaptor-marketplace/adaptor/manifest';
import { serveGrpc } from '@adaptor-marketplace/localnet/rpc/server/serve';
import { bindService, type ServiceBinding } from '@adaptor-marketplace/localnet/rpc/server/service';
import { listenOn } from '@adaptor-marketplace/process';
import { GrpcTypes, type SuiGrpcClient } from '@mysten/sui/grpc';
import { registryEvents } from '../../lib/chain/events/registry.ts';
import { findCreatedObject, publish } from '../../services/demo/publish.ts';
import { startAdaptorNetwork } from '../../test/support/adaptor-network.ts';
import { type Encoded, passEncoded } from '../../test/support/frames/encoded-responses.ts';
import { timestampMessage, transactionMessage } from '../../test/support/frames/messages.ts';
import { startTcpProxy } from '../../test/support/tcp-proxy.ts';
import { answerCpuTime } from '../measure.ts';
import { type ChainNames, copyNames, MessageTemplate } from './substitution.ts';

const [countText, delayText] = process.argv.slice(2);
const [count, delayMs] = [Number(countText), Number(delayText)];

const network = await startAdaptorNetwork();
const { ledgerService, movePackageService } = network.client;
const registry = await publish(network.keeper, 'registry');

/** Reads the names of an example adaptor from the chain. */
async function readNames(packageId: string): Promise<ChainNames> {
  const { response: read } = await ledgerService.getObject({
    objectId: packageId,
    readMask: { paths: ['previous_transaction'] },
  });
  const digest = read.object!.previousTransaction!;
  const readMask = { paths: ['effects.changed_objects'] };
  const { response: published } = await ledgerService.getTransaction({ digest, readMask });
  const cap = published.transaction!.effects!.changedObjects.find(({ objectType }) =>
    objectType?.endsWith('::package::UpgradeCap'),
  );
  return { packageId, capId: cap!.objectId!, publisher: network.keeper.address, digest };
}

const examples = await Promise.all(
  Object.values(network.adaptors).map(async (adaptor) => ({
    adaptor,
    names: await readNames(adaptor.packageId),
  })),
);
type Example = (typeof examples)[number];

interface Copy {
  example: Example;
  names: ChainNames;
}

/** Copies by the names of their things. */
const copies = new Map<string, Copy>();
const blobs = new Map<string, Buffer>();
const firstCheckpoint = 100;
const perCheckpoint = 10;
const checkpointAt = (n: number) => firstCheckpoint + Math.floor(n / perCheckpoint);
const transactions = Array.from({ length: count }, (_, n) => {
  const example = examples[n % examples.length]!;
  const names = copyNames(example.names, n);
  for (const name of [names.packageId, names.capId, names.digest]) copies.set(name, { example, names });
  const { manifest } = example.adaptor;
  const serviceType = example.adaptor.serviceType.replace(example.names.packageId, names.packageId);
  const { packageId, publisher } = names;
  const own = { ...manifest, name: `${manifest.name} ${n}`, packageId, serviceType };
  const hash = manifestHash(own);
  const blobId = Buffer.from(hash, 'hex').toString('base64url');
  blobs.set(blobId, Buffer.from(canonicalJson(own)));
  const timestampMs = Date.UTC(2026, 0, 1) + n;
  const registered = {
    serviceType,
    packageId,
    publisher,
    manifestHash: hash,
    version: 1,
    timestampMs,
    manifestUri: `walrus://${blobId}`,
  };
  return transactionMessage({
    checkpoint: checkpointAt(n),
    txIndex: n % perCheckpoint,
    digest: `registered ${n}`,
    timestampMs,
    sender: publisher,
    events: [
      {
        type: `${registry.packageId}::registry::Registered`,
        contents: registryEvents.encode('Registered', registered),
      },
    ],
  });
});
const tip = checkpointAt(count) + 1;

const templates = new Map<string, Promise<MessageTemplate>>();

/** Returns the local network's answer about the example, with the copy's names. */
async function fill(
  { example, names }: Copy,
  request: string,
  read: () => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const key = `${example.names.packageId} ${request}`;
  const template = templates.get(key) ?? read().then((bytes) => new MessageTemplate(bytes, example.names));
  templates.set(key, template);
  return (await template).fill(names);
}

async function getObject({ objectId = '', readMask }: GrpcTypes.GetObjectRequest): Promise<Uint8Array> {
  const copy = copies.get(objectId);
  const isCap = copy?.names.capId === objectId;
  const original = copy ? copy.example.names[isCap ? 'capId' : 'packageId'] : objectId;
  const read = async () => {
    const { response } = await ledgerService.getObject({ objectId: original, readMask });
    return GrpcTypes.GetObjectResponse.toBinary(response);
  };
  return copy ? fill(copy, `object ${isCap} ${readMask?.paths}`, read) : read();
}

async function getTransaction({
  digest = '',
  readMask,
}: GrpcTypes.GetTransactionRequest): Promise<Uint8Array> {
  const copy = copies.get(digest);
  const read = async () => {
    const original = copy?.example.names.digest ?? digest;
    const { response } = await ledgerService.getTransaction({ digest: original, readMask });
    return GrpcTypes.GetTransactionResponse.toBinary(response);
  };
  return copy ? fill(copy, `transaction ${readMask?.paths}`, read) : read();
}

/** A batch has the answers of the single calls, each as a field with the number 1. */
function encodeBatch(answers: readonly Uint8Array[]): Encoded {
  return {
    bytes: Buffer.concat(answers.flatMap((bytes) => [Buffer.from([0x0a]), varint(bytes.length), bytes])),
  };
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left > 127; left >>>= 7) bytes.push((left & 127) | 128);
  return Buffer.from([...bytes, left]);
}

async function* listTransactions({
  startCheckpoint = 0n,
  endCheckpoint = BigInt(tip + 1),
  options,
}: GrpcTypes.ListTransactionsRequest): AsyncGenerator<GrpcTypes.ListTransactionsResponse> {
  const { CHECKPOINT_BOUND, ITEM_LIMIT } = GrpcTypes.QueryEndReason;
  const after = options?.after && Number(Buffer.from(options.after).toString());
  const first = after === undefined ? 0 : after + 1;
  let sent = 0;
  for (let n = first; n < count && checkpointAt(n) < endCheckpoint; n++) {
    if (checkpointAt(n) < startCheckpoint) continue;
    const message = {
      transaction: transactions[n]!,
      watermark: { cursor: Buffer.from(String(n)), checkpoint: BigInt(checkpointAt(n) - 1) },
    };
    if (++sent === 500) return yield { ...message, end: { reason: ITEM_LIMIT } };
    yield message;
  }
  const watermark = { cursor: Buffer.from(String(count)), checkpoint: endCheckpoint - 1n };
  yield { watermark, end: { reason: CHECKPOINT_BOUND } };
}

const ledger: ServiceBinding = {
  service: passEncoded(GrpcTypes.LedgerService, [
    'GetObject',
    'BatchGetObjects',
    'GetTransaction',
    'BatchGetTransactions',
  ]),
  methods: {
    ...bindService<SuiGrpcClient['ledgerService']>(GrpcTypes.LedgerService, {
      getServiceInfo: async () => ({
        chainId: 'first synchronisation',
        checkpointHeight: BigInt(tip),
        timestamp: timestampMessage(Date.now()),
        lowestAvailableCheckpoint: 0n,
      }),
      listTransactions,
    }).methods,
    getObject: async (request: GrpcTypes.GetObjectRequest) => ({ bytes: await getObject(request) }),
    getTransaction: async (request: GrpcTypes.GetTransactionRequest) => ({
      bytes: await getTransaction(request),
    }),
    batchGetObjects: async ({ requests, readMask }: GrpcTypes.BatchGetObjectsRequest) =>
      encodeBatch(await Promise.all(requests.map(({ objectId }) => getObject({ objectId, readMask })))),
    batchGetTransactions: async ({ digests, readMask }: GrpcTypes.BatchGetTransactionsRequest) =>
      encodeBatch(await Promise.all(digests.map((digest) => getTransaction({ digest, readMask })))),
  },
};

const packages: ServiceBinding = {
  service: passEncoded(GrpcTypes.MovePackageService, ['GetPackage']),
  methods: {
    ...bindService<SuiGrpcClient['movePackageService']>(GrpcTypes.MovePackageService, {
      listPackageVersions: async (request) =>
        (await movePackageService.listPackageVersions(request)).response,
    }).methods,
    async getPackage({ packageId = '' }: GrpcTypes.GetPackageRequest) {
      const copy = copies.get(packageId);
      const read = async () => {
        const original = copy?.example.names.packageId ?? packageId;
        const { response } = await movePackageService.getPackage({ packageId: original });
        return GrpcTypes.GetPackageResponse.toBinary(response);
      };
      return { bytes: copy ? await fill(copy, 'package', read) : await read() };
    },
  },
};

const server = await serveGrpc({
  host: '127.0.0.1',
  port: 0,
  services: [
    ledger,
    packages,
    bindService<SuiGrpcClient['subscriptionService']>(GrpcTypes.SubscriptionService, {
      async *subscribeTransactions(_request, { signal }) {
        yield { watermark: { cursor: Buffer.from(String(count)) } };
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    }),
  ],
});

const store = createServer(async (req, res) => {
  if (delayMs > 0) await delay(delayMs);
  const bytes = blobs.get(req.url?.split('/').at(-1) ?? '');
  res.writeHead(bytes === undefined ? 404 : 200, { 'content-type': 'application/octet-stream' }).end(bytes);
});
const { port } = await listenOn(store, 0, '127.0.0.1');
const { url } = delayMs > 0 ? await startTcpProxy(server.url, delayMs) : server;
process.send!({
  nodeUrl: url,
  storeUrl: `http://127.0.0.1:${port}`,
  registryPackageId: registry.packageId,
  registryObjectId: findCreatedObject(registry, '::registry::Registry'),
  packageIds: Array.from(
    { length: count },
    (_, n) => copyNames(examples[n % examples.length]!.names, n).packageId,
  ),
  blobIds: [...blobs.keys()],
});
answerCpuTime();
process.once('disconnect', () => process.exit(0));
