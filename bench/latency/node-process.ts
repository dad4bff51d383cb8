import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { isExecutable, listOpSteps } from '@adaptor-marketplace/adaptor/manifest';
import { listenOn } from '@adaptor-marketplace/process';
import { GrpcTypes } from '@mysten/sui/grpc';
import { registryEvents } from '../../lib/chain/events/registry.ts';
import { type GeneratedTransaction, registryPackageId } from '../../test/support/frames/chain.ts';
import { type PublishedPackage, startFrameNode } from '../../test/support/frames/node.ts';
import { moveAway } from '../../test/support/move-away.ts';
import { type BenchListing, listingAt } from '../listings/listings.ts';

/**
 * A full node whose chain updates listings at a steady rate, each with a manifest of its own, and the store of these
 * manifests. Each update has a checkpoint of its own. Runs as a process. It begins when the parent sends a message, and
 * reports the time of each checkpoint to it.
 */
const [updatesText, perSecondText, distanceText, ...numbers] = process.argv.slice(2);
const updates = Number(updatesText);
const intervalMs = 1_000 / Number(perSecondText);
/** The listings that are updated in turn. */
const targets = numbers.map(Number);

const { OpenSignatureBody_Type: Kind, FunctionDescriptor_Visibility: Visibility } = GrpcTypes;

/** The functions that the manifest's ops call: generic ones take any argument. */
const buildFunctions = ({ manifest }: BenchListing) =>
  manifest.ops
    .filter(isExecutable)
    .flatMap(listOpSteps)
    .map(({ entry, typeArgs, args }) =>
      GrpcTypes.FunctionDescriptor.create({
        name: entry,
        visibility: Visibility.PUBLIC,
        typeParameters: typeArgs.map(() => GrpcTypes.TypeParameter.create()),
        parameters: args.map(() =>
          GrpcTypes.OpenSignature.create({ body: { type: Kind.TYPE_PARAMETER, typeParameter: 0 } }),
        ),
      }),
    );

const blobs = new Map<string, string>();
const packages: Record<string, PublishedPackage> = {};
const first = 100;
const transactions: GeneratedTransaction[] = [];
const changes: { serviceType: string; hash: string }[] = [];
for (let at = 0; at < updates; at++) {
  const version = 2 + Math.floor(at / targets.length);
  const listing = listingAt(targets[at % targets.length]!, version);
  const { serviceType, packageId, publisher, uri, hash, bytes } = listing;
  blobs.set(uri.slice('walrus://'.length), bytes);
  packages[packageId] ??= { sender: publisher, functions: buildFunctions(listing) };
  changes.push({ serviceType, hash });
  transactions.push({
    checkpoint: first + at,
    txIndex: 0,
    digest: `digest${at}`,
    timestampMs: 0,
    sender: publisher,
    events: [
      {
        type: `${registryPackageId}::registry::Updated`,
        contents: registryEvents.encode('Updated', {
          serviceType,
          packageId,
          publisher,
          manifestUri: uri,
          manifestHash: hash,
          version,
          timestampMs: Date.now(),
        }),
      },
    ],
  });
}

const chain = { chainId: 'chain', registryPackageId, publishedAt: 1, last: first + updates, transactions };
const node = await startFrameNode({ chain, tip: first - 1, packages });

const store = createServer((req, res) => {
  const bytes = blobs.get(req.url?.split('/').at(-1) ?? '');
  res.writeHead(bytes === undefined ? 404 : 200, { 'content-type': 'application/octet-stream' }).end(bytes);
});
const nodeUrl = await moveAway(node.url, Number(distanceText), new AsyncDisposableStack());
const { port } = await listenOn(store, 0, '127.0.0.1');
process.send!({ nodeUrl, storeUrl: `http://127.0.0.1:${port}` });

process.once('message', async () => {
  const begun = performance.now();
  for (const [at, transaction] of transactions.entries()) {
    await delay(Math.max(0, begun + at * intervalMs - performance.now()));
    const atMs = performance.timeOrigin + performance.now();
    transaction.timestampMs = Math.floor(atMs);
    node.advance(transaction.checkpoint);
    process.send!({ ...changes[at], atMs });
  }
});
process.once('disconnect', () => process.exit(0));
