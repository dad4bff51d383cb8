import { type CodeJson, instructionParts } from '@adaptor-marketplace/move-bytecode';

const returning = new WeakMap<CodeJson, readonly boolean[]>();

/** Says for each instruction if code from it on can reach a `Ret`, whatever the functions do that it calls. */
export function findReturning(code: CodeJson): readonly boolean[] {
  let known = returning.get(code);
  if (known === undefined) {
    known = search(code);
    returning.set(code, known);
  }
  return known;
}

function search(code: CodeJson): boolean[] {
  const { code: instructions } = code;
  const sources = instructions.map((): number[] => []);
  const found = instructions.map(() => false);
  const waiting: number[] = [];
  for (const [pc, instruction] of instructions.entries()) {
    for (const target of targetsAt(code, pc)) sources[target]!.push(pc);
    if (instruction === 'Ret') waiting.push(pc);
  }
  for (let pc = waiting.pop(); pc !== undefined; pc = waiting.pop()) {
    if (found[pc]) continue;
    found[pc] = true;
    waiting.push(...sources[pc]!);
  }
  return found;
}

/** The instructions that may come next. */
export function targetsAt({ code, jump_tables }: CodeJson, pc: number): number[] {
  const [name, operand] = instructionParts(code[pc]!);
  switch (name) {
    case 'Ret':
    case 'Abort':
      return [];
    case 'Branch':
      return [Number(operand)];
    case 'BrTrue':
    case 'BrFalse':
      return [pc + 1, Number(operand)];
    case 'VariantSwitch':
      return jump_tables[Number(operand)]!.jump_table.Full;
    default:
      return [pc + 1];
  }
}
