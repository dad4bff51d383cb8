import { instructionParts } from '@adaptor-marketplace/move-bytecode';
import type { MoveType } from '../../introspect/code/move-type.ts';
import type { CodeFunction, LinkedCode } from './program.ts';

interface Call {
  callee: CodeFunction;
  typeArgs: readonly MoveType[];
}

/** The calls of a program's functions, from the instructions alone. Calls of code that was not read are left out. */
export class Calls {
  readonly #code: LinkedCode;
  readonly #known = new Map<string, readonly Call[]>();

  constructor(code: LinkedCode) {
    this.#code = code;
  }

  list(fn: CodeFunction): readonly Call[] {
    const known = this.#known.get(fn.key);
    if (known) return known;
    const found = this.#read(fn);
    this.#known.set(fn.key, found);
    return found;
  }

  #read({ module, index }: CodeFunction): Call[] {
    return (module.functions[index]!.code?.code ?? []).flatMap((instruction): Call[] => {
      const [name, operand] = instructionParts(instruction);
      if (name !== 'Call' && name !== 'CallGeneric') return [];
      const { handle, typeArgs } = module.callee(name, Number(operand));
      const callee = this.#code.find(handle);
      return callee ? [{ callee, typeArgs }] : [];
    });
  }

  /** A function and all that it calls, directly or not. */
  *reach(start: CodeFunction): Iterable<CodeFunction> {
    const reached = new Map([[start.key, start]]);
    for (const fn of reached.values()) {
      yield fn;
      for (const { callee } of this.list(fn)) reached.set(callee.key, callee);
    }
  }

  /** Returns a test for functions that are or lead to an accepted one. */
  leadingTo(accepts: (fn: CodeFunction) => boolean): (fn: CodeFunction) => boolean {
    const known = new Map<string, boolean>();
    return (start) => {
      const answer = known.get(start.key);
      if (answer !== undefined) return answer;
      const passed: string[] = [];
      for (const fn of this.reach(start)) {
        passed.push(fn.key);
        if (!(known.get(fn.key) ?? accepts(fn))) continue;
        known.set(start.key, true);
        return true;
      }
      for (const key of passed) known.set(key, false);
      return false;
    };
  }
}
