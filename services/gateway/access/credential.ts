import type { IncomingMessage } from 'node:http';
import { apiKeys, executorKeys, sessionCookieOf, sessionTokens } from '../../../lib/credentials/token.ts';

/** What a request shows of who sends it, as far as the gateway judges it. */
type Credential =
  | { kind: 'none' }
  | { kind: 'key'; key: string }
  /** An executor key or a session: the agent service judges it, and its paths alone ask for it. */
  | { kind: 'agent'; token: string }
  /** A bearer token of no form of ours: one of the host's secrets, or a wrong one. */
  | { kind: 'secret'; secret: string };

/** Other schemes than Bearer are left to the proxies that ask for them. */
const bearer = /^bearer(?:\s+(.*))?$/i;

/** An `x-api-key` decides, whatever else is sent. */
export function credentialOf({ headers }: IncomingMessage): Credential {
  const key = headers['x-api-key'];
  if (key !== undefined) return { kind: 'key', key: String(key) };
  const token = bearerOf(headers.authorization);
  if (token?.startsWith(apiKeys.prefix)) return { kind: 'key', key: token };
  if (token !== undefined && !isAgentToken(token)) return { kind: 'secret', secret: token };
  const agentToken = token ?? sessionCookieOf(headers.cookie);
  return agentToken === undefined ? { kind: 'none' } : { kind: 'agent', token: agentToken };
}

/** What the agent service judges a request by, whatever else is sent; undefined where it shows nothing. */
export function agentCredentialOf({ headers }: IncomingMessage): string | undefined {
  return bearerOf(headers.authorization) ?? sessionCookieOf(headers.cookie);
}

/** Whether a token has 256 random bits, so that nobody finds one by trying. */
export const isAgentToken = (token: string) =>
  executorKeys.looksLike(token) || sessionTokens.looksLike(token);

/** Empty where somebody's setting is: that is a wrong token, and not the lack of one. */
function bearerOf(authorization: string | undefined): string | undefined {
  const scheme = bearer.exec(authorization ?? '');
  return scheme ? (scheme[1] ?? '') : undefined;
}
