import { compileFunction } from '../code/compile.ts';
import type { LoadedFunction, LoadedModule } from '../loader/module.ts';
import type { LoadedPackage } from '../loader/package.ts';
import { VerifierMeter } from '../meter.ts';
import { FunctionBody } from './body.ts';
import { checkConstants } from './constants.ts';
import { type ControlFlow, controlFlowOf } from './control-flow.ts';
import { checkDatatypes } from './datatypes.ts';
import { checkDuplication } from './duplication.ts';
import { checkFreshIds } from './fresh-ids.ts';
import { checkFriends } from './friends.ts';
import { checkInit, checkInitNotCalled } from './init.ts';
import { checkInstantiationLoops } from './instantiation-loops.ts';
import { checkInstructions } from './instructions.ts';
import { checkLimits } from './limits.ts';
import { checkLinks, checkNotCyclic } from './linking.ts';
import { checkLocals } from './locals.ts';
import { checkObjects } from './objects.ts';
import { checkWitness, checkWitnessNotMade } from './one-time-witness.ts';
import { checkPrivateGenerics } from './private-generics.ts';
import { checkReferences } from './references.ts';
import { checkSignatures } from './signatures.ts';

/**
 * Checks a package that is about to be published, as the chain does: that it can do no harm when it runs, so that
 * the interpreter need not check it again. Bounds of indices were checked when the bytes were read. Throws a
 * `VerificationError`: of kind `verification` for the rules of Move, then `suiVerification` for Sui's own.
 */
export function verifyPackage(owner: LoadedPackage, meter: VerifierMeter = new VerifierMeter()): void {
  const modules = [...owner.content.modules.keys()].map((name) => owner.module(name)!);
  for (const module of modules) checkTables(module, meter);
  checkNotCyclic(owner);
  const bodies = modules.map((module) => verifyModule(module, meter));
  for (const [i, module] of modules.entries()) verifySuiRules(module, bodies[i]!);
}

/** What a module says of itself, before anything else is believed. */
function checkTables(module: LoadedModule, meter: VerifierMeter): void {
  const { json } = module;
  checkLimits(json);
  checkDuplication(json);
  checkInstructions(json);
  checkFriends(module);
  checkInstantiationLoops(json, meter);
}

interface Verified {
  body: FunctionBody;
  flow: ControlFlow;
}

function verifyModule(module: LoadedModule, meter: VerifierMeter): Verified[] {
  checkLinks(module);
  checkSignatures(module);
  checkConstants(module);
  checkDatatypes(module, meter);
  return module.functions.flatMap((fn) => verifyFunction(fn, meter) ?? []);
}

/** The operand stack and types are checked where the code is made ready to run. */
function verifyFunction(fn: LoadedFunction, meter: VerifierMeter): Verified | undefined {
  const { code } = fn.definition;
  if (!code) return undefined;
  const body = new FunctionBody(fn, code, meter);
  const flow = controlFlowOf(body);
  fn.code = compileFunction(fn, meter);
  checkLocals(body, flow);
  checkReferences(body, flow);
  return { body, flow };
}

function verifySuiRules(module: LoadedModule, functions: Verified[]): void {
  checkObjects(module);
  for (const { body, flow } of functions) checkFreshIds(body, flow);
  for (const { body } of functions) checkPrivateGenerics(body);
  checkInit(module);
  for (const { body } of functions) checkInitNotCalled(body);
  checkWitness(module);
  for (const { body } of functions) checkWitnessNotMade(body);
}
