import { type Callable, expression, index, nearbyType, type Scope, type Variable } from './expressions.ts';
import { Tape } from './tape.ts';
import { BOOL, type GeneratedType, generateType, textOf, U64 } from './types.ts';

/** Functions that call each other, and a call of the last one. */
interface Program {
  functions: string[];
  returns: string;
  call: string;
}

const DEPTH = 3;

/** Makes well-typed functions of the decisions on a tape; `name` keeps those of two programs apart. */
export function generateProgram(numbers: readonly number[], name: string): Program {
  const callables: Callable[] = [];
  const functions: string[] = [];
  // Each helper has a fourth of the decisions at most, so that the function that is called has some left.
  const helpers = new Tape(numbers).below(3);
  const share = Math.floor(numbers.length / 4);
  for (let i = 0; i < helpers; i += 1) {
    const tape = new Tape(numbers.slice(1 + i * share, 1 + (i + 1) * share));
    const { callable, text } = helper(tape, callables, `${name}_helper_${i}`);
    functions.push(text);
    callables.push(callable);
  }
  const tape = new Tape(numbers.slice(1 + helpers * share));
  const parameters = generateParameters(tape);
  const args = parameters.map(({ type }) => expression({ tape, variables: [], callables: [] }, type, 1));
  const body = new Body({ tape, variables: parameters, callables });
  const head = `fun ${name}(${listOf(parameters)})`;
  // A variable and a copy of it, so that a change of one that shows in the other is seen.
  const copied = generateType(tape);
  const lines = [
    body.declare(copied, expression(body.scope, copied, 2)),
    body.declare(copied, 'v0'),
    ...body.statements(3 + tape.below(5), DEPTH),
  ];
  const type = nearbyType(body.scope);
  const result = expression(body.scope, type, DEPTH);
  // Every variable is looked at in the end.
  const seen = [...body.scope.variables.map((each) => each.name), result];
  const bytes = seen.map((each) => `std::bcs::to_bytes(&${each})`);
  functions.push(written(`${head}: vector<vector<u8>>`, [...lines, `vector[${bytes.join(', ')}]`]));
  return { functions, returns: 'vector<vector<u8>>', call: `${name}(${args.join(', ')})` };
}

function generateParameters(tape: Tape): Variable[] {
  return Array.from({ length: tape.below(4) }, (_, i) => ({ name: `p${i}`, type: generateType(tape) }));
}

function listOf(parameters: Variable[]): string {
  return parameters.map(({ name, type }) => `mut ${name}: ${textOf(type)}`).join(', ');
}

function written(head: string, lines: string[]): string {
  return `${head} {\n    ${lines.join('\n    ')}\n  }`;
}

/** A function that others call; some change what their first parameter refers to. */
function helper(tape: Tape, callables: Callable[], name: string): { callable: Callable; text: string } {
  const reference = tape.below(2) === 1 ? generateType(tape) : undefined;
  const parameters = generateParameters(tape);
  const returns = generateType(tape);
  const body = new Body({ tape, variables: [...parameters], callables });
  const lines = [
    ...(reference === undefined ? [] : [body.declare(reference, '*r')]),
    ...body.statements(1 + tape.below(3), DEPTH),
    ...(reference === undefined ? [] : ['*r = v0;']),
  ];
  const result = expression(body.scope, returns, DEPTH - 1);
  const first = reference === undefined ? '' : `r: &mut ${textOf(reference)}, `;
  const callable = { name, reference, parameters: parameters.map(({ type }) => type), returns };
  const head = `fun ${name}(${first}${listOf(parameters)}): ${textOf(returns)}`;
  return { callable, text: written(head, [...lines, result]) };
}

class Body {
  readonly scope: Scope;
  #names = 0;

  constructor(scope: Scope) {
    this.scope = scope;
  }

  declare(type: GeneratedType, value: string): string {
    const name = `v${this.#names}`;
    this.#names += 1;
    this.scope.variables.push({ name, type });
    return `let mut ${name}: ${textOf(type)} = ${value};`;
  }

