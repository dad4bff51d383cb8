/** A stored value that decides about the money of each payment, and that a function of the adaptor can set. */
export interface Knob {
  words: string;
  type: 'u64' | 'address';
  /** Field of the jar with its first value. */
  field: [name: string, type: string, value: string];
  declarations?: string;
  /** Expression for the value. */
  read: string;
  /** Statement that sets it to `value`. */
  write: string;
  path: string | RegExp;
}

const rate = { type: 'u64', words: 'rate' } as const;
const treasury = { type: 'address', words: 'recipient' } as const;

export const knobs: Knob[] = [
  {
    ...rate,
    field: ['fee', 'u64', '100'],
    read: 'jar.fee',
    write: 'jar.fee = value;',
    path: 'Jar.fee',
  },
  {
    ...treasury,
    field: ['treasury', 'address', '@0x7'],
    read: 'jar.treasury',
    write: 'jar.treasury = value;',
    path: 'Jar.treasury',
  },
  {
    ...rate,
    words: 'rate in a struct',
    declarations: 'public struct Terms has copy, drop, store { fee: u64, term: u64 }\n',
    field: ['terms', 'Terms', 'Terms { fee: 100, term: 1 }'],
    read: 'jar.terms.fee',
    write: 'jar.terms.fee = value;',
    path: 'Terms.fee',
  },
  {
    ...treasury,
    words: 'recipient in an option',
    field: ['heir', 'Option<address>', 'option::some(@0x7)'],
    read: '*jar.heir.borrow()',
    write: 'jar.heir = option::some(value);',
    path: /::Jar\.heir/,
  },
  {
    ...rate,
    words: 'rate in a table',
    declarations: `fun new_fees(ctx: &mut TxContext): Table<u8, u64> {
    let mut fees = table::new(ctx);
    fees.add(1, 100);
    fees
}
`,
    field: ['fees', 'Table<u8, u64>', 'new_fees(ctx)'],
    read: 'jar.fees[1]',
    write: '*&mut jar.fees[1] = value;',
    path: 'Jar.fees[u8]',
  },
  {
    ...treasury,
    words: 'recipient in a map',
    declarations: `fun new_roles(): VecMap<u8, address> {
    let mut roles = vec_map::empty();
    roles.insert(1, @0x7);
    roles
}
`,
    field: ['roles', 'VecMap<u8, address>', 'new_roles()'],
    read: 'jar.roles[&1]',
    write: '*&mut jar.roles[&1] = value;',
    path: /::Jar\.roles/,
  },
  {
    ...rate,
    words: 'rate in a vector',
    field: ['steps', 'vector<u64>', 'vector[100]'],
    read: 'jar.steps[0]',
    write: '*&mut jar.steps[0] = value;',
    path: 'Jar.steps[]',
  },
  {
    ...treasury,
    words: 'recipient in a bag',
    declarations: `fun new_rest(ctx: &mut TxContext): Bag {
    let mut rest = bag::new(ctx);
    rest.add(true, @0x7);
    rest
}
`,
    field: ['rest', 'Bag', 'new_rest(ctx)'],
    read: '*jar.rest.borrow<bool, address>(true)',
    write: '*jar.rest.borrow_mut<bool, address>(true) = value;',
    path: 'Jar.rest[bool]',
  },
];
