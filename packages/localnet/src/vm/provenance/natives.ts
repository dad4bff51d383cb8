import { STD, SUI } from '../framework.ts';
import type { Machine, Native } from '../runtime/machine.ts';
import type { DatatypeType, Type } from '../types.ts';
import { Ref, type Value, VectorValue } from '../values.ts';
import { findPart, idIn } from './memory.ts';
import { type Atom, type Label, labelWith, noAtoms, type Place, plainAtoms, union } from './place.ts';
import type { Trace } from './trace.ts';

/** A native function that runs, with the labels of its arguments. */
interface NativeCall {
  trace: Trace;
  args: readonly Value[];
  labels: readonly Label[];
  types: readonly Type[];
  /** Calls the function. */
  run(): Value[];
}

/** Calls the native function and labels its results. Returns the results with the labels of scalars. */
type CarryNative = (call: NativeCall) => { results: Value[]; labels: Label[] };

/** The results are calculated from all that the arguments lead to. */
const combined: CarryNative = ({ trace, args, labels, run }) => {
  const { memory } = trace;
  let label = noAtoms;
  for (const [i, arg] of args.entries()) {
    label = union(label, memory.deep(arg, labels[i]!));
    if (arg instanceof Ref) trace.read(memory.place(arg), trace.site);
  }
  return labelled(trace, run(), label);
};

function labelled({ memory }: Trace, results: Value[], label: Label) {
  for (const value of results) memory.smear(value, label);
  return { results, labels: results.map((value) => (typeof value === 'object' ? noAtoms : label)) };
}

const from = (atom: Atom): CarryNative => {
  const label = labelWith(atom);
  return ({ trace, run }) => labelled(trace, run(), label);
};

const plain: CarryNative = ({ run }) => {
  const results = run();
  return { results, labels: results.map(() => noAtoms) };
};

/** Takes an object away for good. */
const leave =
  (toEnd: (call: NativeCall) => Parameters<Trace['ends']['walk']>[2]): CarryNative =>
  (call) => {
    const { trace, args, types, run } = call;
    const results = run();
    trace.ends.walk(types[0]!, args[0], toEnd(call), trace.site);
    return { results, labels: [] };
  };

function sentTo({ trace, args, labels }: NativeCall, recipient: number) {
  const to = trace.memory.deep(args[recipient], labels[recipient]!);
  trace.noteRecipient(to, trace.site);
  const [address] = args[recipient] instanceof VectorValue ? args[recipient].items : [args[recipient]];
  return { kind: 'sent', to, address: address as string } as const;
}

const isField = (type: Type): type is DatatypeType =>
  type.kind === 'datatype' && type.datatype.definingId === SUI && type.datatype.name === 'Field';

/** The place of a child of an object that the call was given. */
function childPlace(
  { owners }: Trace['memory'],
  parent: string,
  key: Type | undefined,
  type: Type | undefined,
) {
  return owners.get(parent)?.dynamic(key, type);
}

/** Labels a stored child when the call looks at it for the first time. */
function beginChild(
  trace: Trace,
  parent: string,
  id: string,
  type: Type,
  cells: (Value | undefined)[],
): Place | undefined {
  const { memory, keys, children } = trace;
  const key = isField(type) ? keys.get(id)?.type : undefined;
  const place = childPlace(memory, parent, key, type);
  if (children.has(id)) return place;
  children.set(id, { parent, key, type, cells });
  if (place) memory.begin(cells[0], place);
  return place;
}

const uidIn = (ref: Value | undefined) => idIn((ref as Ref).read());

const borrowChild: CarryNative = ({ trace, args, run, types: [type] }) => {
  const results = run();
  const [ref] = results as [Ref];
  const place = beginChild(
    trace,
    uidIn(args[0]),
    args[1] as string,
    type!,
    ref.cells as (Value | undefined)[],
  );
  trace.memory.setPlace(ref, place);
  return { results, labels: [noAtoms] };
};

const addChild: CarryNative = ({ trace, args, run, types: [type] }) => {
  const [parent, child] = args as [string, Value];
  run();
  const id = idIn(child);
  const key = isField(type!) ? trace.keys.get(id)?.type : undefined;
  trace.children.set(id, { parent, key, type: type!, cells: [child] });
  trace.write(childPlace(trace.memory, parent, key, type), trace.site);
  return { results: [], labels: [] };
};

const removeChild: CarryNative = ({ trace, args, run, types: [type] }) => {
  const [parent, id] = args as [string, string];
  const results = run();
  const place = beginChild(trace, parent, id, type!, [results[0]]);
  trace.children.set(id, { parent, key: undefined, type: type!, cells: [] });
  trace.write(place, trace.site);
  return { results, labels: [noAtoms] };
};

