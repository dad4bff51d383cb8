import { operandPools } from '../bounds.ts';
import { type CodeJson, type InstructionJson, instructionParts, type ModuleJson } from '../module.ts';
import { type Names, readLittleEndian } from './names.ts';

/** Code of a function, with the names of its module. */
interface Body {
  names: Names;
  module: ModuleJson;
  code: CodeJson;
  /** Signature of the function's parameters. */
  parameters: number;
}

/** First instruction that differs, on each side. */
interface CodeDifference {
  onChain: string;
  built: string;
}

interface CodeComparison {
  difference?: CodeDifference;
  /** True if abort codes of the compiler are other numbers: they name other lines, or the same constants at other places. */
  otherLines: boolean;
}

/** Place of a jump that never arrives: `Branch` after `Branch` in a circle. */
const endless = -1;

/**
 * Compares the code of two functions by walking both from their entries at once. They are the same if a one-to-one
 * assignment of instructions and one of locals exist with which both take the same step everywhere. `Nop` and
 * unconditional jumps are not steps, and code that is never reached is not compared. Takes time proportional to the
 * number of instructions.
 */
export function compareCode(onChain: Body, built: Body): CodeComparison {
  return new Walk(new Side(onChain), new Side(built)).run();
}

/** Successors of a pair of instructions, and the number of those that the walk has followed. */
interface Branches {
  left: readonly number[];
  right: readonly number[];
  at: number;
}

class Walk {
  readonly #left: Side;
  readonly #right: Side;
  readonly #open: Branches[] = [];
  #otherLines = false;

  constructor(left: Side, right: Side) {
    this.#left = left;
    this.#right = right;
  }

