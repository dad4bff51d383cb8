import { join } from 'node:path';
import { type Account, TestNetwork } from '@adaptor-marketplace/localnet/ledger/testing/network';
import type { ExecutedTransaction } from '@adaptor-marketplace/localnet/ledger/types';
import { type CompiledPackage, compilePackage, compileSources } from '@adaptor-marketplace/move-toolchain';
import { deserialize } from '@mysten/move-bytecode-template';
import { Transaction, type TransactionObjectArgument } from '@mysten/sui/transactions';
import { moveDir } from '../../../introspect/testing/packages.ts';
import type { HostileAdaptor } from './adaptor.ts';
import { rewriteOp, writePackage } from './compile.ts';

export const sui = `0x${'2'.padStart(64, '0')}::sui::SUI`;
export const clock = { objectId: '0x6', initialSharedVersion: 1, mutable: false };

/** Modules of one publication. The chain's own bound is 64, and a transaction has at most 128 KiB. */
const modulesMax = 50;

/** A local network with adaptors and what they use on it. */
export class HostileNetwork {
  readonly #network: TestNetwork;
  /** The account that published everything. */
  readonly publisher: Account;
  /** An account without any right. */
  readonly stranger: Account;
  readonly #packages = new Map<string, string>();
  /** Objects that publications made, by `module::Type`. */
  readonly #objects = new Map<string, string>();

  private constructor(network: TestNetwork, publisher: Account, stranger: Account) {
    this.#network = network;
    this.publisher = publisher;
    this.stranger = stranger;
  }

  static async open(adaptors: readonly HostileAdaptor[]): Promise<HostileNetwork> {
    const ledger = await TestNetwork.open();
    const accounts = [await ledger.account(10_000_000_000_000n), await ledger.account(10_000_000_000_000n)];
    const network = new HostileNetwork(ledger, accounts[0]!, accounts[1]!);
    const accomplice = await network.#publish(await compilePackage(join(import.meta.dirname, 'accomplice')));
    // The accomplice has a module of the same name, so the wallet comes later.
    const wallet = await network.#publish(await compilePackage(join(moveDir, 'wallet')));
    const options = { base: import.meta.dirname, published: { wallet, accomplice } };
    const compiled = await compileSources(writePackage(adaptors), options);
    const byName = new Map(adaptors.map((adaptor) => [adaptor.name, adaptor]));
    const modules = compiled.modules.map((bytes) => {
      const adaptor = byName.get(readName(bytes));
      return adaptor ? rewriteOp(bytes, adaptor) : bytes;
    });
    for (const part of divide({ ...compiled, modules })) await network.#publish(part);
    return network;
  }

  /** Moves the clock. */
  passTime(ms: number): void {
    this.#network.passTime(ms);
    this.#network.ledger.setClock();
  }

  /** `0x…::module`, by the name of a module. */
  module(name: string): string {
    return `${this.#packages.get(name)!}::${name}`;
  }

  /** The id of an object that the publication of a module made. */
  madeBy(module: string, type: string): string {
    return this.#objects.get(`${module}::${type}`)!;
  }

  /** An object as an argument, shared or not. */
  argument(tx: Transaction, id: string): TransactionObjectArgument {
    const object = this.#object(id);
    if (object.owner.kind === 'shared') {
      const initialSharedVersion = String(object.owner.initialSharedVersion);
      return tx.sharedObjectRef({ objectId: id, initialSharedVersion, mutable: true });
    }
    return tx.objectRef({ objectId: id, version: String(object.version), digest: object.digest });
  }

  /** An object that was sent to another one, as an argument. */
  receiving(tx: Transaction, id: string): TransactionObjectArgument {
    const { version, digest } = this.#object(id);
    return tx.receivingRef({ objectId: id, version: String(version), digest });
  }

  /** @throws Error if the transaction fails. */
  async execute(account: Account, add: (tx: Transaction) => void): Promise<ExecutedTransaction> {
    const tx = new Transaction();
    tx.setGasBudget(50_000_000_000n);
    add(tx);
    const executed = await account.execute(tx);
    if (executed.failureDescription !== undefined) throw new Error(executed.failureDescription);
    return executed;
  }

  contents(id: string): Uint8Array {
    return this.#object(id).contents;
  }

  /** Owner of a live object that an address has. */
  ownerOf(id: string): string | undefined {
    const object = this.#network.ledger.getObject(id);
    return object?.kind === 'move' && object.owner.kind === 'address' ? object.owner.address : undefined;
  }

  #object(id: string) {
    const object = this.#network.ledger.getObject(id);
    if (object?.kind !== 'move') throw new Error(`There is no object ${id}.`);
    return object;
  }

  /** Returns the package's id. */
  async #publish({ modules, dependencies }: CompiledPackage): Promise<string> {
    const { objects } = await this.execute(this.publisher, (tx) => {
      const cap = tx.publish({ modules: modules.map((bytes) => [...bytes]), dependencies });
      tx.transferObjects([cap], this.publisher.address);
    });
    const packageId = objects.find(({ type }) => type === 'package')!.id;
    for (const bytes of modules) this.#packages.set(readName(bytes), packageId);
    for (const { id, type } of objects) {
      const [, module, name] = type.split('::');
      if (type.startsWith(packageId)) this.#objects.set(`${module}::${name}`, id);
    }
    return packageId;
  }
}

/** Packages of some modules each. A module and its parts stay together, since names are sorted. */
function divide({ modules, dependencies, digest }: CompiledPackage): CompiledPackage[] {
  const named = modules.map((bytes) => ({ bytes, name: readName(bytes) }));
  named.sort((a, b) => (a.name < b.name ? -1 : 1));
  const parts: CompiledPackage['modules'][] = [];
  for (const { bytes, name } of named) {
    const isFull = (parts.at(-1)?.length ?? modulesMax) >= modulesMax;
    if (isFull && !name.endsWith('_parts')) parts.push([]);
    parts.at(-1)!.push(bytes);
  }
  return parts.map((part) => ({ modules: part, dependencies, digest }));
}

function readName(bytes: Uint8Array): string {
  const module = deserialize(bytes);
  return module.identifiers[module.module_handles[module.self_module_handle_idx].name];
}
