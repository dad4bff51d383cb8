import { RpcError } from '@protobuf-ts/runtime-rpc';

/**
 * A node's answer to one call: the value, the statement that there is none (`absent`), or no usable answer now
 * (`unavailable`).
 */
export type Answer<T> =
  | { status: 'found'; value: T }
  | { status: 'absent'; reason: string }
  | { status: 'unavailable'; reason: string };

/** A fact that the chain could not settle. `retryable` is true if a later call may settle it. */
export interface UnknownAnswer {
  status: 'unknown';
  reason: string;
  retryable: boolean;
}

/** Returns `true` if a call ended because its deadline passed. */
export function isLate(answer: Answer<unknown>): boolean {
  return answer.status === 'unavailable' && answer.reason.startsWith('DEADLINE_EXCEEDED');
}

/** Error codes with which a node speaks for the chain, rather than for its own condition. */
const absentCodes = new Set(['NOT_FOUND', 'INVALID_ARGUMENT', 'OUT_OF_RANGE']);

/**
 * Awaits one unary call of an SDK client and sorts its outcome. A node behind the chain's tip also answers NOT_FOUND,
 * so ask only about what the same node has already shown in a checkpoint.
 * @throws any error that is not an `RpcError` of the node.
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
export function unavailable(reason: string): UnknownAnswer {
  return { status: 'unknown', reason: `The node could not answer (${reason}).`, retryable: true };
}
