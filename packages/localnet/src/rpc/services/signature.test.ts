import { bcs } from '@mysten/sui/bcs';
import type { Keypair } from '@mysten/sui/cryptography';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Secp256k1Keypair } from '@mysten/sui/keypairs/secp256k1';
import { Secp256r1Keypair } from '@mysten/sui/keypairs/secp256r1';
import { MultiSigPublicKey } from '@mysten/sui/multisig';
import { Transaction } from '@mysten/sui/transactions';
import { fromBase64 } from '@mysten/sui/utils';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GrpcServer, serveGrpc } from '../server/serve.ts';
import { signatureService } from './signature.ts';

let server: GrpcServer;
let client: SuiGrpcClient;
beforeAll(async () => {
  server = await serveGrpc({ host: '127.0.0.1', port: 0, services: [signatureService()] });
  client = new SuiGrpcClient({ network: 'localnet', baseUrl: server.url });
});
afterAll(() => server.close());

async function verify(name: string, value: Uint8Array, signature: Uint8Array, address?: string) {
  const { response } = await client.signatureVerificationService.verifySignature({
    message: { name, value },
    signature: { bcs: { value: signature }, signature: { oneofKind: undefined } },
    jwks: [],
    ...(address !== undefined && { address }),
  });
  return response;
}

const text = new TextEncoder().encode('I am who I say');
const message = bcs.byteVector().serialize(text).toBytes();
const address = (digit: string) => `0x${digit.padStart(64, '0')}`;

const schemes: [string, () => Keypair][] = [
  ['Ed25519', () => new Ed25519Keypair()],
  ['Secp256k1', () => new Secp256k1Keypair()],
  ['Secp256r1', () => new Secp256r1Keypair()],
];

test.each(schemes)(
  '%s signatures over messages and transactions are distinguished from wrong ones',
  async (_, make) => {
    const key = make();
    const own = key.toSuiAddress();
    const signature = fromBase64((await key.signPersonalMessage(text)).signature);
    expect(await verify('PersonalMessage', message, signature, own)).toEqual({ isValid: true });
    expect(await verify('', message, signature)).toEqual({ isValid: true });
    const prefixed = bcs.byteVector().serialize(signature).toBytes();
    expect(await verify('PersonalMessage', message, prefixed)).toEqual({ isValid: true });

    const changed = Uint8Array.from(message).fill(33, 1);
    expect((await verify('PersonalMessage', changed, signature)).isValid).toBe(false);
    const foreign = await verify('PersonalMessage', message, signature, address('b'));
    expect(foreign).toMatchObject({ isValid: false, reason: expect.stringContaining(own) });

    const transaction = new Transaction();
    transaction.setSender(own);
    transaction.setGasPrice(1_000);
    transaction.setGasBudget(1_000_000);
    transaction.setGasPayment([{ objectId: address('1'), version: '1', digest: '1'.repeat(32) }]);
    const bytes = await transaction.build();
    const signed = fromBase64((await key.signTransaction(bytes)).signature);
    expect(await verify('TransactionData', bytes, signed, own)).toEqual({ isValid: true });
    expect((await verify('TransactionData', bytes, signature)).isValid).toBe(false);
  },
);

test('a multisig is valid with enough weight and invalid without', async () => {
  const keys = [new Ed25519Keypair(), new Secp256k1Keypair(), new Secp256r1Keypair()];
  const publicKeys = keys.map((key) => ({ publicKey: key.getPublicKey(), weight: 1 }));
  const committee = MultiSigPublicKey.fromPublicKeys({ threshold: 2, publicKeys });
  const signatures = await Promise.all(keys.map((key) => key.signPersonalMessage(text)));
  const combine = (count: number) =>
    fromBase64(committee.combinePartialSignatures(signatures.slice(0, count).map((each) => each.signature)));
  expect(await verify('PersonalMessage', message, combine(2), committee.toSuiAddress())).toEqual({
    isValid: true,
  });
  expect((await verify('PersonalMessage', message, combine(1))).isValid).toBe(false);
});

test.each([
  ['no signature', 'PersonalMessage', message, new Uint8Array()],
  ['a signature of no scheme', 'PersonalMessage', message, new Uint8Array(97).fill(9)],
  ['a message that is not bytes', 'PersonalMessage', Uint8Array.of(200), new Uint8Array(97)],
  ['a transaction that is none', 'TransactionData', message, new Uint8Array(97)],
])('%s is refused', async (_name, type, value, signature) => {
  await expect(verify(type, value, signature)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
});
