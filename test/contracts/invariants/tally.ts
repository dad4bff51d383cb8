import type { ExecutionOutcome } from '@adaptor-marketplace/localnet/execution/types';
import type { Program } from './program.ts';

const succeeded = 'success';

/** Counts of what was played. */
export class Tally {
  calls = 0;
  transactions = 0;
  readonly outcomes = new Map<string, number>();
  readonly checks = new Map<string, number>();
  /** Functions that were called in a transaction that succeeded. */
  readonly covered = new Set<string>();

  count({ called }: Program, { failure }: ExecutionOutcome): void {
    this.transactions += 1;
    const end = failure?.command === undefined ? called.length : failure.command + 1;
    this.calls += called.slice(0, end).filter((name) => name !== undefined).length;
    add(this.outcomes, nameOutcome(failure));
    if (failure === undefined) for (const name of called) if (name !== undefined) this.covered.add(name);
  }

  checked(invariant: string): void {
    add(this.checks, invariant);
  }

  get successes(): number {
    return this.outcomes.get(succeeded) ?? 0;
  }
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function nameOutcome(failure: ExecutionOutcome['failure']): string {
  if (failure === undefined) return succeeded;
  const { reason } = failure;
  if (reason.kind !== 'MoveAbort') return reason.kind;
  const { module, functionName } = reason.location;
  return `abort ${reason.code} in ${module}::${functionName ?? '?'}`;
}
