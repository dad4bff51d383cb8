import { fromBase58, toBase58 } from '@mysten/sui/utils';
import { idBytes, idOf } from '../state/encoding.ts';
import { accumulatorId } from './funds.ts';
import { suiBalanceType } from './move-types.ts';
import { onlyEpoch } from './protocol.ts';
import { refused, refusedInput, unsupported } from './refusals.ts';
import type { ObjectReference, TransactionData } from './types.ts';

/**
 * A coin reservation stands where a gas coin would, and names funds of the sender. Its digest is the amount (u64), the
 * epoch (u32) and these bytes; its id is that of the place where the funds are counted, XORed with the chain's id.
 */
const mark = Buffer.alloc(20, 0xac);
const amountBytes = 8;
const markedAt = 12;

interface Reserved {
  amount: bigint;
  epoch: bigint;
}

/** What a reference reserves; absent when it names an object. @param digest Base58. */
export function reservedBy({ digest }: { digest: string }): Reserved | undefined {
  if (lastFourBytes(digest) !== mark.readUInt32BE()) return undefined;
  const bytes = Buffer.from(fromBase58(digest));
  if (!bytes.subarray(markedAt).equals(mark)) return undefined;
  return { amount: bytes.readBigUInt64LE(), epoch: BigInt(bytes.readUInt32LE(amountBytes)) };
}

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const base58Digits = Uint8Array.from({ length: 128 }, (_, code) => base58.indexOf(String.fromCharCode(code)));

/** Of a base58 text, as a number: every object of every transaction is asked, and decoding takes longer. */
function lastFourBytes(text: string): number {
  let number = 0;
  for (let i = 0; i < text.length; i += 1) {
    number = (Math.imul(number, 58) + base58Digits[text.charCodeAt(i)]!) >>> 0;
  }
  return number;
}

/** MIST that gas payment reserves of funds. */
export function reservedIn(payment: readonly { digest: string }[]): bigint {
  return payment.reduce((sum, each) => sum + (reservedBy(each)?.amount ?? 0n), 0n);
}

/** A reservation of an owner's SUI. @param chainId Base58. */
export function reservationOf(owner: string, amount: bigint, chainId: string): ObjectReference {
  const digest = Buffer.alloc(32);
  digest.writeBigUInt64LE(amount);
  digest.writeUInt32LE(Number(onlyEpoch), amountBytes);
  mark.copy(digest, markedAt);
  return { objectId: maskedId(owner, chainId), version: 0n, digest: toBase58(digest) };
}

/** Everything that can be said of reservations without reading funds. @param chainId Base58. @throws LedgerError */
export function checkReservations({ sender, gasData, kind }: TransactionData['V1'], chainId: string): void {
  for (const { Object: object } of kind.ProgrammableTransaction?.inputs ?? []) {
    if (object?.ImmOrOwnedObject && reservedBy(object.ImmOrOwnedObject)) {
      throw unsupported('a coin reservation as an input');
    }
  }
  for (const reference of gasData.payment) {
    const reserved = reservedBy(reference);
    if (reserved === undefined) continue;
    if (gasData.owner !== sender || reference.objectId !== maskedId(sender, chainId)) {
      const text =
        "Gas object is not an owned object with owner: a coin reservation of other funds than the sender's SUI";
      throw refusedInput('GasObjectNotOwnedObject', text);
    }
    if (reserved.epoch !== onlyEpoch) throw refused('TransactionExpired', 'Transaction Expired');
    if (reserved.amount === 0n) {
      const text = 'Invalid withdraw reservation: Balance withdraw reservation amount must be non-zero';
      throw refusedInput('InvalidWithdrawReservation', text);
    }
  }
}

function maskedId(owner: string, chainId: string): string {
  const mask = fromBase58(chainId);
  return idOf(idBytes(accumulatorId(owner, suiBalanceType)).map((byte, i) => byte ^ mask[i]!));
}
