import type { Account } from '@adaptor-marketplace/localnet/account';
import { buildRequest } from './build-request.ts';

/**
 * Signs in to an agent as an address. @returns the session, as a header
 * @throws Error with the answer if it is refused
 */
export async function openSession(
  { ask }: { ask(path: string, init?: RequestInit): Promise<Response> },
  { address, keypair }: Pick<Account, 'address' | 'keypair'>,
): Promise<Record<string, string>> {
  async function send(path: string, body: unknown) {
    const answer = await ask(path, buildRequest(body));
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    return await answer.json();
  }
  const { nonce, message } = await send('/api/agent/session/nonce', { address });
  const { signature } = await keypair.signPersonalMessage(new TextEncoder().encode(message));
  const { token } = await send('/api/agent/session', { address, nonce, signature });
  return { authorization: `Bearer ${token}` };
}
