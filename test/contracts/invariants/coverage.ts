import type { Tally } from './tally.ts';
import type { World } from './world.ts';

/** Functions that no transaction can call. The value says why. */
const outOfReach: Readonly<Record<string, string>> = {
  'wallet::wallet::uid': 'returns a reference, which a command of a transaction cannot',
};

/** Public functions that never were called in a transaction that succeeded. */
export function listUncovered({ signatures }: World, { covered }: Tally): string[] {
  return signatures.map(({ name }) => name).filter((name) => !covered.has(name) && !(name in outOfReach));
}
