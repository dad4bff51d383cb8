import type { TransactionLister } from '@adaptor-marketplace/adaptor/infer';
import type { IntrospectedOp } from '@adaptor-marketplace/adaptor/introspect';
import { GrpcTypes } from '@mysten/sui/grpc';
import { RpcError } from '@protobuf-ts/runtime-rpc';
import { beforeEach, describe, expect, test } from 'vitest';
import { address } from '../../../test/support/read-model.ts';
import { createInferences, type Inferences, readPastCalls } from './infer.ts';
import type { PublishChain } from './route.ts';

describe('inferences', () => {
  const op = { module: 'market', entry: 'trade', params: [], typeParamCount: 0 } as unknown as IntrospectedOp;
  const question = { packageId: address(1), op, allVersions: false };

  /** Calls of the node that are in progress: the requested function, and how each ends. */
  let underway: { asked: string; answer: () => void; aborted: boolean }[];
  let infer: Inferences;
  beforeEach(() => {
    underway = [];
    infer = createInferences();
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
  const createChain = (network: string) => ({ settings: { network }, client }) as unknown as PublishChain;
  const chain = createChain('testnet');

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
      infer(createChain('mainnet'), question, caller().signal),
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
});

describe('readPastCalls', () => {
  const packageId = address(1);
  const createOps = (count: number) =>
    Array.from({ length: count }, (_, at) => {
      const entry = `f${at}`;
      const fqn = `${packageId}::m::${entry}`;
      return { module: 'm', entry, fqn, params: [], typeParamCount: 0 } as unknown as IntrospectedOp;
    });

  /**
   * Reads the past calls of `count` ops from a node that has none. The node fails for functions with an error in
   * `failing`.
   */
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
    const question = { packageId, ops: createOps(count), allVersions: false };
    return { seen, result: readPastCalls(createInferences(), chain, question, signal) };
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
});
