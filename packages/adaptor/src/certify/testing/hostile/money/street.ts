import { join } from 'node:path';
import { type Account, TestNetwork } from '@adaptor-marketplace/localnet/ledger/testing/network';
import type { ExecutedTransaction } from '@adaptor-marketplace/localnet/ledger/types';
import { type CompiledPackage, compilePackage, compileSources } from '@adaptor-marketplace/move-toolchain';
import { deserialize } from '@mysten/move-bytecode-template';
import { Transaction, type TransactionObjectArgument } from '@mysten/sui/transactions';
import { moveDir } from '../../../../introspect/testing/packages.ts';
import type { Variant } from '../adaptor.ts';
import { moduleName, writePackage } from '../compile.ts';
import { composeRake, type Rake } from './compose.ts';

const sui = `0x${'2'.padStart(64, '0')}::sui::SUI`;
const amount = 2_000_000n;
const calls = 3n;
const clock = { objectId: '0x6', initialSharedVersion: 1, mutable: false };
/** Modules of one publication. The chain's own bound is 64, and a transaction has at most 128 KiB. */
const modulesMax = 50;

/** A local network with all rakes on it, and someone who uses them. */
export class Street {
  readonly #network: TestNetwork;
  readonly #user: Account;
  readonly #wallet: string;
  readonly #chest: string;
  /** Package and jar by module. */
  readonly #jars = new Map<string, { packageId: string; jar: string }>();

  private constructor(network: TestNetwork, user: Account, wallet: string, chest: string) {
    this.#network = network;
    this.#user = user;
    this.#wallet = wallet;
    this.#chest = chest;
  }

  static async open(rakes: readonly Rake[]): Promise<Street> {
    const network = await TestNetwork.open();
    const user = await network.account(10_000_000_000_000n);
    const wallet = await publish(user, await compilePackage(join(moveDir, 'wallet')));
    const folder = join(import.meta.dirname, '..');
    const accomplice = await publish(user, await compilePackage(join(folder, 'accomplice')));
    const published = { wallet: packageIdOf(wallet), accomplice: packageIdOf(accomplice) };
    const compiled = await compileSources(writePackage(rakes.map(composeRake)), { base: folder, published });
    const street = new Street(network, user, published.wallet, idOf(accomplice, '::chest::Chest'));
    for (const part of divide(compiled)) street.#keep(await publish(user, part));
    return street;
  }

