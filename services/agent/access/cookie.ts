import { sessionCookieName } from '../../../lib/agent/session-cookie.ts';

/** Only sent to this service's own paths, only by its own pages, and unreadable by scripts. */
const attributes = 'Path=/api/agent; HttpOnly; Secure; SameSite=Strict';

/** The value of `set-cookie` that keeps a session in a browser. */
export function setCookie(token: string, seconds: number): string {
  return `${sessionCookieName}=${token}; Max-Age=${seconds}; ${attributes}`;
}

/** The one that makes a browser forget it. */
export const clearCookie = `${sessionCookieName}=; Max-Age=0; ${attributes}`;
