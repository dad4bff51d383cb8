import { type Mutant, mutant } from './mutant.ts';

const steps = 'flow/instructions.ts';

/** Meanings of instructions. */
export const instructionMutants: readonly Mutant[] = [
  mutant(
    'arithmetic has two operands',
    steps,
    'frame.push(makeComputed([left!.value, right!.value]), left!.type)',
    'frame.push(makeComputed([right!.value]), left!.type)',
  ),
  mutant(
    'a comparison has two operands',
    steps,
    '...makeComputed([left!, right!]), check',
    '...makeComputed([right!]), check',
  ),
  mutant(
    'an equality has two operands',
    steps,
    '...makeComputed([left!, right!]), test',
    '...makeComputed([right!]), test',
  ),
  mutant('not keeps the origins', steps, '...makeComputed([value]),', '...makeComputed([]),'),
  mutant('a constant is an origin', steps, 'frame.constant(writeConstant(type, data))', 'scalar(noAtoms)'),
  mutant(
    'a number is an origin',
    steps,
    'frame.constant(Array.isArray(operand) ? littleEndian(operand) : String(operand))',
    'scalar(noAtoms)',
  ),
  mutant(
    'ReadRef reads',
    steps,
    '    frame.read(value);\n    frame.push(frame.content(value), dereference(type));',
    '    frame.push(frame.content(value), dereference(type));',
  ),
  mutant(
    'ReadRef has the content',
    steps,
    'frame.push(frame.content(value), dereference(type));',
    'frame.push(nothing, dereference(type));',
  ),
  mutant('WriteRef writes', steps, '    frame.write(to!.value, value!.value, dereference(to!.type));\n'),
  mutant('a branch decides', steps, '  frame.condition(value);\n};', '};'),
  mutant('a variant switch decides', steps, '    frame.condition(scalar(is, from));\n'),
  mutant(
    'a variant switch reads',
    steps,
    '    frame.read(value);\n    const { is, from } = frame.content(value);\n    frame.condition',
    '    const { is, from } = frame.content(value);\n    frame.condition',
  ),
  mutant(
    'all returns count',
    steps,
    'join(known, withInfluence(values[i]!.value, guards))',
    'withInfluence(values[i]!.value, guards)',
  ),
  mutant('a struct has its fields', steps, 'frame.push(closed(parts, isMade', 'frame.push(closed([], isMade'),
  mutant('a new object is made', steps, 'isMade(frame, type) ? plainSets.made : noAtoms', 'noAtoms'),
  mutant(
    'unpacking gives the fields',
    steps,
    'frame.push(select(whole.value, step), part)',
    'frame.push(nothing, part)',
  ),
  mutant(
    'a field of a variant has its place',
    steps,
    'frame.push(frame.part(value, step), to && {',
    'frame.push(nothing, to && {',
  ),
  mutant(
    'a vector has its items',
    steps,
    'frame.push(packVector(values), type',
    'frame.push(packVector([]), type',
  ),
  mutant('a length reads', steps, '  frame.read(vector);\n'),
  mutant(
    'a length has the origins of the vector',
    steps,
    'return makeComputed([frame.content(vector)]);',
    'return makeComputed([]);',
  ),
  mutant(
    'an item has its place',
    steps,
    'const value = frame.part(vector!.value, item, influences(index!.value))',
    'const value = nothing',
  ),
  mutant('push_back writes', steps, '  frame.write(frame.part(to.value, item), value, itemType(to.type));\n'),
  mutant('pop_back writes', steps, '  frame.touch(from.value);\n  frame.takeOut(', '  frame.takeOut('),
  mutant('pop_back gives an item', steps, 'return select(frame.content(from.value), item)', 'return nothing'),
  mutant('swap writes', steps, '    frame.touch(vector!.value);\n'),
];
