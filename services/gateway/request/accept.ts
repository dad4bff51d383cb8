import type { IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';
import { ProblemError } from '../../../lib/errors/index.ts';

/** Whether the caller takes one of these media types at all. */
export function accepts(req: IncomingMessage, ...mediaTypes: string[]): boolean {
  const header = req.headers.accept;
  if (header === undefined || header === '*/*' || header === mediaTypes[0]) return true;
  return new Negotiator(req).mediaTypes(mediaTypes).length > 0;
}

/** @throws ProblemError 406 */
export function requireAccepts(req: IncomingMessage, ...mediaTypes: string[]): void {
  if (accepts(req, ...mediaTypes)) return;
  throw new ProblemError({
    status: 406,
    code: 'not_acceptable',
    title: 'Not acceptable',
    detail: `This resource comes as ${mediaTypes.join(' or ')}, which the accept header refuses.`,
  });
}

/** A browser that shows a page, as against a program that takes anything. */
export function prefersHtml(req: IncomingMessage): boolean {
  const [best] = new Negotiator(req).mediaTypes(['application/json', 'text/html']);
  return best === 'text/html';
}
