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

interface ToolsOptions {
  url: string;
  internalSecret: string;
  signal: AbortSignal;
}

/** Longer than the tool service's own timeout, because the error of that service is more specific. */
const timeoutMs = draftMsMax + 5_000;
const answerBytesMax = 512 * 1024;
const detailLengthMax = 2_000;

/** Requests drafts for `sender` from the untrusted tool service: responses are bounded in size and validated. */
export function toolsClient({ url, internalSecret, signal }: ToolsOptions) {
  return async (request: ActionRequest, sender: string): Promise<TransactionDraft> => {
    const body: TransactionDraftRequest = { sender, request };
    let answer: Response;
    let bytes: Uint8Array;
    try {
      answer = await fetch(`${url}/draft`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          // The tool service is close to this one: compressing a draft takes longer than sending it.
          'accept-encoding': 'identity',
          [internalAgentHeader]: internalSecret,
        },
        body: JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      bytes = await readBounded(answer);
    } catch (error) {
      signal.throwIfAborted();
      const reason = getErrorMessage(error).slice(0, 200);
      throw new RunFailedError(
        'tools_unavailable',
        `The tool service is unreachable (${reason}). Send the request again.`,
      );
    }
    const value = parse(bytes);
    if (!answer.ok) throw toFailure(answer.status, value);
    const parsed = transactionDraft.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new RunFailedError('tools_unavailable', 'The tool service returned an invalid response.');
  };
}

async function readBounded({ body }: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    if (length > answerBytesMax) throw new Error(`its answer has more than ${answerBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}

const refused = z.object({
  code: z.enum(Object.keys(draftErrors) as [DraftErrorCode, ...DraftErrorCode[]]),
  detail: z.string(),
});

/** Codes of the tool service for a network node that did not answer. */
const nodeFailed = z.object({
  code: z.enum(['node_timeout', 'node_unavailable', 'node_busy']),
  detail: z.string(),
});

function toFailure(status: number, value: unknown): RunFailedError {
  const node = nodeFailed.safeParse(value);
  if (node.success) return new RunFailedError('node_unavailable', node.data.detail.slice(0, detailLengthMax));
  const parsed = refused.safeParse(value);
  if (status !== 422 || !parsed.success) {
    return new RunFailedError(
      'tools_unavailable',
      `The tool service answered with status ${status}. Send the request again.`,
    );
  }
  const { code, detail } = parsed.data;
  return new RunFailedError(code, detail.slice(0, detailLengthMax));
}
