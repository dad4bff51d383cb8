import { DROP, hasAbility } from '../types.ts';
import type { FunctionBody, Instruction } from './body.ts';
import type { ControlFlow } from './control-flow.ts';
import { type Analysis, analyse } from './fixpoint.ts';

/** A local holds nothing, a value, or one or the other, depending on the way that led here. */
const EMPTY = 0;
const FULL = 1;
const UNSURE = 2;

const UNAVAILABLE: Record<string, string> = {
  MoveLoc: 'MOVELOC_UNAVAILABLE_ERROR',
  CopyLoc: 'COPYLOC_UNAVAILABLE_ERROR',
  ImmBorrowLoc: 'BORROWLOC_UNAVAILABLE_ERROR',
  MutBorrowLoc: 'BORROWLOC_UNAVAILABLE_ERROR',
};

/**
 * Locals safety:
 *
 * - MOVELOC_, COPYLOC_ and BORROWLOC_UNAVAILABLE_ERROR: only a local that certainly holds a value is read;
 * - STLOC_UNSAFE_TO_DESTROY_ERROR: no value without `drop` is overwritten;
 * - UNSAFE_RET_UNUSED_VALUES_WITHOUT_DROP: none is left in a local at a return.
 */
export function checkLocals(body: FunctionBody, flow: ControlFlow): void {
  const types = body.fn.locals;
  const droppable = types.map((type) => hasAbility(type, DROP));
  const initial = new Uint8Array(types.length).fill(FULL, 0, body.fn.parameters.length);

  const analysis: Analysis<Uint8Array> = {
    initial,
    copy(state) {
      body.meter.charge(state.length);
      return state.slice();
    },
    step(state, { name, operand }: Instruction, pc) {
      const local = Number(operand);
      const unavailable = UNAVAILABLE[name];
      if (unavailable !== undefined && state[local] !== FULL) {
        throw body.error(unavailable, pc, `local ${local} may have no value`);
      }
      if (name === 'MoveLoc') state[local] = EMPTY;
      if (name === 'StLoc') {
        if (state[local] !== EMPTY && !droppable[local]) {
          throw body.error(
            'STLOC_UNSAFE_TO_DESTROY_ERROR',
            pc,
            `local ${local} would lose a value without drop`,
          );
        }
        state[local] = FULL;
      }
      if (name !== 'Ret') return;
      const kept = droppable.findIndex((drop, i) => !drop && state[i] !== EMPTY);
      if (kept < 0) return;
      const detail = `local ${kept} holds a value that cannot be dropped`;
      throw body.error('UNSAFE_RET_UNUSED_VALUES_WITHOUT_DROP', pc, detail);
    },
    join(state, other) {
      body.meter.charge(state.length);
      let changed = false;
      for (let i = 0; i < state.length; i += 1) {
        if (state[i] === other[i] || state[i] === UNSURE) continue;
        state[i] = UNSURE;
        changed = true;
      }
      return changed;
    },
  };
  analyse(body, flow, analysis);
}
