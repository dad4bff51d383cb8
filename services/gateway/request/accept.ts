import type { IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';
import { ProblemError } from '../../../lib/errors/index.ts';

/** Whether the caller takes this media type at all. */
export function accepts(req: IncomingMessage, mediaType: string): boolean {
  const header = req.headers.accept;
  if (header === undefined || header === '*/*' || header === mediaType) return true;
  return new Negotiator(req).mediaTypes([mediaType]).length > 0;
}

/** @throws ProblemError 406 */
export function requireAccepts(req: IncomingMessage, mediaType: string): void {
  if (accepts(req, mediaType)) return;
  throw new ProblemError({
    status: 406,
    code: 'not_acceptable',
    title: 'Not acceptable',
    detail: `This resource comes as ${mediaType}, which the accept header does not name.`,
  });
}

/** A browser that shows a page, as against a program that takes anything. */
export function prefersHtml(req: IncomingMessage): boolean {
  const [best] = new Negotiator(req).mediaTypes(['application/json', 'text/html']);
  return best === 'text/html';
}
