import { ConnectionError, MarketplaceError } from './errors.ts';
import type {
  ActionBounds,
  AgentActionRequest,
  AgentRunStep,
  AgentSimulation,
} from './generated/types.gen.ts';
import { openStream, readLines } from './lines.ts';
import { computeDelayMs, delay, isTransient, type Send } from './requests.ts';

/** A run that ended with an error line. Its `code` says what happened, and whether to send the action again. */
export class ActionError extends Error {
  readonly code: string;
  readonly step: AgentRunStep['step'];
  /** Digest of the transaction, if one was signed. */
  readonly digest: string | undefined;
  readonly requestId: string;
  readonly runId: string | undefined;

  constructor({ step, code, detail, digest }: AgentRunStep, { requestId, runId }: RunIds) {
    super(detail ?? `The action failed at the step ${step}`);
    this.name = 'ActionError';
    this.code = code ?? 'unknown';
    this.step = step;
    this.digest = digest;
    this.requestId = requestId;
    this.runId = runId;
  }
}

/**
 * Collects the bounds of a run that is held to what a simulation showed: amounts and listings. Send them as `bounds`.
 */
export function collectBounds({
  takesAtMost,
  bringsAtLeast,
  steps,
}: Pick<AgentSimulation, 'takesAtMost' | 'bringsAtLeast' | 'steps'>): ActionBounds {
  const listings = steps.flatMap(({ adaptor }) => (adaptor ? [adaptor] : []));
  const manifests = Object.fromEntries(
    listings.map(({ serviceType, manifestHash }) => [serviceType, manifestHash]),
  );
  return { takesAtMost, bringsAtLeast, manifests };
}

/** Ids by which a client attaches to a run again. */
interface RunIds {
  requestId: string;
  runId: string | undefined;
}

/** Bound on consecutive connection failures. After these, the caller gets the error. */
const failuresMax = 8;

/**
 * Runs an action, and yields each step when it happens. After a disconnect it attaches to the same run again, which
 * starts nothing new: by its `requestId` until the marketplace has named the run, then by the run's id.
 * @param action an action without a `requestId` gets a random one
 * @throws ActionError after the step that failed; MarketplaceError if the marketplace refuses the action;
 * ConnectionError if the run is lost: it may go on, and the same `requestId` attaches to it
 */
export async function* followAction(
  send: Send,
  baseUrl: string,
  action: AgentActionRequest,
  { signal }: { signal?: AbortSignal | undefined } = {},
): AsyncGenerator<AgentRunStep, void> {
  const requestId = action.requestId ?? randomId();
  const body = JSON.stringify({ ...action, requestId });
  let runId: string | undefined;
  let seen = 0;
  let mayHaveBegun = false;
  const attach = async () => {
    if (runId === undefined) {
      const headers = { 'content-type': 'application/json' };
      return await openStream(send, `${baseUrl}/api/agent/run`, { method: 'POST', headers, body }, signal);
    }
    // The id alone could be that of another run, if the marketplace's database has lost this one.
    const query = new URLSearchParams({ from: String(seen), requestId });
    const path = `/api/agent/runs/${encodeURIComponent(runId)}/stream?${query}`;
    return await openStream(send, baseUrl + path, {}, signal);
  };
  for (let failures = 0; ; ) {
    try {
      const response = await attach();
      runId ??= response.headers.get('x-run-id') ?? undefined;
      for await (const line of readLines(response.body)) {
        if (line === '') continue;
        failures = 0;
        seen += 1;
        const step = JSON.parse(line) as AgentRunStep;
        yield step;
        if (step.status === 'error') throw new ActionError(step, { requestId, runId });
        if (step.step === 'confirm' && step.status === 'done') return;
      }
      throw new ConnectionError('The stream of the run ended before the run.');
    } catch (error) {
      signal?.throwIfAborted();
      failures += 1;
      const isRefused = error instanceof MarketplaceError && ![502, 504].includes(error.status);
      mayHaveBegun ||= runId !== undefined || !isRefused;
      // Without the run's id, the client cannot continue after the lines that it has received.
      const isOver = !isTransient(error) || failures >= failuresMax || (runId === undefined && seen > 0);
      const isOfRequest = error instanceof MarketplaceError || error instanceof ConnectionError;
      if (isOver && isOfRequest && mayHaveBegun)
        throw new ConnectionError(`The run was lost: it may go on. Its requestId is ${requestId}.`, error);
      if (isOver) throw error;
      await delay(computeDelayMs(failures, error), signal);
    }
  }
}

function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
