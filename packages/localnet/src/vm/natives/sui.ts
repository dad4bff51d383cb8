import { createHmac } from 'node:crypto';
import { bcs as suiBcs } from '@mysten/sui/bcs';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { blake2b256 } from '../../internal/blake2b.ts';
import { serializeValue } from '../bcs.ts';
import { abortError } from '../errors.ts';
import type { Native } from '../runtime/machine.ts';
import { derivedId, dynamicFieldId } from '../runtime/transaction-context.ts';
import { typeName } from '../type-names.ts';
import { isOneTimeWitness, type Type } from '../types.ts';
import { Ref, StructValue, VectorValue } from '../values.ts';
import { bytesOf, byteVector, type NativeModule, structBehind } from './native.ts';
import { digestNative } from './std.ts';

export const object: NativeModule = {
  borrow_uid: (_, [reference]) => [new Ref(structBehind(reference).fields, 0)],
  delete_impl: (machine, [id]) => {
    machine.session.objects.recordDeleted(id as string);
    return [];
  },
  record_new_uid: (machine, [id]) => {
    machine.session.objects.recordNew(id as string);
    return [];
  },
};

export const txContext: NativeModule = {
  native_sender: ({ session }) => [session.context.facts.sender],
  native_epoch: ({ session }) => [session.context.facts.epoch],
  native_epoch_timestamp_ms: ({ session }) => [session.context.facts.epochTimestampMs],
  native_sponsor: ({ session }) => {
    const { sponsor } = session.context.facts;
    return [new VectorValue(sponsor === undefined ? [] : [sponsor])];
  },
  native_rgp: ({ session }) => [session.context.facts.referenceGasPrice],
  native_gas_price: ({ session }) => [session.context.facts.gasPrice],
  native_gas_budget: ({ session }) => [session.context.facts.gasBudget],
  native_ids_created: ({ session }) => [session.context.idsCreated],
  fresh_id: ({ session, meter }) => {
    meter.charge(FRESH_ID_UNITS);
    const id = session.context.freshId();
    session.objects.recordNew(id);
    return [id];
  },
  derive_id: ({ meter }, [digest, idsCreated]) => {
    meter.charge(FRESH_ID_UNITS);
    return [derivedId(bytesOf(digest), idsCreated as bigint)];
  },
};

const FRESH_ID_UNITS = 100;
const STORE_UNITS = 100;

export const transfer: NativeModule = {
  transfer_impl: (machine, [value, recipient], [type]) => {
    machine.session.objects.transfer(type!, value!, { kind: 'address', address: recipient as string });
    return [];
  },
  share_object_impl: (machine, [value], [type]) => {
    machine.session.objects.transfer(type!, value!, { kind: 'shared', initialSharedVersion: 0n });
    return [];
  },
  /** A party has one member, who may do everything. */
  party_transfer_impl: (machine, [value, , addresses], [type]) => {
    const address = (addresses as VectorValue).items[0] as string;
    machine.session.objects.transfer(type!, value!, { kind: 'consensusAddress', address, startVersion: 0n });
    return [];
  },
  freeze_object_impl: (machine, [value], [type]) => {
    machine.session.objects.transfer(type!, value!, { kind: 'immutable' });
    return [];
  },
  receive_impl: (machine, [parent, id, version], [type]) => {
    machine.meter.charge(STORE_UNITS);
    const received = structBehind(id).fields[0] as string;
    return [machine.session.objects.receive(parent as string, received, version as bigint, type!)];
  },
};

export const event: NativeModule = {
  emit: (machine, [value], [type]) => {
    machine.session.emit(type!, value!);
    return [];
  },
};

const typeTags = new WeakMap<Type, Uint8Array>();

function typeTagBytes(type: Type): Uint8Array {
  let bytes = typeTags.get(type);
  if (bytes === undefined) {
    bytes = suiBcs.TypeTag.serialize(typeName(type)).toBytes();
    typeTags.set(type, bytes);
  }
  return bytes;
}

/** Borrowing names the parent by a reference to its UID. */
function borrowChild(mutable: boolean): Native {
  return (machine, [uid, id], [type]) => {
    machine.meter.charge(STORE_UNITS);
    const parent = structBehind(structBehind(uid).fields[0]).fields[0] as string;
    const child = machine.session.objects.borrowChild(parent, id as string, type!, mutable);
    return [new Ref(child.cells, 0)];
  };
}

