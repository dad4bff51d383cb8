import type { Random } from './random.ts';

/** A parameter of generated functions: its type, and the name by which it is made for a call. */
export interface Parameter {
  name: string;
  type: string;
  made:
    | 'vault'
    | 'view'
    | 'wallet'
    | 'coin'
    | 'purse'
    | 'box'
    | 'boxRef'
    | 'number'
    | 'address'
    | 'flag'
    | 'clock'
    | 'thing';
}

/** Variables that code can use at a point. Coins, balances and boxes must each be used up once. */
export interface Scope {
  numbers: string[];
  flags: string[];
  addresses: string[];
  /** Coins of the block itself: a branch must not use up what was made before it. */
  coins: string[];
  balances: string[];
  boxes: string[];
  things: string[];
}

/** Writes random expressions. They contain no mutable borrow, so that they can stand anywhere before one. */
export class Expressions {
  readonly #parameters: readonly Parameter[];
  readonly #random: Random;

  constructor(parameters: readonly Parameter[], random: Random) {
    this.#parameters = parameters;
    this.#random = random;
  }

  names(made: Parameter['made']): string[] {
    return this.#parameters.filter((each) => each.made === made).map((each) => each.name);
  }

  /** A vault that is read. */
  get read(): string {
    return this.#random.pick([...this.names('vault'), ...this.names('view')]);
  }

  number(scope: Scope, depth = 2): string {
    const options: (() => string)[] = [
      () => `${this.#random.pick([0, 1, 2, 5, 100, 999])}`,
      ...[...scope.numbers, ...scope.numbers, ...scope.numbers].map((name) => () => `(${name} % 1000)`),
      () => `(${this.read}.fee() % 100)`,
      () => `(${this.read}.limit() % 100)`,
      () => `(${this.read}.held() % 1000)`,
      () => `(${this.read}.mode_fee() % 100)`,
      () => `(${this.read}.config().config_fee() % 100)`,
      () => `(${this.read}.prices() % 100)`,
      () => `(${this.read}.share(${this.address(scope, 0)}) % 100)`,
      () => '(ctx.epoch() % 10)',
      () => '(ctx.epoch_timestamp_ms() % 10)',
      ...this.names('clock').map((name) => () => `(${name}.timestamp_ms() % 50)`),
      ...this.names('wallet').map((name) => () => `(${name}.held() % 100)`),
      ...this.names('purse').map((name) => () => `(${name}.value() % 100)`),
      ...this.names('boxRef').map((name) => () => `(${name}.box_note() % 100)`),
      ...scope.coins.map((name) => () => `(${name}.value() % 1000)`),
    ];
    if (depth > 0) {
      const inner = () => this.number(scope, depth - 1);
      options.push(
        () => `(${inner()} + ${inner()})`,
        () => `(${inner()} * ${inner()} / 100)`,
        () => `(${inner()} / (1 + ${inner()}))`,
        () => `(if (${this.flag(scope, depth - 1)}) ${inner()} else ${inner()})`,
        () => `demo::world::least(${inner()}, ${inner()})`,
      );
    }
    return this.#random.pick(options)();
  }

  flag(scope: Scope, depth = 1): string {
    const options: (() => string)[] = [
      ...[...scope.flags, ...scope.flags].map((name) => () => name),
      () => `${this.read}.paused()`,
      () => `(ctx.sender() == ${this.read}.admin())`,
      () => `${this.read}.has_share(${this.address(scope, 0)})`,
      () => `${this.read}.config().config_on()`,
      () => `(${this.number(scope, 0)} < ${this.number(scope, 0)})`,
      () => `(${this.number(scope, 0)} != ${this.number(scope, 0)})`,
      ...this.names('wallet').map((name) => () => `(${name}.owner() == ctx.sender())`),
    ];
    if (depth > 0) {
      const inner = () => this.flag(scope, depth - 1);
      options.push(
        () => `!${inner()}`,
        () => `(${inner()} && ${inner()})`,
        () => `(${inner()} || ${inner()})`,
      );
    }
    return this.#random.pick(options)();
  }

  address(scope: Scope, depth = 1): string {
    const options: (() => string)[] = [
      ...[...scope.addresses, ...scope.addresses].map((name) => () => name),
      () => 'ctx.sender()',
      () => `@0x${this.#random.pick(['cafe', 'beef', 'fee'])}`,
      () => `${this.read}.admin()`,
      () => `${this.read}.treasury()`,
      () => `${this.read}.mode_who()`,
      () => `${this.read}.first_owner()`,
      () => `${this.read}.config().config_to()`,
      () => `${this.read}.id()`,
      () => `${this.read}.own_address()`,
      ...this.names('boxRef').map((name) => () => `${name}.box_owner()`),
      ...this.names('wallet').map((name) => () => `${name}.owner()`),
    ];
    if (depth > 0) {
      options.push(
        () => `(if (${this.flag(scope, 0)}) ${this.address(scope, 0)} else ${this.address(scope, 0)})`,
        () => `sui::address::from_u256((${this.number(scope, 0)}) as u256)`,
      );
    }
    return this.#random.pick(options)();
  }
}
