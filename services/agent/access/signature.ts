import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { isValidPersonalMessageSignature } from '@mysten/sui/verify';
import { problem } from '../../../lib/errors/index.ts';

interface SignedMessage {
  address: string;
  message: string;
  /** Base64, as wallets return it. */
  signature: string;
}

const nodeTimeoutMs = 10_000;
const zkLoginFlag = 5;

/**
 * Checks that an address signed a message. The proof of a zkLogin signature needs the chain's keys of its issuer, so
 * the chain node checks it.
 * @param getNode returns the node that checks a zkLogin signature
 * @throws ProblemError `invalid_signature`, or `node_unavailable` for a zkLogin signature that no node could check
 */
export async function requireSignature(
  { address, message, signature }: SignedMessage,
  getNode: () => { network: string; client: Pick<ChainClient, 'within'> },
): Promise<void> {
  const bytes = new TextEncoder().encode(message);
  const isZkLogin = Buffer.from(signature, 'base64')[0] === zkLoginFlag;
  const isValid = isZkLogin
    ? await verifyByNode(bytes, { address, signature }, getNode())
    : await isValidPersonalMessageSignature(bytes, signature, { address }).catch(() => false);
  if (!isValid)
    throw problem('invalid_signature', 'The signature does not match the address and the message.');
}

async function verifyByNode(
  bytes: Uint8Array,
  { address, signature }: Omit<SignedMessage, 'message'>,
  { network, client }: ReturnType<Parameters<typeof requireSignature>[1]>,
): Promise<boolean> {
  try {
    return await isValidPersonalMessageSignature(bytes, signature, {
      address,
      client: client.within(nodeTimeoutMs),
    });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'UNIMPLEMENTED')
      throw problem(
        'invalid_signature',
        `The node of ${network} does not verify zkLogin signatures, so zkLogin accounts cannot sign in here. ` +
          'Sign in with an account that has a key of its own.',
      );
    if (code === 'INVALID_ARGUMENT') return false;
    if (code === undefined) throw error;
    throw problem('node_unavailable', `The node of ${network} could not verify the signature: ${code}.`);
  }
}
