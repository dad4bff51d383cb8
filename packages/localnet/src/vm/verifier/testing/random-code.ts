import type { InstructionJson, TokenJson } from '@adaptor-marketplace/move-bytecode';
import type { ModuleEditor } from './editor.ts';

type Kind = 'u64' | 'S' | 'V' | '&u64' | '&S' | '&V' | '&mut u64' | '&mut S' | '&mut V';

/** Parameters of `probe` in the subject module that random code uses, and locals behind its nine parameters. */
const PARAMETERS: [number, Kind][] = [
  [0, 'S'],
  [1, '&mut S'],
  [2, 'V'],
  [3, '&S'],
  [5, '&mut V'],
  [6, 'u64'],
];
const LOCALS: Kind[] = ['&mut u64', '&mut u64', '&u64', '&mut S', '&S', 'S', '&mut V', 'V'];
const FIRST_LOCAL = 9;
const CONDITION = 7;
const MAX_STACK = 6;

/** A run of choices, alone, under a condition, or in a loop. */
export interface Segment {
  shape: 'plain' | 'if' | 'loop';
  choices: number[];
}

/**
 * Puts random code into `probe` that respects the types of stack and locals and little else: what is borrowed, read
 * and written is left to chance.
 */
export function putRandomCode(editor: ModuleEditor, segments: Segment[]): void {
  const writer = new Writer(editor);
  for (const segment of segments) writer.segment(segment);
  editor.body('probe', [...writer.code, 'Ret'], ...LOCALS.map((kind) => tokenOf(editor, kind)));
}

function tokenOf(editor: ModuleEditor, kind: Kind): TokenJson {
  if (kind.startsWith('&mut ')) return { MutableReference: tokenOf(editor, kind.slice(5) as Kind) };
  if (kind.startsWith('&')) return { Reference: tokenOf(editor, kind.slice(1) as Kind) };
  if (kind === 'S') return editor.type('S');
  return kind === 'V' ? { Vector: 'U64' } : 'U64';
}

/** Instructions, and what lies on the stack behind them in the place of the `takes` topmost values. */
interface Option {
  code: InstructionJson[];
  takes: number;
  gives: Kind[];
  /** Leaves the local empty, or fills it. */
  local?: [index: number, isFull: boolean];
}

class Writer {
  readonly code: InstructionJson[] = [];
  readonly #editor: ModuleEditor;
  readonly #kinds = new Map<number, Kind>([
    ...PARAMETERS,
    ...LOCALS.map((kind, i): [number, Kind] => [FIRST_LOCAL + i, kind]),
  ]);
  #full = new Set(PARAMETERS.map(([index]) => index));
  #stack: Kind[] = [];

  constructor(editor: ModuleEditor) {
    this.#editor = editor;
  }

  segment({ shape, choices }: Segment): void {
    const head = this.code.length;
    const before = new Set(this.#full);
    if (shape !== 'plain') this.code.push({ CopyLoc: CONDITION }, { BrFalse: -1 });
    for (const choice of choices) this.#choose(choice);
    while (this.#stack.length > 0) this.#take({ code: ['Pop'], takes: 1, gives: [] });
    if (shape === 'loop') this.code.push({ Branch: head });
    if (shape === 'plain') return;
    this.code[head + 1] = { BrFalse: this.code.length };
    this.#full = new Set([...before].filter((local) => this.#full.has(local)));
  }

  #choose(choice: number): void {
    const options = this.#options();
    this.#take(options[choice % options.length]!);
  }

  #take({ code, takes, gives, local }: Option): void {
    this.code.push(...code);
    this.#stack.splice(this.#stack.length - takes, takes, ...gives);
    if (local === undefined) return;
    if (local[1]) this.#full.add(local[0]);
    else this.#full.delete(local[0]);
  }

  #options(): Option[] {
    const options = [...this.#fromStack()];
    if (this.#stack.length < MAX_STACK) options.push(...this.#fromLocals());
    return options;
  }

  *#fromLocals(): Iterable<Option> {
    yield { code: [{ LdU64: 1n }], takes: 0, gives: ['u64'] };
    for (const [index, kind] of this.#kinds) {
      if (!this.#full.has(index)) continue;
      yield { code: [{ CopyLoc: index }], takes: 0, gives: [kind] };
      yield { code: [{ MoveLoc: index }], takes: 0, gives: [kind], local: [index, false] };
      if (kind.startsWith('&')) continue;
      yield { code: [{ ImmBorrowLoc: index }], takes: 0, gives: [`&${kind}` as Kind] };
      yield { code: [{ MutBorrowLoc: index }], takes: 0, gives: [`&mut ${kind}` as Kind] };
    }
  }

  *#fromStack(): Iterable<Option> {
    const top = this.#stack.at(-1);
    const below = this.#stack.at(-2);
    if (top === undefined) return;
    yield { code: ['Pop'], takes: 1, gives: [] };
    for (const [index, kind] of this.#kinds) {
      if (kind === top) yield { code: [{ StLoc: index }], takes: 1, gives: [], local: [index, true] };
    }
    if (!top.startsWith('&')) return;
    const mutable = top.startsWith('&mut ');
    const to = top.slice(mutable ? 5 : 1) as Kind;
    yield { code: ['ReadRef'], takes: 1, gives: [to] };
    if (below === top) yield { code: ['Eq', 'Pop'], takes: 2, gives: [] };
    if (mutable) yield { code: ['FreezeRef'], takes: 1, gives: [`&${to}` as Kind] };
    if (mutable && below === to) yield { code: ['WriteRef'], takes: 2, gives: [] };
    if (to === 'S') yield* this.#fromStruct(mutable, below === top);
    if (to === 'V') yield* this.#fromVector(mutable);
    if (top === '&mut u64' && below === top)
      yield { code: [{ Call: this.#editor.callee('both') }], takes: 2, gives: [] };
  }

  *#fromStruct(mutable: boolean, twice: boolean): Iterable<Option> {
    const call = (name: string) => [{ Call: this.#editor.callee(name) }];
    for (const field of [0, 1]) {
      const index = this.#editor.field('S', field);
      yield { code: [{ ImmBorrowField: index }], takes: 1, gives: ['&u64'] };
      if (mutable) yield { code: [{ MutBorrowField: index }], takes: 1, gives: ['&mut u64'] };
    }
    if (!mutable) yield { code: call('peek'), takes: 1, gives: ['&u64'] };
    if (mutable && twice) yield { code: call('pick'), takes: 2, gives: ['&mut u64'] };
  }

  *#fromVector(mutable: boolean): Iterable<Option> {
    const elements = this.#editor.signature('U64');
    const at = { LdU64: 0n };
    yield { code: [{ VecLen: elements }], takes: 1, gives: ['u64'] };
    yield { code: [at, { VecImmBorrow: elements }], takes: 1, gives: ['&u64'] };
    if (!mutable) return;
    yield { code: [at, { VecMutBorrow: elements }], takes: 1, gives: ['&mut u64'] };
    yield { code: [at, { VecPushBack: elements }], takes: 1, gives: [] };
    yield { code: [{ VecPopBack: elements }], takes: 1, gives: ['u64'] };
  }
}