export const dynamicField: NativeModule = {
  hash_type_and_key: (machine, [parent, key], [type]) => {
    const bytes = serializeValue(type!, key!);
    machine.meter.charge(FRESH_ID_UNITS + bytes.length);
    return [dynamicFieldId(parent as string, bytes, typeTagBytes(type!))];
  },
  add_child_object: (machine, [parent, child], [type]) => {
    machine.meter.charge(STORE_UNITS);
    machine.session.objects.addChild(parent as string, type!, child!);
    return [];
  },
  borrow_child_object: borrowChild(false),
  borrow_child_object_mut: borrowChild(true),
  remove_child_object: (machine, [parent, id], [type]) => {
    machine.meter.charge(STORE_UNITS);
    return [machine.session.objects.removeChild(parent as string, id as string, type!)];
  },
  has_child_object: (machine, [parent, id]) => {
    machine.meter.charge(STORE_UNITS);
    return [machine.session.objects.hasChild(parent as string, id as string)];
  },
  has_child_object_with_ty: (machine, [parent, id], [type]) => {
    machine.meter.charge(STORE_UNITS);
    return [machine.session.objects.hasChildOfType(parent as string, id as string, type!)];
  },
};

export const config: NativeModule = {
  /** Of `Setting { data: Option<SettingData { newer_value_epoch, newer_value, older_value_opt }> }` in a field. */
  read_setting_impl: ({ meter, session }, [parent, id, epoch], [fieldType]) => {
    meter.charge(STORE_UNITS);
    const field = session.objects.readStored(parent as string, id as string, fieldType!);
    if (field === undefined) return [new StructValue([new VectorValue([])])];
    const data = structBehind(structBehind(structBehind(field).fields[2]).fields[0]).fields[0];
    const [newerEpoch, newer, older] = structBehind((data as VectorValue).items[0]).fields;
    return [(epoch as bigint) > (newerEpoch as bigint) ? newer! : older!];
  },
};

/** Codes of `sui::funds_accumulator`'s natives. */
const FUNDS_OVERFLOW = 0;
const FUNDS_INSUFFICIENT = 5;
const U64_MAX = (1n << 64n) - 1n;

/** `T` is a balance: nothing else reaches these natives. */
export const fundsAccumulator: NativeModule = {
  add_to_accumulator_address: ({ meter, session }, [accumulator, owner, value], [type]) => {
    meter.charge(STORE_UNITS);
    const amount = structBehind(value).fields[0] as bigint;
    session.funds.merge(accumulator as string, owner as string, typeName(type!), amount);
    return [];
  },
  withdraw_from_accumulator_address: ({ meter, session }, [accumulator, owner, value], [type]) => {
    meter.charge(STORE_UNITS);
    const amount = value as bigint;
    if (amount > U64_MAX) throw abortError(FUNDS_OVERFLOW, 'a balance is a u64');
    if (!session.funds.split(accumulator as string, owner as string, typeName(type!), amount)) {
      throw abortError(FUNDS_INSUFFICIENT, 'the owner has less funds');
    }
    return [new StructValue([amount])];
  },
};

export const types: NativeModule = {
  is_one_time_witness: (_, __, [type]) => [type?.kind === 'datatype' && isOneTimeWitness(type.datatype)],
};

/** Code of `sui::address`: bytes or a number that are not an address. */
const ADDRESS_PARSE_ERROR = 0;

export const address: NativeModule = {
  to_u256: (_, [value]) => [BigInt(value as string)],
  from_u256: (_, [value]) => [`0x${(value as bigint).toString(16).padStart(64, '0')}`],
  from_bytes: (_, [value]) => {
    const bytes = bytesOf(value);
    if (bytes.length !== 32) throw abortError(ADDRESS_PARSE_ERROR, 'an address is 32 bytes long');
    return [`0x${Buffer.from(bytes).toString('hex')}`];
  },
};

export const hash: NativeModule = {
  blake2b256: digestNative((bytes) => blake2b256(bytes)),
  keccak256: digestNative((bytes) => keccak_256(bytes)),
};

export const hmac: NativeModule = {
  hmac_sha3_256: (machine, [key, message]) => {
    const bytes = bytesOf(message);
    machine.meter.charge(200 + bytes.length + bytesOf(key).length);
    return [byteVector(createHmac('sha3-256', bytesOf(key)).update(bytes).digest())];
  },
};
