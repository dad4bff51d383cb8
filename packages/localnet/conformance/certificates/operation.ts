import { Expressions, type Parameter, type Scope } from './expressions.ts';
import type { Random } from './random.ts';

export interface Operation {
  name: string;
  parameters: readonly Parameter[];
  isGeneric: boolean;
  text: string;
}

const kinds: Record<Parameter['made'], string> = {
  vault: '&mut Vault',
  view: '&Vault',
  wallet: '&mut Wallet<M>',
  coin: 'Coin<M>',
  purse: '&mut Coin<M>',
  box: 'Box',
  boxRef: '&mut Box',
  number: 'u64',
  address: 'address',
  flag: 'bool',
  clock: '&Clock',
  thing: 'T',
};

const indent = (lines: readonly string[]) => lines.map((line) => `  ${line}`);

/** Writes one random function that a verified package can have. */
export function writeOperation(name: string, random: Random): Operation {
  return new Writer(name, random).write();
}

class Writer {
  readonly #name: string;
  readonly #random: Random;
  readonly #parameters: Parameter[] = [];
  readonly #expressions: Expressions;
  #count = 0;
  #budget: number;

  constructor(name: string, random: Random) {
    this.#name = name;
    this.#random = random;
    this.#expressions = new Expressions(this.#parameters, random);
    this.#budget = 3 + random.below(14);
  }

  write(): Operation {
    this.#choose();
    const scope = this.#entryScope();
    const lines = this.#block(scope, 3 + this.#random.below(6));
    const { results, types } = this.#results(scope);
    lines.push(...this.#useUp(scope, results));
    const isGeneric = this.#expressions.names('thing').length > 0;
    const parameters = this.#parameters.map((each) => `${mutable(each)}${each.name}: ${each.type}`);
    const returns = types.length === 0 ? '' : `: (${types.join(', ')})`;
    const head = `public fun ${this.#name}${isGeneric ? '<T: key + store>' : ''}(${parameters.join(', ')}, ctx: &mut TxContext)${returns} {`;
    const text = [head, ...indent(lines), `  (${results.join(', ')})`, '}'].join('\n');
    return { name: this.#name, parameters: this.#parameters, isGeneric, text };
  }

  #choose(): void {
    const add = (made: Parameter['made']) => {
      this.#parameters.push({
        name: `p${this.#parameters.length}_${made.toLowerCase()}`,
        type: kinds[made],
        made,
      });
    };
    add('vault');
    const others: Parameter['made'][] = [
      ...(['vault', 'view', 'wallet', 'wallet', 'coin', 'coin', 'purse', 'box', 'boxRef', 'clock'] as const),
      ...(['number', 'number', 'address', 'address', 'flag', 'thing'] as const),
    ];
    const count = 2 + this.#random.below(5);
    for (let i = 0; i < count; i += 1) add(this.#random.pick(others));
    // No fixed positions: claims name parameters by number.
    for (let i = this.#parameters.length - 1; i > 0; i -= 1) {
      const k = this.#random.below(i + 1);
      [this.#parameters[i], this.#parameters[k]] = [this.#parameters[k]!, this.#parameters[i]!];
    }
  }

  #entryScope(): Scope {
    return {
      numbers: this.#expressions.names('number'),
      flags: this.#expressions.names('flag'),
      addresses: this.#expressions.names('address'),
      coins: this.#expressions.names('coin'),
      balances: [],
      boxes: this.#expressions.names('box'),
      things: this.#expressions.names('thing'),
    };
  }

