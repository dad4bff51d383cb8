import { type Account, type Executed, execute } from '@adaptor-marketplace/localnet/account';
import type { Transaction } from '@mysten/sui/transactions';
import {
  addCollateral,
  createCreditPool,
  createFlashPool,
  createIssuer,
  createMoneyMarket,
  createSupplyMarket,
  sponsor,
} from './lending.ts';
import {
  type Coins,
  createdObject,
  dollars,
  milliSui,
  mintDollars,
  openShared,
  SUI,
  type Venue,
} from './publish.ts';
import {
  addStakeReward,
  createSavings,
  createStakePool,
  createVault,
  fundSavings,
  openJar,
} from './savings.ts';
import {
  addLiquidity,
  addLiquidityReward,
  createConcentratedPool,
  createPerpetualMarket,
  createPrices,
  fundHouse,
  openPool,
  type Prices,
  setPrice,
  swapAToB,
  tickAt,
} from './trading.ts';

const dayMs = 86_400_000n;

/** The prices are set once: they hold for as long as the network is used. */
const pricesMaxAgeMs = 36_500n * dayMs;
/** The price of a SUI in dollars, at every venue. */
const dollarsPerSui = 3;
/** The same in base units of both. */
export const price = dollarsPerSui / 1_000;

/** Ranges of the concentrated pool begin and end at multiples of it. */
export const tickSpacing = 60;

/** Venues of the adaptors, with the prices of the oracle. */
export interface Venues {
  prices: Prices;
  pool: Venue<'a' | 'b'>;
  vault: Venue<'asset' | 'share'>;
  flashPool: Venue<'asset' | 'share'>;
  creditPool: Venue<'asset' | 'share'>;
  moneyMarket: Venue<'asset' | 'collateral'>;
  supplyMarket: Venue<'asset'>;
  issuer: Venue<'collateral' | 'stablecoin'>;
  stakePool: Venue<'asset' | 'share'>;
  concentratedPool: Venue<'a' | 'b' | 'reward'>;
  perpetualMarket: Venue<'base' | 'quote'>;
}

/**
 * Opens one venue of each protocol and provides what its use needs: prices, the other side of trades, rewards.
 * Takes some 640 SUI of the keeper's, who owns the treasuries of the coins.
 */
export async function openVenues(
  keeper: Account,
  packages: Record<string, string>,
  coins: Coins,
): Promise<Venues> {
  const at = (folder: string) => packages[folder]!;
  const oracle = await execute(keeper, (tx) => {
    createPrices(tx, at('oracle'), { maxAgeMs: pricesMaxAgeMs, keeper: keeper.address });
  });
  const prices: Prices = {
    packageId: at('oracle'),
    objectId: createdObject(oracle, '::prices::Prices'),
    capId: createdObject(oracle, '::prices::AdminCap'),
  };
  const { created, executed } = await openShared(keeper, (tx) =>
    createAll(tx, { keeper, at, coins, prices }),
  );
  const venues = { prices, ...created };
  await execute(keeper, (tx) => fillAll(tx, { keeper, coins, venues, executed }));
  return venues;
}

interface VenueContext {
  keeper: Account;
  at: (folder: string) => string;
  coins: Coins;
  prices: Prices;
}

