import { RpcError } from '@protobuf-ts/runtime-rpc';

/** What a node said to one question: the thing, that there is no such thing, or nothing usable for now. */
export type Answer<T> =
  | { status: 'found'; value: T }
  | { status: 'absent'; reason: string }
  | { status: 'unavailable'; reason: string };

/** A fact the chain could not settle; `retryable` when asking again later may settle it. */
export interface Unknown {
  status: 'unknown';
  reason: string;
  retryable: boolean;
}

/** Whether a call ended because its time was up. */
export function isLate(answer: Answer<unknown>): boolean {
  return answer.status === 'unavailable' && answer.reason.startsWith('DEADLINE_EXCEEDED');
}

/** Codes by which a node speaks for the chain, rather than for its own condition. */
const absentCodes = new Set(['NOT_FOUND', 'INVALID_ARGUMENT', 'OUT_OF_RANGE']);

/**
 * Awaits one unary call of an SDK client and sorts its outcome. A node behind the chain's tip also answers
 * NOT_FOUND: ask only about what the same node has already shown in a checkpoint.
 * @throws whatever is not an answer of the node.
 */
export async function ask<T>(call: PromiseLike<{ response: T }>): Promise<Answer<T>> {
  try {
    return { status: 'found', value: (await call).response };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const status = absentCodes.has(error.code) ? 'absent' : 'unavailable';
    return { status, reason: `${error.code}: ${error.message}` };
  }
}

/** The answer of a node that could not speak for the chain. */
export function unavailable(reason: string): Unknown {
  return { status: 'unknown', reason: `The node could not answer (${reason}).`, retryable: true };
}
