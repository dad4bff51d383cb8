import { verificationError } from '../errors.ts';
import { isFrameworkType } from '../framework.ts';
import {
  abilitiesOf,
  COPY,
  type Datatype,
  DROP,
  datatypeOf,
  type Field,
  isOneTimeWitness,
  KEY,
  STORE,
  type Type,
  type Variant,
} from '../types.ts';
import { instructionParts } from './bytecode.ts';
import type { LoadedFunction } from './function.ts';
import type { LoadedModule } from './module.ts';
import type { LoadedPackage } from './package.ts';

/**
 * Checks a package that is about to be published: all its code, that everything it is linked to exists and is
 * what the bytecode says, and the chain's rules on datatypes, `init` and one-time witnesses. Throws a
 * `verification` error.
 */
export function verifyPackage(owner: LoadedPackage): void {
  const finite = new Set<Datatype>();
  for (const name of owner.content.modules.keys()) {
    const module = owner.module(name)!;
    checkHandles(module);
    for (const datatype of module.datatypes) {
      checkDatatype(datatype);
      checkNotRecursive(datatype, [], finite);
    }
    for (const fn of module.functions) checkFunction(module, fn);
    checkWitness(module);
  }
}

/** Resolving a handle checks that its target exists and is as the handle says. */
function checkHandles(module: LoadedModule): void {
  const linked = module.package.context.link(module);
  for (const i of module.json.datatype_handles.keys()) module.datatypeAt(i);
  for (const i of module.json.function_handles.keys()) linked.callee(i);
}

function checkFunction(module: LoadedModule, fn: LoadedFunction): void {
  if (fn.isNative) throw verificationError(`${fn.name} is native, which only the framework may be`);
  // Reading the code checks it.
  void fn.code;
  if (fn.name === 'init') checkInit(module, fn);
}

function checkDatatype(datatype: Datatype): void {
  const parameters = datatype.parameters.map(
    ({ constraints }, index): Type => ({
      kind: 'parameter',
      index,
      // What fields of the parameter's type may be counted on to have, when the argument has it.
      constraints: constraints | datatype.abilities | ((datatype.abilities & KEY) !== 0 ? STORE : 0),
      open: true,
    }),
  );
  const { body } = datatype;
  const variants: Variant[] = body.kind === 'struct' ? [{ name: '', fields: body.fields }] : body.variants;
  // Every value takes at least one byte, which is why the compiler gives empty structs a bool.
  if (variants.length === 0 || (body.kind === 'struct' && body.fields.length === 0)) {
    throw verificationError(`${datatype.name} is empty`);
  }
  for (const { fields } of variants) {
    for (const field of fields) checkField(datatype, field, parameters);
  }
  if ((datatype.abilities & KEY) !== 0) checkKey(datatype, variants);
}

function checkField(datatype: Datatype, field: Field, parameters: Type[]): void {
  const type = withParameters(field.type, parameters);
  let needed = datatype.abilities & (COPY | DROP | STORE);
  if ((datatype.abilities & KEY) !== 0) needed |= STORE;
  if ((abilitiesOf(type) & needed) !== needed) {
    throw verificationError(`field ${datatype.name}.${field.name} lacks an ability of its struct`);
  }
}

function withParameters(type: Type, parameters: Type[]): Type {
  if (type.kind === 'parameter') return parameters[type.index]!;
  if (type.kind === 'vector') return { ...type, element: withParameters(type.element, parameters) };
  if (type.kind !== 'datatype') return type;
  return datatypeOf(
    type.datatype,
    type.args.map((arg) => withParameters(arg, parameters)),
  );
}

/** An object begins with its id, and is a struct. */
function checkKey(datatype: Datatype, variants: Variant[]): void {
  const first = datatype.body.kind === 'struct' ? variants[0]!.fields[0] : undefined;
  const isUid = first?.name === 'id' && isFrameworkType(first.type, 'sui', 'object', 'UID');
  if (!isUid) throw verificationError(`${datatype.name} has key, but its first field is not "id: UID"`);
}

/** A datatype that holds itself has no finite value. `finite` remembers what was looked at already. */
function checkNotRecursive(datatype: Datatype, path: Datatype[], finite: Set<Datatype>): void {
  if (path.includes(datatype)) throw verificationError(`${datatype.name} contains itself`);
  if (finite.has(datatype)) return;
  const { body } = datatype;
  const fields = body.kind === 'struct' ? body.fields : body.variants.flatMap((variant) => variant.fields);
  for (const field of fields) visit(field.type, [...path, datatype], finite);
  finite.add(datatype);
}

function visit(type: Type, path: Datatype[], finite: Set<Datatype>): void {
  if (type.kind === 'vector') visit(type.element, path, finite);
  if (type.kind !== 'datatype') return;
  for (const arg of type.args) visit(arg, path, finite);
  // Only this package's own datatypes can close a circle; others were checked when they were published.
  if (type.datatype.definingId === path[0]!.definingId) checkNotRecursive(type.datatype, path, finite);
}

/** `init` is private, returns nothing, and takes a witness (perhaps) and the transaction's context. */
function checkInit(module: LoadedModule, fn: LoadedFunction): void {
  const { parameters } = fn;
  const [first] = parameters;
  const hasWitness = parameters.length === 2;
  const takesContext = isTxContextReference(parameters.at(-1));
  const witnessIsRight =
    !hasWitness ||
    (first?.kind === 'datatype' && first.datatype.module === module.name && isOneTimeWitness(first.datatype));
  const isRight =
    fn.visibility === 'Private' &&
    !fn.isEntry &&
    fn.constraints.length === 0 &&
    fn.returns.length === 0 &&
    (parameters.length === 1 || hasWitness) &&
    takesContext &&
    witnessIsRight;
  if (!isRight) throw verificationError(`${module.name}::init must be init([WITNESS,] &mut TxContext)`);
}

function isTxContextReference(type: Type | undefined): boolean {
  return type?.kind === 'reference' && isFrameworkType(type.to, 'sui', 'tx_context', 'TxContext');
}

/** Only the chain makes a one-time witness: no code of its module may. */
function checkWitness(module: LoadedModule): void {
  const init = module.function('init');
  const witness = [...module.datatypes].find(isOneTimeWitness);
  if (witness === undefined || init?.parameters.length !== 2) return;
  for (const { definition, name } of module.functions) {
    for (const instruction of definition.code?.code ?? []) {
      const [opcode, operand] = instructionParts(instruction);
      if (opcode !== 'Pack') continue;
      const { struct_handle } = module.json.struct_defs[Number(operand)]!;
      if (module.datatypeAt(struct_handle) === witness) {
        throw verificationError(`${module.name}::${name} makes the one-time witness ${witness.name}`);
      }
    }
  }
}
