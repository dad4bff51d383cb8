import { isValidTransactionDigest, normalizeSuiAddress } from '@mysten/sui/utils';
import { canonicalType } from '../../ledger/move-types.ts';
import { invalidField, missingField } from '../server/status-details.ts';

const maxLength = 4_096;
const identifier = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** The canonical form of an address or id; undefined for a text that is none, also for one without digits. */
export const canonicalAddress = (text: string): string | undefined =>
  /^(?:0x)?[0-9a-f]{1,64}$/i.test(text) ? normalizeSuiAddress(text) : undefined;

/** The canonical form of an address or id. @throws GrpcError INVALID_ARGUMENT naming the field. */
export function parseAddress(value: string | undefined, field: string): string {
  if (value === undefined || value === '') throw missingField(field);
  const canonical = canonicalAddress(value);
  if (canonical === undefined) throw invalidField(field, `${quote(value)} is not an address`);
  return canonical;
}

/** A digest: base58 of 32 bytes. @throws GrpcError INVALID_ARGUMENT naming the field. */
export function parseDigest(value: string | undefined, field: string): string {
  if (value === undefined || value === '') throw missingField(field);
  // Longer than any digest, and base58 takes quadratic time.
  if (value.length > 64 || !isValidTransactionDigest(value)) {
    throw invalidField(field, `${quote(value)} is not a digest`);
  }
  return value;
}

/** The canonical form of a Move type: full addresses, no spaces. */
export function parseType(value: string | undefined, field: string): string {
  if (value === undefined || value === '') throw missingField(field);
  if (value.length > maxLength) throw invalidField(field, 'too long');
  try {
    return canonicalType(value);
  } catch {
    throw invalidField(field, `${quote(value)} is not a Move type`);
  }
}

/**
 * The canonical form of `address[::name]...` with at most `depth` names, as filters take it; the last name may
 * carry type arguments when `generic`.
 */
export function parsePath(value: string | undefined, field: string, depth: number, generic = false): string {
  if (value === undefined || value === '') throw missingField(field);
  if (value.length > maxLength) throw invalidField(field, 'too long');
  if (generic && value.includes('<')) return parseType(value, field);
  const [address, ...names] = value.split('::');
  if (names.length > depth || !names.every((name) => identifier.test(name))) {
    throw invalidField(field, `${quote(value)} is not a Move path`);
  }
  return [parseAddress(address, field), ...names].join('::');
}

/** Whether a canonical name equals the path or continues it (`::`, or `<` after a bare generic name). */
export function matchesPath(name: string, path: string): boolean {
  if (!name.startsWith(path)) return false;
  const next = name[path.length];
  return next === undefined || next === '<' || (next === ':' && !path.includes('<'));
}

const quote = (value: string) => JSON.stringify(value.slice(0, 100));
