import { GrpcTypes } from '@mysten/sui/grpc';
import { bcsMessage } from './common.ts';

const { SignatureScheme } = GrpcTypes;

/** Schemes by the flag byte that a serialized signature begins with; signature lengths are 64 in all three. */
const schemes: Record<number, GrpcTypes.SignatureScheme | undefined> = {
  0: SignatureScheme.ED25519,
  1: SignatureScheme.SECP256K1,
  2: SignatureScheme.SECP256R1,
};
const signatureBytes = 64;

/** A user signature, taken apart where its scheme is a simple one. */
export function signatureMessage(serialized: Uint8Array): GrpcTypes.UserSignature {
  const bcs = bcsMessage('UserSignatureBytes', serialized);
  const scheme = schemes[serialized[0] ?? -1];
  if (scheme === undefined) return { bcs, signature: { oneofKind: undefined } };
  const simple = {
    scheme,
    signature: serialized.subarray(1, 1 + signatureBytes),
    publicKey: serialized.subarray(1 + signatureBytes),
  };
  return { bcs, scheme, signature: { oneofKind: 'simple', simple } };
}
