import type { FunctionName } from '../../introspect/code/module.ts';
import type { MoveType } from '../../introspect/code/move-type.ts';
import { isSystemPackage } from '../../packages/system.ts';
import { plainSets, union } from './atom-set.ts';
import { dereference, type Frame, type Operand } from './frame.ts';
import { packVector, popBack, pushBack, vectorLength } from './instructions.ts';
import { dynamic, field, item } from './path.ts';
import {
  closed,
  identities,
  influences,
  makeComputed,
  nothing,
  scalar,
  select,
  unread,
  type Value,
} from './value.ts';

/** The meaning of a function whose code is not read. It returns one value for each result. */
export type KnownFunction = (call: KnownCall) => readonly Value[];

interface KnownCall {
  frame: Frame;
  args: readonly Operand[];
  typeArgs: readonly (MoveType | undefined)[];
}

const getValue = ({ args }: KnownCall, index: number): Value => args[index]?.value ?? unread;

const none: KnownFunction = () => [];

/** A calculation without effects. It reads what its arguments refer to. */
const calculation: KnownFunction = ({ frame, args }) => {
  for (const { value } of args) frame.read(value);
  return [makeComputed(args.map(({ value }) => frame.content(value)))];
};

const gives =
  (kind: keyof typeof plainSets): KnownFunction =>
  () => [scalar(plainSets[kind])];

const consumes =
  (kind: 'share' | 'freeze'): KnownFunction =>
  ({ frame, args }) => {
    if (args[0]) frame.consume(kind, args[0]);
    return [];
  };

/** Sends `args[object]` to the address, or one of the addresses, of `args[recipient]`. */
const sends =
  (object: number, recipient: number): KnownFunction =>
  (call) => {
    const sent = call.args[object];
    const to = getValue(call, recipient);
    const addresses = scalar(identities(to), influences(to));
    if (sent) call.frame.consume('transfer', sent, addresses);
    return [];
  };

const child = (call: KnownCall): Value => {
  const [key, value] = call.typeArgs;
  return call.frame.part(
    getValue(call, 0),
    dynamic(key, value),
    influences(call.frame.content(getValue(call, 1))),
  );
};

const addsChild: KnownFunction = (call) => {
  call.frame.write(child(call), getValue(call, 2), call.typeArgs[1]);
  return [];
};

const borrowsChild: KnownFunction = (call) => [child(call)];

const removesChild: KnownFunction = (call) => {
  const from = child(call);
  call.frame.touch(from);
  call.frame.takeOut(from, call.typeArgs[1]);
  return [call.frame.content(from)];
};

/** Finds out if there is a child with the name, of any type or of the requested one. */
const findsChild: KnownFunction = (call) => {
  const from = child(call);
  call.frame.read(from);
  return [makeComputed([call.frame.content(from)])];
};

const children: Record<string, KnownFunction> = {
  add: addsChild,
  borrow: borrowsChild,
  borrow_mut: borrowsChild,
  remove: removesChild,
  exists: findsChild,
  exists_: findsChild,
  exists_with_type: findsChild,
};

const amount = field('value');
const u64: MoveType = { kind: 'primitive', name: 'u64' };
const money = (call: KnownCall): Value => call.frame.content(getValue(call, 0));

/** Takes a part of a balance out. The part has the sources of the whole. Undefined takes all. */
const takesMoney =
  (index: number | undefined): KnownFunction =>
  (call) => {
    const { frame } = call;
    const from = getValue(call, 0);
    const whole = money(call);
    const taken = index === undefined ? undefined : getValue(call, index);
    frame.split(from, taken);
    frame.touch(from);
    const number = taken ?? select(whole, amount);
    // The rest depends on the amount that was taken.
    const left = makeComputed([select(whole, amount), number]);
    frame.write(frame.part(from, amount), left, u64);
    return [closed([{ step: amount, value: number }], whole.is, union(whole.from, influences(number)))];
  };

/** Adds a balance to another one. Returns the sum. */
const joinsMoney: KnownFunction = (call) => {
  const added = getValue(call, 1);
  const sum = makeComputed([select(money(call), amount), select(added, amount)]);
  const written = closed([{ step: amount, value: sum }], added.is, added.from);
  call.frame.write(getValue(call, 0), written, dereference(call.args[0]?.type));
  return [sum];
};

