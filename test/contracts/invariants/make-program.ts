import type { Tape } from '../../support/tape.ts';
import { type Program, ProgramBuilder } from './program.ts';
import { type Recipe, recipes } from './recipes.ts';
import type { View } from './view.ts';
import type { World } from './world.ts';

const callsMax = 4;

/** Makes a transaction of a recipe. One in four is disturbed, and one in eight is made of any calls. */
export function makeProgram(tape: Tape, world: World, view: View, knownIds: readonly string[]): Program {
  const recipe: Recipe =
    tape.next(8) === 7
      ? { by: tape.pick(['anyone', 'owner']), calls: pickCalls(tape, world) }
      : tape.pick(recipes);
  const calls = [...recipe.calls];
  const isDisturbed = tape.next(4) === 3;
  if (isDisturbed) disturb(tape, calls, world);
  return new ProgramBuilder(tape, world, view, knownIds).build({ by: recipe.by, calls }, isDisturbed);
}

function pickCalls(tape: Tape, { signatures }: World): string[] {
  return Array.from({ length: 1 + tape.next(callsMax) }, () => tape.pick(signatures).name);
}

function disturb(tape: Tape, calls: string[], { signatures }: World): void {
  const at = tape.next(calls.length);
  const kind = tape.next(4);
  if (kind === 0) calls.splice(at, 1);
  if (kind === 1) calls.splice(at, 0, calls[at]!);
  if (kind === 2) calls.splice(at, 0, tape.pick(signatures).name);
  if (kind === 3) calls.push(calls.shift()!);
}
