/** The cookie that holds the session of an agent's customer. */
export const sessionCookieName = 'agent_session';

/** The session's token in a `cookie` header; undefined where there is none. */
export function sessionCookieOf(header: string | undefined): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === sessionCookieName) return pair.slice(at + 1).trim();
  }
  return undefined;
}
