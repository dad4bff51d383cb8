import { setTimeout as delay } from 'node:timers/promises';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { ConnectionError, GraphError, MarketplaceError } from '@adaptor-marketplace/sdk';
import { z } from 'zod';
import { CommandFailedError, describeIssue, explainNodeError } from './io.ts';

const remedy =
  'Is it a marketplace? Start one with npm start, or name another with --url, MARKETPLACE_URL or a profile.';

/** Returns an error of the SDK in this program's form, and any other error unchanged. */
export function toCommandError(error: unknown): unknown {
  if (error instanceof ConnectionError) {
    const { message, cause } = error;
    const reason = cause === undefined ? '' : `: ${describeCause(cause)}`;
    return new CommandFailedError(`${message.replace(/\.$/, '')}${reason}. ${remedy}`);
  }
  if (error instanceof GraphError)
    return new CommandFailedError(`The graph refuses: ${error.message} (${error.code})`);
  if (error instanceof MarketplaceError && error.code.startsWith('http_')) {
    return new CommandFailedError(
      `The response has status ${error.status} and no problem document. ${remedy}`,
    );
  }
  return error;
}

/** Creates the error of a run that goes on without this program, or never began. */
export const createLostRunError = ({ message, cause }: ConnectionError): CommandFailedError =>
  new CommandFailedError(
    `${message} The reason: ${describeCause(cause)}\n` +
      'The same command with --request-id and this id attaches to it, and starts nothing new.',
  );

const describeCause = (cause: unknown) => explainNodeError(getErrorMessage(findRootCause(cause)));

function findRootCause(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? findRootCause(error.cause) : error;
}

/**
 * Validates a response.
 * @throws CommandFailedError if it does not match the schema
 */
export function parseResponse<Schema extends z.ZodType>(schema: Schema, answer: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new CommandFailedError(
    `The marketplace returned an unexpected response (${describeIssue(parsed.error)}). Check that it and this program have the same version.`,
  );
}

/**
 * Sends a read of a command that waits for the marketplace. If the marketplace refuses it for a while, such as by a rate limit,
 * the read is sent again after that time.
 * @param untilMs end of the wait, by `performance.now()`
 * @throws the refusal if its wait would end after `untilMs`, and any other error
 */
export async function readPatiently<Answer>(read: () => Promise<Answer>, untilMs: number): Promise<Answer> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      const seconds = error instanceof MarketplaceError ? error.retryAfterSeconds : undefined;
      if (seconds === undefined || performance.now() + seconds * 1_000 > untilMs) throw error;
      await delay(seconds * 1_000);
    }
  }
}

/** The part of a catalog entry that commands use. */
export const catalogEntry = z.object({
  serviceType: z.string(),
  packageId: z.string(),
  publisherVerified: z.boolean(),
  manifestHash: z.string(),
  manifestUri: z.string().optional(),
  version: z.int(),
  manifest: z.looseObject({
    name: z.string(),
    category: z.string(),
    deprecated: z.string().optional(),
    successor: z.string().optional(),
  }),
  usage: z.object({ actions: z.int(), uniqueVaults: z.int() }),
  reviews: z.object({ count: z.int(), avg: z.number().nullable() }),
});

/** The catalog's limit for a search text, in characters. */
export const searchTextMax = 200;

export const catalogAnswer = z.object({
  network: z.string(),
  adaptors: z.array(catalogEntry),
  nextCursor: z.string().optional(),
});

export type CatalogAnswer = z.infer<typeof catalogAnswer>;
export type CatalogEntry = z.infer<typeof catalogEntry>;

/** Returns the problem details of an error response (RFC 9457). */
export function buildProblemBody({
  title,
  status,
  code,
  message,
  errors,
  requestId,
}: MarketplaceError): object {
  const rows = errors.length > 0 && { errors };
  return {
    type: 'about:blank',
    title,
    status,
    code,
    detail: message,
    ...(requestId && { requestId }),
    ...rows,
  };
}

/** Returns an error response as lines of text. */
export function formatProblem(problem: MarketplaceError): string[] {
  const { title, status, code, message, errors, requestId, retryAfterSeconds } = problem;
  const isSaid = message === title || errors.some((row) => message.includes(row.message));
  return [
    `${title} (${status} ${code})`,
    ...errors.map(({ path, message }) => `  ${path}: ${message}`),
    ...(isSaid ? [] : [`  ${message}`]),
    ...(retryAfterSeconds === undefined ? [] : [`  Try again in ${retryAfterSeconds} seconds.`]),
    ...(requestId && status >= 500 ? [`  Request id, for the operator: ${requestId}`] : []),
  ];
}
