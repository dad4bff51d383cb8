import { parseSerializedSignature } from '@mysten/sui/cryptography';
import { GrpcTypes, type SuiGrpcClient } from '@mysten/sui/grpc';
import { MultiSigPublicKey } from '@mysten/sui/multisig';
import { toBase64 } from '@mysten/sui/utils';
import { publicKeyFromRawBytes } from '@mysten/sui/verify';
import { messageOf } from '../../internal/errors.ts';
import { decodeTransaction } from '../../ledger/transaction-checks.ts';
import { BcsReader } from '../../vm/bcs-reader.ts';
import { parseAddress } from '../query/move-path.ts';
import { bindService } from '../server/service.ts';
import { GrpcError, unimplemented } from '../server/status.ts';
import { invalidField, missingField } from '../server/status-details.ts';

/** Checks user signatures over transactions and personal messages; zkLogin's need proofs that are not checked here. */
export function signatureService() {
  return bindService<SuiGrpcClient['signatureVerificationService']>(GrpcTypes.SignatureVerificationService, {
    async verifySignature({ message, signature: asked, address }) {
      const { publicKey, serializedSignature } = parseSignature(asked);
      const { scope, bytes } = parseMessage(message);
      if (address !== undefined) {
        const expected = parseAddress(address, 'address');
        const derived = publicKey.toSuiAddress();
        if (derived !== expected) {
          const reason = `provided address \`${expected}\` does not match derived address \`${derived}\``;
          return { isValid: false, reason };
        }
      }
      const isValid = await (scope === 'TransactionData'
        ? publicKey.verifyTransaction(bytes, serializedSignature)
        : publicKey.verifyPersonalMessage(bytes, serializedSignature)
      ).catch(() => false);
      return isValid ? { isValid } : { isValid, reason: 'signature is not valid' };
    },
  });
}

function parseSignature(signature: GrpcTypes.UserSignature | undefined) {
  const value = signature?.bcs?.value;
  if (!value) throw missingField('signature', 'give the signature as serialized bytes in bcs');
  try {
    const parsed = parseSerializedSignature(toBase64(withoutLength(value)));
    if (parsed.signatureScheme === 'ZkLogin') throw unimplemented('signature: zkLogin is not supported');
    const publicKey =
      parsed.signatureScheme === 'MultiSig'
        ? new MultiSigPublicKey(parsed.multisig.multisig_pk)
        : publicKeyFromRawBytes(parsed.signatureScheme, parsed.publicKey);
    return { publicKey, serializedSignature: parsed.serializedSignature };
  } catch (error) {
    if (error instanceof GrpcError) throw error;
    throw invalidField('signature', messageOf(error));
  }
}

/** Bytes come with their length before them or without it; no signature's flag is the length of what follows it. */
function withoutLength(value: Uint8Array): Uint8Array {
  return byteVector(value) ?? value;
}

/** A message by the name of its type; without a known name, whichever it is. */
function parseMessage(message: GrpcTypes.Bcs | undefined) {
  if (!message?.value) throw missingField('message');
  const { name, value } = message;
  const personal = name === 'TransactionData' ? undefined : byteVector(value);
  if (personal) return { scope: 'PersonalMessage', bytes: personal } as const;
  if (name !== 'PersonalMessage' && isTransaction(value)) {
    return { scope: 'TransactionData', bytes: value } as const;
  }
  throw invalidField('message', 'expected BCS of a personal message (bytes) or of TransactionData');
}

/** The bytes of a BCS byte vector; undefined where `value` is none from its beginning to its end. */
function byteVector(value: Uint8Array): Uint8Array | undefined {
  try {
    const reader = new BcsReader(value);
    const bytes = reader.bytes(reader.length());
    return reader.left === 0 ? bytes : undefined;
  } catch {
    return undefined;
  }
}

function isTransaction(value: Uint8Array): boolean {
  try {
    decodeTransaction(value);
    return true;
  } catch {
    return false;
  }
}
