import { compileFramework, compileSources } from '@adaptor-marketplace/move-toolchain';
import { toBase58 } from '@mysten/sui/utils';
import { txContextValue } from '../../src/execution/framework.ts';
import { linkModule } from '../../src/vm/code/linkage.ts';
import { VmError } from '../../src/vm/errors.ts';
import { STD, SUI, SUI_SYSTEM } from '../../src/vm/framework.ts';
import type { LoadedPackage } from '../../src/vm/loader/package.ts';
import { Meter } from '../../src/vm/meter.ts';
import { ProvenanceMachine } from '../../src/vm/provenance/machine.ts';
import { Session } from '../../src/vm/runtime/session.ts';
import type { TransactionFacts } from '../../src/vm/runtime/transaction-context.ts';
import type { Type } from '../../src/vm/types.ts';
import { ByteVector, Ref, StructValue, type Value } from '../../src/vm/values.ts';
import { verifyPackage } from '../../src/vm/verifier/index.ts';
import type { Parameter } from './expressions.ts';
import { type Operation, writeOperation } from './operation.ts';
import { CertifiedPackages, placeAt } from './packages.ts';
import { prelude, wallet } from './prelude.ts';
import type { Random } from './random.ts';
import type { Statistics } from './statistics.ts';

const MANIFEST = '[package]\nname = "demo"\nedition = "2024"\n[addresses]\ndemo = "0x0"\n';
const PACKAGE = `0x${'9e'.repeat(32)}`;

/** Functions in one module, whose tables bound how much it may hold. */
const PER_MODULE = 40;
const MAX_UNITS = 2_000_000;

/** Calls of one world, whose vaults keep what earlier calls put there. */
const CALLS = 20;

const address = (digits: string) => `0x${digits.padStart(64, '0')}`;
const people = ['a11ce', 'b0b', 'ca401', '0'].map(address);

/** Random functions in a package that the chain would accept. */
export class GeneratedPrograms {
  readonly operations: readonly Operation[];
  readonly packages: CertifiedPackages;
  readonly #owner: LoadedPackage;
  #transactions = 0;

  private constructor(operations: readonly Operation[], packages: CertifiedPackages) {
    this.operations = operations;
    this.packages = packages;
    this.#owner = packages.load(PACKAGE);
  }

  /** @throws MoveCompileError if the generator writes code that does not compile */
  static async compile(count: number, random: Random): Promise<GeneratedPrograms> {
    const operations = Array.from({ length: count }, (_, i) => writeOperation(`op_${i}`, random));
    const files: Record<string, string> = {
      'Move.toml': MANIFEST,
      'sources/wallet.move': wallet,
      'sources/world.move': prelude,
    };
    for (let k = 0; k * PER_MODULE < count; k += 1) {
      const part = operations.slice(k * PER_MODULE, (k + 1) * PER_MODULE);
      files[`sources/ops_${k}.move`] = writeModule(k, part);
    }
    const [{ modules }, framework] = [await compileSources(files), await compileFramework()];
    const packages = new CertifiedPackages(
      new Map([
        [STD, [...framework.stdlib.values()]],
        [SUI, [...framework.sui.values()]],
        [SUI_SYSTEM, [...framework.suiSystem.values()]],
        [PACKAGE, modules.map((bytes) => placeAt(bytes, PACKAGE))],
      ]),
    );
    verifyPackage(packages.load(PACKAGE));
    return new GeneratedPrograms(operations, packages);
  }

  /** Calls functions with random arguments, in worlds of random objects. */
  run(executions: number, statistics: Statistics, random: Random): void {
    for (let done = 0; done < executions; done += CALLS) this.#runWorld(statistics, random);
  }

  #runWorld(statistics: Statistics, random: Random): void {
    this.#transactions += 1;
    const world = new World(this.#owner, random, statistics, this.packages, this.#transactions);
    for (let i = 0; i < CALLS; i += 1) {
      const index = random.below(this.operations.length);
      world.call(this.operations[index]!, `ops_${Math.floor(index / PER_MODULE)}`);
    }
  }
}

function writeModule(index: number, operations: readonly Operation[]): string {
  const uses = [
    ...[
      'use demo::world::{WORLD as M, Vault, Box};',
      'use demo::wallet::Wallet;',
      'use sui::coin::{Self, Coin};',
    ],
    ...['use sui::balance::{Self, Balance};', 'use sui::clock::Clock;'],
  ];
  const head = `#[allow(unused, lint(self_transfer, share_owned, freeze_wrapped))]\nmodule demo::ops_${index} {`;
  return [head, ...uses, ...operations.map(({ text }) => text), '}'].join('\n');
}

