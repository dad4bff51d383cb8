import {
  type CoinReader,
  type CoinUnit,
  coinUnits,
  type FunctionClient,
  listOwnedObjects,
  NodeUnavailableError,
  type ObjectBatchReader,
  type OwnedObjectReader,
  readFunction,
  unwrapAnswer,
} from '@adaptor-marketplace/adaptor/chain';
import { type Cap, capTypes, decodeCap } from '../../../lib/chain/caps.ts';
import { readHeldCaps } from '../../../lib/chain/held-caps.ts';
import { shareReads } from '../concurrency/shared-work.ts';

/** Caps of an address, as the node returns them. */
interface CapHoldings {
  caps: Cap[];
  /** `true` if the address holds more caps than were read. */
  truncated: boolean;
  /** Units of the scoped caps' coins by coin type, where known. */
  units: Map<string, CoinUnit>;
  guards: SpendGuards;
}

/** Guards of a spend in the wallet package itself. The earlier version, which is deployed, has neither. */
export interface SpendGuards {
  /** `true` if the package refuses a spend without a caveat. A package with caveats of single auth rules does. */
  caveatsRequired: boolean;
  /**
   * `true` if the package hands the coin of a spend to the transaction (`confirm_spend_into`) only if the owner allowed
   * that. Without this guard the recipient is declared and never checked, whatever the policy requires.
   */
  spendIntoGuarded: boolean;
}

/** Finds the ids of active caps that were minted for an address, in the order in which to read them. */
type FindMinted = (query: {
  recipient: string;
  walletId: string | undefined;
  limit: number;
}) => Promise<string[]>;

/** Reader of caps from the node of one network. The read model does not have their holders. */
export interface CapChain {
  /** Reads the caps of an address, of all wallets or of one. @throws NodeUnavailableError, ProblemError 503 */
  fetchHoldings(owner: string, walletId?: string): Promise<CapHoldings>;
}

/** Highest number of pages for each kind of cap: 400 caps. */
const pagesMax = 2;
/** Highest number of caps that are read by their ids, behind those that strangers sent. */
const mintedMax = 200;
const timeoutMs = 5_000;
/** Bounds of the node requests for all addresses together: strangers choose the addresses. */
const bounds = { running: 32, waiting: 256, waitMs: 2_000 };

export function openCapChain(
  client: OwnedObjectReader & ObjectBatchReader & CoinReader & FunctionClient,
  walletPackageId: string,
  findMinted: FindMinted,
): CapChain {
  let guards: SpendGuards | undefined;
  const units = coinUnits(client);

  async function fetchCaps(kind: Cap['kind'], owner: string) {
    const type = `${walletPackageId}::${capTypes[kind]}`;
    const owned = unwrapAnswer(await listOwnedObjects(client, { owner, type, pagesMax, timeoutMs }));
    if (!owned) throw new NodeUnavailableError(false);
    const caps = owned.objects.map(({ contents }) => decodeCap(kind, contents));
    return { caps, truncated: owned.truncated };
  }

  /** `true` if the package as first published has the function, which can be called as long as the chain exists. */
  async function hasFunction(name: string): Promise<boolean> {
    const request = { packageId: walletPackageId, moduleName: 'policy', name };
    return Boolean(unwrapAnswer(await readFunction(client, request)));
  }

  async function fetchGuards(): Promise<SpendGuards> {
    if (guards) return guards;
    // Only a package with the guards has these functions.
    const [caveatsRequired, spendIntoGuarded] = await Promise.all([
      hasFunction('add_caveat_rule_for'),
      hasFunction('set_spend_into'),
    ]);
    guards = { caveatsRequired, spendIntoGuarded };
    return guards;
  }

  const shared = shareReads(bounds, async (key): Promise<CapHoldings> => {
    const [owner = '', walletId] = key.split(' ');
    const [bearer, scoped, guards] = await Promise.all([
      fetchCaps('bearer', owner),
      fetchCaps('scoped', owner),
      fetchGuards(),
    ]);
    const truncated = bearer.truncated || scoped.truncated;
    // Anyone can send an address any number of caps. Those that the index knows are not lost behind them.
    const ids = truncated ? await findMinted({ recipient: owner, walletId, limit: mintedMax }) : [];
    const minted = await readHeldCaps(client, { walletPackageId, holder: owner, ids, timeoutMs });
    const byId = new Map([...minted, ...bearer.caps, ...scoped.caps].map((cap) => [cap.id, cap]));
    const caps = [...byId.values()].filter((cap) => walletId === undefined || cap.walletId === walletId);
    const coins = caps.flatMap((cap) => (cap.kind === 'scoped' ? [cap.coin] : []));
    return { caps, truncated, units: await units.read(coins), guards };
  });
  return {
    fetchHoldings: (owner, walletId) => shared(walletId === undefined ? owner : `${owner} ${walletId}`),
  };
}