/** A supply depends on what was added to it or taken from it. */
function changeSupply(call: KnownCall, by: Value): void {
  const changed = makeComputed([select(money(call), amount), by]);
  call.frame.write(call.frame.part(getValue(call, 0), amount), changed, u64);
}

const mintsMoney: KnownFunction = (call) => {
  const number = getValue(call, 1);
  call.frame.touch(getValue(call, 0));
  changeSupply(call, number);
  call.frame.split(nothing, number);
  return [closed([{ step: amount, value: number }], plainSets.made, influences(number))];
};

const burnsMoney: KnownFunction = (call) => {
  const burned = call.args[1];
  call.frame.touch(getValue(call, 0));
  changeSupply(call, burned ? select(burned.value, amount) : unread);
  if (burned) call.frame.consume('burn', burned);
  return [burned ? select(burned.value, amount) : nothing];
};

/** Money or a part of a right, with the source of the right to withdraw it. */
const withdrawn = (right: Value): Value => scalar(identities(right), influences(right));

const emptyMoney: KnownFunction = ({ frame }) => [closed([{ step: amount, value: frame.constant('0') }])];

/** Dynamic fields of a deleted object are lost. */
const deletesObject: KnownFunction = ({ frame, args }) => {
  for (const { step, value } of args[0]?.value.parts?.values() ?? []) {
    if (step.kind === 'dynamic') frame.consume('burn', { value, type: step.value });
  }
  return [];
};

/**
 * Functions of the framework whose code says less than their meaning: that a balance which is split is conserved, and
 * that a dynamic field is a part of its object.
 */
const models: Record<string, Record<string, KnownFunction>> = {
  '0x2::balance': {
    split: takesMoney(1),
    withdraw_all: takesMoney(undefined),
    join: joinsMoney,
    zero: emptyMoney,
    // Only an empty balance can be destroyed.
    destroy_zero: none,
    increase_supply: mintsMoney,
    decrease_supply: burnsMoney,
  },
  '0x2::object': { delete: deletesObject },
  '0x2::funds_accumulator': {
    redeem: (call) => [withdrawn(getValue(call, 0))],
    withdraw_from_object: (call) => {
      const from = union(influences(call.frame.content(getValue(call, 0))), influences(getValue(call, 1)));
      return [scalar(plainSets.funds, from)];
    },
    withdrawal_split: (call) => [withdrawn(money(call))],
    withdrawal_join: (call) => {
      call.frame.write(getValue(call, 0), getValue(call, 1), dereference(call.args[0]?.type));
      return [];
    },
  },
  '0x2::dynamic_field': children,
  '0x2::dynamic_object_field': {
    ...children,
    internal_add: addsChild,
    internal_borrow: borrowsChild,
    internal_borrow_mut: borrowsChild,
    id: findsChild,
  },
};

const calculations = (...names: string[]): Record<string, KnownFunction> =>
  Object.fromEntries(names.map((name) => [name, calculation]));

