/** A rule of the analysis that is taken out, by a change of its source text. */
interface Mutant {
  /** The rule. */
  name: string;
  /** In `packages/adaptor/src/certify`. */
  file: string;
  find: string;
  replace: string;
}

const known = 'flow/known-functions.ts';
const steps = 'flow/instructions.ts';
const frame = 'flow/frame.ts';
const apply = 'flow/apply.ts';

const mutant = (name: string, file: string, find: string, replace = ''): Mutant => ({
  name,
  file,
  find,
  replace,
});

/** A native function of the table gives nothing that it was made of. */
const nativeGivesNothing = (name: string, row: string, find: string): Mutant =>
  mutant(`native ${name}`, known, find, row);

export const mutants: readonly Mutant[] = [
  // Functions of the framework with a meaning of their own.
  mutant(
    'a part of a balance has the sources of the whole',
    known,
    'value: number }], whole.is, union',
    'value: number }], plainSets.made, union',
  ),
  mutant('the amount of a split is noted', known, '    frame.split(from, taken);\n'),
  mutant(
    'a split changes the balance',
    known,
    '    frame.touch(from);\n    const number',
    '    const number',
  ),
  mutant(
    'a joined balance is in the other',
    known,
    '  call.frame.write(valueAt(call, 0), written, behind(call.args[0]?.type));\n',
  ),
  mutant(
    'minted money is made',
    known,
    'value: number }], plainSets.made, influences',
    'value: number }], new Map(), influences',
  ),
  mutant('the amount that is minted is noted', known, '  call.frame.split(nothing, number);\n'),
  mutant(
    'minting changes the supply',
    known,
    '  call.frame.touch(valueAt(call, 0));\n  changeSupply(call, number);\n',
    '',
  ),
  mutant('a decreased supply burns', known, "  if (burned) call.frame.consume('burn', burned);\n"),
  mutant(
    'a dynamic field is added',
    known,
    '  call.frame.write(child(call), valueAt(call, 2), call.typeArgs[1]);\n',
  ),
  mutant(
    'a dynamic field is removed',
    known,
    '  call.frame.touch(from);\n  return [call.frame.content(from)]',
    '  return [call.frame.content(from)]',
  ),
  mutant(
    'a removed dynamic field has its content',
    known,
    '  call.frame.touch(from);\n  return [call.frame.content(from)]',
    '  call.frame.touch(from);\n  return [nothing]',
  ),
  mutant(
    'looking for a dynamic field reads it',
    known,
    '  call.frame.read(from);\n  return [computed([call.frame.content(from)])]',
    '  return [computed([call.frame.content(from)])]',
  ),
  mutant(
    'the answer depends on the dynamic field',
    known,
    'return [computed([call.frame.content(from)])];\n};\n\nconst children',
    'return [computed([])];\n};\n\nconst children',
  ),
  // Natives.
  nativeGivesNothing('sender', "native_sender: gives('transaction')", "native_sender: gives('sender')"),
  nativeGivesNothing(
    'timestamp',
    'native_epoch_timestamp_ms: () => [computed([])]',
    "native_epoch_timestamp_ms: gives('time')",
  ),
  nativeGivesNothing('transfer', 'transfer_impl: none,\n    party', 'transfer_impl: sends(0, 1),\n    party'),
  nativeGivesNothing('share', 'share_object_impl: none', "share_object_impl: consumes('share')"),
  nativeGivesNothing('freeze', 'freeze_object_impl: none', "freeze_object_impl: consumes('freeze')"),
  nativeGivesNothing(
    'send_funds',
    'add_to_accumulator_address: none',
    'add_to_accumulator_address: sends(2, 1)',
  ),
  nativeGivesNothing(
    'borrow_uid',
    'borrow_uid: () => [nothing]',
    "borrow_uid: (call) => [call.frame.part(valueAt(call, 0), field('id'))]",
  ),
  mutant(
    'calculations depend on their arguments',
    known,
    'return [computed(args.map(({ value }) => frame.content(value)))]',
    'return [computed([])]',
  ),
  // Instructions.
  mutant(
    'arithmetic has two operands',
    steps,
    'frame.push(computed([left!.value, right!.value]), left!.type)',
    'frame.push(computed([right!.value]), left!.type)',
  ),
  mutant(
    'a comparison has two operands',
    steps,
    '...computed([left!, right!]), check',
    '...computed([right!]), check',
  ),
  mutant(
    'an equality has two operands',
    steps,
    '...computed([left!, right!]), test',
    '...computed([right!]), test',
  ),
  mutant('not keeps the origins', steps, '...computed([value]),', '...computed([]),'),
  mutant(
    'a constant is an origin',
    steps,
    'scalar(atomSet(constant(writeConstant(type_, data))))',
    'scalar(noAtoms)',
  ),
  mutant(
    'a number is an origin',
    steps,
    'scalar(atomSet(constant(Array.isArray(operand) ? littleEndian(operand) : String(operand))))',
    'scalar(noAtoms)',
  ),
  mutant(
    'ReadRef reads',
    steps,
    '    frame.read(value);\n    frame.push(frame.content(value), behind(type));',
    '    frame.push(frame.content(value), behind(type));',
  ),
  mutant(
    'ReadRef has the content',
    steps,
    'frame.push(frame.content(value), behind(type));',
    'frame.push(nothing, behind(type));',
  ),
  mutant('WriteRef writes', steps, '    frame.write(to!.value, value!.value, behind(to!.type));\n'),
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
    'return computed([scalar(is, from)])',
    'return computed([])',
  ),
  mutant(
    'an item has its place',
    steps,
    'const value = frame.part(vector!.value, item, influences(index!.value))',
    'const value = nothing',
  ),
  mutant('push_back writes', steps, '  frame.write(frame.part(to.value, item), value, itemType(to.type));\n'),
  mutant('pop_back writes', steps, '  frame.touch(from.value);\n  return select', '  return select'),
  mutant('pop_back gives an item', steps, 'return select(frame.content(from.value), item)', 'return nothing'),
  mutant('swap writes', steps, '    frame.touch(vector!.value);\n'),
  // State.
  mutant(
    'a write keeps what was there',
    frame,
    'writeInto(before, path.steps, value)',
    'writeInto(nothing, path.steps, value)',
  ),
  mutant(
    'a write changes memory',
    frame,
    '    for (const { root, path } of to.places?.values() ?? []) this.writeAt(root, path, value);\n',
  ),
  mutant(
    'a write through a reference is an end',
    frame,
    "if (root < 0) this.addFlow('put'",
    "if (false) this.addFlow('put'",
  ),
  mutant('a write is noted', frame, '    this.touch(to, value, type);\n'),
  mutant(
    'a borrowed local that holds state is state',
    frame,
    'else if (!this.#isCopy(each.root)) yield* initialAtoms(this.#at(each).is);',
    '',
  ),
  // Calls.
  mutant(
    'ends in a called function',
    apply,
    '    for (const each of summary.flows) this.#collectFlow(each, below, guards);\n',
  ),
  mutant(
    'splits in a called function',
    apply,
    'for (const split of summary.splits) {',
    'for (const split of [] as typeof summary.splits) {',
  ),
  mutant(
    'reads in a called function',
    apply,
    'for (const read of summary.reads) {',
    'for (const read of [] as typeof summary.reads) {',
  ),
  mutant(
    'writes in a called function',
    apply,
    '    for (const write of summary.writes) {\n      for (const { parameter, path } of this.#init',
    '    for (const write of [] as typeof summary.writes) {\n      for (const { parameter, path } of this.#init',
  ),
  mutant(
    'gates in a called function',
    apply,
    'for (const gate of summary.gates) {',
    'for (const gate of [] as typeof summary.gates) {',
  ),
  mutant(
    'memory that a called function writes',
    apply,
    '        frame.writeAt(root, path, written);',
    '        void [root, path];',
  ),
  mutant(
    'what a called function returns',
    apply,
    'summary.returns.map((value) => this.value(value))',
    'summary.returns.map(() => nothing)',
  ),
  mutant(
    'recipients of a called function',
    apply,
    '...(recipient && { recipient }) });\n      return',
    '});\n      return',
  ),
  mutant(
    'all places of a reference',
    apply,
    'return [...roots].map(({ root, path: above })',
    'return [...roots].slice(0, 1).map(({ root, path: above })',
  ),
  mutant(
    'places that references in results lead to',
    apply,
    '{ ...found, is, places: new Map(places',
    '{ ...found, is, places: new Map([] as typeof places',
  ),
  mutant(
    'dynamic fields by the type of a call',
    apply,
    'const found = dynamic(this.type(step.key), this.type(step.value));',
    'const found = step;',
  ),
  // Joins.
  mutant(
    'values of all ways to a block',
    'flow/summarize.ts',
    'const after = join(before, value);',
    'const after = before;',
  ),
  mutant(
    'loops run until nothing is added',
    'flow/summarize.ts',
    '    if (!frame.changed) break;',
    '    break;',
  ),
  mutant('a check that aborts is a gate', 'flow/summarize.ts', '    collectGate(frame, block);\n'),
  mutant(
    'a value has the parts of both ways',
    'flow/value.ts',
    'const parts = joinParts(a.parts, b.parts);',
    'const parts = a.parts;',
  ),
  mutant(
    'a reference leads to the places of both ways',
    'flow/value.ts',
    'const places = joinPlaces(a.places, b.places);',
    'const places = a.places;',
  ),
  mutant(
    'a part is the union of the parts that overlap',
    'flow/value.ts',
    'found = found ? join(found, part.value) : part.value;\n  }\n  return withInfluence',
    'found ??= part.value;\n  }\n  return withInfluence',
  ),
  mutant(
    'origins of parts count',
    'flow/value.ts',
    'all = union(all, identities(part.value))',
    'all = union(all, noAtoms)',
  ),
  mutant(
    'assets in vectors',
    'flow/assets.ts',
    'return this.mayHold(type.item, constraints, depth + 1);',
    'return false;',
  ),
  mutant(
    'assets of type parameters',
    'flow/assets.ts',
    "return !hasAbility(type, 'drop', constraints) && !hasAbility(type, 'copy', constraints);",
    'return false;',
  ),
  mutant('assets in parts of a value', 'flow/assets.ts', 'found = union(found, sources);', ''),
  // Words.
  mutant(
    'results',
    'money.ts',
    '  const flows = [...summary.flows, ...listReturns(signature, summary)];',
    '  const flows = [...summary.flows] as Consumption[];',
  ),
  mutant(
    'the wallet is a sink',
    'money.ts',
    "if (kind === 'wallet') return [{ kind: 'wallet', parameter }];",
    "if (kind === 'wallet') return [];",
  ),
  mutant(
    'a stored address',
    'money.ts',
    "    case 'state':\n      return { kind: 'storedAddress', path: origin.path };",
    "    case 'state':\n      return { kind: 'sender' };",
  ),
  mutant(
    'the address of an object',
    'money.ts',
    "return { kind: 'objectAddress', parameter: origin.parameter }",
    "return { kind: 'sender' }",
  ),
  mutant(
    'amounts that steer',
    'state.ts',
    "  for (const { amount, trail } of splits) if (amount) note('amount', influences(amount), trail);\n",
  ),
  mutant(
    'recipients that steer',
    'state.ts',
    "  for (const { recipient, trail } of flows) if (recipient) note('recipient', influences(recipient), trail);\n",
  ),
  mutant('reads are claims', 'state.ts', "  for (const read of reads) note('reads', read);\n"),
  mutant('writes are claims', 'state.ts', "  for (const write of writes) note('writes', write);\n"),
];
