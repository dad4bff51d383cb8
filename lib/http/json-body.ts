import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { type FieldError, type ProblemError, problem } from '../errors/index.ts';
import { faultOf } from './json-value.ts';

/**
 * Reads a JSON object from a request's body.
 * @throws ProblemError 415 for another type or an encoding, 413 above `bytesMax`, 400 when it is no JSON object, or one
 *   that is nested too deeply or holds text that no database stores
 */
export async function readJsonObject(
  req: IncomingMessage,
  bytesMax: number,
): Promise<Record<string, unknown>> {
  const [type, ...parameters] = (req.headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.find((parameter) => parameter.trim().startsWith('charset='));
  if (type?.trim() !== 'application/json' || (charset && !/utf-?8/.test(charset))) {
    throw problem('unsupported_media_type', 'Send the body as application/json in UTF-8.');
  }
  if ((req.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw problem('unsupported_media_type', 'Send the body without content-encoding.');
  }
  return parseObject(await readBytes(req, bytesMax));
}

/**
 * Reads a request's body.
 * @throws ProblemError 413 above `bytesMax`, 400 where it breaks off
 */
export async function readBytes(req: IncomingMessage, bytesMax: number): Promise<Buffer> {
  try {
    return await getRawBody(req, { length: req.headers['content-length'], limit: bytesMax });
  } catch (error) {
    const type = error instanceof Error && 'type' in error ? error.type : undefined;
    if (type === 'entity.too.large') {
      throw problem('body_too_large', `The body may have ${bytesMax} bytes.`);
    }
    throw problem('bad_body', 'The body ended early or has another length than announced.');
  }
}

function parseObject(bytes: Buffer): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw problem('not_json', 'The body is not JSON.');
  }
  if (!isObject(value)) throw problem('not_an_object', 'The body must be a JSON object.');
  const fault = faultOf(value, 'body');
  if (fault) throw invalidBody([fault]);
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The error of a JSON object with wrong fields. */
export function invalidBody(errors: FieldError[]): ProblemError {
  const detail = errors.map(({ path, message }) => `${path}: ${message}`).join('; ');
  return problem('invalid_body', detail, { errors });
}
