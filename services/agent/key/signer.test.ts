import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTransactionSigner } from './signer.ts';

test('a signature is the one that the SDK makes', async () => {
  const seed = fc.uint8Array({ minLength: 32, maxLength: 32 });
  await fc.assert(
    fc.asyncProperty(seed, fc.uint8Array({ maxLength: 500 }), async (seed, transaction) => {
      const keypair = Ed25519Keypair.fromSecretKey(seed);
      const { signature } = await keypair.signTransaction(transaction);
      expect(createTransactionSigner(keypair)(transaction)).toBe(signature);
    }),
    { numRuns: 50 },
  );
});
