import {
  ask,
  type CoinReader,
  type CoinUnit,
  callOptions,
  coinUnits,
  foundOf,
  listOwnedObjects,
  NodeError,
  type OwnedObjectReader,
} from '@adaptor-marketplace/adaptor/chain';
import type { GrpcTypes } from '@mysten/sui/grpc';
import { type Cap, capTypes, decodeCap } from '../../../lib/chain/caps.ts';
import { sharedReads } from '../concurrency/shared-work.ts';

interface FunctionReader {
  movePackageService: {
    getFunction(
      request: GrpcTypes.GetFunctionRequest,
      options?: ReturnType<typeof callOptions>,
    ): PromiseLike<{ response: GrpcTypes.GetFunctionResponse }>;
  };
}

/** What an address holds, as the node says. */
interface Holdings {
  caps: Cap[];
  /** Whether the address holds more caps than were read. */
  truncated: boolean;
  /** Of the scoped caps' coins, as far as known. */
  units: Map<string, CoinUnit>;
  guards: SpendGuards;
}

/** What the wallet package itself holds spends to. The earlier kind of package, which is deployed, has neither. */
export interface SpendGuards {
  /** It refuses a spend to which no caveat applies, as one does that has caveats of single auth rules. */
  caveatsRequired: boolean;
  /**
   * It hands the coin of a spend to the transaction (`confirm_spend_into`) only where the owner allowed that. Without
   * this guard the recipient is declared and never checked, whatever the policy asks for.
   */
  spendIntoGuarded: boolean;
}

/** Functions of `policy` by which a package that has the guard is known. */
const guardFunctions = {
  caveatsRequired: 'add_caveat_rule_for',
  spendIntoGuarded: 'set_spend_into',
} as const;

/** What the delegations of one network are read from beside the read model. */
export interface CapChain {
  /**
   * What an address holds now.
   * @throws NodeError where the node does not say, ProblemError 503 where too many addresses are asked for
   */
  holdingsOf(owner: string): Promise<Holdings>;
}

/** Of each kind of cap: 400 of them. */
const pagesMax = 2;
const timeoutMs = 5_000;
/** Strangers choose the addresses, so what the node is asked for all of them is bounded. */
const bounds = { running: 32, waiting: 256, waitMs: 2_000 };

export function capChain(
  client: OwnedObjectReader & CoinReader & FunctionReader,
  walletPackageId: string,
): CapChain {
  let known: SpendGuards | undefined;
  const units = coinUnits(client);

  async function list(kind: Cap['kind'], owner: string) {
    const type = `${walletPackageId}::${capTypes[kind]}`;
    const answer = await listOwnedObjects(client, { owner, type, pagesMax, timeoutMs });
    const found = foundOf(answer);
    if (!found) throw new NodeError(false);
    const caps = found.objects.map(({ contents }) => decodeCap(kind, contents));
    return { caps, truncated: found.truncated };
  }

  /** Of the package as first published: its functions can be called for as long as the chain is there. */
  async function hasFunction(name: string): Promise<boolean> {
    const request = { packageId: walletPackageId, moduleName: 'policy', name };
    const answer = await ask(client.movePackageService.getFunction(request, callOptions(timeoutMs)));
    return Boolean(foundOf(answer));
  }

  async function guardsOf(): Promise<SpendGuards> {
    if (known) return known;
    const [caveatsRequired, spendIntoGuarded] = await Promise.all([
      hasFunction(guardFunctions.caveatsRequired),
      hasFunction(guardFunctions.spendIntoGuarded),
    ]);
    known = { caveatsRequired, spendIntoGuarded };
    return known;
  }

  const holdingsOf = sharedReads(bounds, async (owner): Promise<Holdings> => {
    const [bearer, scoped, guards] = await Promise.all([
      list('bearer', owner),
      list('scoped', owner),
      guardsOf(),
    ]);
    const caps = [...bearer.caps, ...scoped.caps];
    const coins = caps.flatMap((cap) => (cap.kind === 'scoped' ? [cap.coin] : []));
    return {
      caps,
      truncated: bearer.truncated || scoped.truncated,
      units: await units.read(coins),
      guards,
    };
  });
  return { holdingsOf };
}
