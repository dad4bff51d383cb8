import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import type { ActionRequest } from '../../../lib/actions/request.ts';
import {
  type DraftErrorCode,
  draftErrors,
  draftMsMax,
  internalAgentHeader,
  type TransactionDraft,
  type TransactionDraftRequest,
  transactionDraft,
} from '../../../lib/actions/tools-api.ts';
import { RunFailedError } from '../../../lib/agent/run-failure.ts';
import { parseJson } from '../../../lib/json.ts';
import { readBody } from '../../../lib/outbound/fetch-bytes.ts';
import { startClientSpan } from '../../../lib/tracing/client-span.ts';
import type { SpanContext } from '../../../lib/tracing/tracing.ts';

interface ToolsOptions {
  url: string;
  internalSecret: string;
  signal: AbortSignal;
}

/** Longer than the tool service's own timeout, because the error of that service is more specific. */
const timeoutMs = draftMsMax + 5_000;
const responseBytesMax = 512 * 1024;
const detailLengthMax = 2_000;

/** Creates the client of the tool service, which is untrusted: its responses are bounded in size and validated. */
export function createToolsClient({ url, internalSecret, signal }: ToolsOptions) {
  return async (request: ActionRequest, sender: string, parent?: SpanContext): Promise<TransactionDraft> => {
    const body: TransactionDraftRequest = { sender, request };
    const target = new URL(`${url}/draft`);
    const span = startClientSpan({ method: 'POST', url: target, parent });
    let response: Response;
    let bytes: Uint8Array;
    try {
      response = await fetch(target, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          // The tool service is close to this one: compressing a draft takes longer than sending it.
          'accept-encoding': 'identity',
          [internalAgentHeader]: internalSecret,
          ...span?.headers,
        },
        body: JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      bytes = await readBody(response.body ?? [], responseBytesMax);
      span?.end({ status: response.status });
    } catch (error) {
      span?.end({ error: 'unreachable' });
      signal.throwIfAborted();
      const reason = getErrorMessage(error).slice(0, 200);
      throw new RunFailedError(
        'tools_unavailable',
        `The tool service did not return a response (${reason}). Send the request again.`,
      );
    }
    const value = parseJson(Buffer.from(bytes).toString('utf8'));
    if (!response.ok) throw toFailure(response.status, value);
    const parsed = transactionDraft.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new RunFailedError('tools_unavailable', 'The tool service returned an invalid response.');
  };
}

const problemBody = z.object({ code: z.string(), detail: z.string() });
const nodeCodes = ['node_timeout', 'node_unavailable', 'node_busy'];
const isDraftError = (code: string): code is DraftErrorCode => Object.hasOwn(draftErrors, code);

function toFailure(status: number, value: unknown): RunFailedError {
  const { code = '', detail = '' } = problemBody.safeParse(value).data ?? {};
  const shown = detail.slice(0, detailLengthMax);
  if (nodeCodes.includes(code)) return new RunFailedError('node_unavailable', shown);
  if (status === 422 && isDraftError(code)) return new RunFailedError(code, shown);
  return new RunFailedError(
    'tools_unavailable',
    `The tool service answered with status ${status}. Send the request again.`,
  );
}
