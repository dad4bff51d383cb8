import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import { readSecretFile } from '@adaptor-marketplace/adaptor/secret-file';
import type { Signer } from '@mysten/sui/cryptography';
import { decodeSuiPrivateKey } from '@mysten/sui/cryptography';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Secp256k1Keypair } from '@mysten/sui/keypairs/secp256k1';
import { Secp256r1Keypair } from '@mysten/sui/keypairs/secp256r1';
import { UsageError } from '../io.ts';

const keypairs = {
  ED25519: Ed25519Keypair,
  Secp256k1: Secp256k1Keypair,
  Secp256r1: Secp256r1Keypair,
};

/**
 * The key that signs: of a file, named by the option or the environment, else of the environment itself.
 * @throws UsageError that never shows the key
 */
export async function readKey(
  file: string | undefined,
  env: Record<string, string | undefined>,
): Promise<Signer> {
  const path = file ?? env.SUI_SECRET_KEY_FILE;
  if (path) return keyOf(await fromFile(path), path);
  if (env.SUI_SECRET_KEY) return keyOf(env.SUI_SECRET_KEY.trim(), 'SUI_SECRET_KEY');
  throw new UsageError(
    [
      'No key: give its file with --key-file or SUI_SECRET_KEY_FILE, or set SUI_SECRET_KEY.',
      ...howToMakeOne,
    ].join('\n'),
  );
}

/** For whom there is no key yet. */
const howToMakeOne = [
  'To make one, and take coins for it from a faucet:',
  '  npx adaptor-marketplace new-key my.key',
  '  export SUI_SECRET_KEY_FILE=my.key',
  '  npx adaptor-marketplace fund',
];

async function fromFile(path: string): Promise<string> {
  return await readSecretFile(path).catch((error: unknown) => {
    throw new UsageError(`No key: ${messageOf(error)}.`);
  });
}

function keyOf(text: string, from: string): Signer {
  try {
    const { scheme, secretKey } = decodeSuiPrivateKey(text);
    if (scheme in keypairs) return keypairs[scheme as keyof typeof keypairs].fromSecretKey(secretKey);
  } catch {
    // What the SDK says of it may show a part of the key.
  }
  throw new UsageError(
    `${from} holds no key. Expected suiprivkey1..., as "sui keytool export" and "adaptor-marketplace new-key" write it.`,
  );
}
