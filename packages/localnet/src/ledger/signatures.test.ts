import { createHash, generateKeyPairSync, sign as signWith } from 'node:crypto';
import { bcs } from '@mysten/sui/bcs';
import type { PublicKey } from '@mysten/sui/cryptography';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { PasskeyPublicKey } from '@mysten/sui/keypairs/passkey';
import { Secp256k1Keypair } from '@mysten/sui/keypairs/secp256k1';
import { Secp256r1Keypair } from '@mysten/sui/keypairs/secp256r1';
import { MultiSigPublicKey } from '@mysten/sui/multisig';
import { fromBase64 } from '@mysten/sui/utils';
import { p256 } from '@noble/curves/nist.js';
import { blake2b } from '@noble/hashes/blake2.js';
import { describe, expect, test } from 'vitest';
import { requireSigners, verifySignatures } from './signatures.ts';

const transaction = Uint8Array.of(1, 2, 3, 4, 5);
const digest = blake2b(Uint8Array.of(0, 0, 0, ...transaction), { dkLen: 32 });

/** The reason for which signatures are refused; `accepted` when they are not. */
function reason(address: string, ...signatures: Uint8Array[]): Promise<string> {
  return verifySignatures(transaction, signatures, [address])
    .then((signed) => requireSigners([address], signed, (each) => [each]))
    .then(
      () => 'accepted',
      (error: { reason?: string }) => error.reason ?? String(error),
    );
}

describe('a multisig', () => {
  const keys = [Ed25519Keypair.generate(), Secp256k1Keypair.generate(), Secp256r1Keypair.generate()];
  const multisig = MultiSigPublicKey.fromPublicKeys({
    threshold: 3,
    publicKeys: keys.map((key, index) => ({ publicKey: key.getPublicKey(), weight: index + 1 })),
  });
  const address = multisig.toSuiAddress();
  const partial = async (index: number, bytes = transaction) =>
    (await keys[index]!.signTransaction(bytes)).signature;
  const combined = async (...signers: number[]) =>
    fromBase64(multisig.combinePartialSignatures(await Promise.all(signers.map((each) => partial(each)))));
  /** A multisig as BCS, changed. */
  const changed = async (change: (multisig: ReturnType<typeof bcs.MultiSig.parse>) => void) => {
    const parsed = bcs.MultiSig.parse((await combined(0, 1)).slice(1));
    change(parsed);
    return Uint8Array.of(3, ...bcs.MultiSig.serialize(parsed).toBytes());
  };

  test('signs with keys that together weigh enough, of any kinds', async () => {
    expect(await reason(address, await combined(0, 1))).toBe('accepted');
    expect(await reason(address, await combined(2))).toBe('accepted');
    expect(await reason(address, await combined(0, 1, 2))).toBe('accepted');
  });

  test('does not sign with less, nor for another address', async () => {
    expect(await reason(address, await combined(0))).toBe('InvalidSignature');
    expect(await reason(address, await combined(1))).toBe('InvalidSignature');
    expect(await reason(keys[0]!.toSuiAddress(), await combined(0, 1))).toBe('SignerSignatureAbsent');
  });

  test('is refused when one of its signatures is over something else', async () => {
    const signatures = [await partial(0), await partial(1, Uint8Array.of(9))];
    const forged = fromBase64(multisig.combinePartialSignatures(signatures));
    expect(await reason(address, forged)).toBe('InvalidSignature');
  });

  test('is refused with keys counted twice, keys that there are not, and other forms of itself', async () => {
    const twice = await changed((each) => {
      each.sigs = [each.sigs[0]!, each.sigs[0]!];
    });
    const more = await changed((each) => {
      each.bitmap = 0b111;
    });
    const beyond = await changed((each) => {
      each.bitmap = 0b1000_0000_0011;
    });
    const lighter = await changed((each) => {
      each.multisig_pk.threshold = 1;
    });
    const trailing = Uint8Array.of(...(await combined(0, 1)), 0);
    for (const signature of [twice, more, beyond, trailing]) {
      expect(await reason(address, signature)).toBe('InvalidSignature');
    }
    expect(await reason(address, lighter)).toBe('SignerSignatureAbsent');
  });
});

describe('a passkey', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const secret = Buffer.from(privateKey.export({ format: 'jwk' }).d!, 'base64url');
  const publicKey: PublicKey = new PasskeyPublicKey(p256.getPublicKey(secret, true));

  /** What an authenticator answers when it is asked to sign `challenge`. */
  function signature(challenge: Uint8Array, type = 'webauthn.get'): Uint8Array {
    const authenticatorData = Buffer.alloc(37, 5);
    const client = {
      type,
      challenge: Buffer.from(challenge).toString('base64url'),
      origin: 'http://localhost',
      crossOrigin: false,
    };
    const clientDataJson = JSON.stringify(client);
    const hash = createHash('sha256').update(clientDataJson).digest();
    const der = signWith('sha256', Buffer.concat([authenticatorData, hash]), {
      key: privateKey,
      dsaEncoding: 'ieee-p1363',
    });
    const low = p256.Signature.fromBytes(der);
    const s = low.hasHighS() ? p256.Point.Fn.neg(low.s) : low.s;
    const normalized = new p256.Signature(low.r, s).toBytes('compact');
    const authenticator = {
      authenticatorData,
      clientDataJson,
      userSignature: Uint8Array.of(2, ...normalized, ...publicKey.toRawBytes()),
    };
    return Uint8Array.of(6, ...bcs.PasskeyAuthenticator.serialize(authenticator).toBytes());
  }

  test('signs what it was asked to sign', async () => {
    expect(await reason(publicKey.toSuiAddress(), signature(digest))).toBe('accepted');
  });

  test('does not sign another transaction, and not by registering', async () => {
    const other = blake2b(Uint8Array.of(0, 0, 0, 9), { dkLen: 32 });
    expect(await reason(publicKey.toSuiAddress(), signature(other))).toBe('InvalidSignature');
    expect(await reason(publicKey.toSuiAddress(), signature(digest, 'webauthn.create'))).toBe(
      'InvalidSignature',
    );
  });

  test('is refused when its parts do not parse', async () => {
    const whole = signature(digest);
    for (const broken of [whole.subarray(0, 50), Uint8Array.of(6), whole.with(40, 0xff)]) {
      expect(await reason(publicKey.toSuiAddress(), broken)).toBe('InvalidSignature');
    }
  });
});

test('zkLogin is refused by its name', async () => {
  await expect(verifySignatures(transaction, [Uint8Array.of(5, 1, 2)], ['0x1'])).rejects.toMatchObject({
    reason: 'Unsupported',
    message: expect.stringContaining('ZkLogin'),
  });
});
