import { type HeldUpdate, readHeldUpdates } from '../../../db/queries/agent/updates.ts';
import type { CatalogEntry } from '../../../db/queries/catalog/entry-schema.ts';
import type { FunctionChanges } from '../../../db/queries/claim-changes.ts';
import type { Queryable } from '../../../db/queries/queryable.ts';

type Listing = Pick<CatalogEntry, 'serviceType' | 'publisher' | 'version'>;

/**
 * Returns for each listing the reason why the wallet's runs must not call it: after an update, its code may do more than
 * before or is not compared yet, and neither the owner nor the operator confirmed it. Undefined if it may be called.
 */
export async function describeHeldUpdates(
  db: Queryable,
  wallet: { network: string; walletId: string },
  listings: readonly (Listing | undefined)[],
): Promise<(string | undefined)[]> {
  const called = listings.filter((listing) => listing !== undefined);
  const held = new Map(
    (await readHeldUpdates(db, wallet, called)).map((update, index) => [called[index], update]),
  );
  return listings.map((listing) => {
    const update = held.get(listing);
    return listing && update && describeHeldUpdate(listing, update);
  });
}

/** Maximum number of sentences in a refusal. */
const sentencesMax = 3;

const howToConfirm =
  "with a session of the wallet's owner (POST /api/agent/updates), or ask the operator to confirm it for all wallets.";

function describeHeldUpdate({ serviceType, version }: Listing, update: HeldUpdate): string {
  if (update.state === 'pending') {
    return (
      `Version ${update.version} of ${serviceType} is not compared with the one before it yet. Nothing was signed. ` +
      `Send the request again in some seconds, or confirm version ${version} ${howToConfirm}`
    );
  }
  const wider = update.functions.flatMap(({ sentences, packages, reason }) => [
    ...(reason === null ? [] : [reason]),
    ...sentences.filter(({ widens }) => widens).map(({ text }) => namePackages(text, packages)),
  ]);
  return (
    `Version ${update.version} of ${serviceType} may do more than the one before it: ${wider.slice(0, sentencesMax).join(' ')} ` +
    `Nothing was signed. Read all of it (GET /api/adaptors/${serviceType}/certificate/changes), then confirm version ${version} ` +
    howToConfirm
  );
}

/** Names packages by their ids. */
const namePackages = (text: string, packages: FunctionChanges['packages']): string =>
  packages.reduce((named, { name, version }) => named.replaceAll(`${name}::`, `${version.id}::`), text);
