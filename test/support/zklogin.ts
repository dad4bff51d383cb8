import { parseSerializedSignature } from '@mysten/sui/cryptography';
import { publicKeyFromRawBytes } from '@mysten/sui/verify';
import { getZkLoginSignature } from '@mysten/sui/zklogin';

/** A well-formed zkLogin signature without a proof. The node decides whether it is valid. */
export function zkLoginSignature(): { address: string; signature: string } {
  const signature = getZkLoginSignature({
    inputs: {
      proofPoints: {
        a: ['1', '2', '1'],
        b: [
          ['1', '2'],
          ['3', '4'],
          ['1', '0'],
        ],
        c: ['1', '2', '1'],
      },
      // The claim `,"iss":"https://id.twitch.tv/oauth2",` of a token.
      issBase64Details: { value: 'wiaXNzIjoiaHR0cHM6Ly9pZC50d2l0Y2gudHYvb2F1dGgyIiw', indexMod4: 2 },
      headerBase64: 'eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6IjEifQ',
      addressSeed: '20794788559620669596206457022966176986688727876128223628113916380927502737911',
    },
    maxEpoch: 5,
    userSignature: new Uint8Array(97),
  });
  const parsed = parseSerializedSignature(signature);
  if (parsed.signatureScheme !== 'ZkLogin') throw new Error('not a zkLogin signature');
  return { address: publicKeyFromRawBytes('ZkLogin', parsed.publicKey).toSuiAddress(), signature };
}