  /** Pays three times in a transaction each. Returns the money that did not go where the rest goes. */
  async pay(rake: Rake, variant: Variant): Promise<bigint> {
    if (rake.condition === 'flag') await this.#execute((tx) => this.#call(tx, rake, variant, 'arm'));
    if (rake.frame === 'withdrawal') {
      await this.#execute((tx) =>
        this.#call(tx, rake, variant, 'fund', [tx.splitCoins(tx.gas, [amount * calls])]),
      );
    }
    let arrived = 0n;
    for (let call = 0n; call < calls; call++) {
      this.#network.passTime(200_000);
      this.#network.ledger.setClock();
      const before = this.#moneyOf(rake, variant);
      const executed = await this.#execute((tx) => this.#addPayment(tx, rake, variant));
      arrived +=
        rake.frame === 'withdrawal' ? this.#coinsOfUser(executed) : this.#moneyOf(rake, variant) - before;
    }
    return amount * calls - arrived;
  }

  #addPayment(tx: Transaction, rake: Rake, variant: Variant): void {
    const bystander = tx.pure.address(`0x${'99'.padStart(64, '0')}`);
    const wallet = (name: string) => `${this.#wallet}::wallet::${name}`;
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
      second_package_object: () => [this.#shared(tx, this.#chest)],
    };
    const [extra, afterExtra] = extras[rake.destination]?.() ?? [];
    const rest = [tx.pure.u64(amount), ...(extra ? [extra] : []), tx.sharedObjectRef(clock)];
    const payWith = (source: TransactionObjectArgument[]) =>
      this.#call(tx, rake, variant, 'pay', rest, source);
    if (rake.frame === 'wallet') {
      const own = newWallet();
      const { packageId } = this.#jars.get(moduleName(rake.name, variant))!;
      const service = `${packageId}::${moduleName(rake.name, variant)}::Service`;
      tx.moveCall({ target: wallet('deposit'), arguments: [own, coin()], typeArguments: [sui] });
      const granted = [own, tx.pure.u64(amount)];
      tx.moveCall({
        target: wallet('grant_service_coin'),
        arguments: granted,
        typeArguments: [service, sui],
      });
      payWith([own]);
      share(own);
    } else if (rake.frame === 'purse') {
      const purse = coin();
      payWith([purse]);
      tx.transferObjects([purse], bystander);
    } else payWith(rake.frame === 'coin' ? [coin()] : []);
    afterExtra?.();
  }

  #call(
    tx: Transaction,
    { name }: Rake,
    variant: Variant,
    entry: string,
    rest: TransactionObjectArgument[] = [],
    source: TransactionObjectArgument[] = [],
  ): void {
    const module = moduleName(name, variant);
    const { packageId, jar } = this.#jars.get(module)!;
    const target = `${packageId}::${module}::${entry}`;
    tx.moveCall({ target, arguments: [...source, this.#shared(tx, jar), ...rest] });
  }

  #shared(tx: Transaction, id: string): TransactionObjectArgument {
    const object = this.#network.ledger.getObject(id);
    if (object?.kind !== 'move' || object.owner.kind !== 'shared') throw new Error(`${id} is not shared.`);
    const { initialSharedVersion } = object.owner;
    return tx.sharedObjectRef({
      objectId: id,
      initialSharedVersion: String(initialSharedVersion),
      mutable: true,
    });
  }

  async #execute(add: (tx: Transaction) => void): Promise<ExecutedTransaction> {
    const tx = new Transaction();
    add(tx);
    const executed = await this.#user.execute(tx);
    if (executed.failureDescription !== undefined) throw new Error(executed.failureDescription);
    return executed;
  }

  #moneyOf({ name }: Rake, variant: Variant): bigint {
    return u64BehindId(this.#contentsOf(this.#jars.get(moduleName(name, variant))!.jar));
  }

  /** The money of the new coins of the user. */
  #coinsOfUser({ objects }: ExecutedTransaction): bigint {
    const created = objects.filter(
      ({ change, type }) => change === 'created' && type.includes('::coin::Coin<'),
    );
    const own = created.filter(({ id }) => {
      const object = this.#network.ledger.getObject(id);
      return (
        object?.kind === 'move' &&
        object.owner.kind === 'address' &&
        object.owner.address === this.#user.address
      );
    });
    return own.reduce((sum, { id }) => sum + u64BehindId(this.#contentsOf(id)), 0n);
  }

  #contentsOf(id: string): Uint8Array {
    const object = this.#network.ledger.getObject(id);
    if (object?.kind !== 'move') throw new Error(`There is no object ${id}.`);
    return object.contents;
  }

  #keep(executed: ExecutedTransaction): void {
    const packageId = packageIdOf(executed);
    for (const { id, type } of executed.objects) {
      const [, module, name] = type.split('::');
      if (name === 'Jar') this.#jars.set(module!, { packageId, jar: id });
    }
  }
}

async function publish(
  user: Account,
  { modules, dependencies }: CompiledPackage,
): Promise<ExecutedTransaction> {
  const tx = new Transaction();
  const cap = tx.publish({ modules: modules.map((bytes) => [...bytes]), dependencies });
  tx.transferObjects([cap], user.address);
  tx.setGasBudget(50_000_000_000n);
  const executed = await user.execute(tx);
  if (executed.failureDescription !== undefined) throw new Error(executed.failureDescription);
  return executed;
}

/** Packages of some modules each. A module and its parts stay together, since names are sorted. */
function divide({ modules, dependencies, digest }: CompiledPackage): CompiledPackage[] {
  const named = modules.map((bytes) => ({ bytes, name: nameOf(bytes) }));
  named.sort((a, b) => (a.name < b.name ? -1 : 1));
  const parts: CompiledPackage['modules'][] = [];
  for (const { bytes, name } of named) {
    const isFull = (parts.at(-1)?.length ?? modulesMax) >= modulesMax;
    if (isFull && !name.endsWith('_parts')) parts.push([]);
    parts.at(-1)!.push(bytes);
  }
  return parts.map((part) => ({ modules: part, dependencies, digest }));
}

function nameOf(bytes: Uint8Array): string {
  const module = deserialize(bytes);
  return module.identifiers[module.module_handles[module.self_module_handle_idx].name];
}

const u64BehindId = (contents: Uint8Array) =>
  new DataView(contents.buffer, contents.byteOffset).getBigUint64(32, true);

const packageIdOf = (executed: ExecutedTransaction) => idOf(executed, 'package');

function idOf({ objects }: ExecutedTransaction, type: string): string {
  const found = objects.find((each) => each.type.endsWith(type));
  if (!found) throw new Error(`The transaction has no ${type}.`);
  return found.id;
}
