import {
  ActionError,
  type AgentActionRequest,
  type AgentRunStep,
  ConnectionError,
  type Marketplace,
  MarketplaceError,
} from '@adaptor-marketplace/sdk';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { schemas } from './generated/schemas.ts';
import { toolOperations } from './operations.ts';
import { cleanedValue } from './text.ts';

type Arguments = Record<string, unknown>;

/** Reports a step of a run, where the client asked for its progress. */
export type Report = (message: string) => Promise<void>;

interface CallOptions {
  /** Aborted when the client goes away. */
  signal: AbortSignal;
  report: Report;
}

/** More is of no use to a model, and is held in memory for as long as its reader takes. */
const answerLengthMax = 300_000;

/** Calls a tool with the credentials of the marketplace's client. An error is a result too: it says what to do. */
export async function callTool(
  market: Marketplace,
  name: string,
  given: Arguments,
  options: CallOptions,
): Promise<CallToolResult> {
  const unknown = unknownArgument(given, Object.keys(schemas[name]!.places));
  if (unknown !== undefined) return refused({ code: 'invalid_arguments', detail: unknown });
  try {
    if (name === 'run_action') return answered(await runAction(market, given, options));
    return answered(await callOperation(market, name, given, options.signal));
  } catch (error) {
    return await failed(market, error);
  }
}

/** The API ignores what it does not know. A model would take its answer for one to what it asked. */
export function unknownArgument(given: Arguments, known: readonly string[]): string | undefined {
  const name = Object.keys(given).find((one) => !known.includes(one));
  if (name === undefined) return undefined;
  const takes = known.length > 0 ? `This tool takes ${known.join(', ')}.` : 'This tool takes none.';
  return `Unknown argument: ${name.slice(0, 40)}. ${takes}`;
}

async function callOperation(market: Marketplace, name: string, given: Arguments, signal: AbortSignal) {
  const { operationId, defaults = {} } = toolOperations[name]!;
  const parts: Record<string, Arguments> = {};
  let body: unknown;
  for (const [argument, value] of Object.entries({ ...defaults, ...given })) {
    const place = schemas[name]!.places[argument]!;
    if (place === 'request') body = value;
    else parts[place] = { ...parts[place], [argument]: checked[place](argument, value) };
  }
  const missing = requiredOf(name).filter((argument) => given[argument] === undefined);
  if (missing.length > 0) throw new ArgumentError(`Missing argument: ${missing.join(', ')}.`);
  const options = {
    ...parts,
    ...((body ?? parts.body) !== undefined && { body: body ?? parts.body }),
    signal,
  };
  const api = market.api as unknown as Record<string, (options: object) => Promise<unknown>>;
  const answer = await api[operationId]!(options);
  return Array.isArray(answer) ? { items: answer } : answer;
}

const requiredOf = (name: string) => (schemas[name]!.input.required ?? []) as string[];

class ArgumentError extends Error {}

/** Refuses what a request would not carry as it is meant; the API judges the rest. */
const checked: Record<'path' | 'query' | 'body', (argument: string, value: unknown) => unknown> = {
  path: pathPart,
  query(argument, value) {
    if (typeof value !== 'object') return value;
    throw new ArgumentError(`${argument}: expected a text, a number, true or false.`);
  },
  body: (_, value) => value,
};

const serviceType = /^0x[0-9a-fA-F]{1,64}(?:::[A-Za-z_]\w{0,127}){2}$/;

/** All parts of paths are service types. @throws ArgumentError for what could lead to another path */
function pathPart(argument: string, value: unknown): string {
  if (typeof value === 'string' && serviceType.test(value)) return value;
  throw new ArgumentError(`${argument}: expected a service type, 0x<package>::<module>::<Witness>.`);
}

async function runAction(market: Marketplace, { request }: Arguments, options: CallOptions) {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) {
    throw new ArgumentError('request: expected an object with the action.');
  }
  const action = { requestId: randomId(), ...request } as AgentActionRequest & { requestId: string };
  return await followRun(market, action, options);
}

/** Follows a run to its end, or until its client goes away: that stops nothing, and its requestId attaches to it again. */
export async function followRun(
  market: Marketplace,
  action: AgentActionRequest & { requestId: string },
  { signal, report }: CallOptions,
) {
  const steps: AgentRunStep[] = [];
  for await (const step of market.runAction(action)) {
    steps.push(step);
    if (signal.aborted) break;
    await report(`${step.step}: ${step.status}`).catch(() => undefined);
  }
  const digest = steps.at(-1)?.digest;
  return { requestId: action.requestId, ...(digest !== undefined && { digest }), steps };
}

export const randomId = () => crypto.randomUUID().replaceAll('-', '');

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
