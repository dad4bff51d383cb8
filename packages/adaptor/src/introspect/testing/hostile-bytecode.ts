import type { InstructionJson, ModuleJson } from '@adaptor-marketplace/move-bytecode';
import fc from 'fast-check';

/** The bytes with up to four of them changed, and with an end of any length missing. */
export function changedBytes(bytes: Uint8Array): fc.Arbitrary<Uint8Array> {
  const change = fc.record({ at: fc.nat(bytes.length - 1), value: fc.nat(255) });
  const changes = fc.record({
    list: fc.array(change, { maxLength: 4 }),
    length: fc.oneof(fc.constant(bytes.length), fc.nat(bytes.length)),
  });
  return changes.map(({ list, length }) => {
    const changed = Uint8Array.from(bytes);
    for (const { at, value } of list) changed[at] = value;
    return changed.slice(0, length);
  });
}

const operandCounts: Record<string, (json: ModuleJson) => number> = {
  Call: (json) => json.function_handles.length,
  CallGeneric: (json) => json.function_instantiations.length,
  Pack: (json) => json.struct_defs.length,
  Unpack: (json) => json.struct_defs.length,
  ImmBorrowField: (json) => json.field_handles.length,
  MutBorrowField: (json) => json.field_handles.length,
};
const locals = ['CopyLoc', 'MoveLoc', 'StLoc', 'MutBorrowLoc', 'ImmBorrowLoc'];
const jumps = ['BrTrue', 'BrFalse', 'Branch'];
const plain = 'Add Sub Lt Ge Eq Not ReadRef WriteRef FreezeRef Pop Ret Abort CastU64 LdTrue'.split(' ');

/** Code that a parser accepts and a verifier may not: any instructions, with operands within the tables. */
export function anyCode(json: ModuleJson, length: number): fc.Arbitrary<InstructionJson[]> {
  const operands = [
    ...Object.entries(operandCounts).map(([name, size]) => [name, size(json)] as const),
    ...locals.map((name) => [name, 1] as const),
    ...jumps.map((name) => [name, length] as const),
  ].filter(([, size]) => size > 0);
  const instruction = fc.oneof(
    fc.constantFrom(...plain),
    ...operands.map(([name, size]) => fc.nat(size - 1).map((operand) => ({ [name]: operand }))),
  );
  return fc.array(instruction, { minLength: length, maxLength: length });
}
