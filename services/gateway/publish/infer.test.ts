import type { TransactionLister } from '@adaptor-marketplace/adaptor/infer';
import type { IntrospectedOp } from '@adaptor-marketplace/adaptor/introspect';
import { GrpcTypes } from '@mysten/sui/grpc';
import { RpcError } from '@protobuf-ts/runtime-rpc';
import { beforeEach, expect, test } from 'vitest';
import { address } from '../../../test/support/read-model.ts';
import type { PublishChain } from './chain.ts';
import { type Inferences, inferences } from './infer.ts';

const op = { module: 'market', entry: 'trade', params: [], typeParamCount: 0 } as unknown as IntrospectedOp;
const question = { packageId: address(1), op, allVersions: false };

/** Calls of the node that are under way: the function asked for, and how each ends. */
let underway: { asked: string; answer: () => void; aborted: boolean }[];
let infer: Inferences;
beforeEach(() => {
  underway = [];
  infer = inferences();
});

/** A node that answers, with nothing, when it is let. */
const client: TransactionLister = {
  ledgerService: {
    listTransactions({ filter }, options) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const predicate = filter?.terms[0]?.literals[0]?.predicate;
      const asked = (predicate?.oneofKind === 'moveCall' && predicate.moveCall.function) || '';
      const call = { asked, answer: resolve, aborted: false };
      underway.push(call);
      options?.abort?.addEventListener('abort', () => {
        call.aborted = true;
        reject(new RpcError('cancelled', 'CANCELLED'));
      });
      const responses = async function* () {
        await promise;
        yield { end: { reason: GrpcTypes.QueryEndReason.CHECKPOINT_BOUND } };
      };
      return { responses: responses() };
    },
  },
};
const chainOf = (network: string) => ({ settings: { network }, client }) as unknown as PublishChain;
const chain = chainOf('testnet');

const caller = () => new AbortController();
const ask = ({ signal } = caller(), changed: Partial<typeof question> = {}) =>
  infer(chain, { ...question, ...changed }, signal);
const asked = () => underway.map((call) => call.asked.slice(66));

test('callers who ask the same at once share one call of the node, and later ones its answer', async () => {
  const asking = [ask(), ask(), ask()];
  await expect.poll(() => underway.length).toBe(1);
  underway[0]!.answer();
  const answers = await Promise.all(asking);
  expect(new Set(answers).size).toBe(1);
  expect(await ask()).toBe(answers[0]);
  expect(asked()).toEqual(['::market::trade']);
});

test('what differs in package, function or network is asked for by itself', async () => {
  const asking = [
    ask(),
    ask(caller(), { packageId: address(2) }),
    ask(caller(), { op: { ...op, entry: 'swap' } }),
    infer(chainOf('mainnet'), question, caller().signal),
  ];
  await expect.poll(() => underway.length).toBe(4);
  for (const { answer } of underway) answer();
  const answers = await Promise.all(asking);
  expect(answers.map(({ packageId, entry }) => `${Number(packageId)} ${entry}`)).toEqual([
    '1 trade',
    '2 trade',
    '1 swap',
    '1 trade',
  ]);
});

test('one who leaves takes nothing from the others; the last one who leaves ends the call', async () => {
  const [first, second] = [caller(), caller()];
  const asking = [ask(first), ask(second)];
  await expect.poll(() => underway.length).toBe(1);
  first.abort(new Error('first left'));
  await expect(asking[0]).rejects.toThrow('first left');
  expect(underway[0]!.aborted).toBe(false);
  second.abort(new Error('second left'));
  await expect(asking[1]).rejects.toThrow('second left');
  await expect.poll(() => underway[0]!.aborted).toBe(true);

  const again = ask();
  await expect.poll(() => underway.length).toBe(2);
  underway[1]!.answer();
  expect((await again).samples).toBe(0);
});
