import { type Html, html } from '../../components/html.ts';
import { ApiRefusal, type Attempts, account, askApi, faucetUrl, signMessage } from '../signing/index.ts';

/**
 * Who is signed in at the agent of this host. The credential is a cookie that no script can read. For browsers that keep
 * none, such as some on plain http, it is also in the memory of this page, and nowhere else.
 */
let token: string | undefined;

/** When the session of an address ends: nothing secret. It spares a question that would be refused. */
const key = 'agent-session';

function stored(): { address: string; expiresMs: number } | undefined {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

function store(session: { address: string; expiresMs: number } | undefined): void {
  try {
    if (session) localStorage.setItem(key, JSON.stringify(session));
    else localStorage.removeItem(key);
  } catch {
    // The session holds for this page then.
  }
}

export function isSignedIn(): boolean {
  const session = stored();
  const address = account()?.address;
  return session !== undefined && session.address === address && session.expiresMs > Date.now();
}

const credential = (): Record<string, string> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` };

/**
 * Asks the agent as who is signed in.
 * @throws ApiRefusal, Refusal
 */
export async function askAgent<Answer>(path: string, body?: unknown): Promise<Answer> {
  try {
    return await askApi<Answer>(`/api/agent/${path}`, body, credential());
  } catch (error) {
    if (isSessionOver(error)) forget();
    throw error;
  }
}

/** The answer as it comes. */
export function streamAgent(path: string, init: RequestInit): Promise<Response> {
  const headers = { ...credential(), 'content-type': 'application/json' };
  return fetch(`/api/agent/${path}`, { ...init, headers });
}

const isSessionOver = (error: unknown) =>
  error instanceof ApiRefusal && ['invalid_session', 'unauthorized'].includes(error.code);

function forget(): void {
  token = undefined;
  store(undefined);
}

async function signIn(): Promise<void> {
  const { address } = account()!;
  const { nonce, message } = await askApi<{ nonce: string; message: string }>('/api/agent/session/nonce', {
    address,
  });
  const signature = await signMessage(message);
  const session = await askApi<{ token: string; address: string; expiresMs: number }>('/api/agent/session', {
    ...{ address, nonce, signature },
  });
  token = session.token;
  store({ address: session.address, expiresMs: session.expiresMs });
}

export async function signOut(): Promise<void> {
  await fetch('/api/agent/session', { method: 'DELETE', headers: credential() });
  forget();
}

/** Who may not be able to sign in: the proof of a zkLogin signature is checked by the chain node. */
const zkLoginWords =
  faucetUrl === undefined
    ? 'With a zkLogin account, such as one of a Google sign-in, this works if the chain node of this host verifies its signatures.'
    : 'Accounts of zkLogin cannot sign in here: the local network does not verify their signatures.';

/** What stands in place of runs before their owner has signed in. */
export function signInBox(trying: Attempts, then: () => Promise<void>): Html {
  const onClick = () =>
    trying.attempt('Waiting for your signature…', async () => {
      await signIn();
      await then();
    });
  return html`<div class="box"><p>Sign in with your wallet. You sign a text: it moves nothing, and costs nothing. You stay signed in for twelve hours, in this browser.</p>
    <p class="muted">${zkLoginWords}</p>
    <p><button type="button" disabled=${trying.busy !== ''} onClick=${onClick}>Sign in</button></p></div>
    ${trying.status()}`;
}
