import { join } from 'node:path';
import { TestChain } from '@adaptor-marketplace/localnet/execution/testing/chain';
import type { ExecutionOutcome } from '@adaptor-marketplace/localnet/execution/types';
import type { StoredObject } from '@adaptor-marketplace/localnet/state/objects';
import type { CompiledPackage, PackageFiles } from '@adaptor-marketplace/move-toolchain';
import { compilePackage, compileSources } from '@adaptor-marketplace/move-toolchain';
import { readPackage } from '@adaptor-marketplace/move-toolchain/sources';
import { bcs } from '@mysten/sui/bcs';
import { toBase64 } from '@mysten/sui/utils';
import { moveDir } from '../../../lib/contracts/move-dir.ts';
import { actors } from './actors.ts';
import { startClock } from './clock.ts';
import { populate } from './genesis.ts';
import { readSignatures, type Signature } from './signatures.ts';

/** Folders of the contracts below `move`, by the names of their packages, in the order of their publication. */
export const folders = {
  wallet: 'wallet',
  rules: 'rules',
  escrow: 'escrow',
  adaptor_registry: 'registry',
  agents: 'agents',
} as const;
export type PackageName = keyof typeof folders;

/** Publishes the contracts, and holds their upgrade caps. */
const publisher = actors[3]!;

/** The contracts with their coins on a chain, before any wallet. It serves sequences one after the other. */
export interface World {
  chain: TestChain;
  /** Ids by the package's name, also `market`. */
  packages: Readonly<Record<string, string>>;
  signatures: readonly Signature[];
  /** Objects with which each sequence begins. */
  genesis: ReadonlyMap<string, StoredObject>;
}

/** @param replaced sources of packages instead of those of the repository */
export async function openWorld(replaced: Partial<Record<PackageName, PackageFiles>> = {}): Promise<World> {
  const chain = await TestChain.open();
  const packages: Record<string, string> = {};
  const signatures: Signature[] = [];
  const publish = (name: string, compiled: CompiledPackage) => {
    const modules = compiled.modules.map((bytes) => toBase64(bytes));
    const made = must(
      chain.run(
        [
          { $kind: 'Publish', Publish: { modules, dependencies: compiled.dependencies } },
          {
            $kind: 'TransferObjects',
            TransferObjects: {
              objects: [{ $kind: 'Result', Result: 0 }],
              address: { $kind: 'Input', Input: 0 },
            },
          },
        ],
        {
          sender: publisher,
          inputs: [{ kind: 'pure', bytes: bcs.Address.serialize(publisher).toBytes() }],
        },
      ),
    );
    packages[name] = made.packages[0]!.id;
  };
  for (const [name, folder] of Object.entries(folders) as [PackageName, string][]) {
    const base = join(moveDir, folder);
    const files = replaced[name] ?? (await readPackage(base));
    publish(name, await compileSources(files, { base, published: packages }));
    signatures.push(...readSignatures(name, files));
  }
  publish('market', await compilePackage(join(import.meta.dirname, 'market'), { published: packages }));
  startClock(chain);
  populate({ chain, packages });
  return { chain, packages, signatures, genesis: new Map(chain.objects) };
}

function must(outcome: ExecutionOutcome): ExecutionOutcome {
  if (outcome.failure) throw new Error(`the set-up failed: ${outcome.failure.reason.kind}`);
  return outcome;
}