  statements(count: number, depth: number): string[] {
    const lines: string[] = [];
    const outer = this.scope.variables.length;
    for (let i = 0; i < count && !this.scope.tape.isEmpty; i += 1) lines.push(this.#statement(depth));
    // What a block declares ends with it; the outermost block's variables serve the result.
    if (depth < DEPTH) this.scope.variables.length = outer;
    return lines;
  }

  #statement(depth: number): string {
    const { tape, variables } = this.scope;
    const value = (type: GeneratedType) => expression(this.scope, type, DEPTH - 1);
    const condition = () => value(BOOL);
    const options: (() => string)[] = [
      () => {
        const type = nearbyType(this.scope);
        return this.declare(type, value(type));
      },
      ...variables.flatMap((variable) => this.#changes(variable, value)),
      () => this.#stop(condition),
    ];
    if (depth > 0) {
      const block = () => `{ ${this.statements(1 + tape.below(3), depth - 1).join(' ')} }`;
      const counter = `i${this.#names}`;
      this.#names += 1;
      options.push(
        () => `if (${condition()}) ${block()};`,
        () => `if (${condition()}) ${block()} else ${block()};`,
        () =>
          `{ let mut ${counter} = 0u64; while (${counter} < ${tape.below(5)}) { ${counter} = ${counter} + 1; ${this.#leave(condition)} ${block()} } };`,
        () =>
          `{ let mut ${counter} = ${value(U64)} % 4; loop { if (${counter} == 0) break; ${counter} = ${counter} - 1; ${this.#leave(condition)} ${block()} } };`,
      );
    }
    return tape.pick(options)();
  }

  /** The compiler crashes on a block in which nothing is left of `x = x`. */
  #assign(name: string, value: string): string {
    return value.includes(name) ? `${name} = same(${value});` : `${name} = ${value};`;
  }

  /** An abort that comes seldom enough for what follows it to matter. */
  #stop(condition: () => string): string {
    const { tape } = this.scope;
    const unlikely = `${condition()} && ${condition()} && ${condition()}`;
    return tape.pick([
      () => `assert!(!(${unlikely}), ${tape.below(100)});`,
      () => `if (${unlikely}) abort ${tape.below(100)};`,
    ])();
  }

  /** Sometimes a way out of a loop. */
  #leave(condition: () => string): string {
    const word = this.scope.tape.pick(['', '', 'break', 'continue']);
    return word === '' ? '' : `if (${condition()}) ${word};`;
  }

  #changes({ name, type }: Variable, value: (type: GeneratedType) => string): (() => string)[] {
    const { tape, callables } = this.scope;
    // The new value is worked out before the variable is borrowed.
    const through = (of: GeneratedType, use: string) => `{ let t = ${value(of)}; ${use} };`;
    const changes = [
      () => this.#assign(name, value(type)),
      () => through(type, `put(&mut ${name}, t)`),
      () =>
        through(
          type,
          `let old = exchange(&mut ${name}, t); ${name} = choose(${tape.pick(['true', 'false'])}, old, ${name})`,
        ),
      () => through(type, `let r = &mut ${name}; *r = t`),
    ];
    for (const { name: callee, reference, parameters } of callables) {
      if (reference === undefined || textOf(reference) !== textOf(type)) continue;
      changes.push(() => {
        const args = parameters.map((parameter, i) => `let a${i} = ${value(parameter)};`);
        const names = parameters.map((_, i) => `a${i}`);
        return `{ ${args.join(' ')} ${callee}(${[`&mut ${name}`, ...names].join(', ')}); };`;
      });
    }
    switch (type.kind) {
      case 'vector':
        changes.push(
          () => through(type.of, `${name}.push_back(t)`),
          () => `if (!${name}.is_empty()) { ${name}.pop_back(); };`,
          () => `if (${value(BOOL)}) { ${name}.pop_back(); };`,
          () => through(type.of, `*&mut ${name}[${index(this.scope)}] = t`),
          () => `${name}.swap(${index(this.scope)}, ${index(this.scope)});`,
          () => `${name}.reverse();`,
        );
        break;
      case 'point':
        changes.push(() => through(U64, `${name}.x = t`));
        break;
      case 'pair':
        changes.push(
          () => through(type.a, `${name}.a = t`),
          () => through(type.b, `let r = &mut ${name}.b; *r = t`),
        );
        break;
      case 'shape':
        changes.push(() => through(U64, `stretch(&mut ${name}, t)`));
        break;
      case 'tree':
        changes.push(() => through(type.of, `set_right(&mut ${name}, t)`));
        break;
    }
    return changes;
  }
}
