import type { ExecutedTransaction } from '@adaptor-marketplace/localnet/ledger/types';
import type { Transaction, TransactionObjectArgument } from '@mysten/sui/transactions';
import type { Variant } from '../adaptor.ts';
import { moduleName } from '../compile.ts';
import { clock, type HostileNetwork, sui } from '../network.ts';
import type { Rake } from './compose.ts';

const amount = 2_000_000n;
const calls = 3n;

/**
 * Makes three payments, each in its own transaction. Returns the amount that did not reach the jar, or, if the adaptor
 * pays out a withdrawal, the publisher.
 */
export async function payThrice(network: HostileNetwork, rake: Rake, variant: Variant): Promise<bigint> {
  const module = moduleName(rake.name, variant);
  const jar = network.madeBy(module, 'Jar');
  const execute = (add: (tx: Transaction) => void) => network.execute(network.publisher, add);
  if (rake.condition === 'flag') await execute((tx) => call(network, tx, module, 'arm'));
  if (rake.frame === 'withdrawal') {
    await execute((tx) => call(network, tx, module, 'fund', [tx.splitCoins(tx.gas, [amount * calls])]));
  }
  let arrived = 0n;
  for (let i = 0n; i < calls; i++) {
    network.passTime(200_000);
    const before = readU64AfterId(network.contents(jar));
    const executed = await execute((tx) => addPayment(network, tx, rake, module));
    const kept = readU64AfterId(network.contents(jar)) - before;
    arrived += rake.frame === 'withdrawal' ? sumCoinsOfPublisher(network, executed) : kept;
  }
  return amount * calls - arrived;
}

function addPayment(network: HostileNetwork, tx: Transaction, rake: Rake, module: string): void {
  const bystander = tx.pure.address(`0x${'99'.padStart(64, '0')}`);
  const wallet = (name: string) => `${network.module('wallet')}::${name}`;
  const coin = () => tx.splitCoins(tx.gas, [amount])[0]!;
  const newWallet = () => tx.moveCall({ target: wallet('create') });
  const share = (own: TransactionObjectArgument) =>
    tx.moveCall({ target: wallet('share'), arguments: [own] });
  const extras: Record<string, () => [argument: TransactionObjectArgument, after?: () => void]> = {
    argument: () => [bystander as TransactionObjectArgument],
    other_coin: () => {
      const change = coin();
      return [change, () => tx.transferObjects([change], bystander)];
    },
    other_wallet: () => {
      const other = newWallet();
      return [other, () => share(other)];
    },
    second_package_object: () => [network.argument(tx, network.madeBy('chest', 'Chest'))],
  };
  const [extra, afterExtra] = extras[rake.destination]?.() ?? [];
  const rest = [tx.pure.u64(amount), ...(extra ? [extra] : []), tx.sharedObjectRef(clock)];
  const payFrom = (...source: TransactionObjectArgument[]) => call(network, tx, module, 'pay', rest, source);
  switch (rake.frame) {
    case 'wallet': {
      const own = newWallet();
      const granted = [own, tx.pure.u64(amount)];
      const types = [`${network.module(module)}::Service`, sui];
      tx.moveCall({ target: wallet('deposit'), arguments: [own, coin()], typeArguments: [sui] });
      tx.moveCall({ target: wallet('grant_service_coin'), arguments: granted, typeArguments: types });
      payFrom(own);
      share(own);
      break;
    }
    case 'purse': {
      const purse = coin();
      payFrom(purse);
      tx.transferObjects([purse], bystander);
      break;
    }
    case 'coin':
      payFrom(coin());
      break;
    case 'withdrawal':
      payFrom();
  }
  afterExtra?.();
}

function call(
  network: HostileNetwork,
  tx: Transaction,
  module: string,
  entry: string,
  rest: TransactionObjectArgument[] = [],
  source: TransactionObjectArgument[] = [],
): void {
  const jar = network.argument(tx, network.madeBy(module, 'Jar'));
  tx.moveCall({ target: `${network.module(module)}::${entry}`, arguments: [...source, jar, ...rest] });
}

function sumCoinsOfPublisher(network: HostileNetwork, { objects }: ExecutedTransaction): bigint {
  return objects
    .filter(({ change, type }) => change === 'created' && type.includes('::coin::Coin<'))
    .filter(({ id }) => network.ownerOf(id) === network.publisher.address)
    .reduce((sum, { id }) => sum + readU64AfterId(network.contents(id)), 0n);
}

/** Reads the field after an object's id. */
const readU64AfterId = (contents: Uint8Array) =>
  new DataView(contents.buffer, contents.byteOffset).getBigUint64(32, true);