function createAll(tx: Transaction, { keeper, at, coins, prices }: VenueContext) {
  const { types, treasuries } = coins;
  const { address } = keeper;
  const dollar = types.dollar;
  setPrice(tx, prices, { coinType: SUI, price: BigInt(dollarsPerSui * 1_000_000) });
  setPrice(tx, prices, { coinType: dollar, price: 1_000_000_000n });
  const [forPool, forVault, forFlash, forStake] = tx.splitCoins(
    tx.gas,
    [400_000, 1, 50_000, 50_000].map(milliSui),
  );
  const minted = (amount: number) => mintDollars(tx, coins, dollars(amount));
  return {
    pool: openPool(
      tx,
      at('pool'),
      { a: SUI, b: dollar },
      { a: forPool!, b: minted(1_200), feeBps: 30, holder: address },
    ),
    vault: createVault(
      tx,
      at('vault'),
      { asset: SUI, share: types.reefSui },
      { treasury: treasuries.reefSui, seed: forVault! },
    ),
    flashPool: createFlashPool(
      tx,
      at('flash_pool'),
      { asset: SUI, share: types.flashSui },
      { treasury: treasuries.flashSui, seed: forFlash!, feeBps: 5 },
    ),
    creditPool: createCreditPool(
      tx,
      at('credit_pool'),
      { asset: dollar, share: types.creditUsd },
      { treasury: treasuries.creditUsd, seed: minted(10_000), baseBps: 200, slopeBps: 1_000, admin: address },
    ),
    moneyMarket: createMoneyMarket(
      tx,
      at('money_market'),
      { asset: dollar, collateral: SUI },
      {
        seed: minted(10_000),
        prices: prices.objectId,
        baseBps: 200,
        slopeBps: 1_800,
        borrowBps: 7_000,
        liquidationBps: 8_000,
        bonusBps: 500,
      },
    ),
    supplyMarket: createSupplyMarket(tx, at('supply_market'), { asset: SUI }),
    issuer: createIssuer(
      tx,
      at('stablecoin'),
      { collateral: SUI, stablecoin: types.anchorUsd },
      { treasury: treasuries.anchorUsd, prices: prices.objectId, savingsRateBps: 300, admin: address },
    ),
    stakePool: createStakePool(
      tx,
      at('liquid_stake'),
      { share: types.tideSui },
      { treasury: treasuries.tideSui, seed: forStake!, unstakeFeeBps: 50, operator: address },
    ),
    concentratedPool: createConcentratedPool(
      tx,
      at('concentrated'),
      { a: SUI, b: dollar, reward: dollar },
      { feePpm: 3_000, spacing: tickSpacing, price, admin: address },
    ),
    perpetualMarket: createPerpetualMarket(
      tx,
      at('perpetuals'),
      { base: SUI, quote: dollar },
      {
        prices: prices.objectId,
        feeBps: 10,
        initialBps: 1_000,
        maintenanceBps: 500,
        liquidationBps: 100,
        house: address,
      },
    ),
  };
}

interface FundingContext {
  keeper: Account;
  coins: Coins;
  venues: Venues;
  /** The transaction that created the venues. */
  executed: Executed;
}

function fillAll(tx: Transaction, { keeper, coins, venues, executed }: FundingContext): void {
  const { supplyMarket, issuer, stakePool, concentratedPool, perpetualMarket } = venues;
  const [rewards, stakeReward, liquidity, trade] = tx.splitCoins(
    tx.gas,
    [20_000, 200, 100_000, 1_000].map(milliSui),
  );
  const minted = (amount: number) => mintDollars(tx, coins, dollars(amount));
  sponsor(tx, supplyMarket, { coin: rewards!, durationMs: 365n * dayMs });
  addCollateral(tx, issuer, {
    capId: createdObject(executed, '::stablecoin::AdminCap'),
    rateBps: 500,
    borrowBps: 6_000,
    liquidationBps: 7_500,
    bonusBps: 500,
    ceiling: dollars(100_000),
  });
  addStakeReward(tx, stakePool, {
    capId: createdObject(executed, '::liquid_stake::OperatorCap'),
    coin: stakeReward!,
  });
  addLiquidity(tx, concentratedPool, {
    lower: tickAt(price / 2, tickSpacing),
    upper: tickAt(price * 2, tickSpacing),
    a: liquidity!,
    b: minted(300),
    holder: keeper.address,
  });
  addLiquidityReward(tx, concentratedPool, {
    capId: createdObject(executed, `${concentratedPool.packageId}::pool::AdminCap`),
    coin: minted(1_000),
    durationMs: 365n * dayMs,
  });
  swapAToB(tx, concentratedPool, { coin: trade!, recipient: keeper.address });
  fundHouse(tx, perpetualMarket, minted(10_000));
}

/** The venues of two adaptors that are protocols themselves: a jar, and savings with a reserve. */
export interface JarAndSavings {
  jar: Venue<'asset'>;
  savings: Venue<'asset'>;
}

/** Opens both with the packages of the adaptors. Takes some 10 SUI of the account's. */
export async function openJarAndSavings(
  account: Account,
  packages: { jar: string; savings: string },
): Promise<JarAndSavings> {
  const { created } = await openShared(account, (tx) => ({
    jar: openJar(tx, packages.jar),
    savings: createSavings(tx, packages.savings, { termMs: 30n * dayMs, rateBps: 200 }),
  }));
  await execute(account, (tx) => {
    fundSavings(tx, created.savings, tx.splitCoins(tx.gas, [milliSui(10_000)]));
  });
  return created;
}
