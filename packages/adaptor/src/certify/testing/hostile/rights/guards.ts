/** A guard of a function that only the publisher should be able to call, and that lets others in. */
export interface Guard {
  words: string;
  /** Structs and functions beside the setter. `VALUE` is the type of the value. */
  declarations: string;
  /** Parameter of the setter. */
  parameter?: string;
  typeParameters?: string;
  /** The function that lets others in, if it is not the setter. */
  entrance?: string;
  /** Statement of the setter before it writes. */
  check?: string;
  /** Field of the jar with its first value. */
  field?: [name: string, type: string, value: string];
  /** Statement of `init`, which has `jar`. */
  init?: string;
  visibility?: string;
  /** Requirements that the certificate names. Absent: none. */
  needs?: (self: string) => Record<string, unknown>[];
}

const cap = 'public struct AdminCap has key, store { id: UID }\n';
const newCap = 'AdminCap { id: object::new(ctx) }';
const withCap = { parameter: '_: &AdminCap' };

/** The guard of the twins. */
export const soundGuard: Guard = {
  words: 'by the holder of a capability',
  declarations: cap,
  ...withCap,
  init: `transfer::public_transfer(${newCap}, ctx.sender());`,
};

export const guards: Record<string, Guard> = {
  none: { words: 'by anyone', declarations: '' },
  entry: {
    words: 'by anyone, in an entry function that is not public',
    declarations: '',
    visibility: 'entry',
  },
  cap_for_anyone: {
    words: 'by a capability that anyone can make',
    declarations: `${cap}public fun new_cap(ctx: &mut TxContext): AdminCap { ${newCap} }\n`,
    ...withCap,
  },
  cap_claimed: {
    words: 'by a capability for the one who asks first',
    declarations: `${cap}public fun claim(jar: &mut Jar, ctx: &mut TxContext): AdminCap {
    assert!(!jar.claimed);
    jar.claimed = true;
    ${newCap}
}
`,
    ...withCap,
    field: ['claimed', 'bool', 'false'],
  },
  cap_shared: {
    words: 'by a capability that is shared',
    declarations: cap,
    ...withCap,
    init: `transfer::share_object(${newCap});`,
  },
  cap_frozen: {
    words: 'by a capability that is frozen, so that anyone can pass it',
    declarations: cap,
    ...withCap,
    init: `transfer::freeze_object(${newCap});`,
  },
  cap_lent: {
    words: 'by a capability that a shared object lends to anyone',
    declarations: `${cap}public struct Safe has key { id: UID, cap: AdminCap }
public fun cap(safe: &Safe): &AdminCap { &safe.cap }
`,
    ...withCap,
    init: `transfer::share_object(Safe { id: object::new(ctx), cap: ${newCap} });`,
  },
  cap_taken: {
    words: 'by a capability that anyone can take out of the jar',
    declarations: `${cap}public fun take_cap(jar: &mut Jar): AdminCap { jar.cap.extract() }\n`,
    ...withCap,
    field: ['cap', 'Option<AdminCap>', `option::some(${newCap})`],
  },
  cap_copied: {
    words: 'by a capability of which anyone gets a copy',
    declarations: `public struct AdminCap has copy, drop, store {}
public fun copy_cap(jar: &Jar): AdminCap { jar.cap }
`,
    ...withCap,
    field: ['cap', 'AdminCap', 'AdminCap {}'],
  },
  cap_of_any_type: {
    words: 'by a capability of a type that the caller chooses',
    declarations: `public struct AdminCap<phantom T> has key, store { id: UID }
public fun new_cap<T: drop>(_: T, ctx: &mut TxContext): AdminCap<T> { AdminCap { id: object::new(ctx) } }
`,
    parameter: '_: &AdminCap<T>',
    typeParameters: '<T>',
  },
  cap_received: {
    words: 'by a capability that the jar owns and that anyone can receive from it',
    declarations: `${cap}public fun receive_cap(jar: &mut Jar, cap: Receiving<AdminCap>): AdminCap {
    transfer::receive(&mut jar.id, cap)
}
`,
    ...withCap,
    init: `transfer::transfer(${newCap}, object::id_address(&jar));`,
  },
  cap_by_passing_on: {
    words: 'by a capability that a capability for anyone makes',
    declarations: `${cap}public struct Ticket has drop {}
public fun ticket(): Ticket { Ticket {} }
public fun redeem(_: Ticket, ctx: &mut TxContext): AdminCap { ${newCap} }
`,
    ...withCap,
  },
  cap_into_option: {
    words: 'by a capability that anyone gets in an option',
    declarations: `${cap}public struct Safe has key { id: UID, cap: Option<AdminCap> }
public fun lend(safe: &mut Safe, slot: &mut Option<AdminCap>) { slot.fill(safe.cap.extract()) }
`,
    ...withCap,
    init: `transfer::share_object(Safe { id: object::new(ctx), cap: option::some(${newCap}) });`,
  },
  cap_by_type_argument: {
    words: 'by a capability that anyone takes out by naming its type',
    declarations: `${cap}public fun take<T: store>(jar: &mut Jar): T { dynamic_field::remove(&mut jar.id, b"cap") }
`,
    ...withCap,
    init: `let mut jar = jar;
    dynamic_field::add(&mut jar.id, b"cap", ${newCap});`,
  },
  cap_received_by_type_argument: {
    words: 'by a capability that the jar owns, and that anyone receives by naming its type',
    declarations: `${cap}public fun receive<T: key + store>(jar: &mut Jar, sent: Receiving<T>): T {
    transfer::public_receive(&mut jar.id, sent)
}
`,
    ...withCap,
    init: `transfer::transfer(${newCap}, object::id_address(&jar));`,
  },
  not_the_admin: {
    words: 'by everyone but the admin',
    declarations: '',
    field: ['admin', 'address', '@0x7'],
    check: 'assert!(ctx.sender() != jar.admin);',
    needs: (self) => [{ kind: 'checksSender', paths: [`${self}::Jar.admin`] }],
  },
  admin_of_own_office: {
    words: 'by the admin of an office, which anyone can open',
    declarations: `public struct Office has key, store { id: UID, admin: address }
public fun open_office(ctx: &mut TxContext): Office {
    let admin = ctx.sender();
    Office { id: object::new(ctx), admin }
}
`,
    parameter: 'office: &Office',
    check: 'assert!(ctx.sender() == office.admin);',
    needs: (self) => [{ kind: 'checksSender', paths: [`${self}::Office.admin`] }],
  },
  foreign_badge: {
    words: 'by a badge of a second package, which anyone can make',
    declarations: '',
    parameter: '_: &Badge',
  },
  argument: {
    words: 'by a sender who equals an argument',
    declarations: '',
    parameter: 'admin: address',
    check: 'assert!(ctx.sender() == admin);',
  },
  constant: {
    words: 'by one address in the code',
    declarations: '',
    check: 'assert!(ctx.sender() == @0xbad);',
    needs: () => [{ kind: 'constantSender', address: `0x${'bad'.padStart(64, '0')}` }],
  },
  other_branch: {
    words: 'by anyone, since one branch does not compare the sender',
    declarations: '',
    field: ['admin', 'address', '@0x7'],
    check: 'if (jar.tips > 0) assert!(ctx.sender() == jar.admin);',
    needs: (self) => [{ kind: 'checksSender', paths: [`${self}::Jar.admin`] }],
  },
  either: {
    words: 'by anyone, since the sender is one of two requirements',
    declarations: '',
    field: ['admin', 'address', '@0x7'],
    check: 'assert!(ctx.sender() == jar.admin || jar.tips < 1_000_000);',
    needs: (self) => [{ kind: 'checksSender', paths: [`${self}::Jar.admin`] }],
  },
  only_compared: {
    words: 'by anyone, since the comparison with the admin is not asserted',
    declarations: '',
    field: ['admin', 'address', '@0x7'],
    check: 'let _is_admin = ctx.sender() == jar.admin;',
  },
  reset: {
    words: 'by anyone, through a second function that nobody looks at',
    entrance: 'migrate',
    declarations: `${cap}public fun migrate(jar: &mut Jar, value: VALUE) { store(jar, value) }\n`,
    ...withCap,
    init: `transfer::public_transfer(${newCap}, ctx.sender());`,
  },
  deep: {
    words: 'by anyone, with the write four calls deep behind a recursive function',
    entrance: 'tune',
    declarations: `${cap}public fun tune(jar: &mut Jar, value: VALUE) { turn(jar, value, 2) }
fun turn(jar: &mut Jar, value: VALUE, left: u64) {
    if (left == 0) store(jar, value) else turn(jar, value, left - 1)
}
`,
    parameter: '_: &mut AdminCap',
    init: `transfer::public_transfer(${newCap}, ctx.sender());`,
  },
  upgrade_cap: {
    words: 'by the UpgradeCap of any package, also of one that the caller publishes',
    declarations: '',
    parameter: '_: &sui::package::UpgradeCap',
  },
  treasury_cap_shared: {
    words: 'by a TreasuryCap that the package shares',
    declarations:
      'public fun share(cap: sui::coin::TreasuryCap<SUI>) { transfer::public_share_object(cap) }\n',
    parameter: '_: &sui::coin::TreasuryCap<SUI>',
  },
  treasury_cap_of_any_coin: {
    words: 'by the TreasuryCap of any coin, also of one that the caller makes',
    declarations: '',
    typeParameters: '<T>',
    parameter: '_: &sui::coin::TreasuryCap<T>',
  },
  cap_sent: {
    words: 'by a capability that the jar sends to anyone',
    declarations: `${cap}public fun send_cap(jar: &mut Jar, ctx: &TxContext) {
    transfer::public_transfer(jar.cap.extract(), ctx.sender())
}
`,
    ...withCap,
    field: ['cap', 'Option<AdminCap>', `option::some(${newCap})`],
  },
  cap_in_bag: {
    words: 'by a capability that anyone gets in a bag, whose type does not name it',
    declarations: `${cap}public fun bag_with_cap(ctx: &mut TxContext): Bag {
    let mut made = bag::new(ctx);
    made.add(0u8, ${newCap});
    made
}
`,
    ...withCap,
  },
};
