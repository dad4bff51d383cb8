import { type Mutant, mutant } from './mutant.ts';

const authority = 'authority.ts';
const writers = 'writers.ts';
const witnesses = 'witness-leaks.ts';

/** Requirements on callers, writers, dropped checks, witnesses and version gates. */
export const rightMutants: readonly Mutant[] = [
  // Requirements on callers.
  mutant('a shared capability is none', authority, '!this.#isShared(type) && '),
  mutant(
    'a capability of the framework that the package shares is none',
    authority,
    'isSystemCapability(type) && !this.#sharing.types(handle.address).has(datatypeName(type))',
    'isSystemCapability(type)',
  ),
  mutant(
    'a capability of the framework for any coin is none',
    authority,
    'return isConcrete && systemCapabilities',
    'return systemCapabilities',
  ),
  mutant(
    'a capability that anyone can make is none',
    authority,
    'listCapabilities(fn, undefined, isHeld).length === 0 &&',
    'listCapabilities(fn, undefined, isHeld).length < 0 &&',
  ),
  mutant('capabilities in results', authority, '[...returned, ...sent].flatMap', '[...sent].flatMap'),
  mutant('capabilities that are sent', authority, '[...returned, ...sent].flatMap', '[...returned].flatMap'),
  mutant('capabilities that are made', authority, '    ...summary.packs,\n'),
  mutant(
    'capabilities that are put where the caller can take them',
    authority,
    '...put.flatMap(',
    '...[].flatMap(',
  ),
  mutant(
    'capabilities whose type the caller chooses',
    authority,
    '...[...given, ...named].map',
    '...given.map',
  ),
  mutant(
    'the object that is written is not a capability',
    authority,
    "if (i === written || type.kind !== 'datatype') return [];",
    "if (type.kind !== 'datatype') return [];",
  ),
  mutant(
    'an address in an object that anyone can make protects nothing',
    authority,
    "const counts = other.parameter === written || (type.kind === 'datatype' && isTrusted(type));",
    'const counts = true;',
  ),
  mutant(
    'a requirement holds in each execution',
    'flow/summary.ts',
    'return a.filter((test) => keys.has(testKey(test)));',
    'return keys ? a : [];',
  ),
  mutant(
    'a check of another branch is not a requirement',
    'flow/control.ts',
    'order.filter((a) => hasBit(dominators.get(b)!, a) || hasBit(postDominators.get(b)!, a))',
    'order',
  ),
  // Writers.
  mutant(
    'a writer needs what each of its writes needs',
    writers,
    'first!.filter((each) => texts.every((set) => set.has(JSON.stringify(each))))',
    'texts && first!',
  ),
  mutant(
    'who can borrow a place can write it',
    writers,
    '[...fn.summary.writes, ...listLent(fn)]',
    '[...fn.summary.writes]',
  ),
  mutant(
    'who replaces an object writes its fields',
    writers,
    '...(inner ? (this.#byPart.get(datatypeName(inner)) ?? []) : []),\n',
  ),
  mutant('a vague write may be of each field', writers, '      ...this.#vague,\n'),
  mutant(
    'a place of a type parameter may be of any type',
    'flow/path.ts',
    " || a.kind === 'parameter' || b.kind === 'parameter'",
  ),
  // Dropped checks.
  mutant(
    'a popped check is dropped',
    'flow/instructions.ts',
    'const drop: Run = (frame) => noteDropped(frame, frame.pop().value);',
    'const drop: Run = (frame) => void frame.pop();',
  ),
  mutant(
    'a check in a local that nothing reads is dropped',
    'flow/instructions.ts',
    '    if (!frame.isUsed(Number(operand))) noteDropped(frame, value);\n',
  ),
  mutant(
    'a check that a function gets and does not read is dropped',
    'flow/analysis.ts',
    '    for (const [i, { value }] of args.entries()) if (body && !body.used.has(i)) noteDropped(frame, value);\n',
    '    void [body, noteDropped];\n',
  ),
  mutant(
    'a function that only returns a bool is a check',
    'flow/analysis.ts',
    'return isBool && isPure && values[0] ? [{ ...values[0], check: key }] : values;',
    'return isBool && isPure && !key ? [] : values;',
  ),
  mutant(
    'checks that a called function drops',
    'flow/apply.ts',
    "    for (const each of summary.dropped) effects.add('dropped', { ...each, ...below(each, each.leaf) });\n",
  ),
  // Witnesses.
  mutant('witnesses in results', witnesses, 'note([...handle.returns, ...lent]', 'note([...lent]'),
  mutant(
    'witnesses in what a caller lends',
    witnesses,
    'note([...handle.returns, ...lent]',
    'note([...handle.returns]',
  ),
  mutant(
    'witnesses that are handed to other packages',
    witnesses,
    'given.push(...passed.map((type) => substitute(type, typeArgs)));',
    'void [given, passed, substitute];',
  ),
  mutant(
    'witnesses that are handed on by generic functions',
    witnesses,
    'for (const caller of callers.get(each.fn) ?? []) work.add(caller);',
    'void callers;',
  ),
  mutant('witnesses inside of other values', witnesses, ', ...(listParts(code, type) ?? [])];', '];'),
  mutant(
    'structs that a wallet gets as types are witnesses',
    witnesses,
    'new Set(modules.flatMap((module) => [...listNamedToWallets(code, module)]))',
    'new Set([] as string[])',
  ),
  // Version gates.
  mutant(
    'a version that is only compared is not a gate',
    'certify.ts',
    "if (constant?.kind !== 'constant' || stored?.kind !== 'initial') return undefined;",
    "if (stored?.kind !== 'initial') return undefined;",
  ),
  mutant(
    'the version of an object that the caller made is not a gate',
    'certify.ts',
    "const counts = isWallet || (object.kind === 'datatype' && authorities.isGuarded(object));",
    'const counts = isWallet || object !== undefined;',
  ),
  mutant(
    'an equality holds after it was checked',
    'flow/summarize.ts',
    'this.#facts.set(block, [...facts, ...checkedFacts(frame, flow, block)]);',
    'this.#facts.set(block, facts);',
  ),
  mutant(
    'equalities that a called function checks',
    'flow/analysis.ts',
    'const facts = summary.facts.map((fact) => application.test(fact));',
    'const facts = summary.facts.slice(0, 0);',
  ),
  // Verdicts.
  mutant(
    'what also goes elsewhere does not always go there',
    'money.ts',
    'isRead && sinks.size === 1 && ',
    'isRead && ',
  ),
  mutant(
    'money moves with the object that has it',
    'money.ts',
    ' && !hasOwnerMoving(source, sourceKey, all)',
  ),
  mutant(
    'what runs in a loop is repeated',
    'flow/frame.ts',
    'const repeated = this.flow.isInLoop(this.block);',
    'const repeated = false;',
  ),
  mutant(
    'an amount that is one of several is not a bound',
    'money.ts',
    'only && others.length === 0 && isExact(only)',
    'only && isExact(only)',
  ),
  mutant('an item of a vector is one of several', 'money.ts', ' && isExact(only) ? ', ' ? '),
  mutant(
    'what a branch decides depends on its condition',
    'flow/frame.ts',
    'if (condition) all = union(all, influences(condition));',
    'void condition;',
  ),
];
