import { compileFramework } from '@adaptor-marketplace/move-toolchain';
import { bcs } from '@mysten/sui/bcs';
import { toBase58 } from '@mysten/sui/utils';
import type { MoveObject, PackageObject, StoredObject } from '../../state/objects.ts';
import { STD, SUI, SUI_SYSTEM } from '../../vm/framework.ts';
import { deserializeModule } from '../../vm/loader/bytecode.ts';
import { PackageCache } from '../../vm/loader/package.ts';
import { executeTransaction } from '../execute.ts';
import type { Command, ExecutionInput, ExecutionOutcome } from '../types.ts';
import { ALICE, input, publishCommand, pure, result, transfer } from './commands.ts';

/** For tests: objects in a map, transactions run one after another, no ledger. */
export class TestChain {
  readonly objects = new Map<string, StoredObject>();
  readonly packages = new PackageCache();
  #transactions = 0;

  static async open(): Promise<TestChain> {
    const { stdlib, sui, suiSystem } = await compileFramework();
    const chain = new TestChain();
    chain.addPackage(STD, stdlib, []);
    chain.addPackage(SUI, sui, [STD]);
    chain.addPackage(SUI_SYSTEM, suiSystem, [STD, SUI]);
    return chain;
  }

  addPackage(id: string, modules: Map<string, Uint8Array>, dependencies: string[]): void {
    const typeOrigins = [...modules].flatMap(([module, bytes]) => {
      const json = deserializeModule(bytes);
      const handles = [
        ...json.struct_defs.map((definition) => definition.struct_handle),
        ...json.enum_defs.map((definition) => definition.enum_handle),
      ];
      return handles.map((handle) => ({
        module,
        datatype: json.identifiers[json.datatype_handles[handle]!.name]!,
        packageId: id,
      }));
    });
    const linkage: PackageObject['linkage'] = new Map(
      dependencies.map((dependency) => [dependency, { storageId: dependency, version: 1n }]),
    );
    const head = { kind: 'package', id, version: 1n, originalId: id, previousTransaction: '' } as const;
    this.objects.set(id, { ...head, modules, typeOrigins, linkage });
  }

  addCoin(id: string, owner: string, balance: bigint): MoveObject {
    const contents = bcs
      .struct('Coin', { id: bcs.Address, balance: bcs.u64() })
      .serialize({ id, balance })
      .toBytes();
    const coin: MoveObject = {
      kind: 'move',
      id,
      version: 1n,
      type: `${SUI}::coin::Coin<${SUI}::sui::SUI>`,
      owner: { kind: 'address', address: owner },
      contents,
      hasPublicTransfer: true,
      previousTransaction: '',
    };
    this.objects.set(id, coin);
    return coin;
  }

  object(id: string): MoveObject {
    const object = this.objects.get(id);
    if (object?.kind !== 'move') throw new Error(`${id} is not an object`);
    return object;
  }

  /** Runs a transaction; what it changed is kept when it succeeds. */
  run(commands: Command[], options: Partial<ExecutionInput> = {}): ExecutionOutcome {
    this.#transactions += 1;
    const digest = new Uint8Array(32);
    new DataView(digest.buffer).setUint32(0, this.#transactions);
    const outcome = executeTransaction(
      {
        transactionDigest: toBase58(digest),
        sender: ALICE,
        sponsor: undefined,
        epoch: 3n,
        epochTimestampMs: 1_700_000_000_000n,
        referenceGasPrice: 1000n,
        gasPrice: 1000n,
        gasBudget: 5_000_000n,
        inputs: [],
        commands,
        gasCoin: undefined,
        maxComputationUnits: 5_000_000n,
        maxOutputBytes: 1_000_000,
        readObject: (id) => this.objects.get(id),
        ...options,
      },
      this.packages,
    );
    if (outcome.failure === undefined) this.#commit(outcome);
    return outcome;
  }

  /** Compiles and publishes sources, the UpgradeCap going to the sender; answers the package's id. */
  async publish(sources: Record<string, string>, name = 'demo'): Promise<string> {
    const outcome = this.run([await publishCommand(sources, name), transfer([result(0)], input(0))], {
      inputs: [pure(bcs.Address, ALICE)],
    });
    const [published] = outcome.packages;
    if (published === undefined) throw new Error(JSON.stringify(outcome.failure));
    return published.id;
  }

  #commit(outcome: ExecutionOutcome): void {
    for (const content of outcome.packages) {
      this.objects.set(content.id, { ...content, previousTransaction: '' });
    }
    for (const write of outcome.writes) {
      if (!('contents' in write)) {
        this.objects.delete(write.id);
        continue;
      }
      const { change: _, ...rest } = write;
      const owner = rest.owner.kind === 'shared' ? { ...rest.owner, initialSharedVersion: 1n } : rest.owner;
      const before = this.objects.get(write.id);
      const version = (before?.version ?? 0n) + 1n;
      this.objects.set(write.id, { ...rest, kind: 'move', owner, version, previousTransaction: '' });
    }
  }
}
