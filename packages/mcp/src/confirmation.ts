import type { AgentActionRequest, AgentRun, AgentRunStep, Marketplace } from '@adaptor-marketplace/sdk';
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { describeArguments, describeConfirmation, questionLengthMax } from './confirmation-words.ts';
import { holdAction, nameCaps, type Payers } from './held-action.ts';
import { refuseCall, toToolError, toToolResult } from './results.ts';

interface ConfirmedRun {
  market: Marketplace;
  server: Server;
  context: ServerContext;
  request: AgentActionRequest & { requestId: string };
}

/**
 * Runs an action after a person confirmed it. A client that supports elicitation asks the person, and the run is held
 * to the bounds, the listings and the caps that were shown. Without such a client, the marketplace runs it only with an
 * executor key that is `unattended` until it signs. Every tool that moves funds must call this function: no other part
 * of the tools starts a run. An error of the marketplace is a result that names the run's `requestId`.
 */
export async function runConfirmed(run: ConfirmedRun): Promise<Reply> {
  const { requestId } = run.request;
  return await confirmAndRun(run).catch((error: unknown) => toToolError(run.market, error, { requestId }));
}

async function confirmAndRun(run: ConfirmedRun): Promise<Reply> {
  const { market, server, context } = run;
  // The field says that the tools asked no person, which only this function knows.
  const { unattended: _, ...request } = run.request;
  const follow = async (action: ConfirmedRun['request']) =>
    toToolResult(await followRun(market, action, context));
  const signed = await findSignedRun(market, request);
  if (signed) return await follow(replayRequest(request, signed));
  if (!canAsk(server, context)) return await follow({ ...request, unattended: true });
  const { confirmed, reply } = await askPerson({ ...run, request });
  return reply ?? (await follow(confirmed));
}

/**
 * Finds the run of the request that was already signed. The same `requestId` then only replays it, so there is nothing
 * to confirm.
 */
async function findSignedRun(market: Marketplace, { walletId, network, requestId }: ConfirmedRun['request']) {
  const query = { walletId, ...(network && { network }), requestId };
  const { runs } = await market.api.listRuns({ query });
  return runs.find((run) => run.digest !== null);
}

/**
 * Returns the request with the bounds and the caps of its run, which a person confirmed: the marketplace compares them
 * too.
 */
function replayRequest(request: ConfirmedRun['request'], run: AgentRun): ConfirmedRun['request'] {
  const { bounds, steps, capId } = run.request as Pick<AgentActionRequest, 'bounds'> & Payers;
  const { bounds: _, ...named } = nameCaps(request, steps ?? [{ capId }]);
  return { ...named, ...(bounds && { bounds }) };
}

/**
 * Returns `true` if the client can ask a person. A client of the 2026 protocol declares its capabilities in each
 * request, one of 2025 when it connects.
 */
function canAsk(server: Server, { mcpReq: { envelope } }: ServerContext): boolean {
  const requestCapabilities: ClientCapabilities | undefined =
    envelope && Reflect.get(envelope, CLIENT_CAPABILITIES_META_KEY);
  const elicitation = (requestCapabilities ?? server.getClientCapabilities())?.elicitation;
  // The default mode is a form. A client that can only open urls does not show the question.
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/**
 * Returns the `requestId` of the question that a call answers; undefined for a call without an answer. A call that states
 * no `requestId` runs under this one, so that an answer that is sent again attaches to its run, and starts no other.
 */
export const findAnsweredRequestId = ({ mcpReq }: ServerContext): string | undefined =>
  /^(.{1,128})\.[0-9a-f]{64}$/s.exec(mcpReq.requestState() ?? '')?.[1];

type Reply = CallToolResult | InputRequiredResult;
/** The request with all that a person confirmed, or the reply to a call that is not confirmed. */
type Decision =
  | { confirmed: ConfirmedRun['request']; reply?: undefined }
  | { confirmed?: undefined; reply: Reply };

async function askPerson({ market, context, request }: ConfirmedRun): Promise<Decision> {
  const { mcpReq } = context;
  const { length } = describeArguments(request);
  if (length > questionLengthMax) return { reply: refuseTooLong(length) };
  const simulation = await market.api.simulateAction({ body: request });
  if (!simulation.wouldSucceed) {
    const { code = 'unknown', detail = 'It would fail.' } = simulation;
    return { reply: refuseCall({ code, detail }) };
  }
  const confirmed = holdAction(request, simulation);
  const message = describeConfirmation(request, simulation);
  if (message.length > questionLengthMax) return { reply: refuseTooLong(message.length) };
  // An answer only counts for the current question. A caller that forges one could also run the action by REST.
  const { requestId } = request;
  const state = `${requestId}.${await hashText(JSON.stringify([requestId, message, confirmed]))}`;
  if (mcpReq.inputResponses?.confirm === undefined || mcpReq.requestState() !== state) {
    return { reply: askToConfirm(message, state) };
  }
  const accepted = acceptedContent<{ confirm?: boolean }>(mcpReq.inputResponses, 'confirm');
  if (accepted?.confirm === true) return { confirmed };
  const detail = 'The person did not confirm. Do not call it again unasked.';
  return { reply: refuseCall({ code: 'not_confirmed', detail }) };
}

const refuseTooLong = (length: number) =>
  refuseCall({
    code: 'invalid_arguments',
    detail: `The call cannot be shown to a person in full: the question has ${length} characters, more than ${questionLengthMax}. Use shorter values, or fewer steps.`,
  });

const askToConfirm = (message: string, requestState: string) =>
  inputRequired({
    inputRequests: {
      confirm: inputRequired.elicit({
        mode: 'form',
        message,
        requestedSchema: {
          type: 'object',
          properties: { confirm: { type: 'boolean', title: 'Run it' } },
          required: ['confirm'],
        },
      }),
    },
    requestState,
  });

async function hashText(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Follows a run to its end. If the client disconnects, it throws the signal's reason. That does not stop the run, and a call
 * with the same requestId attaches to it again.
 */
async function followRun(market: Marketplace, action: ConfirmedRun['request'], context: ServerContext) {
  const report = createReporter(context);
  const { signal } = context.mcpReq;
  const steps: AgentRunStep[] = [];
  for await (const step of market.runAction(action, { signal })) {
    steps.push(step);
    await report(`${step.step}: ${step.status}`).catch(() => undefined);
  }
  const digest = steps.at(-1)?.digest;
  return { requestId: action.requestId, ...(digest !== undefined && { digest }), steps };
}

/** Creates a function that reports a step to a client that sent a progress token. */
function createReporter({ mcpReq }: ServerContext): (message: string) => Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  let progress = 0;
  return async (message) => {
    if (progressToken === undefined) return;
    progress += 1;
    await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, message } });
  };
}
