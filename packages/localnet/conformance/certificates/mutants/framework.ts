import { type Mutant, mutant } from './mutant.ts';

const known = 'flow/known-functions.ts';

/** A native function of the table gives nothing that it was made of. */
const nativeGivesNothing = (name: string, row: string, find: string): Mutant =>
  mutant(`native ${name}`, known, find, row);

/** Meanings of the framework's functions. */
export const frameworkMutants: readonly Mutant[] = [
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
    '  call.frame.write(getValue(call, 0), written, dereference(call.args[0]?.type));\n',
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
    '  call.frame.touch(getValue(call, 0));\n  changeSupply(call, number);\n',
    '',
  ),
  mutant('a decreased supply burns', known, "  if (burned) call.frame.consume('burn', burned);\n"),
  mutant(
    'a dynamic field is added',
    known,
    '  call.frame.write(child(call), getValue(call, 2), call.typeArgs[1]);\n',
  ),
  mutant(
    'a dynamic field is removed',
    known,
    '  call.frame.touch(from);\n  call.frame.takeOut(',
    '  call.frame.takeOut(',
  ),
  mutant(
    'a removed dynamic field has its content',
    known,
    'call.typeArgs[1]);\n  return [call.frame.content(from)]',
    'call.typeArgs[1]);\n  return [nothing]',
  ),
  mutant(
    'looking for a dynamic field reads it',
    known,
    '  call.frame.read(from);\n  return [makeComputed([call.frame.content(from)])]',
    '  return [makeComputed([call.frame.content(from)])]',
  ),
  mutant(
    'the answer depends on the dynamic field',
    known,
    'return [makeComputed([call.frame.content(from)])];\n};\n\nconst children',
    'return [makeComputed([])];\n};\n\nconst children',
  ),
  // Natives.
  nativeGivesNothing('sender', "native_sender: gives('transaction')", "native_sender: gives('sender')"),
  nativeGivesNothing(
    'timestamp',
    'native_epoch_timestamp_ms: () => [makeComputed([])]',
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
    "borrow_uid: (call) => [call.frame.part(getValue(call, 0), field('id'))]",
  ),
  mutant(
    'calculations depend on their arguments',
    known,
    'return [makeComputed(args.map(({ value }) => frame.content(value)))]',
    'return [makeComputed([])]',
  ),
];
