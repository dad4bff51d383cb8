import { bcs } from '@mysten/sui/bcs';
import {
  ALICE,
  BOB,
  call,
  gasCoin,
  input,
  nested,
  objectInput,
  transfer,
} from '../../src/execution/testing/commands.ts';
import type { Argument, Command, ExecutionArgument } from '../../src/execution/types.ts';
import type { MoveObject } from '../../src/state/objects.ts';
import type { Random } from '../certificates/random.ts';
import { sui, type World } from './world.ts';

/** A random transaction, as the execution takes it. */
export interface GeneratedTransaction {
  inputs: ExecutionArgument[];
  commands: Command[];
  gas: MoveObject;
}

/** Writes transactions of Alice that use her coins and notes, the pools and her wallet. Few of them fail. */
export function generateTransaction(world: World, random: Random): GeneratedTransaction {
  return new Generator(world, random).write();
}

class Generator {
  readonly #world: World;
  readonly #random: Random;
  readonly #inputs: ExecutionArgument[] = [];
  readonly #commands: Command[] = [];
  /** Values that a command can take. */
  readonly #coins: Argument[] = [];
  readonly #notes: Argument[] = [];
  readonly #objects = new Map<string, Argument>();
  readonly #gas: MoveObject;

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
    this.#gas = world.newCoin(5_000n);
    for (let i = random.below(3); i >= 0; i -= 1)
      this.#coins.push(this.#object(world.newCoin(this.#number() + 50n)));
    const own = world
      .list('::bazaar::Note')
      .filter(({ owner }) => 'address' in owner && owner.address === ALICE);
    for (const note of own.slice(-2)) this.#notes.push(this.#object(note));
  }

  write(): GeneratedTransaction {
    for (let i = this.#random.below(6); i >= 0; i -= 1) this.#random.pick(this.#steps)();
    // Move refuses values that are left over.
    const left = [...this.#coins, ...this.#notes].filter(({ $kind }) => $kind !== 'Input');
    if (left.length > 0) this.#commands.push(transfer(left, this.#person()));
    return { inputs: this.#inputs, commands: this.#commands, gas: this.#gas };
  }

  readonly #steps: readonly (() => void)[] = [
    () => this.#coins.push(...this.#do(split(this.#borrowCoin(), [this.#amount(), this.#amount()]), 2)),
    () => this.#coins.push(...this.#do(split(gasCoin, [this.#amount()]), 1)),
    () => this.#withCoin((coin) => this.#do(merge(this.#borrowCoin(), [coin]))),
    () => this.#withCoin((coin) => this.#do(merge(gasCoin, [coin]))),
    () => this.#withCoin((coin) => this.#do(transfer([coin], this.#person()))),
    () => this.#withNote((note) => this.#do(transfer([note], this.#person()))),
    () => this.#bazaar('pay_code', [this.#borrowCoin(), this.#amount()]),
    () => this.#bazaar('pay_twice', [this.#borrowCoin(), this.#amount(), this.#person()]),
    () => this.#bazaar('pay_often', [this.#borrowCoin(), this.#amount()]),
    () =>
      this.#withCoin((coin) =>
        this.#coins.push(...this.#bazaar('pay_and_return', [coin, this.#amount(), this.#person()], 1)),
      ),
    () => this.#withCoin((coin) => this.#bazaar('pay_treasury', [this.#pool(), coin])),
    () => this.#withCoin((coin) => this.#bazaar('pay_some', [this.#pool(), coin, this.#flag()])),
    () =>
      this.#withCoin((coin) =>
        this.#withCoin((other) => this.#bazaar('pay_all', [this.#list([coin, other]), this.#person()])),
      ),
    () => this.#withCoin((coin) => this.#bazaar('fund', [coin, this.#person()])),
    () => this.#withCoin((coin) => this.#bazaar('put', [this.#pool(), coin])),
    () => this.#bazaar('put_part', [this.#pool(), this.#borrowCoin(), this.#amount()]),
    () => this.#coins.push(...this.#bazaar('take', [this.#pool(), this.#amount()], 1)),
    () => this.#bazaar('take_for_sender', [this.#pool(), this.#amount()]),
    () => this.#withCoin((coin) => this.#coins.push(...this.#bazaar('swap', [this.#pool(), coin], 2))),
    () => this.#borrowAndRepay(),
    () => this.#withCoin((coin) => this.#notes.push(...this.#bazaar('write', [coin], 1))),
    () => this.#withCoin((coin) => this.#useNote((note) => this.#bazaar('add', [note, coin]))),
    () => this.#useNote((note) => this.#coins.push(...this.#bazaar('draw', [note, this.#amount()], 1))),
    () => this.#useNote((note) => this.#bazaar('drain', [note, this.#pool()])),
    () => this.#withNote((note) => this.#coins.push(...this.#bazaar('cash', [note], 1))),
    () =>
      this.#withNote((note) =>
        this.#bazaar(this.#random.pick(['surrender', 'publish', 'freeze_it']), [note]),
      ),
    () => this.#withNote((note) => this.#notes.push(...this.#bazaar('pass', [note], 1, [this.#noteType]))),
    () => this.#withNote((note) => this.#bazaar('give', [note, this.#person()], 0, [this.#noteType])),
    () => this.#exchange(),
    () => this.#coins.push(...this.#do(split(this.#borrowCoin(), [this.#half()]), 1)),
    () => this.#withCoin((coin) => this.#do(transfer([coin], this.#chosen()))),
    () => this.#withCoin((coin) => this.#wallet('deposit', [coin], 0, [sui])),
    () => this.#coins.push(...this.#wallet('withdraw_coin', [this.#amount()], 1, [sui])),
    () => this.#wallet('take_coin', [this.#amount()], 0, [sui]),
    () => this.#withNote((note) => this.#wallet('add_asset', [note, this.#name()], 0, [this.#noteType])),
  ];

  get #noteType(): string {
    return `${this.#world.bazaar}::bazaar::Note`;
  }

  /** Adds a command. Returns its results. */
  #do(command: Command, results = 0): Argument[] {
    this.#commands.push(command);
    const index = this.#commands.length - 1;
    return Array.from({ length: results }, (_, at) => nested(index, at));
  }

  #bazaar(name: string, args: Argument[], results = 0, types: string[] = []): Argument[] {
    this.#world.certify(this.#world.bazaar, 'bazaar', name);
    return this.#do(call(`${this.#world.bazaar}::bazaar::${name}`, args, types), results);
  }

  #wallet(name: string, args: Argument[], results = 0, types: string[] = []): Argument[] {
    this.#world.certify(this.#world.wallet, 'wallet', name);
    const wallet = this.#object(this.#world.list('::wallet::Wallet')[0]!);
    return this.#do(call(`${this.#world.wallet}::wallet::${name}`, [wallet, ...args], types), results);
  }

  #borrowAndRepay(): void {
    const pool = this.#pool();
    const [coin, loan] = this.#bazaar('lend', [pool, this.#amount()], 2);
    this.#bazaar('repay', [pool, coin!, loan!]);
  }

  #exchange(): void {
    const [a, b] = this.#notes;
    if (a && b) this.#bazaar('exchange', [a, b]);
  }

  #half(): Argument {
    return this.#bazaar('half', [this.#borrowCoin()], 1)[0]!;
  }

  #chosen(): Argument {
    return this.#bazaar('choose', [this.#flag()], 1)[0]!;
  }

  #list(coins: Argument[]): Argument {
    return this.#do({ $kind: 'MakeMoveVec', MakeMoveVec: { type: null, elements: coins } }, 1)[0]!;
  }

  #withCoin(use: (coin: Argument) => void): void {
    this.#withOne(this.#coins, use);
  }

  #withNote(use: (note: Argument) => void): void {
    this.#withOne(this.#notes, use);
  }

  #useNote(use: (note: Argument) => void): void {
    const note = this.#notes.at(-1);
    if (note) use(note);
  }

  #withOne(values: Argument[], use: (value: Argument) => void): void {
    const [taken] = values.splice(this.#random.below(Math.max(1, values.length)), 1);
    if (taken) use(taken);
  }

  #borrowCoin(): Argument {
    return this.#coins.length === 0 ? gasCoin : this.#random.pick(this.#coins);
  }

  #pool(): Argument {
    return this.#object(this.#random.pick(this.#world.list('::bazaar::Pool').slice(0, 1)));
  }

  #object(object: MoveObject): Argument {
    const known = this.#objects.get(object.id) ?? this.#input(objectInput(object));
    this.#objects.set(object.id, known);
    return known;
  }

  #input(argument: ExecutionArgument): Argument {
    this.#inputs.push(argument);
    return input(this.#inputs.length - 1);
  }

  #number(): bigint {
    return BigInt(this.#random.below(40));
  }

  #pure(bytes: Uint8Array): Argument {
    return this.#input({ kind: 'pure', bytes });
  }

  #amount(): Argument {
    return this.#pure(
      bcs
        .u64()
        .serialize(this.#number() + 1n)
        .toBytes(),
    );
  }

  #person(): Argument {
    return this.#pure(bcs.Address.serialize(this.#random.pick([ALICE, BOB])).toBytes());
  }

  #flag(): Argument {
    return this.#pure(
      bcs
        .bool()
        .serialize(this.#random.below(2) === 0)
        .toBytes(),
    );
  }

  #name(): Argument {
    return this.#pure(
      bcs
        .string()
        .serialize(`note ${this.#random.below(1_000_000)}`)
        .toBytes(),
    );
  }
}

const split = (coin: Argument, amounts: Argument[]): Command => ({
  $kind: 'SplitCoins',
  SplitCoins: { coin, amounts },
});
const merge = (destination: Argument, sources: Argument[]): Command => ({
  $kind: 'MergeCoins',
  MergeCoins: { destination, sources },
});
