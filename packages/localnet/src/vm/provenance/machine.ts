import type { LinkedFunction } from '../code/linkage.ts';
import type { LoadedFunction } from '../loader/module.ts';
import type { Meter } from '../meter.ts';
import { type Callee, type Frame, Machine, type Native, type Step } from '../runtime/machine.ts';
import type { Session } from '../runtime/session.ts';
import type { Type } from '../types.ts';
import type { Value } from '../values.ts';
import { beginMove } from './balances.ts';
import { findReturning, targetsAt } from './control.ts';
import { carryNative } from './natives.ts';
import { makeCarry } from './steps.ts';
import { type Execution, Trace } from './trace.ts';

interface Observer {
  /** Says for a call that is not within an observed one if it is observed. */
  isObserved(fn: LoadedFunction): boolean;
  /** May change scalars among the arguments before the call. */
  prepare?(frame: Frame): void;
  record(execution: Execution): void;
}

/**
 * Runs functions as the machine does, and carries what each value comes from beside the values. The machine knows
 * nothing of it: the instructions of the functions are wrapped.
 */
export class ProvenanceMachine extends Machine {
  trace: Trace | undefined;
  readonly observer: Observer;

  constructor(meter: Meter, session: Session, observer: Observer) {
    super(meter, session);
    this.observer = observer;
  }

  override run(callee: LinkedFunction, typeArgs: readonly Type[], args: Value[]): Value[] {
    try {
      return super.run(trackedCallee(callee), typeArgs, args);
    } finally {
      // A call that is still observed here aborted.
      if (this.trace) this.#end(undefined);
    }
  }

  /** Called before the first instruction of each function. */
  enter(frame: Frame): void {
    if (this.trace) {
      this.trace.memory.setLabels(frame.locals, this.trace.pending);
      beginMove(this.trace, frame);
      return;
    }
    const { fn } = frame.callee as TrackedCallee;
    if (!this.observer.isObserved(fn)) return;
    this.observer.prepare?.(frame);
    this.trace = new Trace(frame, this.stack.length);
    beginMove(this.trace, frame);
  }

  /** Called before each return. */
  leave(frame: Frame): void {
    if (frame !== this.trace?.root) return;
    const { length } = frame.callee.fn.returns;
    this.#end(length === 0 ? [] : this.stack.slice(-length));
  }

  #end(results: Value[] | undefined): void {
    const execution = this.trace!.finish(results);
    this.trace = undefined;
    this.observer.record(execution);
  }
}

const findTrace = (machine: Machine) => (machine as ProvenanceMachine).trace;

/** A function whose instructions carry labels. */
class TrackedCallee implements Callee {
  readonly fn: LoadedFunction;
  readonly linked: { callee(handle: number): TrackedCallee };
  readonly #callee: LinkedFunction;
  #native: Native | undefined;

  constructor(callee: LinkedFunction) {
    this.#callee = callee;
    this.fn = callee.fn;
    this.linked = { callee: (handle) => trackedCallee(callee.linked.callee(handle)) };
  }

  get code(): Step[] {
    let steps = trackedSteps.get(this.fn);
    if (steps === undefined) {
      steps = this.fn.isNative ? [] : trackSteps(this.fn, this.#callee.code);
      trackedSteps.set(this.fn, steps);
    }
    return steps;
  }

  get native(): Native | undefined {
    const { native, fn } = this.#callee;
    if (native === undefined) return undefined;
    this.#native ??= carryNative(`${fn.module.address}::${fn.module.name}::${fn.name}`, native, findTrace);
    return this.#native;
  }
}

const trackedSteps = new WeakMap<LoadedFunction, Step[]>();
const tracked = new WeakMap<LinkedFunction, TrackedCallee>();

function trackedCallee(callee: LinkedFunction): TrackedCallee {
  let known = tracked.get(callee);
  if (known === undefined) {
    known = new TrackedCallee(callee);
    tracked.set(callee, known);
  }
  return known;
}

function trackSteps(fn: LoadedFunction, steps: Step[]): Step[] {
  const code = fn.definition.code!;
  const isLoop = steps.some((_, pc) => targetsAt(code, pc).includes(0));
  const returning = findReturning(code);
  return steps.map((step, pc): Step => {
    const carry = makeCarry(fn, code, pc);
    const carried: Step = (machine, frame) => {
      const trace = findTrace(machine);
      if (!trace) {
        step(machine, frame);
        return;
      }
      trace.steps += 1;
      if (!returning[pc]) trace.doom();
      carry(trace, machine, frame, step);
    };
    const wrapped = code.code[pc] === 'Ret' ? withReturn(carried) : carried;
    return pc === 0 ? withEntry(wrapped, isLoop) : wrapped;
  });
}

const entered = new WeakSet<Frame>();

/** @param isLoop true if the code can come back to its first instruction */
const withEntry =
  (step: Step, isLoop: boolean): Step =>
  (machine, frame) => {
    if (!isLoop || !entered.has(frame)) (machine as ProvenanceMachine).enter(frame);
    if (isLoop) entered.add(frame);
    step(machine, frame);
  };

const withReturn =
  (step: Step): Step =>
  (machine, frame) => {
    (machine as ProvenanceMachine).leave(frame);
    step(machine, frame);
  };
