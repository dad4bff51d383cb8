import { fileURLToPath } from 'node:url';
import { compilePackage } from '@adaptor-marketplace/move-toolchain';
import { bcs } from '@mysten/sui/bcs';
import { toBase64 } from '@mysten/sui/utils';
import type { Argument } from '../../execution/types.ts';
import { clockId } from '../move-types.ts';
import type { ExecutedTransaction, UnresolvedTransaction } from '../types.ts';
import type { Account } from './network.ts';

const directory = fileURLToPath(new URL('../../../../../move/registry', import.meta.url));

/** The registry of this repository, published on a test network. */
export class Registry {
  readonly packageId: string;
  readonly objectId: string;
  readonly publication: ExecutedTransaction;

  private constructor(publication: ExecutedTransaction) {
    const find = (ending: string) => publication.objects.find(({ type }) => type.endsWith(ending))?.id ?? '';
    this.publication = publication;
    this.packageId = find('package');
    this.objectId = find('::registry::Registry');
  }

  static async publish(account: Account): Promise<Registry> {
    const { modules, dependencies } = await compilePackage(directory);
    const publication = await send(account, {
      sender: account.address,
      inputs: [{ kind: 'pure', bytes: Buffer.from(account.address.slice(2), 'hex') }],
      commands: [
        { $kind: 'Publish', Publish: { modules: modules.map((module) => toBase64(module)), dependencies } },
        {
          $kind: 'TransferObjects',
          TransferObjects: { objects: [{ $kind: 'Result', Result: 0 }], address: input(0) },
        },
      ],
      gas: {},
    });
    return new Registry(publication);
  }

  /** A draft of `register` for a witness of this package, naming its objects by id alone. */
  registration(account: Account, witness: string): UnresolvedTransaction {
    const pure = (bytes: Uint8Array) => ({ kind: 'pure' as const, bytes });
    return {
      sender: account.address,
      inputs: [
        { kind: 'object', objectId: this.objectId },
        pure(Buffer.from(this.packageId.slice(2), 'hex')),
        pure(bcs.string().serialize(`${this.packageId}::registry::${witness}`).toBytes()),
        pure(bcs.string().serialize('walrus://manifest').toBytes()),
        pure(bcs.byteVector().serialize(new Uint8Array(32)).toBytes()),
        { kind: 'object', objectId: clockId },
      ],
      commands: [
        {
          $kind: 'MoveCall',
          MoveCall: {
            package: this.packageId,
            module: 'registry',
            function: 'register',
            typeArguments: [],
            arguments: [0, 1, 2, 3, 4, 5].map(input),
          },
        },
      ],
      gas: {},
    };
  }

  async register(account: Account, witness: string): Promise<ExecutedTransaction> {
    return send(account, this.registration(account, witness));
  }
}

/** Has the ledger fill in a draft, signs and executes it. */
export async function send(account: Account, draft: UnresolvedTransaction): Promise<ExecutedTransaction> {
  const { transaction } = account.ledger.simulate(draft, { selectGas: true });
  return account.ledger.execute(transaction.bcs, [await account.sign(transaction.bcs)]);
}

function input(index: number): Argument {
  return { $kind: 'Input', Input: index };
}
