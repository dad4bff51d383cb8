/** The Move VM's name for an operand of the wrong type, by instruction; the rest have the general one. */
const MISMATCH: Record<string, string> = {
  StLoc: 'STLOC_TYPE_MISMATCH_ERROR',
  BrTrue: 'BR_TYPE_MISMATCH_ERROR',
  BrFalse: 'BR_TYPE_MISMATCH_ERROR',
  Abort: 'ABORT_TYPE_MISMATCH_ERROR',
  Ret: 'RET_TYPE_MISMATCH_ERROR',
  FreezeRef: 'FREEZEREF_TYPE_MISMATCH_ERROR',
  ReadRef: 'READREF_TYPE_MISMATCH_ERROR',
  WriteRef: 'WRITEREF_TYPE_MISMATCH_ERROR',
  Call: 'CALL_TYPE_MISMATCH_ERROR',
  CallGeneric: 'CALL_TYPE_MISMATCH_ERROR',
  Eq: 'EQUALITY_OP_TYPE_MISMATCH_ERROR',
  Neq: 'EQUALITY_OP_TYPE_MISMATCH_ERROR',
  And: 'BOOLEAN_OP_TYPE_MISMATCH_ERROR',
  Or: 'BOOLEAN_OP_TYPE_MISMATCH_ERROR',
  Not: 'BOOLEAN_OP_TYPE_MISMATCH_ERROR',
  VariantSwitch: 'ENUM_SWITCH_BAD_OPERAND',
};

const INTEGER_OPERATION = /^(Add|Sub|Mul|Div|Mod|BitAnd|BitOr|Xor|Shl|Shr|Lt|Le|Gt|Ge|Cast.*)$/;

export function mismatchStatus(instruction: string): string {
  const known = MISMATCH[instruction];
  if (known !== undefined) return known;
  if (INTEGER_OPERATION.test(instruction)) return 'INTEGER_OP_TYPE_MISMATCH_ERROR';
  if (instruction.startsWith('Pack')) return 'PACK_TYPE_MISMATCH_ERROR';
  if (instruction.startsWith('Unpack')) return 'UNPACK_TYPE_MISMATCH_ERROR';
  return instruction.includes('BorrowField') ? 'BORROWFIELD_TYPE_MISMATCH_ERROR' : 'TYPE_MISMATCH';
}
