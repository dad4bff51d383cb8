import { GrpcTypes } from '@mysten/sui/grpc';
import { Transaction } from '@mysten/sui/transactions';
import type { RpcError } from '@protobuf-ts/runtime-rpc';
import {
  createSimpleCheck,
  createStreamCheck,
  createTransactionCheck,
  isNotFound,
  type NodeCheck,
  noteResponse,
  repeat,
  samples,
} from './node-check.ts';

const { Ordering, QueryEndReason } = GrpcTypes;

const nobody = `0x${'0'.repeat(64)}`;
const framework = '0x2';
const clock = '0x6';
const suiCoin = '0x2::sui::SUI';
/** A name that is not registered: it is as long as a name can be. */
const unusedName = `${'x'.repeat(63)}.sui`;
/** Sizes of batches, largest first. The service reads up to 100 objects at once. */
const batches = [1_000, 500, 200, 100, 50, 10];
const batchNeeded = 100;
/** Bytes of the largest transaction that the chain accepts. */
const transactionBytesMax = 128 * 1024;
/** Range of checkpoints in which the progress of the list index is read. */
const listRange = 100n;
type Filter = GrpcTypes.TransactionFilter;
type Predicate = GrpcTypes.TransactionLiteral['predicate'];

const buildFilter = (...predicates: Predicate[]): Filter => ({
  terms: predicates.map((predicate) => ({ literals: [{ negated: false, predicate }] })),
});
const matchEvents = (eventType: string): Predicate => ({ oneofKind: 'eventType', eventType: { eventType } });
const packageWrites: Predicate = { oneofKind: 'packageWrite', packageWrite: {} };

const paths = (...names: string[]) => ({ paths: names });
/** Read masks of the indexer: what it reads of each transaction. */
const transactionPaths = [
  'digest',
  'checkpoint',
  'timestamp',
  'transaction_index',
  'transaction.sender',
  'effects.status',
  'effects.changed_objects',
  'events.events.event_type',
  'events.events.contents',
];
const checkpointPaths = [
  'sequence_number',
  'summary.timestamp',
  'contents.transactions.transaction',
  ...transactionPaths.map((path) => `transactions.${path}`),
];

const serviceInfo: NodeCheck = {
  rpc: 'LedgerService/GetServiceInfo',
  need: 'always',
  neededFor: 'chain, newest and oldest checkpoint, lag',
  without: 'The service does not start to follow the chain.',
  requestsMax: samples,
  run: (node, meter) =>
    repeat(async () => {
      const info = await meter.send(
        (options) => node.client.ledgerService.getServiceInfo({}, options).response,
      );
      if (!info) return;
      node.info = info;
      const { seconds = 0n, nanos = 0 } = info.timestamp ?? {};
      node.newestAgeMs = Math.round(Date.now() - Number(seconds) * 1_000 - nanos / 1e6);
    }),
};

const checkpoint: NodeCheck = {
  rpc: 'LedgerService/GetCheckpoint',
  need: 'without lists',
  neededFor: 'following the chain without the list index',
  without: 'With the list index, nothing. Without it, the indexer cannot follow the chain.',
  requestsMax: samples,
  run: (node, meter) =>
    repeat(async () => {
      const { checkpointHeight: sequenceNumber = 0n } = node.info ?? {};
      const request = {
        checkpointId: { oneofKind: 'sequenceNumber' as const, sequenceNumber },
        readMask: paths(...checkpointPaths),
      };
      const found = await meter.send(
        (options) => node.client.ledgerService.getCheckpoint(request, options).response,
      );
      node.digest ??= found?.checkpoint?.transactions[0]?.digest;
      if (found) noteResponse(node, GrpcTypes.GetCheckpointResponse.toBinary(found).length);
    }),
};

