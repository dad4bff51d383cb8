import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bcs } from '@mysten/sui/bcs';
import { adaptorDir } from './world.ts';

/** The largest u64. Allowances of this value do not decrease. */
export const max = 2n ** 64n - 1n;

/** One step of a program, as `money_guard::board::Step` defines it. */
export interface Step {
  op: OpName;
  /** 0 is the service, 1 its ally. */
  service: number;
  /** 0 is A, 1 is B. */
  coin: number;
  other: number;
  /** Wallet of the step: 0 is that of the action, 1 and 2 are those that the op received, 3 is one that a step made. */
  on: number;
  who: number;
  name: number;
  amount: bigint;
  extra: bigint;
}

export type OpName = string;

const code = /^const ([A-Z_]+): u8 = (\d+);$/gm;

/** The numbers of all ops, read from the interpreter's sources. */
export const opCodes: ReadonlyMap<OpName, number> = new Map(
  globSync('*_steps.move', { cwd: join(adaptorDir, 'sources') })
    .sort()
    .flatMap((file) => [...readFileSync(join(adaptorDir, 'sources', file), 'utf8').matchAll(code)])
    .map(([, name, number]) => [name!, Number(number)]),
);

export const programLayout = bcs.vector(
  bcs.struct('Step', {
    op: bcs.u8(),
    service: bcs.u8(),
    coin: bcs.u8(),
    other: bcs.u8(),
    on: bcs.u8(),
    who: bcs.u8(),
    name: bcs.u8(),
    amount: bcs.u64(),
    extra: bcs.u64(),
  }),
);

export function encodeProgram(steps: readonly Step[]): Uint8Array {
  return programLayout.serialize(steps.map((step) => ({ ...step, op: findOpCode(step.op) }))).toBytes();
}

/** A step with defaults for the missing fields. */
export function step(op: OpName, rest: Partial<Step> = {}): Step {
  findOpCode(op);
  return { op, service: 0, coin: 0, other: 1, on: 0, who: 0, name: 0, amount: 10n, extra: 1n, ...rest };
}

function findOpCode(op: OpName): number {
  const number = opCodes.get(op);
  if (number === undefined) throw new Error(`the interpreter has no step ${op}`);
  return number;
}
