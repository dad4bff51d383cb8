import { ActionFailedError, RequestRefusedError, send } from '../api/ask.ts';
import { readStoredJson, store } from '../api/storage.ts';

/**
 * The session of a reader that signed in with a secret. The credential is a cookie that no script can read. The browser
 * stores kind, holder and expiry, which are not secret. With them a page knows without a request that no session is open.
 */

/** Kind of secret: `admin` for the operator's admin secret, `key` for an API key of an integrator. */
export type Kind = 'admin' | 'key';

export interface Session {
  kind: Kind;
  /** Holder of the API key; absent for `admin`. */
  integrator?: string;
  expiresMs: number;
}

const path = '/api/portal/session';
const storageKey = 'portal-session';
const json = { 'content-type': 'application/json' };

let session = readStoredJson<Session>(storageKey);
/** Reason of the end of the last session; undefined if there was none, or its holder signed out. */
let endReason: string | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners: (() => void)[] = [];

function setSession(next: Session | undefined, reason?: string): void {
  session = next;
  endReason = reason;
  clearTimeout(timer);
  if (next) timer = setTimeout(expire, Math.max(0, next.expiresMs - Date.now()));
  // Listeners run after the code that changed the session.
  for (const listener of listeners) setTimeout(listener);
}

const expire = () => removeSession('Your session has ended. Sign in again to go on.');

function storeSession(next: Session | undefined, reason?: string): void {
  store(storageKey, next && JSON.stringify(next));
  setSession(next, reason);
}

const removeSession = (reason?: string) => storeSession(undefined, reason);

/** Calls `listener` when someone signs in or out, here or in another tab, and when the session ends. */
export function listenToSession(listener: () => void): void {
  listeners.push(listener);
  if (listeners.length > 1) return;
  addEventListener('storage', ({ key }) => {
    if (key === storageKey || key === null) setSession(readStoredJson(storageKey));
  });
  setSession(session);
}

export const getCurrentSession = (): Session | undefined =>
  session !== undefined && session.expiresMs > Date.now() ? session : undefined;

export const getEndReason = (): string | undefined => endReason;

/** Secrets that a header can carry: 1 to 1,000 visible ASCII characters. */
const secretPattern = /^[\x21-\x7e]{1,1000}$/;

/**
 * Exchanges a secret for a session.
 * @throws ActionFailedError
 */
export async function signIn(kind: Kind, secret: string): Promise<void> {
  const fault = findSecretFault(kind, secret);
  if (fault) throw fault;
  const credential: Record<string, string> =
    kind === 'key' ? { 'x-api-key': secret } : { authorization: `Bearer ${secret}` };
  const headers = { ...json, ...credential };
  try {
    const init = { method: 'POST', headers, body: '{}', cache: 'no-store' } as const;
    storeSession(await send<Session>(path, init, readOpened));
  } catch (error) {
    throw error instanceof RequestRefusedError && error.status === 401 ? wrongSecret(kind) : error;
  }
}

/** Reads an opened session, with its end by the clock of this browser, which may be far from that of the host. */
export async function readOpened(answer: Response): Promise<Session> {
  const opened: Session = await answer.json();
  const hostMs = Date.parse(answer.headers.get('date') ?? '');
  return Number.isNaN(hostMs) ? opened : { ...opened, expiresMs: opened.expiresMs - hostMs + Date.now() };
}

function findSecretFault(kind: Kind, secret: string): ActionFailedError | undefined {
  if (!secretPattern.test(secret))
    return new ActionFailedError(
      kind === 'key' ? 'This is not an API key' : 'This is not the admin secret',
      'It is empty, or has spaces or other characters that no secret of this host has. Copy it again.',
    );
  const isKey = secret.startsWith('mk_');
  if (kind === 'admin' && isKey)
    return new ActionFailedError('This is an API key', 'This page needs the admin secret of the host.');
  if (kind === 'key' && !isKey)
    return new ActionFailedError('This is not an API key', 'An API key begins with mk_. Copy it again.');
  return undefined;
}

const wrongSecret = (kind: Kind) =>
  kind === 'key'
    ? new ActionFailedError(
        'This API key is wrong or revoked',
        'Check that you copied all of it, or ask the operator of this host for another one.',
      )
    : new ActionFailedError(
        'This is not the admin secret of this host',
        'Check that you copied all of MARKETPLACE_ADMIN_SECRET. Sixty attempts a minute are possible.',
      );

/** Ends the session, also at the host. @throws ActionFailedError */
export async function signOut(): Promise<void> {
  try {
    await send(path, { method: 'DELETE', headers: json });
  } catch (error) {
    // The session had already ended.
    if (!(error instanceof RequestRefusedError && error.status === 401)) throw error;
  }
  removeSession();
}

interface SessionRequest {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  body?: unknown;
  signal?: AbortSignal;
  /** Reads the body of the response. Default: as JSON. */
  read?: (response: Response) => Promise<unknown>;
}

/**
 * Sends a request with the session's cookie. If the session has ended, the page shows the sign-in form again.
 * @throws RequestRefusedError, ActionFailedError
 */
export async function request<Answer>(
  to: string,
  { method = 'GET', body, signal, read }: SessionRequest = {},
): Promise<Answer> {
  const headers = method === 'GET' ? {} : json;
  const init: RequestInit = { method, headers, cache: 'no-store' };
  if (body !== undefined) init.body = JSON.stringify(body);
  if (signal) init.signal = signal;
  try {
    return await send<Answer>(to, init, read);
  } catch (error) {
    if (error instanceof RequestRefusedError && error.status === 401) {
      if (error.code === 'invalid_key') removeSession('The API key was revoked. Sign in with another one.');
      else expire();
    }
    throw error;
  }
}
