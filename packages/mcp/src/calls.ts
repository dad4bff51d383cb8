import type { AgentActionRequest, Marketplace } from '@adaptor-marketplace/sdk';
import type {
  CallToolResult,
  InputRequiredResult,
  Server,
  ServerContext,
} from '@modelcontextprotocol/server';
import { findAnsweredRequestId, runConfirmed } from './confirmation.ts';
import { schemas } from './generated/schemas.ts';
import { toolOperations } from './operations.ts';
import { ArgumentInvalidError, refuseCall, toToolError, toToolResult } from './results.ts';

type Arguments = Record<string, unknown>;

/** The connection of a caller, which can ask a person, and the request that it sent. */
interface Connection {
  server: Server;
  context: ServerContext;
}

/** Calls a tool with the credentials of the marketplace's client. An error is also a result, which says what to do. */
export async function callTool(
  market: Marketplace,
  name: string,
  args: Arguments,
  connection: Connection,
): Promise<CallToolResult | InputRequiredResult> {
  const unknown = findUnknownArgument(args, Object.keys(schemas[name]!.parts));
  if (unknown !== undefined) return refuseCall({ code: 'invalid_arguments', detail: unknown });
  try {
    const action = schemas[name]!.parts.request && requireAction(name, args.request);
    if (action && name === 'run_action') return await runAction(market, action, connection);
    return toToolResult(await callOperation(market, name, args, connection.context.mcpReq.signal));
  } catch (error) {
    return await toToolError(market, error);
  }
}

/**
 * Finds an argument that the tool does not know. The API ignores such an argument, and a model would take the response
 * for one to its question.
 */
export function findUnknownArgument(args: Arguments, known: readonly string[]): string | undefined {
  const name = Object.keys(args).find((one) => !known.includes(one));
  if (name === undefined) return undefined;
  const takes = known.length > 0 ? `This tool takes ${known.join(', ')}.` : 'This tool takes none.';
  return `Unknown argument: ${name.slice(0, 40)}. ${takes}`;
}

async function callOperation(market: Marketplace, name: string, args: Arguments, signal: AbortSignal) {
  const { operationId, defaults = {} } = toolOperations[name]!;
  const parts: Record<string, Arguments> = {};
  let body: unknown;
  for (const [argument, value] of Object.entries({ ...defaults, ...args })) {
    const part = schemas[name]!.parts[argument]!;
    if (part === 'request') body = value;
    else parts[part] = { ...parts[part], [argument]: convertArgument[part](argument, value) };
  }
  const missing = listRequiredArguments(name).filter((argument) => args[argument] === undefined);
  if (missing.length > 0) throw new ArgumentInvalidError(`Missing argument: ${missing.join(', ')}.`);
  if (parts.query) requireShortQuery(parts.query);
  body ??= parts.body;
  const options = { ...parts, ...(body !== undefined && { body }), signal };
  const api = market.api as unknown as Record<string, (options: object) => Promise<unknown>>;
  const answer = await api[operationId]!(options);
  return Array.isArray(answer) ? { items: answer } : answer;
}

const listRequiredArguments = (name: string) => (schemas[name]!.input.required ?? []) as string[];

/** Converts arguments for a request, and refuses those that the request would change. The API checks the rest. */
const convertArgument: Record<'path' | 'query' | 'body', (argument: string, value: unknown) => unknown> = {
  path: requireServiceType,
  query(argument, value) {
    if (typeof value !== 'object') return value;
    throw new ArgumentInvalidError(`${argument}: expected a text, a number, true or false.`);
  },
  body: (_, value) => value,
};

/** Bound in bytes of a query, as it is encoded. A marketplace accepts urls of 12,000 characters. */
const queryBytesMax = 11_000;

/** @throws ArgumentInvalidError names the longest argument of a query that would make the url too long */
function requireShortQuery(query: Arguments): void {
  const lengths = Object.entries(query).map(([argument, value]) => ({
    argument,
    bytes: new URLSearchParams([[argument, String(value)]]).toString().length,
  }));
  const bytes = lengths.reduce((sum, each) => sum + each.bytes + 1, 0);
  if (bytes <= queryBytesMax) return;
  const { argument } = lengths.reduce((longest, each) => (each.bytes > longest.bytes ? each : longest));
  throw new ArgumentInvalidError(
    `${argument}: too long. The arguments have ${bytes} bytes in the request's query, more than ${queryBytesMax}. Shorten ${argument}.`,
  );
}

const serviceType = /^0x[0-9a-fA-F]{1,64}(?:::[A-Za-z_]\w{0,127}){2}$/;

/**
 * Returns an argument of a path. All of them are service types, which need no encoding.
 * @throws ArgumentInvalidError for a text that could lead to another path
 */
function requireServiceType(argument: string, value: unknown): string {
  if (typeof value === 'string' && serviceType.test(value)) return value;
  throw new ArgumentInvalidError(`${argument}: expected a service type, 0x<package>::<module>::<Witness>.`);
}

/**
 * Returns the action of a request that has the fields of every action. The API takes a body without an action as a spend, and looks for a run before it
 * reads the body, so its errors would name other fields.
 * @throws ArgumentInvalidError names the missing fields
 */
function requireAction(name: string, request: unknown): Arguments {
  if (typeof request !== 'object' || request === null || Array.isArray(request)) {
    throw new ArgumentInvalidError('request: expected an object with the action.');
  }
  const { AgentActionRequest } = schemas[name]!.input.$defs as Record<string, { required: string[] }>;
  const missing = AgentActionRequest!.required.filter((field) => Reflect.get(request, field) === undefined);
  if (missing.length > 0) {
    throw new ArgumentInvalidError(`request: missing ${missing.join(', ')}. Each action needs these fields.`);
  }
  return request as Arguments;
}

async function runAction(market: Marketplace, request: Arguments, connection: Connection) {
  for (const name of ['walletId', 'network', 'requestId']) {
    const value = request[name];
    // They are parts of the query by which the tool looks for a run of the request.
    if (value !== undefined && typeof value !== 'string')
      throw new ArgumentInvalidError(`request.${name}: expected a text.`);
  }
  const requestId = findAnsweredRequestId(connection.context) ?? randomId();
  const action = { requestId, ...request } as AgentActionRequest & { requestId: string };
  return await runConfirmed({ market, ...connection, request: action });
}

/** Returns a random id of 32 hex digits. */
export const randomId = () => crypto.randomUUID().replaceAll('-', '');
