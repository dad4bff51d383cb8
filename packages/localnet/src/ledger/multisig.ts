import { bcs } from '@mysten/sui/bcs';
import { MultiSigPublicKey } from '@mysten/sui/multisig';
import { refused, unsupported } from './refusals.ts';

/**
 * The key of a multisig signature (without its flag), whose form is checked as the chain does: the only encoding
 * there is, one signature for each bit of the bitmap, each of the kind of its key.
 *
 * @throws LedgerError Unsupported when zkLogin is among the signatures; any error when the form is wrong.
 */
export function multisigKey(bytes: Uint8Array): MultiSigPublicKey {
  const multisig = bcs.MultiSig.parse(Uint8Array.from(bytes));
  if (!Buffer.from(bcs.MultiSig.serialize(multisig).toBytes()).equals(bytes)) throw wrong('not canonical');
  const { sigs, bitmap, multisig_pk } = multisig;
  const signers = multisig_pk.pk_map.filter((_, index) => (bitmap & (1 << index)) !== 0);
  if (bitmap >>> multisig_pk.pk_map.length !== 0) throw wrong('the bitmap names keys that there are not');
  if (sigs.length !== signers.length) throw wrong('not one signature for each bit of the bitmap');
  for (const [index, { $kind }] of sigs.entries()) {
    if ($kind !== signers[index]!.pubKey.$kind)
      throw wrong(`signature ${index} is of another kind than its key`);
    if ($kind === 'ZkLogin') throw unsupported('zkLogin in a multisig');
  }
  return new MultiSigPublicKey(multisig_pk);
}

function wrong(detail: string) {
  return refused('InvalidSignature', `Signature is not valid: ${detail}`);
}
