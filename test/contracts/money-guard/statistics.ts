import type { Round } from './case.ts';
import { relayCalls } from './relay.ts';
import type { Outcome } from './round.ts';
import { type OpName, opCodes } from './steps.ts';

export const succeeded = 'succeeded';

/** Counts of a run, for its report. */
export class Statistics {
  cases = 0;
  programs = 0;
  readonly outcomes = new Map<string, number>();
  /** Transactions that tried an op (`tried`) and those of them that succeeded (`done`). */
  readonly tried = new Map<OpName, number>();
  readonly done = new Map<OpName, number>();

  case(): void {
    this.cases += 1;
  }

  round({ steps }: Round, outcome: Outcome): void {
    const actions = steps.filter((step) => step.kind === 'action');
    const hostile = actions.map((action) => action.hostile);
    this.programs += hostile.length;
    add(this.outcomes, wordsFor(outcome));
    if (outcome.kind === 'unsigned') return;
    const done = outcome.kind === 'executed' && outcome.executed.failureDescription === undefined;
    const calls = actions.flatMap((action) => action.calls.map(({ call }) => toOpName(call)));
    for (const op of [...hostile.flat().map((step) => step.op), ...calls]) {
      add(this.tried, op);
      if (done) add(this.done, op);
    }
  }

  /** Ops that occur in no successful transaction. */
  neverDone(): OpName[] {
    return ops.filter((op) => !this.done.has(op));
  }

  /** The number of all transactions, signed or not. */
  transactions(): number {
    return [...this.outcomes].reduce((sum, [, count]) => sum + count, 0);
  }

  lines(): string[] {
    const executed = this.transactions();
    const outcomes = [...this.outcomes].sort(([, a], [, b]) => b - a);
    return [
      `${this.cases} wallets, ${executed} transactions, ${this.programs} programs`,
      ...outcomes.map(([words, count]) => `${String(count).padStart(8)}  ${words}`),
      'ops, as often as they were in a transaction, and in one that succeeded:',
      ...ops.map(
        (op) =>
          `${String(this.tried.get(op) ?? 0).padStart(8)} ${String(this.done.get(op) ?? 0).padStart(8)}  ${op}`,
      ),
    ];
  }
}

/** The name under which a call of an op of several calls is counted. */
const toOpName = (call: string): OpName => `relay::${call}`;
const ops: readonly OpName[] = [...opCodes.keys(), ...relayCalls.map(toOpName)];

const add = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);

function wordsFor(outcome: Outcome): string {
  if (outcome.kind === 'unsigned') return 'not signed';
  if (outcome.kind === 'tried') return `simulated: ${brief(outcome.failure)}`;
  const failure = outcome.executed.failureDescription;
  return failure === undefined ? succeeded : `executed: ${brief(failure)}`;
}

/** The function and the code of an abort, without ids. */
function brief(failure: string): string {
  return failure
    .replaceAll(/0x[0-9a-f]+::/g, '')
    .replace(/ in command \d+/, '')
    .replace(/ \(instruction \d+\)/, '')
    .slice(0, 120);
}
