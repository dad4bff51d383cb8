import type { Tape } from './tape.ts';
import {
  BOOL,
  type GeneratedType,
  generateInteger,
  generateType,
  INTEGERS,
  integer,
  POINT,
  SHAPE,
  textOf,
  U64,
} from './types.ts';

export interface Variable {
  name: string;
  type: GeneratedType;
}

/** A function that may be called: by value, except for a first parameter that is a mutable reference. */
export interface Callable {
  name: string;
  reference: GeneratedType | undefined;
  parameters: GeneratedType[];
  returns: GeneratedType;
}

export interface Scope {
  tape: Tape;
  variables: Variable[];
  callables: Callable[];
}

const isSame = (left: GeneratedType, right: GeneratedType) => textOf(left) === textOf(right);

function variablesOf({ variables }: Scope, type: GeneratedType): string[] {
  return variables.filter((each) => isSame(each.type, type)).map(({ name }) => name);
}

/** Mostly the type of a variable that is there, so that variables meet. */
export function nearbyType({ tape, variables }: Scope): GeneratedType {
  return variables.length > 0 && tape.below(4) > 0 ? tape.pick(variables).type : generateType(tape);
}

/** An expression of the type: a literal, a variable, or something that is calculated. */
export function expression(scope: Scope, type: GeneratedType, depth: number): string {
  const { tape } = scope;
  const known = variablesOf(scope, type);
  if (depth <= 0 || tape.isEmpty) {
    return known.length > 0 && tape.below(3) > 0 ? tape.pick(known) : literal(scope, type, depth);
  }
  const inner = (wanted: GeneratedType) => expression(scope, wanted, depth - 1);
  const options: (() => string)[] = [
    () => literal(scope, type, depth),
    // Three times, so that what was calculated before is used again.
    ...[...known, ...known, ...known].map((name) => () => name),
    ...parts(scope, type).map((part) => () => part),
    ...own(scope, type, inner),
    ...own(scope, type, inner),
    () => `(if (${inner(BOOL)}) ${inner(type)} else ${inner(type)})`,
    () => `choose(${inner(BOOL)}, ${inner(type)}, ${inner(type)})`,
    () => `same(${inner(type)})`,
    () => `*&${inner(type)}`,
    () => `at(&${inner({ kind: 'vector', of: type })}, ${index(scope)})`,
    () => `left(&${inner({ kind: 'tree', of: type })})`,
    () => `${inner({ kind: 'option', of: type })}.destroy_with_default(${inner(type)})`,
    ...calls(scope, type, inner),
  ];
  return tape.pick(options)();
}

/** A position that is often inside a short vector. */
export function index({ tape }: Scope): string {
  return `${tape.pick([0, 0, 1, 2])}`;
}

function calls(scope: Scope, type: GeneratedType, inner: (type: GeneratedType) => string): (() => string)[] {
  const fitting = scope.callables.filter(
    (each) => each.reference === undefined && isSame(each.returns, type),
  );
  return fitting.map(
    ({ name, parameters }) =>
      () =>
        `${name}(${parameters.map(inner).join(', ')})`,
  );
}

/** Fields and elements of variables that have the type. */
function parts(scope: Scope, type: GeneratedType): string[] {
  return scope.variables.flatMap(({ name, type: whole }) => {
    if (whole.kind === 'point' && type.kind === 'integer') {
      return { u64: [`${name}.x`], u8: [`${name}.y`] }[type.name as 'u64' | 'u8'] ?? [];
    }
    if (whole.kind === 'vector' && isSame(whole.of, type)) return [`${name}[${index(scope)}]`];
    if (whole.kind !== 'pair') return [];
    return [...(isSame(whole.a, type) ? [`${name}.a`] : []), ...(isSame(whole.b, type) ? [`${name}.b`] : [])];
  });
}

