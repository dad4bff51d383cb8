import { execute } from './account.ts';
import type { Cast } from './cast.ts';
import { milliSui, SUI } from './coins.ts';
import type { Core } from './core.ts';
import { createdObject, publish } from './publish.ts';

const dayMs = 86_400_000n;

/** A package and the shared object that its adaptor works on. */
export interface Venue {
  packageId: string;
  objectId: string;
}

/** A pool of SUI and dollars, three dollars a SUI. What it is worth moves with the trades. */
export async function openPool({ lagoon }: Cast, packageId: string, core: Core): Promise<Venue> {
  const { coins, poolDollars } = core;
  const opened = await execute(lagoon, (tx) => {
    const [sui] = tx.splitCoins(tx.gas, [milliSui(600_000)]);
    const shares = tx.moveCall({
      target: `${packageId}::pool::open`,
      typeArguments: [SUI, coins.dollar],
      arguments: [sui, tx.object(poolDollars), tx.pure.u64(30)],
    });
    tx.transferObjects([shares], lagoon.address);
  });
  return { packageId, objectId: createdObject(opened, `::pool::Pool<${SUI},${coins.dollar}>`) };
}

/** A vault of SUI whose shares are Reef's coin. */
export async function openVault({ reef }: Cast, packageId: string, core: Core): Promise<Venue> {
  const opened = await execute(reef, (tx) => {
    const [seed] = tx.splitCoins(tx.gas, [milliSui(1)]);
    tx.moveCall({
      target: `${packageId}::vault::create`,
      typeArguments: [SUI, core.coins.reefSui],
      arguments: [tx.object(core.treasuries.reefSui), seed],
    });
  });
  return { packageId, objectId: createdObject(opened, `::vault::Vault<${SUI},${core.coins.reefSui}>`) };
}

/** The tip jar and the term savings, which are their own adaptors: published, opened, and the reserve funded. */
export async function openJarAndSavings(
  { harbour }: Cast,
  { wallet }: Core,
): Promise<{ jar: Venue; savings: Venue }> {
  const jarPackage = (await publish(harbour, 'adaptors/tip_jar', { wallet })).packageId;
  const savingsPackage = (await publish(harbour, 'adaptors/term_savings', { wallet })).packageId;
  const opened = await execute(harbour, (tx) => {
    tx.moveCall({ target: `${jarPackage}::tip_jar::open` });
    tx.moveCall({
      target: `${savingsPackage}::term_savings::create`,
      arguments: [tx.pure.u64(30n * dayMs), tx.pure.u64(200n)],
    });
  });
  const jar = { packageId: jarPackage, objectId: createdObject(opened, '::tip_jar::Jar') };
  const savings = { packageId: savingsPackage, objectId: createdObject(opened, '::term_savings::Savings') };
  await execute(harbour, (tx) => {
    const [reserve] = tx.splitCoins(tx.gas, [milliSui(10_000)]);
    tx.moveCall({
      target: `${savingsPackage}::term_savings::fund`,
      arguments: [tx.object(savings.objectId), reserve],
    });
  });
  return { jar, savings };
}

/** Gives the vault's depositors a yield. */
export async function addYield({ reef }: Cast, vault: Venue, { coins }: Core): Promise<void> {
  await execute(reef, (tx) => {
    const [earned] = tx.splitCoins(tx.gas, [milliSui(500)]);
    tx.moveCall({
      target: `${vault.packageId}::vault::add_yield`,
      typeArguments: [SUI, coins.reefSui],
      arguments: [tx.object(vault.objectId), earned],
    });
  });
}
