import { refuse } from './error.ts';
import type { CodeJson, InstructionJson } from './module.ts';
import { type ByteReader, indexMax } from './reader.ts';

type OperandKind = 'index' | 'local' | 'u8' | 'u16' | 'u32' | 'u64' | 'u128' | 'u256' | 'vector';

/** Readers of operands. `index`: of a pool, or of an instruction to jump to. `vector`: a signature and a number of items. */
const readOperand: Record<OperandKind, (reader: ByteReader) => unknown> = {
  index: (reader) => reader.index(),
  local: (reader) => reader.uleb(255),
  u8: (reader) => reader.byte(),
  u16: (reader) => Number(reader.little(2)),
  u32: (reader) => Number(reader.little(4)),
  u64: (reader) => reader.little(8),
  u128: (reader) => reader.little(16),
  u256: (reader) => [...reader.bytes(32)],
  vector: (reader) => [reader.index(), reader.little(8)],
};

/** Instructions by opcode, from 1 on. `Deprecated`: of Move before Sui, which has no global storage. */
const instructions: readonly (string | [name: string, operand: OperandKind])[] = [
  'Pop',
  'Ret',
  ['BrTrue', 'index'],
  ['BrFalse', 'index'],
  ['Branch', 'index'],
  ['LdU64', 'u64'],
  ['LdConst', 'index'],
  'LdTrue',
  'LdFalse',
  ['CopyLoc', 'local'],
  ['MoveLoc', 'local'],
  ['StLoc', 'local'],
  ['MutBorrowLoc', 'local'],
  ['ImmBorrowLoc', 'local'],
  ['MutBorrowField', 'index'],
  ['ImmBorrowField', 'index'],
  ['Call', 'index'],
  ['Pack', 'index'],
  ['Unpack', 'index'],
  'ReadRef',
  'WriteRef',
  'Add',
  'Sub',
  'Mul',
  'Mod',
  'Div',
  'BitOr',
  'BitAnd',
  'Xor',
  'Or',
  'And',
  'Not',
  'Eq',
  'Neq',
  'Lt',
  'Gt',
  'Le',
  'Ge',
  'Abort',
  'Nop',
  ['ExistsDeprecated', 'index'],
  ['MutBorrowGlobalDeprecated', 'index'],
  ['ImmBorrowGlobalDeprecated', 'index'],
  ['MoveFromDeprecated', 'index'],
  ['MoveToDeprecated', 'index'],
  'FreezeRef',
  'Shl',
  'Shr',
  ['LdU8', 'u8'],
  ['LdU128', 'u128'],
  'CastU8',
  'CastU64',
  'CastU128',
  ['MutBorrowFieldGeneric', 'index'],
  ['ImmBorrowFieldGeneric', 'index'],
  ['CallGeneric', 'index'],
  ['PackGeneric', 'index'],
  ['UnpackGeneric', 'index'],
  ['ExistsGenericDeprecated', 'index'],
  ['MutBorrowGlobalGenericDeprecated', 'index'],
  ['ImmBorrowGlobalGenericDeprecated', 'index'],
  ['MoveFromGenericDeprecated', 'index'],
  ['MoveToGenericDeprecated', 'index'],
  ['VecPack', 'vector'],
  ['VecLen', 'index'],
  ['VecImmBorrow', 'index'],
  ['VecMutBorrow', 'index'],
  ['VecPushBack', 'index'],
  ['VecPopBack', 'index'],
  ['VecUnpack', 'vector'],
  ['VecSwap', 'index'],
  ['LdU16', 'u16'],
  ['LdU32', 'u32'],
  ['LdU256', 'u256'],
  'CastU16',
  'CastU32',
  'CastU256',
  ['PackVariant', 'index'],
  ['PackVariantGeneric', 'index'],
  ['UnpackVariant', 'index'],
  ['UnpackVariantImmRef', 'index'],
  ['UnpackVariantMutRef', 'index'],
  ['UnpackVariantGeneric', 'index'],
  ['UnpackVariantGenericImmRef', 'index'],
  ['UnpackVariantGenericMutRef', 'index'],
  ['VariantSwitch', 'index'],
];
/** First opcode of version 7 of the format, which has enums. */
const firstOfEnums = 1 + instructions.findIndex(([name]) => name === 'PackVariant');

/** Reads a function's locals, instructions and jump tables. @throws BytecodeError */
export function readCode(reader: ByteReader, version: number): CodeJson {
  const locals = reader.index();
  const code = reader.list(indexMax, () => readInstruction(reader, version));
  const jumpTables = version < 7 ? [] : reader.list(tablesMax, () => readJumpTable(reader));
  return { locals, code, jump_tables: jumpTables };
}

function readInstruction(reader: ByteReader, version: number): InstructionJson {
  const opcode = reader.byte();
  const instruction = instructions[opcode - 1];
  if (instruction === undefined) throw refuse('UNKNOWN_OPCODE', `opcode ${opcode}`);
  if (opcode >= firstOfEnums && version < 7)
    throw refuse('MALFORMED', `opcode ${opcode} in version ${version}`);
  if (typeof instruction === 'string') return instruction;
  const [name, operand] = instruction;
  return { [name]: readOperand[operand](reader) };
}

/** Maximum number of jump tables of a function. */
const tablesMax = 255;
/** Kind of a jump table that has an offset for every variant. There is no other kind. */
const fullTable = 1;

function readJumpTable(reader: ByteReader): CodeJson['jump_tables'][number] {
  const headEnum = reader.index();
  const length = reader.uleb(variantsMax);
  const kind = reader.byte();
  if (kind !== fullTable) throw refuse('UNKNOWN_JUMP_TABLE_FLAG', `jump table ${kind}`);
  const offsets = Array.from({ length }, () => reader.index());
  return { head_enum: headEnum, jump_table: { Full: offsets } };
}

/** Maximum number of variants of an enum. */
export const variantsMax = 127;
