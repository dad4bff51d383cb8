/** A path of the taken money through the code, which obscures that the money leaves. */
export interface Route {
  words: string;
  /** Fields of the jar with their first values. */
  fields?: Record<string, [type: string, value: string]>;
  /** Functions and structs that the op uses. */
  declare?: (code: RouteCode) => string;
  /** Statements of the op that consume `cut: Balance<SUI>`. */
  call: (code: RouteCode) => string;
  /** Source of a second module. */
  parts?: (module: string) => string;
}

export interface RouteCode {
  module: string;
  /** Arguments for functions of the module: the jar, an extra one and the context. */
  args: string;
  /** Parameters that take `args`. */
  parameters: string;
  /** The statement with the sink. */
  send: string;
}

/** Builds a call of `send`, the function with the sink. */
const buildSend = (cut: string, { args }: RouteCode) => `send(${cut}, ${args})`;

/** Builds the statement that sends the value of an expression. */
const through = (expression: string) => (code: RouteCode) => `${buildSend(expression, code)};`;

export const routes: Record<string, Route> = {
  direct: { words: 'in the op itself', call: ({ send }) => send },
  helper: { words: 'in a helper', call: through('cut') },
  chain: {
    words: 'four calls deep',
    declare: (code) => `fun first(cut: Balance<SUI>, ${code.parameters}) { second(cut, ${code.args}) }
fun second(cut: Balance<SUI>, ${code.parameters}) { third(cut, ${code.args}) }
fun third(cut: Balance<SUI>, ${code.parameters}) { ${buildSend('cut', code)} }
`,
    call: ({ args }) => `first(cut, ${args});`,
  },
  recursion: {
    words: 'by recursion',
    declare: (code) => `fun later(cut: Balance<SUI>, left: u64, ${code.parameters}) {
    if (left == 0) ${buildSend('cut', code)} else later(cut, left - 1, ${code.args})
}
`,
    call: ({ args }) => `later(cut, 3, ${args});`,
  },
  mutual_recursion: {
    words: 'by mutual recursion',
    declare: (
      code,
    ) => `fun ping(cut: Balance<SUI>, left: u64, ${code.parameters}) { pong(cut, left, ${code.args}) }
fun pong(cut: Balance<SUI>, left: u64, ${code.parameters}) {
    if (left == 0) ${buildSend('cut', code)} else ping(cut, left - 1, ${code.args})
}
`,
    call: ({ args }) => `ping(cut, 3, ${args});`,
  },
  loop: {
    words: 'in parts, by a loop',
    call: (code) => `let mut cut = cut;
    let mut left = 3u64;
    while (left > 0) {
        let part = cut.value() / left;
        ${buildSend('cut.split(part)', code)};
        left = left - 1;
    };
    cut.destroy_zero();`,
  },
  generic: {
    words: 'through a generic function',
    declare: () => 'fun same<T>(value: T): T { value }\n',
    call: through('same(same(cut))'),
  },
  generic_box: {
    words: 'in a generic struct',
    declare: () => `public struct Box<T: store> has store { value: T }
fun wrap<T: store>(value: T): Box<T> { Box { value } }
fun unwrap<T: store>(box: Box<T>): T { let Box { value } = box; value }
`,
    call: through('unwrap(wrap(cut))'),
  },
  hot_potato: {
    words: 'in a field of a hot potato',
    declare: (code) => `public struct Letter { note: u64, money: Balance<SUI> }
fun open(letter: Letter, ${code.parameters}) {
    let Letter { money, .. } = letter;
    ${buildSend('money', code)}
}
`,
    call: ({ args }) => `let letter = Letter { note: amount, money: cut };\n    open(letter, ${args});`,
  },
  vector: {
    words: 'in a vector',
    call: (code) => `let mut queue = vector[cut];
    queue.push_back(balance::zero());
    while (!queue.is_empty()) ${buildSend('queue.pop_back()', code)};
    queue.destroy_empty();`,
  },
  option: {
    words: 'in an option',
    call: (code) => `let mut slot = option::some(cut);
    ${buildSend('slot.extract()', code)};
    slot.destroy_none();`,
  },
  option_swap: {
    words: 'by a swap of what an option holds',
    call: (code) => `let mut slot = option::some(balance::zero());
    slot.swap(cut).destroy_zero();
    ${buildSend('slot.destroy_some()', code)};`,
  },
  enumeration: {
    words: 'in a variant of an enum',
    declare: (code) => `public enum Case { Empty, Full { money: Balance<SUI> } }
fun open(case: Case, ${code.parameters}) {
    match (case) {
        Case::Full { money } => ${buildSend('money', code)},
        Case::Empty => (),
    }
}
`,
    call: ({
      args,
    }) => `let case = if (amount == 0) { cut.destroy_zero(); Case::Empty } else Case::Full { money: cut };
    open(case, ${args});`,
  },
  reference: {
    words: 'through a mutable reference',
    declare: () => 'fun pour(pot: &mut Balance<SUI>, more: Balance<SUI>) { pot.join(more); }\n',
    call: (code) =>
      `let mut pot = balance::zero();\n    pour(&mut pot, cut);\n    ${buildSend('pot', code)};`,
  },
  returned_reference: {
    words: 'through a reference that a function chooses',
    declare: () => `fun choose(a: &mut Balance<SUI>, b: &mut Balance<SUI>, first: bool): &mut Balance<SUI> {
    if (first) a else b
}
`,
    call: (code) => `let mut even = balance::zero();
    let mut odd = balance::zero();
    choose(&mut even, &mut odd, amount % 2 == 0).join(cut);
    even.join(odd);
    ${buildSend('even', code)};`,
  },
  tuple: {
    words: 'by an exchange of two values',
    declare: () => 'fun exchange<A, B>(a: A, b: B): (B, A) { (b, a) }\n',
    call: (code) => `let (cut, none) = exchange(balance::zero<SUI>(), cut);
    none.destroy_zero();
    ${buildSend('cut', code)};`,
  },
  table: {
    words: 'through a table of the moment',
    call: (code) => `let mut places = table::new<u8, Balance<SUI>>(ctx);
    places.add(0, cut);
    let cut = places.remove(0);
    places.destroy_empty();
    ${buildSend('cut', code)};`,
  },
  bag: {
    words: 'through a bag of the moment',
    call: (code) => `let mut things = bag::new(ctx);
    things.add(b"gift", cut);
    let cut: Balance<SUI> = things.remove(b"gift");
    things.destroy_empty();
    ${buildSend('cut', code)};`,
  },
  dynamic_field: {
    words: 'through a dynamic field of a new object',
    call: (code) => `let mut id = object::new(ctx);
    dynamic_field::add(&mut id, true, cut);
    let cut: Balance<SUI> = dynamic_field::remove(&mut id, true);
    id.delete();
    ${buildSend('cut', code)};`,
  },
  dynamic_object_field: {
    words: 'through a dynamic object field of a new object',
    call: (code) => `let mut id = object::new(ctx);
    dynamic_object_field::add(&mut id, 0u8, cut.into_coin(ctx));
    let coin: Coin<SUI> = dynamic_object_field::remove(&mut id, 0u8);
    id.delete();
    ${buildSend('coin.into_balance()', code)};`,
  },
  stored: {
    words: 'through a field of the jar',
    fields: { transit: ['Option<Balance<SUI>>', 'option::none()'] },
    declare: (code) => `fun dispatch(${code.parameters}) {
    let cut = jar.transit.extract();
    ${buildSend('cut', code)}
}
`,
    call: ({ args }) => `jar.transit.fill(cut);\n    dispatch(${args});`,
  },
  macro: {
    words: 'by a macro',
    declare: () => `macro fun hand($money: Balance<SUI>, $to: |Balance<SUI>|) {
    let money = $money;
    $to(money)
}
`,
    call: (code) => `hand!(cut, |money| ${buildSend('money', code)});`,
  },
  coins: {
    words: 'as three coins',
    call: (code) => `let mut coin = cut.into_coin(ctx);
    let parts = coin.divide_into_n(3, ctx);
    parts.do!(|part| ${buildSend('part.into_balance()', code)});
    ${buildSend('coin.into_balance()', code)};`,
  },
  borrowed: {
    words: 'through an object that lends it',
    call: (code) => `let mut lender = sui::borrow::new(cut.into_coin(ctx), ctx);
    let (coin, promise) = lender.borrow();
    lender.put_back(coin, promise);
    ${buildSend('lender.destroy().into_balance()', code)};`,
  },
  second_module: {
    words: 'through a second module',
    parts: (module) => `module hostile::${module}_parts;

use sui::balance::Balance;
use sui::sui::SUI;

public struct Holder { money: Balance<SUI> }

public(package) fun hold(money: Balance<SUI>): Holder { Holder { money } }

public(package) fun release(holder: Holder): Balance<SUI> {
    let Holder { money } = holder;
    money
}
`,
    call: (code) => `let holder = hostile::${code.module}_parts::hold(cut);
    ${buildSend(`hostile::${code.module}_parts::release(holder)`, code)};`,
  },
  second_package: {
    words: 'through a second package',
    call: (code) => `let envelope = accomplice::envelope::seal(cut);
    ${buildSend('accomplice::envelope::open(envelope)', code)};`,
  },
};
