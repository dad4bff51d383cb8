import type { TransactionLister } from '@adaptor-marketplace/adaptor/infer';
import type { IntrospectedOp } from '@adaptor-marketplace/adaptor/introspect';
import { GrpcTypes } from '@mysten/sui/grpc';
import { RpcError } from '@protobuf-ts/runtime-rpc';
import { expect, test } from 'vitest';
import { address } from '../../../../test/support/read-model.ts';
import type { PublishChain } from '../chain.ts';
import { inferences } from '../infer.ts';
import { readPastCalls } from './past-calls.ts';

const packageId = address(1);
const opsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => {
    const entry = `f${at}`;
    const fqn = `${packageId}::m::${entry}`;
    return { module: 'm', entry, fqn, params: [], typeParamCount: 0 } as unknown as IntrospectedOp;
  });

/** What past calls of so many ops say, by a node that has none, and fails for the functions that are named. */
function read(
  count: number,
  failing: (name: string) => RpcError | undefined,
  signal = new AbortController().signal,
) {
  const seen = { asked: 0, atOnce: 0, atOnceMax: 0 };
  const client: TransactionLister = {
    ledgerService: {
      listTransactions({ filter }) {
        const predicate = filter?.terms[0]?.literals[0]?.predicate;
        const name = (predicate?.oneofKind === 'moveCall' && predicate.moveCall.function) || '';
        const failure = failing(name.slice(packageId.length + '::m::'.length));
        const responses = async function* () {
          seen.asked++;
          seen.atOnceMax = Math.max(seen.atOnceMax, ++seen.atOnce);
          await new Promise(setImmediate);
          seen.atOnce--;
          if (failure) throw failure;
          yield { end: { reason: GrpcTypes.QueryEndReason.CHECKPOINT_BOUND } };
        };
        return { responses: responses() };
      },
    },
  };
  const chain = { settings: { network: 'testnet' }, client } as unknown as PublishChain;
  const question = { packageId, ops: opsOf(count), allVersions: false };
  return { seen, result: readPastCalls(inferences(), chain, question, signal) };
}

const broken = () => new RpcError('broken', 'INTERNAL');

test('a package of many ops is looked up in part, a few at once, and it is said of which ops nothing is known', async () => {
  const { seen, result } = read(70, () => undefined);
  const past = await result;
  expect(past.size).toBe(70);
  expect([...past.values()].filter((found) => 'unknown' in found)).toHaveLength(6);
  expect(seen.asked).toBe(64);
  expect(seen.atOnceMax).toBeLessThanOrEqual(4);
});

test('a node that fails for one op leaves the others known', async () => {
  const past = await read(3, (name) => (name === 'f1' ? broken() : undefined)).result;
  expect([...past.values()].map((found) => 'samples' in found)).toEqual([true, false, true]);
});

test('a node that fails for every op is a problem', async () => {
  await expect(read(3, broken).result).rejects.toMatchObject({ status: 502, code: 'node_unavailable' });
});

test('a caller who has left waits for nothing', async () => {
  const caller = new AbortController();
  const { result } = read(
    3,
    () => {
      caller.abort();
      return undefined;
    },
    caller.signal,
  );
  await expect(result).rejects.toMatchObject({ name: 'AbortError' });
});
