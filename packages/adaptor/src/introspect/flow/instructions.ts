import type { ModuleJson } from '@adaptor-marketplace/move-bytecode';
import type { Instruction } from './blocks.ts';
import type { Body } from './body.ts';
import { accessField, content, flatten, joinAll, makeComputed, nothing, struct } from './value.ts';

/**
 * Bound on the items of a vector instruction. The bytecode's own bound is larger, but no one unpacks a longer vector by
 * hand.
 */
const vectorMax = 64;

type Run = (body: Body, operand: unknown) => void;

const arithmetic: Run = (body) => body.push(makeComputed(body.popMany(2).map(flatten), body.getNumber(0)));
const cast: Run = (body) => body.push(flatten(body.pop()));
const constant: Run = (body) => body.push(nothing);
const drop: Run = (body) => void body.pop();

const compare: Run = (body) => {
  const [left, right] = body.popMany(2).map((value) => flatten(content(value)));
  body.note('compares', { kind: 'compares', value: left!, other: right! });
  body.push(makeComputed([left!, right!], body.getNumber(0)));
};

const local: Run = (body, operand) => body.push(body.locals[Number(operand)] ?? nothing);

const borrowLocal: Run = (body, operand) => {
  const index = Number(operand);
  body.push({ ...content(body.locals[index] ?? nothing), place: { local: index, path: [] } });
};

const borrowField =
  (generic: boolean): Run =>
  (body, operand) => {
    const { json } = body.module;
    const index = Number(operand);
    const handle = json.field_handles[generic ? json.field_instantiations[index]!.handle : index]!;
    const name = fieldNames(body, handle.owner)[handle.field] ?? '';
    body.push(accessField(body.pop(), handle.field, name, body.getNumber(0)));
  };

const pack =
  (generic: boolean): Run =>
  (body, operand) => {
    const names = fieldNames(body, structAt(body.module.json, Number(operand), generic));
    const values = body.popMany(names.length);
    for (const [i, name] of names.entries()) {
      body.note(i, { kind: 'names', value: flatten(content(values[i]!)), name });
    }
    body.push(struct(values));
  };

const unpack =
  (generic: boolean): Run =>
  (body, operand) => {
    const { length } = fieldNames(body, structAt(body.module.json, Number(operand), generic));
    const whole = body.pop();
    const { fields } = whole;
    for (let i = 0; i < length; i++) {
      const known = fields?.length === length ? fields[i] : undefined;
      body.push(known ?? makeComputed([whole], body.getNumber(i)));
    }
  };

const packVariant =
  (generic: boolean): Run =>
  (body, operand) =>
    body.push(
      flatten(joinAll(body.popMany(variantFields(body.module.json, Number(operand), generic)).map(flatten))),
    );

const unpackVariant =
  (generic: boolean): Run =>
  (body, operand) => {
    const whole = flatten(body.pop());
    const count = variantFields(body.module.json, Number(operand), generic);
    for (let i = 0; i < count; i++) body.push(whole);
  };

const call =
  (name: string): Run =>
  (body, operand) => {
    const { handle, typeArgs } = body.module.callee(name, Number(operand));
    const args = body.popMany(handle.parameters.length);
    const outcome = body.onCall(handle, args, typeArgs, (key) => body.getNumber(key));
    for (const [i, fact] of outcome.facts.entries()) body.note(i, fact);
    const from = args.reduce((all, { from }) => all | from, 0n);
    for (const [i, type] of handle.parameters.entries()) {
      if (type.kind !== 'reference' || !type.mutable) continue;
      const written = i === 0 && outcome.writes ? outcome.writes : nothing;
      const { place } = args[i]!;
      // The callee may have written any of its other values there.
      if (place) body.write({ ...nothing, place }, { ...written, from: written.from | from });
    }
    for (const i of handle.returns.keys())
      body.push(outcome.returns[i] ?? makeComputed(args, body.getNumber(i)));
  };

