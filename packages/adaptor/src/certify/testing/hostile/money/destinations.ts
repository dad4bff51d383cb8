import type { FrameName } from './frames.ts';

/** An end of the money that the publisher does not speak of. */
export interface Destination {
  words: string;
  /** Fields of the jar with their first values. */
  fields?: Record<string, [type: string, value: string]>;
  declarations?: string;
  /** A parameter of the op after `amount`. */
  parameter?: string;
  /** Statement that consumes `cut: Balance<SUI>`. */
  send: string;
  /** The sink in terms of a claim. `jar` and `extra` are positions of parameters. */
  sink: (at: { self: string; accomplice: string; jar: number; extra: number }) => Record<string, unknown>;
  /** Function with the instruction, if it is not the one that has the statement. */
  at?: string;
  /** Frames in which this end is the honest one, or which cannot have it. */
  not?: FrameName[];
}

export const collector = `0x${'bad'.padStart(64, '0')}`;

const parcel = 'public struct Parcel has key, store { id: UID, money: Balance<SUI> }\n';
const newParcel = 'Parcel { id: object::new(ctx), money: cut }';
const toCoin = 'cut.into_coin(ctx)';
const treasury = { treasury: ['address', '@0xbad'] } satisfies Destination['fields'];

export const destinations: Record<string, Destination> = {
  constant: {
    words: 'to an address in the code',
    send: `transfer::public_transfer(${toCoin}, @0xbad);`,
    sink: () => ({ kind: 'constantAddress', address: collector }),
  },
  stored: {
    words: 'to a stored address',
    fields: treasury,
    send: `transfer::public_transfer(${toCoin}, jar.treasury);`,
    sink: ({ self }) => ({ kind: 'storedAddress', path: `${self}::Jar.treasury` }),
  },
  stored_in_struct: {
    words: 'to an address in a struct of the jar',
    declarations: 'public struct Rules has store { share: u64, partner: address }\n',
    fields: { rules: ['Rules', 'Rules { share: 10, partner: @0xbad }'] },
    send: `transfer::public_transfer(${toCoin}, jar.rules.partner);`,
    sink: ({ self }) => ({ kind: 'storedAddress', path: `${self}::Rules.partner` }),
  },
  stored_in_table: {
    words: 'to an address in a table',
    fields: { partners: ['Table<u64, address>', 'new_partners(ctx)'] },
    declarations: `fun new_partners(ctx: &mut TxContext): Table<u64, address> {
    let mut partners = table::new(ctx);
    partners.add(7, @0xbad);
    partners
}
`,
    send: `let partner = jar.partners[7];\n    transfer::public_transfer(${toCoin}, partner);`,
    sink: ({ self }) => ({ kind: 'storedAddress', path: `${self}::Jar.partners[u64]` }),
  },
  stored_in_vector: {
    words: 'to the last of a list of addresses',
    fields: { heirs: ['vector<address>', 'vector[@0xbad]'] },
    send: `let heir = jar.heirs[jar.heirs.length() - 1];\n    transfer::public_transfer(${toCoin}, heir);`,
    sink: ({ self }) => ({ kind: 'storedAddress', path: `${self}::Jar.heirs[]` }),
  },
  argument: {
    words: 'to an address that is called a referrer',
    parameter: 'referrer: address',
    send: `transfer::public_transfer(${toCoin}, referrer);`,
    sink: ({ extra }) => ({ kind: 'argumentAddress', parameter: extra }),
  },
  sender: {
    words: 'to the sender, who may be a delegate',
    send: `transfer::public_transfer(${toCoin}, ctx.sender());`,
    sink: () => ({ kind: 'sender' }),
    not: ['withdrawal'],
  },
  kept: {
    words: 'into another field of the jar',
    fields: { reserve: ['Balance<SUI>', 'balance::zero()'] },
    send: 'jar.reserve.join(cut);',
    sink: ({ self }) => ({ kind: 'kept', path: `${self}::Jar.reserve` }),
  },
  dynamic_field: {
    words: 'into a dynamic field of the jar',
    send: 'dynamic_field::add(&mut jar.id, ctx.fresh_object_address(), cut);',
    sink: ({ self }) => ({ kind: 'kept', path: `${self}::Jar.id[address]` }),
  },
  parcel: {
    words: 'inside an object to an address in the code',
    declarations: parcel,
    send: `transfer::transfer(${newParcel}, @0xbad);`,
    sink: () => ({ kind: 'constantAddress', address: collector }),
  },
  funds: {
    words: 'into the balance of an address in the code',
    send: 'cut.send_funds(@0xbad);',
    sink: () => ({ kind: 'constantAddress', address: collector }),
  },
  stored_funds: {
    words: 'into the balance of a stored address',
    fields: treasury,
    send: `${toCoin}.send_funds(jar.treasury);`,
    sink: ({ self }) => ({ kind: 'storedAddress', path: `${self}::Jar.treasury` }),
  },
  object_address: {
    words: 'to the address of the jar, which has no function to receive it',
    send: `transfer::public_transfer(${toCoin}, object::id_address(jar));`,
    sink: ({ jar }) => ({ kind: 'objectAddress', parameter: jar }),
  },
  computed: {
    words: 'to an address that the code computes',
    send: `transfer::public_transfer(${toCoin}, sui::address::from_u256(0xbad0 / 16 + (jar.tips as u256) * 0));`,
    sink: ({ self }) => ({
      kind: 'computedAddress',
      from: [{ kind: 'state', path: `${self}::Jar.tips` }],
    }),
  },
  bag: {
    words: 'into a bag of the jar',
    fields: { extras: ['Bag', 'bag::new(ctx)'] },
    send: 'jar.extras.add(ctx.fresh_object_address(), cut);',
    sink: ({ self }) => ({ kind: 'kept', path: `${self}::Jar.extras[address]` }),
  },
  vector: {
    words: 'into a vector of the jar',
    fields: { hoard: ['vector<Balance<SUI>>', 'vector[]'] },
    send: 'jar.hoard.push_back(cut);',
    sink: ({ self }) => ({ kind: 'kept', path: `${self}::Jar.hoard[]` }),
  },
  object_table: {
    words: 'inside an object into a table of objects',
    declarations: parcel,
    fields: { parcels: ['ObjectTable<address, Parcel>', 'object_table::new(ctx)'] },
    send: `let parcel = ${newParcel};\n    jar.parcels.add(object::id_address(&parcel), parcel);`,
    sink: () => ({ kind: 'kept', path: /::(Parcel\.money|Jar\.parcels\[address\].*)$/ }),
  },
  linked_table: {
    words: 'into a linked table',
    fields: { chain: ['LinkedTable<address, Balance<SUI>>', 'linked_table::new(ctx)'] },
    send: 'jar.chain.push_back(ctx.fresh_object_address(), cut);',
    sink: () => ({ kind: 'kept', path: /::Jar\.chain\[address\]/ }),
  },
  vec_map: {
    words: 'into a map of the jar',
    fields: { ledger: ['VecMap<address, Balance<SUI>>', 'vec_map::empty()'] },
    send: 'jar.ledger.insert(ctx.fresh_object_address(), cut);',
    sink: () => ({ kind: 'kept', path: /::Jar\.ledger/ }),
  },
  option: {
    words: 'into an option of the jar',
    fields: { pocket: ['Option<Balance<SUI>>', 'option::none()'] },
    send: 'if (jar.pocket.is_none()) jar.pocket.fill(cut) else { jar.pocket.borrow_mut().join(cut); };',
    sink: () => ({ kind: 'kept', path: /::Jar\.pocket/ }),
  },
  shared: {
    words: 'into a new shared object',
    declarations: parcel,
    send: `transfer::share_object(${newParcel});`,
    sink: ({ self }) => ({ kind: 'shared', type: `${self}::Parcel` }),
  },
  frozen: {
    words: 'into a frozen object, lost for all',
    declarations: parcel,
    send: `transfer::freeze_object(${newParcel});`,
    sink: ({ self }) => ({ kind: 'frozen', type: `${self}::Parcel` }),
  },
  other_coin: {
    words: 'into another coin of the caller, who may be a delegate',
    parameter: 'change: &mut Coin<SUI>',
    send: 'change.balance_mut().join(cut);',
    sink: ({ extra }) => ({ kind: 'argument', parameter: extra }),
  },
  other_wallet: {
    words: 'into another wallet',
    parameter: 'other: &mut Wallet',
    send: `other.deposit(${toCoin});`,
    sink: ({ extra }) => ({ kind: 'wallet', parameter: extra }),
  },
  party: {
    words: 'to a party of one address',
    send: `transfer::public_party_transfer(${toCoin}, sui::party::single_owner(@0xbad));`,
    sink: () => ({ kind: 'constantAddress', address: collector }),
  },
  second_package: {
    words: 'to an address in the code of a second package',
    send: 'accomplice::courier::deliver(cut, ctx);',
    sink: () => ({ kind: 'constantAddress', address: collector }),
    at: 'courier::deliver',
  },
  second_package_object: {
    words: 'into an object of a second package',
    parameter: 'chest: &mut Chest',
    send: 'chest.fill(cut);',
    sink: ({ accomplice }) => ({ kind: 'kept', path: `${accomplice}::chest::Chest.money` }),
    at: 'chest::fill',
  },
};
