import type { GrpcTypes } from '@mysten/sui/grpc';
import { expect, test } from 'vitest';
import { listCalls } from './past-call.ts';
import { buildTransaction, packageId, type TestArgument } from './testing/past-node.ts';

const functions = new Set([`${packageId}::market::trade`]);

/** A transaction of pairs of calls: the first makes a result, and the second takes it. */
function buildPairs(pairs: number): GrpcTypes.ExecutedTransaction {
  const call = (name: string, args: TestArgument[]) => ({ name, type: 'u8', args });
  const calls = Array.from({ length: pairs }, () => [call('begin', [{ u64: 1 }]), call('trade', ['result'])]);
  const transaction = buildTransaction({ succeeds: true, calls: calls.flat() }, 1);
  const { data } = transaction.transaction!.kind!;
  if (data.oneofKind !== 'programmableTransaction') throw new Error('not programmable');
  for (const [position, { command }] of data.programmableTransaction.commands.entries()) {
    if (command.oneofKind !== 'moveCall') continue;
    for (const argument of command.moveCall.arguments)
      if (argument.result !== undefined) argument.result = position - 1;
  }
  return transaction;
}

test('each command of a transaction is looked at once, however many calls of it are linked', () => {
  const transaction = buildPairs(500);
  const { data } = transaction.transaction!.kind!;
  if (data.oneofKind !== 'programmableTransaction') throw new Error('not programmable');
  let reads = 0;
  data.programmableTransaction.commands = data.programmableTransaction.commands.map(
    ({ command }) =>
      new Proxy(
        { command },
        {
          get: (target, name) => {
            if (name === 'command') reads += 1;
            return Reflect.get(target, name);
          },
        },
      ) as GrpcTypes.Command,
  );
  const calls = [...listCalls(transaction, functions)];
  expect(calls).toHaveLength(500);
  for (const call of calls) {
    const linked = call.linked()!;
    expect(linked.map(({ name, isSubject }) => [name, isSubject])).toEqual([
      ['begin', false],
      ['trade', true],
    ]);
    expect(linked[1]!.args).toEqual([{ kind: 'result', command: 0, index: 0 }]);
  }
  expect(reads).toBeLessThan(5_000);
});
