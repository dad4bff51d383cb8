import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Certifier } from '@adaptor-marketplace/adaptor/certify';
import {
  type ExplainFacts,
  type FunctionFact,
  listTypeOrigins,
  type ObjectFact,
} from '@adaptor-marketplace/adaptor/explain';
import { compilePackage, compileSources } from '@adaptor-marketplace/move-toolchain';
import { bcs } from '@mysten/sui/bcs';
import { toBase64 } from '@mysten/sui/utils';
import { TestChain } from '../../src/execution/testing/chain.ts';
import { ALICE, call, input, pure, result, transfer } from '../../src/execution/testing/commands.ts';
import type { ExecutionOutcome } from '../../src/execution/types.ts';
import type { MoveObject, PackageObject } from '../../src/state/objects.ts';

const moveDir = join(import.meta.dirname, '../../../../move');

export const sui = `0x${'2'.padStart(64, '0')}::sui::SUI`;
export const coinType = `0x${'2'.padStart(64, '0')}::coin::Coin<${sui}>`;
/** Recipient of the pools' fees. Its address is stored on chain, and no transaction names it. */
export const treasury = `0x${'7ea5'.padStart(64, '0')}`;

/** A chain with pools, a wallet of the demo, and packages that move money between them. */
export class World {
  readonly chain: TestChain;
  readonly bazaar: string;
  readonly wallet: string;
  readonly #functions = new Map<string, FunctionFact>();
  readonly #certifiers = new Map<
    string,
    { certifier: Certifier; typeOrigins: ReadonlyMap<string, string> }
  >();
  #coins = 0;

  private constructor(chain: TestChain, bazaar: string, wallet: string) {
    this.chain = chain;
    this.bazaar = bazaar;
    this.wallet = wallet;
  }

  static async open(): Promise<World> {
    const chain = await TestChain.open();
    const source = await readFile(join(import.meta.dirname, 'bazaar.move'), 'utf8');
    const manifest = '[package]\nname = "bazaar"\nedition = "2024"\n[addresses]\nbazaar = "0x0"\n';
    const compiled = [
      await compileSources({ 'Move.toml': manifest, 'sources/bazaar.move': source }),
      await compilePackage(join(moveDir, 'wallet'), { allowUnpublished: true }),
    ];
    const ids = compiled.map(({ modules, dependencies }) => {
      const Publish = { modules: modules.map((bytes) => toBase64(bytes)), dependencies };
      const inputs = [pure(bcs.Address, ALICE)];
      const outcome = chain.run([{ $kind: 'Publish', Publish }, transfer([result(0)], input(0))], { inputs });
      return outcome.packages[0]!.id;
    });
    const world = new World(chain, ids[0]!, ids[1]!);
    world.#setUp();
    return world;
  }

  #setUp(): void {
    for (let i = 0; i < 2; i += 1) {
      this.chain.run([call(`${this.bazaar}::bazaar::open`, [input(0)])], {
        inputs: [pure(bcs.Address, treasury)],
      });
    }
    this.chain.run([call(`${this.wallet}::wallet::create_and_share`)]);
    const [pool] = this.list('::bazaar::Pool');
    const [wallet] = this.list('::wallet::Wallet');
    for (const [target, object] of [
      [`${this.bazaar}::bazaar::put`, pool],
      [`${this.wallet}::wallet::deposit`, wallet],
    ] as const) {
      const inputs = [
        { kind: 'object' as const, object: object!, mutable: true },
        { kind: 'object' as const, object: this.newCoin(1_000_000n), mutable: true },
      ];
      const types = target.endsWith('deposit') ? [sui] : [];
      this.chain.run([call(target, [input(0), input(1)], types)], { inputs });
    }
  }

  /** Gives Alice a coin. */
  newCoin(balance: bigint): MoveObject {
    this.#coins += 1;
    return this.chain.addCoin(`0x${`c01${this.#coins}`.padStart(64, 'c')}`, ALICE, balance);
  }

  /** The objects whose type ends with the name. */
  list(name: string): MoveObject[] {
    return [...this.chain.objects.values()].filter(
      (each): each is MoveObject => each.kind === 'move' && each.type.endsWith(name),
    );
  }

  facts(): ExplainFacts {
    const objects = new Map<string, ObjectFact>();
    for (const object of this.chain.objects.values()) {
      if (object.kind === 'move') objects.set(object.id, toFact(object));
    }
    return { objects, functions: this.#functions, upgrades: new Map() };
  }

  /** Certifies a function that a transaction calls. */
  certify(packageId: string, module: string, name: string): void {
    const key = `${packageId}::${module}::${name}`;
    if (this.#functions.has(key)) return;
    const known = this.#certifiers.get(packageId) ?? this.#openCertifier(packageId);
    this.#certifiers.set(packageId, known);
    const certificate = known.certifier.certify({ module, function: name });
    this.#functions.set(key, { certificate, typeOrigins: known.typeOrigins });
  }

  #openCertifier(packageId: string) {
    const contents = [...this.chain.objects.values()]
      .filter((each) => each.kind === 'package')
      .map(toContent);
    const root = contents.find(({ id }) => id === packageId)!;
    const program = { root, dependencies: contents.filter((each) => each !== root) };
    return { certifier: new Certifier(program), typeOrigins: listTypeOrigins(program) };
  }

  /** SUI in the coins of an address, or in the wallet. */
  balance(owner: string): bigint {
    let sum = 0n;
    for (const object of this.chain.objects.values()) {
      if (object.kind !== 'move' || !('address' in object.owner) || object.owner.address !== owner) continue;
      const isMoney = object.type === coinType || object.type.includes(`::balance::Balance<${sui}>`);
      if (isMoney) sum += readBalance(object);
    }
    return sum;
  }
}

/** Moves of the funds of an address in an execution. */
export const changeOfFunds = (outcome: ExecutionOutcome, owner: string): bigint =>
  outcome.funds
    .filter((each) => each.owner === owner)
    .reduce((sum, { operation, amount }) => sum + (operation === 'merge' ? amount : -amount), 0n);

/** Money is the last field of a coin, and of a dynamic field of a wallet. */
const readBalance = ({ contents }: MoveObject): bigint =>
  new DataView(contents.buffer, contents.byteOffset).getBigUint64(contents.length - 8, true);

function toFact(object: MoveObject): ObjectFact {
  const { id, type, owner } = object;
  const balance = type === coinType ? readBalance(object) : undefined;
  switch (owner.kind) {
    case 'shared':
    case 'immutable':
      return { id, type, balance, owner: { kind: owner.kind } };
    case 'object':
      return { id, type, balance, owner: { kind: 'object', id: owner.address } };
    default:
      return { id, type, balance, owner: { kind: 'address', address: owner.address } };
  }
}

function toContent({ id, originalId, version, modules, typeOrigins, linkage }: PackageObject) {
  return {
    id,
    originalId,
    version,
    modules,
    typeOrigins: new Map(
      typeOrigins.map(({ module, datatype, packageId }) => [`${module}::${datatype}`, packageId]),
    ),
    linkage: new Map([...linkage].map(([original, { storageId }]) => [original, storageId])),
  };
}
