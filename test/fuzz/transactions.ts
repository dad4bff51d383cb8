import { bcs } from '@mysten/sui/bcs';
import type fc from 'fast-check';
import { type Tape, tape } from '../support/tape.ts';
import type { Host } from './host.ts';

const framework = [
  'coin::split',
  'coin::join',
  'coin::value',
  'coin::into_balance',
  'balance::withdraw_all',
  'transfer::public_transfer',
  'transfer::public_share_object',
  'transfer::public_freeze_object',
  'dynamic_field::add',
  'package::authorize_upgrade',
  'no_module::no_function',
].map((name) => `0x2::${name}`);

const types = [
  '0x2::sui::SUI',
  'u64',
  'address',
  'vector<vector<u8>>',
  '0x2::coin::Coin<0x2::sui::SUI>',
  '0x2::balance::Balance<0x2::sui::SUI>',
  '0x1::option::Option<0x2::package::UpgradeCap>',
];

const digest = '11111111111111111111111111111111';

/** Transactions in base64 over functions and objects of the host. Arguments need not fit or exist. */
export function makeTransactions({ words }: Host): fc.Arbitrary<string> {
  const named = [...words.values()].flat().filter((text) => /^0x[0-9a-f]+::\w+::\w+$/.test(text));
  const writer = new TransactionWriter(
    [...framework, ...named],
    ['0x6', '0x2', '0x0', ...(words.get('address') ?? [])],
  );
  return tape.map((decisions) => writer.write(decisions));
}

class TransactionWriter {
  readonly #functions: readonly string[];
  readonly #addresses: readonly string[];

  constructor(functions: readonly string[], addresses: readonly string[]) {
    this.#functions = functions;
    this.#addresses = addresses;
  }

  write(decisions: Tape): string {
    const commands = decisions.repeat(16, () => this.#makeCommand(decisions));
    const inputs = decisions.repeat(12, () => this.#makeInput(decisions));
    const gasData = {
      payment: decisions.repeat(3, () => this.#makeReference(decisions)),
      owner: decisions.pick(this.#addresses),
      price: '1000',
      budget: decisions.pick(['5000000', '0', '18446744073709551615']),
    };
    const data = {
      kind: { ProgrammableTransaction: { inputs, commands } },
      sender: decisions.pick(this.#addresses),
      gasData,
      expiration: decisions.once(4) ? { Epoch: '1' } : { None: true as const },
    };
    return bcs.TransactionData.serialize({ V1: data }).toBase64();
  }

  #makeReference(decisions: Tape) {
    return { objectId: decisions.pick(this.#addresses), version: '1', digest };
  }

  #makeInput(decisions: Tape) {
    const kind = decisions.next(5);
    if (kind < 2) {
      const bytes = Uint8Array.from(decisions.repeat(40, () => decisions.next(256)));
      return { Pure: { bytes: Buffer.from(bytes).toString('base64') } };
    }
    if (kind === 2) return { Object: { ImmOrOwnedObject: this.#makeReference(decisions) } };
    if (kind === 3) return { Object: { Receiving: this.#makeReference(decisions) } };
    const objectId = decisions.pick(this.#addresses);
    const shared = { objectId, initialSharedVersion: '1', mutable: decisions.once(2) };
    return { Object: { SharedObject: shared } };
  }

  #makeCommand(decisions: Tape) {
    const one = () => makeArgument(decisions);
    const some = () => decisions.repeat(5, one);
    switch (decisions.next(10)) {
      case 0:
        return { TransferObjects: { objects: some(), address: one() } };
      case 1:
        return { SplitCoins: { coin: one(), amounts: some() } };
      case 2:
        return { MergeCoins: { destination: one(), sources: some() } };
      case 3:
        return { MakeMoveVec: { type: decisions.once(2) ? decisions.pick(types) : null, elements: some() } };
      case 4:
        return { Publish: { modules: ['oRzrCwYAAAA='], dependencies: [decisions.pick(this.#addresses)] } };
      case 5:
        return {
          Upgrade: {
            modules: [''],
            dependencies: [],
            package: decisions.pick(this.#addresses),
            ticket: one(),
          },
        };
      default: {
        const [id = '', module = '', name = ''] = decisions.pick(this.#functions).split('::');
        const typeArguments = decisions.repeat(2, () => decisions.pick(types));
        return { MoveCall: { package: id, module, function: name, typeArguments, arguments: some() } };
      }
    }
  }
}

function makeArgument(decisions: Tape) {
  switch (decisions.next(5)) {
    case 0:
      return { GasCoin: true as const };
    case 1:
      return { Result: decisions.next(16) };
    case 2:
      return { NestedResult: [decisions.next(16), decisions.next(3)] as [number, number] };
    default:
      return { Input: decisions.next(13) };
  }
}