export const transactionLists: NodeCheck = {
  rpc: 'LedgerService/ListTransactions',
  need: 'optional',
  neededFor: 'history by filter, past calls of functions',
  without:
    'The indexer reads every checkpoint instead, which is slower but complete. Drafts contain no values of past calls.',
  requestsMax: 3,
  async run(node, meter) {
    const { checkpointHeight: newest = 0n, lowestAvailableCheckpoint: lowest = 0n } = node.info ?? {};
    const list = (request: Partial<GrpcTypes.ListTransactionsRequest>) =>
      meter.send(async (options) => {
        const messages = node.client.ledgerService.listTransactions(
          { readMask: paths('digest'), ...request },
          options,
        );
        return await Array.fromAsync(messages.responses);
      });
    const ascending = { limit: 1, ordering: Ordering.ASCENDING };
    const range = { startCheckpoint: newest, endCheckpoint: newest + 1n };
    await list({
      ...range,
      filter: buildFilter(matchEvents(`${framework}::coin`), packageWrites),
      options: ascending,
    });
    const calls: Predicate = { oneofKind: 'moveCall', moveCall: { function: `${framework}::coin` } };
    const recent = newest > lowest + listRange ? newest - listRange : lowest;
    const descending = { limit: 1, ordering: Ordering.DESCENDING };
    await list({
      startCheckpoint: recent,
      endCheckpoint: newest + 1n,
      filter: buildFilter(calls),
      options: descending,
    });
    // No transaction emits events of this package, so the list says how far its index reaches.
    const progress = await list({
      startCheckpoint: recent,
      endCheckpoint: newest + 1n,
      filter: buildFilter(matchEvents(`0x${'f'.repeat(64)}::none`)),
      options: ascending,
    });
    if (!progress) return;
    const end = progress.at(-1);
    const covered = end?.watermark?.checkpoint;
    if (end?.end?.reason === QueryEndReason.CHECKPOINT_BOUND) node.listLag = 0;
    else node.listLag = Number(newest - (covered ?? recent));
  },
};

const objects: NodeCheck = {
  rpc: 'LedgerService/BatchGetObjects',
  need: 'optional',
  neededFor: 'checks of listings in batches, caps of wallets, objects of drafts and actions, gas coins',
  without:
    'Listings are checked with single requests. No delegations, no actions. Drafts of transactions fail.',
  requestsMax: batches.length + 1,
  async run(node, meter) {
    const read = (count: number, isExpected?: (error: RpcError) => boolean) =>
      meter.send((options) => {
        const requests = Array.from({ length: count }, () => ({ objectId: clock }));
        const request = { requests, readMask: paths('object_id', 'version', 'digest', 'owner') };
        return node.client.ledgerService.batchGetObjects(request, options).response;
      }, isExpected);
    if (!(await read(1))) return;
    for (const size of batches) {
      if (!(await read(size, isTooMany))) continue;
      node.batchMax = size;
      break;
    }
    const { batchMax = 1 } = node;
    if (batchMax < batchNeeded) {
      meter.markNarrow(`it accepts batches of ${batchMax}, and the service sends up to ${batchNeeded}`);
    }
  },
};

/** Parts of a package that a node gives with the package as an object alone. */
const packageParts = {
  bytecode: ({ modules }: GrpcTypes.Package) => modules.some(({ contents }) => contents?.length),
  'type origins': ({ typeOrigins }: GrpcTypes.Package) => typeOrigins.length,
  linkage: ({ linkage }: GrpcTypes.Package) => linkage.length,
};

const packageObjects: NodeCheck = {
  rpc: 'LedgerService/GetObject',
  need: 'always',
  neededFor: 'bytecode, type origins, linkage and publishers of packages, fields of jobs',
  without: 'No witness and no publisher is verified, so the catalog shows no listing.',
  requestsMax: samples,
  run: (node, meter) =>
    repeat(async () => {
      // The framework has all three parts: it defines types, and depends on the standard library.
      const request = { objectId: framework, readMask: paths('version', 'owner', 'package') };
      const found = await meter.send(
        (options) => node.client.ledgerService.getObject(request, options).response,
      );
      if (!found) return;
      noteResponse(node, GrpcTypes.GetObjectResponse.toBinary(found).length);
      const pkg = found.object?.package;
      const missing = Object.entries(packageParts).flatMap(([name, has]) => (pkg && has(pkg) ? [] : [name]));
      if (missing.length > 0) meter.markAbsent(`a package as an object has no ${missing.join(', no ')}`);
    }),
};

