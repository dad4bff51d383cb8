import type { Transaction, TransactionObjectArgument } from '@mysten/sui/transactions';
import type { HostileNetwork } from '../network.ts';
import type { OpenSetter } from './compose.ts';

/** The transaction of a stranger, who has no right at all. */
class Intrusion {
  readonly network: HostileNetwork;
  readonly tx: Transaction;
  readonly #module: string;
  readonly #value: TransactionObjectArgument;

  constructor(network: HostileNetwork, tx: Transaction, module: string, value: TransactionObjectArgument) {
    this.network = network;
    this.tx = tx;
    this.#module = module;
    this.#value = value;
  }

  get jar(): TransactionObjectArgument {
    return this.made('Jar');
  }

  /** An object that the publication made. */
  made(type: string): TransactionObjectArgument {
    return this.network.argument(this.tx, this.network.madeBy(this.#module, type));
  }

  /** The capability, which was sent to the jar. */
  get sentCap(): TransactionObjectArgument {
    return this.network.receiving(this.tx, this.network.madeBy(this.#module, 'AdminCap'));
  }

  get capType(): string {
    return `${this.network.module(this.#module)}::AdminCap`;
  }

  call(
    entry: string,
    args: TransactionObjectArgument[] = [],
    typeArguments: string[] = [],
  ): TransactionObjectArgument {
    return this.tx.moveCall({
      target: `${this.network.module(this.#module)}::${entry}`,
      arguments: args,
      typeArguments,
    });
  }

  /** Sets the value by the setter, or by another function. */
  set(more: TransactionObjectArgument[] = [], { entry = 'set', types = [] as string[] } = {}): void {
    this.call(entry, [this.jar, this.#value, ...more], types);
  }

  /** Sets the value with an object, and keeps the object. */
  setWith(object: TransactionObjectArgument, types: string[] = []): void {
    this.set([object], { types });
    this.tx.transferObjects([object], this.network.stranger.address);
  }
}

/**
 * Ways in, by the guard. Six guards are not here: one lets only the address in the code in, the capability that is lent by
 * reference takes a module of the stranger's, since a transaction cannot pass on references, the one that is sent takes two
 * transactions, and three take capabilities of the framework, two of which come with a package or a coin of the stranger's.
 */
const intrusions: Record<string, (stranger: Intrusion) => void> = {
  none: (stranger) => stranger.set(),
  entry: (stranger) => stranger.set(),
  cap_for_anyone: (stranger) => stranger.setWith(stranger.call('new_cap')),
  cap_claimed: (stranger) => stranger.setWith(stranger.call('claim', [stranger.jar])),
  cap_shared: (stranger) => stranger.set([stranger.made('AdminCap')]),
  cap_frozen: (stranger) => stranger.set([stranger.made('AdminCap')]),
  cap_taken: (stranger) => stranger.setWith(stranger.call('take_cap', [stranger.jar])),
  cap_copied: (stranger) => stranger.set([stranger.call('copy_cap', [stranger.jar])]),
  cap_of_any_type: (stranger) =>
    stranger.setWith(stranger.call('new_cap', [stranger.tx.pure.u64(1)], ['u64']), ['u64']),
  cap_received: (stranger) =>
    stranger.setWith(stranger.call('receive_cap', [stranger.jar, stranger.sentCap])),
  cap_by_passing_on: (stranger) => stranger.setWith(stranger.call('redeem', [stranger.call('ticket')])),
  cap_by_type_argument: (stranger) =>
    stranger.setWith(stranger.call('take', [stranger.jar], [stranger.capType])),
  cap_received_by_type_argument: (stranger) =>
    stranger.setWith(stranger.call('receive', [stranger.jar, stranger.sentCap], [stranger.capType])),
  cap_into_option: (stranger) => {
    const typeArguments = [stranger.capType];
    const slot = stranger.tx.moveCall({ target: '0x1::option::none', typeArguments });
    stranger.call('lend', [stranger.made('Safe'), slot]);
    const destroyed = { target: '0x1::option::destroy_some', arguments: [slot], typeArguments };
    stranger.setWith(stranger.tx.moveCall(destroyed));
  },
  cap_in_bag: (stranger) => {
    const bag = stranger.call('bag_with_cap');
    stranger.setWith(
      stranger.tx.moveCall({
        target: '0x2::bag::remove',
        arguments: [bag, stranger.tx.pure.u8(0)],
        typeArguments: ['u8', stranger.capType],
      }),
    );
    stranger.tx.moveCall({ target: '0x2::bag::destroy_empty', arguments: [bag] });
  },
  foreign_badge: (stranger) => {
    stranger.setWith(stranger.tx.moveCall({ target: `${stranger.network.module('badge')}::new` }));
  },
  admin_of_own_office: (stranger) => stranger.setWith(stranger.call('open_office')),
  argument: (stranger) => stranger.set([stranger.tx.pure.address(stranger.network.stranger.address)]),
  other_branch: (stranger) => stranger.set(),
  either: (stranger) => stranger.set(),
  only_compared: (stranger) => stranger.set(),
  not_the_admin: (stranger) => stranger.set(),
  reset: (stranger) => stranger.set([], { entry: 'migrate' }),
  deep: (stranger) => stranger.set([], { entry: 'tune' }),
};

export const hasIntrusion = ({ guard }: OpenSetter): boolean => Object.hasOwn(intrusions, guard);

/** Sets the value as a stranger. @throws Error if the chain refuses it */
export async function intrude(network: HostileNetwork, { name, guard, knob }: OpenSetter): Promise<void> {
  await network.execute(network.stranger, (tx) => {
    const value = knob.type === 'u64' ? tx.pure.u64(9_999) : tx.pure.address(network.stranger.address);
    intrusions[guard]!(new Intrusion(network, tx, name, value));
  });
}
