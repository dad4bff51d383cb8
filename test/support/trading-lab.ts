import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import type { Localnet } from '@adaptor-marketplace/localnet';
import { type Account, createAccount, execute } from '@adaptor-marketplace/localnet/account';
import { startTestLocalnet } from '@adaptor-marketplace/localnet/testing/start';
import { type CompiledPackage, compileSources } from '@adaptor-marketplace/move-toolchain';
import { moveToml } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import { Transaction } from '@mysten/sui/transactions';
import { fromBase64, fromHex } from '@mysten/sui/utils';
import { findCreatedObject } from '../../services/demo/publish.ts';
import { createTesterClient } from './tester-client.ts';

const market = `module lab::market;
use std::string::String;
use sui::clock::Clock;

const EClosed: u64 = 0;

public struct Pool<phantom C> has key { id: UID, open: bool, trades: u64 }
public struct Config has key { id: UID }
public struct Ticket has key, store { id: UID }

public fun create<C>(ctx: &mut TxContext) {
    transfer::share_object(Pool<C> { id: object::new(ctx), open: true, trades: 0 })
}

public fun configure(ctx: &mut TxContext) { transfer::freeze_object(Config { id: object::new(ctx) }) }

public fun ticket(ctx: &mut TxContext): Ticket { Ticket { id: object::new(ctx) } }

public fun price(): u64 { 7 }

public fun close<C>(pool: &mut Pool<C>) { pool.open = false }

public fun trade<C>(
    pool: &mut Pool<C>, _config: &Config, _ticket: &Ticket, amount: u64, _memo: Option<String>, _path: vector<address>,
    _clock: &Clock, _ctx: &mut TxContext,
) {
    assert!(pool.open, EClosed);
    pool.trades = pool.trades + amount
}

public fun tick<C>(pool: &Pool<C>, _count: u64) { assert!(pool.open, EClosed) }

public fun common(_: u64) {}

public fun tune<C>(_pool: &Pool<C>, _leverage: u8, _memo: Option<String>, _to: address) {}

fun hidden() {}

public fun uses_hidden() { hidden() }
`;
const other = 'module lab::other;\npublic fun common(_: u64) {}\n';

export const sui = `0x${'2'.padStart(64, '0')}::sui::SUI`;

interface TradeOptions {
  /** Id of the pool; by default the lab's first one, of SUI. */
  of?: string;
  coin?: string;
  /** If absent, the amount is the price that an earlier command returns. */
  amount?: number;
  memo?: string | null;
  path?: string[];
}

/** A local network with a package whose calls can be mined, and with a trader who uses it. */
interface TradingLab {
  localnet: Localnet;
  client: ChainClient;
  packageId: string;
  /** Id of a second version of the package with the same code. */
  upgradedId: string;
  /** A shared pool of SUI. */
  pool: string;
  /** A shared pool of u64. */
  otherPool: string;
  /** An immutable object. */
  config: string;
  /** Executes a transaction of the trader's in a checkpoint of its own, so that the node's lists contain it. */
  run(build: (tx: Transaction) => void): Promise<void>;
  /** Executes a transaction of either account. @returns the transaction's digest */
  runAs(who: 'trader' | 'stranger', build: (tx: Transaction) => void): Promise<string>;
  /** Addresses of the two accounts. */
  senders: Record<'trader' | 'stranger', string>;
  trade(tx: Transaction, options: TradeOptions): void;
  /**
   * Executes a transaction of the trader's that would succeed when it is signed, but fails at execution. It works only
   * once.
   */
  failLate(build: (tx: Transaction) => void): Promise<void>;
  close(): Promise<void>;
}

