import { type CodeJson, instructionParts } from '@adaptor-marketplace/move-bytecode';
import { type VerificationError, verificationError } from '../errors.ts';
import type { LoadedFunction, LoadedModule } from '../loader/module.ts';
import type { VerifierMeter } from '../meter.ts';

export interface Instruction {
  name: string;
  operand: unknown;
}

/** A function's code in the form that the passes read. */
export class FunctionBody {
  readonly fn: LoadedFunction;
  readonly module: LoadedModule;
  readonly code: CodeJson;
  readonly instructions: readonly Instruction[];
  readonly meter: VerifierMeter;

  constructor(fn: LoadedFunction, code: CodeJson, meter: VerifierMeter) {
    this.fn = fn;
    this.module = fn.module;
    this.code = code;
    this.meter = meter;
    this.instructions = code.code.map((instruction) => {
      const [name, operand] = instructionParts(instruction);
      return { name, operand };
    });
    meter.charge(this.instructions.length);
  }

  /** `module::function`, or the place of one instruction in it. */
  place(pc?: number): string {
    const name = `${this.module.name}::${this.fn.name}`;
    return pc === undefined ? name : `${name} at ${pc}`;
  }

  error(status: string, pc: number, detail: string): VerificationError {
    return verificationError(status, detail).at(this.place(pc));
  }
}