const instructions: Record<string, Run> = {
  Nop: () => {},
  Branch: () => {},
  Pop: drop,
  BrTrue: drop,
  BrFalse: drop,
  Abort: drop,
  VariantSwitch: drop,
  Ret: (body) => body.noteReturn(body.popMany(body.handle.returns.length)),
  CopyLoc: local,
  MoveLoc: local,
  StLoc: (body, operand) => {
    body.locals[Number(operand)] = body.pop();
  },
  MutBorrowLoc: borrowLocal,
  ImmBorrowLoc: borrowLocal,
  MutBorrowField: borrowField(false),
  ImmBorrowField: borrowField(false),
  MutBorrowFieldGeneric: borrowField(true),
  ImmBorrowFieldGeneric: borrowField(true),
  ReadRef: (body) => body.push(content(body.pop())),
  FreezeRef: () => {},
  WriteRef: (body) => {
    const [value, reference] = body.popMany(2);
    body.write(reference!, value!);
  },
  Call: call('Call'),
  CallGeneric: call('CallGeneric'),
  Pack: pack(false),
  PackGeneric: pack(true),
  Unpack: unpack(false),
  UnpackGeneric: unpack(true),
  PackVariant: packVariant(false),
  PackVariantGeneric: packVariant(true),
  UnpackVariant: unpackVariant(false),
  UnpackVariantImmRef: unpackVariant(false),
  UnpackVariantMutRef: unpackVariant(false),
  UnpackVariantGeneric: unpackVariant(true),
  UnpackVariantGenericImmRef: unpackVariant(true),
  UnpackVariantGenericMutRef: unpackVariant(true),
  VecPack: (body, operand) => {
    const count = vectorCount(operand);
    if (count > vectorMax) body.markCut();
    body.push(joinAll(body.popMany(Math.min(count, vectorMax)).map((value) => flatten(content(value)))));
  },
  VecUnpack: (body, operand) => {
    const whole = flatten(body.pop());
    const count = vectorCount(operand);
    if (count > vectorMax) body.markCut();
    for (let i = 0; i < Math.min(count, vectorMax); i++) body.push(whole);
  },
  VecLen: (body) => body.push(makeComputed([], body.getNumber(body.stack.pop() ? 0 : 1))),
  VecImmBorrow: (body) => body.push(body.popMany(2)[0]!),
  VecMutBorrow: (body) => body.push(body.popMany(2)[0]!),
  VecPushBack: (body) => {
    const [reference, value] = body.popMany(2);
    body.write({ ...nothing, ...(reference!.place && { place: reference!.place }) }, value!);
  },
  VecPopBack: (body) => body.push(content(body.pop())),
  VecSwap: (body) => void body.popMany(3),
  Not: (body) => body.push(makeComputed([body.pop()], body.getNumber(0))),
  Lt: compare,
  Gt: compare,
  Le: compare,
  Ge: compare,
};

for (const name of ['LdU8', 'LdU16', 'LdU32', 'LdU64', 'LdU128', 'LdU256', 'LdTrue', 'LdFalse', 'LdConst']) {
  instructions[name] = constant;
}
for (const name of 'Add Sub Mul Mod Div BitOr BitAnd Xor Shl Shr Or And Eq Neq'.split(' ')) {
  instructions[name] = arithmetic;
}
for (const name of ['CastU8', 'CastU16', 'CastU32', 'CastU64', 'CastU128', 'CastU256']) {
  instructions[name] = cast;
}

/** Applies an instruction to the stack, the locals and the facts of a body, as far as its effect is known. */
export function runInstruction(body: Body, { name, operand }: Instruction): void {
  const run = Object.hasOwn(instructions, name) ? instructions[name] : undefined;
  // The others are instructions for Move's former global storage. The chain accepts no module with them.
  if (run) run(body, operand);
  else body.markCut();
}

function structAt(json: ModuleJson, index: number, generic: boolean): number {
  return generic ? json.struct_def_instantiations[index]!.def : index;
}

function fieldNames({ module }: Body, struct: number): string[] {
  const { field_information: information } = module.json.struct_defs[struct]!;
  return information === 'Native' ? [] : information.Declared.map(({ name }) => module.identifier(name));
}

function variantFields(json: ModuleJson, index: number, generic: boolean): number {
  const { enum_def, variant } = (generic ? json.variant_instantiation_handles : json.variant_handles)[index]!;
  const definition = generic ? json.enum_def_instantiations[enum_def]!.def : enum_def;
  return json.enum_defs[definition]!.variants[variant]!.fields.length;
}

function vectorCount(operand: unknown): number {
  return Array.isArray(operand) ? Number(operand[1]) : 0;
}
