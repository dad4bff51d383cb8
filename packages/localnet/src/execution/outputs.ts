import { serializeValue } from '../vm/bcs.ts';
import { typeName } from '../vm/type-names.ts';
import type { ValueSlot } from './slots.ts';
import type { Argument, CommandOutput } from './types.ts';

/** What each command returned and changed through references: for simulations, and none of it beyond a bound. */
export class CommandOutputs {
  #bytesLeft: number;
  #outputs: CommandOutput[] = [];

  /** @param maxBytes BCS of all values together; 0 makes none. */
  constructor(maxBytes: number) {
    this.#bytesLeft = maxBytes;
  }

  /** One per command that ran; undefined when they are above the bound. */
  get all(): CommandOutput[] | undefined {
    return this.#bytesLeft > 0 ? this.#outputs : undefined;
  }

  add(results: ValueSlot[], mutated: { argument: Argument; slot: ValueSlot }[] = []): void {
    this.#outputs.push({
      returnValues: results.flatMap((slot) => this.#shown(slot)),
      mutatedByRef: mutated.flatMap(({ argument, slot }) =>
        this.#shown(slot).map((value) => ({ argument, ...value })),
      ),
    });
    if (this.#bytesLeft <= 0) this.#outputs = [];
  }

  #shown({ type, cells: [value] }: ValueSlot): { type: string; bytes: Uint8Array }[] {
    if (value === undefined || this.#bytesLeft <= 0) return [];
    const bytes = serializeValue(type, value);
    this.#bytesLeft -= bytes.length;
    return [{ type: typeName(type), bytes }];
  }
}
