import { ActionError, ConnectionError, type Marketplace, MarketplaceError } from '@adaptor-marketplace/sdk';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { cleanValue } from './text.ts';

/** Bound in characters. A model has no use for more, and the text stays in memory until the client has read it. */
const resultLengthMax = 300_000;

/** An argument that a request cannot express. */
export class ArgumentInvalidError extends Error {}

/** Returns a result with its value as structured content, and as text for clients that only read text. */
export function toToolResult(value: unknown): CallToolResult {
  const structuredContent = cleanValue(value, resultLengthMax) as Record<string, unknown> | undefined;
  const text = JSON.stringify(structuredContent);
  if (structuredContent && text.length <= resultLengthMax)
    return { content: [{ type: 'text', text }], structuredContent };
  return refuseCall({
    code: 'answer_too_large',
    detail: `The answer has more than the ${resultLengthMax} characters of a tool's answer. Ask for less: a smaller limit, or one entry.`,
  });
}

/** Returns an error for a model: what happened, and what to do. */
export function refuseCall(error: { code: string; detail: string; [more: string]: unknown }): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(cleanValue({ error })) }] };
}

/** Advice for clients that start the server as a program: they send no headers. */
const stdioAdvice =
  'The program `adaptor-marketplace mcp` takes it from the environment variable MARKETPLACE_EXECUTOR_KEY.';

/**
 * Converts an error of the SDK or of an argument to one for a model. Its `requestId` is that of a run alone, since a model
 * sends it back to attach to the run.
 * @param run the run that the call may have started
 * @throws any other error
 */
export async function toToolError(
  market: Marketplace,
  error: unknown,
  run?: { requestId: string },
): Promise<CallToolResult> {
  if (error instanceof ArgumentInvalidError)
    return refuseCall({ code: 'invalid_arguments', detail: error.message });
  if (error instanceof ActionError) {
    const { code, message: detail, step, digest, requestId, runId } = error;
    return refuseCall({ code, detail, step, digest, requestId, runId });
  }
  if (error instanceof MarketplaceError) {
    const { status, code, message: detail, errors, retryAfterSeconds, requestId: httpRequestId } = error;
    // A newer marketplace may have codes that the type does not list.
    const path = { code: code as 'not_found' };
    const headers = { accept: 'application/json' };
    const known = await market.api.getErrorCode({ path, headers }).catch(() => undefined);
    const advice = typeof known === 'object' ? known.whatToDo : undefined;
    const whatToDo = code === 'unauthorized' ? [advice, stdioAdvice].filter(Boolean).join(' ') : advice;
    const rows = errors.length > 0 ? { errors } : {};
    return refuseCall({ code, status, detail, ...rows, retryAfterSeconds, whatToDo, ...run, httpRequestId });
  }
  if (error instanceof ConnectionError) {
    const under = run ? ' with this `requestId`: another one could start a second run' : '';
    return refuseCall({ code: 'no_answer', detail: `${error.message} Try again shortly${under}.`, ...run });
  }
  throw error;
}
