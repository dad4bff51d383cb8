import type { Request } from 'express';

const name = 'agent_session';
/** Only sent to this service's own paths, only by its own pages, and unreadable by scripts. */
const attributes = 'Path=/api/agent; HttpOnly; Secure; SameSite=Strict';

/** The session's token in a request's cookies. */
export function sessionCookie({ headers }: Request): string | undefined {
  for (const pair of (headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return undefined;
}

/** The value of `set-cookie` that keeps a session in a browser. */
export function setCookie(token: string, seconds: number): string {
  return `${name}=${token}; Max-Age=${seconds}; ${attributes}`;
}

/** The one that makes a browser forget it. */
export const clearCookie = `${name}=; Max-Age=0; ${attributes}`;