  run(): CodeComparison {
    this.#open.push({ left: [0], right: [0], at: 0 });
    for (let branches = this.#open.at(-1); branches; branches = this.#open.at(-1)) {
      const { left, right, at } = branches;
      if (at === left.length) {
        this.#open.pop();
        continue;
      }
      branches.at++;
      const difference = this.#visit(this.#left.follow(left[at]!), this.#right.follow(right[at]!));
      if (difference) return { difference, otherLines: this.#otherLines };
    }
    return { otherLines: this.#otherLines };
  }

  #visit(a: number, b: number): CodeDifference | undefined {
    const [left, right] = [this.#left, this.#right];
    if (a === endless && b === endless) return undefined;
    if (a === endless || b === endless) return this.#describe(a, b);
    const [pairedA, pairedB] = [left.partners[a], right.partners[b]];
    if (pairedA === b && pairedB === a) return undefined;
    if (pairedA !== undefined || pairedB !== undefined) {
      return {
        onChain: `${left.describe(a)}, ${pairedA === undefined ? 'reached for the first time' : 'reached again'}`,
        built: `${right.describe(b)}, ${pairedB === undefined ? 'reached for the first time' : 'reached again'}`,
      };
    }
    left.partners[a] = b;
    right.partners[b] = a;
    const [one, other] = [left.read(a), right.read(b)];
    if (one.step !== other.step || one.next.length !== other.next.length) return this.#describe(a, b);
    if (one.local !== undefined && !this.#pairLocals(one.local, other.local!)) return this.#describe(a, b);
    if (one.abortCode !== other.abortCode) this.#otherLines = true;
    this.#open.push({ left: one.next, right: other.next, at: 0 });
    return undefined;
  }

  #pairLocals(a: number, b: number): boolean {
    const [left, right] = [this.#left, this.#right];
    const [pairedA, pairedB] = [left.locals[a], right.locals[b]];
    if (pairedA !== undefined || pairedB !== undefined) return pairedA === b && pairedB === a;
    if (left.localType(a) !== right.localType(b)) return false;
    left.locals[a] = b;
    right.locals[b] = a;
    return true;
  }

  #describe(a: number, b: number): CodeDifference {
    return { onChain: this.#left.describe(a), built: this.#right.describe(b) };
  }
}

interface Step {
  /** Number of the operation with its operand, equal for the same step. A local is not a part of it. */
  step: number;
  local?: number;
  /** An abort code of the compiler. The step has all of its parts but the line of the source. */
  abortCode?: bigint;
  /** Offsets of the next instructions. For a condition: if true, if false. For a switch: by variant. */
  next: readonly number[];
}

/** One of the two functions during a walk. */
class Side {
  /** Offsets of the equal instructions of the other side, by offset. */
  readonly partners: (number | undefined)[];
  /** Locals of the other side, by local. */
  readonly locals: (number | undefined)[];
  readonly #body: Body;
  readonly #parameterCount: number;
  readonly #targets: (number | undefined)[];

  constructor(body: Body) {
    this.#body = body;
    const { length } = body.code.code;
    // One behind the last instruction: code that runs over its end.
    this.partners = new Array(length + 1).fill(undefined);
    this.#targets = new Array(length + 1).fill(undefined);
    this.#parameterCount = body.module.signatures[body.parameters]!.length;
    this.locals = Array.from({ length: this.#parameterCount }, (_, at) => at);
  }

  /** Offset of the first instruction from `at` on that is not a jump or `Nop`, or `endless`. */
  follow(at: number): number {
    const passed: number[] = [];
    let now = at;
    while (this.#targets[now] === undefined) {
      passed.push(now);
      const [name, operand] = this.#parts(now);
      // A jump that is followed already leads nowhere until it is known where.
      this.#targets[now] = endless;
      if (name === 'Nop') now++;
      else if (name === 'Branch') now = operand as number;
      else {
        this.#targets[now] = now;
        break;
      }
    }
    const target = this.#targets[now]!;
    for (const one of passed) this.#targets[one] = target;
    return target;
  }

  localType(local: number): number {
    const { names, code, parameters } = this.#body;
    const count = this.#parameterCount;
    return local < count ? names.tokenIds(parameters)[local]! : names.tokenIds(code.locals)[local - count]!;
  }

  read(at: number): Step {
    const [name, operand] = this.#parts(at);
    const { names, code } = this.#body;
    const next = [at + 1];
    switch (name) {
      case 'Ret':
      case 'Abort':
      case endOfCode:
        return { step: names.intern(name), next: [] };
      case 'BrTrue':
        return { step: names.intern('if'), next: [operand as number, at + 1] };
      case 'BrFalse':
        return { step: names.intern('if'), next: [at + 1, operand as number] };
      case 'VariantSwitch': {
        const { head_enum, jump_table } = code.jump_tables[operand as number]!;
        return { step: names.intern(`switch ${names.enum(head_enum)}`), next: jump_table.Full };
      }
      case 'CopyLoc':
      case 'MoveLoc':
      case 'StLoc':
      case 'MutBorrowLoc':
      case 'ImmBorrowLoc':
        return { step: names.intern(name), local: operand as number, next };
      case 'LdU64':
      case 'LdConst':
        return this.#readConstant(at, name, operand, next);
      default:
        return { step: names.intern(this.#operation(name, operand)), next };
    }
  }

  /** Returns the text of the instruction at an offset, for people. */
  describe(at: number): string {
    if (at === endless) return 'a loop without an instruction';
    const [name, operand] = this.#parts(at);
    if (name === endOfCode) return 'the end of the code';
    const text = describeInstruction(this.#body, name, operand);
    return `instruction ${at}, ${text.length > textMax ? `${text.slice(0, textMax)}…` : text}`;
  }

  #parts(at: number): [name: string, operand: unknown] {
    const instruction: InstructionJson | undefined = this.#body.code.code[at];
    return instruction === undefined ? [endOfCode, undefined] : instructionParts(instruction);
  }

  #readConstant(at: number, name: string, operand: unknown, next: readonly number[]): Step {
    const { names, module } = this.#body;
    const value = name === 'LdU64' ? (operand as bigint) : readU64(module, operand as number);
    if (value === undefined)
      return { step: names.intern(`load #${names.id('constant_pool', operand as number)}`), next };
    const after = this.follow(at + 1);
    const aborts = after !== endless && this.#parts(after)[0] === 'Abort';
    const step = aborts ? readAbortCode(value, module, names) : undefined;
    if (step !== undefined) return { step, abortCode: value, next };
    return { step: names.intern(`load #${names.intern(`u64 ${value}`)}`), next };
  }

  /** An operation with the number or the value of its operand. */
  #operation(name: string, operand: unknown): string {
    const { names } = this.#body;
    if (name === 'LdTrue' || name === 'LdFalse') return `load #${names.intern(`bool ${name === 'LdTrue'}`)}`;
    const integer = integers[name];
    if (integer !== undefined) return `load #${names.intern(`${integer} ${readInteger(operand)}`)}`;
    const pool = pools[name];
    if (pool === undefined) return operand === undefined ? name : `${name} ${readIndex(operand)}`;
    const [index, count] = Array.isArray(operand) ? operand : [operand];
    const id = resolve(pool, index, names);
    return count === undefined ? `${name} #${id}` : `${name} #${id} ${count}`;
  }
}

const endOfCode = 'end of code';
/** Maximum length of an instruction in a report. */
const textMax = 300;

const integers: Readonly<Record<string, string>> = {
  LdU8: 'u8',
  LdU16: 'u16',
  LdU32: 'u32',
  LdU64: 'u64',
  LdU128: 'u128',
  LdU256: 'u256',
};

type OperandPool = Parameters<Names['id']>[0] | 'function_handles' | 'struct_defs';

const pools = operandPools as Readonly<Record<string, OperandPool>>;

function resolve(pool: OperandPool, index: number, names: Names): number {
  if (pool === 'function_handles') return names.intern(names.function(index));
  if (pool === 'struct_defs') return names.intern(names.struct(index));
  return names.id(pool, index);
}

const readInteger = (operand: unknown): bigint =>
  Array.isArray(operand) ? readLittleEndian(operand) : BigInt(operand as number | bigint);
const readIndex = (operand: unknown): string => String(operand);

function readU64(module: ModuleJson, index: number): bigint | undefined {
  const { type_, data } = module.constant_pool[index]!;
  return type_ === 'U64' && data.length === 8 ? readLittleEndian(data) : undefined;
}

const absentIndex = 0xffff;

/**
 * Reads an abort code that the compiler made: the line of the source, and the indices of constants with the name and the
 * value of an error. Bits from the highest: 1, whether there is an own code, 6 unused, own code (8), line (16), name (16),
 * value (16).
 * @returns number of all parts but the line, with constants by value. Undefined for every other code
 */
function readAbortCode(code: bigint, module: ModuleJson, names: Names): number | undefined {
  const bits = (at: bigint) => Number((code >> at) & 0xffffn);
  if (code >> 63n === 0n || bits(32n) === absentIndex) return undefined;
  const constant = (index: number) =>
    index < module.constant_pool.length ? `#${names.id('constant_pool', index)}` : String(index);
  return names.intern(`abort code ${bits(48n)} ${constant(bits(16n))} ${constant(bits(0n))}`);
}

function describeInstruction({ names, code }: Body, name: string, operand: unknown): string {
  if (name === 'LdConst') return `${name} ${names.text('constant_pool', operand as number)}`;
  if (name === 'VariantSwitch')
    return `${name} ${names.enum(code.jump_tables[operand as number]!.head_enum)}`;
  if (name in integers) return `${name} ${readInteger(operand)}`;
  const pool = pools[name];
  if (pool === undefined) return operand === undefined ? name : `${name} ${readIndex(operand)}`;
  const [index, count] = Array.isArray(operand) ? operand : [operand];
  const text =
    pool === 'function_handles'
      ? names.function(index)
      : pool === 'struct_defs'
        ? names.struct(index)
        : names.text(pool, index);
  return count === undefined ? `${name} ${text}` : `${name} ${count} of ${text}`;
}
