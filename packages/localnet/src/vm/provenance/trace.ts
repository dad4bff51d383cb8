import type { Frame } from '../runtime/machine.ts';
import { substitute, type Type } from '../types.ts';
import { Ref, type Value } from '../values.ts';
import { type Child, Ends, type Flow } from './ends.ts';
import { contextLabels, isContext, Memory, type Site } from './memory.ts';
import { type Label, noAtoms, Place } from './place.ts';

/**
 * Everything that one call of a function did. A call that aborted has no flows, and its observation ends where it could not
 * return any more: the abort undoes the rest, which decides nothing.
 */
export interface Execution {
  /** `0x<original id>::module`. */
  module: string;
  function: string;
  typeArguments: readonly Type[];
  parameters: readonly Type[];
  aborted: boolean;
  flows: readonly Flow[];
  reads: ReadonlyMap<Place, Site>;
  writes: ReadonlyMap<Place, Site>;
  /** Values that decided an explicit abort. */
  gate: { on: Label; site: Site } | undefined;
  /** Origins of amounts that were split off or minted. */
  amounts: ReadonlyMap<Label, Site>;
  recipients: ReadonlyMap<Label, Site>;
  /** Instructions that ran. */
  steps: number;
}

/** One observed call while it runs. */
export class Trace {
  readonly memory = new Memory();
  readonly ends = new Ends(this.memory);
  readonly root: Frame;
  readonly reads = new Map<Place, Site>();
  readonly writes = new Map<Place, Site>();
  readonly amounts = new Map<Label, Site>();
  readonly recipients = new Map<Label, Site>();
  /** By id. */
  readonly children = new Map<string, Child>();
  /** Keys of dynamic fields, by the id of the field. */
  readonly keys = new Map<string, { type: Type; label: Label }>();
  /** Arguments of the call that begins next. */
  pending: Label[] = [];
  /** The call instruction that runs. */
  site: Site;
  steps = 0;
  #gate: Execution['gate'];
  #isDoomed = false;
  readonly #parameters: readonly Type[];
  readonly #arguments: readonly (Value | undefined)[];
  /** Latest branch of each frame whose other way could have returned. */
  readonly #decisive = new WeakMap<Frame, Label>();

  /** @param below number of values on the machine's stack that belong to its callers */
  constructor(root: Frame, below: number) {
    this.root = root;
    this.site = siteAt(root);
    const { parameters } = root.callee.fn;
    this.#parameters = parameters.map((type) => substitute(type, root.typeArgs));
    this.#arguments = root.locals.slice(0, parameters.length);
    for (let i = 0; i < below; i += 1) this.memory.push(noAtoms);
    const labels = this.#arguments.map((value, i) => this.#begin(value, this.#parameters[i]!, i));
    this.memory.setLabels(root.locals, labels);
  }

  #begin(value: Value | undefined, type: Type, parameter: number): Label {
    if (type.kind !== 'reference' || !(value instanceof Ref)) {
      return this.memory.begin(value, new Place(parameter, type));
    }
    if (isContext(type.to)) {
      const context = value.read();
      if (typeof context === 'object' && 'fields' in context)
        this.memory.setLabels(context.fields, contextLabels);
      return noAtoms;
    }
    const place = new Place(parameter, type.to);
    this.memory.setPlace(value, place);
    this.memory.setCell(value.cells, value.index, this.memory.begin(value.read(), place));
    return noAtoms;
  }

  /** Ends the observation of what the call touches: one of its functions cannot return any more. */
  doom(): void {
    this.#isDoomed = true;
  }

  read(place: Place | undefined, site: Site): void {
    if (place && !this.#isDoomed && !this.reads.has(place)) this.reads.set(place, site);
  }

  write(place: Place | undefined, site: Site): void {
    if (place && !this.#isDoomed && !this.writes.has(place)) this.writes.set(place, site);
  }

  noteAmount(label: Label, site: Site): void {
    if (!this.#isDoomed) this.amounts.set(label, site);
  }

  noteRecipient(label: Label, site: Site): void {
    if (!this.#isDoomed) this.recipients.set(label, site);
  }

  /** Notes a branch whose other way could have returned. */
  decide(frame: Frame, on: Label): void {
    this.#decisive.set(frame, on);
  }

  abort(frame: Frame): void {
    for (let at: Frame | undefined = frame; at; at = at === this.root ? undefined : at.caller) {
      const on = this.#decisive.get(at);
      if (!on) continue;
      this.#gate = { on, site: siteAt(frame) };
      return;
    }
  }

  /** @param results undefined if the call aborted */
  finish(results: readonly Value[] | undefined): Execution {
    if (results) this.#findEnds(results);
    const { fn } = this.root.callee;
    const { reads, writes, amounts, recipients, steps } = this;
    return {
      module: `${fn.module.address}::${fn.module.name}`,
      function: fn.name,
      typeArguments: this.root.typeArgs,
      parameters: this.#parameters,
      aborted: results === undefined,
      flows: results ? this.ends.flows : [],
      reads,
      writes,
      gate: this.#gate,
      amounts,
      recipients,
      steps,
    };
  }

  #findEnds(results: readonly Value[]): void {
    const { fn } = this.root.callee;
    const site = siteAt(this.root);
    for (const [i, value] of this.#arguments.entries()) {
      const type = this.#parameters[i]!;
      if (!(value instanceof Ref) || type.kind !== 'reference' || !type.mutable) continue;
      const place = this.memory.place(value);
      if (place) this.ends.walk(place.type, value.read(), place, site);
    }
    for (const [index, value] of results.entries()) {
      const type = substitute(fn.returns[index]!, this.root.typeArgs);
      this.ends.walk(type, value, { kind: 'returned', index }, site);
    }
    this.ends.walkChildren(this.children);
  }
}

/** The instruction that runs in a frame. */
export function siteAt({ callee: { fn }, pc }: Frame): Site {
  return { module: `${fn.module.address}::${fn.module.name}`, function: fn.name, offset: pc - 1 };
}
