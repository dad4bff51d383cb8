import { createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { startNodeDouble } from '@adaptor-marketplace/adaptor/testing/node-double';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { expect, test } from 'vitest';
import { zkLoginSignature } from '../../../test/support/zklogin.ts';
import { requireSignature } from './signature.ts';

const message = 'market.example wants you to sign in with your Sui account';
const neverAsked = () => {
  throw new Error('no node is needed');
};

/** Returns `signed`, or the error, for a zkLogin signature that a node with these handlers checks. */
async function byNode(
  handlers: Parameters<typeof startNodeDouble>[0],
  address = zkLoginSignature().address,
): Promise<string> {
  const node = await startNodeDouble(handlers);
  const client = createChainClient({ url: node.url });
  const { signature } = zkLoginSignature();
  const outcome = await requireSignature({ address, message, signature }, () => ({
    network: 'testnet',
    client,
  })).then(
    () => 'signed',
    (error) => `${error.code}: ${error.message}`,
  );
  client.close();
  node.close();
  return outcome;
}

test('a zkLogin account signs in where the node verifies its signature', async () => {
  const asked: { address?: string; message?: { name?: string } }[] = [];
  const verifySignature = (request: never) => {
    asked.push(request);
    return { isValid: true };
  };
  expect(await byNode({ verifySignature })).toBe('signed');
  expect(asked).toMatchObject([
    { address: zkLoginSignature().address, message: { name: 'PersonalMessage' } },
  ]);
  expect(await byNode({ verifySignature }, `0x${'7'.repeat(64)}`)).toContain('invalid_signature');
});

test('a zkLogin account does not sign in where the node refuses its signature, verifies none, or is away', async () => {
  expect(await byNode({ verifySignature: () => ({ isValid: false, reason: 'expired' }) })).toContain(
    'invalid_signature',
  );
  expect(await byNode({})).toMatch(/^invalid_signature: .*zkLogin accounts cannot sign in here/);
  const broken = () => {
    throw new Error('disk full');
  };
  expect(await byNode({ verifySignature: broken })).toContain('node_unavailable');
});

test('no node is asked about the signature of a key', async () => {
  const key = new Ed25519Keypair();
  const { signature } = await key.signPersonalMessage(new TextEncoder().encode(message));
  const address = key.toSuiAddress();
  await requireSignature({ address, message, signature }, neverAsked);
  const other = { address, message: `${message}.`, signature };
  await expect(requireSignature(other, neverAsked)).rejects.toMatchObject({ code: 'invalid_signature' });
  const text = { address, message, signature: 'no signature' };
  await expect(requireSignature(text, neverAsked)).rejects.toMatchObject({ code: 'invalid_signature' });
});