/** Objects that calls are made with. */
class World {
  readonly #owner: LoadedPackage;
  readonly #random: Random;
  readonly #machine: ProvenanceMachine;
  readonly #context: [Value];
  readonly #vaults: [Value][];
  readonly #wallets: [Value][];
  readonly #clock: Value;

  constructor(
    owner: LoadedPackage,
    random: Random,
    statistics: Statistics,
    packages: CertifiedPackages,
    seed: number,
  ) {
    this.#owner = owner;
    this.#random = random;
    const digest = new Uint8Array(32);
    new DataView(digest.buffer).setUint32(0, seed);
    const facts = factsFor(random, digest);
    const meter = new Meter(MAX_UNITS);
    const session = new Session(
      facts,
      () => undefined,
      meter,
      () => 1_000_000n,
    );
    this.#machine = new ProvenanceMachine(meter, session, {
      isObserved: ({ name }) => name.startsWith('op_'),
      record: (execution) => {
        const fn = owner.module(execution.module.split('::')[1]!)!.function(execution.function)!;
        statistics.add(execution, packages.certificate(fn));
      },
    });
    const { sender, epoch, epochTimestampMs } = facts;
    this.#context = [txContextValue(sender, new ByteVector(digest), epoch, epochTimestampMs)];
    this.#vaults = [0, 1, 2].map(() => [this.#newVault()]);
    this.#wallets = [0, 1].map(() => [
      this.#make('new_wallet', [this.#number(), this.#vault(0), this.#person()]),
    ]);
    const id = new StructValue([new StructValue([address('6')])]);
    this.#clock = new StructValue([id, BigInt(random.below(1000))]);
  }

  /** Calls a function. What it aborts with does not matter. */
  call(operation: Operation, moduleName: string): void {
    const vaults = [0, 1, 2];
    const wallets = [0, 1];
    const args = operation.parameters.map(({ made }) => this.#argument(made, vaults, wallets));
    if (args.includes(undefined)) return;
    const types = operation.isGeneric ? [this.#boxType()] : [];
    try {
      this.#run(moduleName, operation.name, args as Value[], types);
    } catch (error) {
      if (!(error instanceof VmError)) throw error;
    }
  }

  /** Undefined if there is no other object to borrow. */
  #argument(made: Parameter['made'], vaults: number[], wallets: number[]): Value | undefined {
    switch (made) {
      case 'vault':
      case 'view': {
        const index = vaults.shift();
        return index === undefined ? undefined : this.#vault(index);
      }
      case 'wallet': {
        const index = wallets.shift();
        return index === undefined ? undefined : new Ref(this.#wallets[index]!, 0);
      }
      case 'coin':
        return this.#newCoin();
      case 'purse':
        return new Ref([this.#newCoin()], 0);
      case 'box':
      case 'thing':
        return this.#newBox();
      case 'boxRef':
        return new Ref([this.#newBox()], 0);
      case 'number':
        return this.#number();
      case 'address':
        return this.#person();
      case 'flag':
        return this.#random.below(2) === 0;
      case 'clock':
        return new Ref([this.#clock], 0);
    }
  }

  #vault(index: number): Ref {
    return new Ref(this.#vaults[index]!, 0);
  }

  #number(): bigint {
    return BigInt(this.#random.pick([0, 1, 2, 7, 40, 100, 300, 999, this.#random.below(5000)]));
  }

  #person(): string {
    return this.#random.pick(people);
  }

  #newVault(): Value {
    const witness = new StructValue([true]);
    const flag = this.#random.below(2) === 0;
    return this.#make('new_vault', [
      witness,
      this.#number(),
      this.#person(),
      this.#person(),
      this.#number(),
      flag,
    ]);
  }

  #newCoin(): Value {
    return this.#make('new_coin', [this.#number(), this.#vault(2)]);
  }

  #newBox(): Value {
    return this.#make('new_box', [this.#number(), this.#vault(2), this.#person()]);
  }

  #boxType(): Type {
    return this.#owner.module('world')!.function('new_box')!.returns[0]!;
  }

  #make(name: string, args: Value[]): Value {
    return this.#run('world', name, args, [])[0]!;
  }

  #run(moduleName: string, name: string, args: Value[], types: Type[]): Value[] {
    const module = this.#owner.module(moduleName)!;
    const linked = linkModule(this.#owner, module).function(module.function(name)!);
    return this.#machine.run(linked, types, [...args, new Ref(this.#context, 0)]);
  }
}

function factsFor(random: Random, digest: Uint8Array): TransactionFacts {
  return {
    transactionDigest: toBase58(digest),
    sender: random.pick(people),
    sponsor: undefined,
    epoch: BigInt(random.below(20)),
    epochTimestampMs: BigInt(random.below(1_000)),
    referenceGasPrice: 1_000n,
    gasPrice: 1_000n,
    gasBudget: 50_000_000n,
  };
}
