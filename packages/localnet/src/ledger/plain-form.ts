import { BcsError, BcsReader } from '../vm/bcs-reader.ts';

/**
 * Whether bytes are surely the only encoding of the transaction that they hold. Only of the usual parts (pure values and
 * objects, calls without type arguments, transfers, splits and merges); `false` says nothing. Encoding what was decoded
 * again says it of every transaction, and takes as long as all other checks.
 */
export function isPlainForm(transactionBcs: Uint8Array): boolean {
  const reader = new BcsReader(transactionBcs);
  try {
    // TransactionData::V1, TransactionKind::ProgrammableTransaction.
    return (
      reader.length() === 0 &&
      reader.length() === 0 &&
      all(reader, isInput) &&
      all(reader, isCommand) &&
      skip(reader, addressBytes) &&
      all(reader, isReference) &&
      // Gas owner, price, budget.
      skip(reader, addressBytes + 2 * u64Bytes) &&
      // TransactionExpiration::None.
      reader.length() === 0 &&
      reader.left === 0
    );
  } catch (error) {
    if (error instanceof BcsError) return false;
    throw error;
  }
}

const addressBytes = 32;
const digestBytes = 32;
const u64Bytes = 8;
const u16Bytes = 2;

function skip(reader: BcsReader, bytes: number): true {
  reader.skip(bytes);
  return true;
}

function all(reader: BcsReader, isPart: (reader: BcsReader) => boolean): boolean {
  for (let left = reader.length(); left > 0; left -= 1) if (!isPart(reader)) return false;
  return true;
}

function isInput(reader: BcsReader): boolean {
  switch (reader.length()) {
    case 0: // Pure
      return skip(reader, reader.length());
    case 1: // Object
      return isObject(reader);
    default:
      return false;
  }
}

function isObject(reader: BcsReader): boolean {
  switch (reader.length()) {
    case 0: // ImmOrOwnedObject
    case 2: // Receiving
      return isReference(reader);
    case 1: // SharedObject
      return skip(reader, addressBytes + u64Bytes) && reader.small(1) <= 1;
    default:
      return false;
  }
}

/** Id, version, digest. */
function isReference(reader: BcsReader): boolean {
  return (
    skip(reader, addressBytes + u64Bytes) && reader.length() === digestBytes && skip(reader, digestBytes)
  );
}

function isCommand(reader: BcsReader): boolean {
  switch (reader.length()) {
    case 0: // MoveCall: package, module, function, type arguments, arguments
      return (
        skip(reader, addressBytes) &&
        isAscii(reader) &&
        isAscii(reader) &&
        reader.length() === 0 &&
        all(reader, isArgument)
      );
    case 1: // TransferObjects
      return all(reader, isArgument) && isArgument(reader);
    case 2: // SplitCoins
    case 3: // MergeCoins
      return isArgument(reader) && all(reader, isArgument);
    default:
      return false;
  }
}

/** Other bytes may not be UTF-8, and decoders replace what is not. */
function isAscii(reader: BcsReader): boolean {
  for (let left = reader.length(); left > 0; left -= 1) if (reader.small(1) >= 0x80) return false;
  return true;
}

function isArgument(reader: BcsReader): boolean {
  switch (reader.length()) {
    case 0: // GasCoin
      return true;
    case 1: // Input
    case 2: // Result
      return skip(reader, u16Bytes);
    case 3: // NestedResult
      return skip(reader, 2 * u16Bytes);
    default:
      return false;
  }
}
