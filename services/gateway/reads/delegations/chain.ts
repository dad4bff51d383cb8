import type { GrpcTypes } from '@mysten/sui/grpc';
import { type Answer, ask, isLate } from '../../../../lib/chain/answers.ts';
import { type Cap, capTypes, decodeCap } from '../../../../lib/chain/caps.ts';
import { callOptions } from '../../../../lib/chain/client.ts';
import { type CoinReader, type CoinUnit, coinUnits } from '../../../../lib/chain/coin-units.ts';
import { nodeProblem } from '../../../../lib/chain/node/problem.ts';
import { listOwnedObjects, type OwnedObjectReader } from '../../../../lib/chain/owned-objects.ts';
import { sharedReads } from './shared-reads.ts';

interface FunctionReader {
  movePackageService: {
    getFunction(
      request: GrpcTypes.GetFunctionRequest,
      options?: ReturnType<typeof callOptions>,
    ): PromiseLike<{ response: GrpcTypes.GetFunctionResponse }>;
  };
}

/** What an address holds, as the node says. */
export interface Holdings {
  caps: Cap[];
  /** Whether the address holds more caps than were read. */
  truncated: boolean;
  /** Of the scoped caps' coins, as far as known. */
  units: Map<string, CoinUnit>;
  /**
   * Whether the wallet package refuses a spend to which no caveat applies, as one does that has caveats of single
   * auth rules; the earlier kind lets it through.
   */
  caveatsRequired: boolean;
}

/** What the delegations of one network are read from beside the read model. */
export interface CapChain {
  /**
   * What an address holds now.
   * @throws ProblemError 502 or 504 where the node does not say, 503 where too many addresses are asked for
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
  let required: boolean | undefined;
  const units = coinUnits(client);

  async function list(kind: Cap['kind'], owner: string) {
    const type = `${walletPackageId}::${capTypes[kind]}`;
    const answer = await listOwnedObjects(client, { owner, type, pagesMax, timeoutMs });
    const { contents, truncated } = foundOf(answer);
    return { caps: contents.map((bytes) => decodeCap(kind, bytes)), truncated };
  }

  async function caveatsRequired(): Promise<boolean> {
    if (required !== undefined) return required;
    const request = { packageId: walletPackageId, moduleName: 'policy', name: 'add_caveat_rule_for' };
    const answer = await ask(client.movePackageService.getFunction(request, callOptions(timeoutMs)));
    required = answer.status === 'absent' ? false : Boolean(foundOf(answer));
    return required;
  }

  const holdingsOf = sharedReads(bounds, async (owner): Promise<Holdings> => {
    const [bearer, scoped, caveats] = await Promise.all([
      list('bearer', owner),
      list('scoped', owner),
      caveatsRequired(),
    ]);
    const caps = [...bearer.caps, ...scoped.caps];
    const coins = caps.flatMap((cap) => (cap.kind === 'scoped' ? [cap.coin] : []));
    return {
      caps,
      truncated: bearer.truncated || scoped.truncated,
      units: await units.read(coins),
      caveatsRequired: caveats,
    };
  });
  return { holdingsOf };
}

function foundOf<T>(answer: Answer<T>): T {
  if (answer.status === 'found') return answer.value;
  throw nodeProblem(isLate(answer));
}
