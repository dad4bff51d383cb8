import type { FunctionBody, Instruction } from './body.ts';
import { BorrowState } from './borrow-state.ts';
import type { ControlFlow } from './control-flow.ts';
import { effectOf } from './effects.ts';
import { analyse } from './fixpoint.ts';
import {
  type Refuse,
  stepCall,
  stepFields,
  stepLocal,
  stepReturn,
  stepThrough,
  stepVector,
} from './reference-steps.ts';

/**
 * Reference safety, as the chain's borrow checker proves it on a graph of which reference was made from which:
 *
 * - COPYLOC_EXISTS_BORROW_ERROR: a local is not copied while a mutable reference to it or into it is alive;
 * - MOVELOC_EXISTS_BORROW_ERROR: a borrowed local is not moved; STLOC_UNSAFE_TO_DESTROY_ERROR: nor overwritten;
 * - BORROWLOC_EXISTS_BORROW_ERROR: a mutably borrowed local is not borrowed immutably;
 * - FIELD_EXISTS_MUTABLE_BORROW_ERROR: a field is not borrowed while its struct is, in a way that could meet;
 * - READREF_EXISTS_MUTABLE_BORROW_ERROR: nothing is read or compared while a mutable reference to it is alive;
 * - WRITEREF_EXISTS_BORROW_ERROR: nothing is written while another reference to it or into it is alive;
 * - FREEZEREF_EXISTS_MUTABLE_BORROW_ERROR: nothing is frozen while another mutable reference to it is alive;
 * - VEC_UPDATE_EXISTS_MUTABLE_BORROW_ERROR, VEC_BORROW_ELEMENT_EXISTS_MUTABLE_BORROW_ERROR: a vector is neither
 *   changed nor mutably borrowed from while a reference into it is alive;
 * - CALL_BORROWED_MUTABLE_REFERENCE_ERROR: a mutable argument has no other reference to it or into it;
 * - UNSAFE_RET_LOCAL_OR_RESOURCE_STILL_BORROWED: no reference to a local leaves the function;
 * - RET_BORROWED_MUTABLE_REFERENCE_ERROR: a returned mutable reference has no other one to it or into it.
 *
 * What a call returns may be made from any of its reference arguments, a mutable one from the mutable ones.
 */
export function checkReferences(body: FunctionBody, flow: ControlFlow): void {
  const { fn, meter } = body;
  const parameters = fn.parameters.map((type) => (type.kind === 'reference' ? type.mutable : undefined));
  analyse(body, flow, {
    initial: BorrowState.begin(parameters, fn.locals.length, meter),
    copy: (state) => state.copy(),
    step: (state, instruction, pc) => step(body, state, instruction, pc),
    settle: (state) => state.settle(),
    join: (state, other) => state.join(other),
  });
}

function step(body: FunctionBody, state: BorrowState, instruction: Instruction, pc: number): void {
  const { name, operand } = instruction;
  const { stack } = state;
  const refuse: Refuse = (status, detail) => {
    throw body.error(status, pc, detail);
  };
  switch (name) {
    case 'Pop':
    case 'VariantSwitch':
      state.release(stack.pop());
      return;
    case 'CopyLoc':
    case 'MoveLoc':
    case 'StLoc':
      stepLocal(state, name, Number(operand), refuse);
      return;
    case 'ImmBorrowLoc':
      if (state.isLocalMutablyBorrowed(Number(operand))) {
        refuse('BORROWLOC_EXISTS_BORROW_ERROR', `local ${operand} is mutably borrowed`);
      }
      stack.push(state.borrowLocal(Number(operand), false));
      return;
    case 'MutBorrowLoc':
      if (state.isFrameBorrowed())
        refuse('BORROWLOC_EXISTS_BORROW_ERROR', `local ${operand} may be borrowed`);
      stack.push(state.borrowLocal(Number(operand), true));
      return;
    case 'ImmBorrowField':
    case 'MutBorrowField':
    case 'ImmBorrowFieldGeneric':
    case 'MutBorrowFieldGeneric':
    case 'UnpackVariantImmRef':
    case 'UnpackVariantMutRef':
    case 'UnpackVariantGenericImmRef':
    case 'UnpackVariantGenericMutRef':
      stepFields(body, state, instruction, refuse);
      return;
    case 'FreezeRef':
    case 'ReadRef':
    case 'WriteRef':
    case 'Eq':
    case 'Neq':
      stepThrough(state, name, refuse);
      return;
    case 'VecLen':
    case 'VecImmBorrow':
    case 'VecMutBorrow':
    case 'VecPushBack':
    case 'VecPopBack':
    case 'VecSwap':
      stepVector(state, name, refuse);
      return;
    case 'Call':
    case 'CallGeneric':
      stepCall(body, state, instruction, refuse);
      return;
    case 'Ret':
      stepReturn(body, state, refuse);
      return;
    default: {
      // No other instruction takes or makes references.
      const [pops, pushes] = effectOf(body, instruction);
      stack.length -= pops;
      for (let i = 0; i < pushes; i += 1) stack.push(undefined);
      body.meter.charge(pops + pushes);
    }
  }
}
