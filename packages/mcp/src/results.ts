import { ActionError, ConnectionError, type Marketplace, MarketplaceError } from '@adaptor-marketplace/sdk';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { cleanedValue } from './text.ts';

/** More is of no use to a model, and is held in memory for as long as its reader takes. */
const answerLengthMax = 300_000;

/** An argument that no request would carry as it is meant. */
export class ArgumentError extends Error {}

/** A result with its value as structured content, and as text for clients that read nothing else. */
export function answered(value: unknown): CallToolResult {
  const structuredContent = cleanedValue(value) as Record<string, unknown>;
  const text = JSON.stringify(structuredContent);
  if (text.length <= answerLengthMax) return { content: [{ type: 'text', text }], structuredContent };
  return refused({
    code: 'answer_too_large',
    detail: `The answer has ${text.length} characters, more than the ${answerLengthMax} of a tool's answer. Ask for less: a smaller limit, or one entry.`,
  });
}

/** An error as a model reads it: what happened, and what to do. */
export function refused(error: { code: string; detail: string; [more: string]: unknown }): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(cleanedValue({ error })) }] };
}

/** @throws what is not an error of a marketplace */
export async function failed(market: Marketplace, error: unknown): Promise<CallToolResult> {
  if (error instanceof ArgumentError) return refused({ code: 'invalid_arguments', detail: error.message });
  if (error instanceof ActionError) {
    const { code, message: detail, step, digest, requestId, runId } = error;
    return refused({ code, detail, step, digest, requestId, runId });
  }
  if (error instanceof MarketplaceError) {
    const { status, code, message: detail, errors, retryAfterSeconds, requestId } = error;
    // A code of a newer marketplace is none that the type knows.
    const path = { code: code as 'not_found' };
    const headers = { accept: 'application/json' };
    const known = await market.api.getErrorCode({ path, headers }).catch(() => undefined);
    const whatToDo = typeof known === 'object' ? known.whatToDo : undefined;
    const rows = errors.length > 0 ? { errors } : {};
    return refused({ code, status, detail, ...rows, retryAfterSeconds, whatToDo, requestId });
  }
  if (error instanceof ConnectionError) {
    return refused({ code: 'no_answer', detail: `${error.message} Try again shortly.` });
  }
  throw error;
}