function literal(scope: Scope, type: GeneratedType, depth: number): string {
  const { tape } = scope;
  const inner = (wanted: GeneratedType) => expression(scope, wanted, depth - 1);
  switch (type.kind) {
    case 'integer':
      return generateInteger(tape, type.name);
    case 'bool':
      return tape.pick(['false', 'true']);
    case 'address':
      return `@0x${tape.below(3)}`;
    case 'point':
      return `Point { x: ${inner(U64)}, y: ${inner(integer('u8'))} }`;
    case 'shape':
      return tape.pick([
        () => 'Shape::Unit',
        () => `Shape::Circle { r: ${inner(U64)} }`,
        () => `Shape::Rect(${inner(U64)}, ${inner(U64)})`,
      ])();
    case 'vector': {
      const items = Array.from({ length: tape.pick([0, 1, 2, 2, 3]) }, () => inner(type.of));
      return `vector<${textOf(type.of)}>[${items.join(', ')}]`;
    }
    case 'option':
      return tape.below(3) === 0
        ? `option::none<${textOf(type.of)}>()`
        : `option::some<${textOf(type.of)}>(${inner(type.of)})`;
    case 'tree':
      return tape.below(2) === 0
        ? `${textOf(type)}::Leaf(${inner(type.of)})`
        : `${textOf(type)}::Two { left: ${inner(type.of)}, right: ${inner(type.of)} }`;
    case 'pair':
      return `Pair<${textOf(type.a)}, ${textOf(type.b)}> { a: ${inner(type.a)}, b: ${inner(type.b)} }`;
  }
}

/** What only this type has operations for. */
function own(scope: Scope, type: GeneratedType, inner: (type: GeneratedType) => string): (() => string)[] {
  const { tape } = scope;
  switch (type.kind) {
    case 'integer': {
      const binary = (operators: string[]) => () => `(${inner(type)} ${tape.pick(operators)} ${inner(type)})`;
      return [
        binary(['+', '+', '-', '*']),
        binary(['/', '%']),
        binary(['&', '|', '^']),
        () =>
          `(${inner(type)} ${tape.pick(['<<', '>>'])} ${tape.pick([`${tape.below(8)}u8`, inner(integer('u8'))])})`,
        () => `(${inner(tape.pick(INTEGERS))}${tape.pick([' % 200', ''])} as ${type.name})`,
        ...(type.name === 'u64'
          ? [
              () => `size(&${inner(SHAPE)})`,
              () => `${inner({ kind: 'vector', of: generateType(tape, 0) })}.length()`,
              () => `std::bcs::to_bytes(&${inner(generateType(tape, 1))}).length()`,
              () => `${inner(POINT)}.x`,
            ]
          : []),
      ];
    }
    case 'bool': {
      const compare = (of: GeneratedType, operators: string[]) =>
        `(${inner(of)} ${tape.pick(operators)} ${inner(of)})`;
      return [
        () => compare(tape.pick(INTEGERS), ['<', '<=', '>', '>=']),
        () => compare(generateType(tape), ['==', '!=']),
        () => `(${inner(BOOL)} ${tape.pick(['&&', '||'])} ${inner(BOOL)})`,
        () => `!${inner(BOOL)}`,
        () => `${inner({ kind: 'option', of: generateType(tape, 0) })}.is_some()`,
        () => {
          const of = generateType(tape, 1);
          return `${inner({ kind: 'vector', of })}.contains(&${inner(of)})`;
        },
      ];
    }
    case 'vector':
      return [
        () => `grown(${inner(type)}, ${inner(type.of)})`,
        () => `joined(${inner(type)}, ${inner(type)})`,
        () => `repeat(${tape.below(5)}, ${inner(type.of)})`,
        ...(textOf(type.of) === 'u8' ? [() => `std::bcs::to_bytes(&${inner(generateType(tape))})`] : []),
        ...(textOf(type.of) === 'u64'
          ? [() => `vector::tabulate!(${tape.below(4)}, |i| i * ${inner(U64)})`]
          : []),
      ];
    default:
      return [];
  }
}
