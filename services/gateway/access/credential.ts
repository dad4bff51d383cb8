import type { IncomingMessage } from 'node:http';
import { apiKeys, executorKeys, sessionTokens } from '../../../lib/credentials/token.ts';

/** What a request says of who sends it. */
export type Credential =
  | { kind: 'none' }
  | { kind: 'key'; key: string }
  /** A bearer token that is no API key: one of the host's secrets, or a wrong one. */
  | { kind: 'secret'; secret: string };

/** Other schemes than Bearer are left to the proxies that ask for them. */
const bearer = /^bearer(?:\s+(.*))?$/i;

export function credentialOf({ headers }: IncomingMessage): Credential {
  const key = headers['x-api-key'];
  if (key !== undefined) return { kind: 'key', key: String(key) };
  const { authorization } = headers;
  if (authorization === undefined) return { kind: 'none' };
  const scheme = bearer.exec(authorization);
  if (!scheme) return { kind: 'none' };
  // Empty where somebody's setting is; that is a wrong one, or they would be served as nobody.
  const token = scheme[1] ?? '';
  if (token.startsWith(apiKeys.prefix)) return { kind: 'key', key: token };
  // The agent service's own: it judges them, and here they count as nobody's.
  if (executorKeys.looksLike(token) || sessionTokens.looksLike(token)) return { kind: 'none' };
  return { kind: 'secret', secret: token };
}