const isTooMany = ({ code }: RpcError) => code === 'INVALID_ARGUMENT' || code === 'OUT_OF_RANGE';

const packages: NodeCheck = {
  rpc: 'MovePackageService/GetPackage',
  need: 'always',
  neededFor: 'checks of listings, event types',
  without: 'The indexer stops: it cannot read the packages that it follows.',
  requestsMax: samples,
  run: (node, meter) =>
    repeat(async () => {
      const request = { packageId: framework };
      const found = await meter.send(
        (options) => node.client.movePackageService.getPackage(request, options).response,
      );
      if (found) noteResponse(node, GrpcTypes.GetPackageResponse.toBinary(found).length);
    }),
};

const packageVersions: NodeCheck = {
  rpc: 'MovePackageService/ListPackageVersions',
  need: 'optional',
  neededFor: 'the newest version of a package',
  without:
    'Calls go to the first version of each package. The indexer finds new versions in the checkpoints.',
  requestsMax: samples,
  run: ({ client }, meter) =>
    repeat(async () => {
      const request = { packageId: framework, pageSize: 1 };
      // A node without the index of versions says that the framework does not exist.
      const isMissing = (error: RpcError) => {
        if (error.code === 'NOT_FOUND') meter.markAbsent();
        return false;
      };
      await meter.send(
        (options) => client.movePackageService.listPackageVersions(request, options),
        isMissing,
      );
    }),
};

const execution: NodeCheck = {
  rpc: 'TransactionExecutionService/ExecuteTransaction',
  need: 'optional',
  neededFor: 'actions of the agent, the command line',
  without: 'The agent runs no actions.',
  requestsMax: samples,
  run: (node, meter) =>
    repeat(async () => {
      // Zeros are not a transaction, so the node refuses them after it has read all of them.
      const transaction = GrpcTypes.Transaction.create({
        bcs: { value: new Uint8Array(transactionBytesMax) },
      });
      await meter.send(
        (options) =>
          node.client.transactionExecutionService.executeTransaction(
            { transaction, signatures: [] },
            options,
          ),
        ({ code }) => {
          if (code !== 'INVALID_ARGUMENT') return false;
          node.requestBytes = transactionBytesMax;
          return true;
        },
      );
    }),
};

const simulation: NodeCheck = {
  rpc: 'TransactionExecutionService/SimulateTransaction',
  need: 'optional',
  neededFor: 'actions, drafts, listings before they are signed',
  without: 'No actions. No transaction is prepared, neither for a draft nor in the command line.',
  requestsMax: samples,
  run: (node, meter) =>
    repeat(async () => {
      const transaction = new Transaction();
      transaction.setSender(nobody);
      transaction.moveCall({
        target: `${framework}::clock::timestamp_ms`,
        arguments: [transaction.object(clock)],
      });
      await meter.send(({ timeout }) =>
        node.client
          .within(Number(timeout))
          .simulateTransaction({ transaction, checksEnabled: false, include: { commandResults: true } }),
      );
    }),
};

