import type { TestChain } from '@adaptor-marketplace/localnet/execution/testing/chain';
import type { ExecutionArgument, ExecutionOutcome } from '@adaptor-marketplace/localnet/execution/types';
import { toBase58 } from '@mysten/sui/utils';
import { clockId } from './clock.ts';

/** A chain, with the ids of packages by name. */
export interface Executor {
  chain: TestChain;
  packages: Readonly<Record<string, string>>;
}

/** A digest for each transaction of a sequence, the same in each run. */
export function numberDigest(number: number): string {
  const digest = new Uint8Array(32).fill(1);
  new DataView(digest.buffer).setUint32(0, number);
  return toBase58(digest);
}

/** One call: objects by id, other values in bytes. */
export interface Call {
  sender: string;
  /** `package::module::function`. */
  target: string;
  typeArguments?: readonly string[];
  given?: readonly (string | Uint8Array)[];
  /** Number of its transaction, which no other has. */
  number: number;
}

/** Executes a transaction of one call. */
export function executeCall(
  { chain, packages }: Executor,
  { sender, target, typeArguments = [], given = [], number }: Call,
): ExecutionOutcome {
  const [packageName, module, name] = target.split('::') as [string, string, string];
  const inputs = given.map(
    (one): ExecutionArgument =>
      typeof one === 'string'
        ? { kind: 'object', object: chain.object(one), mutable: one !== clockId }
        : { kind: 'pure', bytes: one },
  );
  const MoveCall = {
    package: packages[packageName]!,
    module,
    function: name,
    typeArguments: [...typeArguments],
    arguments: given.map((_, index) => ({ $kind: 'Input' as const, Input: index })),
  };
  return chain.run([{ $kind: 'MoveCall', MoveCall }], {
    transactionDigest: numberDigest(number),
    sender,
    inputs,
    maxOutputBytes: 0,
  });
}