export async function startTradingLab(): Promise<TradingLab> {
  const localnet = await startTestLocalnet();
  const client = createTesterClient(localnet.rpcUrl);
  const trader = await createAccount(client, localnet.faucetUrl);
  const stranger = await createAccount(client, localnet.faucetUrl);
  const sources = { 'sources/market.move': market, 'sources/other.move': other };
  const compiled = await compileSources({ 'Move.toml': moveToml('lab'), ...sources });
  const published = await execute(trader, (tx) => {
    tx.transferObjects([tx.publish(toPackageContent(compiled))], trader.address);
  });
  const packageId = findCreatedObject(published, 'package');
  const made = await execute(trader, (tx) => {
    for (const coin of [sui, 'u64', 'bool']) {
      tx.moveCall({ target: `${packageId}::market::create`, typeArguments: [coin] });
    }
    tx.moveCall({ target: `${packageId}::market::configure` });
    tx.transferObjects([tx.moveCall({ target: `${packageId}::market::ticket` })], trader.address);
  });
  const [pool, otherPool, closing] = [sui, 'u64', 'bool'].map((coin) =>
    findCreatedObject(made, `::market::Pool<${coin}>`),
  ) as [string, string, string];
  const config = findCreatedObject(made, '::market::Config');
  const ticket = findCreatedObject(made, '::market::Ticket');
  const cap = findCreatedObject(published, '::package::UpgradeCap');
  const upgradedId = await upgrade(trader, packageId, cap, compiled);

  function onClosing(tx: Transaction, name: string, ...values: number[]): void {
    tx.moveCall({
      target: `${packageId}::market::${name}`,
      typeArguments: ['bool'],
      arguments: [tx.object(closing), ...values.map((value) => tx.pure.u64(value))],
    });
  }

  async function runAs(who: 'trader' | 'stranger', build: (tx: Transaction) => void): Promise<string> {
    const { digest } = await execute({ trader, stranger }[who], build);
    localnet.ledger.createCheckpoint();
    return digest;
  }

  return {
    run: async (build) => void (await runAs('trader', build)),
    runAs,
    senders: { trader: trader.address, stranger: stranger.address },
    localnet,
    client,
    packageId,
    upgradedId,
    pool,
    otherPool,
    config,
    trade(
      tx,
      { of = pool, coin = sui, amount, memo = null, path = [] }: TradeOptions & { memo?: string | null },
    ) {
      const price = () => tx.moveCall({ target: `${packageId}::market::price` });
      tx.moveCall({
        target: `${packageId}::market::trade`,
        typeArguments: [coin],
        arguments: [
          ...[of, config, ticket].map((object) => tx.object(object)),
          amount === undefined ? price() : tx.pure.u64(amount),
          tx.pure.option('string', memo),
          tx.pure.vector('address', path),
          tx.object.clock(),
        ],
      });
    },
    async failLate(build) {
      const tx = new Transaction();
      tx.setSender(trader.address);
      build(tx);
      onClosing(tx, 'tick', 1);
      const { bytes, signature } = await tx.sign({ client, signer: trader.keypair });
      await execute(stranger, (closer) => onClosing(closer, 'close'));
      const sent = { transaction: fromBase64(bytes), signatures: [signature] };
      const { FailedTransaction: failed } = await client.executeTransaction(sent);
      if (!failed) throw new Error('the transaction did not fail');
      localnet.ledger.createCheckpoint();
    },
    async close() {
      client.close();
      await localnet.close();
    },
  };
}

const toPackageContent = ({ modules, dependencies }: CompiledPackage) => ({
  modules: modules.map((module) => [...module]),
  dependencies,
});

async function upgrade(
  owner: Account,
  packageId: string,
  cap: string,
  compiled: CompiledPackage,
): Promise<string> {
  const executed = await execute(owner, (tx) => {
    const digest = tx.pure.vector('u8', fromHex(compiled.digest));
    const ticket = tx.moveCall({
      target: '0x2::package::authorize_upgrade',
      arguments: [tx.object(cap), tx.pure.u8(0), digest],
    });
    const receipt = tx.upgrade({ ...toPackageContent(compiled), package: packageId, ticket });
    tx.moveCall({ target: '0x2::package::commit_upgrade', arguments: [tx.object(cap), receipt] });
  });
  return findCreatedObject(executed, 'package');
}
