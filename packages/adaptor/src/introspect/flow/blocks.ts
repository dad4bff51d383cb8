import { type CodeJson, instructionParts } from '@adaptor-marketplace/move-bytecode';

export interface Instruction {
  name: string;
  operand: unknown;
}

/** A sequence of instructions without jumps in between. `end` is the index of the last one. */
interface Block {
  start: number;
  end: number;
  /** Indices of blocks. */
  successors: readonly number[];
}

const endsRun = new Set(['Ret', 'Abort', 'Branch', 'VariantSwitch']);
const conditional = new Set(['BrTrue', 'BrFalse']);

export function toInstructions({ code }: CodeJson): Instruction[] {
  return code.map((instruction) => {
    const [name, operand] = instructionParts(instruction);
    return { name, operand };
  });
}

/** Cuts code into blocks. The first block is the entry of the function. Jumps out of the code have no target. */
export function splitIntoBlocks(
  instructions: readonly Instruction[],
  { jump_tables: tables }: CodeJson,
): Block[] {
  const targets = ({ name, operand }: Instruction): number[] => {
    if (name === 'Branch' || conditional.has(name)) return [Number(operand)];
    return name === 'VariantSwitch' ? (tables[Number(operand)]?.jump_table.Full ?? []) : [];
  };
  const starts = new Set([0]);
  for (const [pc, instruction] of instructions.entries()) {
    for (const target of targets(instruction)) starts.add(target);
    if (endsRun.has(instruction.name) || conditional.has(instruction.name)) starts.add(pc + 1);
  }
  const sorted = [...starts].filter((start) => start < instructions.length).sort((a, b) => a - b);
  const indexAt = new Map(sorted.map((start, i) => [start, i]));
  return sorted.map((start, i) => {
    const end = (sorted[i + 1] ?? instructions.length) - 1;
    const last = instructions[end]!;
    const next = endsRun.has(last.name) ? [] : [end + 1];
    const found = [...targets(last), ...next].map((target) => indexAt.get(target));
    return { start, end, successors: [...new Set(found.filter((index) => index !== undefined))] };
  });
}