const hasChild: CarryNative = ({ trace, args, run, types: [type] }) => {
  const [parent, id] = args as [string, string];
  const key = trace.keys.get(id);
  const place = childPlace(trace.memory, parent, key?.type, type);
  trace.read(place, trace.site);
  const label = union(key?.label ?? noAtoms, place ? labelWith(place.initial) : noAtoms);
  return { results: run(), labels: [label] };
};

const hashKey: CarryNative = ({ trace, args, labels, run, types: [type] }) => {
  const results = run();
  const label = trace.memory.deep(args[1], labels[1]!);
  trace.keys.set(results[0] as string, { type: type!, label });
  return { results, labels: [union(label, labels[0]!)] };
};

const rules: Record<string, CarryNative> = {
  [`${SUI}::object::borrow_uid`]: ({ trace: { memory }, args, run }) => {
    const results = run();
    const object = args[0] as Ref;
    const place = memory.place(object);
    if (place) memory.setPlace(results[0] as Ref, findPart(place, object.read(), 0));
    return { results, labels: [noAtoms] };
  },
  [`${SUI}::object::delete_impl`]: plain,
  [`${SUI}::object::record_new_uid`]: plain,
  [`${SUI}::tx_context::native_sender`]: from(plainAtoms.sender),
  [`${SUI}::tx_context::native_epoch_timestamp_ms`]: from(plainAtoms.time),
  [`${SUI}::tx_context::fresh_id`]: from(plainAtoms.fresh),
  ...Object.fromEntries(
    ['epoch', 'sponsor', 'rgp', 'gas_price', 'gas_budget', 'ids_created'].map((name) => [
      `${SUI}::tx_context::native_${name}`,
      from(plainAtoms.transaction),
    ]),
  ),
  [`${SUI}::transfer::transfer_impl`]: leave((call) => sentTo(call, 1)),
  [`${SUI}::transfer::party_transfer_impl`]: leave((call) => sentTo(call, 2)),
  [`${SUI}::transfer::share_object_impl`]: leave(({ types }) => ({ kind: 'shared', type: types[0]! })),
  [`${SUI}::transfer::freeze_object_impl`]: leave(({ types }) => ({ kind: 'frozen', type: types[0]! })),
  [`${SUI}::transfer::receive_impl`]: ({ trace, run, types: [type] }) => {
    const results = run();
    trace.memory.fill(type!, results[0]!, labelWith(plainAtoms.received), plainAtoms.received);
    return { results, labels: [noAtoms] };
  },
  [`${SUI}::event::emit`]: plain,
  [`${SUI}::dynamic_field::hash_type_and_key`]: hashKey,
  [`${SUI}::dynamic_field::add_child_object`]: addChild,
  [`${SUI}::dynamic_field::borrow_child_object`]: borrowChild,
  [`${SUI}::dynamic_field::borrow_child_object_mut`]: borrowChild,
  [`${SUI}::dynamic_field::remove_child_object`]: removeChild,
  [`${SUI}::dynamic_field::has_child_object`]: hasChild,
  [`${SUI}::dynamic_field::has_child_object_with_ty`]: hasChild,
  [`${SUI}::funds_accumulator::add_to_accumulator_address`]: (call) => {
    const { trace, args, run, types } = call;
    const results = run();
    trace.ends.walk(types[0]!, args[2], sentTo(call, 1), trace.site);
    return { results, labels: [] };
  },
  [`${SUI}::funds_accumulator::withdraw_from_accumulator_address`]: ({
    trace,
    labels,
    run,
    types: [type],
  }) => {
    const results = run();
    trace.memory.fill(type!, results[0]!, labels[2]!, plainAtoms.funds);
    trace.noteAmount(labels[2]!, trace.site);
    return { results, labels: [noAtoms] };
  },
  [`${SUI}::types::is_one_time_witness`]: from(plainAtoms.type),
  ...Object.fromEntries(
    [
      ...['get', 'get_with_original_ids', 'with_defining_ids', 'with_original_ids'],
      ...['defining_id', 'original_id'],
    ].map((name) => [`${STD}::type_name::${name}`, from(plainAtoms.type)]),
  ),
};

/** Carries labels through a native function. */
export function carryNative(
  name: string,
  native: Native,
  findTrace: (machine: Machine) => Trace | undefined,
): Native {
  const rule = rules[name] ?? combined;
  return (machine, args, types) => {
    const trace = findTrace(machine);
    if (!trace) return native(machine, args, types);
    const labels = trace.memory.popMany(args.length);
    const call = { trace, args, labels, types, run: () => native(machine, args, types) };
    const { results, labels: made } = rule(call);
    for (const label of made) trace.memory.push(label);
    return results;
  };
}
