import { listOpSteps, parsePure, type StepArgument } from '@adaptor-marketplace/adaptor/manifest';
import type { DraftedArgument, DraftedCall } from '../../../lib/agent/questions.ts';
import type { OpCalls } from './adaptor-calls.ts';
import type { Call, CallArgument } from './calls.ts';

/* Calls of a checked draft, as a person confirms them. Each value is read from the bytes that are signed. */

/** Describes the calls of a step's ops, without those that state the bounds to the wallet. */
export function describeOpCalls(called: readonly OpCalls[]): DraftedCall[] {
  let first = 0;
  return called.flatMap(({ op, calls }) => {
    const described = listOpSteps(op).map(({ args }, position) => {
      const { target, typeArguments, arguments: passed } = calls[position]!;
      const described = args.map((spec, index) => describeArgument(spec, passed[index]!, first));
      return { target, typeArguments, arguments: described };
    });
    first += calls.length;
    return described;
  });
}

/** @param first position of the op's first call among those of the step */
function describeArgument(spec: StepArgument, argument: CallArgument, first: number): DraftedArgument {
  switch (spec.role) {
    case 'wallet':
    case 'clock':
      return { role: spec.role, value: readObjectId(argument), fixed: false };
    case 'object':
      return { role: 'object', value: readObjectId(argument), fixed: true };
    case 'result':
      return { role: 'result', value: { call: first + spec.call, index: spec.index ?? 0 }, fixed: true };
    case 'amount':
    case 'minOut':
      return { role: spec.role, value: readPure(argument, 'u64'), type: 'u64', fixed: false };
    case 'pure': {
      const { name, type } = spec;
      const value = readPure(argument, type);
      const fixed = spec.value !== undefined;
      return { role: 'value', value, type, ...(name !== undefined && { name }), fixed };
    }
  }
}

/**
 * Describes the calls of a payment that `checkSpend` accepted.
 * @param first position of its first call in the transaction
 */
export function describeSpend(calls: readonly Call[], first: number): DraftedCall[] {
  return calls.map(({ target, typeArguments, arguments: passed }, position) => {
    const isStamp = position > 0 && position < calls.length - 1;
    return {
      target,
      typeArguments,
      arguments: passed.map((one, index): DraftedArgument => {
        if (one.kind === 'object')
          return { role: isStamp ? 'object' : 'wallet', value: one.objectId, fixed: false };
        if (one.kind === 'result')
          return { role: 'result', value: { call: one.call - first, index: one.index }, fixed: false };
        if (index === 1) return { role: 'amount', value: readPure(one, 'u64'), type: 'u64', fixed: false };
        return {
          role: 'value',
          value: readPure(one, 'address'),
          type: 'address',
          name: 'recipient',
          fixed: false,
        };
      }),
    };
  });
}

function readObjectId(argument: CallArgument): string {
  if (argument.kind !== 'object') throw new Error(`an argument is a ${argument.kind} in place of an object`);
  return argument.objectId;
}

function readPure(argument: CallArgument, type: string): unknown {
  if (argument.kind !== 'pure') throw new Error(`an argument is a ${argument.kind} in place of a value`);
  return parsePure(type, argument.bytes);
}
