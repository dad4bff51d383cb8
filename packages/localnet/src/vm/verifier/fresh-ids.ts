import { suiVerificationError } from '../errors.ts';
import { SUI, SUI_SYSTEM } from '../framework.ts';
import { KEY } from '../types.ts';
import type { FunctionBody, Instruction } from './body.ts';
import type { ControlFlow } from './control-flow.ts';
import { calleeName, calleeOf, effectOf, structOf } from './effects.ts';
import { analyse } from './fixpoint.ts';

/** Functions of the framework that make a new id; each returns one value. */
const MAKE_IDS = new Set(['object::new', 'object::new_uid_from_hash', 'derived_object::claim']);

/** The framework makes the objects of these modules with ids that are known beforehand. */
const KNOWN_IDS = new Set([
  ...['clock', 'authenticator_state', 'random', 'deny_list', 'coin_registry', 'display_registry'],
  ...['accumulator', 'address_alias'],
]);

const SYSTEM_STATE = new Set(['sui_system']);

/** For each value whether it is an id that was made in this function and went nowhere else. */
interface State {
  locals: boolean[];
  stack: boolean[];
}

/**
 * Ids are never used twice: a struct with `key` is packed with an id that comes straight from `object::new`
 * or `derived_object::claim`, through locals of the same function at most.
 */
export function checkFreshIds(body: FunctionBody, flow: ControlFlow): void {
  const { module, fn } = body;
  const known = module.address === SUI ? KNOWN_IDS : module.address === SUI_SYSTEM ? SYSTEM_STATE : undefined;
  if (fn.name === 'create' && known?.has(module.name)) return;
  if (!packsObjects(body)) return;
  analyse<State>(body, flow, {
    initial: { locals: new Array<boolean>(fn.locals.length).fill(false), stack: [] },
    copy({ locals }) {
      body.meter.charge(locals.length);
      return { locals: [...locals], stack: [] };
    },
    step: (state, instruction, pc) => step(body, state, instruction, pc),
    join(state, other) {
      body.meter.charge(state.locals.length);
      const before = state.locals;
      state.locals = before.map((fresh, i) => fresh && other.locals[i]!);
      return state.locals.some((fresh, i) => fresh !== before[i]);
    },
  });
}

function packsObjects(body: FunctionBody): boolean {
  return body.instructions.some((instruction) => isObjectPack(body, instruction));
}

function isObjectPack(body: FunctionBody, { name, operand }: Instruction): boolean {
  if (name !== 'Pack' && name !== 'PackGeneric') return false;
  const { struct_defs, datatype_handles } = body.module.json;
  const { struct_handle } = struct_defs[structOf(body.module.json, name, Number(operand))]!;
  return (datatype_handles[struct_handle]!.abilities & KEY) !== 0;
}

function step(body: FunctionBody, { locals, stack }: State, instruction: Instruction, pc: number): void {
  const { name, operand } = instruction;
  const local = Number(operand);
  if (name === 'StLoc') {
    locals[local] = stack.pop()!;
    return;
  }
  if (name === 'MoveLoc') {
    stack.push(locals[local]!);
    locals[local] = false;
    return;
  }
  const [pops, pushes] = effectOf(body, instruction);
  const taken = stack.splice(stack.length - pops, pops);
  body.meter.charge(pops + pushes);
  if (isObjectPack(body, instruction) && !taken[0]) {
    throw suiVerificationError('an object is made with an id that is not new').at(body.place(pc));
  }
  const makesId = (name === 'Call' || name === 'CallGeneric') && callMakesId(body, name, local);
  for (let i = 0; i < pushes; i += 1) stack.push(makesId);
}

function callMakesId(body: FunctionBody, name: string, index: number): boolean {
  const callee = calleeName(body.module, calleeOf(body.module.json, name, index));
  return callee.address === SUI && MAKE_IDS.has(`${callee.module}::${callee.function}`);
}