  #fresh(letter: string): string {
    this.#count += 1;
    return `${letter}${this.#count}`;
  }

  get #vault(): string {
    return this.#random.pick(this.#expressions.names('vault'));
  }

  // Statements

  #block(scope: Scope, statements: number): string[] {
    const lines: string[] = [];
    for (let i = 0; i < statements && this.#budget > 0; i += 1) {
      this.#budget -= 1;
      lines.push(...this.#statement(scope));
    }
    return lines;
  }

  #statement(scope: Scope): string[] {
    const makers = [() => this.#make(scope), () => this.#make(scope), () => this.#make(scope)];
    const options: (() => string[])[] = [
      ...makers,
      () => this.#write(scope),
      () => this.#write(scope),
      () => this.#bind(scope),
      () => this.#branch(scope),
      () => this.#branch(scope),
      () => this.#loop(scope),
      () => [`assert!(${this.#expressions.flag(scope)}, ${this.#random.below(9)});`],
      () => this.#consumeOne(scope),
      () => this.#consumeOne(scope),
      () => this.#moveBetween(scope),
    ];
    return this.#random.pick(options)();
  }

  #bind(scope: Scope): string[] {
    switch (this.#random.below(3)) {
      case 0: {
        const text = this.#expressions.number(scope);
        const name = this.#fresh('n');
        scope.numbers.push(name);
        return [`let ${name} = ${text};`];
      }
      case 1: {
        const text = this.#expressions.flag(scope);
        const name = this.#fresh('f');
        scope.flags.push(name);
        return [`let ${name} = ${text};`];
      }
      default: {
        const text = this.#expressions.address(scope);
        const name = this.#fresh('a');
        scope.addresses.push(name);
        return [`let ${name} = ${text};`];
      }
    }
  }

  /** Binds an expression, so that it can be an argument beside a mutable borrow. */
  #bound(lines: string[], text: string): string {
    const name = this.#fresh('x');
    lines.push(`let ${name} = ${text};`);
    return name;
  }

  /** Takes money or an object from somewhere. */
  #make(scope: Scope): string[] {
    const lines: string[] = [];
    const coin = (text: string) => {
      const name = this.#fresh('c');
      lines.push(`let mut ${name} = ${text};`);
      scope.coins.push(name);
      return lines;
    };
    const balance = (text: string) => {
      const name = this.#fresh('b');
      lines.push(`let mut ${name} = ${text};`);
      scope.balances.push(name);
      return lines;
    };
    const v = this.#vault;
    const amount = (held: string) =>
      this.#bound(lines, `demo::world::least(${this.#expressions.number(scope)}, ${held})`);
    const options: (() => string[])[] = [
      () => balance(`${v}.funds().split(${amount(`${v}.held()`)})`),
      () => balance(`${v}.fees().withdraw_all()`),
      () => coin(`${v}.pop(ctx)`),
      () => coin(`${v}.drain(ctx)`),
      () => coin(`${v}.mint(${amount('500')}, ctx)`),
      () => balance(`${v}.take_pot(${amount('9')})`),
      () => balance(`${v}.split_pot(${amount('9')}, ${amount('900')})`),
      () => coin(`${v}.take_field(${amount('2')}, ctx)`),
      () => coin(`${v}.take_extra(${this.#bound(lines, this.#expressions.address(scope))}, ctx)`),
      () => {
        const [c, a] = [this.#fresh('c'), this.#fresh('a')];
        lines.push(`let (mut ${c}, ${a}) = ${v}.pop_item(ctx);`);
        scope.coins.push(c);
        scope.addresses.push(a);
        return lines;
      },
      () => {
        const name = this.#fresh('o');
        lines.push(
          `let mut ${name} = ${v}.take_object(${this.#bound(lines, this.#expressions.flag(scope))}, ctx);`,
        );
        scope.boxes.push(name);
        return lines;
      },
      ...[...this.#expressions.names('wallet'), ...this.#expressions.names('wallet')].map(
        (name) => () => balance(`${name}.take(${amount(`${name}.held()`)})`),
      ),
      ...this.#expressions.names('wallet').map((name) => () => balance(`${name}.take_spare()`)),
      ...this.#expressions
        .names('purse')
        .map((name) => () => coin(`${name}.split(${amount(`${name}.value()`)}, ctx)`)),
      ...this.#expressions
        .names('boxRef')
        .map((name) => () => coin(`${name}.box_coin().split(${amount(`${name}.box_coin().value()`)}, ctx)`)),
      ...scope.coins.map((name) => () => coin(`${name}.split(${amount(`${name}.value()`)}, ctx)`)),
    ];
    return this.#random.pick(options)();
  }

  #write(scope: Scope): string[] {
    const lines: string[] = [];
    const v = this.#vault;
    const number = () => this.#bound(lines, this.#expressions.number(scope));
    const address = () => this.#bound(lines, this.#expressions.address(scope));
    const flag = () => this.#bound(lines, this.#expressions.flag(scope));
    const options: (() => string)[] = [
      () => `${v}.set_fee(${number()});`,
      () => `${v}.set_limit(${number()});`,
      () => `${v}.set_paused(${flag()});`,
      () => `${v}.set_treasury(${address()});`,
      () => `${v}.set_config(demo::world::config_of(${number()}, ${address()}, ${flag()}));`,
      () => `${v}.config_mut().set_config_to(${address()});`,
      () => `${v}.set_mode(${address()}, ${number()});`,
      () => `${v}.raise_mode(${number()});`,
      () => `${v}.set_share(${address()}, ${number()});`,
      () => `${v}.drop_share(${address()});`,
      () => `${v}.reprice(${number()});`,
      () => `${v}.shuffle();`,
      ...this.#expressions.names('boxRef').map((name) => () => `${name}.set_note(${number()});`),
    ];
    const last = this.#random.pick(options)();
    return [...lines, last];
  }

  #branch(scope: Scope): string[] {
    const condition = this.#expressions.flag(scope);
    const block = (extra: readonly string[]) => {
      const inner = this.#innerScope(scope);
      const lines = this.#block(inner, 1 + this.#random.below(3));
      return indent([...lines, ...this.#useUp(inner, []), ...extra]);
    };
    // Both sides use up what was made before, each in its own way.
    const coin = this.#random.below(2) === 0 ? scope.coins.pop() : undefined;
    const side = () => block(coin ? this.#consumeCoin(coin, scope) : []);
    return [`if (${condition}) {`, ...side(), '} else {', ...side(), '};'];
  }

  #loop(scope: Scope): string[] {
    const index = this.#fresh('i');
    const end = this.#fresh('x');
    const inner = this.#innerScope(scope);
    inner.numbers = [...scope.numbers, index];
    const times = `demo::world::least(${this.#expressions.number(scope, 1)}, 3)`;
    const lines = this.#block(inner, 1 + this.#random.below(3));
    const body = [...lines, ...this.#useUp(inner, []), `${index} = ${index} + 1;`];
    return [
      `let mut ${index} = 0; let ${end} = ${times};`,
      `while (${index} < ${end}) {`,
      ...indent(body),
      '};',
    ];
  }

  #innerScope({ numbers, flags, addresses }: Scope): Scope {
    return {
      numbers: [...numbers],
      flags: [...flags],
      addresses: [...addresses],
      coins: [],
      balances: [],
      boxes: [],
      things: [],
    };
  }

  #moveBetween(scope: Scope): string[] {
    const lines: string[] = [];
    const [from, to] = [this.#vault, this.#vault];
    const options: (() => string[])[] = [
      () => {
        const n = this.#bound(
          lines,
          `demo::world::least(${this.#expressions.number(scope)}, ${from}.larger().value())`,
        );
        const b = this.#bound(lines, `${from}.larger().split(${n})`);
        return [...lines, `${to}.larger().join(${b});`];
      },
      () => {
        const flag = this.#bound(lines, this.#expressions.flag(scope));
        const n = this.#bound(lines, this.#expressions.number(scope, 1));
        const r = this.#fresh('r');
        lines.push(`let ${r} = if (${flag}) ${from}.funds() else ${from}.fees();`);
        const most = this.#bound(lines, `demo::world::least(${n}, ${r}.value())`);
        const b = this.#bound(lines, `${r}.split(${most})`);
        return [...lines, `${to}.fees().join(${b});`];
      },
    ];
    const [first, second] = [scope.coins.pop(), scope.coins.pop()];
    if (first && second) {
      const flag = this.#expressions.flag(scope);
      const [x, y] = [this.#fresh('c'), this.#fresh('c')];
      scope.coins.push(x, y);
      return [`let (mut ${x}, mut ${y}) = demo::world::pick(${flag}, ${first}, ${second});`];
    }
    if (first) scope.coins.push(first);
    return this.#random.pick(options)();
  }

  // Ends of money and objects

  #consumeOne(scope: Scope): string[] {
    const coin = this.#random.below(3) > 0 ? scope.coins.shift() : undefined;
    if (coin) return this.#consumeCoin(coin, scope);
    const balance = scope.balances.shift();
    if (balance) return this.#consumeBalance(balance, scope);
    const box = scope.boxes.shift();
    return box ? this.#consumeBox(box, scope) : this.#make(scope);
  }

  #useUp(scope: Scope, kept: readonly string[]): string[] {
    const rest = (names: readonly string[]) => names.filter((name) => !kept.includes(name));
    return [
      ...rest(scope.coins).flatMap((name) => this.#consumeCoin(name, { ...scope, coins: [] })),
      ...rest(scope.balances).flatMap((name) => this.#consumeBalance(name, { ...scope, coins: [] })),
      ...rest(scope.boxes).flatMap((name) => this.#consumeBox(name, { ...scope, coins: [] })),
      ...rest(scope.things).map((name) => {
        return `transfer::public_transfer(${name}, ${this.#expressions.address({ ...scope, coins: [] })});`;
      }),
    ];
  }

  #consumeCoin(coin: string, whole: Scope): string[] {
    const scope = { ...whole, coins: whole.coins.filter((name) => name !== coin) };
    const lines: string[] = [];
    const v = this.#vault;
    const address = () => this.#bound(lines, this.#expressions.address(scope));
    const number = () => this.#bound(lines, this.#expressions.number(scope));
    const options: (() => string)[] = [
      () => `transfer::public_transfer(${coin}, ${address()});`,
      () => `transfer::public_transfer(${coin}, ${address()});`,
      () => `${v}.push(${coin});`,
      () => `${v}.fill(${coin});`,
      () => `${v}.funds().join(${coin}.into_balance());`,
      () => `${v}.burn(${coin});`,
      () => `${v}.put_extra(${address()}, ${coin});`,
      () => `${v}.put_field(${number()} % 3, ${coin});`,
      () => `${v}.push_item(${coin}, ${address()}, ${number()});`,
      () => `demo::world::relay(${coin}, ${address()});`,
      () => `demo::world::ping(${number()} % 4, ${coin}, ${address()}, ${v});`,
      () => `demo::world::receipt(${number()}, ${coin}, ${address()}).settle();`,
      () =>
        `transfer::public_transfer(demo::world::box(${coin}, ${number()}, ${address()}, ctx), ${address()});`,
      () => `transfer::public_share_object(demo::world::box(${coin}, ${number()}, ${address()}, ctx));`,
      () => `transfer::public_freeze_object(demo::world::box(${coin}, ${number()}, ${address()}, ctx));`,
      () => `sui::coin::send_funds(${coin}, ${address()});`,
      ...this.#expressions.names('wallet').map((name) => () => `${name}.put(${coin}.into_balance());`),
      ...this.#expressions.names('purse').map((name) => () => `${name}.join(${coin});`),
      ...this.#expressions.names('boxRef').map((name) => () => `${name}.box_coin().join(${coin});`),
      ...scope.coins.slice(0, 1).map((name) => () => `${name}.join(${coin});`),
    ];
    const last = this.#random.pick(options)();
    return [...lines, last];
  }

  #consumeBalance(balance: string, scope: Scope): string[] {
    const lines: string[] = [];
    const v = this.#vault;
    const address = () => this.#bound(lines, this.#expressions.address(scope));
    const number = () => this.#bound(lines, this.#expressions.number(scope));
    const options: (() => string)[] = [
      () => `${v}.funds().join(${balance});`,
      () => `${v}.fees().join(${balance});`,
      () => `${v}.put_pot(${number()}, ${balance});`,
      () => `sui::balance::send_funds(${balance}, ${address()});`,
      () => `transfer::public_transfer(${balance}.into_coin(ctx), ${address()});`,
      ...this.#expressions.names('wallet').map((name) => () => `${name}.put(${balance});`),
      ...this.#expressions.names('wallet').map((name) => () => `${name}.put_spare(${balance});`),
    ];
    const last = this.#random.pick(options)();
    return [...lines, last];
  }

  #consumeBox(box: string, scope: Scope): string[] {
    const lines: string[] = [];
    const v = this.#vault;
    const address = () => this.#bound(lines, this.#expressions.address(scope));
    const options: (() => string)[] = [
      () => `transfer::public_transfer(${box}, ${address()});`,
      () => `transfer::public_share_object(${box});`,
      () => `transfer::public_freeze_object(${box});`,
      () => `${v}.put_object(${this.#bound(lines, this.#expressions.flag(scope))}, ${box});`,
      () => `${v}.push(${box}.unbox());`,
      () => `transfer::public_transfer(${box}.unbox(), ${address()});`,
    ];
    const last = this.#random.pick(options)();
    return [...lines, last];
  }

  /** Some of what is left is returned. */
  #results(scope: Scope): { results: string[]; types: string[] } {
    const candidates = [
      ...scope.coins.map((name) => ({ name, type: 'Coin<M>' })),
      ...scope.boxes.map((name) => ({ name, type: 'Box' })),
      ...scope.balances.map((name) => ({ name, type: 'Balance<M>' })),
      ...scope.things.map((name) => ({ name, type: 'T' })),
      ...scope.numbers.slice(0, 1).map((name) => ({ name, type: 'u64' })),
    ];
    const chosen = candidates.filter(() => this.#random.below(3) === 0).slice(0, 3);
    return { results: chosen.map(({ name }) => name), types: chosen.map(({ type }) => type) };
  }
}

const mutable = ({ made }: Parameter): string => (made === 'coin' || made === 'box' ? 'mut ' : '');
