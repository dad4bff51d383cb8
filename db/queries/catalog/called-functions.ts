import { normalizeAddress } from '@adaptor-marketplace/adaptor';
import { isExecutable, type ListedOp, listOpSteps } from '@adaptor-marketplace/adaptor/manifest';
import { z } from 'zod';
import { cursorText, decodeCursor, encodeCursor, type Page } from '../page.ts';

/** A function that ops of a manifest call. */
interface CalledFunction {
  packageId: string;
  module: string;
  function: string;
  /** Positions in `manifest.ops` of the ops that call it. */
  ops: number[];
}

interface FunctionsQuery {
  first: number;
  after: string | undefined;
}

/**
 * Returns a page of the functions that the ops of a manifest call, by package, module and name. Ops without a valid call
 * call none.
 * @throws ProblemError `bad_cursor`
 */
export function listCalledFunctions(
  { packageId: listedPackageId, ops }: { packageId: string; ops: readonly ListedOp[] },
  { first, after }: FunctionsQuery,
): Page<CalledFunction> {
  const last = after === undefined ? '' : decodeCursor(after, z.tuple([cursorText]))[0];
  const called = new Map<string, CalledFunction>();
  for (const [index, op] of ops.entries()) {
    for (const { packageId: other, module, entry } of isExecutable(op) ? listOpSteps(op) : []) {
      const packageId = (other === undefined ? undefined : normalizeAddress(other)) ?? listedPackageId;
      const target = `${packageId}::${module}::${entry}`;
      const known = called.get(target);
      if (!known) called.set(target, { packageId, module, function: entry, ops: [index] });
      else if (known.ops.at(-1) !== index) known.ops.push(index);
    }
  }
  const targets = [...called.keys()].filter((target) => target > last).sort();
  const shown = targets.slice(0, first);
  return {
    items: shown.map((target) => called.get(target)!),
    cursors: shown.map((target) => encodeCursor([target])),
    hasMore: targets.length > first,
  };
}
