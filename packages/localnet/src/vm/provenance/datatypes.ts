import { SUI } from '../framework.ts';
import type { LoadedModule } from '../loader/module.ts';
import { KEY } from '../types.ts';
import type { Ref, StructValue, VariantValue } from '../values.ts';
import { joinBalances, splitBalance } from './balances.ts';
import { all, type CarryTable, type MakeCarry, top } from './carry.ts';
import { findPart } from './memory.ts';
import { noAtoms, plainAtoms } from './place.ts';

function isKey(module: LoadedModule, definition: number): boolean {
  const { struct_handle } = module.json.struct_defs[definition]!;
  return (module.json.datatype_handles[struct_handle]!.abilities & KEY) !== 0;
}

function isBalanceAt({ address, name, json }: LoadedModule, definition: number): boolean {
  const { struct_handle } = json.struct_defs[definition]!;
  const struct = json.identifiers[json.datatype_handles[struct_handle]!.name];
  return address === SUI && name === 'balance' && struct === 'Balance';
}

function structDefinition(operand: unknown, { json }: LoadedModule, isGeneric: boolean): number {
  const index = Number(operand);
  return isGeneric ? json.struct_def_instantiations[index]!.def : index;
}

const pack =
  (isGeneric: boolean): MakeCarry =>
  (operand, { fn: { module } }) => {
    const definition = structDefinition(operand, module, isGeneric);
    const isObject = isKey(module, definition);
    const isBalance = isBalanceAt(module, definition);
    return (trace, machine, frame, step) => {
      const { memory } = trace;
      step(machine, frame);
      const value = top(machine) as StructValue;
      const labels = memory.popMany(value.fields.length);
      memory.setLabels(value.fields, labels);
      if (isObject) memory.setObject(value, plainAtoms.made);
      if (isBalance) splitBalance(trace, frame, value, labels[0]!);
      memory.push(noAtoms);
    };
  };

const unpack =
  (isGeneric: boolean): MakeCarry =>
  (operand, { fn: { module } }) => {
    const definition = structDefinition(operand, module, isGeneric);
    const isBalance = isBalanceAt(module, definition);
    return (trace, machine, frame, step) => {
      const { memory } = trace;
      const value = top(machine) as StructValue;
      if (isBalance) joinBalances(trace, frame, value);
      step(machine, frame);
      memory.pop();
      for (const i of value.fields.keys()) memory.push(memory.cell(value.fields, i));
    };
  };

const packVariant: MakeCarry =
  () =>
  ({ memory }, machine, frame, step) => {
    step(machine, frame);
    const value = top(machine) as VariantValue;
    memory.setLabels(value.fields, memory.popMany(value.fields.length));
    memory.push(noAtoms);
  };

const unpackVariant: MakeCarry =
  () =>
  ({ memory }, machine, frame, step) => {
    const value = top(machine) as VariantValue;
    step(machine, frame);
    memory.pop();
    for (const i of value.fields.keys()) memory.push(memory.cell(value.fields, i));
  };

const unpackVariantRef: MakeCarry =
  () =>
  ({ memory }, machine, frame, step) => {
    const ref = top(machine) as Ref;
    const place = memory.place(ref);
    const value = ref.read() as VariantValue;
    step(machine, frame);
    memory.pop();
    for (const i of value.fields.keys()) {
      if (place) memory.setPlace(top(machine, value.fields.length - 1 - i) as Ref, findPart(place, value, i));
      memory.push(noAtoms);
    }
  };

/** Instructions of structs and enums. */
export const datatypes: CarryTable = [
  ['Pack', pack(false)],
  ['PackGeneric', pack(true)],
  ['Unpack', unpack(false)],
  ['UnpackGeneric', unpack(true)],
  ...all(['PackVariant', 'PackVariantGeneric'], packVariant),
  ...all(['UnpackVariant', 'UnpackVariantGeneric'], unpackVariant),
  ...all(
    [
      ...['UnpackVariantImmRef', 'UnpackVariantMutRef'],
      ...['UnpackVariantGenericImmRef', 'UnpackVariantGenericMutRef'],
    ],
    unpackVariantRef,
  ),
];
