import type { AgentNonce, AgentSession, AgentSignedIn } from '@adaptor-marketplace/sdk';
import { type Html, html } from '../../components/html.ts';
import { send } from '../api/ask.ts';
import { readStoredJson, store } from '../api/storage.ts';
import {
  type Attempts,
  askApi,
  faucetUrl,
  getAccount,
  RequestRefusedError,
  signMessage,
} from '../signing/index.ts';

/**
 * Credential of the session at this host's agent. The browser has it as a cookie that no script can read. Some browsers
 * store no such cookie on plain http, so this page also holds it in memory, and nowhere else.
 */
let token: string | undefined;

/**
 * Storage key of the session's address, which is not secret. It saves a request that the agent would refuse. Only the
 * host says when a session is over: the clock of the browser may be wrong.
 */
const key = 'agent-session';

export function isSignedIn(): boolean {
  const session = readStoredJson<Pick<AgentSession, 'address'>>(key);
  return session !== undefined && session.address === getAccount()?.address;
}

const buildCredential = (): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };

/**
 * Sends a request to the agent with the session.
 * @throws RequestRefusedError, ActionFailedError
 */
export async function askAgent<Answer>(path: string, body?: unknown): Promise<Answer> {
  try {
    return await askApi<Answer>(`/api/agent/${path}`, body, buildCredential());
  } catch (error) {
    if (isSessionOver(error)) forgetSession();
    throw error;
  }
}

/**
 * Sends a request to the agent, and returns the response unread, for a stream. The cookie counts only with the JSON type,
 * which a form cannot send.
 */
export const streamAgent = (path: string, init: RequestInit): Promise<Response> =>
  fetch(`/api/agent/${path}`, { ...init, headers: buildHeaders() });

const buildHeaders = () => ({ ...buildCredential(), 'content-type': 'application/json' });

const isSessionOver = (error: unknown) =>
  error instanceof RequestRefusedError && ['invalid_session', 'unauthorized'].includes(error.code);

function forgetSession(): void {
  token = undefined;
  store(key, undefined);
}

async function signIn(): Promise<void> {
  const { address } = getAccount()!;
  const { nonce, message } = await askApi<AgentNonce>('/api/agent/session/nonce', { address });
  const signature = await signMessage(message);
  const session = await askApi<AgentSignedIn>('/api/agent/session', { address, nonce, signature });
  token = session.token;
  store(key, JSON.stringify({ address: session.address }));
}

/** Ends the session, also at the host. @throws RequestRefusedError, ActionFailedError */
export async function signOut(): Promise<void> {
  try {
    await send('/api/agent/session', { method: 'DELETE', headers: buildHeaders() });
  } catch (error) {
    if (!isSessionOver(error)) throw error;
  }
  forgetSession();
}

/** Hint for zkLogin accounts: they can sign in only if the chain node verifies the proof of their signatures. */
const zkLoginWords =
  faucetUrl === undefined
    ? 'With a zkLogin account, such as one of a Google sign-in, this works if the chain node of this host verifies its signatures.'
    : 'Accounts of zkLogin cannot sign in here: the local network does not verify their signatures.';

/** Renders the sign-in box, in place of the runs until their owner has signed in. */
export function signInBox(attempts: Attempts, onSignedIn: () => Promise<void>): Html {
  const onClick = () =>
    attempts.run('Waiting for your signature…', async () => {
      await signIn();
      await onSignedIn();
    });
  return html`<div class="box"><p>Sign in with your wallet. You sign a text: it moves nothing, and costs nothing. You stay signed in for twelve hours, in this browser.</p>
    <p class="muted">${zkLoginWords}</p>
    <p><button type="button" disabled=${attempts.busy !== ''} onClick=${onClick}>Sign in</button></p></div>
    ${attempts.status()}`;
}