/** All natives that the analysis knows, one row each. A call of any other is unread. */
const natives: Record<string, Record<string, KnownFunction>> = {
  '0x1::vector': {
    empty: () => [packVector([])],
    length: (call) => [vectorLength(call.frame, getValue(call, 0))],
    borrow: (call) => [call.frame.part(getValue(call, 0), item, influences(getValue(call, 1)))],
    borrow_mut: (call) => [call.frame.part(getValue(call, 0), item, influences(getValue(call, 1)))],
    push_back: ({ frame, args: [to, value] }) => {
      if (to && value) pushBack(frame, to, value.value);
      return [];
    },
    pop_back: ({ frame, args: [from] }) => [from ? popBack(frame, from) : unread],
    destroy_empty: none,
    swap: (call) => {
      call.frame.touch(getValue(call, 0));
      return [];
    },
  },
  '0x1::bcs': calculations('to_bytes'),
  '0x1::hash': calculations('sha2_256', 'sha3_256'),
  '0x1::string': calculations(
    'internal_check_utf8',
    'internal_is_char_boundary',
    'internal_sub_string',
    'internal_index_of',
  ),
  '0x1::debug': { print: none, print_stack_trace: none },
  '0x1::type_name': {
    get: gives('type'),
    get_with_original_ids: gives('type'),
    with_defining_ids: gives('type'),
    with_original_ids: gives('type'),
    defining_id: gives('type'),
    original_id: gives('type'),
  },
  '0x2::types': { is_one_time_witness: gives('type') },
  '0x2::address': calculations('to_u256', 'from_u256', 'from_bytes'),
  '0x2::hash': calculations('blake2b256', 'keccak256'),
  '0x2::hmac': calculations('hmac_sha3_256'),
  '0x2::ed25519': calculations('ed25519_verify'),
  '0x2::ecdsa_k1': calculations('secp256k1_ecrecover', 'decompress_pubkey', 'secp256k1_verify'),
  '0x2::ecdsa_r1': calculations('secp256r1_ecrecover', 'secp256r1_verify'),
  '0x2::bls12381': calculations('bls12381_min_sig_verify', 'bls12381_min_pk_verify'),
  '0x2::ecvrf': calculations('ecvrf_verify'),
  '0x2::poseidon': calculations('poseidon_bn254_internal'),
  '0x2::vdf': calculations('hash_to_input_internal', 'vdf_verify_internal'),
  '0x2::groth16': calculations('prepare_verifying_key_internal', 'verify_groth16_proof_internal'),
  '0x2::group_ops': calculations(
    'internal_validate',
    'internal_add',
    'internal_sub',
    'internal_mul',
    'internal_div',
    'internal_hash_to',
    'internal_multi_scalar_mul',
    'internal_pairing',
    'internal_convert',
    'internal_sum',
  ),
  '0x2::zklogin_verified_id': calculations('check_zklogin_id_internal'),
  '0x2::zklogin_verified_issuer': calculations('check_zklogin_issuer_internal'),
  '0x2::nitro_attestation': calculations('load_nitro_attestation_internal'),
  '0x2::protocol_config': { is_feature_enabled: gives('transaction') },
  '0x2::event': { emit: none, num_events: gives('transaction') },
  '0x2::tx_context': {
    native_sender: gives('sender'),
    native_epoch: gives('transaction'),
    native_epoch_timestamp_ms: gives('time'),
    native_sponsor: () => [packVector([scalar(plainSets.transaction)])],
    native_rgp: gives('transaction'),
    native_gas_price: gives('transaction'),
    native_gas_budget: gives('transaction'),
    native_ids_created: gives('transaction'),
    fresh_id: gives('fresh'),
    derive_id: gives('fresh'),
    last_created_id: gives('fresh'),
  },
  '0x2::object': {
    borrow_uid: (call) => [call.frame.part(getValue(call, 0), field('id'))],
    delete_impl: none,
    record_new_uid: none,
  },
  '0x2::transfer': {
    transfer_impl: sends(0, 1),
    party_transfer_impl: sends(0, 2),
    share_object_impl: consumes('share'),
    freeze_object_impl: consumes('freeze'),
    receive_impl: (call) => [scalar(plainSets.received, influences(getValue(call, 0)))],
  },
  '0x2::funds_accumulator': {
    add_to_accumulator_address: sends(2, 1),
    withdraw_from_accumulator_address: (call) => {
      const from = union(influences(getValue(call, 1)), influences(getValue(call, 2)));
      return [scalar(plainSets.funds, from)];
    },
  },
  '0x2::dynamic_field': {
    hash_type_and_key: calculation,
    has_child_object: calculation,
    has_child_object_with_ty: calculation,
  },
};

const find = (
  table: Record<string, Record<string, KnownFunction>>,
  { address, module, name }: FunctionName,
): KnownFunction | undefined => {
  if (!isSystemPackage(address)) return undefined;
  const path = `0x${BigInt(address).toString(16)}::${module}`;
  const functions = Object.hasOwn(table, path) ? table[path]! : {};
  return Object.hasOwn(functions, name) ? functions[name] : undefined;
};

/** Returns the meaning of a framework function that is not read, though it has code. */
export const findModel = (name: FunctionName): KnownFunction | undefined => find(models, name);

/** Returns the meaning of a native. Undefined: it is not in the table. */
export const findNative = (name: FunctionName): KnownFunction | undefined => find(natives, name);
