import { bcs } from '@mysten/sui/bcs';
import type { Tape } from '../../support/tape.ts';
import { actors } from './actors.ts';
import { splitTypes } from './signatures.ts';

/** Facts from which arguments are made. */
export interface PureFacts {
  sender: string;
  nowMs: bigint;
  /** Amount and recipient of the program: one call's must often be those of another. */
  amount: bigint;
  recipient: string;
  delegate: string;
  marketId: string;
  /** Ids of the wallet and its caps. */
  ids: readonly string[];
  /** Ids of caps, also of those that are gone. There is one at least. */
  knownIds: readonly string[];
}

const hourMs = 3_600_000n;
const max = 2n ** 64n - 1n;
const amounts = [10n, 1n, 5n, 100n, 0n, 1_000n, 100_000n, max, max - 1n];
const texts = ['x', 'y', '', 'a\0b', 'z'.repeat(1_025)];

/** Makes the bytes of a value, chosen by the parameter's name; undefined if values of the type are not pure. */
export function makePure(
  tape: Tape,
  { name, type }: { name: string; type: string },
  facts: PureFacts,
): Uint8Array | undefined {
  const option = /^Option<(.*)>$/.exec(type)?.[1];
  if (option !== undefined) {
    if (tape.next(2) === 0) return Uint8Array.of(0);
    const some = makePure(tape, { name, type: option }, facts);
    return some && Uint8Array.of(1, ...some);
  }
  switch (type) {
    case 'u64':
      return bcs
        .u64()
        .serialize(pickU64(tape, name, facts))
        .toBytes();
    case 'u8':
      return Uint8Array.of(tape.pick([1, 2, 5, 0, 3, 9]));
    case 'bool':
      return Uint8Array.of(tape.next(2));
    case 'address':
      return bcs.Address.serialize(pickAddress(tape, name, facts)).toBytes();
    case 'ID':
      return bcs.Address.serialize(tape.pick(tape.once(8) ? facts.knownIds : facts.ids)).toBytes();
    case 'String':
      return bcs
        .string()
        .serialize(pickText(tape, name, facts))
        .toBytes();
    case 'vector<u8>':
      return bcs
        .vector(bcs.u8())
        .serialize(Array(tape.once(8) ? 31 : 32).fill(tape.next(3)))
        .toBytes();
    case 'vector<String>':
      return bcs
        .vector(bcs.string())
        .serialize(tape.repeat(3, () => tape.pick(texts.slice(0, 2))))
        .toBytes();
    default:
      return undefined;
  }
}

function pickU64(tape: Tape, name: string, { nowMs, amount }: PureFacts): bigint {
  if (name === 'deadline_ms') return nowMs + tape.pick([hourMs, 20n * hourMs, 0n, 9_000n * hourMs]);
  if (name === 'expires_at_ms') return nowMs + tape.pick([hourMs, 1n, 0n, -1n]);
  if (name === 'review_ms') return tape.pick([hourMs, 30n * 24n * hourMs, 1n]);
  if (name === 'max') return tape.pick([amount, 1n, 5n, 100n, ...amounts]);
  if (/^(allowance|budget|cap)$/.test(name)) return tape.pick([100n, 1_000n, ...amounts]);
  if (name.startsWith('min')) return tape.pick([1n, amount, ...amounts]);
  return tape.once(8) ? tape.pick(amounts) : amount;
}

function pickAddress(tape: Tape, name: string, { sender, recipient, delegate, marketId }: PureFacts): string {
  if (/^(publisher|agent)$/.test(name)) return sender;
  if (/^(delegate|payer)$/.test(name)) return tape.once(4) ? tape.pick(actors) : delegate;
  if (name === 'package_id') return tape.once(8) ? recipient : marketId;
  return tape.next(3) > 0 ? recipient : tape.pick(actors);
}

function pickText(tape: Tape, name: string, { marketId }: PureFacts): string {
  if (name === 'service_type' || name === 'rule_type') {
    return `${marketId}::market::${tape.pick(['S', 'S', 'T', 'a b'])}`;
  }
  if (name === 'card_url') return tape.once(8) ? 'http://a' : 'https://a.example/card';
  return tape.once(8) ? tape.pick(texts) : tape.pick(texts.slice(0, 2));
}

/** The name of a type and its arguments. */
export function splitType(type: string): { head: string; of: string[] } {
  const [, head, of = ''] = /^([^<]*)(?:<(.*)>)?$/s.exec(type) ?? [];
  return { head: head!, of: splitTypes(of) };
}