/** All RPCs that the service uses. A recorder compares them with the calls of the system tests. */
export const nodeChecks: readonly NodeCheck[] = [
  serviceInfo,
  checkpoint,
  createStreamCheck({
    rpc: 'SubscriptionService/SubscribeCheckpoints',
    need: 'without lists',
    neededFor: 'following the chain without the list index',
    without: 'With the list index, nothing. Without it, the indexer cannot follow the chain.',
    open: ({ subscriptionService }, options) =>
      subscriptionService.subscribeCheckpoints({ readMask: paths(...checkpointPaths) }, options),
  }),
  transactionLists,
  createStreamCheck({
    rpc: 'SubscriptionService/SubscribeTransactions',
    need: 'with lists',
    neededFor: 'new events by filter',
    without: 'A node with the list index is followed with it, so the indexer stores no new events.',
    open: ({ subscriptionService }, options) => {
      const filter = buildFilter(matchEvents(`${framework}::coin`), packageWrites);
      return subscriptionService.subscribeTransactions(
        { readMask: paths(...transactionPaths), filter },
        options,
      );
    },
  }),
  createTransactionCheck(
    {
      rpc: 'LedgerService/GetTransaction',
      need: 'always',
      neededFor: 'publishers of packages, results of actions',
      without: 'No witness and no publisher is verified, so the catalog shows no listing.',
    },
    (client, digest, options) =>
      client.ledgerService.getTransaction(
        { digest, readMask: paths('digest', 'transaction.sender') },
        options,
      ),
  ),
  createTransactionCheck(
    {
      rpc: 'LedgerService/BatchGetTransactions',
      need: 'optional',
      neededFor: 'checks of listings in batches, actions whose result did not arrive',
      without:
        'Listings are checked with single requests. An action whose result does not arrive stays unknown until you settle it.',
    },
    (client, digest, options) =>
      client.ledgerService.batchGetTransactions({ digests: [digest], readMask: paths('digest') }, options),
  ),
  packageObjects,
  objects,
  createSimpleCheck(
    {
      rpc: 'LedgerService/GetEpoch',
      need: 'optional',
      neededFor: 'price of gas, if the chain refuses a split of gas coins',
      without: 'A split of gas coins from an epoch with a lower price of gas stops the actions of the agent.',
    },
    (client, options) => client.ledgerService.getEpoch({ readMask: paths('reference_gas_price') }, options),
  ),
  createSimpleCheck(
    {
      rpc: 'StateService/ListOwnedObjects',
      need: 'optional',
      neededFor: 'delegations, gas coins of the agent',
      without: 'No delegations. The agent finds no gas coins and runs no actions.',
    },
    (client, options) => {
      const request = { owner: nobody, objectType: `0x2::coin::Coin<${suiCoin}>`, pageSize: 1 };
      return client.stateService.listOwnedObjects(request, options);
    },
  ),
  createSimpleCheck(
    {
      rpc: 'StateService/GetBalance',
      need: 'optional',
      neededFor: 'balances in the command line',
      without: 'The command line shows no balances.',
    },
    (client, options) => client.stateService.getBalance({ owner: nobody, coinType: suiCoin }, options),
  ),
  createSimpleCheck(
    {
      rpc: 'StateService/ListDynamicFields',
      need: 'optional',
      neededFor: 'coins of a wallet in the command line',
      without: 'The command line does not show what a wallet holds.',
    },
    (client, options) => client.stateService.listDynamicFields({ parent: clock, pageSize: 1 }, options),
  ),
  createSimpleCheck(
    {
      rpc: 'StateService/GetCoinInfo',
      need: 'optional',
      neededFor: 'symbols and decimals of coins',
      without: 'Amounts stay in base units, without a symbol.',
    },
    (client, options) => client.stateService.getCoinInfo({ coinType: suiCoin }, options),
  ),
  createSimpleCheck(
    {
      rpc: 'NameService/ReverseLookupName',
      need: 'optional',
      neededFor: 'SuiNS names of publishers',
      without: 'No SuiNS name is shown.',
    },
    (client, options) => client.nameService.reverseLookupName({ address: nobody }, options),
    isNotFound,
  ),
  createSimpleCheck(
    {
      rpc: 'NameService/LookupName',
      need: 'optional',
      neededFor: 'SuiNS names of publishers',
      without: 'No SuiNS name is shown.',
    },
    (client, options) => client.nameService.lookupName({ name: unusedName }, options),
    isNotFound,
  ),
  packages,
  createSimpleCheck(
    {
      rpc: 'MovePackageService/GetFunction',
      need: 'optional',
      neededFor: 'drafts of transactions, checks before a call',
      without: 'No actions, no delegations, no listings from the command line.',
    },
    (client, options) => {
      const request = { packageId: framework, moduleName: 'coin', name: 'value' };
      return client.movePackageService.getFunction(request, options);
    },
  ),
  packageVersions,
  simulation,
  execution,
];
