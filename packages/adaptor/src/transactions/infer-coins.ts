import type { Parameter } from '../chain/functions.ts';
import type { StepSpec } from '../manifest/call-spec.ts';
import { bindTypes, type ReadOriginalId } from './bind-types.ts';

/** Coins of an op that the types of its fixed objects settle; undefined where the caller chooses, or the function fixes them. */
export interface SettledCoins {
  /** Coin that leaves the wallet. */
  coinIn: string | undefined;
  /** Coin that enters the wallet. */
  coinOut: string | undefined;
}

/** A call of an op, with the parameters of its function. */
interface CallParameters {
  spec: Pick<StepSpec, 'typeArgs' | 'args'>;
  /** One for each argument of the call. */
  parameters: readonly Parameter[];
}

/**
 * Infers the coins of an op from the types of the objects that its calls fix: a `Vault<SUI, SHARE>` settles the coins of a
 * function that takes a `&mut Vault<T0, T1>`. Each coin must be the same in all calls; `why` is a sentence if it is not.
 * @param findType returns the type of a fixed object; undefined if it is not known, so that it settles nothing
 * @param readOriginalId is called where a parameter and an object name a type by different packages
 */
export async function inferCoins(
  calls: readonly CallParameters[],
  findType: (objectId: string) => string | undefined,
  readOriginalId: ReadOriginalId,
): Promise<SettledCoins | { why: string }> {
  const coins: SettledCoins = { coinIn: undefined, coinOut: undefined };
  for (const { spec, parameters } of calls) {
    const bound = new Map<number, string>();
    for (const [index, argument] of spec.args.entries()) {
      const type = argument.role === 'object' ? findType(argument.objectId) : undefined;
      if (type !== undefined) await bindTypes(parameters[index]!, type, bound, readOriginalId);
    }
    for (const [index, side] of spec.typeArgs.entries()) {
      const coin = bound.get(index);
      if ((side !== 'coinIn' && side !== 'coinOut') || coin === undefined) continue;
      coins[side] ??= coin;
      if (coins[side] !== coin) return { why: `Its objects are for ${coins[side]} and for ${coin}.` };
    }
  }
  return coins;
}
