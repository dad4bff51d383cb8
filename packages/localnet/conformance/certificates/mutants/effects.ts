import { type Mutant, mutant } from './mutant.ts';

const frame = 'flow/frame.ts';
const apply = 'flow/apply.ts';

/** State, calls, joins of values, and the words of claims about them. */
export const effectMutants: readonly Mutant[] = [
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
    "if (root < 0 && !root) this.addFlow('put'",
  ),
  mutant('a write is noted', frame, '    this.touch(to, value, type);\n'),
  mutant(
    'a borrowed local that holds state is state',
    frame,
    'else if (!this.isCopy(this.localTypes[each.root])) yield* initialAtoms(this.#at(each).is);',
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
    'what is taken out of its place as a whole',
    frame,
    'this.assets.mayHold(type, this.constraints)) this.split(from',
    'this.assets.mayHold(type, this.constraints) && !type) this.split(from',
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
    'add(flow.recipient ? { recipient: this.value(flow.recipient) } : {});',
    'add({});',
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
    'if (members.has(grown)) open.add(grown);',
    'void grown;',
  ),
  mutant(
    'blocks run again when what decides about them grows',
    'flow/summarize.ts',
    'if (flow.deciders(each).includes(block)) open.add(each);',
    'void each;',
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
    "note('amount', amount ? union(influences(amount), guards) : guards, trail);",
    "note('amount', guards, trail);",
  ),
  mutant(
    'branches that steer amounts',
    'state.ts',
    "note('amount', amount ? union(influences(amount), guards) : guards, trail);",
    "if (amount) note('amount', influences(amount), trail);",
  ),
  mutant(
    'recipients that steer',
    'state.ts',
    "note('recipient', union(influences(recipient), guards), trail);",
    "note('recipient', guards, trail);",
  ),
  mutant(
    'branches that steer recipients',
    'state.ts',
    "note('recipient', union(influences(recipient), guards), trail);",
    "note('recipient', influences(recipient), trail);",
  ),
  mutant('reads are claims', 'state.ts', "  for (const read of reads) note('reads', read);\n"),
  mutant('writes are claims', 'state.ts', "  for (const write of writes) note('writes', write);\n"),
];
