import { type Account, type Executed, execute } from '@adaptor-marketplace/localnet/account';
import type { Transaction, TransactionResult } from '@mysten/sui/transactions';
import {
  type Coins,
  callProtocol,
  dollars,
  findCreatedObject,
  milliSui,
  mintDollars,
  openShared,
  type PendingVenue,
  type ProtocolArgument,
  SUI,
  type Venue,
} from './publish.ts';
import { findTick, type Prices, swapAToB } from './trading.ts';

const dayMs = 86_400_000n;

/** The prices are set once: they hold for as long as the network is used. */
const pricesMaxAgeMs = 36_500n * dayMs;
/** The price of a SUI in dollars, at every venue. */
const dollarsPerSui = 3;
/** The same in base units of both. */
export const price = dollarsPerSui / 1_000;

/** Ranges of the concentrated pool begin and end at multiples of it. */
export const tickSpacing = 60;

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
    const cap = callProtocol(tx, { packageId: at('oracle'), coins: {} }, 'prices::create', [pricesMaxAgeMs]);
    tx.transferObjects([cap], keeper.address);
  });
  const prices: Prices = {
    packageId: at('oracle'),
    objectId: findCreatedObject(oracle, '::prices::Prices'),
    capId: findCreatedObject(oracle, '::prices::AdminCap'),
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

/** Sets the prices and opens the venues. Caps and shares go to the keeper. Rates are in basis points. */
function createAll(tx: Transaction, { keeper, at, coins, prices }: VenueContext) {
  const { types, treasuries } = coins;
  const dollar = types.dollar;
  const clock = tx.object.clock();
  /** Appends a call that sets the price of 10^9 base units of a coin, in millionths of a dollar. */
  const setPrice = (coin: string, price: bigint) => {
    const priced = { packageId: prices.packageId, coins: { coin } };
    callProtocol(tx, priced, 'prices::set', [prices.objectId, prices.capId, price, clock]);
  };
  setPrice(SUI, BigInt(dollarsPerSui * 1_000_000));
  setPrice(dollar, 1_000_000_000n);
  const [forPool, forVault, forFlash, forStake] = tx.splitCoins(
    tx.gas,
    [400_000, 1, 50_000, 50_000].map(milliSui),
  );
  const minted = (amount: number) => mintDollars(tx, coins, dollars(amount));

  /** Appends a call that shares an object of the type `module::Struct<coins>`. */
  const create = <Role extends string>(
    folder: string,
    type: string,
    coins: Record<Role, string>,
    args: ProtocolArgument[],
    name = 'create',
  ): { venue: PendingVenue<Role>; result: TransactionResult } => {
    const packageId = at(folder);
    const result = callProtocol(tx, { packageId, coins }, type.replace(/\w+$/, name), args);
    const objectType = `${packageId}::${type}<${Object.values(coins).join()}>`;
    return { venue: { packageId, coins, objectType }, result };
  };
  const keepCap = <Role extends string>({ venue, result }: ReturnType<typeof create<Role>>) => {
    tx.transferObjects([result], keeper.address);
    return venue;
  };

  const rates = {
    credit: { base: 200, slope: 1_000 },
    money: { base: 200, slope: 1_800, borrow: 7_000, liquidation: 8_000, bonus: 500 },
    perpetual: { fee: 10, initial: 1_000, maintenance: 500, liquidation: 100 },
    savings: 300,
    unstakeFee: 50,
  };
  const { reefSui, flashSui, creditUsd, anchorUsd, tideSui } = types;
  const credit = [treasuries.creditUsd, minted(10_000), ...Object.values(rates.credit), clock];
  const money = [minted(10_000), prices.objectId, ...Object.values(rates.money), clock];
  const issuer = [treasuries.anchorUsd, prices.objectId, rates.savings, clock];
  const stake = [treasuries.tideSui, forStake!, rates.unstakeFee];
  // The root of the price, in units of 2^-64.
  const root = tx.pure.u128(BigInt(Math.round(Math.sqrt(price) * 2 ** 64)));
  const feePpm = 3_000;
  const ranges = [feePpm, tx.pure.u32(tickSpacing), root, clock];
  const perpetual = [prices.objectId, ...Object.values(rates.perpetual)];
  const flash = [treasuries.flashSui, forFlash!, 5];
  const vault = [treasuries.reefSui, forVault!];
  const pool = [forPool!, minted(1_200), 30];
  return {
    pool: keepCap(create('pool', 'pool::Pool', { a: SUI, b: dollar }, pool, 'open')),
    vault: create('vault', 'vault::Vault', { asset: SUI, share: reefSui }, vault).venue,
    flashPool: create('flash_pool', 'flash_pool::Pool', { asset: SUI, share: flashSui }, flash).venue,
    creditPool: keepCap(
      create('credit_pool', 'credit_pool::Pool', { asset: dollar, share: creditUsd }, credit),
    ),
    moneyMarket: create('money_market', 'money_market::Market', { asset: dollar, collateral: SUI }, money)
      .venue,
    supplyMarket: create('supply_market', 'supply_market::Market', { asset: SUI }, [clock]).venue,
    issuer: {
      ...keepCap(create('stablecoin', 'stablecoin::Issuer', { stablecoin: anchorUsd }, issuer)),
      coins: { collateral: SUI, stablecoin: anchorUsd },
    },
    stakePool: {
      ...keepCap(create('liquid_stake', 'liquid_stake::StakePool', { share: tideSui }, stake)),
      coins: { asset: SUI, share: tideSui },
    },
    concentratedPool: keepCap(
      create('concentrated', 'pool::Pool', { a: SUI, b: dollar, reward: dollar }, ranges),
    ),
    perpetualMarket: keepCap(
      create('perpetuals', 'perpetuals::Market', { base: SUI, quote: dollar }, perpetual),
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
  const clock = tx.object.clock();
  const yearMs = 365n * dayMs;
  const rewarded = [supplyMarket.objectId, rewards!, yearMs, clock];
  callProtocol(tx, supplyMarket, 'supply_market::sponsor', rewarded);
  const issuerCap = findCreatedObject(executed, '::stablecoin::AdminCap');
  const ratesBps = { loan: 500, borrow: 6_000, liquidation: 7_500, bonus: 500 };
  const collateral = [...Object.values(ratesBps), dollars(100_000), clock];
  callProtocol(tx, issuer, 'stablecoin::add_collateral', [issuer.objectId, issuerCap, ...collateral]);
  const operatorCap = findCreatedObject(executed, '::liquid_stake::OperatorCap');
  const staked = { ...stakePool, coins: { share: stakePool.coins.share } };
  callProtocol(tx, staked, 'liquid_stake::add_reward', [stakePool.objectId, operatorCap, stakeReward!]);
  const pool = concentratedPool.objectId;
  const ticks = [price / 2, price * 2].map((end) => tx.pure.u32(findTick(end, tickSpacing)));
  const position = callProtocol(tx, concentratedPool, 'pool::open', [pool, ...ticks]);
  const added = [pool, position, liquidity!, minted(300), tx.pure.u128(1), clock];
  const [restA, restB] = callProtocol(tx, concentratedPool, 'pool::add', added);
  const poolCap = findCreatedObject(executed, `${concentratedPool.packageId}::pool::AdminCap`);
  callProtocol(tx, concentratedPool, 'pool::add_reward', [pool, poolCap, minted(1_000), yearMs, clock]);
  tx.transferObjects([position, restA!, restB!], keeper.address);
  swapAToB(tx, concentratedPool, { coin: trade!, recipient: keeper.address });
  callProtocol(tx, perpetualMarket, 'perpetuals::fund_house', [perpetualMarket.objectId, minted(10_000)]);
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
  const { created } = await openShared(account, (tx) => {
    const open = (packageId: string, type: string, args: ProtocolArgument[], name: string) => {
      callProtocol(tx, { packageId, coins: {} }, type.replace(/\w+$/, name), args);
      return { packageId, coins: { asset: SUI }, objectType: `${packageId}::${type}` };
    };
    return {
      jar: open(packages.jar, 'tip_jar::Jar', [], 'open'),
      savings: open(packages.savings, 'term_savings::Savings', [30n * dayMs, 200], 'create'),
    };
  });
  const { packageId, objectId } = created.savings;
  await execute(account, (tx) => {
    const interest = tx.splitCoins(tx.gas, [milliSui(10_000)]);
    callProtocol(tx, { packageId, coins: {} }, 'term_savings::fund', [objectId, interest]);
  });
  return created;
}
